"""Make ``build/typing_root``, a tree of links in which the packages stand where they are imported from.

mypy does not read setuptools' ``package-dir``: run ``mypy -p tilewright`` with MYPYPATH at this tree.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("dialects", "frontends", "lowering", "passes", "runtime", "tools")


def make_typing_root(target: Path) -> Path:
    """Make or refresh the tree; returns the folder to put on MYPYPATH."""
    package = target / "tilewright"
    package.mkdir(parents=True, exist_ok=True)
    for old in package.iterdir():
        if old.is_symlink():
            old.unlink()
    sources = [*(ROOT / name for name in FOLDERS), *(ROOT / "tilewright").glob("*.py*")]
    for source in sources:
        if source.name != "__pycache__":
            (package / source.name).symlink_to(source, target_is_directory=source.is_dir())
    return target


if __name__ == "__main__":
    print(make_typing_root(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build" / "typing_root"))
