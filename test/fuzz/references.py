"""What a model should give: ONNX Runtime without optimisation, and onnx.reference in float64.

An error of some units in the last place at each step, drawn anew in each sample, tells how far float
arithmetic may be from the exact result: by much where terms cancel, by everything where a comparison or a
`Floor` decides by the last place.
"""

from collections.abc import Iterator

import numpy as np
import onnx
from cases import Arrays, Case, Expected
from double_precision import DOMAIN, in_double
from graph_references import GraphFloat64
from mended_ops import MENDED
from onnx.reference import ReferenceEvaluator
from onnx.reference.op_run import OpRun
from rounding import Errors, widened

SAMPLES = 6


def _rounding_op(errors: Errors) -> type[OpRun]:
    class Rounding(OpRun):
        op_domain = DOMAIN

        def _run(self, x: np.ndarray, element_type: int = 1, always: int = 0) -> tuple[np.ndarray]:
            dtype = onnx.helper.tensor_dtype_to_np_dtype(element_type)
            return (np.asarray(errors.round(np.asarray(x), dtype, always)),)

    return Rounding


def _cast_op(errors: Errors) -> type[OpRun]:
    """ONNX leaves open what number becomes of one that the integer type does not hold."""

    class Cast(OpRun):
        def _run(self, x: np.ndarray, to: int = 1, **_: object) -> tuple[np.ndarray]:
            return (np.asarray(errors.convert(np.asarray(x), onnx.helper.tensor_dtype_to_np_dtype(to))),)

    return Cast


class Float64:
    """``model`` in float64.

    Raises:
        Exception: the evaluator cannot read the model.
    """

    def __init__(self, model: onnx.ModelProto) -> None:
        self._errors = Errors(None)
        self._names = [value.name for value in model.graph.output]
        ops = [_rounding_op(self._errors), _cast_op(self._errors), *MENDED]
        self._evaluator = ReferenceEvaluator(in_double(model), new_ops=ops)

    def exact(self, feeds: Arrays) -> Arrays:
        """Without errors."""
        return self._run(feeds, None)

    def samples(self, feeds: Arrays, count: int, first: int = 0) -> Iterator[Arrays]:
        """With errors that are drawn from ``first``, ``first + 1``, ... as seeds."""
        for seed in range(first, first + count):
            yield self._run(feeds, np.random.default_rng(seed))

    def _run(self, feeds: Arrays, generator: np.random.Generator | None) -> Arrays:
        self._errors.generator = generator
        wide = {name: widened(array) for name, array in feeds.items()}
        with np.errstate(all="ignore"):
            results = self._evaluator.run(None, wide)
        return {name: np.asarray(result) for name, result in zip(self._names, results, strict=True)}


def runtime_results(model: onnx.ModelProto, feeds: Arrays) -> Arrays:
    """ONNX Runtime's, without optimisation.

    Raises:
        Exception: it refuses the model.
    """
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, ["CPUExecutionProvider"])
    names = [value.name for value in session.get_outputs()]
    return dict(zip(names, session.run(names, feeds), strict=True))


Evaluator = Float64 | GraphFloat64


def evaluator_of(case: Case) -> Evaluator:
    """The evaluation of a case in float64.

    Raises:
        Exception: the evaluator cannot read the model.
    """
    return GraphFloat64(case.text) if case.is_graph else Float64(case.model)


def consult(case: Case) -> Expected:
    """Ask both references, of Graph IR the one; what a reference refuses is None.

    Raises:
        ValueError: all refuse; says why.
    """
    reasons = []
    runtime, exact, samples = None, None, ()
    try:
        runtime = None if case.is_graph else runtime_results(case.model, case.feeds)
    except Exception as error:  # whatever it is, that reference has no say
        reasons.append(f"ONNX Runtime: {error}")
    try:
        evaluator = evaluator_of(case)
        exact = evaluator.exact(case.feeds)
        samples = tuple(evaluator.samples(case.feeds, SAMPLES))
    except Exception as error:
        reasons.append(f"float64: {type(error).__name__}: {error}")
    if runtime is None and exact is None:
        raise ValueError(f"no reference evaluates the model; {'; '.join(reasons)}")
    return Expected(runtime, exact, samples)
