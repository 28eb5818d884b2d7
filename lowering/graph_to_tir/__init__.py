"""Graph IR to Tensor IR: one function for each fused op, and entries that call them in order.

`convert.py` is the pass. `elementwise.py` computes one op on vectors or scalars, `loops.py` runs an op over a
box of memory, `views.py` turns data movement into strided memrefs where it can. The rules of each op stand in
the file named as the op's own in ``dialects/graph/ops``.
"""
