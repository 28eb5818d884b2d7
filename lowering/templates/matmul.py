"""The matmul template: the loop nest of the paper's figure 2 with the anchors of its figure 3.

``C[batch, M, N] = A[batch, M, K] @ B[batch, K, N]``. A grid of tasks, [batch..., MPN, NPN]; inside a task,
strips of rows; for each strip groups of B's panels; for each group the chunks of the depth; for each chunk
the panels of the group, and for each panel the tiles of the strip, one ``tir.brgemm`` each. The caller fuses
its ops through `Anchors`; the template knows nothing of what they compute.
"""

from dataclasses import dataclass, replace

from tilewright.dialects.mlir import arith, ir
from tilewright.dialects.tir import Brgemm, Buffer, Parallel, Yield
from tilewright.lowering.templates.indexing import (
    Index,
    batch_index,
    least,
    loop,
    minus,
    plus,
    tile_of,
    times,
    when,
)
from tilewright.lowering.templates.matmul_parts import FOLLOWS, Anchors, MatmulOperands, Place
from tilewright.lowering.templates.matmul_problem import (
    MatmulParams,
    MatmulProblem,
    ceil_div,
    tile_heights,
)
from tilewright.lowering.templates.packing import copy_rows


def emit(problem: MatmulProblem, params: MatmulParams, operands: MatmulOperands, anchors: Anchors) -> None:
    """Emit the grid and its loop nest at the insertion point."""
    grid = [*operands.batch, params.row_tasks, params.column_tasks]
    parallel = Parallel.build(grid)
    with ir.InsertionPoint(parallel.body.blocks[0]):
        # a grid dimension of one task is index 0, so that what follows from it folds
        ivs = [
            0 if extent == 1 else argument
            for extent, argument in zip(grid, parallel.body.blocks[0].arguments, strict=True)
        ]
        if params.pack_b == "task":
            operands = replace(operands, b=operands.b.with_scratch())
        nest = _Nest(problem, params, operands, anchors, tuple(ivs[:-2]))
        nest.task(ivs[-2], ivs[-1])
        Yield([])


@dataclass(frozen=True)
class _Chunk:
    """A piece of the depth: where it starts, how deep, whether it is the first and the last."""

    start: Index
    depth: int
    first: bool
    last: bool


@dataclass(frozen=True)
class _Block:
    """A panel of B in a chunk of the depth.

    Attributes:
        panel: its number.
        columns: that it has of C.
        b: its rows.
        chunk: the piece of the depth.
        sums: where the sums of a strip are until the last chunk; None where C holds them.
    """

    panel: Index
    columns: int
    b: ir.Value
    chunk: _Chunk
    sums: ir.Value | None = None


@dataclass(frozen=True)
class _Nest:
    """The loops of one task."""

    problem: MatmulProblem
    params: MatmulParams
    operands: MatmulOperands
    anchors: Anchors
    batch: tuple[Index, ...]

    @property
    def _task_rows(self) -> int:
        return ceil_div(self.problem.m, self.params.row_tasks)

    def task(self, row_task: Index, column_task: Index) -> None:
        """Strips of the task's rows."""
        begin = times(row_task, self._task_rows)
        rows: Index = self._task_rows
        if self.problem.m % max(self._task_rows, 1):
            rows = least(rows, minus(self.problem.m, begin))
        if self.params.pack_b == "task":
            self.operands.b.pack_all(self.batch)
        step = max(self.params.strip_rows, 1)
        if self._task_rows <= step:
            self._strip(begin, rows, column_task)
            return
        even = isinstance(rows, int) and rows % step == 0

        def strip(offset: Index) -> None:
            height = step if even else least(step, minus(rows, offset))
            self._strip(plus(begin, offset), height, column_task)

        strips = loop(0, rows, step, strip)
        if strips is not None and self.params.follows:
            strips.attributes[FOLLOWS] = ir.UnitAttr.get()

    def _strip(self, row: Index, rows: Index, column_task: Index) -> None:
        """Panels of the strip, then the row anchor."""
        panels = ceil_div(self.problem.n, self.params.nb)
        whole = self.problem.n // self.params.nb
        share = ceil_div(panels, self.params.column_tasks)
        first = times(column_task, share)
        last = least(plus(first, share), panels)
        limit = least(last, whole)
        step = self.params.panel_group
        loop(first, limit, step, lambda at: self._group(row, rows, at, _count(at, step, limit)))
        if whole < panels:
            with when(arith.CmpIPredicate.sgt, last, whole) as reached:
                if reached:
                    self._group(row, rows, whole, 1, self.problem.n % self.params.nb)
        if self.anchors.after_strip is not None:
            self.anchors.after_strip(Place(self.batch, row, 0), rows)

    def _group(self, row: Index, rows: Index, first: Index, count: Index, columns: int = 0) -> None:
        """Chunks of the depth of ``count`` panels: the first starts from zero, the last runs the epilogue."""
        k, kb = self.problem.k, max(self.params.kb, 1)
        chunks = max(1, ceil_div(k, kb))
        last = _Chunk((chunks - 1) * kb, k - (chunks - 1) * kb, chunks == 1, True)
        width = columns or self.params.nb
        sums = self._partial_sums() if self.params.sums_apart(self.problem) else None

        def run(chunk: _Chunk) -> None:
            source = self.operands.b.chunk(self.batch, (first, count), chunk.start, chunk.depth, width)

            def panel(at: Index) -> None:
                own = None if sums is None else self._panel_of(sums, at)
                block = _Block(plus(first, at), width, source.tile(at), chunk, own)
                self._tiles(row, rows, block)

            loop(0, count, 1, panel)

        if chunks > 1:
            run(_Chunk(0, kb, True, False))
            loop(kb, last.start, kb, lambda start: run(_Chunk(start, kb, False, False)))
        run(last)

    def _partial_sums(self) -> ir.Value:
        """Scratch for the sums of a group until the last chunk of the depth."""
        shape = [self.params.panel_group, self.params.strip_rows, self.params.nb]
        return Buffer.build(ir.MemRefType.get(shape, self.operands.accumulator.element_type), "task")

    def _panel_of(self, sums: ir.Value, at: Index) -> ir.Value:
        """The part of ``sums`` for the group's panel ``at``."""
        return tile_of(sums, [at], [0, 0], [self.params.strip_rows, self.params.nb])

    def _tiles(self, row: Index, rows: Index, block: _Block) -> None:
        """Tiles of MB rows or a little fewer; the number of rows is one of a few known ones."""

        def tiles(first: int, height: int, count: int) -> None:
            def tile(offset: Index) -> None:
                self._tile((row, offset), height, block)

            loop(first, first + height * count, height, tile)

        for known in [rows] if isinstance(rows, int) else sorted(self._strip_heights()):
            with when(arith.CmpIPredicate.eq, rows, known):
                first = 0
                for height, count in tile_heights(known, self.params.mb).items():
                    tiles(first, height, count)
                    first += height * count

    def _strip_heights(self) -> set[int]:
        """Every number of rows that a strip of any task may have."""
        m, share, step = self.problem.m, self._task_rows, max(self.params.strip_rows, 1)
        tasks = {min(share, m - begin) for begin in range(0, m, max(share, 1))}
        return {min(step, rows - begin) for rows in tasks for begin in range(0, rows, step)}

    def _tile(self, at: tuple[Index, Index], rows: int, block: _Block) -> None:
        """One microkernel call for rows from ``at`` on: a strip's first row, and the offset in the strip."""
        row, column, chunk = plus(*at), times(block.panel, self.params.nb), block.chunk
        leading = batch_index(self.operands.a, self.batch)
        a = tile_of(self.operands.a, leading, [row, chunk.start], [rows, chunk.depth])
        place = Place(self.batch, row, column, block.columns == self.params.nb)
        if block.sums is None:
            self._multiply(a, block, self.anchors.destination(place, rows, block.columns), place)
            return
        sums = tile_of(block.sums, [], [at[1], 0], [rows, block.columns])
        self._multiply(a, block, sums, place)
        if chunk.last:
            copy_rows(sums, self.anchors.destination(place, rows, block.columns), self.operands.b.lanes)

    def _multiply(self, a: ir.Value, block: _Block, c: ir.Value, place: Place) -> None:
        """``c`` (+)= ``a`` @ ``block.b``, and the epilogue behind the last chunk."""
        chunk, row, column = block.chunk, place.row, place.column
        op = Brgemm.build((a, block.b, c), self.operands.accumulator, accumulate=not chunk.first)
        body = op.epilogue.blocks[0]
        with ir.InsertionPoint(body):
            result = body.arguments[2]
            if chunk.last:
                at = Place(
                    self.batch,
                    plus(row, body.arguments[0]),
                    plus(column, body.arguments[1]),
                    place.whole_columns,
                )
                result = self.anchors.epilogue(at, result)
            Yield([result])


def _count(first: Index, step: int, limit: Index) -> Index:
    """How many of ``step`` panels from ``first`` on lie before ``limit``."""
    return 1 if step == 1 else least(step, minus(limit, first))
