"""The Tensor IR dialect: parallel grids, temporaries, microkernel intrinsics."""

from tilewright.dialects.tir.dialect import TirDialect, TirOperation
from tilewright.dialects.tir.ops.buffers import Buffer
from tilewright.dialects.tir.ops.checks import CHECKS, CheckIndex
from tilewright.dialects.tir.ops.intrinsics import Brgemm, Prefetch
from tilewright.dialects.tir.ops.parallel import Parallel, ThreadId, Yield

__all__ = [
    "CHECKS",
    "Brgemm",
    "Buffer",
    "CheckIndex",
    "Parallel",
    "Prefetch",
    "ThreadId",
    "TirDialect",
    "TirOperation",
    "Yield",
]
