"""Small functions of graph operations, built, evaluated and decomposed."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
import onnx
from onnx.reference import ReferenceEvaluator

from tilewright.dialects import graph
from tilewright.dialects.base import compiling, make_context
from tilewright.dialects.dtypes import from_numpy
from tilewright.dialects.graph.evaluate import evaluate
from tilewright.dialects.mlir import func, ir

Arrays = Sequence[np.ndarray]

shared_context = cache(make_context)  # loading the dialects takes longer than most tests


def build_function(module: ir.Module, arrays: Arrays, build: Callable[..., Any]) -> func.FuncOp:
    """A function whose arguments are like ``arrays`` and whose results are what ``build`` makes of them."""
    specs = [graph.TensorSpec(array.shape, from_numpy(array.dtype).name) for array in arrays]
    types = [graph.type_of(spec) for spec in specs]
    with ir.InsertionPoint(module.body):
        function = func.FuncOp("main", (types, []))
    block = function.add_entry_block()
    with ir.InsertionPoint(block):
        built = build(*block.arguments)
        results = list(built) if isinstance(built, (tuple, list)) else [built]
        func.ReturnOp(results)
    result_types = [value.type for value in results]
    function.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(types, result_types))
    return function


def run(build: Callable[..., Any], arrays: Arrays, decompose: bool = False) -> list[np.ndarray]:
    """The results of what ``build`` makes, by the references; of its basic operations with ``decompose``."""
    with compiling(shared_context()):
        module = ir.Module.create()
        function = build_function(module, arrays, build)
        if decompose:
            decompose_complex(function)
        assert module.operation.verify()
        return evaluate(function, arrays)


def decompose_complex(function: func.FuncOp) -> None:
    """Replace complex operations until there are none."""
    while todo := [op for op in function.entry_block.operations if _is_complex(op)]:
        with ir.InsertionPoint(todo[0]):
            replacements = graph.definition_of(todo[0]).decompose(todo[0])
        for old, new in zip(todo[0].results, replacements, strict=True):
            assert old.type == new.type
            old.replace_all_uses_with(new)
        todo[0].operation.erase()


def _is_complex(op: ir.OpView) -> bool:
    return graph.category_of(op) is graph.Category.COMPLEX


def run_op(op: type[graph.GraphOperation], *arrays: np.ndarray, **attributes: Any) -> np.ndarray:
    """The only result of one operation."""
    (result,) = run(lambda *values: op.of(*values, **attributes), arrays)
    return result


def run_onnx(op: str, *arrays: np.ndarray, opset: int = 21, **attributes: Any) -> np.ndarray:
    """The only result of one ONNX node by ONNX's own reference."""
    names = [f"x{index}" for index in range(len(arrays))]
    node = onnx.helper.make_node(op, names, ["y"], **attributes)
    inputs = [
        onnx.helper.make_tensor_value_info(
            name, onnx.helper.np_dtype_to_tensor_dtype(array.dtype), array.shape
        )
        for name, array in zip(names, arrays, strict=True)
    ]
    output = onnx.helper.make_empty_tensor_value_info("y")
    model = onnx.helper.make_model(
        onnx.helper.make_graph([node], "g", inputs, [output]),
        opset_imports=[onnx.helper.make_opsetid("", opset)],
    )
    with np.errstate(all="ignore"):
        (result,) = ReferenceEvaluator(model).run(None, dict(zip(names, arrays, strict=True)))
    return np.asarray(result)
