"""Turns one IR into the next, down to LLVM."""

if __name__ != "tilewright.lowering":
    raise ImportError(
        f"import 'tilewright.lowering', not {__name__!r}: a second copy would define every class twice"
    )
