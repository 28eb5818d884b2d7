"""The machine that code is generated for, as a plain value; imports no MLIR.

Every decision that depends on hardware is a function of a `Machine`, never of the host: a plan for 56 cores
can be made, printed and tested on 2.
"""

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Machine:
    """Cores, vector width, instruction sets and caches of a CPU.

    Attributes:
        name: the preset's name, or ``host``.
        cores: cores to use, 1 or more.
        vector_bits: width of a vector register, 256 or 512.
        features: LLVM feature names that may be used, for example ``avx512f``.
        vector_registers: architectural vector registers, 16 or 32.
        l1_bytes: data cache of one core.
        l2_bytes: second-level cache of one core.
        l3_bytes: last-level cache, shared.
        cpu: LLVM's CPU name to schedule for, empty for the generic one.
        fma_per_cycle: vector multiply-adds of full width that a core starts in one cycle, 1 or 2.
    """

    name: str
    cores: int
    vector_bits: int
    features: frozenset[str]
    vector_registers: int
    l1_bytes: int
    l2_bytes: int
    l3_bytes: int
    cpu: str = ""
    fma_per_cycle: int = 2

    def __post_init__(self) -> None:
        if self.cores < 1:
            raise ValueError(f"a machine has 1 core or more, given {self.cores}")
        if self.vector_bits not in (256, 512):
            raise ValueError(f"vector width must be 256 or 512 bits, given {self.vector_bits}")

    def lanes(self, element_bytes: int = 4) -> int:
        """Elements of ``element_bytes`` in one vector register."""
        return self.vector_bits // (8 * element_bytes)

    def has(self, *features: str) -> bool:
        """Whether every one of ``features`` may be used."""
        return self.features.issuperset(features)

    def with_cores(self, cores: int) -> "Machine":
        """The same machine with another number of cores."""
        return replace(self, cores=cores)
