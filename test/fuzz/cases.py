"""A case on disk: a model, what it is fed, what it should give, and where it came from.

The folder of a case holds `model.onnx` or Graph IR in `model.mlir`, `inputs.npz` (by name,
weights of Graph IR too), `expected.npz` and `about.json`.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import onnx

Arrays = dict[str, np.ndarray]


@dataclass(frozen=True)
class Expected:
    """What references say of a model's outputs, each a dict by output name.

    Attributes:
        runtime: ONNX Runtime's, without optimisation; None where it refuses the model.
        exact: in float64, infinite where the model's own element types would be; None where the evaluator
            refuses the model.
        samples: in float64, with an error of one unit in the last place of the model's own element types at
            each step.
    """

    runtime: Arrays | None
    exact: Arrays | None
    samples: tuple[Arrays, ...] = ()


@dataclass(frozen=True)
class Case:
    """A folder with a model."""

    folder: Path

    @cached_property
    def model(self) -> onnx.ModelProto:
        """The model."""
        return onnx.load(self.folder / "model.onnx")

    @property
    def is_graph(self) -> bool:
        """Whether the model is Graph IR."""
        return (self.folder / "model.mlir").exists()

    @property
    def text(self) -> str:
        """The model that is Graph IR."""
        return (self.folder / "model.mlir").read_text(encoding="utf-8")

    @property
    def weights(self) -> Arrays:
        """The arrays among `feeds` that are weights of Graph IR."""
        return {name: self.feeds[name] for name in self.about.get("weights", ())}

    @cached_property
    def feeds(self) -> Arrays:
        """An array for each input."""
        return _load(self.folder / "inputs.npz")

    @cached_property
    def about(self) -> dict[str, Any]:
        """What the case was made from: source, seed, nodes, compiler options."""
        return dict(json.loads((self.folder / "about.json").read_text(encoding="utf-8")))

    def expected(self) -> Expected:
        """What was kept of the references."""
        groups: dict[str, Arrays] = {}
        for key, array in _load(self.folder / "expected.npz").items():
            group, _, name = key.partition("/")
            groups.setdefault(group, {})[name] = array
        samples = [groups[key] for key in sorted(groups) if key.startswith("sample")]
        return Expected(groups.get("runtime"), groups.get("exact"), tuple(samples))

    def write(self, model: onnx.ModelProto | str, feeds: Arrays, about: Mapping[str, Any]) -> None:
        """Make the folder; what is expected comes later."""
        self.folder.mkdir(parents=True, exist_ok=True)
        if isinstance(model, str):
            (self.folder / "model.mlir").write_text(model, encoding="utf-8")
        else:
            onnx.save(model, self.folder / "model.onnx")
        _save(self.folder / "inputs.npz", feeds)
        (self.folder / "about.json").write_text(json.dumps(dict(about), indent=1) + "\n", encoding="utf-8")

    def write_expected(self, expected: Expected) -> None:
        """Keep what the references say."""
        named = {"runtime": expected.runtime, "exact": expected.exact}
        named |= {f"sample{index:03}": sample for index, sample in enumerate(expected.samples)}
        arrays = {f"{group}/{name}": a for group, found in named.items() for name, a in (found or {}).items()}
        _save(self.folder / "expected.npz", arrays)


BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
_MARK = ":bf16"  # behind a name: numpy's files do not know the type


def _save(path: Path, arrays: Arrays) -> None:
    kept = {
        f"{name}{_MARK}" if array.dtype == BFLOAT16 else name: array.view(np.uint16)
        if array.dtype == BFLOAT16
        else array
        for name, array in arrays.items()
    }
    np.savez(path, **kept)


def _load(path: Path) -> Arrays:
    with np.load(path) as data:
        read = {name: data[name] for name in data.files}
    return {
        name.removesuffix(_MARK): array.view(BFLOAT16) if name.endswith(_MARK) else array
        for name, array in read.items()
    }
