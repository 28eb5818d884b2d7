"""Merging groups never closes a circle, and the order stays one."""

from hypothesis import given, settings
from hypothesis import strategies as st

from tilewright.passes.graph.acyclic import Condensation


def has_circle(edges: set[tuple[int, int]]) -> bool:
    """Whether the nodes cannot be taken away one by one, those without predecessor first."""
    left = {node for edge in edges for node in edge}
    while left:
        free = {node for node in left if not any(a in left and b == node for a, b in edges)}
        if not free:
            return True
        left -= free
    return False


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_merges(data: st.DataObject) -> None:
    count = data.draw(st.integers(2, 9))
    pairs = [(a, b) for a in range(count) for b in range(a + 1, count)]
    edges = data.draw(st.lists(st.sampled_from(pairs), unique=True))
    groups = Condensation(count, edges)
    name = list(range(count))

    def condensed(names: list[int]) -> set[tuple[int, int]]:
        return {(names[a], names[b]) for a, b in edges if names[a] != names[b]}

    for _ in range(data.draw(st.integers(1, 8))):
        first, second = data.draw(st.integers(0, count - 1)), data.draw(st.integers(0, count - 1))
        merged = [name[first] if each == name[second] else each for each in name]
        legal = not has_circle(condensed(merged))
        assert groups.can_merge(first, second) is legal
        assert groups.merge(first, second) is legal
        name = merged if legal else name
        place = {node: groups.order().index(groups.group_of(node)) for node in range(count)}
        for a, b in edges:
            assert place[a] < place[b] or name[a] == name[b]
        for a in range(count):
            assert {b for b in range(count) if name[b] == name[a]} == set(groups.members(groups.group_of(a)))


def test_depends_leads_through_groups() -> None:
    groups = Condensation(4, [(0, 1), (2, 3)])
    assert not groups.depends(3, on=0)
    assert groups.merge(1, 2)
    assert groups.depends(3, on=0)
    assert not groups.depends(0, on=3)
