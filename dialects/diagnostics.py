"""The one error a user sees."""

from collections.abc import Sequence


class CompileError(Exception):
    """A model, an option or an input that cannot be compiled or run, said in terms of what the user gave.

    Attributes:
        message: what is wrong, with the values given and expected.
        location: where, a node name or a source position; empty where there is none.
        reproducer: a command line that shows the same failure; empty where there is none.
        notes: further lines, such as passes that had run.
    """

    def __init__(
        self, message: str, *, location: str = "", reproducer: str = "", notes: Sequence[str] = ()
    ) -> None:
        self.message = message
        self.location = location
        self.reproducer = reproducer
        self.notes = tuple(notes)
        super().__init__(str(self))

    def __str__(self) -> str:
        head = f"{self.location}: {self.message}" if self.location else self.message
        tail = [f"reproduce with: {self.reproducer}"] if self.reproducer else []
        return "\n".join([head, *self.notes, *tail])
