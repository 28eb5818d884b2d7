"""The cost model of the matmul template, in cycles of one core.

The kernel's cycles are the largest of four bounds for each step of k: multiply-adds (one or two a cycle),
loads (two a cycle), the latency of one multiply-add (4 cycles: few accumulators cannot hide it), and bytes
of B. Those come from L2, unless they stay in L1; the first tile of a strip brings them there from the shared
cache or from memory, fetched ahead in order. Around it: the start and end of a call, packing, the parallel
region.
"""

from functools import lru_cache

from tilewright.lowering.target.machine import Machine
from tilewright.lowering.templates.matmul_problem import (
    MatmulParams,
    MatmulProblem,
    ceil_div,
    tile_heights,
)

LOADS_PER_CYCLE = 2
FMA_LATENCY = 4
L2_BYTES_PER_CYCLE = 24
L3_BYTES_PER_CYCLE = 8
STREAM_BYTES_PER_CYCLE = 12  # of B in order from the shared cache
MEMORY_BYTES_PER_CYCLE = 3
STREAM_SHOWN = 0.1  # of the time that a stream takes, where multiplying hides it
B_SHARE_OF_L2 = 0.5
CALL_CYCLES = 30
REGION_CYCLES = 2000
REGION_CYCLES_PER_CORE = 60


def kernel_cycles(rows: int, params: MatmulParams, machine: Machine, arrival: float) -> float:
    """Cycles for one step of k of a tile of ``rows`` rows whose row of B takes ``arrival`` to come."""
    vectors = ceil_div(params.nb, machine.lanes(4))
    multiplying = rows * vectors / machine.fma_per_cycle
    return max(multiplying, (rows + vectors) / LOADS_PER_CYCLE, float(FMA_LATENCY), arrival)


def arrival_cycles(problem: MatmulProblem, params: MatmulParams, machine: Machine) -> tuple[float, float]:
    """Cycles until a row of a panel of B is there: in the first tile of a strip, and in the others."""
    row = params.nb * problem.element_bytes
    near = 0.0 if params.kb * row <= machine.l1_bytes // 2 else row / L2_BYTES_PER_CYCLE
    if params.pack_b != "none":
        return near, near
    return row / stream_rate(problem, machine), near


def stream_rate(problem: MatmulProblem, machine: Machine) -> int:
    """Bytes of B that come in a cycle, in order, from where all of it fits."""
    size = problem.k * problem.n * problem.element_bytes
    return STREAM_BYTES_PER_CYCLE if size <= machine.l3_bytes else MEMORY_BYTES_PER_CYCLE


def strip_cycles(
    problem: MatmulProblem, params: MatmulParams, machine: Machine, rows: int, resident: bool = False
) -> float:
    """Cycles of one panel over the ``rows`` rows of a strip and the whole depth.

    Args:
        problem: the matmul.
        params: its parameters.
        machine: the target.
        rows: of the strip.
        resident: whether an earlier strip has left B in the core's cache.
    """
    chunks = max(1, ceil_div(problem.k, max(params.kb, 1)))
    heights = tile_heights(rows, params.mb)
    first, others = arrival_cycles(problem, params, machine)
    per_k = sum(count * kernel_cycles(height, params, machine, others) for height, count in heights.items())
    if heights and not resident:
        highest = next(iter(heights))
        per_k += kernel_cycles(highest, params, machine, first) + STREAM_SHOWN * first
        per_k -= kernel_cycles(highest, params, machine, others)
    tiles = sum(heights.values())
    stores = rows * params.nb / machine.lanes(4) * chunks
    return per_k * problem.k + tiles * chunks * CALL_CYCLES + stores


@lru_cache(maxsize=16384)
def cycles_by_strips(problem: MatmulProblem, params: MatmulParams, machine: Machine, rows: int) -> float:
    """Cycles of one panel over ``rows`` rows, each strip with tiles of its own."""
    step = max(params.strip_rows, 1)
    first = min(step, rows)
    whole, tail = divmod(rows - first, step)
    stays = _stays(problem, params, machine)
    cycles = strip_cycles(problem, params, machine, first)
    cycles += whole * strip_cycles(problem, params, machine, step, stays) if whole else 0.0
    return cycles + (strip_cycles(problem, params, machine, tail, stays) if tail else 0.0)


def _stays(problem: MatmulProblem, params: MatmulParams, machine: Machine) -> bool:
    """Whether all of B that a task reads stays in the core's cache from strip to strip."""
    panels = params.task_panels(problem)
    return panels * params.nb * problem.k * problem.element_bytes <= machine.l2_bytes * B_SHARE_OF_L2


def core_cycles(problem: MatmulProblem, params: MatmulParams, machine: Machine) -> float:
    """Cycles of the busiest core."""
    rows = params.task_rows(problem)
    panels = params.task_panels(problem)
    task = panels * cycles_by_strips(problem, params, machine, rows)
    task += packing_cycles(problem, params, machine)
    read_and_written = rows * (problem.k + min(panels * params.nb, problem.n))
    task += read_and_written * problem.element_bytes / L3_BYTES_PER_CYCLE
    tasks = problem.batch * params.row_tasks * params.column_tasks
    return ceil_div(tasks, machine.cores) * task


def packing_cycles(problem: MatmulProblem, params: MatmulParams, machine: Machine) -> float:
    """Cycles of a task that packs a plain B at run time: once, or for each strip."""
    rows = params.task_rows(problem)
    panels = params.task_panels(problem)
    weights = panels * problem.k * params.nb * problem.element_bytes
    times = {"none": 0, "task": 1, "chunk": ceil_div(rows, max(params.strip_rows, 1))}[params.pack_b]
    return times * weights * (1 / stream_rate(problem, machine) + 1 / L2_BYTES_PER_CYCLE)


def region_cycles(params: MatmulParams, machine: Machine) -> float:
    """Cycles to start and join a parallel region; nothing where one task does all."""
    tasks = params.row_tasks * params.column_tasks
    return 0.0 if tasks == 1 else REGION_CYCLES + REGION_CYCLES_PER_CORE * min(tasks, machine.cores)
