"""``tilewright import``: a model as Graph IR in MLIR text, its weights in a file beside it."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tilewright.dialects.base import compiling
from tilewright.runtime.mlir_source import stand_ins
from tilewright.runtime.models import Graph, open_model
from tilewright.runtime.weight_files import save_weights, weights_beside
from tilewright.tools.console import err
from tilewright.tools.files import check_output, replacing

Shapes = Mapping[str, tuple[int, ...] | int]


def print_model(model: str, shapes: Shapes) -> None:
    """Print the Graph IR of ``model``; its weights are arguments of ``@main`` without their data.

    Raises:
        CompileError: the model cannot be read or imported, or has a free dimension.
    """
    with _graph(model, shapes) as graph:
        print(_text(graph))


def write_model(model: str, shapes: Shapes, path: Path) -> None:
    """Write the Graph IR of ``model`` to ``path``, and its weights to a .safetensors file beside it.

    Raises:
        CompileError: as for `print_model`, or a file cannot be written.
    """
    beside = weights_beside(path)
    check_output("-o", beside)
    with _graph(model, shapes) as graph:
        weights = {} if stand_ins(model) else dict(graph.weights)
        if weights:
            with replacing("-o", beside) as place:
                save_weights(place, weights)
        with replacing("-o", path) as place:
            place.write_text(_text(graph) + "\n", encoding="utf-8")
    size = sum(array.nbytes for array in weights.values()) / 1e6
    more = f" and {beside}, {len(weights)} weights, {size:.1f} MB" if weights else ""
    err.print(f"wrote {path}{more}", markup=False, soft_wrap=True)


@contextmanager
def _graph(model: str, shapes: Shapes) -> Iterator[Graph]:
    source = open_model(model, shapes, stand_ins(model))
    fixed = {info.name: info.fixed_shape for info in source.inputs if info.fixed_shape is not None}
    with compiling():
        yield source.graph(fixed, frozenset())


def _text(graph: Graph) -> str:
    return str(graph.module.operation.get_asm(enable_debug_info=True))
