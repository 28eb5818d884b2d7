"""The preset that an environment variable puts in the place of the host."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import tilewright
from tilewright.dialects.diagnostics import CompileError
from tilewright.lowering.target import presets
from tilewright.lowering.target.presets import HOST_VARIABLE, PRESETS, host, lacking
from tilewright.passes.core.machine import named_machine
from tilewright.runtime.threads import thread_count


def _this_cpu(monkeypatch: pytest.MonkeyPatch, **changes: object) -> None:
    """Pretend that this CPU is the preset ``avx512`` with ``changes``."""
    machine = replace(PRESETS["avx512"], name="host", **changes)  # type: ignore[arg-type]
    monkeypatch.setattr(presets, "detected", lambda: machine)


@pytest.mark.parametrize("value", ["", " ", "host"])
def test_without_a_wish_it_is_this_cpu(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    _this_cpu(monkeypatch, cores=7)
    monkeypatch.setenv(HOST_VARIABLE, value)
    assert (host().name, host().cores, thread_count(None, {})) == ("host", 7, 7)


def test_a_preset_in_the_place_of_the_host(monkeypatch: pytest.MonkeyPatch) -> None:
    _this_cpu(monkeypatch, features=PRESETS["zen5-16"].features)
    monkeypatch.setenv(HOST_VARIABLE, "zen5-16")
    assert host() == named_machine("host") == PRESETS["zen5-16"]
    assert thread_count(None, {}) == 16


def test_a_preset_this_cpu_has_no_features_for(monkeypatch: pytest.MonkeyPatch) -> None:
    _this_cpu(monkeypatch)
    monkeypatch.setenv(HOST_VARIABLE, "avx512-bf16")
    with pytest.raises(CompileError, match=r"'avx512-bf16' needs avx512bf16, avx512vnni, which this CPU"):
        named_machine("host")
    assert lacking(PRESETS["avx512-bf16"]) == ("avx512bf16", "avx512vnni")
    assert lacking(PRESETS["avx2"]) == ()


def test_an_unknown_preset_ends_each_program_with_one_message(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "empty.mlir"
    file.write_text("module {}")
    monkeypatch.setenv(HOST_VARIABLE, "zen9")
    with pytest.raises(CompileError, match=r"TILEWRIGHT_HOST: unknown target 'zen9'; one of host, avx2, "):
        tilewright.compile(file)
    program = str(Path(sys.executable).parent / "tilewright-opt")
    done = subprocess.run([program, str(file), "--cores", "2"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("error: TILEWRIGHT_HOST: unknown target 'zen9'")
