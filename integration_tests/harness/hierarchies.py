"""Hierarchies as plain Python: what `dimension_hierarchy` writes for members and parents, or why it refuses them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

Key = str | int
Row = tuple[Any, ...]

WORDS = ["a", "A", "b", "B", " a", "a > b", "O'Hara", 'a "b"', "", "null", "ä", "7", "10", "#", "--", "{{ x }}"]
SHOWN = 5
WALKED = 20


@dataclass(frozen=True)
class Source:
    """Rows of (member, parent), and the options that matter to them."""

    rows: Sequence[tuple[Any, Any]]
    levels: int = 10
    self_parent: str = "error"
    orphans: str = "error"
    types: tuple[str, str] = ("varchar", "varchar")

    @property
    def options(self) -> dict[str, Any]:
        return {"levels": self.levels, "self_parent": self.self_parent, "orphans": self.orphans}

    def parents(self) -> dict[Key, Key | None]:
        """The parent under which each member stands; None for roots."""
        parents = dict(self.rows)
        return {
            member: None if parent not in parents or (parent == member and self.self_parent == "root") else parent
            for member, parent in self.rows
        }


def table(source: Source) -> list[Row]:
    """The rows of the table, sorted by member: member, parent, level, root, path, is_leaf and the levels."""
    parents = source.parents()
    rows = []
    for member, parent in source.rows:
        way = [member]
        while parents[way[0]] is not None:
            way.insert(0, parents[way[0]])
        path = " > ".join(map(str, way))
        places = [*way, *[None] * (source.levels - len(way))]
        rows.append((member, parent, len(way), way[0], path, member not in parents.values(), *places))
    return sorted(rows, key=lambda row: row[0])


def refusals(source: Source) -> dict[str, str]:
    """The text of each guard that fires, by slug."""
    return _wrong_members(source) or _wrong_places(source)


def _wrong_members(source: Source) -> dict[str, str]:
    parents, children = defaultdict(list), defaultdict(list)
    for member, parent in source.rows:
        parents[member].append(parent)
        children[parent].append(member)
    found: dict[str, list[tuple[str, int]]] = defaultdict(list)
    for member, above in parents.items():
        several = len(set(above)) > 1
        slug = "null_key" if member is None else "multiple_parents" if several else "duplicate_key"
        if member is None or len(above) > 1:
            found[slug].append((_text(member) + _under(above), len(above)))
    for parent, below in children.items():
        if source.orphans == "error" and parent is not None and parent not in parents:
            found["orphan_parent"].append((f"{parent} over {min(map(_text, below))}", len(below)))
    words = {
        "null_key": ("unique_key (id) is null", "Filter or complete these rows"),
        "duplicate_key": ("unique_key (id) occurs more than once", "Make the SELECT return one row per member"),
        "multiple_parents": (
            "members have more than one parent",
            "Make the SELECT return one row, with one parent, per member",
        ),
        "orphan_parent": (
            "values of parent are no member",
            "Add these members, set the parents to null, or set orphans to 'root'",
        ),
    }
    return {
        slug: f"{words[slug][0]}: {_listed(sorted(offenders, key=lambda o: (-o[1], o[0])))}. {words[slug][1]}."
        for slug, offenders in found.items()
    }


def _under(parents: Iterable[Any]) -> str:
    known = sorted({parent for parent in parents if parent is not None})
    named = [*map(str, known[:1]), *map(str, known[1:][-1:]), *["null"] * (None in parents and bool(known))]
    return " under " + " and ".join(named) if known else ""


def _wrong_places(source: Source) -> dict[str, str]:
    parents = source.parents()
    cycles: dict[Key, list[Key]] = {}
    depths: dict[Key, int] = {}
    for member in parents:
        way = [member]
        while parents[way[-1]] is not None and parents[way[-1]] not in way:
            way.append(parents[way[-1]])
        if parents[way[-1]] is None:
            depths[member] = len(way)
        elif parents[way[-1]] == member and member == min(way):
            cycles[member] = [member, *reversed(way[1:]), member]
    texts = {}
    if cycles:
        walks = [(_walked(cycles[start]), len(cycles[start]) - 1) for start in sorted(cycles)]
        hint = ", or set self_parent to 'root' if a member that is its own parent is a root"
        shown = any(n == 1 for _, n in walks[:SHOWN])
        texts["hierarchy_cycle"] = (
            f"members are above themselves: {_listed(walks)}. Correct parent of one member of each cycle"
            f"{hint if shown else ''}."
        )
    deep = sorted((-depth, _text(member)) for member, depth in depths.items() if depth > source.levels)
    if deep:
        listed = _listed([(f"{member} on level {-depth}", 1) for depth, member in deep])
        texts["too_deep"] = (
            f"levels is {source.levels}, and members stand deeper: {listed}."
            f" Set levels to {-deep[0][0]}, or correct parent."
        )
    return texts


def _walked(cycle: Sequence[Key]) -> str:
    shown = map(str, cycle if len(cycle) - 1 <= WALKED else [*cycle[:WALKED], "...", cycle[0]])
    return " > ".join(shown)


def _text(key: Key | None) -> str:
    return "null" if key is None else str(key)


def _listed(offenders: Sequence[tuple[str, int]]) -> str:
    texts = [f"{text} ({n} row{'s' if n != 1 else ''})" for text, n in offenders[:SHOWN]]
    more = len(offenders) - SHOWN
    return ", ".join(texts) + (f" and {more} more" if more > 0 else "")


def random_source(seed: int) -> Source:
    """A random forest under random options, in half of the cases with faults."""
    random = Random(seed)
    numbers = random.random() < 0.5
    keys: list[Key] = random.sample(range(-5, 120), 16) if numbers else random.sample(WORDS, len(WORDS))
    members, strangers = keys[: random.randrange(15)], keys[14:]
    reach = random.choice([1, 3, 14])
    rows: list[tuple[Any, Any]] = []
    for number, member in enumerate(members):
        earlier = members[max(0, number - reach) : number]
        rows.append((member, random.choice(earlier) if earlier and random.random() < 0.85 else None))
    for _ in range(random.choice([0, 0, 0, 1, 1, 2, 3]) if rows else 0):
        place = random.randrange(len(rows))
        member, parent = rows[place]
        kind = random.choice(["move"] * 4 + ["self", "self", "orphan", "orphan", "double", "second", "null"])
        if kind in ("move", "self", "orphan"):
            rows[place] = (
                member,
                {"move": random.choice(members), "self": member, "orphan": random.choice(strangers)}[kind],
            )
        else:
            rows += [
                {"double": (member, parent), "second": (member, random.choice([None, *members]))}.get(
                    kind, (None, parent)
                )
            ]
    random.shuffle(rows)
    types = random.choice([("bigint", "integer"), ("smallint", "bigint")]) if numbers else ("varchar", "varchar")
    source = Source(rows, random.choice([2, 4, 4, 6, 14, 14]), types=types)
    return replace(
        source,
        self_parent=random.choice(["error", "error", "root"]),
        orphans=random.choice(["error", "error", "root"]),
    )
