"""``--verify-numerics``: which graph pass first changes a result.

Every public function of the module is evaluated by the numpy references of its ops on seeded random inputs,
before the first pass and after each one, for as long as the module is Graph IR. Arguments are followed by
``graph.name``, precomputed ones (``graph.init``) through ``@init``, others by position.
"""

import zlib

import numpy as np

from tilewright.dialects.diagnostics import CompileError, spell_location
from tilewright.dialects.dtypes import DTYPES
from tilewright.dialects.graph import spec_of
from tilewright.dialects.graph.evaluate import evaluate
from tilewright.dialects.graph.shapes import TensorSpec
from tilewright.dialects.mlir import func, ir
from tilewright.passes.core.properties import PROPERTIES
from tilewright.tools.agreement import all_nan

Results = dict[str, list[np.ndarray]]

# Largest error, relative to the largest magnitude of the result or 1; integers must be equal.
TOLERANCES = {"f64": 1e-9, "f32": 1e-4, "f16": 1e-2, "bf16": 5e-2}


class NumericsCheck:
    """The results of a module before its passes, to compare with.

    Attributes:
        expected: results of each public function, by its name.
    """

    def __init__(self, module: ir.Operation, seed: int = 0) -> None:
        """Evaluate ``module`` on random inputs made from ``seed``.

        Raises:
            CompileError: the module is no Graph IR, or a reference refuses the values.
        """
        objection = PROPERTIES["graph-ir"](module)
        if objection is not None:
            op, reason = objection
            place = spell_location(op.location)
            raise CompileError(f"--verify-numerics needs Graph IR: '{op.name}' {reason}", location=place)
        self._seed = seed
        self.expected = self._evaluate(module)

    def blind_spots(self) -> list[str]:
        """Results of which every element is NaN before the first pass: no pass can be seen to change them."""
        return [
            f"result {index} of @{function} is all NaN: its values are not compared"
            for function, results in self.expected.items()
            for index, result in enumerate(results)
            if all_nan(result)
        ]

    def after(self, name: str, module: ir.Operation) -> None:
        """Compare the results after pass ``name``; a module that is no longer Graph IR is left alone.

        Raises:
            CompileError: a result differs; names the pass, the function, the result and the largest error.
        """
        if PROPERTIES["graph-ir"](module) is not None:
            return
        given = self._evaluate(module)
        for function, results in self.expected.items():
            if function not in given or len(given[function]) != len(results):
                raise CompileError(f"pass {name} changes the results of @{function}")
            for index, (before, now) in enumerate(zip(results, given[function], strict=True)):
                problem = difference(before, now)
                if problem:
                    raise CompileError(f"pass {name} changes result {index} of @{function}: {problem}")

    def _evaluate(self, module: ir.Operation) -> Results:
        functions = _functions(module)
        init = functions.pop("init", None)
        constants = self._call(init, []) if init is not None else []
        return {name: self._call(function, constants) for name, function in functions.items()}

    def _call(self, function: func.FuncOp, constants: list[np.ndarray]) -> list[np.ndarray]:
        return evaluate(function, self._arguments(function, constants))

    def _arguments(self, function: func.FuncOp, constants: list[np.ndarray]) -> list[np.ndarray]:
        arrays = []
        for index, argument in enumerate(function.arguments):
            attributes = _argument_attributes(function, index)
            if "graph.init" in attributes:
                arrays.append(constants[attributes["graph.init"].value])
                continue
            named = "graph.name" in attributes
            key = attributes["graph.name"].value if named else f"{function.name.value}#{index}"
            arrays.append(random_array(spec_of(argument), self._seed + zlib.crc32(key.encode())))
        return arrays


def random_array(spec: TensorSpec, seed: int) -> np.ndarray:
    """Values of the shape and element type of ``spec``: normal floats, integers and booleans of 0 and 1."""
    generator = np.random.default_rng(seed)
    dtype = DTYPES[spec.dtype]
    if dtype.is_float:
        return generator.standard_normal(spec.shape).astype(dtype.numpy)
    return generator.integers(0, 2, spec.shape).astype(dtype.numpy)


def difference(expected: np.ndarray, given: np.ndarray) -> str:
    """How ``given`` differs from ``expected`` beyond rounding; empty where it does not."""
    if expected.shape != given.shape or expected.dtype != given.dtype:
        return f"{expected.dtype}{list(expected.shape)} became {given.dtype}{list(given.shape)}"
    if expected.dtype.kind in "iub":
        wrong = int(np.count_nonzero(expected != given))
        return f"{wrong} of {expected.size} elements differ" if wrong else ""
    before, now = expected.astype(np.float64), given.astype(np.float64)
    finite = np.isfinite(before)
    special = ~finite & ~((before == now) | (np.isnan(before) & np.isnan(now)))
    if special.any() or not np.isfinite(now[finite]).all():
        return "infinities or NaN at other places"
    scale = max(1.0, float(np.abs(before[finite]).max(initial=0.0)))
    error = float(np.abs(before[finite] - now[finite]).max(initial=0.0))
    tolerance = TOLERANCES[_dtype_name(expected)]
    return (
        f"largest error {error:.3g}, tolerance {tolerance * scale:.3g}" if error > tolerance * scale else ""
    )


def _dtype_name(array: np.ndarray) -> str:
    return next(name for name, dtype in DTYPES.items() if dtype.numpy == array.dtype)


def _functions(module: ir.Operation) -> dict[str, func.FuncOp]:
    found = [op for op in module.regions[0].blocks[0].operations if isinstance(op, func.FuncOp)]
    return {op.name.value: op for op in found if _public(op)}


def _public(op: func.FuncOp) -> bool:
    visibility = op.attributes["sym_visibility"].value if "sym_visibility" in op.attributes else "public"
    return bool(visibility == "public" and not op.is_external)


def _argument_attributes(function: func.FuncOp, index: int) -> dict[str, ir.Attribute]:
    if "arg_attrs" not in function.attributes:
        return {}
    return {item.name: item.attr for item in function.attributes["arg_attrs"][index]}
