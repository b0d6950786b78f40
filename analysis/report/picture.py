"""Draws a small moving picture of a run: its world in its first episode, and a curve.

The world is seen obliquely from above, like the 3D view of the page at its start.

The picture is an SVG file with CSS animations. It contains no scripts. Its only text names the
curve, and is not from the record. It stands still for people who want less motion.
"""

from __future__ import annotations

import html
import json
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache, cached_property
from itertools import accumulate, chain, pairwise
from pathlib import Path
from typing import Any

from voxpolis.analysis.report.encoder import TimelineEncoder
from voxpolis.records import RunReader

# Size of the picture, height of the world in it, and distance of the world from the edges.
WIDTH, HEIGHT, WORLD, EDGE = 320.0, 200.0, 156.0, 8.0
# Duration of the animation in seconds.
LOOP_S = 9.0
# Maximum number of agents, of blocks, and of moments in the animation for all agents together.
MOST_AGENTS, MOST_BLOCKS, MOST_MOMENTS = 60, 700, 900
# Range of the number of moments for each agent.
MOMENTS = (8, 40)
# Maximum number of curves, and of points in each curve.
MOST_CURVES, MOST_POINTS = 4, 60
# Names of the curves of piles, by block.
PILES = {"fish": "Fish in the lake", "token": "Tokens in the pot", "apple": "Apples"}
# Curves with fewer points tell nothing.
FEW = 3
# Of a larger record, only this many bytes are read for the picture of a live page.
MOST_BYTES = 20_000_000
# Kinds of events that a picture with positions shows.
SHOWN = (
    *("world_built", "episode_started", "episode_ended", "position", "spoke", "converted"),
    *("land_seen", "blocks_changed", "piles_changed", "block_dug", "block_placed", "inventory"),
    *("reward", "role", "condition_started", "season_opened", "tax_paid"),
)
# Edge of a square of natural land with one colour, in blocks, and edge of a chunk.
TILE, CHUNK = 4, 16
# Height on the picture of a block and of the walls around an arena, and the height of blocks that
# agents may stand in, as fractions of a block's width on the picture, which is twice its depth.
TALL, WALL, LOW = 0.6, 0.3, 0.2
# Height of the trunks of giant mushrooms, in blocks.
STEM = 2.0
# Depth of the ground below a floor, in blocks.
DEEP = 1.5
# How dark the shadow on the two visible sides of a block is, south and east.
SHADOWS = (0.2, 0.38)
# Of this many positions, the outermost one does not count for the edges of open land; and the open
# land around the others, in blocks.
USUAL, MARGIN = 20, 12
# The colours of agents and curves on the page.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8a6d00")
# Colours of other blocks, in order of first appearance.
OTHERS = ("#e69f00", "#56b4e9", "#d55e00", "#009e73", "#cc79a7", "#f0e442", "#0072b2", "#882255")
BLOCKS = Path(__file__).parent / "page" / "blocks.js"
# Scenery of villages; see ``page/scenery.js``, which explains the format.
SCENERY = Path(__file__).parent / "page" / "scenery.json"
# Width of land, in blocks, above which scenery grows with it.
FULL_SIZE = 120.0
# Of villages that are farther apart than this, in blocks, only the first is drawn.
APART = 1500.0
STYLE = """svg{background:#dfe9f2}circle{stroke:#fff;stroke-width:1.2}
polyline{fill:none;stroke-width:1.6}.floor{fill:#f3f3ef}
text{font:10px system-ui,sans-serif;fill:#565d66}
@media(prefers-color-scheme:dark){svg{background:#222a35}.floor{fill:#1f2227}text{fill:#9aa1ab}}
@media(prefers-reduced-motion:reduce){*{animation:none!important}}
svg:target *{animation:none!important}"""

# Errors that damaged records cause.
DAMAGE = (ArithmeticError, LookupError, TypeError, ValueError)

Point = tuple[float, float]
Box = tuple[float, float, float, float]


def picture_of(folder: Path) -> str:
    """Return the picture of a run. If the record is large, only its first part is drawn."""
    picture = _drawn(folder, SHOWN)
    return (picture if picture.has_places else _drawn(folder, None)).svg()


def _drawn(folder: Path, kinds: Iterable[str] | None) -> Picture:
    reader, encoder, picture = RunReader(folder), TimelineEncoder(), Picture()
    for number, event in enumerate(reader.events(kinds)):
        encoder.take(event)
        if number % 1000 == 0 and reader.bytes_read > MOST_BYTES:
            break
    picture.take(encoder.batch())
    return picture


class Picture:
    """Draws the picture of a run from the batches of a :class:`TimelineEncoder`, added in order."""

    def __init__(self) -> None:
        self._kinds: list[str] = []
        self._world: dict[str, Any] | None = None
        self._start = self._end = 0.0
        self._begun = self._is_over = False
        self._episodes = 0
        self._ways: dict[int, list[tuple[float, float, float]]] = defaultdict(list)
        self._acts: dict[int, list[float]] = defaultdict(list)
        self._changes: dict[tuple[str, int, int], list[tuple[float, int]]] = defaultdict(list)
        self._land: list[tuple[float, float, float, str]] = []
        self._points: dict[str, dict[str, list[Point]]] = {}
        self._converts: list[Point] = []
        self._held: dict[tuple[int, int], int] = {}
        self._total = 0
        self._met: list[str] = []
        self._stock: list[Point] = []

    @property
    def has_places(self) -> bool:
        """True if agents have positions."""
        return bool(self._ways)

    def take(self, batch: Mapping[str, Any]) -> None:
        """Add the next batch of the run."""
        self._kinds += [name for name, _ in batch["kinds"]]
        if "episode_started" in self._kinds:
            kinds = batch["rows"]["kind"]
            self._episodes += list(kinds).count(self._kinds.index("episode_started"))
        with suppress(*DAMAGE):
            self._scene(batch)
            self._curves(batch)

    def _scene(self, batch: Mapping[str, Any]) -> None:
        for land in batch["lands"] if len(self._land) < MOST_BLOCKS else ():
            self._land += _tiles(land)
        if self._is_over:
            return
        for world in batch["worlds"]:
            self._world = self._world or world
        last = math.inf
        for t, kind, agent in _rows(batch["rows"], "t", "kind", "agent"):
            name = self._kinds[kind]
            if name == "episode_started" and not self._begun:
                self._begun, self._start = True, t
            elif name in ("episode_ended", "episode_started") and t > self._start:
                self._is_over, last, self._end = True, t, max(self._end, t)
                break
            self._end = max(self._end, t)
            if agent >= 0:
                self._acts[agent].append(t)
        for t, agent, x, z in _rows(batch["moves"], "t", "agent", "x", "z"):
            if t <= last and agent < MOST_AGENTS:
                self._ways[agent].append((t, x, z))
                self._end = max(self._end, t)
        for t, block, x, z, count in _rows(batch["columns"], "t", "block", "x", "z", "count"):
            if t <= last:
                self._changes[block, x, z].append((t, count))

    def _curves(self, batch: Mapping[str, Any]) -> None:
        for t, chart, series, y in _rows(batch["points"], "t", "chart", "series", "y"):
            self._points.setdefault(chart, {}).setdefault(series, []).append((t, y))
        for t, believed in _rows(batch["levels"], "t", "believed"):
            if not believed:
                self._converts.append((t, len(self._converts) + 1.0))
        for t, agent, item, count in _rows(batch["held"], "t", "agent", "item", "count"):
            self._total += count - self._held.get((agent, item), 0)
            self._held[agent, item] = count
            self._stock.append((t, float(self._total)))

    # --- Drawing ---------------------------------------------------------------------------------

    def svg(self) -> str:
        """Return the picture as an SVG file."""
        rules: list[str] = []
        drawn: list[str] = []
        with suppress(*DAMAGE):
            drawn += self._ground(rules)
            drawn += self._agents(rules)
            name, points = self._chosen_curves()
            if curves := list(_drawn_curves(points)):
                is_first = max(t for curve in points for t, _ in curve) <= self._end
                name += ", first episode" if self._episodes > 1 and is_first else ""
                label = f'<text x="{EDGE:g}" y="{WORLD + 11:g}">{html.escape(name)}</text>'
                floor = f'<rect class="floor" y="{WORLD:g}" width="100%" height="100%"/>'
                drawn += [floor, label, *curves]
        size = f'viewBox="0 0 {WIDTH:g} {HEIGHT:g}" width="{WIDTH:g}" height="{HEIGHT:g}"'
        head = f'<svg xmlns="http://www.w3.org/2000/svg" id="still" {size}>'
        return "".join((head, f"<style>{STYLE}{''.join(rules)}</style>", *drawn, "</svg>"))

    @cached_property
    def _box(self) -> Box:
        """Return the edges of what is built or, if nothing is built, of where the agents go."""
        ground = [part for part in (self._world or {}).get("ground", ()) if part[0] != "land"]
        if ground:
            return (
                *(min(float(part[k]) for part in ground) for k in (1, 2)),
                *(max(float(part[k]) for part in ground) + 1.0 for k in (3, 4)),
            )  # type: ignore[return-value]
        edges, places = [], list(zip(*self._places.values(), strict=True)) or ((), ())
        for axis in (0, 1):
            values = sorted(one[1 + axis] for way in self._shown.values() for one in way) or [0.0]
            few = len(values) // USUAL  # without agents that are far from the others
            low, *_, high = sorted((values[few], *places[axis], values[-1 - few]))
            edges.append((low - MARGIN, high + MARGIN))
        (west, east), (north, south) = edges
        return west, north, east, south

    @cached_property
    def _shown(self) -> dict[int, list[tuple[float, float, float]]]:
        """Return the positions of the agents that are drawn: those of the first village."""
        first = next(iter(self._ways.values()), [(0.0, 0.0, 0.0)])[0]
        return {
            agent: way
            for agent, way in self._ways.items()
            if math.dist(way[0][1:], first[1:]) < APART / 2
        }

    @cached_property
    def _places(self) -> dict[str, Point]:
        """Return the named places of the first village, if the world is a village."""
        world = self._world or {}
        if not self._shown or not (ground := world.get("ground")) or ground[0][0] != "land":
            return {}
        _, *first = next(iter(self._shown.values()))[0]
        places = {name: (x, z) for name, (x, _, z) in world["places"].items()}
        return {name: at for name, at in places.items() if math.dist(at, first) < APART / 2}

    @cached_property
    def _scale(self) -> float:
        """Return the width on the picture of a step along an axis, in pixels."""
        west, north, east, south = self._box
        steps, rise = east - west + south - north, 2 * TALL * self._rise
        return min((WIDTH - 2 * EDGE) / steps, (WORLD - 2 * EDGE) / (steps / 2 + rise + DEEP))

    @cached_property
    def _rise(self) -> float:
        """Return how many blocks of height are above the ground."""
        heights = [height for _, _, height, _ in self._land]
        return max(heights, default=2.0) - min(heights, default=0.0)

    def _place(self, x: float, z: float, y: float = 0.0) -> Point:
        """Return where a point is on the picture. The east and the south are in front."""
        west, north, east, south = self._box
        x, z = x - (west + east) / 2, z - (north + south) / 2
        middle = (WORLD + (2 * TALL * self._rise - DEEP) * self._scale) / 2
        return WIDTH / 2 + (x - z) * self._scale, middle + (
            (x + z) / 2 - 2 * TALL * y
        ) * self._scale

    def _prism(
        self, block: str, low: tuple[float, float, float], high: tuple[float, float, float]
    ) -> str:
        """Draw the visible sides of a box between two corners (x, y, z)."""
        (x, y, z), (u, v, w) = low, high
        top = ((x, z, v), (u, z, v), (u, w, v), (x, w, v))
        south = ((x, w, v), (u, w, v), (u, w, y), (x, w, y))
        east = ((u, z, v), (u, w, v), (u, w, y), (u, z, y))
        sides = () if y == v else zip((south, east), SHADOWS, strict=True)
        colour = self._colour(block)
        drawn = [f'<path d="{self._outline(top)}" fill="{colour}"/>']
        for side, shadow in sides:
            path = self._outline(side)
            drawn.append(f'<path d="{path}" fill="{colour}"/><path d="{path}" opacity="{shadow}"/>')
        return "".join(drawn)

    def _outline(self, corners: Iterable[tuple[float, float, float]]) -> str:
        points = (self._place(*corner) for corner in corners)
        return "M" + "L".join(f"{left:.1f} {top:.1f}" for left, top in points) + "z"

    def _ground(self, rules: list[str]) -> Iterator[str]:
        world = self._world or {}
        lowest = min((height for _, _, height, _ in self._land), default=0.0)
        for x, z, y, block in sorted(self._land, key=lambda one: one[0] + one[1]):
            top = y - lowest
            yield self._prism(block, (x, top - TILE, z), (x + TILE, top, z + TILE))
        low = LOW if (grounds := world.get("ground", ())) and grounds[0][0] == "floor" else 1.0
        raised: list[tuple[float, str]] = []
        for number, (block, x, z, x1, z1) in enumerate(grounds):
            if block == "land":
                yield f'<rect width="100%" height="100%" fill="{self._colour(block)}"/>'
                continue
            # the trunks of giant mushrooms carry the caps
            high = WALL if block == "barrier" else STEM if block == "mushroom_stem" else 0.0
            deep = 0.0 if number else -DEEP
            drawn = self._prism(str(block), (x, deep, z), (x1 + 1.0, high, z1 + 1.0))
            if high:  # walls in front hide what is behind them
                raised.append((x1 + z1, drawn))
            else:
                yield drawn
        yield from self._scenery()
        built: dict[tuple[str, int, int], set[float]] = defaultdict(set)
        for block, places in world.get("blocks", {}).items():
            for x, y, z in places:
                built[block, math.floor(x), math.floor(z)].add(y)
        bottom = min((min(heights) for heights in built.values()), default=0.0)
        columns = sorted({*built, *self._changes})[:MOST_BLOCKS]
        for number, (block, x, z) in enumerate(columns):
            there = built.get((block, x, z), ())
            shown = [(self._start, float(bool(there)))]
            shown += [(t, float(count > 0)) for t, count in self._changes[block, x, z]]
            kept = [one for one, last in zip(shown, [None, *shown], strict=False)
                    if last is None or one[1] != last[1]]  # fmt: skip
            more = ""
            if len(kept) > 1:
                frames = "".join(
                    f"{self._part(t):.0f}%{{opacity:{is_there:g}}}" for t, is_there in kept
                )
                rules.append(f"@keyframes b{number}{{{frames}}}")
                more = f' style="animation:b{number} {LOOP_S:g}s step-end infinite"'
            above = min(there, default=bottom) - bottom
            top = above + (1.0 if block == "wall" else low * max(1, len(there)))
            drawn = self._prism(block, (x, above, z), (x + 1.0, top, z + 1.0))
            raised.append((x + z + top / 100, f"<g{more}>{drawn}</g>"))
        yield from (drawn for _, drawn in sorted(raised, key=lambda one: one[0]))

    def _scenery(self) -> Iterator[str]:
        west, north, east, south = self._box
        scale = max(1.0, max(east - west, south - north) / FULL_SIZE)
        scenes = json.loads(SCENERY.read_text(encoding="utf-8"))
        for name, (x, z) in sorted(self._places.items(), key=lambda one: sum(one[1])):
            scene = scenes["places"].get(re.sub(r" \d+$", "", name), "hamlet")
            for block, u, y, w, wide, tall, deep in _boxes(scenes, scene):
                left, back = x + scale * (u - wide / 2), z + scale * (w - deep / 2)
                low = (left, scale * y, back)
                high = (left + scale * wide, scale * (y + tall), back + scale * deep)
                yield self._prism(block, low, high)

    def _colour(self, block: str) -> str:
        for pattern, shade in _families():
            if pattern.search(block):
                return shade
        if block not in self._met:
            self._met.append(block)
        return OTHERS[self._met.index(block) % len(OTHERS)]

    def _part(self, t: float) -> float:
        """Return what percentage of the time that the picture shows has passed at time ``t``."""
        return 100 * min(1.0, max(0.0, (t - self._start) / (self._end - self._start or 1.0)))

    def _agents(self, rules: list[str]) -> Iterator[str]:
        if not self._ways:
            yield from self._seated(rules)
            return
        ground = (self._world or {}).get("ground") or ()
        built = ground[0][0] if ground else "land"
        whole = all(
            place == int(place) for way in self._shown.values() for at in way for place in at[1:]
        )
        shift = 0.5 if built == "floor" or (built != "land" and whole) else 0.0
        count = min(MOMENTS[1], max(MOMENTS[0], MOST_MOMENTS // len(self._shown)))
        size = min(16.0, max(5.0, 1.5 * self._scale, 40 / math.sqrt(len(self._shown))))
        for agent, way in self._shown.items():
            frames, at = [], 0
            for number in range(count + 1):
                t = self._start + (self._end - self._start) * number / count
                while at + 1 < len(way) and way[at + 1][0] <= t:
                    at += 1
                left, top = self._place(way[at][1] + shift, way[at][2] + shift)
                left = min(max(left, size / 2), WIDTH - size / 2)  # distant agents: at the edge
                top = min(max(top, 1.6 * size), WORLD)
                moved = f"{{transform:translate({left:.0f}px,{top:.0f}px)}}"
                frames.append((f"{100 * number / count:.1f}%", moved))
            first = frames[0][1][1:-1]
            told = "".join(map("".join, frames)) if len({moved for _, moved in frames}) > 1 else ""
            if told:
                rules.append(f"@keyframes a{agent}{{{told}}}")
            moving = f";animation:a{agent} {LOOP_S:g}s linear infinite" if told else ""
            body = f'<path d="{_figure(size)}" fill="{_shade(agent)}"/>'
            yield f'<g style="{first}{moving}">{body}</g>'

    def _seated(self, rules: list[str]) -> Iterator[str]:
        """Draw agents without positions around a table. They grow when they act."""
        count = min(len(self._acts), MOST_AGENTS)
        for number, (agent, acts) in enumerate(list(self._acts.items())[:count]):
            turn = 2 * math.pi * number / count - math.pi / 2
            left, top = WIDTH / 2 + 90 * math.cos(turn), WORLD / 2 + 52 * math.sin(turn)
            grown = sorted({round(self._part(t)) for t in acts})[:: max(1, len(acts) // MOMENTS[1])]
            frames = "".join(
                f"{part}%{{r:15px}}{part + 2}%{{r:10px}}" for part in grown if part < 98
            )
            rules.append(f"@keyframes a{agent}{{{frames}}}")
            style = f"animation:a{agent} {LOOP_S:g}s linear infinite"
            shown = f'cx="{left:.0f}" cy="{top:.0f}" r="10" fill="{_shade(agent)}"'
            yield f'<circle {shown} style="{style}"/>'

    def _chosen_curves(self) -> tuple[str, list[list[Point]]]:
        """Return the name and the curves of the chart with the most points. A curve of piles comes
        first. Without charts, return the curve of converts or, without converts, of items held.
        """
        piles = {name: [self._piled(block)] for block, name in PILES.items()}
        charts = {name: list(own.values())[:MOST_CURVES] for name, own in self._points.items()}
        telling = [one for one in charts.items() if _is_telling(one[1])]
        if telling and not any(map(_is_telling, piles.values())):
            return max(telling, key=lambda chart: sum(map(len, chart[1])))
        others = piles | {"Converts": [self._converts], "Items that all agents hold": [self._stock]}
        stepped = {
            name: [_stepped(points, self._end) for points in curves]
            for name, curves in others.items()
        }
        return next((one for one in stepped.items() if _is_telling(one[1])), ("", []))

    def _piled(self, name: str) -> list[Point]:
        """Return the number of units in all piles of a block, during the first episode."""
        places = (self._world or {}).get("blocks", {}).get(name, ())
        built = Counter((math.floor(x), math.floor(z)) for x, _, z in places)
        steps: dict[float, int] = defaultdict(int, {self._start: built.total()})
        for (block, *at), changes in self._changes.items():
            first = (self._start, built[at[0], at[1]])
            for (t, count), (_, before) in zip(changes, [first, *changes], strict=False):
                steps[t] += count - before if block == name else 0
        return list(zip(sorted(steps), accumulate(steps[t] for t in sorted(steps)), strict=True))


def _stepped(points: Sequence[Point], end: float) -> list[Point]:
    """Return the points of a curve up to the time ``end`` that is level between its changes."""
    own = [point for point in points if point[0] <= end]
    step = math.ceil(len(own) / (MOST_POINTS // 2 - 2)) or 1
    kept = [*own[::step], *((end, y) for _, y in own[-1:])]
    corners = [[(t, before), (t, y)] for (_, before), (t, y) in pairwise(kept)]
    return [*kept[:1], *chain.from_iterable(corners)]


def _is_telling(chart: Sequence[Sequence[Point]]) -> bool:
    """Return whether at least one curve of a chart has more than a few points, at several moments,
    and is not flat.
    """
    return any(
        len(points) > FEW and all(len(set(values)) > 1 for values in zip(*points, strict=True))
        for points in chart
    )


@cache
def _families() -> list[tuple[re.Pattern[str], str]]:
    """Return pairs of a pattern for block names and a colour, read from the page's JavaScript."""
    table = BLOCKS.read_text(encoding="utf-8").partition("const FAMILIES")[2].partition("\n])")[0]
    found = re.findall(r"\[\s*/(.+?)/,\s*'(#\w+)'\s*\]", table, re.DOTALL)
    return [(re.compile(pattern), shade) for pattern, shade in found]


def _boxes(scenes: Mapping[str, Any], scene: str) -> Iterator[tuple[Any, ...]]:
    for name, x, *rest in scenes[scene]:
        if name in scenes:
            for block, u, y, w, *size in _boxes(scenes, name):
                yield block, u + x, y, w + rest[0], *size
        else:
            yield name, x, *rest


def _figure(size: float) -> str:
    """Return the outline of a person who stands at the origin: a body with legs, and a head."""
    parts = ((-0.3, -0.8, 0.25, 0.8), (0.05, -0.8, 0.25, 0.8), (-0.5, -1.1, 1.0, 0.6))
    head = (-0.25, -1.6, 0.5, 0.45)
    return "".join(
        f"M{x * size:.1f} {y * size:.1f}h{wide * size:.1f}v{tall * size:.1f}h{-wide * size:.1f}z"
        for x, y, wide, tall in (*parts, head)
    )


def _drawn_curves(curves: Sequence[Sequence[Point]]) -> Iterator[str]:
    every = [point for points in curves for point in points]
    if not every:
        return
    first, last = min(t for t, _ in every), max(t for t, _ in every)
    low, high = min(0.0, *(y for _, y in every)), max(y for _, y in every)
    for number, points in enumerate(curves):
        step = math.ceil(len(points) / MOST_POINTS)
        kept = [*points[::step], points[-1]]
        drawn = " ".join(
            f"{EDGE + (WIDTH - 2 * EDGE) * (t - first) / (last - first or 1):.0f},"
            f"{HEIGHT - 6 - (HEIGHT - WORLD - 20) * (y - low) / (high - low or 1):.1f}"
            for t, y in kept
        )
        yield f'<polyline stroke="{_shade(number)}" points="{drawn}"/>'


def _shade(number: int) -> str:
    return COLOURS[number % len(COLOURS)]


def _rows(table: Mapping[str, list[Any]], *columns: str) -> Iterator[tuple[Any, ...]]:
    return zip(*(table[name] for name in columns), strict=True)


def _tiles(land: Mapping[str, Any]) -> Iterator[tuple[float, float, float, str]]:
    """Divide a chunk of natural land into squares. Yield x, z, the height and the block of a corner
    of each.
    """
    for z in range(0, CHUNK, TILE):
        for x in range(0, CHUNK, TILE):
            name = land["names"][land["tops"][z * CHUNK + x]]
            height = land["heights"][z * CHUNK + x] or 0.0
            yield land["x"] + x, land["z"] + z, float(height), str(name)
