"""Builds Graph IR, and folds what is known on the way.

A `Value` is known data, an SSA value, or both. An op whose operands are all known and small is computed at
once by its numpy reference, so arithmetic on shapes leaves no trace. Known data becomes IR only when an op
that remains needs it: a ``graph.constant`` where small, else an argument of ``@main`` marked
``graph.constant`` whose data is kept beside the module.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tilewright.dialects import dtypes
from tilewright.dialects.graph import OPERATIONS
from tilewright.dialects.graph.dialect import type_of
from tilewright.dialects.graph.ops.constant import Constant
from tilewright.dialects.graph.ops.gather import LookUpOperation
from tilewright.dialects.graph.shapes import ShapeError, TensorSpec
from tilewright.dialects.mlir import func, ir
from tilewright.frontends.onnx.storage import Known, WeightTable, data_of

SMALL_ELEMENTS = 64
SMALL_INTEGERS = 4096
MOST_ELEMENTS = 2**48


@dataclass(eq=False)
class Value:
    """A tensor of the model.

    Attributes:
        spec: shape and element type.
        known: its elements, where known at compile time.
        ssa: the value in the IR, once there is one.
        name: name of the weight; empty where it is no initialiser.
    """

    spec: TensorSpec
    known: Known | None = None
    ssa: ir.Value | None = None
    name: str = ""

    @property
    def data(self) -> np.ndarray | None:
        """The elements, where known; those of a stored tensor are read anew."""
        return None if self.known is None else data_of(self.known)

    @property
    def shape(self) -> tuple[int, ...]:
        """The extents."""
        return self.spec.shape

    @property
    def rank(self) -> int:
        """Number of dimensions."""
        return self.spec.rank

    @property
    def dtype(self) -> str:
        """Element type by its MLIR name."""
        return self.spec.dtype

    @property
    def is_float(self) -> bool:
        """Whether elements are floating-point numbers."""
        return dtypes.DTYPES[self.dtype].is_float


def is_small(spec: TensorSpec) -> bool:
    """Whether a known tensor stands in the IR rather than beside it."""
    limit = SMALL_ELEMENTS if dtypes.DTYPES[spec.dtype].is_float else SMALL_INTEGERS
    return spec.elements <= limit


def _check_known_indices(
    definition: type[LookUpOperation], operands: Sequence[Value], attributes: Mapping[str, Any]
) -> None:
    data, indices = operands
    if indices.known is None:
        return
    try:
        definition.check_indices(data.shape, data_of(indices.known), attributes)
    except IndexError as error:
        raise ShapeError(str(error)) from error


class GraphBuilder:
    """A module with one function ``@main``, in the current context.

    Attributes:
        module: the module.
        weights: data of the arguments marked ``graph.constant``, by name.
        scope: name of what is being built, from which unnamed weights take theirs.
    """

    def __init__(self) -> None:
        self.weights = WeightTable()
        self.scope = "constant"
        with ir.Location.unknown():
            self.module = ir.Module.create()
            with ir.InsertionPoint(self.module.body):
                self._function = func.FuncOp("main", ir.FunctionType.get([], []))
            self._block = self._function.add_entry_block()
        self._argument_attributes: list[dict[str, ir.Attribute]] = []
        self._taken: set[str] = set()

    @property
    def insertion_point(self) -> ir.InsertionPoint:
        """Where ops are added."""
        return ir.InsertionPoint(self._block)

    def reserve_names(self, names: Sequence[str]) -> None:
        """Names that a weight without a name of its own must not take."""
        self._taken.update(names)

    def add_input(self, name: str, spec: TensorSpec) -> Value:
        """A run-time input, the next argument of ``@main``."""
        spec = self._checked(spec)
        return Value(spec, ssa=self._add_argument({"graph.name": ir.StringAttr.get(name)}, spec))

    def known(self, tensor: Known, name: str = "") -> Value:
        """A value known now; ``name`` where it is an initialiser."""
        spec = TensorSpec(tuple(tensor.shape), dtypes.from_numpy(tensor.dtype).name)
        if is_small(spec):
            return Value(spec, known=data_of(tensor), name=name)
        return Value(spec, known=tensor, name=name or self._fresh_name())

    def scalar(self, number: float | int | bool, like: Value) -> Value:
        """A constant of rank 0 in the element type of ``like``."""
        return self.known(np.asarray(number, dtypes.DTYPES[like.dtype].numpy))

    def emit(self, op: str, *operands: Value, **attributes: Any) -> Value:
        """The result of ``graph.<op>``: computed now where all is known and small, else built.

        Raises:
            ShapeError: operands and attributes do not fit together, or a known index is out of range.
        """
        definition = OPERATIONS[f"graph.{op}"]
        specs = [value.spec for value in operands]
        values = definition.canonical_attributes(specs, {**definition.default_attributes(), **attributes})
        spec = self._checked(definition.infer(specs, values)[0])
        if issubclass(definition, LookUpOperation):
            _check_known_indices(definition, operands, values)
        small = all(value.known is not None and is_small(value.spec) for value in operands)
        if not small or not is_small(spec):
            return Value(spec, ssa=definition.of(*map(self.materialize, operands), **values))
        arrays = [data_of(value.known) for value in operands if value.known is not None]
        (array,) = definition.reference(arrays, values, [spec])
        return Value(spec, known=np.asarray(array))

    def materialize(self, value: Value) -> ir.Value:
        """The value in the IR; known data becomes a constant or a weight at its first use."""
        if value.ssa is None:
            assert value.known is not None
            small = is_small(value.spec)
            value.ssa = Constant.from_numpy(data_of(value.known)) if small else self._add_weight(value)
        return value.ssa

    def finish(self, outputs: Sequence[tuple[str, Value]]) -> ir.Module:
        """Return ``outputs`` by name from ``@main`` and verify the module."""
        with self.insertion_point:
            results = [self.materialize(value) for _, value in outputs]
            func.ReturnOp(results)
        types = [argument.type for argument in self._block.arguments]
        function_type = ir.FunctionType.get(types, [value.type for value in results])
        self._function.attributes["function_type"] = ir.TypeAttr.get(function_type)
        attributes = [ir.DictAttr.get(entry) for entry in self._argument_attributes]
        if types:
            self._function.arg_attrs = ir.ArrayAttr.get(attributes)
        names = [ir.DictAttr.get({"graph.name": ir.StringAttr.get(name)}) for name, _ in outputs]
        self._function.attributes["res_attrs"] = ir.ArrayAttr.get(names)
        self.module.operation.verify()
        return self.module

    @staticmethod
    def _checked(spec: TensorSpec) -> TensorSpec:
        """``spec``, unless no machine could hold it."""
        if spec.elements > MOST_ELEMENTS or max(spec.shape, default=0) > MOST_ELEMENTS:
            raise ShapeError(f"a tensor of {spec} is too large")
        return spec

    def _add_argument(self, attributes: dict[str, ir.Attribute], spec: TensorSpec) -> ir.Value:
        self._argument_attributes.append(attributes)
        return self._block.add_argument(type_of(spec), ir.Location.current)

    def _add_weight(self, value: Value) -> ir.Value:
        assert value.known is not None
        self.weights.add(value.name, value.known)
        attributes = {"graph.constant": ir.UnitAttr.get(), "graph.name": ir.StringAttr.get(value.name)}
        return self._add_argument(attributes, value.spec)

    def _fresh_name(self) -> str:
        name, count = self.scope, 0
        while name in self._taken:
            count += 1
            name = f"{self.scope}#{count}"
        self._taken.add(name)
        return name

    # Steps that many operators share; each is nothing where nothing changes.

    def reshape(self, value: Value, shape: Sequence[int]) -> Value:
        """``value`` in another shape of as many elements."""
        if tuple(shape) == value.shape:
            return value
        if value.known is not None:  # a view: free at any size, and a weight keeps being one
            if math.prod(shape) != value.spec.elements:
                raise ShapeError(f"{value.spec} has not the elements of shape {list(shape)}")
            return self.known(value.known.reshape(shape))
        return self.emit("reshape", value, shape=list(shape))

    def cast(self, value: Value, dtype: str) -> Value:
        """``value`` in the element type ``dtype``."""
        return value if value.dtype == dtype else self.emit("cast", value, to=dtypes.to_mlir(dtype))

    def broadcast(self, value: Value, shape: Sequence[int]) -> Value:
        """``value`` repeated to ``shape``."""
        return value if value.shape == tuple(shape) else self.emit("broadcast", value, shape=list(shape))

    def slice(self, value: Value, starts: Sequence[int], sizes: Sequence[int], steps: Sequence[int]) -> Value:
        """The box of ``sizes`` elements from ``starts`` on, every ``steps``-th; a step may be negative."""
        whole = tuple(sizes) == value.shape and all(
            step == 1 or size <= 1 for step, size in zip(steps, sizes, strict=True)
        )
        if whole:
            return value
        return self.emit("slice", value, starts=list(starts), sizes=list(sizes), steps=list(steps))

    def transpose(self, value: Value, permutation: Sequence[int]) -> Value:
        """``value`` with its dimensions in another order."""
        if list(permutation) == list(range(value.rank)):
            return value
        return self.emit("transpose", value, permutation=list(permutation))
