"""Anchors of the matmul template: where fused ops may run, and what each place costs (paper, figure 3).

An anchor stands at the end (post-ops) or the beginning (pre-ops) of a loop level. From the instantiated
parameters follow the slice of the tensor seen there, its bytes (the working set), how often it is reached by
one core, and how many elements are accessed in all. The cost is the accesses times the price of the cache
level that the working set fits in, against not fusing: the whole tensor through memory.
"""

from dataclasses import dataclass

from tilewright.lowering.target.machine import Machine
from tilewright.lowering.templates.matmul_cost import REGION_CYCLES
from tilewright.lowering.templates.matmul_problem import MatmulParams, MatmulProblem, ceil_div

# Cycles to bring one 64-byte line from each level, by one core with its prefetchers on.
L1_LINE_CYCLES = 1.0
L2_LINE_CYCLES = 2.7
L3_LINE_CYCLES = 8.0
MEMORY_LINE_CYCLES = 20.0
LINE_BYTES = 64


@dataclass(frozen=True)
class Anchor:
    """A place for fused ops.

    Attributes:
        name: registers, tile, panel, strip or task for post-ops; chunk or task for pre-ops; unfused.
        slice_shape: extents of the slice.
        working_set_bytes: bytes of the slice; 0 in registers.
        calls: times the place is reached by one core.
        accesses: elements read and written there in all by one core.
        whole_rows: whether the slice has all N columns, so that rows may be reduced.
        cycles: estimated cost.
    """

    name: str
    slice_shape: tuple[int, ...]
    working_set_bytes: int
    calls: int
    accesses: int
    whole_rows: bool
    cycles: float


def post_op_anchors(problem: MatmulProblem, params: MatmulParams, machine: Machine) -> list[Anchor]:
    """Anchors for an op on C, from the innermost to the outermost, and not fusing."""
    rows = params.task_rows(problem)
    panels = params.task_panels(problem)
    columns = min(panels * params.nb, problem.n)
    whole = params.column_tasks == 1
    tasks = ceil_div(problem.batch * params.row_tasks * params.column_tasks, machine.cores)
    strip = min(params.strip_rows or rows, rows)
    places = [
        ("registers", (params.mb, params.nb), False),
        ("tile", (params.mb, params.nb), False),
        ("panel", (strip, params.nb), False),
        ("strip", (strip, columns), whole),
        ("task", (rows, columns), whole),
    ]
    total = tasks * rows * columns
    anchors = [_anchor(name, shape, total, wide, problem, machine) for name, shape, wide in places]
    return [*anchors, _unfused((problem.batch, problem.m, problem.n), total, problem)]


def pre_op_anchors(problem: MatmulProblem, params: MatmulParams, machine: Machine) -> list[Anchor]:
    """Anchors for packing B: a chunk of a group of panels, all panels of the task, and not fusing."""
    strips = ceil_div(params.task_rows(problem), max(params.strip_rows, 1))
    panels = params.task_panels(problem)
    tasks = ceil_div(problem.batch * params.row_tasks * params.column_tasks, machine.cores)
    once = tasks * problem.k * panels * params.nb
    chunk = (params.panel_group, params.kb, params.nb)
    return [
        _anchor("chunk", chunk, once * strips, False, problem, machine),
        _anchor("task", (panels, problem.k, params.nb), once, False, problem, machine),
        _unfused((problem.batch, problem.k, problem.n), once, problem),
    ]


def cheapest(anchors: list[Anchor], whole_rows: bool = False) -> Anchor:
    """The cheapest anchor; the inner one where costs are equal.

    Args:
        anchors: candidates.
        whole_rows: the op reduces rows, so that only slices of whole rows serve.
    """
    return min((a for a in anchors if a.whole_rows or not whole_rows), key=lambda anchor: anchor.cycles)


def _anchor(
    name: str,
    shape: tuple[int, ...],
    elements: int,
    whole_rows: bool,
    problem: MatmulProblem,
    machine: Machine,
) -> Anchor:
    slice_elements = 1
    for extent in shape:
        slice_elements *= extent
    if name == "registers":
        return Anchor(name, shape, 0, _calls(elements, slice_elements), 0, whole_rows, 0.0)
    working_set = slice_elements * problem.element_bytes
    accesses = 2 * elements
    lines = accesses * problem.element_bytes / LINE_BYTES
    cycles = lines * line_cycles(working_set, machine)
    return Anchor(name, shape, working_set, _calls(elements, slice_elements), accesses, whole_rows, cycles)


def _unfused(shape: tuple[int, ...], elements: int, problem: MatmulProblem) -> Anchor:
    """Not fusing: the whole tensor goes through memory that cores share, in a parallel region of its own."""
    size = shape[0] * shape[1] * shape[2] * problem.element_bytes
    lines = 2 * elements * problem.element_bytes / LINE_BYTES
    cycles = REGION_CYCLES + lines * L3_LINE_CYCLES
    return Anchor("unfused", shape, size, 1, 2 * elements, True, cycles)


def _calls(elements: int, slice_elements: int) -> int:
    return ceil_div(elements, max(slice_elements, 1))


def line_cycles(working_set_bytes: int, machine: Machine) -> float:
    """Cycles to bring a line of a working set from the smallest cache that holds it."""
    levels = (
        (machine.l1_bytes, L1_LINE_CYCLES),
        (machine.l2_bytes, L2_LINE_CYCLES),
        (machine.l3_bytes, L3_LINE_CYCLES),
    )
    return next((cycles for size, cycles in levels if working_set_bytes <= size), MEMORY_LINE_CYCLES)
