"""Random Tensor IR: a row of loop nests that pass matrices to each other, in a function, a loop or a grid."""

from collections.abc import Sequence
from dataclasses import dataclass, field

ROWS, COLUMNS = 6, 5
ARGUMENTS = ("%x", "%y", "%z")
_TYPE = f"memref<{ROWS + 2}x{COLUMNS + 2}xf32>"
_TURNED = f"memref<{COLUMNS + 2}x{ROWS + 2}xf32, strided<[1, {COLUMNS + 2}]>>"


@dataclass
class RandomLoops:
    """A program chosen by ``numbers``; the text is in `lines`.

    Every nest reads one or two matrices and writes one, often at (i, j), sometimes beside it, turned around,
    or in vectors. The matrices are temporaries and arguments; those hold something from the start, so that
    what reads beside what was written is no undefined program.
    """

    numbers: Sequence[int]
    stages: int = 4
    lines: list[str] = field(default_factory=list)
    position: int = 0
    names: int = 0
    written: list[str] = field(default_factory=list)

    def pick(self, count: int) -> int:
        """The next number below ``count``; 0 when the list has run out."""
        self.position += 1
        number = self.numbers[self.position - 1] if self.position <= len(self.numbers) else 0
        return number % count

    def name(self, text: str) -> str:
        """Write an op; returns the name of its result."""
        self.names += 1
        self.lines.append(f"%v{self.names} = {text}")
        return f"%v{self.names}"

    def text(self) -> str:
        """The program."""
        constants = [f"%c{n} = arith.constant {n} : index" for n in range(9)]
        buffers = [f'%t{n} = "tir.buffer"() {{scope = "call"}} : () -> {_TYPE}' for n in range(self.stages)]
        self.lines = [*constants, "%pad = arith.constant 0.0 : f32", *buffers]
        frame = self.pick(3)
        begin, end = "%c0", f"%c{ROWS}"
        if frame:
            self.lines.append(
                '"tir.parallel"() ({\n^bb0(%p: index):'
                if frame == 1
                else f"scf.for %p = %c0 to %c{ROWS // 2} step %c1 {{"
            )
            begin = self.name("arith.muli %p, %c2 : index")
            end = self.name(f"arith.addi {begin}, %c2 : index")
        for stage in range(self.stages):
            self.stage(stage, begin, end)
        if frame:
            self.lines.append('"tir.yield"() : () -> ()\n}) {grid = [3]} : () -> ()' if frame == 1 else "}")
        body = "\n".join(self.lines)
        arguments = ", ".join(f"{name}: {_TYPE}" for name in ARGUMENTS)
        return f"func.func @main({arguments}) {{\n{body}\nreturn\n}}"

    def stage(self, stage: int, begin: str, end: str) -> None:
        """One nest; the last one writes an argument."""
        last = stage == self.stages - 1
        target = ARGUMENTS[self.pick(len(ARGUMENTS))] if last or self.pick(3) == 1 else f"%t{stage}"
        self.written.append(target)
        sources = [self.source(stage) for _ in range(1 + self.pick(2))]
        kind = self.pick(4)
        if kind == 1:
            self.sums(sources[0], target, begin, end)
        elif kind == 2:
            self.vectors(sources, target, begin, end)
        else:
            self.elements(sources, target, begin, end)

    def source(self, stage: int) -> str:
        """The stage before, most often."""
        earlier = [*ARGUMENTS, *self.written[:stage]]
        return earlier[-1] if self.pick(3) else earlier[self.pick(len(earlier))]

    def shift(self, value: str) -> str:
        """``value``, sometimes plus 1."""
        return self.name(f"arith.addi {value}, %c1 : index") if self.pick(6) == 1 else value

    def elements(self, sources: Sequence[str], target: str, begin: str, end: str) -> None:
        self.lines.append(f"scf.for %i = {begin} to {end} step %c1 {{")
        self.lines.append(f"scf.for %j = %c0 to %c{COLUMNS} step %c1 {{")
        loaded = [self.load(source) for source in sources]
        total = self.name(f"arith.addf {loaded[0]}, {loaded[-1]} : f32")
        self.lines.append(f"memref.store {total}, {target}[{self.shift('%i')}, {self.shift('%j')}] : {_TYPE}")
        self.lines.append("}\n}")

    def load(self, source: str) -> str:
        i, j = self.shift("%i"), self.shift("%j")
        view = self.pick(6)
        if view == 1:
            turned = self.name(f"memref.transpose {source} (a, b) -> (b, a) : {_TYPE} to {_TURNED}")
            return self.name(f"memref.load {turned}[{j}, {i}] : {_TURNED}")
        if view == 2:
            row = f"memref<{COLUMNS + 2}xf32, strided<[1], offset: ?>>"
            sizes = f"[1, {COLUMNS + 2}] [1, 1]"
            line = self.name(f"memref.subview {source}[{i}, 0] {sizes} : {_TYPE} to {row}")
            return self.name(f"memref.load {line}[{j}] : {row}")
        return self.name(f"memref.load {source}[{i}, {j}] : {_TYPE}")

    def sums(self, source: str, target: str, begin: str, end: str) -> None:
        self.lines.append(f"scf.for %i = {begin} to {end} step %c1 {{")
        self.names += 1
        result = f"%v{self.names}"
        loop = f"scf.for %j = %c0 to %c{COLUMNS} step %c1 iter_args(%s = %pad) -> (f32)"
        self.lines.append(f"{result} = {loop} {{")
        total = self.name(f"arith.addf %s, {self.load(source)} : f32")
        self.lines.append(f"scf.yield {total} : f32\n}}")
        self.lines.append(f"scf.for %j = %c0 to %c{COLUMNS + 1} step %c1 {{")
        self.lines.append(f"memref.store {result}, {target}[{self.shift('%i')}, %j] : {_TYPE}")
        self.lines.append("}\n}")

    def vectors(self, sources: Sequence[str], target: str, begin: str, end: str) -> None:
        self.lines.append(f"scf.for %i = {begin} to {end} step %c1 {{")
        self.lines.append(f"scf.for %j = %c0 to %c{COLUMNS + 2} step %c4 {{")
        loaded = [self.load_vector(source) for source in sources]
        if self.pick(2):  # the padding must be right, as all lanes count
            loaded[0] = self.name(f"vector.reduction <add>, {loaded[0]} : vector<4xf32> into f32")
            loaded[0] = self.name(f"vector.broadcast {loaded[0]} : f32 to vector<4xf32>")
        total = self.name(f"arith.addf {loaded[0]}, {loaded[-1]} : vector<4xf32>")
        place = f"{target}[{self.shift('%i')}, %j] : vector<4xf32>, {_TYPE}"
        self.lines.append(f"vector.transfer_write {total}, {place}")
        self.lines.append("}\n}")

    def load_vector(self, source: str) -> str:
        place = f"{source}[{self.shift('%i')}, %j], %pad : {_TYPE}, vector<4xf32>"
        return self.name(f"vector.transfer_read {place}")
