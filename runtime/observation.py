"""What the runtime learns from the IR while the pipeline runs.

Two things are gone once the module is in the LLVM dialect: which weights lead to each result of ``@init``,
and what each argument of an entry is. A recorder watches the passes and notes both in time.
"""

from collections.abc import Callable, Mapping, Sequence

from tilewright.dialects.mlir import func, ir
from tilewright.lowering.mlir_to_llvm import ENTRIES
from tilewright.runtime.fingerprint import result_fingerprints
from tilewright.runtime.signature import Arguments, arguments_of, find_function
from tilewright.runtime.steps import Step, steps_of

CONVERSION = "convert-graph-to-tir"
LAST_TENSOR_PASS = "lower-parallel"
GUARD = "guard-init-calls"
NEEDED = (CONVERSION, LAST_TENSOR_PASS, "make-entries")
"""Passes without which nothing can be called: the ones that arguments are read after, and the last one."""


class Recorder:
    """An observer of a pipeline.

    Args:
        identity: what identifies the data of a weight, by name.
        names: the passes of the pipeline in order.
        report: called with the name of the part of the pipeline that comes next.

    Attributes:
        observed: the passes after which to call `observe`.
        fingerprints: identity of each result of ``@init``.
        arguments: of ``main`` and ``init``, by name.
        steps: the groups in which ``@init`` runs.
        functions: how many functions the fused operations became.
    """

    def __init__(
        self, identity: Callable[[str], str], names: Sequence[str], report: Callable[[str], None]
    ) -> None:
        self.fingerprints: tuple[str, ...] = ()
        self.arguments: dict[str, Arguments] = {}
        self.steps: tuple[Step, ...] = ()
        self.functions = 0
        self._identity = identity
        self._report = report
        self._guarded = GUARD in names
        position = names.index(CONVERSION) if CONVERSION in names else 0
        self._last_graph_pass = names[position - 1] if position else ""
        self.observed = frozenset({self._last_graph_pass, CONVERSION, LAST_TENSOR_PASS})

    def observe(self, name: str, module: ir.Operation) -> None:
        """Note what pass ``name`` has left in ``module``, which is verified.

        Raises:
            ir.MLIRError: it is invalid.
        """
        module.verify()
        if name == self._last_graph_pass:
            self._note_init(find_function(module, "init"))
            self._report("templates")
        elif name == CONVERSION:
            self._note_functions(module)
            self._report("tensor passes")
        elif name == LAST_TENSOR_PASS:
            found = {entry: find_function(module, entry) for entry in ENTRIES}
            self.arguments = {entry: arguments_of(op) for entry, op in found.items() if op is not None}
            init = found["init"]
            self.steps = steps_of(init) if init is not None and self._guarded else ()
            self._report("lowering")

    def _note_functions(self, module: ir.Operation) -> None:
        functions = [op for op in module.regions[0].blocks[0].operations if isinstance(op, func.FuncOp)]
        self.functions = sum(op.name.value not in ENTRIES for op in functions)

    def _note_init(self, init: func.FuncOp | None) -> None:
        if init is not None and all(isinstance(type_, ir.RankedTensorType) for type_ in init.type.inputs):
            self.fingerprints = result_fingerprints(init, self._identities(init))

    def _identities(self, init: func.FuncOp) -> Mapping[str, str]:
        names = [ir.StringAttr(entry["graph.name"]).value for entry in init.attributes.get("arg_attrs", [])]
        return {name: self._identity(name) for name in names}
