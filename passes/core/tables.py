"""Tables by name: what is registered twice is a mistake, never a replacement."""

from typing import Any


def enter_once(table: dict[str, Any], kind: str, name: str, entry: object) -> None:
    """Enter ``entry`` in ``table`` under ``name``; ``kind`` says in the error what it is.

    Raises:
        ValueError: the name is taken.
    """
    if name in table:
        raise ValueError(f"{kind} {name} is registered twice")
    table[name] = entry
