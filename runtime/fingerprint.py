"""The identity of what ``@init`` computes, so that equal packed weights are kept once.

Two specialisations of a model (batch 1 and batch 8) often want the same weights in the same form. A result of
``@init`` is identified by the operations that lead to it, with their attributes and types, and by the
weights it starts from; SSA names, locations and unrelated operations do not count.
"""

import hashlib
from collections.abc import Mapping

import numpy as np

from tilewright.dialects.mlir import func, ir


def data_fingerprint(array: np.ndarray) -> str:
    """A digest of the elements, shape and type of an array."""
    digest = hashlib.sha256(f"{array.dtype}{array.shape}".encode())
    digest.update(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
    return digest.hexdigest()


def result_fingerprints(function: func.FuncOp, identities: Mapping[str, str]) -> tuple[str, ...]:
    """A digest for each result of an ``@init`` function in Graph IR.

    Args:
        function: one block, arguments with ``graph.name``, ends in ``func.return``.
        identities: what identifies the data of each weight, by name.
    """
    block = function.body.blocks[0]
    known: dict[ir.Value, str] = {}
    attributes = function.attributes.get("arg_attrs", [])
    for argument, entry in zip(block.arguments, attributes, strict=bool(len(attributes))):
        name = ir.StringAttr(entry["graph.name"]).value
        known[argument] = _digest("weight", identities[name], str(argument.type))
    _walk(block, known)
    *_, terminator = block.operations
    return tuple(known[value] for value in terminator.operands)


def _walk(block: ir.Block, known: dict[ir.Value, str]) -> str:
    """Give each value of ``block`` a digest; returns the digest of the whole block."""
    parts: list[str] = []
    for op in block.operations:
        digest = _operation(op.operation, known)
        parts.append(digest)
        for position, result in enumerate(op.operation.results):
            known[result] = _digest(digest, str(position))
    return _digest(*parts)


def _operation(op: ir.Operation, known: dict[ir.Value, str]) -> str:
    attributes = sorted(f"{name}={op.attributes[name]}" for name in op.attributes)
    types = [str(result.type) for result in op.results]
    operands = [known[value] for value in op.operands]
    return _digest(op.name, *attributes, *types, *operands, *_regions(op, known))


def _regions(op: ir.Operation, known: dict[ir.Value, str]) -> list[str]:
    digests = []
    for region in op.regions:
        for block in region.blocks:
            for position, argument in enumerate(block.arguments):
                known[argument] = _digest("argument", str(position), str(argument.type))
            digests.append(_walk(block, known))
    return digests


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()
