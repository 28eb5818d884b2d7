"""``tilewright explain``: facts of small models against figures worked out by hand."""

import math
from collections.abc import Callable
from pathlib import Path

import onnx
import pytest

from tilewright.dialects.diagnostics import CompileError
from tilewright.lowering.target.presets import PRESETS, host
from tilewright.tools.explain import explain, plan_machine
from tilewright.tools.explain_report import Report
from tilewright.tools.workload_sizes import Attention
from tilewright.tools.workloads import mha, mlp

Save = Callable[[onnx.ModelProto], str]


@pytest.fixture(scope="module")
def save(tmp_path_factory: pytest.TempPathFactory) -> Save:
    def write(proto: onnx.ModelProto) -> str:
        path = tmp_path_factory.mktemp("explain") / "model.onnx"
        onnx.save(proto, path)
        return str(path)

    return write


@pytest.fixture(scope="module")
def two_layers(save: Save) -> Report:
    return explain(save(mlp((24, 80, 80), 32)), {}, "avx512", 2)


@pytest.fixture(scope="module")
def attention(save: Save) -> Report:
    return explain(save(mha(Attention(48, 64, 2), 2)), {}, "avx512", 2)


def test_regions_name_ops_and_nodes(two_layers: Report) -> None:
    first, second = two_layers.regions
    assert first.ops == (("matmul", "matmul0"), ("add", "add0"), ("relu", "relu0"))
    assert second.ops == (("matmul", "matmul1"), ("add", "add1"), ("relu", "relu1"))
    assert [region.template for region in two_layers.regions] == ["matmul", "matmul"]
    assert first.results == second.results == ("f32[32, 80]",)
    assert first.shared_by == second.shared_by == 1 and first.function != second.function


def test_equal_layers_share_a_function(save: Save) -> None:
    report = explain(save(mlp((64, 64, 64, 64), 8)), {}, "avx512", 1)
    assert [(region.shape_key, region.shared_by) for region in report.regions] == [(0, 3)] * 3
    assert len({region.function for region in report.regions}) == 1


def test_weights_are_packed_once(two_layers: Report) -> None:
    # 80 columns are two panels of 48 (40 rounded up to whole vectors of 16): 96 columns of memory.
    reorders = {reorder.node: reorder for reorder in two_layers.reorders}
    assert {reorder.entry for reorder in two_layers.reorders} == {"init"}
    assert reorders["matmul0"].moved_bytes == 4 * 24 * (80 + 96)
    assert reorders["matmul1"].moved_bytes == 4 * 80 * (80 + 96)
    assert reorders["matmul0"].source == "plain" and reorders["matmul0"].target == "[N/48][K][48]"
    kept = {constant.names: (constant.kind, constant.bytes) for constant in two_layers.constants}
    assert kept == {
        ("w0",): ("init", 4 * 24 * 96),
        ("w1",): ("init", 4 * 80 * 96),
        ("b0",): ("weight", 4 * 80),
        ("b1",): ("weight", 4 * 80),
    }


def test_runners_up_differ_from_the_choice(two_layers: Report) -> None:
    for region in two_layers.regions:
        tuning = region.tuning
        assert tuning is not None and 1 <= len(tuning.runners_up) <= 5
        assert tuning.chosen.values == region.params
        assert all(other.values != region.params for other in tuning.runners_up)
        costs = [other.cycles for other in tuning.runners_up]
        assert costs == sorted(costs)
        if tuning.fixed_by == "cost":
            assert tuning.chosen.cycles <= costs[0]
        else:
            assert tuning.fixed_by == "merge group" and region.merge_group is not None


def test_anchors_follow_from_the_parameters(two_layers: Report) -> None:
    tuning = two_layers.regions[1].tuning
    assert tuning is not None
    anchors = {(anchor.side, anchor.name): anchor for anchor in tuning.anchors}
    assert {side for side, _ in anchors} == {"post"}, "B is packed ahead"
    values = tuning.chosen.values
    registers, tile, unfused = (anchors["post", name] for name in ("registers", "tile", "unfused"))
    assert registers.slice == (values["mb"], values["nb"]) and registers.used_for == ("add", "relu")
    assert tile.working_set_bytes == 4 * values["mb"] * values["nb"]
    assert unfused.working_set_bytes == 4 * 32 * 80
    assert registers.cycles == 0 < tile.cycles < unfused.cycles
    assert [anchor.name for anchor in tuning.anchors if anchor.used_for] == ["registers"]


def test_softmax_runs_on_strips(attention: Report) -> None:
    scores, context = attention.regions[:2]
    tuning = scores.tuning
    assert tuning is not None and tuning.problem["row_wise"] and tuning.b_layout == "plain"
    used = {anchor.name: anchor.used_for for anchor in tuning.anchors if anchor.side == "post"}
    scale, mask = used["registers"]
    assert scale in ("div", "mul") and mask == "add"
    assert used["strip"][:5] == ("reduce_max", "sub", "mul", "exp2", "reduce_sum")
    assert tuning.strip[1] == 48, "whole rows of scores"
    assert tuning.strip_bytes == 4 * math.prod(tuning.strip)
    assert tuning.problem["batch"] == 4 and (tuning.problem["m"], tuning.problem["k"]) == (48, 32)
    assert context.tuning is not None and not context.tuning.strip


def test_a_weight_too_narrow_to_pack_stays_plain(save: Save) -> None:
    # Two columns would be padded to 16: 14 x 4 bytes a row, against 2 x 2 x 4 to pack them in every call.
    report = explain(save(mlp((64, 64, 2), 8)), {}, "avx512", 1)
    kinds = {name: constant.kind for constant in report.constants for name in constant.names}
    assert kinds["w0"] == "init" and kinds["w1"] == "weight"
    last = report.regions[-1].tuning
    assert last is not None and last.b_layout == "plain" and str(14 * 4 * 64) in last.b_reason


def test_groups_and_tasks(two_layers: Report) -> None:
    assert [region.merge_kind for region in two_layers.regions] == ["start", "rows"]
    assert len({region.final_function for region in two_layers.regions}) == 1
    (grid,) = [g for g in two_layers.grids if g.function == two_layers.regions[0].final_function]
    assert grid.merged == 2 and len(grid.members) == 2
    assert grid.tasks == math.prod(grid.sizes) == two_layers.regions[0].params["row_tasks"]


def test_every_region_ends_in_a_function_or_says_why_not(attention: Report) -> None:
    for before, region in zip(attention.regions, attention.regions[1:], strict=False):
        assert region.function and region.final_function
        apart = region.merge_group is None or region.merge_kind != "rows"
        assert apart == bool(region.merge_refused), (before, region)


def test_temporaries_lie_in_arenas_that_hold_them(attention: Report) -> None:
    sizes = {arena.function: arena.bytes for arena in attention.arenas}
    assert attention.temporaries
    for each in attention.temporaries:
        assert each.offset % 64 == 0 and each.bytes > 0
        assert each.lifetime[0] <= each.lifetime[1]
        if each.kind != "thread":
            assert each.offset + each.bytes <= sizes[each.function]
    assert all(arena.lower_bound <= arena.bytes for arena in attention.arenas)
    assert attention.placed_bytes <= attention.converted_bytes


def test_shrunk_buffers_tell_their_shape_from_before(attention: Report) -> None:
    shrunk = [each for each in attention.temporaries if each.shrunk_from]
    assert any(each.shrunk_from == (2, 2, 48, 48) for each in shrunk), "the scores"
    assert all(each.bytes < 4 * math.prod(each.shrunk_from) for each in shrunk)


def test_what_a_core_fetches_for_its_next_task(attention: Report) -> None:
    # Four tasks, two for each core. A head of q, k, v or the result is 48 x 32: 6 KiB, which pays and fits.
    (function,) = {region.final_function for region in attention.regions}
    found = {(each.function, each.type, each.use) for each in attention.fetched_ahead}
    assert found == {(function, "f32[2, 2, 48, 32]", "read"), (function, "f32[2, 48, 2, 32]", "written")}
    assert len({each.tensor for each in attention.fetched_ahead}) == 4
    assert all(each.bytes_at_once % (4 * 32) == 0 for each in attention.fetched_ahead), "whole rows"


def test_a_plan_for_56_cores(save: Save) -> None:
    path = save(mlp((64, 512, 256), 448))
    report = explain(path, {}, "spr-56", None)
    assert report.machine["cores"] == 56 and report.machine["name"] == "spr-56"
    grids = [grid for grid in report.grids if grid.function.startswith(("merged", "matmul"))]
    assert grids and all(grid.busy_cores == min(56, grid.tasks) for grid in grids)
    assert all(grid.most * 56 >= grid.tasks > (grid.most - 1) * 56 for grid in grids)
    assert explain(path, {}, "spr-56", 4).machine["cores"] == 4


def test_targets() -> None:
    assert plan_machine("spr-56", None) == PRESETS["spr-56"], "no features of this CPU are needed"
    assert plan_machine("avx2", 3).cores == 3
    assert plan_machine(None, 2).name == plan_machine("host", 2).name == host().name
    with pytest.raises(CompileError, match="unknown target 'spr'"):
        plan_machine("spr", None)
    with pytest.raises(CompileError, match="threads: expected an integer from 1"):
        plan_machine("avx2", 0)


def test_free_dimensions(save: Save) -> None:
    path = save(mlp((8, 16), "n"))
    with pytest.raises(CompileError, match=r"input x: float32\[n, 8\]: give its shape with --shape x="):
        explain(path, {}, None, 1)
    assert explain(path, {"n": 4}, None, 1).inputs == ["x: float32[4, 8]"]


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(CompileError, match="cannot read the model"):
        explain(str(tmp_path / "absent.onnx"), {}, None, 1)
