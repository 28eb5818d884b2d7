"""Rewrites an IR into the same IR; pipelines order the passes."""

if __name__ != "tilewright.passes":
    raise ImportError(f"import 'tilewright.passes', not {__name__!r}: a second copy would define every class twice")
