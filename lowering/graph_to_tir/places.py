"""The places where a graph op may run, and which ops of a module run at which.

The table `PLACES` says what the templates do with the ops of a region, in the words of `templates.anchors`
where these are anchors. Whether an op is at a place is asked of the functions that the templates themselves
ask. One op may be at several: on a strip, before a reduction, and read twice.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

from tilewright.dialects.graph import Form, Fused, form_of, spec_of
from tilewright.dialects.mlir import func, ir
from tilewright.lowering.graph_to_tir.constant import is_constant
from tilewright.lowering.graph_to_tir.fused import walked_rows
from tilewright.lowering.graph_to_tir.reduce import is_reduction
from tilewright.lowering.graph_to_tir.shared_grid import read_grid
from tilewright.lowering.graph_to_tir.views import is_view
from tilewright.lowering.templates.matmul_problem import ceil_div
from tilewright.lowering.templates.matmul_region import matmul_of, problem_of, read_params, register_ops
from tilewright.passes.core.tables import enter_once


@dataclass(frozen=True)
class Site:
    """An op, and the region that it is in; none where it stands in an entry.

    Attributes:
        op: a graph op.
        region: around it.
        function: the name of the entry.
    """

    op: ir.Operation
    region: "RegionSites | None"
    function: str

    @property
    def template(self) -> str:
        """The template of the region; empty where there is none."""
        return self.region.template if self.region else ""

    @property
    def users(self) -> list[ir.Operation]:
        """Who reads the results, each as often as it does; the end of the region too."""
        return [use.owner.operation for value in self.op.results for use in value.uses]

    @property
    def makers(self) -> list[ir.Operation]:
        """The ops that make the operands."""
        return [value.owner for value in self.op.operands if not isinstance(value.owner, ir.Block)]


class RegionSites:
    """What the template of one region does with its ops."""

    def __init__(self, fused: ir.OpView) -> None:
        """Take the region of a ``graph.fused``."""
        self.fused = fused
        self.template = str(fused.operation.attributes["template"].value)

    @cached_property
    def registers(self) -> set[ir.Operation]:
        """The ops on accumulators."""
        return {op.operation for op in register_ops(self.fused)}

    @cached_property
    def behind(self) -> set[ir.Operation]:
        """The ops behind the matmul, in registers or not."""
        values = set(matmul_of(self.fused).results)
        found = set()
        for op in self.fused.operation.regions[0].blocks[0].operations:
            if op.results and any(operand in values for operand in op.operands):
                values.update(op.results)
                found.add(op.operation)
        return found

    @cached_property
    def strips(self) -> int:
        """Strips of rows in the largest task of a matmul; 0 before its parameters are chosen."""
        params = read_params(self.fused)
        return ceil_div(params.task_rows(problem_of(self.fused)), max(params.strip_rows, 1)) if params else 0

    @cached_property
    def by_rows(self) -> bool:
        """Whether a region of loops walks strips of rows."""
        return bool(walked_rows(self.fused))

    @cached_property
    def shares_grid(self) -> bool:
        """Whether a region of loops has the task grid of a neighbour."""
        return read_grid(self.fused) is not None


Holds = Callable[[Site], bool]


@dataclass(frozen=True)
class Place:
    """A place where graph ops run.

    Attributes:
        name: as in the table.
        summary: what happens there.
        holds: whether an op is there.
        inside: the innermost op of Tensor IR around what is emitted for an op there; empty where there may be
            different ones, or none.
    """

    name: str
    summary: str
    holds: Holds
    inside: str = ""


PLACES: dict[str, Place] = {}


def place(name: str, inside: str = "") -> Callable[[Holds], Holds]:
    """Function decorator: enter the place ``name``, described by the function's docstring.

    Raises:
        ValueError: the name is taken.
    """

    def enter(holds: Holds) -> Holds:
        enter_once(PLACES, "place", name, Place(name, (holds.__doc__ or "").strip(), holds, inside))
        return holds

    return enter


@place("microkernel")
def _microkernel(site: Site) -> bool:
    """The matmul of a region itself."""
    return site.template == "matmul" and form_of(site.op) is Form.PRODUCT


@place("registers", inside="tir.brgemm")
def _registers(site: Site) -> bool:
    """On the microkernel's accumulators (anchor 0)."""
    return site.template == "matmul" and site.op in _region(site).registers


@place("tile")
def _tile(site: Site) -> bool:
    """Where the microkernel's tile is stored: a view behind the matmul tells where that is."""
    return site.template == "matmul" and site.op in _region(site).behind and is_view(site.op)


@place("strip", inside="tir.parallel")
def _strip(site: Site) -> bool:
    """Behind a matmul, on a strip of finished rows, of which a task has several."""
    return _is_on_rows(site) and _region(site).strips > 1


@place("task", inside="tir.parallel")
def _task(site: Site) -> bool:
    """Behind a matmul, on all rows of a task at once."""
    return _is_on_rows(site) and _region(site).strips == 1


@place("pre-op")
def _pre_op(site: Site) -> bool:
    """In front of a matmul, which reads or packs its operands through it."""
    if site.template != "matmul" or is_constant(site.op) or form_of(site.op) is Form.PRODUCT:
        return False
    return site.op not in _region(site).behind


@place("loop nest")
def _loop_nest(site: Site) -> bool:
    """In loops over whole tensors, without a matmul."""
    return _is_in_loops(site) and not _region(site).by_rows


@place("rows")
def _rows(site: Site) -> bool:
    """In loops over strips of rows, without a matmul."""
    return _is_in_loops(site) and _region(site).by_rows


@place("shared grid", inside="tir.parallel")
def _shared_grid(site: Site) -> bool:
    """In loops that have the task grid of a neighbouring matmul."""
    return _is_in_loops(site) and _region(site).shares_grid


@place("init")
def _init(site: Site) -> bool:
    """On weights, before the first call."""
    return site.function == "init" and not is_constant(site.op)


@place("entry")
def _entry(site: Site) -> bool:
    """Between calls: a view of memory, or a constant's memory."""
    return site.region is None


@place("inside")
def _inside(site: Site) -> bool:
    """A constant in a region: an immediate, or memory that the region reads."""
    return site.region is not None and is_constant(site.op)


@place("before a reduction")
def _before_a_reduction(site: Site) -> bool:
    """A reduction of the same region reads the result."""
    return site.region is not None and not is_constant(site.op) and any(map(is_reduction, site.users))


@place("behind a reduction")
def _behind_a_reduction(site: Site) -> bool:
    """An operand is the result of a reduction of the same region."""
    return site.region is not None and any(map(is_reduction, site.makers))


@place("read twice")
def _read_twice(site: Site) -> bool:
    """The region reads the result more than once."""
    return site.region is not None and not is_constant(site.op) and sum(map(_computes, site.users)) > 1


@place("stored")
def _stored(site: Site) -> bool:
    """The result leaves the region, and the region reads it too."""
    kinds = {_computes(user) for user in site.users}
    return site.region is not None and kinds == {True, False}


def _computes(user: ir.Operation) -> bool:
    return bool(user.name != "graph.yield")


def _region(site: Site) -> RegionSites:
    assert site.region is not None
    return site.region


def _is_on_rows(site: Site) -> bool:
    if site.template != "matmul" or is_view(site.op):
        return False
    return site.op in _region(site).behind and site.op not in _region(site).registers


def _is_in_loops(site: Site) -> bool:
    return site.template == "loops" and not is_constant(site.op)


def sites(module: ir.Operation) -> Iterator[Site]:
    """Every graph op of a module of Graph IR that was fused, where its template will have it.

    Args:
        module: a module at the end of the graph phase: fused, parameters chosen.
    """
    for function in module.regions[0].blocks[0].operations:
        if not isinstance(function, func.FuncOp) or function.is_external:
            continue
        name = str(function.sym_name.value)
        for op in function.entry_block.operations:
            if op.operation.name == Fused.OPERATION_NAME:
                region = RegionSites(op)
                inside = op.operation.regions[0].blocks[0].operations
                yield from (Site(one.operation, region, name) for one in inside if one.results)
            elif form_of(op) is not None:
                yield Site(op.operation, None, name)


def places_of(module: ir.Operation) -> Iterator[tuple[str, str, str]]:
    """What runs where: (name of the op, element type of its first operand or result, name of the place).

    Args:
        module: as for `sites`.
    """
    for site in sites(module):
        value = next(iter((*site.op.operands, *site.op.results)))
        for entry in PLACES.values():
            if entry.holds(site):
                yield site.op.name, spec_of(value).dtype, entry.name
