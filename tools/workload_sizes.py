"""The paper's workloads by name, and what else `tilewright bench` may be asked for; plain values."""

from dataclasses import dataclass

MLPS: dict[str, tuple[int, ...]] = {
    "mlp1": (13, 512, 256, 128),
    "mlp2": (479, 1024, 1024, 512, 256, 1),
}


@dataclass(frozen=True)
class Attention:
    """Sizes of multi-head attention.

    Attributes:
        sequence: positions S.
        hidden: width of all heads together.
        heads: how many, H; each is D = hidden / heads wide.
    """

    sequence: int
    hidden: int
    heads: int

    @property
    def depth(self) -> int:
        """Width D of one head."""
        return self.hidden // self.heads


MHAS: dict[str, Attention] = {
    "mha1": Attention(128, 768, 8),
    "mha2": Attention(128, 768, 12),
    "mha3": Attention(384, 1024, 8),
    "mha4": Attention(512, 1024, 16),
}

SUITES = {
    "mlp": "mlp1 and mlp2 at five batches",
    "mha": "mha1 to mha4 at three batches",
    "matmul-sweep": "single matmuls, the second operand constant and variable",
    "minilm": "a sentence encoder of three layers at 1x128 and 8x128",
}
PEERS = ("onnxruntime", "openvino", "torch", "inductor", "sdpa", "numpy")
