"""Engines of ``tilewright bench``: which are measured, what they compute, and the peak loop."""

from collections.abc import Callable

import numpy as np
import pytest
from onnx.reference import ReferenceEvaluator

from tilewright.dialects.diagnostics import CompileError
from tilewright.lowering.target.presets import host
from tilewright.passes import pipelines
from tilewright.passes.core.manager import PassPipeline
from tilewright.tools.bench.cases import Case, mha_case, mlp_case, relu_case, sweep_cases
from tilewright.tools.bench.engines import ALL_KINDS, Engine, Prepared, select_peers
from tilewright.tools.bench.measure import Result, consensus, measure
from tilewright.tools.bench.peak import STEPS, PeakLoop, chains
from tilewright.tools.bench.run import PEERS, shorten_spinning
from tilewright.tools.bench.timing import Schedule
from tilewright.tools.bench.variants import ablations
from tilewright.tools.workload_sizes import MHAS, Attention

MAKERS: dict[str, Callable[[], Case]] = {
    "mlp": lambda: mlp_case("mlp1", 2),
    "mha": lambda: mha_case("tiny", 2),
    "matmul": lambda: next(sweep_cases([4], [(3, 2)])),
    "relu": relu_case,
}
QUICK = Schedule(blocks=2, block_seconds=0.001, pause_seconds=0.0)


def fake(name: str, result: float | Exception, package: str = "") -> Engine:
    """An engine whose output is one number everywhere."""

    def prepare(case: Case, threads: int) -> Prepared:
        if isinstance(result, Exception):
            raise result
        return Prepared(lambda: np.full(3, result), lambda found: [found])

    return Engine(name, package, ALL_KINDS, prepare, ALL_KINDS)


@pytest.mark.parametrize("kind", MAKERS)
@pytest.mark.parametrize(
    "peer", [peer for peer in PEERS if peer.name != "inductor"], ids=lambda peer: peer.name
)
def test_a_peer_computes_what_the_model_says(
    peer: Engine, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if kind not in peer.kinds:
        pytest.skip("the peer does not run this kind")
    pytest.importorskip(peer.package)
    monkeypatch.setitem(MHAS, "tiny", Attention(sequence=5, hidden=12, heads=3))
    case = MAKERS[kind]()
    prepared = peer.prepare(case, 1)
    for _ in range(2):
        outputs = prepared.unpack(prepared.call())
    expected = ReferenceEvaluator(case.model).run(None, case.feeds)
    assert len(outputs) == len(expected)
    np.testing.assert_allclose(outputs[0], expected[0], rtol=1e-4, atol=1e-4)


def test_absent_peers_are_named_and_left_out() -> None:
    known = [fake("here", 1.0), fake("gone", 1.0, "no_such_package")]
    peers, absent = select_peers(known, None)
    assert [peer.name for peer in peers] == ["here"]
    assert absent == ["gone"]
    assert select_peers(known, []) == ([], [])
    assert select_peers(known, ["gone"]) == ([], ["gone"])
    with pytest.raises(
        CompileError, match="unknown peer 'hre': expected one of here, gone; did you mean here"
    ):
        select_peers(known, ["hre"])


def test_the_larger_group_is_right() -> None:
    outputs = {name: [np.full(2, value)] for name, value in {"a": 1.0, "b": 1.0, "c": 2.0}.items()}
    assert consensus(outputs, {"a", "b", "c"}) == {"a", "b"}
    assert consensus({"a": [np.ones(2)]}, {"a"}) == {"a"}
    tie = {"a": [np.ones(2)], "b": [np.zeros(2)]}
    assert consensus(tie, {"a", "b"}) == frozenset()
    assert consensus({**tie, "b2": [np.zeros(2)]}, {"a"}) == {"a"}, "variants have no vote"
    shapes = {"a": [np.ones(2)], "b": [np.ones(2)], "c": [np.ones((2, 1))]}
    assert consensus(shapes, {"a", "b", "c"}) == {"a", "b"}
    nan = {"a": [np.ones(2)], "b": [np.ones(2)], "c": [np.full(2, np.nan)]}
    assert consensus(nan, {"a", "b", "c"}) == {"a", "b"}


@pytest.fixture(scope="module")
def peak() -> PeakLoop:
    return PeakLoop(host().with_cores(2))


def test_a_point(peak: PeakLoop) -> None:
    ours = [fake("tilewright", 1.0), fake("no layouts", 1.0)]
    peers = [fake("good", 1.0), fake("wrong", 2.0), fake("broken", ValueError("no\nway"))]
    point = measure(mlp_case("mlp1", 2), ours, peers, 2, peak, QUICK)
    assert point.name == "mlp1 b2"
    assert point.flops == 2 * 2 * (13 * 512 + 512 * 256 + 256 * 128)
    assert point.best_peer == "good"
    assert list(point.variants) == ["no layouts"]
    assert point.ours.timing is not None
    assert len(point.ours.timing.blocks_ms) == QUICK.blocks
    assert point.peers["wrong"].failure == "its outputs differ from those of the other engines"
    assert point.peers["broken"] == Result(failure="no")
    assert point.peak_gflops > 0
    assert point.ratio("good") == point.peers["good"].ms / point.ours.ms
    assert point.ratio("wrong") is None


def test_the_peak_loop_does_every_step(peak: PeakLoop) -> None:
    machine, chain_count = host(), chains(host())
    starts = chain_count * (chain_count - 1) / 2
    peak.set_operands(1.0, 2.0)
    assert peak().shape == (2, machine.lanes())
    assert (peak() == starts + 2 * STEPS * chain_count).all()
    assert peak.flops == 2 * 2 * STEPS * chain_count * machine.lanes()


def test_ablations_edit_the_pipeline() -> None:
    base = PassPipeline("decompose-complex-ops,fuse-fine-grain,reuse-buffers")
    found = {name: str(pipeline) for name, pipeline in ablations(base).items()}
    assert found == {
        "no fine-grain": "decompose-complex-ops,fuse-fine-grain{enabled=false},reuse-buffers",
        "no buffer reuse": "decompose-complex-ops,fuse-fine-grain,reuse-buffers{share=false}",
    }


def test_every_switch_is_an_option_of_a_pass_in_the_default_pipeline() -> None:
    base = pipelines.default()
    found = ablations(base)
    columns = ["no coarse-grain", "no fine-grain", "no layouts", "no prefetch", "no buffer reuse"]
    assert list(found) == columns
    for pipeline in found.values():
        assert pipeline.names == base.names
        assert pipeline != base


def test_spinning_ends_before_the_pause() -> None:
    variables: dict[str, str] = {}
    shorten_spinning(variables, Schedule(pause_seconds=0.1))
    assert variables == {"KMP_BLOCKTIME": "50"}
    mine = {"KMP_BLOCKTIME": "infinite"}
    shorten_spinning(mine, Schedule())
    assert mine == {"KMP_BLOCKTIME": "infinite"}
