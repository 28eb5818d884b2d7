"""Importers: from a file format to the Graph IR."""

if __name__ != "tilewright.frontends":
    raise ImportError(
        f"import 'tilewright.frontends', not {__name__!r}: a second copy would define every class twice"
    )
