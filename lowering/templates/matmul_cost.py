"""The cost model of the matmul template, in cycles of one core.

The kernel's cycles are the largest of four bounds for each step of k: multiply-adds (two a cycle), loads (two
a cycle), the latency of one multiply-add (4 cycles: few accumulators cannot hide it), and bytes of B and A
from L2 where they do not stay in L1. Around it: the start and end of a call, packing, the parallel region.
"""

from tilewright.lowering.target.machine import Machine
from tilewright.lowering.templates.matmul_problem import MatmulParams, MatmulProblem, ceil_div

FMA_PER_CYCLE = 2
LOADS_PER_CYCLE = 2
FMA_LATENCY = 4
L2_BYTES_PER_CYCLE = 24
L3_BYTES_PER_CYCLE = 8
CALL_CYCLES = 30
REGION_CYCLES = 2000
REGION_CYCLES_PER_CORE = 60


def kernel_cycles(rows: int, params: MatmulParams, machine: Machine, element_bytes: int) -> float:
    """Cycles for one step of k of a tile of ``rows`` rows."""
    vectors = ceil_div(params.nb, machine.lanes(4))
    bounds = (
        rows * vectors / FMA_PER_CYCLE,
        (rows + vectors) / LOADS_PER_CYCLE,
        float(FMA_LATENCY),
        _panel_bytes(params, element_bytes, machine) / L2_BYTES_PER_CYCLE,
    )
    return max(bounds)


def _panel_bytes(params: MatmulParams, element_bytes: int, machine: Machine) -> float:
    """Bytes of B that one step of k brings from L2: none where the panel chunk stays in L1."""
    chunk = params.kb * params.nb * element_bytes
    return 0.0 if chunk <= machine.l1_bytes // 2 else params.nb * element_bytes


def strip_cycles(problem: MatmulProblem, params: MatmulParams, machine: Machine, rows: int) -> float:
    """Cycles of one panel over ``rows`` rows and the whole depth."""
    whole, tail = divmod(rows, params.mb)
    chunks = max(1, ceil_div(problem.k, max(params.kb, 1)))
    per_k = whole * kernel_cycles(params.mb, params, machine, problem.element_bytes)
    per_k += kernel_cycles(tail, params, machine, problem.element_bytes) if tail else 0.0
    tiles = whole + bool(tail)
    stores = rows * params.nb / machine.lanes(4) * chunks
    return per_k * problem.k + tiles * chunks * CALL_CYCLES + stores


def core_cycles(problem: MatmulProblem, params: MatmulParams, machine: Machine) -> float:
    """Cycles of the busiest core."""
    rows = ceil_div(max(problem.m, 1), params.row_tasks)
    panels = ceil_div(ceil_div(max(problem.n, 1), params.nb), params.column_tasks)
    strips = ceil_div(rows, max(params.strip_rows, 1))
    weights = panels * problem.k * params.nb * problem.element_bytes
    task = panels * strip_cycles(problem, params, machine, rows)
    task += weights * strips / L3_BYTES_PER_CYCLE + _packing_cycles(params, weights, strips)
    read_and_written = rows * (problem.k + min(panels * params.nb, problem.n))
    task += read_and_written * problem.element_bytes / L3_BYTES_PER_CYCLE
    tasks = problem.batch * params.row_tasks * params.column_tasks
    return ceil_div(tasks, machine.cores) * task


def _packing_cycles(params: MatmulParams, weights: int, strips: int) -> float:
    times = {"none": 0, "task": 1, "chunk": strips}[params.pack_b]
    return times * weights / L3_BYTES_PER_CYCLE


def region_cycles(params: MatmulParams, machine: Machine) -> float:
    """Cycles to start and join a parallel region; nothing where one task does all."""
    tasks = params.row_tasks * params.column_tasks
    return 0.0 if tasks == 1 else REGION_CYCLES + REGION_CYCLES_PER_CORE * min(tasks, machine.cores)
