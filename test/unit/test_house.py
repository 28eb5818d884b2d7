"""Where things stand and what may import what: the rules of the house, read from the sources."""

import ast
import importlib.util
import sys
from fnmatch import fnmatch
from functools import cache
from pathlib import Path

import pytest

from tilewright.dialects.graph import OPERATIONS
from tilewright.passes import pipelines
from tilewright.passes.core.base import PASSES
from tilewright.passes.core.options import kebab

try:
    import tomllib
except ImportError:  # Python 3.10
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("dialects", "frontends", "lowering", "passes", "runtime", "tools")

# What each part may import of the others; the longest matching prefix counts, a part may import itself.
_BELOW_PASSES = ("dialects", "passes.core", "lowering.target", "lowering.microkernels", "lowering.templates")
ALLOWED = {
    "dialects": (),
    "frontends": ("dialects",),
    "lowering.target": (),
    "passes.core": ("dialects", "lowering.target"),
    "lowering.microkernels": ("dialects", "passes.core", "lowering.target"),
    "lowering.templates": ("dialects", "passes.core", "lowering.target", "lowering.microkernels"),
    "lowering.graph_to_tir": _BELOW_PASSES,
    "lowering.tir_to_mlir": _BELOW_PASSES,
    "lowering.mlir_to_llvm": _BELOW_PASSES,
    "passes.graph": _BELOW_PASSES,
    "passes.tir": _BELOW_PASSES,
    "passes.pipelines": ("dialects", "passes", "lowering"),
    "passes": (),
    "passes.__init__": ("passes.core", "passes.pipelines"),
    "runtime": ("dialects", "frontends", "lowering", "passes"),
    "tools": (*FOLDERS, ""),
    "": FOLDERS,
}
# Plain Python: decisions that can be made and tested without MLIR.
WITHOUT_MLIR = ("lowering.target.*", "dialects.graph.shapes", "dialects.graph.layout", "*_params")


def _module(path: Path) -> str:
    """Dotted name under ``tilewright``; the façade is the empty name, a package's init is its name."""
    parts = list(path.relative_to(ROOT).with_suffix("").parts)
    parts = parts[1:] if parts[0] == "tilewright" else parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) != 2 else parts)


def _sources() -> list[Path]:
    return [path for folder in (*FOLDERS, "tilewright") for path in sorted((ROOT / folder).rglob("*.py"))]


def _tests() -> list[Path]:
    return sorted((ROOT / "test").rglob("*.py"))


MODULES = {_module(path).removesuffix(".__init__"): path for path in _sources()}


@cache
def _tree(module: str) -> ast.Module:
    return ast.parse(MODULES[module].read_text(encoding="utf-8"))


@cache
def _imports(module: str) -> frozenset[str]:
    """Absolute names of all modules imported anywhere in ``module``; relative ones keep their dots."""
    found = set()
    for node in ast.walk(_tree(module)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = "." * node.level + (node.module or "")
            members = {f"{base}.{alias.name}" for alias in node.names}
            found |= {name if name.removeprefix("tilewright.") in MODULES else base for name in members}
    return frozenset(found)


def _ours(module: str) -> set[str]:
    names = {name for name in _imports(module) if name == "tilewright" or name.startswith("tilewright.")}
    return {name.removeprefix("tilewright").removeprefix(".") for name in names}


def _within(module: str, part: str) -> bool:
    return module == part or module.startswith(part + ".")


def _part(module: str) -> str:
    if module in ("passes", "lowering"):
        return "passes.__init__"
    return max((part for part in ALLOWED if part == "" or _within(module, part)), key=len)


def _pass_modules() -> set[str]:
    return {cls.__module__.removeprefix("tilewright.") for cls in PASSES.values()}


@pytest.mark.parametrize("module", MODULES)
def test_imports_go_one_way(module):
    assert not [name for name in _imports(module) if name.startswith(".")], "relative import"
    part = _part(module)
    for name in _ours(module):
        allowed = _within(name, part) or any(_within(name, other) for other in ALLOWED[part])
        assert allowed, f"{module} ({part}) may not import {name or 'the façade'}"


@pytest.mark.parametrize("module", MODULES)
def test_passes_do_not_import_passes(module):
    if module.startswith(("passes.", "lowering.")) and module != "passes.pipelines":
        assert not _ours(module) & (_pass_modules() - {module}), "imports the module of another pass"


@pytest.mark.parametrize("module", MODULES)
def test_plain_parts_import_no_mlir(module):
    if any(fnmatch(module, pattern) for pattern in WITHOUT_MLIR):
        seen, pending = set(), {module}
        while pending:
            current = pending.pop()
            seen.add(current)
            pending |= {name for name in _ours(current) if name in MODULES} - seen
        assert "dialects.mlir" not in seen, f"{module} reaches MLIR"


def test_dialects_use_mlir_and_numpy_only():
    outside = {"tilewright", "torch_mlir", "numpy", "ml_dtypes"}
    for module in MODULES:
        if _within(module, "dialects"):
            roots = {name.partition(".")[0] for name in _imports(module)}
            assert roots <= outside | sys.stdlib_module_names, module


def test_one_module_names_the_bindings_package():
    name = "_".join(("torch", "mlir"))
    naming = {path for path in (*_sources(), *_tests()) if name in path.read_text(encoding="utf-8")}
    assert naming - {Path(__file__)} == {ROOT / "dialects" / "mlir.py"}


def test_packages_are_the_folders():
    with (ROOT / "pyproject.toml").open("rb") as file:
        packages = set(tomllib.load(file)["tool"]["setuptools"]["packages"])
    folders = {path.parent.relative_to(ROOT) for path in _sources()}
    names = {
        ".".join(folder.parts) if folder.parts[0] == "tilewright" else f"tilewright.{'.'.join(folder.parts)}"
        for folder in folders
    }
    assert packages == names
    assert not [folder for folder in folders if not (ROOT / folder / "__init__.py").exists()]


@pytest.mark.parametrize("folder", FOLDERS)
def test_bare_import_is_refused(folder):
    spec = importlib.util.spec_from_file_location(folder, ROOT / folder / "__init__.py")
    module = importlib.util.module_from_spec(spec)
    with pytest.raises(ImportError, match=f"tilewright.{folder}"):
        spec.loader.exec_module(module)


@pytest.mark.parametrize("name", PASSES)
def test_one_word_for_a_pass(name):
    cls = PASSES[name]
    module = cls.__module__.removeprefix("tilewright.")
    assert kebab(cls.__name__) == name
    if module != "lowering.mlir_to_llvm":
        assert module.rpartition(".")[2] == name.replace("-", "_")
    folder = "/".join(module.split(".")[:2]) if module.startswith("passes.") else "lowering"
    assert (ROOT / "test" / folder / f"{name}.mlir").exists(), f"no lit test test/{folder}/{name}.mlir"
    assert len(cls.__doc__.split("::")) >= 3, "the docstring shows no Before:: and After::"
    assert "1. " in cls.__doc__, "the docstring has no numbered conditions"


def test_every_pass_file_registers_a_pass_and_is_loaded():
    for module in MODULES:
        registers = [
            node
            for node in ast.walk(_tree(module))
            if isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id == "register_pass"
        ]
        assert not registers or module in _pass_modules(), f"{module} is not imported by passes.pipelines"
    named = {text for phase in pipelines.PHASES for text in phase.passes}
    assert set(PASSES) <= named, "a pass that stands in no pipeline"


@pytest.mark.parametrize("name", OPERATIONS)
def test_every_graph_operation_has_a_round_trip(name):
    texts = (path.read_text(encoding="utf-8") for path in (ROOT / "test" / "dialects").rglob("*.mlir"))
    assert any(f'"{name}"' in text for text in texts)


@pytest.mark.parametrize("file", [str(path.relative_to(ROOT)) for path in (*_sources(), *_tests())])
def test_file_is_short_and_clean(file):
    path = ROOT / file
    text = path.read_text(encoding="utf-8")
    assert text.count("\n") <= 300, "more than 300 lines"
    assert ast.get_docstring(ast.parse(text)), "no module docstring"
    if _is_source(path):
        calls = [node.func.id for node in ast.walk(ast.parse(text)) if _is_named_call(node)]
        a_program = path.is_relative_to(ROOT / "tools") or '"__main__"' in text
        banned = {"eval", "exec"} | (set() if a_program else {"print"})
        assert not banned & set(calls)
    if path.is_relative_to(ROOT / "dialects"):
        assert "from __future__ import annotations" not in text


def _is_source(path: Path) -> bool:
    return not path.is_relative_to(ROOT / "test")


def _is_named_call(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name)


def test_passes_erase_by_the_function_that_looks_who_uses_it() -> None:
    """MLIR's own ``erase`` leaves uses of freed memory behind; the file that calls it checks first."""
    checked = ROOT / "passes" / "core" / "erasing.py"
    for path in _sources():
        if path != checked and path.relative_to(ROOT).parts[0] in ("passes", "lowering"):
            assert ".erase()" not in path.read_text(encoding="utf-8"), path
