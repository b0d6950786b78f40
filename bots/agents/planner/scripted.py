"""Scripted minds for the grid: rules over the same words that a language model reads.

Who can hold everything works its way back from what is worth most to what it takes. Who cannot
(carpenters and miners) makes what it can, lays what it has no room for down near the middle of the
map, and looks there for what others made.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from bots.models import Message
from bots.models.scripted import Script

#: How much is gathered before it is worked: walks are long, stations many.
BATCH = 5
#: How near the middle of the map things are handed over, in steps.
MEETING_RADIUS = 3


_WORTH = re.compile(r"^- (\w+) is worth ([\d.]+)", re.MULTILINE)
_TO_COLLECT = re.compile(r"^- (\w+) is worth .*; to see and collect it, hold (.*)$", re.MULTILINE)
_WITH_ANY = re.compile(r"^- (\w+) is worth .*; to collect it, hold (.*)$", re.MULTILINE)
_TO_OPERATE = re.compile(r"station makes 1 (\w+) of .*, if you hold (.*)$", re.MULTILINE)


@dataclass(frozen=True)
class Situation:
    """What a prompt says, read back."""

    number: int
    agents: int
    size: tuple[int, int]
    place: tuple[int, int]
    held: dict[str, int]
    room: dict[str, int]
    lying: dict[str, int]
    worth: dict[str, float]
    recipes: dict[str, dict[str, int]]
    tools: dict[str, list[str]]
    any_tool: dict[str, list[str]]
    events: dict[str, str]
    stations: frozenset[str]
    unseen: int
    last: str
    choice: str

    @property
    def middle(self) -> tuple[int, int]:
        """Where things are handed over."""
        return self.size[0] // 2, self.size[1] // 2

    def has(self, what: str) -> int:
        """How much of something is held."""
        return self.held.get(what, 0)

    def fits(self, what: str) -> bool:
        """Whether one more can be held."""
        return self.has(what) < self.room.get(what, 10**6)

    def is_central(self) -> bool:
        """Whether this is where things are handed over; on a small map that is everywhere."""
        if max(self.size) <= 2 * MEETING_RADIUS + 1:
            return True
        away = sum(abs(a - b) for a, b in zip(self.place, self.middle, strict=True))
        return away <= MEETING_RADIUS

    def go_to_the_middle(self) -> str:
        """The plan that does that."""
        return f"GO TO ({self.middle[0]}, {self.middle[1]})"


def read_situation(prompt: str) -> Situation:
    """Read a planner's prompt (``bots/prompts/grid/plan.md``)."""

    def numbers(pattern: str) -> tuple[int, int]:
        found = re.search(pattern, prompt)
        assert found is not None, f"the prompt has changed: {pattern}"
        return int(found[1]), int(found[2])

    number, agents = numbers(r"You are agent (\d+) of (\d+)")
    held = re.search(r"You hold: (.*)\.", prompt)
    recipes = {
        output: {what: int(count) for count, what in re.findall(r"(\d+) (\w+)", inputs)}
        for output, inputs in re.findall(r"station makes 1 (\w+) of ([^\n,]*)", prompt)
    }
    return Situation(
        number=number,
        agents=agents,
        size=numbers(r"The map has (\d+) by (\d+) cells"),
        place=numbers(r"You stand at \((\d+), (\d+)\)"),
        held={w: int(n) for n, w in re.findall(r"(\d+) (\w+)", held[1] if held else "")},
        room={w: int(n) for n, w in re.findall(r"you can hold (\d+) (\w+)", prompt)},
        lying={w: int(n) for n, w in re.findall(r"^- (\d+) (\w+) at ", prompt, re.MULTILINE)},
        worth={what: float(value) for what, value in _WORTH.findall(prompt)},
        recipes=recipes,
        tools={
            what: tools.split(" and ")
            for pattern in (_TO_COLLECT, _TO_OPERATE)
            for what, tools in pattern.findall(prompt)
        },
        any_tool={what: tools.split(" or ") for what, tools in _WITH_ANY.findall(prompt)},
        events={made: name for name, made in re.findall(r"a (\w+) station makes 1 (\w+)", prompt)},
        unseen=int((re.search(r"- (\d+) cells were never seen", prompt) or ["", "0"])[1]),
        stations=frozenset(re.findall(r"^- (\w+) stations at", prompt, re.MULTILINE)),
        last=(re.search(r"Your last plan: (.*)", prompt) or [""] * 2)[1],
        choice=prompt.split("# Your answer", 1)[1],
    )


def planner() -> Script:
    """The scripted minds' answers to planners' prompts."""

    def answer(_role: str, _agent: str | None, messages: Sequence[Message]) -> str:
        return plan_for(read_situation(messages[0]["content"]))

    return answer


def plan_for(s: Situation) -> str:
    """The plan in a situation."""
    if "JOIN GROUP" in s.choice:
        return "JOIN GROUP 0"
    if "BARGAIN WITH" in s.choice:
        return f"BARGAIN WITH {s.number ^ 1}" if s.number ^ 1 < s.agents else "WAIT"
    if "PROPOSE" in s.choice:
        return "ACCEPT" if "offers to keep 0.5" in s.choice else "PROPOSE 0.5"
    if not s.room:
        return climb(s)
    for rule in (hand_over, collect_what_others_made, work, gather):
        plan = rule(s)
        if plan:
            return plan
    return "EXPLORE MAP"


def climb(s: Situation) -> str:
    """Who can hold everything makes what is worth most, and all that it takes for that."""
    for target in sorted(s.recipes, key=s.worth.__getitem__, reverse=True):
        plan = step_towards(s, target, s.has(target) + 1)
        if plan:
            return plan
    for what in sorted(s.lying, key=s.worth.__getitem__, reverse=True):
        plan = collect(s, what)
        if plan:
            return plan
    return "EXPLORE MAP"


def collect(s: Situation, what: str) -> str | None:
    """Gather what is worth something, or first a tool for it: the best that lies about."""
    if what in s.recipes or not s.worth[what]:
        return None
    choices = s.any_tool.get(what, [])
    if not choices or any(s.has(tool) for tool in choices):
        return f"GATHER {s.lying[what]} {what}"
    lying = [tool for tool in choices if s.lying.get(tool)]
    return f"GATHER 1 {lying[-1]}" if lying else None


def step_towards(s: Situation, what: str, count: int) -> str | None:
    """The next plan on the way to hold ``count`` of something; None where it cannot be had."""
    if s.lying.get(what):
        return f"GATHER {min(count - s.has(what), s.lying[what])} {what}"
    for tool in s.tools.get(what, []):
        if not s.has(tool):
            return step_towards(s, tool, 1)
    if what not in s.recipes:
        return "EXPLORE MAP" if s.unseen else None
    for part, each in s.recipes[what].items():
        if s.has(part) < each:
            return step_towards(s, part, each)
    if s.events[what] in s.stations:
        return f"CRAFT 1 {what}"
    return "EXPLORE MAP" if s.unseen else None


def hand_over(s: Situation) -> str | None:
    """What there is no room to make more of is laid down, where others find it."""
    for what, inputs in s.recipes.items():
        can_make = all(s.has(part) >= count for part, count in inputs.items())
        if s.has(what) and not s.fits(what) and can_make:
            return f"DUMP 1 {what}" if s.is_central() else s.go_to_the_middle()
    return None


def collect_what_others_made(s: Situation) -> str | None:
    """Made things that lie about, by whom has room for any number of them."""
    for what in reversed(s.recipes):
        if s.lying.get(what) and what not in s.room:
            return f"GATHER {s.lying[what]} {what}"
    return None


def work(s: Situation) -> str | None:
    """Make what can be made: a whole batch, and one after another once begun."""
    for what, inputs in reversed(s.recipes.items()):
        runs = min(s.has(part) // count for part, count in inputs.items())
        is_under_way = s.last.startswith(("CRAFT", "DUMP"))
        more = [part for part in inputs if s.lying.get(part) and s.has(part) < BATCH * inputs[part]]
        if runs and s.fits(what) and (is_under_way or runs >= BATCH or not more):
            return f"CRAFT 1 {what}" if s.is_central() else s.go_to_the_middle()
    return None


def gather(s: Situation) -> str | None:
    """What is wanted for work, a batch of each, rarest first; then what is only worth something."""
    parts = [part for inputs in reversed(s.recipes.values()) for part in inputs]
    for part in sorted(dict.fromkeys(parts), key=s.has):
        wanted = BATCH - s.has(part)
        if s.lying.get(part) and s.fits(part) and wanted > 0:
            return f"GATHER {min(wanted, s.lying[part])} {part}"
    for what in s.lying:
        if what not in parts and what not in s.recipes and s.fits(what):
            return f"GATHER {s.lying[what]} {what}"
    return None
