"""The two IRs, as MLIR dialects defined from Python."""

if __name__ != "tilewright.dialects":
    raise ImportError(
        f"import 'tilewright.dialects', not {__name__!r}: a second copy would define every class twice"
    )
