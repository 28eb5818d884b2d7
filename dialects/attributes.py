"""Plain Python values to MLIR attributes and back.

Integers are ``i64``, truth values ``i1``, floats ``f64``, lists become array attributes. Dense-array
attributes are not used: the bindings have no constraint for them.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from tilewright.dialects.mlir import ir


def to_attribute(value: Any) -> ir.Attribute:
    """The attribute of a plain value (bool, int, float, str, sequence, mapping, or an attribute itself).

    Raises:
        TypeError: the value is of another kind.
    """
    if isinstance(value, ir.Attribute):
        return value
    if isinstance(value, ir.Type):
        return ir.TypeAttr.get(value)
    if isinstance(value, (bool, np.bool_)):
        return ir.BoolAttr.get(bool(value))
    if isinstance(value, (int, np.integer)):
        return ir.IntegerAttr.get(ir.IntegerType.get_signless(64), int(value))
    if isinstance(value, (float, np.floating)):
        return ir.FloatAttr.get_f64(float(value))
    if isinstance(value, str):
        return ir.StringAttr.get(value)
    if isinstance(value, dict):
        return ir.DictAttr.get({key: to_attribute(item) for key, item in value.items()})
    if isinstance(value, Sequence):
        return ir.ArrayAttr.get([to_attribute(item) for item in value])
    raise TypeError(f"no attribute for {type(value).__name__}: {value!r}")


def from_attribute(attribute: ir.Attribute) -> Any:
    """The plain value of an attribute; one that has none (a dense constant, a layout) is returned as is."""
    if isinstance(attribute, ir.BoolAttr):
        return bool(attribute.value)
    if isinstance(attribute, (ir.IntegerAttr, ir.FloatAttr, ir.StringAttr)):
        return attribute.value
    if isinstance(attribute, ir.TypeAttr):
        return attribute.value
    if isinstance(attribute, ir.ArrayAttr):
        return tuple(from_attribute(item) for item in attribute)
    if isinstance(attribute, ir.DictAttr):
        return {item.name: from_attribute(item.attr) for item in attribute}
    return attribute
