"""Operators whose evaluation in onnx.reference is imprecise or incomplete."""

import math

import numpy as np
from onnx.reference.op_run import OpRun

_MODES = {"constant": "constant", "reflect": "reflect", "edge": "edge", "wrap": "wrap"}


_erf = np.vectorize(math.erf, otypes=[np.float64])


class Erf(OpRun):
    """The evaluator's own one computes in float32."""

    def _run(self, x: np.ndarray) -> tuple[np.ndarray]:
        return (_erf(x),)


class Gelu(OpRun):
    """The evaluator's own one computes in float32."""

    def _run(self, x: np.ndarray, approximate: str = "none") -> tuple[np.ndarray]:
        if approximate == "tanh":
            return (0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))),)
        return (0.5 * x * (1 + _erf(x / math.sqrt(2))),)


class Pad(OpRun):
    """The evaluator's own one takes no negative pads; they cut."""

    def _run(
        self,
        data: np.ndarray,
        pads: np.ndarray,
        constant_value: np.ndarray | None = None,
        axes: np.ndarray | None = None,
        mode: str = "constant",
    ) -> tuple[np.ndarray]:
        chosen = range(data.ndim) if axes is None else [int(axis) % data.ndim for axis in axes]
        low, high = [0] * data.ndim, [0] * data.ndim
        for axis, before, behind in zip(chosen, *np.split(np.asarray(pads), 2), strict=True):
            low[axis], high[axis] = int(before), int(behind)
        cut = tuple(
            slice(max(-before, 0), extent - max(-behind, 0))
            for before, behind, extent in zip(low, high, data.shape, strict=True)
        )
        widths = [(max(before, 0), max(behind, 0)) for before, behind in zip(low, high, strict=True)]
        value = 0 if constant_value is None else np.asarray(constant_value).item()
        filled = {"constant_values": value} if mode == "constant" else {}
        return (np.pad(data[cut], widths, _MODES[mode], **filled),)


MENDED = (Erf, Gelu, Pad)
