"""Files that commands write."""

import os
from pathlib import Path

import pytest

from tilewright.dialects.diagnostics import CompileError
from tilewright.tools.files import check_folder, check_output, replacing


def test_what_could_not_be_written_is_refused(tmp_path: Path) -> None:
    check_output("-o", None)
    check_output("-o", tmp_path / "new.npz", [".npz"])
    assert not list(tmp_path.iterdir()), "a check leaves nothing behind"
    for path, message in {
        tmp_path: "it is a directory",
        tmp_path / "absent" / "x": "No such file or directory",
        Path("/dev/null/x"): "Not a directory",
    }.items():
        with pytest.raises(CompileError, match=f"^--json: cannot write {path}: {message}$"):
            check_output("--json", path)
    with pytest.raises(
        CompileError, match=r"^--plot: expected a name that ends in .png, .svg, given 'x.foo'$"
    ):
        check_output("--plot", Path("x.foo"), [".png", ".svg"])
    check_output("--plot", tmp_path / "X.PNG", [".png"])
    check_output("-o", Path("/dev/null"))


def test_folders_are_made_and_tried(tmp_path: Path) -> None:
    check_folder("--dump-ir", None)
    check_folder("--dump-ir", tmp_path / "a" / "b")
    assert (tmp_path / "a" / "b").is_dir()
    (tmp_path / "file").touch()
    for path in (tmp_path / "file", tmp_path / "file" / "x"):
        with pytest.raises(CompileError, match=f"^--dump-ir: cannot write {path}: "):
            check_folder("--dump-ir", path)


def test_a_file_is_whole_or_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "out.txt"
    path.write_text("before")
    before = path.stat().st_mode
    with pytest.raises(RuntimeError), replacing("-o", path) as place:
        place.write_text("half")
        raise RuntimeError
    assert path.read_text() == "before" and os.listdir(tmp_path) == ["out.txt"]
    with replacing("-o", path) as place:
        place.write_text("after")
    assert (
        path.read_text() == "after" and path.stat().st_mode == before and os.listdir(tmp_path) == ["out.txt"]
    )


def test_links_and_devices_stay_what_they_are(tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    link.symlink_to(target)
    with replacing("-o", link) as place:
        place.write_text("text")
    assert link.is_symlink() and target.read_text() == "text"
    with replacing("-o", Path("/dev/null")) as place:
        place.write_text("text")
    assert Path("/dev/null").is_char_device()
