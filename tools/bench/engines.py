"""The engines that are measured: ours, and peers where they are installed.

An engine prepares a case for a number of threads and gives a call without arguments. All are asked for f32
arithmetic, low latency and one stream. Inputs are bound ahead where the engine's interface allows it.
"""

import importlib.util
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from tilewright.passes.core.manager import PassPipeline
from tilewright.passes.core.options import unknown
from tilewright.runtime.compiler import compile
from tilewright.tools.bench.cases import Case

OURS = "tilewright"
REUSED_BYTES = 1 << 20  # results from this size on are reused; OpenVINO shares its own in the same way
ALL_KINDS = ("mlp", "mha", "matmul", "relu", "file")
OUR_KINDS = (*ALL_KINDS, "graph")


@dataclass(frozen=True)
class Prepared:
    """A case ready to be called.

    Attributes:
        call: runs it once.
        unpack: the outputs as numpy arrays, from what ``call`` returned.
    """

    call: Callable[[], Any]
    unpack: Callable[[Any], list[np.ndarray]]


@dataclass(frozen=True)
class Engine:
    """Something that runs models.

    Attributes:
        name: in tables and for ``--peers``.
        package: that must be importable; empty for none.
        kinds: of cases that it runs.
        prepare: for a case and a number of threads.
        defaults: kinds for which it is measured without being asked for.
    """

    name: str
    package: str
    kinds: tuple[str, ...]
    prepare: Callable[[Case, int], Prepared]
    defaults: tuple[str, ...]

    @property
    def installed(self) -> bool:
        """Whether its package can be imported."""
        return not self.package or importlib.util.find_spec(self.package) is not None


def tilewright_engine(name: str = OURS, pipeline: str | PassPipeline = "default") -> Engine:
    """Our compiler, with a pipeline of choice; large results go to the same arrays in every call."""

    def prepare(case: Case, threads: int) -> Prepared:
        executable = compile(case.model, shapes=case.shapes, threads=threads, pipeline=pipeline)
        arrays = [case.feeds[info.name] for info in executable.inputs]
        first = as_list(executable(*arrays))
        if sum(array.nbytes for array in first) < REUSED_BYTES:
            return Prepared(lambda: executable(*arrays), as_list)
        return Prepared(lambda: executable(*arrays, out=first), as_list)

    return Engine(name, "", OUR_KINDS, prepare, OUR_KINDS)


def as_list(outputs: Any) -> list[np.ndarray]:
    """One array or a sequence of arrays as a list."""
    return [outputs] if isinstance(outputs, np.ndarray) else [np.asarray(array) for array in outputs]


def _model_bytes_or_path(case: Case) -> Any:
    return str(case.model) if isinstance(case.model, Path) else case.model.SerializeToString()


def prepare_onnxruntime(case: Case, threads: int) -> Prepared:
    """ONNX Runtime's CPU provider, all graph optimisations."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(
        _model_bytes_or_path(case), options, providers=["CPUExecutionProvider"]
    )
    feeds = case.feeds
    return Prepared(lambda: session.run(None, feeds), as_list)


def prepare_openvino(case: Case, threads: int) -> Prepared:
    """OpenVINO's CPU plugin for latency, shapes fixed, inputs and outputs shared."""
    import openvino
    from openvino import properties
    from openvino.properties import hint

    core = openvino.Core()
    model = core.read_model(_model_bytes_or_path(case))
    model.reshape({name: list(shape) for name, shape in case.shapes.items()})
    settings = {
        hint.performance_mode(): hint.PerformanceMode.LATENCY,
        hint.inference_precision(): openvino.Type.f32,
        hint.num_requests(): 1,
        properties.inference_num_threads(): threads,
    }
    request = core.compile_model(model, "CPU", settings).create_infer_request()
    for name, array in case.feeds.items():
        request.set_tensor(name, openvino.Tensor(array, shared_memory=True))
    return Prepared(
        lambda: request.infer(share_outputs=True), lambda found: [array.copy() for array in found.values()]
    )


def prepare_numpy(case: Case, threads: int) -> Prepared:
    """Matmul of numpy; its BLAS is held to ``threads``."""
    from onnx import numpy_helper

    assert not isinstance(case.model, Path)
    threadpool_limits(threads, "blas")
    weights = {tensor.name: numpy_helper.to_array(tensor) for tensor in case.model.graph.initializer}
    x, w = ({**weights, **case.feeds}[name] for name in "xw")
    return Prepared(lambda: np.matmul(x, w), as_list)


def select_peers(engines: Sequence[Engine], names: Sequence[str] | None) -> tuple[list[Engine], list[str]]:
    """The peers to measure, and the names of those that are not installed.

    Args:
        engines: all that are known.
        names: the user's choice; None for all.

    Raises:
        CompileError: a name is unknown.
    """
    known = {engine.name: engine for engine in engines}
    for name in names or ():
        if name not in known:
            raise unknown("peer", name, known)
    chosen = list(engines) if names is None else [known[name] for name in names]
    absent = [engine.name for engine in chosen if not engine.installed]
    return [engine for engine in chosen if engine.installed], absent
