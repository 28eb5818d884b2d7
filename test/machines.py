"""Run the lit and the unit tests once for each preset that this CPU can stand in for.

    python test/machines.py [--workers N] [--suites FOLDER ...]

A preset whose features this CPU lacks is named with what is missing, and skipped.
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path

from tilewright.lowering.target.presets import HOST_VARIABLE, PRESETS, lacking

BIN = Path(sys.executable).parent


def commands(workers: int, suites: list[str]) -> list[list[str]]:
    """The lit tests, then the ``suites`` of pytest."""
    lit = [str(BIN / "lit"), "--quiet", "-j", str(workers), "test"]
    return [lit, [str(BIN / "pytest"), "--quiet", "-n", str(workers), *suites]]


def passes(name: str, workers: int, suites: list[str]) -> bool:
    """Whether all tests pass with the preset ``name`` in the host's place."""
    print(f"== {name}", flush=True)
    environment = {**os.environ, HOST_VARIABLE: name}
    codes = [
        subprocess.run(command, env=environment, check=False).returncode
        for command in commands(workers, suites)
    ]
    return not any(codes)


def main() -> int:
    """Run, print one line for each preset, return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--suites", nargs="+", default=["test/unit"], help="Folders of tests for pytest.")
    wishes = parser.parse_args()
    missing = {name: lacking(machine) for name, machine in PRESETS.items()}
    passed = {
        name: passes(name, wishes.workers, wishes.suites) for name, needs in missing.items() if not needs
    }
    print("== summary")
    for name, needs in missing.items():
        outcome = f"skipped, this CPU lacks {', '.join(needs)}" if needs else None
        print(f"{name:14} {outcome or ('passed' if passed[name] else 'FAILED')}")
    return 0 if all(passed.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
