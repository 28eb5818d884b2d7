"""Numbers in float64 as a narrower type would hold them, perhaps with an error."""

import ml_dtypes
import numpy as np

ERROR = 4.0  # units in the last place: what operations may err by, see `GraphOperation.accuracy`


class Errors:
    """How a step errs.

    Args:
        generator: draws the errors; None: results only keep to the range of their type.
    """

    def __init__(self, generator: np.random.Generator | None) -> None:
        self.generator = generator

    def round(
        self, x: np.ndarray, dtype: np.dtype, always: int, size: np.ndarray | float = 0.0
    ) -> np.ndarray:
        """``x`` (float64) as ``dtype`` would hold it.

        Args:
            x: the numbers. One of few digits comes of arithmetic without rounding: it stays, unless..
            dtype: the element type.
            always: .. this is set, or ``size`` is given.
            size: what errors are relative to besides ``x``.
        """
        held = x.astype(dtype).astype(np.float64)
        if self.generator is None:
            return np.where(np.isfinite(held) & (held != 0), x, held)
        digits = min(dtype, np.dtype(np.float32), key=lambda choice: ml_dtypes.finfo(choice).nmant)
        many = np.greater(size, 0)  # of several steps, which round where the result does not
        rounds = always | many | (x.astype(digits).astype(np.float64) != x)
        unit = float(ml_dtypes.finfo(dtype).eps) * (np.abs(x) + size)
        erring = x + self.generator.uniform(-ERROR, ERROR, x.shape) * unit
        return np.where(rounds, erring.astype(dtype).astype(np.float64), held)

    def convert(self, x: np.ndarray, dtype: np.dtype) -> np.ndarray:
        """``x`` in another type; in a sample, any integer where the type does not hold the number."""
        converted = x.astype(dtype)
        if self.generator is None or x.dtype.kind != "f" or dtype.kind not in "iu":
            return converted
        info, whole = np.iinfo(dtype), np.trunc(x)
        held = (whole >= float(info.min)) & (whole < float(info.max) + 1)
        number = int(self.generator.integers(info.min, info.max, dtype=dtype))
        shape = x.shape if self.generator.integers(2) else ()  # the least of many is nearly always the same
        chosen = self.generator.choice(np.array([0, info.min, info.max, number], dtype), shape)
        return np.where(held, converted, chosen)


def widened(array: np.ndarray) -> np.ndarray:
    """Floats in float64."""
    is_float = array.dtype.kind == "f" or array.dtype == ml_dtypes.bfloat16
    return array.astype(np.float64) if is_float else array
