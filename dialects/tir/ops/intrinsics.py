"""Microkernel intrinsics."""

from collections.abc import Sequence
from typing import Any

from tilewright.dialects.attributes import to_attribute
from tilewright.dialects.mlir import ext, ir
from tilewright.dialects.tir.dialect import TirOperation, is_static_memref
from tilewright.dialects.tir.ops.parallel import block_end


class Brgemm(TirOperation, name="brgemm"):
    """Batch-reduce GEMM on one tile: ``C = epilogue(C + sum over b of A[b] @ B[b])`` (paper, section III).

    Operands are strided memrefs with static extents:

    - ``a``: [BS, MB, KB], or [MB, KB] for a batch of one; any strides;
    - ``b``: [BS, KB, NB] or [KB, NB], the innermost stride 1;
    - ``c``: [MB, NC] with NC <= NB, the innermost stride 1; columns from NC on are not stored.

    ``accumulate`` adds what ``c`` holds to the finished sum, which starts from zero: sums of sums keep more
    digits than one long sum. The epilogue region is run on the accumulators while they are in registers:
    its block takes the row and column (index, relative to the tile) and the accumulator (a vector of the
    machine's width), and yields the vector to store, of c's element type.
    """

    a: ext.Operand[Any]
    b: ext.Operand[Any]
    c: ext.Operand[Any]
    accumulate: ir.IntegerAttr
    epilogue: ext.Region

    attribute_kinds = {"accumulate": ir.BoolAttr}

    @classmethod
    def build(
        cls,
        operands: Sequence[ir.Value],
        vector: ir.VectorType,
        accumulate: bool = False,
        loc: ir.Location | None = None,
    ) -> "Brgemm":
        """An op on (a, b, c) with an empty epilogue block; the caller fills it and ends it with `Yield`.

        Args:
            operands: a, b and c.
            vector: the type of one accumulator.
            accumulate: add what c holds to the sum.
            loc: location; the current one by default.
        """
        op = ir.Operation.create(
            cls.OPERATION_NAME,
            operands=list(operands),
            attributes={"accumulate": to_attribute(accumulate)},
            regions=1,
            loc=loc,
        )
        index = ir.IndexType.get()
        op.regions[0].blocks.append(index, index, vector)
        view: Brgemm = op.opview
        return view

    def complaint(self) -> str | None:
        """Ranks, extents and the epilogue's signature agree."""
        types = [value.type for value in self.operands]
        if not all(is_static_memref(type_) for type_ in types):
            return f"expected static memrefs, given {', '.join(map(str, types))}"
        a, b, c = (tuple(type_.shape) for type_ in types)
        if len(a) not in (2, 3) or len(b) != len(a) or len(c) != 2:
            return f"expected ranks 3, 3, 2 or 2, 2, 2 for a, b, c, given {len(a)}, {len(b)}, {len(c)}"
        if a[:-2] != b[:-2] or a[-1] != b[-2]:
            return f"batch and depth of a {list(a)} and b {list(b)} differ"
        if a[-2] != c[0] or c[1] > b[-1]:
            return f"tile of c {list(c)} does not fit rows of a {list(a)} and columns of b {list(b)}"
        return self._epilogue_complaint()

    def _epilogue_complaint(self) -> str | None:
        blocks = self.operation.regions[0].blocks
        if len(blocks) != 1:
            return f"expected one block in the epilogue, given {len(blocks)}"
        given = [argument.type for argument in blocks[0].arguments]
        spelled = [str(type_) for type_ in given[:2]]
        if spelled != ["index", "index"] or len(given) != 3 or not isinstance(given[2], ir.VectorType):
            return f"expected epilogue arguments (index, index, vector), given {list(map(str, given))}"
        yielded = [value.type for value in block_end(blocks[0])]
        stored = ir.VectorType.get(given[2].shape, self.c.type.element_type)
        if yielded != [stored]:
            return f"expected the epilogue to yield {stored}, given {list(map(str, yielded))}"
        return None


class Prefetch(TirOperation, name="prefetch"):
    """The elements of a strided memref with static extents will be used soon; computes nothing.

    Before a `Brgemm` its cache lines are asked for one by one while that multiplies, otherwise at once.
    ``write`` says that they will be written, so that other cores had better give them up.
    """

    source: ext.Operand[Any]
    write: ir.IntegerAttr

    attribute_kinds = {"write": ir.BoolAttr}

    @classmethod
    def build(cls, source: ir.Value, write: bool = False, loc: ir.Location | None = None) -> None:
        """Announce that ``source`` will be read, or written.

        Args:
            source: a memref; its innermost stride is 1.
            write: whether it will be written.
            loc: location; the current one by default.
        """
        attributes = {"write": to_attribute(write)}
        ir.Operation.create(cls.OPERATION_NAME, operands=[source], attributes=attributes, loc=loc)

    def complaint(self) -> str | None:
        """A memref of static shape whose rows are contiguous."""
        type_ = self.source.type
        if not is_static_memref(type_) or not type_.rank:
            return f"expected a memref with static shape and a dimension, given {type_}"
        if type_.get_strides_and_offset()[0][-1] != 1:
            return f"expected an innermost stride of 1, given {type_}"
        return None
