"""Parameters of the matmul template: a pure function of shape, types and machine (paper, section III).

Candidates for the single-core kernel, [MPN, NPN], balance the load over the cores; candidates for the
microkernel, [MB, NB, KB, BS], keep its registers and caches full; one cost model in cycles joins both and the
cheapest pair wins. No MLIR here: the same functions answer ``explain`` and the tests.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from tilewright.dialects.graph.layout import BlockedLayout
from tilewright.lowering.target.machine import Machine
from tilewright.lowering.templates.matmul_cost import core_cycles, region_cycles
from tilewright.lowering.templates.matmul_problem import Candidate, MatmulParams, MatmulProblem, ceil_div

PANEL_SHARE_OF_L2 = 4  # a panel chunk of B may take this fraction of L2
STRIP_SHARE_OF_L2 = 2  # the strip of A likewise
ROW_STRIP_TILES = 4  # least tiles of a strip with row-wise post-ops: fewer read B from L2 too often

ROWS_WORTH_PACKING = 192  # of A: with fewer, rows of a plain B are read in place as fast
PACKED_GROUP = 4  # panels packed at once: rows of 1 KB stream from memory
NARROW_ROW_BYTES = 512  # of a dense B: its panels share pages, and the prefetchers follow
SUMS_DEPTH = 512  # products of a plain B that are summed apart: the longer a sum, the more digits it loses
NARROW_SUMS_DEPTH = 128  # where rows of B are narrow, as those of attention's values
SCORES_DEPTH = 96  # where a softmax follows, which makes of errors in scores errors of all values
FEW_ROWS = 4  # of A: with fewer, reading B is all there is
LONG_ROW_PANELS = 8  # of a B for one row of A: more are read in rows from end to end
LONG_ROWS = 8  # read side by side: one for each element of A that the microkernel keeps in a register
SUMS_SHARE_OF_L1 = 2  # the sums of one long row may take this fraction


@dataclass(frozen=True)
class Choice:
    """The chosen parameters and the runners-up, cheapest first, with their costs in cycles."""

    best: Candidate
    runners_up: tuple[Candidate, ...]

    @property
    def params(self) -> MatmulParams:
        """The chosen parameters."""
        return self.best.params


def even_block(extent: int, block: int) -> int:
    """The block, at most ``block``, that cuts ``extent`` into equal parts: the tail is evened out."""
    return ceil_div(extent, ceil_div(extent, block)) if extent else 1


def accumulator_limit(machine: Machine) -> int:
    """Vector registers that may hold accumulators; the rest hold a row of B and the broadcast element."""
    return machine.vector_registers * 3 // 4


def panel_columns(n: int, machine: Machine) -> int:
    """NB: columns of a packed panel, whole vectors, at most 4 (2 where registers are few), tail evened.

    Depends on neither M nor the number of cores, so that all specialisations share one packed weight.
    """
    lanes = machine.lanes(4)
    widest = (4 if machine.vector_registers >= 32 else 2) * lanes
    return ceil_div(even_block(max(n, 1), widest), lanes) * lanes


def weight_layout(rank: int, n: int, machine: Machine) -> BlockedLayout:
    """Layout of a packed second operand, logically [..., K, N]: memory [..., N/NB][K][NB].

    Args:
        rank: rank of the operand, 2 or more.
        n: N.
        machine: decides the vector width.
    """
    order = (*range(rank - 2), rank - 1, rank - 2)
    return BlockedLayout(order, ((rank - 1, panel_columns(n, machine)),))


def choose(problem: MatmulProblem, machine: Machine) -> Choice:
    """The cheapest parameters for ``problem`` on ``machine`` and up to five runners-up."""
    costed = [
        Candidate(params, core_cycles(problem, params, machine) + region_cycles(params, machine))
        for params in candidates(problem, machine)
    ]
    ranked = sorted(costed, key=lambda candidate: candidate.cycles)
    return Choice(ranked[0], tuple(ranked[1:6]))


def candidates(
    problem: MatmulProblem, machine: Machine, splits: Iterable[tuple[int, int]] | None = None
) -> Iterator[MatmulParams]:
    """All parameter sets that are weighed; those with [MPN, NPN] of ``splits`` only, where given."""
    nb = problem.packed_columns or _plain_columns(problem, machine)
    for rows, columns in _splits(problem, nb, machine) if splits is None else splits:
        for mb in _row_blocks(ceil_div(max(problem.m, 1), rows), nb, machine):
            yield _with_cache_blocks(problem, MatmulParams(rows, columns, mb, nb), machine)


def _plain_columns(problem: MatmulProblem, machine: Machine) -> int:
    """NB for a plain B: as if packed; for one row of A all columns of a task whose sums stay in L1."""
    if not _is_long_row(problem, machine):
        return panel_columns(problem.n, machine)
    share = ceil_div(problem.n, ceil_div(machine.cores, max(problem.batch, 1)))
    longest = machine.l1_bytes // SUMS_SHARE_OF_L1 // problem.element_bytes
    lanes = machine.lanes(4)
    return ceil_div(even_block(share, longest), lanes) * lanes


def _is_long_row(problem: MatmulProblem, machine: Machine) -> bool:
    """Whether one row of A meets rows of B so long that the microkernel streams a few side by side."""
    plain = not (problem.packed_columns or problem.transposed_b or problem.single_pass)
    return problem.m == 1 and plain and has_long_rows(problem.n, machine)


def has_long_rows(n: int, machine: Machine) -> bool:
    """Whether rows of N elements are worth to be read from end to end, where there is one row of A."""
    return n > LONG_ROW_PANELS * panel_columns(n, machine)


def _splits(problem: MatmulProblem, nb: int, machine: Machine) -> Iterator[tuple[int, int]]:
    """[MPN, NPN]: row-wise post-ops need whole rows and forbid a split of N."""
    panels = ceil_div(max(problem.n, 1), nb)
    share = max(1, ceil_div(machine.cores, problem.batch)) if problem.batch > 1 else machine.cores
    for rows in range(1, min(share, max(problem.m, 1)) + 1):
        most = 1 if problem.row_wise else min(share // rows, panels)
        for columns in range(1, most + 1):
            # only splits whose parts are as even as their number allows
            if ceil_div(panels, ceil_div(panels, columns)) == columns:
                yield rows, columns


def _row_blocks(task_rows: int, nb: int, machine: Machine) -> list[int]:
    """MB: every height that fits the registers, tail evened over the rows of a task."""
    vectors = ceil_div(nb, machine.lanes(4))
    most = max(1, accumulator_limit(machine) // vectors)
    return sorted({even_block(task_rows, mb) for mb in range(1, most + 1)})


def _with_cache_blocks(problem: MatmulProblem, params: MatmulParams, machine: Machine) -> MatmulParams:
    """Add KB, the strip of rows, and how a plain B is read.

    The sums of chunks are added up, so KB decides the order of the additions: it depends on neither cores
    nor tasks.
    """
    if problem.packed_columns:
        chunk = machine.l2_bytes // PANEL_SHARE_OF_L2
        params = replace(params, kb=max(64, chunk // (params.nb * problem.element_bytes)))
    else:
        params = _reading_plain_b(problem, params, machine)
    kb = problem.k if problem.single_pass else even_block(problem.k, params.kb)
    rows = params.task_rows(problem)
    strip = rows if params.pack_b == "chunk" else _strip_rows(problem, params, machine, rows, kb)
    return replace(params, kb=kb, strip_rows=strip)


def _strip_rows(problem: MatmulProblem, params: MatmulParams, machine: Machine, rows: int, kb: int) -> int:
    """Rows of a strip, at least one tile, as even as their number allows.

    A's chunk fits a share of L2, and for row-wise post-ops C's rows fit L1 too.
    """
    size = problem.element_bytes
    fitting = machine.l2_bytes // STRIP_SHARE_OF_L2 // (max(kb, 1) * size)
    if problem.row_wise:
        in_l1 = machine.l1_bytes // (max(problem.n, 1) * size)
        fitting = min(fitting, max(in_l1, ROW_STRIP_TILES * params.mb))
    return even_block(rows, max(fitting, params.mb))


def _reading_plain_b(problem: MatmulProblem, params: MatmulParams, machine: Machine) -> MatmulParams:
    """Pack B where each element is used by several tiles or must be transposed; otherwise stream its rows.

    A dense B of one panel of whole vectors is a packed one already; one of a few panels that stays in
    the cache is read in place as fast, and its packed copy would take room there.
    """
    if _is_long_row(problem, machine):
        return replace(params, kb=LONG_ROWS)
    row = problem.n * problem.element_bytes
    small, narrow = problem.k * row <= machine.l2_bytes // 2, row <= NARROW_ROW_BYTES
    depth = SCORES_DEPTH if problem.row_wise else NARROW_SUMS_DEPTH if narrow else SUMS_DEPTH
    params = replace(params, kb=depth)
    dense = problem.dense_b and problem.n % machine.lanes(4) == 0
    if dense and (problem.n <= params.nb or (narrow and small)):
        return params
    panels = params.task_panels(problem)
    packs = problem.transposed_b or problem.m >= ROWS_WORTH_PACKING
    if packs and problem.row_wise:
        return replace(params, pack_b="task")
    if packs:
        return replace(params, pack_b="chunk", panel_group=1 if small else min(panels, PACKED_GROUP))
    if small or problem.single_pass:
        return params
    return replace(params, panel_group=panels, kb=_streamed_rows(problem, machine))


def _streamed_rows(problem: MatmulProblem, machine: Machine) -> int:
    """Rows of an unpacked B that are read side by side over all panels.

    Many save passes over the sums; few are fetched ahead from memory at the best speed. Measured.
    """
    if problem.k * problem.n * problem.element_bytes <= machine.l3_bytes:
        return 64
    return 8 if problem.m < FEW_ROWS else 16
