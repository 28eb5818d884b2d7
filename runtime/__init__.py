"""Compiles a model once and calls it many times."""

if __name__ != "tilewright.runtime":
    raise ImportError(f"import 'tilewright.runtime', not {__name__!r}: a copy would define every class twice")
