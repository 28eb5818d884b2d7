"""Transposing a square of vectors in registers by rounds of shuffles."""

from tilewright.dialects.mlir import ir, vector


def transpose(rows: list[ir.Value]) -> list[ir.Value]:
    """The transpose of L vectors of L lanes, L a power of two.

    Round ``s`` exchanges, between vectors whose numbers differ in bit ``s`` alone, the lanes whose numbers
    differ in it: log2(L) rounds of L two-operand shuffles.
    """
    lanes = len(rows)
    result = list(rows)
    step = 1
    while step < lanes:
        exchanged = list(result)
        for low in (i for i in range(lanes) if not i & step):
            pair = (result[low], result[low | step])
            exchanged[low] = _blend(pair, lanes, step, upper=False)
            exchanged[low | step] = _blend(pair, lanes, step, upper=True)
        result = exchanged
        step *= 2
    return result


def _blend(pair: tuple[ir.Value, ir.Value], lanes: int, step: int, upper: bool) -> ir.Value:
    """Lanes without bit ``step`` from the first of the pair and those with it from the second, or crosswise.

    Lower result: lane i is first[i] where the bit is clear, second[i ^ step] where it is set.
    Upper result: lane i is first[i ^ step] where the bit is clear, second[i] where it is set.
    """
    mask = []
    for lane in range(lanes):
        from_second = bool(lane & step)
        crossed = from_second != upper
        source = lane ^ step if crossed else lane
        mask.append(source + lanes * from_second)
    attribute = ir.DenseI64ArrayAttr.get(mask)
    return vector.shuffle(pair[0], pair[1], attribute)
