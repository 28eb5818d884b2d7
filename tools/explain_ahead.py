"""What comes near ahead of its use: rows that a core's next task uses, and the next rows of the same task."""

from collections.abc import Iterator
from dataclasses import dataclass

from tilewright.dialects.mlir import ir
from tilewright.dialects.tir import Prefetch
from tilewright.lowering.microkernels.prefetch import LINE_BYTES
from tilewright.passes.core.patterns import operations
from tilewright.passes.tir.lifetimes import size_bytes
from tilewright.tools.explain_tensor import functions_of, type_words


@dataclass(frozen=True)
class FetchedAhead:
    """A tensor of which the tasks of a function fetch rows (`prefetch-next-tasks`, `prefetch-next-rows`).

    Attributes:
        function: whose tasks do.
        tensor: ``argument 0``, or ``temporary``.
        type: of the whole tensor.
        use: what is done with it then: read or written.
        places: in the code of the function where some of it is asked for.
        bytes_at_once: asked for there in one go, at most, in whole cache lines.
    """

    function: str
    tensor: str
    type: str
    use: str
    places: int
    bytes_at_once: int


def read_fetched_ahead(module: ir.Operation) -> Iterator[FetchedAhead]:
    """Every such tensor, by function, in the order in which they are fetched."""
    for name, function in functions_of(module).items():
        found: dict[tuple[ir.Value, bool], list[int]] = {}
        for op in operations(function, Prefetch.OPERATION_NAME):
            rows, written = op.operands[0], bool(op.opview.write.value)
            lines = -(-size_bytes(rows.type) // LINE_BYTES)
            found.setdefault((rows.owner.operands[0], written), []).append(lines * LINE_BYTES)
        for (tensor, written), sizes in found.items():
            use = "written" if written else "read"
            yield FetchedAhead(name, _place(tensor), type_words(tensor.type), use, len(sizes), max(sizes))


def _place(tensor: ir.Value) -> str:
    return f"argument {tensor.arg_number}" if isinstance(tensor.owner, ir.Block) else "temporary"
