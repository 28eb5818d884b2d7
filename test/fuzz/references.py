"""What a model should give: ONNX Runtime without optimisation, and onnx.reference in float64.

An error of some units in the last place at each step, drawn anew in each sample, tells how far float
arithmetic may be from the exact result: by much where terms cancel, by everything where a comparison or a
`Floor` decides by the last place.
"""

from collections.abc import Iterator

import ml_dtypes
import numpy as np
import onnx
from cases import Arrays, Case, Expected
from double_precision import DOMAIN, in_double
from mended_ops import MENDED
from onnx.reference import ReferenceEvaluator
from onnx.reference.op_run import OpRun

SAMPLES = 6
ERROR = 4.0  # units in the last place: what operations may err by, see `GraphOperation.accuracy`


class _Errors:
    """How `fuzz.Rounding` errs; ``generator`` None: it only keeps to the range."""

    def __init__(self) -> None:
        self.generator: np.random.Generator | None = None

    def round(self, x: np.ndarray, element_type: int, always: int) -> np.ndarray:
        """``x`` (float64) as the element type would hold it, perhaps with an error."""
        dtype = onnx.helper.tensor_dtype_to_np_dtype(element_type)
        held = x.astype(dtype).astype(np.float64)
        if self.generator is None:
            return np.where(np.isfinite(held) & (held != 0), x, held)
        # A number of few digits comes of arithmetic without rounding: it stays.
        digits = min(dtype, np.dtype(np.float32), key=lambda choice: ml_dtypes.finfo(choice).nmant)
        rounds = np.logical_or(always, x.astype(digits).astype(np.float64) != x)
        error = self.generator.uniform(-ERROR, ERROR, x.shape) * float(ml_dtypes.finfo(dtype).eps)
        return np.where(rounds, (x * (1 + error)).astype(dtype).astype(np.float64), held)

    def convert(self, x: np.ndarray, dtype: np.dtype) -> np.ndarray:
        """``x`` in another type; in a sample, any integer where the type does not hold the number."""
        converted = x.astype(dtype)
        if self.generator is None or x.dtype.kind != "f" or dtype.kind not in "iu":
            return converted
        info, whole = np.iinfo(dtype), np.trunc(x)
        held = (whole >= float(info.min)) & (whole < float(info.max) + 1)
        others = [0, info.min, info.max, int(self.generator.integers(info.min, info.max, dtype=dtype))]
        return np.where(held, converted, self.generator.choice(np.array(others, dtype), x.shape))


def _rounding_op(errors: _Errors) -> type[OpRun]:
    class Rounding(OpRun):
        op_domain = DOMAIN

        def _run(self, x: np.ndarray, element_type: int = 1, always: int = 0) -> tuple[np.ndarray]:
            return (np.asarray(errors.round(np.asarray(x), element_type, always)),)

    return Rounding


def _cast_op(errors: _Errors) -> type[OpRun]:
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
        self._errors = _Errors()
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
        wide = {name: _widened(array) for name, array in feeds.items()}
        with np.errstate(all="ignore"):
            results = self._evaluator.run(None, wide)
        return {name: np.asarray(result) for name, result in zip(self._names, results, strict=True)}


def _widened(array: np.ndarray) -> np.ndarray:
    is_float = array.dtype.kind == "f" or array.dtype == ml_dtypes.bfloat16
    return array.astype(np.float64) if is_float else array


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


def consult(case: Case) -> Expected:
    """Ask both references; what one refuses is None.

    Raises:
        ValueError: both refuse; says why.
    """
    reasons = []
    runtime, exact, samples = None, None, ()
    try:
        runtime = runtime_results(case.model, case.feeds)
    except Exception as error:  # whatever it is, that reference has no say
        reasons.append(f"ONNX Runtime: {error}")
    try:
        evaluator = Float64(case.model)
        exact = evaluator.exact(case.feeds)
        samples = tuple(evaluator.samples(case.feeds, SAMPLES))
    except Exception as error:
        reasons.append(f"onnx.reference: {type(error).__name__}: {error}")
    if runtime is None and exact is None:
        raise ValueError(f"no reference evaluates the model; {'; '.join(reasons)}")
    return Expected(runtime, exact, samples)
