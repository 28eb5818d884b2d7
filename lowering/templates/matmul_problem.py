"""Plain values that describe a matmul and the parameters of its template."""

from dataclasses import dataclass


def ceil_div(a: int, b: int) -> int:
    """``a / b`` rounded up."""
    return -(-a // b)


def tile_heights(rows: int, most: int) -> dict[int, int]:
    """How many tiles of which height cut ``rows``, the higher ones first.

    As few as ``most`` rows each allow, and as even as that number allows: a low tile reads as much of B as a
    high one.
    """
    if rows == 0:
        return {}
    tiles = ceil_div(rows, most)
    low, higher = divmod(rows, tiles)
    counts = {low + 1: higher, low: tiles - higher}
    return {height: count for height, count in counts.items() if count}


@dataclass(frozen=True)
class MatmulProblem:
    """``C[batch, M, N] = A[batch, M, K] @ B[batch or 1, K, N]`` and what its fusion asks for.

    Attributes:
        batch: product of the batch extents.
        m: rows M.
        n: columns N.
        k: depth K.
        element_bytes: bytes of an element of A and B.
        packed_columns: NB of a prepacked B; 0 where B is plain.
        transposed_b: plain B does not lie in rows of N, but transposed or strided: it must be packed.
        dense_b: rows of plain B follow each other in memory, batch by batch.
        row_wise: a post-op reduces over rows of C, so that N must stay whole.
        single_pass: the depth must not be cut, as C cannot hold partial sums.
    """

    batch: int
    m: int
    n: int
    k: int
    element_bytes: int = 4
    packed_columns: int = 0
    transposed_b: bool = False
    dense_b: bool = False
    row_wise: bool = False
    single_pass: bool = False


@dataclass(frozen=True)
class MatmulParams:
    """Parameters of the loop nest; names as in the paper's figure 2 where it has them.

    Attributes:
        row_tasks: MPN, parts the rows are cut into for the cores.
        column_tasks: NPN, parts the panels are cut into.
        mb: MB, rows of a microkernel tile, at most: the tiles of a strip are as even as their number allows.
        nb: NB, columns of a tile and of a packed panel.
        kb: KB, depth of one microkernel call.
        bs: BS, batch of the batch-reduce GEMM.
        strip_rows: rows that are finished before the next are begun; the row anchor.
        panel_group: panels that share a chunk of the depth: 1 keeps a panel of B in the cache over the whole
            depth; more read plain rows of B that are long enough to stream.
        pack_b: where a plain B is packed into panels: none, chunk (each chunk of a group) or task.
        follows: each strip is to run right behind the strip of the matmul before that computes its rows of A.
    """

    row_tasks: int
    column_tasks: int
    mb: int
    nb: int
    kb: int = 0
    bs: int = 1
    strip_rows: int = 0
    panel_group: int = 1
    pack_b: str = "none"
    follows: bool = False

    def sums_apart(self, problem: MatmulProblem) -> bool:
        """Whether sums of a part of the depth wait in the task's scratch, not in C.

        So it is where every few rows of a plain B pass over all of a task's columns. In C itself, cores would
        write parts of the same cache lines over and over, and rows that lie a power of two apart would push B
        out of the cache.
        """
        plain = not problem.packed_columns and self.pack_b == "none"
        return plain and self.kb < problem.k and (self.panel_group > 1 or problem.m == 1)

    def task_rows(self, problem: MatmulProblem) -> int:
        """Rows of the largest task, at least 1."""
        return ceil_div(max(problem.m, 1), self.row_tasks)

    def task_panels(self, problem: MatmulProblem) -> int:
        """Panels of B of the largest task, at least 1."""
        return ceil_div(ceil_div(max(problem.n, 1), self.nb), self.column_tasks)


@dataclass(frozen=True)
class Candidate:
    """Parameters and their estimated cost in cycles."""

    params: MatmulParams
    cycles: float
