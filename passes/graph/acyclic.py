"""Groups of nodes that never depend on each other in a circle.

Fusing replaces a group of nodes by one node. Two groups may each be harmless and still wait for each other;
so groups are merged here, one pair at a time, on the graph in which every group already is one node. An order
of the groups in which each follows what it uses is kept up to date; a merge looks only at the part of the
order between the two.
"""

from collections.abc import Iterable, Sequence


class Condensation:
    """A directed acyclic graph whose nodes can be merged.

    A group is named by one of its nodes; `group_of` gives it. Nodes are numbered in an order in which every
    edge goes upwards.
    """

    def __init__(self, count: int, edges: Iterable[tuple[int, int]]) -> None:
        """Begin with ``count`` groups of one node, and ``edges`` (from, to) with from < to."""
        self._parent = list(range(count))
        self._members: dict[int, list[int]] = {node: [node] for node in range(count)}
        self._next: list[set[int]] = [set() for _ in range(count)]
        self._previous: list[set[int]] = [set() for _ in range(count)]
        self._order: list[int | None] = list(range(count))
        self._position = list(range(count))
        for source, target in edges:
            self._next[source].add(target)
            self._previous[target].add(source)

    def group_of(self, node: int) -> int:
        """The group that ``node`` is in."""
        return self._parent[node]

    def members(self, group: int) -> Sequence[int]:
        """The nodes of ``group``, in rising order."""
        return sorted(self._members[group])

    def order(self) -> list[int]:
        """All groups, each after the groups that it uses."""
        return [group for group in self._order if group is not None]

    def depends(self, node: int, on: int) -> bool:
        """Whether the group of ``node`` uses the group of ``on``, directly or through others."""
        source, target = self._parent[on], self._parent[node]
        return source != target and target in self._reached(source, self._position[target])

    def can_merge(self, first: int, second: int) -> bool:
        """Whether no path between the two groups leads through a third."""
        return self._between(first, second) is not None

    def merge(self, first: int, second: int) -> bool:
        """Make one group of the groups of two nodes; False, and nothing done, where that closes a circle."""
        after = self._between(first, second)
        if after is None:
            return False
        low, high = self._sorted(first, second)
        if low != high:
            self._reorder(low, high, after)
            self._absorb(low, high)
        return True

    def _sorted(self, first: int, second: int) -> tuple[int, int]:
        pair = (self._parent[first], self._parent[second])
        return pair if self._position[pair[0]] <= self._position[pair[1]] else (pair[1], pair[0])

    def _between(self, first: int, second: int) -> set[int] | None:
        """Groups between the two that use the lower; None where the upper uses one of them."""
        low, high = self._sorted(first, second)
        between = self._reached(low, self._position[high], without=high)
        return None if between & self._previous[high] else between

    def _reached(self, source: int, limit: int, without: int = -1) -> set[int]:
        """Groups that use ``source`` and stand no later than ``limit`` in the order."""
        reached: set[int] = set()
        stack = [source]
        while stack:
            for group in self._next[stack.pop()]:
                if group not in reached and group != without and self._position[group] <= limit:
                    reached.add(group)
                    stack.append(group)
        return reached

    def _reorder(self, low: int, high: int, after: set[int]) -> None:
        """Put the merged group behind all between the two but those that use it."""
        begin, end = self._position[low], self._position[high]
        window = [group for group in self._order[begin : end + 1] if group is not None]
        others = [group for group in window if group not in (low, high)]
        window = [group for group in others if group not in after] + [low]
        window += [group for group in others if group in after]
        self._order[begin : end + 1] = window + [None] * (end + 1 - begin - len(window))
        for position, group in enumerate(window, start=begin):
            self._position[group] = position

    def _absorb(self, low: int, high: int) -> None:
        for node in self._members[high]:
            self._parent[node] = low
        self._members[low] += self._members.pop(high)
        for edges, back in ((self._next, self._previous), (self._previous, self._next)):
            for group in edges[high]:
                back[group].discard(high)
                if group != low:
                    back[group].add(low)
                    edges[low].add(group)
            edges[low].discard(high)
            edges[high] = set()
