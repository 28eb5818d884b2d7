"""What native code knows of CPython and numpy: functions of the one, fields of the other's arrays."""

import ctypes

import numpy as np

from tilewright.runtime.memory import DATA_FIELD

WORD_BYTES = 8

PYTHON_FUNCTIONS = {
    "Py_IncRef": "void (ptr)",
    "Py_DecRef": "void (ptr)",
    "PyBytes_FromStringAndSize": "ptr (ptr, i64)",
    "PyErr_Clear": "void ()",
    "PyEval_SaveThread": "ptr ()",
    "PyEval_RestoreThread": "void (ptr)",
    "PyObject_CallNoArgs": "ptr (ptr)",
    "PyObject_CallOneArg": "ptr (ptr, ptr)",
    "PyTuple_New": "ptr (i64)",
    "PyTuple_SetItem": "i32 (ptr, i64, ptr)",
}
"""Their types, by name. References are stolen by the last one only."""

# Fields of any object and of numpy's arrays, in bytes from their start; both are binary interfaces.
TYPE_FIELD = DATA_FIELD - WORD_BYTES
RANK_FIELD, SHAPE_FIELD, DTYPE_FIELD, FLAGS_FIELD = (DATA_FIELD + WORD_BYTES * n for n in (1, 2, 5, 6))
CONTIGUOUS, WRITEABLE = 0x1, 0x400  # in the flags


def _fields_are_known() -> bool:
    """Whether numpy's arrays are laid out as above."""
    array = np.zeros((2, 3), np.float32)
    kind, shape, dtype = (_word(id(array) + field) for field in (TYPE_FIELD, SHAPE_FIELD, DTYPE_FIELD))
    rank, flags = (ctypes.c_int.from_address(id(array) + field).value for field in (RANK_FIELD, FLAGS_FIELD))
    extents = [_word(shape), _word(shape + WORD_BYTES)]
    known = (kind, dtype, rank, extents) == (id(np.ndarray), id(array.dtype), 2, [2, 3])
    return known and flags == array.flags.num


def _word(place: int) -> int:
    return ctypes.c_uint64.from_address(place).value


if not _fields_are_known():
    raise ImportError("this numpy keeps the fields of its arrays elsewhere than known")
