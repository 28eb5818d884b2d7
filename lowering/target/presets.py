"""Named machines, and the one this process runs on.

The environment variable `HOST_VARIABLE` puts a preset in the host's place, so that every decision can be
tried as another CPU would take it; the CPU must have the preset's features, for the code is run.
"""

import os
from functools import cache
from pathlib import Path

from tilewright.lowering.target.machine import Machine

_AVX2 = frozenset({"sse4.2", "avx", "avx2", "fma", "f16c", "bmi", "bmi2", "popcnt", "lzcnt", "movbe"})
_AVX512 = _AVX2 | {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}
_VNNI = _AVX512 | {"avx512vnni"}
_BF16 = _VNNI | {"avx512bf16"}
_AMX = _BF16 | {"amx-tile", "amx-int8", "amx-bf16"}
_KIB = 1024

HOST_VARIABLE = "TILEWRIGHT_HOST"
"""Name of the environment variable that names the preset to take for the host."""


def _make(
    name: str, features: frozenset[str], cores: int, caches: tuple[int, int, int], cpu: str, fma: int = 2
) -> Machine:
    wide = "avx512f" in features
    l1, l2, l3 = (size * _KIB for size in caches)
    return Machine(name, cores, 512 if wide else 256, features, 32 if wide else 16, l1, l2, l3, cpu, fma)


PRESETS: dict[str, Machine] = {
    machine.name: machine
    for machine in (
        _make("avx2", _AVX2, 2, (32, 256, 8192), "haswell"),
        _make("avx512", _AVX512, 2, (32, 1024, 32768), "skylake-avx512"),
        _make("avx512-vnni", _VNNI, 2, (32, 1024, 32768), "cascadelake"),
        _make("avx512-bf16", _BF16, 2, (32, 1024, 32768), "cooperlake"),
        _make("spr-56", _AMX, 56, (48, 2048, 107520), "sapphirerapids"),
        _make("zen4-16", _BF16, 16, (32, 1024, 65536), "znver4", fma=1),
        # Zen 5 has avxvnni too: 256-bit forms of what avx512vnni gives it at full width.
        _make("zen5-16", _BF16, 16, (48, 1024, 65536), "znver5"),
        _make("arrow-lake-8", _AVX2 | {"avxvnni"}, 8, (48, 3072, 36864), "arrowlake-s"),
    )
}

# Spelling of the kernel's flags where LLVM's differs.
_LLVM_NAMES = {
    "sse4_2": "sse4.2",
    "avx512_vnni": "avx512vnni",
    "avx512_bf16": "avx512bf16",
    "avx512_fp16": "avx512fp16",
    "avx_vnni": "avxvnni",
    "bmi1": "bmi",
    "abm": "lzcnt",
    "3dnowprefetch": "prfchw",
    "amx_tile": "amx-tile",
    "amx_int8": "amx-int8",
    "amx_bf16": "amx-bf16",
}
_KNOWN = _AMX | {"avxvnni", "avx512fp16", "prfchw"}


def _cpu_fields() -> dict[str, str]:
    """What the kernel says of the first CPU."""
    text = Path("/proc/cpuinfo").read_text(encoding="ascii", errors="replace")
    lines = (line.partition(":") for line in text.split("\n\n")[0].splitlines())
    return {name.strip(): value.strip() for name, _, value in lines}


def _features(flags: str) -> frozenset[str]:
    """The known features among the kernel's ``flags``."""
    return frozenset(_LLVM_NAMES.get(flag, flag) for flag in flags.split()) & _KNOWN


def _fma_per_cycle(cpu: dict[str, str], features: frozenset[str]) -> int:
    """One of 512 bits on Zen 4, whose units are 256 bits wide; else two."""
    is_zen4 = cpu.get("vendor_id") == "AuthenticAMD" and cpu.get("cpu family") == "25"
    return 1 if is_zen4 and "avx512f" in features else 2


def _cache_kib(level: int, default: int) -> int:
    for index in Path("/sys/devices/system/cpu/cpu0/cache").glob("index*"):
        kind = (index / "type").read_text(encoding="ascii").strip()
        if kind != "Instruction" and int((index / "level").read_text(encoding="ascii")) == level:
            size = (index / "size").read_text(encoding="ascii").strip()
            return int(size.removesuffix("K"))
    return default


def available_cores() -> int:
    """CPUs this process may use: the affinity mask, capped by the cgroup's CPU quota."""
    cores = len(os.sched_getaffinity(0))
    try:
        quota, period = Path("/sys/fs/cgroup/cpu.max").read_text(encoding="ascii").split()
    except (OSError, ValueError):
        return cores
    return cores if quota == "max" else max(1, min(cores, int(quota) // int(period)))


def host() -> Machine:
    """The machine to compile for by default: this one, or the preset that `HOST_VARIABLE` names.

    Raises:
        ValueError: the CPU lacks AVX2 and FMA, the least that code is generated for; the variable names no
            preset, or one whose features this CPU lacks.
    """
    name = os.environ.get(HOST_VARIABLE, "").strip()
    return detected() if name in ("", "host") else _in_place_of_host(name)


def lacking(machine: Machine) -> tuple[str, ...]:
    """The features of ``machine`` that this CPU does not have, sorted.

    Raises:
        ValueError: the CPU lacks AVX2 and FMA.
    """
    return tuple(sorted(machine.features - detected().features))


def _in_place_of_host(name: str) -> Machine:
    if name not in PRESETS:
        raise ValueError(f"{HOST_VARIABLE}: unknown target '{name}'; one of host, {', '.join(PRESETS)}")
    missing = lacking(PRESETS[name])
    if missing:
        raise ValueError(f"{HOST_VARIABLE}: target '{name}' needs {', '.join(missing)}, which this CPU lacks")
    return PRESETS[name]


@cache
def detected() -> Machine:
    """The machine this process runs on, as the kernel describes it; called ``host``.

    Raises:
        ValueError: the CPU lacks AVX2 and FMA, the least that code is generated for.
    """
    cpu = _cpu_fields()
    flags = _features(cpu.get("flags", ""))
    if not flags >= {"avx2", "fma"}:
        raise ValueError("this CPU lacks AVX2 or FMA; code is generated for AVX2+FMA and up")
    features = flags if flags >= _AVX512 else flags & (_AVX2 | {"avxvnni"})
    caches = (_cache_kib(1, 32), _cache_kib(2, 256), _cache_kib(3, 8192))
    return _make("host", features, available_cores(), caches, "", _fma_per_cycle(cpu, features))
