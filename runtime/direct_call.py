"""Calls that go from Python into native code at once: see `direct_code` for what that code does."""

import ctypes
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from tilewright.runtime.call_layout import CallLayout
from tilewright.runtime.direct_code import ADDRESSES, SYMBOLS
from tilewright.runtime.memory import ArenaPool, allocator
from tilewright.runtime.native import Entry, NativeModule, make_table

METH_FASTCALL = 0x80

_FastFunction = Callable[..., Any]


class DirectCalls(NamedTuple):
    """Two functions; either gives an array, or a tuple where there are several outputs, or NotImplemented.

    Attributes:
        to_new: takes the inputs.
        into: takes the inputs and an array for each output.
    """

    to_new: _FastFunction
    into: _FastFunction


class _Method(ctypes.Structure):
    """PyMethodDef."""

    _fields_ = [
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("documentation", ctypes.c_char_p),
    ]


class _Words(np.ndarray):
    """The words of `direct_code.Words`; keeps alive what they point to and the code that reads them."""

    owned: Any = None


def direct_calls(
    native: NativeModule,
    main: Entry,
    layout: CallLayout,
    constants: Sequence[np.ndarray],
    arenas: ArenaPool,
) -> DirectCalls:
    """The functions of a module that `emit_direct_calls` went over.

    Args:
        native: its machine code.
        main: its entry, which reports what its record of faults holds.
        layout: that it was given.
        constants: the weights, in the order of their slots.
        arenas: where scratch memory comes from.
    """
    methods = [
        _Method(symbol.encode(), function, METH_FASTCALL, None)
        for symbol, function in zip(SYMBOLS, _addresses(native), strict=True)
    ]
    dtypes = [info.dtype for info in (*layout.inputs, *layout.outputs)]
    makers = [allocator(info.fixed_shape or (), info.dtype) for info in layout.outputs]
    objects = [np.ndarray, NotImplemented, arenas.pop, arenas.push, main.report, *dtypes, *makers]
    words = np.array([*map(id, objects), *layout.table(constants)], np.uint64).view(_Words)
    words.owned = (native, methods, objects, constants)
    make = ctypes.pythonapi["PyCFunction_NewEx"]
    make.restype, make.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p)
    return DirectCalls(*(make(ctypes.addressof(method), words, None) for method in methods))


def _addresses(native: NativeModule) -> list[int]:
    """Where the functions are: the execution engine hands out wrappers only."""
    found = (ctypes.c_uint64 * len(SYMBOLS))()
    table, call_address = make_table(0)
    table[0] = ctypes.addressof(found)
    native.function(ADDRESSES)(call_address)
    return list(found)
