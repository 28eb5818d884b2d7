"""Command-line programs."""

if __name__ != "tilewright.tools":
    raise ImportError(f"import 'tilewright.tools', not {__name__!r}: a copy would define every class twice")
