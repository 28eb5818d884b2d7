"""What random graphs of the registry cover: ops, element types, and the places where they come to run."""

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from functools import cached_property

from own_graphs import PROBE, OwnGraph, drawable, element_types
from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table

from tilewright.dialects.base import compiling
from tilewright.dialects.mlir import ir
from tilewright.lowering.graph_to_tir.places import PLACES, places_of
from tilewright.lowering.target.presets import PRESETS
from tilewright.passes.core.machine import attach_machine
from tilewright.passes.pipelines import named

MACHINES = (PRESETS["avx512"], PRESETS["avx2"].with_cores(1))


@dataclass
class Coverage:
    """Counts of models.

    Attributes:
        drawn: by op and element type of its first operand, before any pass.
        placed: by op, element type and place, at the end of the graph phase.
        taken: by op the element types that it takes; ``none`` for one without operands.
    """

    drawn: Counter[tuple[str, str]] = field(default_factory=Counter)
    placed: Counter[tuple[str, str, str]] = field(default_factory=Counter)

    def add(self, graph: OwnGraph, ops: int) -> None:
        """Draw ``ops`` ops in ``graph``, which is empty, and see where they come to run."""
        with compiling():
            text = str(graph.build(ops))
            for machine in MACHINES:
                module = ir.Module.parse(text)
                attach_machine(module.operation, machine)
                named("graph").run(module)
                self.placed.update(set(places_of(module.operation)))
        self.drawn.update(set(graph.drawn))

    @cached_property
    def taken(self) -> dict[str, set[str]]:
        """By op, the element types of its first operand; ``none`` for one without operands."""
        with compiling():
            return {
                op.OPERATION_NAME: {
                    types[0] if types else "none"
                    for number in range(len(op.samples(PROBE)))
                    for types in element_types(op, number)
                }
                for op in drawable()
            }

    @property
    def missing(self) -> dict[str, set[str]]:
        """By op, the element types that it takes and was never drawn with."""
        return {op: left for op, types in self.taken.items() if (left := types - self._types(op))}

    def _types(self, op: str) -> set[str]:
        return {dtype for name, dtype in self.drawn if name == op}

    def print(self, console: Console) -> None:
        """Ops with the places where they ran, places with what ran there, and what was never drawn."""
        table = Table("op", "types drawn", "of", "models", "places", box=SIMPLE)
        for op, types in self.taken.items():
            models = sum(count for (name, _), count in self.drawn.items() if name == op)
            places = {place for name, _, place in self.placed if name == op}
            table.add_row(op, str(len(self._types(op))), str(len(types)), str(models), str(len(places)))
        console.print(table)
        table = Table("place", "ops", "op and type", "models", box=SIMPLE)
        found = defaultdict(list)
        for (op, dtype, place), count in self.placed.items():
            found[place].append((op, dtype, count))
        for place in PLACES:
            there = found[place]
            counts = (len({op for op, _, _ in there}), len(there), sum(count for *_, count in there))
            table.add_row(place, *map(str, counts))
        console.print(table)
        for op, left in self.missing.items():
            console.print(f"never drawn: {op} of {', '.join(sorted(left))}", highlight=False)
        for place in (place for place in PLACES if not found[place]):
            console.print(f"never reached: {place}", highlight=False)
