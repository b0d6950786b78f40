"""Measures how well what agents say fits what they do and the facts, in any society.

Source: Altera.AL, "Project Sid" (2024), coherence. The outputs of several modules of an agent must
be consistent. An agent that answers "yes" to "give me a pickaxe" but then explores is inconsistent.
The measures are ours:

- An announcement ("I am going to the cave") is kept if the agent is doing this or does it next.
- A promise ("here is some bread for you") is kept if the agent gives something within a minute.
- A claim ("I have 3 bread", "I am eating", "I made a torch") is denied if it contradicts the state
  of the world at that moment.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Any, Literal

from voxpolis.bots.agents.piano.actions import ActionSet
from voxpolis.bots.values import REMEMBERED
from voxpolis.records.measures import Announcements, find_announcement, known_mean
from voxpolis.records.text import caseless
from voxpolis.worlds.trades import Report, TradeWorld

# Seconds within which a promise must be kept.
PROMISED_FOR_S = 60.0
# A claim to be eating is true if the speaker ate within this many seconds.
EATING_FOR_S = 30.0
GIVE, EAT = "GIVE", "EAT"

_I = r"\bI(?:'m| am|'ll| will|'d| would|'ve| have)?"
_PROMISE = caseless(
    r"\bhere(?:'s| is| are| you go| you are)\b.*\b(?:for )?you\b"
    r"|\bhere (?:you go|you are)\b"
    rf"|{_I}\b(?: (?:gladly|happily|also|now|just|going to|about to|glad to|happy to))*"
    r" (?:giv(?:e|ing)|hand(?:ing)?|bring(?:ing)?|pass(?:ing)?) (?:you|(?:it|them) to you)\b"
    r"|\byou (?:can|may) have (?:my|some of my|one of my)\b"
)
_NOT_NOW = caseless(
    r"\b(?:not|never|n't|cannot|if|unless|maybe|perhaps|might|could|when I|once I|tomorrow|later"
    r"|yesterday|did you|do you|wish)\b|n't\b"
)
_SENTENCE = re.compile(r"[^.!?;]+[.!?;]?")
# Words between the verb and the item, which may include a number.
_NUMBER = r"(?:(?P<number>\d+|a|an|one|two|three|four|five|some|a few|plenty of|lots of|the|my) )?"
_HAS = caseless(
    rf"\bI(?:'ve| have| hold| carry| own|'m carrying| am carrying|'m holding| am holding)(?: got)?"
    rf"(?: still| now| already| also)? (?P<no>no |not any )?{_NUMBER}(?P<thing>[a-z_ ]+)"
)
_MADE = caseless(
    r"\bI(?:'ve| have)?(?: just| already| now)? (?:made|crafted|built|baked|smelted|cooked|mined"
    rf"|dug|gathered|caught|picked|collected) {_NUMBER}(?P<thing>[a-z_ ]+)"
)
_EATS = caseless(r"\bI(?:'m| am) (?:now |just )?eating\b")
_CONDITION = caseless(r"\b(?:if|unless|when|once|wish|until|would)\b")
# Words after "I have" that do not begin an item: completed actions and obligations.
_DONE_OR_DUE = caseless(r"(?:to|been|just|never|a question|an idea)\b")
_WORDS = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5}


@dataclass(frozen=True)
class Claim:
    """A claim of speakers about themselves: they have an item (``has``), do not have it (``none``),
    have made it (``made``), or are eating (``eats``).

    ``count`` is the minimum number of items.
    """

    kind: Literal["has", "none", "made", "eats"]
    item: str = ""
    count: int = 1


def is_wrong(claim: Claim, holds: Mapping[str, int], made: Container[str], *, eats: bool) -> bool:
    """Return whether a claim contradicts what the speaker holds, has made and eats."""
    has = holds.get(claim.item, 0)
    match claim.kind:
        case "has":
            return has < claim.count
        case "none":
            return has > 0
        case "made":
            return claim.item not in made and not has
        case "eats":
            return not eats


@lru_cache(REMEMBERED)
def promises(text: str) -> bool:
    """Return whether a text promises to give something away now."""
    return any(
        _PROMISE.search(part) and not _NOT_NOW.search(part) and not part.rstrip().endswith("?")
        for part in _SENTENCE.findall(text)
    )


def claims_in(text: str, items: Iterable[str]) -> list[Claim]:
    """Return the speaker's claims about itself that the world can refute.

    Questions and conditional sentences contain no claims. ``items`` contains the names of the items
    in the world. Statements about other things are not claims.
    """
    found: list[Claim] = []
    if not may_claim(text):
        return found
    known = {form: item for item in items for form in _forms(item)}

    def item_of(words: str) -> str:
        """Return the longest item name at the start of the words, or an empty string."""
        words = f"{words.lower().replace('_', ' ').strip()} "
        longest = sorted(known, key=len, reverse=True)
        return next((known[form] for form in longest if words.startswith(f"{form} ")), "")

    for part in _SENTENCE.findall(text):
        has, made = _HAS.search(part), _MADE.search(part)
        first = has or made
        if part.rstrip().endswith("?") or (first and _CONDITION.search(part[: first.start()])):
            continue
        if made and (item := item_of(made["thing"])):
            found.append(Claim("made", item))
        elif has and not _DONE_OR_DUE.match(has["thing"]) and (item := item_of(has["thing"])):
            said = (has["number"] or "").lower()
            count = int(said) if said.isdigit() else _WORDS.get(said, 1)
            found.append(Claim("none", item) if has["no"] else Claim("has", item, count))
        if _EATS.search(part):
            found.append(Claim("eats"))
    return found


@lru_cache(REMEMBERED)
def may_claim(text: str) -> bool:
    """Return whether a text may claim that its speaker has, has made or eats something."""
    return any(form.search(text) for form in (_HAS, _MADE, _EATS))


def _forms(item: str) -> list[str]:
    name = item.replace("_", " ").lower()
    more = [f"{name}s"]
    more += [f"{name}es"] if name.endswith(("ch", "sh", "x", "s")) else []
    more += [f"{name[:-1]}ies"] if name.endswith("y") else []
    return [name, *more]


# --- Monitor of a running society -----------------------------------------------------------------


@dataclass(slots=True)
class _Agent:
    announced: Announcements = field(default_factory=Announcements)
    # When the agent made its last promise that is still unfulfilled.
    open: list[float] = field(default_factory=list)
    made: set[str] = field(default_factory=set)
    ate: float = float("-inf")
    doing: str = ""


class CoherenceMonitor:
    """Compares what agents say with what they do, according to the world of their society."""

    def __init__(
        self,
        world: object,
        actions: ActionSet,
        now: Callable[[], float],
        denied: Callable[[str, str, Claim], None],
    ) -> None:
        """Start without utterances. ``denied`` is called for each refuted claim, with the agent,
        its words and the claim.
        """
        self._now = now
        # The action that an utterance announces.
        self._intent = lru_cache(REMEMBERED)(
            partial(find_announcement, announces=actions.announcements)
        )
        self._denied_by = denied
        self._agents: dict[str, _Agent] = defaultdict(_Agent)
        self._promised = self._kept = self._claimed = self._denied = 0
        self._items: Sequence[str] = ()
        if isinstance(world, TradeWorld):
            self._items = world.trades.items
            world.listeners.append(self._reported)

    def on_utterance(self, name: str, text: str, holds: Mapping[str, int]) -> None:
        """Process an utterance. ``holds`` is the speaker's inventory according to the world."""
        agent = self._agents[name]
        agent.announced.add_utterance(self._intent(text))
        if promises(text):
            agent.open.append(self._now())
            self._promised += 1
        for claim in claims_in(text, {*self._items, *holds}) if may_claim(text) else ():
            if claim.kind in ("made", "eats") and not self._items:
                continue  # a world without an item list reports no products
            self._claimed += 1
            eats = agent.doing == EAT or self._now() - agent.ate <= EATING_FOR_S
            if is_wrong(claim, holds, agent.made, eats=eats):
                self._denied += 1
                self._denied_by(name, text, claim)

    def on_decision(self, name: str, action: str) -> None:
        agent = self._agents[name]
        agent.announced.add_action(action)
        agent.doing = action.partition(" ")[0]

    def _reported(self, report: Report) -> None:
        agent = self._agents[report.agent]
        if not report.ok:
            return
        agent.made.update(report.gained)
        if report.verb == EAT:
            agent.ate = report.t
        if report.verb == GIVE and agent.open:
            agent.open = [t for t in agent.open if report.t - t <= PROMISED_FOR_S]
            self._kept += bool(agent.open)
            del agent.open[:1]

    def coherence(self) -> float | None:
        """Return the share of announcements that were kept, averaged over agents."""
        each = (agent.announced for agent in self._agents.values())
        return known_mean(one.agreed / one.announced for one in each if one.announced)

    def outcome(self) -> Mapping[str, Any]:
        """Return how many announcements, promises and claims there were (``of``), and what became
        of them.

        For announcements and promises, the share ``kept`` is given, and for claims the share
        ``denied``. A share is None if there was nothing to count.
        """
        each = [agent.announced for agent in self._agents.values()]
        kept, of = sum(one.agreed for one in each), sum(one.announced for one in each)
        return {
            "announced": {"of": of, "kept": _share(kept, of)},
            "promised": {"of": self._promised, "kept": _share(self._kept, self._promised)},
            "claimed": {"of": self._claimed, "denied": _share(self._denied, self._claimed)},
        }


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 6) if whole else None
