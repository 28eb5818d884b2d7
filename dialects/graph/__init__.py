"""The Graph IR dialect: deep-learning operations over tensors.

Importing this package defines and registers every operation. ``graph.binary`` is ``graph.ops.binary``.
"""

from tilewright.dialects.graph import ops
from tilewright.dialects.graph.dialect import (
    BlockedAttr,
    Category,
    Form,
    GraphDialect,
    GraphOperation,
    layout_attribute,
    layout_of,
    layout_of_attribute,
    spec_of,
    type_of,
)
from tilewright.dialects.graph.layout import BlockedLayout
from tilewright.dialects.graph.ops import (
    activation,
    binary,
    constant,
    fused,
    matmul,
    movement,
    normalization,
    reduce,
    scan,
    select,
    softmax,
    unary,
)
from tilewright.dialects.graph.ops.constant import Constant, constant_value
from tilewright.dialects.graph.ops.fused import Fused, Yield
from tilewright.dialects.graph.registry import OPERATIONS, category_of, definition_of, form_of
from tilewright.dialects.graph.shapes import ShapeError, TensorSpec

__all__ = [
    "OPERATIONS",
    "BlockedAttr",
    "BlockedLayout",
    "Category",
    "Constant",
    "Form",
    "Fused",
    "GraphDialect",
    "GraphOperation",
    "ShapeError",
    "TensorSpec",
    "Yield",
    "activation",
    "binary",
    "category_of",
    "constant",
    "constant_value",
    "definition_of",
    "form_of",
    "fused",
    "layout_attribute",
    "layout_of",
    "layout_of_attribute",
    "matmul",
    "movement",
    "normalization",
    "ops",
    "reduce",
    "scan",
    "select",
    "softmax",
    "spec_of",
    "type_of",
    "unary",
]
