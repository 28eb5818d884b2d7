"""Our pipeline with one optimisation off at a time: what each is worth (the paper's ablation)."""

from tilewright.passes.core.manager import PassPipeline

# Column, the pass it concerns, and the text that stands in the pass's place.
SWITCHES = (
    ("no coarse-grain", "fuse-coarse-grain", "fuse-coarse-grain{enabled=false}"),
    ("no fine-grain", "fuse-fine-grain", "fuse-fine-grain{enabled=false}"),
    ("no layouts", "propagate-layouts", "propagate-layouts{enabled=false}"),
    ("no prefetch", "prefetch-next-tasks", "prefetch-next-tasks{enabled=false}"),
    ("no buffer reuse", "reuse-buffers", "reuse-buffers{share=false}"),
)


def ablations(base: PassPipeline) -> dict[str, PassPipeline]:
    """``base`` with each of `SWITCHES` off, by column; a switch whose pass ``base`` lacks is left out."""
    return {column: base.replaced(text) for column, name, text in SWITCHES if name in base.names}
