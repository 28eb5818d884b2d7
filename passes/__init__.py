"""Rewrites an IR into the same IR; pipelines order the passes."""

from typing import TYPE_CHECKING, Any

if __name__ != "tilewright.passes":
    raise ImportError(f"import 'tilewright.passes', not {__name__!r}: a copy would define classes twice")

if TYPE_CHECKING:
    from tilewright.passes import pipelines
    from tilewright.passes.core.manager import PassPipeline

__all__ = ["PassPipeline", "pipelines"]


def __getattr__(name: str) -> Any:
    """Import late: passes and lowerings import `passes.core` while `pipelines` imports them."""
    if name != "PassPipeline":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from tilewright.passes import pipelines  # noqa: F401  enters every pass in the table
    from tilewright.passes.core.manager import PassPipeline

    return PassPipeline
