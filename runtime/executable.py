"""A compiled model: numpy arrays in, numpy arrays out, callable from several threads at once.

Each set of input shapes has its own native code. A model with fixed shapes is compiled once; one with free
dimensions is specialised at the first call for each new set of shapes, and the least recently used
specialisation is dropped when there are too many.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from tilewright.dialects.diagnostics import CompileError
from tilewright.runtime.arrays import accept, check_count, check_symbols, fits, is_shape, select_feeds
from tilewright.runtime.known_calls import Key, KnownCalls
from tilewright.runtime.outputs import ordered_out
from tilewright.runtime.signature import TensorInfo
from tilewright.runtime.specialisation import Specialisation

Shapes = dict[str, tuple[int, ...]]
Compiler = Callable[[Shapes, frozenset[str]], Specialisation]


class Executable:
    """A compiled model.

    ``exe(x, y)`` takes arrays in graph order and returns an array, or a tuple where the model has several
    outputs; ``exe.run({"x": x})`` takes and returns them by name.

    Attributes:
        inputs: name, shape and element type of each input that must be given.
        outputs: the same for the outputs, in graph order.
        overridable: weights that the model also lists as inputs: `run` may be fed another value.
    """

    def __init__(
        self,
        inputs: Sequence[TensorInfo],
        outputs: Sequence[TensorInfo],
        compiler: Compiler,
        overridable: Sequence[TensorInfo] = (),
        specialisations: int = 16,
    ) -> None:
        """Made by `tilewright.compile`.

        Args:
            inputs: see above.
            outputs: see above.
            compiler: compiles for input shapes by name and the set of weights that are fed.
            overridable: see above.
            specialisations: how many sets of input shapes to keep, 1 or more.

        Raises:
            CompileError: ``specialisations`` is less than 1.
        """
        if not isinstance(specialisations, int) or specialisations < 1:
            raise CompileError(f"specialisations: expected 1 or more, given {specialisations!r}")
        self.inputs = tuple(inputs)
        self.outputs = tuple(outputs)
        self.overridable = tuple(overridable)
        self._compiler = compiler
        self._most = specialisations
        self._ready: OrderedDict[Key, Specialisation] = OrderedDict()
        self._known = KnownCalls(self._touch)
        self._lock = threading.Lock()
        self._input_names = tuple(info.name for info in self.inputs)
        self._input_set = frozenset(self._input_names)
        self._output_names = tuple(info.name for info in self.outputs)

    def __call__(self, *arrays: Any, out: Any = None) -> Any:
        """Run on ``arrays`` in the order of `inputs`.

        Args:
            arrays: numpy arrays, or objects that speak DLPack.
            out: an array, or a sequence or mapping of arrays, that take the results; None for new ones.

        Returns:
            An array where there is one output, else a tuple.

        Raises:
            CompileError: an array is not what the model takes, or the model cannot take these shapes.
        """
        results = self._run_directly(arrays, out)
        return results if results is not NotImplemented else self._admit_and_run(arrays, out)

    def run(self, feeds: Mapping[str, Any], out: Any = None) -> dict[str, np.ndarray]:
        """Run on arrays by name.

        Args:
            feeds: an array for each of `inputs`, and for any of `overridable`.
            out: as for a call.

        Returns:
            The outputs by name, in graph order.

        Raises:
            CompileError: as for a call, or a name is missing or unknown.
        """
        arrays, fed = self._in_order(feeds)
        results = NotImplemented if fed else self._run_directly(arrays, out)
        if results is NotImplemented:
            results = self._admit_and_run(arrays, out, fed)
        if len(self._output_names) == 1:
            results = (results,)
        return dict(zip(self._output_names, results, strict=True))

    def prepare(self, shapes: Mapping[str, Sequence[int]] | None = None) -> Specialisation:
        """Compile for input shapes by name, if that has not been done, without running.

        Args:
            shapes: extents of each input; those with fixed shapes may be left out.

        Raises:
            CompileError: a shape is missing or does not fit.
        """
        if not isinstance(shapes, (Mapping, type(None))):
            raise CompileError(f"shapes: expected a mapping by name, given {shapes!r}")
        given = dict(shapes or {})
        arrays = []
        for info in self.inputs:
            shape = given.pop(info.name, info.fixed_shape)
            if not is_shape(shape) or not fits(shape, info.shape):
                raise CompileError(f"input '{info.name}': expected a shape for {info}, given {shape!r}")
            # One element seen everywhere: the shape and type without the memory.
            arrays.append(np.broadcast_to(np.zeros((), info.dtype), shape))
        if given:
            known = list(self._input_names)
            raise CompileError(f"shapes: expected inputs among {known}, given {sorted(given)}")
        return self._specialise(arrays, ())

    @property
    def specialisations(self) -> int:
        """How many sets of input shapes are compiled at present."""
        return len(self._ready)

    def __repr__(self) -> str:
        inputs, outputs = (", ".join(map(str, infos)) for infos in (self.inputs, self.outputs))
        return f"<Executable ({inputs}) -> ({outputs})>"

    def _in_order(self, feeds: Mapping[str, Any]) -> tuple[Sequence[Any], tuple[str, ...]]:
        """The arrays of all fed inputs in order, and the names of the weights among them."""
        if type(feeds) is dict and feeds.keys() == self._input_set:
            return [feeds[name] for name in self._input_names], ()
        if not isinstance(feeds, Mapping):
            raise CompileError(f"inputs: expected a mapping by name, given {type(feeds).__name__}")
        names = select_feeds(feeds, self._input_names, [info.name for info in self.overridable])
        return [feeds[name] for name in names], tuple(names[len(self.inputs) :])

    def _ordered(self, out: Any) -> Sequence[Any]:
        """``out`` with one entry for each output."""
        single = type(out) is np.ndarray and len(self._output_names) == 1
        return (out,) if single else ordered_out(out, self._output_names)

    def _run_directly(self, arrays: Sequence[Any], out: Any) -> Any:
        """The results, if a specialisation that was called before takes ``arrays`` as they are.

        NotImplemented otherwise.
        """
        return self._known.run(arrays, None if out is None else self._ordered(out))

    def _admit_and_run(self, values: Sequence[Any], out: Any, fed: tuple[str, ...] = ()) -> Any:
        """The same after checks, conversions, and compilation where need be."""
        arrays = self._admit(values, fed)
        found = self._specialise(arrays, fed)
        results = found.call(arrays, None if out is None else self._ordered(out))
        key = _key_of(arrays, fed)
        with self._lock:
            if found.direct is not None and not fed and key in self._ready:
                self._known.add(arrays, found.direct, key)
        return results[0] if len(results) == 1 else tuple(results)

    def _touch(self, key: Key) -> None:
        # Another thread may have dropped it meanwhile; the caller still holds it.
        with suppress(KeyError):
            self._ready.move_to_end(key)

    def _admit(self, values: Sequence[Any], fed: tuple[str, ...]) -> list[np.ndarray]:
        """Check and convert the arrays."""
        infos = [*self.inputs, *(info for info in self.overridable if info.name in fed)]
        check_count(len(values), infos)
        arrays = [accept(value, info) for value, info in zip(values, infos, strict=True)]
        check_symbols(arrays, infos)
        return arrays

    def _specialise(self, arrays: Sequence[np.ndarray], fed: tuple[str, ...]) -> Specialisation:
        """Find or make the specialisation for ``arrays``."""
        key = _key_of(arrays, fed)
        with self._lock:
            found = self._ready.get(key)
            if found is None:
                names = (*self._input_names, *fed)
                shapes = {name: array.shape for name, array in zip(names, arrays, strict=True)}
                found = self._compiler(shapes, frozenset(fed))
                self._ready[key] = found
                while len(self._ready) > self._most:
                    self._known.drop(self._ready.popitem(last=False)[0])
            else:
                self._touch(key)
            return found


def _key_of(arrays: Sequence[np.ndarray], fed: tuple[str, ...]) -> Key:
    """What tells specialisations apart."""
    return (*[part for array in arrays for part in (array.shape, array.dtype)], *fed)
