"""The Graph IR dialect: deep-learning operations over tensors.

Importing this package defines and registers every operation.
"""

from tilewright.dialects.graph.dialect import (
    BlockedAttr,
    Category,
    GraphDialect,
    GraphOperation,
    layout_of,
    spec_of,
    type_of,
)
from tilewright.dialects.graph.layout import BlockedLayout
from tilewright.dialects.graph.ops import unary
from tilewright.dialects.graph.registry import OPERATIONS, category_of, definition_of
from tilewright.dialects.graph.shapes import ShapeError, TensorSpec

__all__ = [
    "OPERATIONS",
    "BlockedAttr",
    "BlockedLayout",
    "Category",
    "GraphDialect",
    "GraphOperation",
    "ShapeError",
    "TensorSpec",
    "category_of",
    "definition_of",
    "layout_of",
    "spec_of",
    "type_of",
    "unary",
]
