"""Lets a judge compare words with actions: ``python -m scenarios.coherence.reading RUN``.

RUN is a run of any society. A model reads a sample of utterances, and decides from the record
whether announcements and promises were kept, and whether claims were true. If no model is used, the
regular expressions of :mod:`experiments.loops.society.statements` decide instead.
"""

from __future__ import annotations

import asyncio
import random
import re
from collections import Counter, defaultdict, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel, Field

from voxpolis.bots.models import ChatModel, ChatRequest
from voxpolis.bots.models.typed import Answer
from voxpolis.experiments.loops.society.statements import claims_in, is_wrong, promises
from voxpolis.experiments.study.record_reading import Reading, ask, command
from voxpolis.front import run_app
from voxpolis.records import Record, events
from voxpolis.records.console import plain_console
from voxpolis.records.measures import known_mean
from voxpolis.scenarios.coherence import Denied, DeniedRequest, Kept, KeptRequest

# Number of later decisions that can fulfil an utterance, and number of past actions shown to a
# judge. Both are our choice.
NEXT, DONE = 3, 8
_ANNOUNCES = r"\bI(?: am|'m| will|'ll)\b[^.]*\b"
# Verbs of announcements that are recognised without a model. The measures in a run's own result
# recognise more.
VERBS = (
    *("VISIT", "REST", "PAY", "WORK", "TILL", "PLANT", "HARVEST", "GATHER", "MINE", "BREED"),
    *("SHEAR", "SLAUGHTER", "FISH", "CRAFT", "SMELT", "GUARD", "PATROL", "EXPLORE", "GIVE", "GO"),
)
# Items that a claim can name if there is no model.
KNOWN = ("diamond", "iron_ingot", "iron_pickaxe", "bread", "wheat", "coal", "oak_log", "poppy")


class ReadingSettings(BaseModel):
    """The options of this command."""

    utterances: int = Field(
        default=100, ge=1, le=100_000, description="Maximum number of utterances."
    )


def scripted_reader(request: ChatRequest) -> Answer:
    """Answer with regular expressions in place of a model."""
    match request.about:
        case KeptRequest(text=text, doing=doing, then=then):
            done = [action.partition(" ")[0] for action in (doing, *then)]
            if promises(text):
                return Kept(kept="GIVE" in done)
            said = [verb for verb in VERBS if re.search(_ANNOUNCES + verb.lower()[:4], text, re.I)]
            # An announcement is fulfilled by the current or the next action.
            return Kept(kept=said[0] in done[:2] if said else None)
        case DeniedRequest(text=text, holds=holds, done=deeds):
            held, made = dict(holds), {deed.partition(" ")[2] for deed in deeds}
            claims = claims_in(text, {*held, *made, *KNOWN})
            eats = bool(deeds) and deeds[-1].startswith("EAT")
            denied = any(is_wrong(claim, held, made, eats=eats) for claim in claims)
            return Denied(is_so=not denied if claims else None)
    raise TypeError(f"the scripted reader cannot answer {request.role}")


# --- Records --------------------------------------------------------------------------------------


@dataclass
class _UtteranceContext:
    """An utterance, together with what the record says about the speaker at that time."""

    episode: int
    text: str
    doing: str
    holds: tuple[tuple[str, int], ...]
    done: tuple[str, ...]
    then: list[str] = field(default_factory=list)


@dataclass
class _State:
    doing: str = ""
    holds: Counter[str] = field(default_factory=Counter)
    done: deque[str] = field(default_factory=lambda: deque(maxlen=DONE))
    waiting: list[_UtteranceContext] = field(default_factory=list)


def sayings(record: Record) -> list[_UtteranceContext]:
    """Return all utterances, each with the speaker's action and inventory at that time, and with
    the actions that the speaker chose later.
    """
    found: list[_UtteranceContext] = []
    people: dict[tuple[int, str], _State] = defaultdict(_State)
    for event in record.events:
        one = people[event.episode or 0, str(event.agent)]
        match event:
            case events.Spoke():
                holds = tuple(sorted((+one.holds).items()))
                told = _UtteranceContext(
                    event.episode or 0, event.text, one.doing, holds, tuple(one.done)
                )
                one.waiting.append(told)
                found.append(told)
            case events.Decided():
                one.doing = event.action
                for told in one.waiting:
                    told.then.append(event.action)
                one.waiting = [told for told in one.waiting if len(told.then) < NEXT]
            case events.Inventory():
                one.holds = Counter(event.items)
            case events.ActionDone() if event.ok:
                one.holds.update(event.gained)
                one.holds.subtract(event.spent)
                one.done.append(f"{event.action} {event.item}".strip())
                if event.to:
                    people[event.episode or 0, event.to].holds.update(event.spent)
    return found


async def judge_words(model: ChatModel, record: Record, utterances: int = 100) -> dict[str, Any]:
    """Let a judge assess a sample of utterances. Identical questions are only asked once.

    ``utterances`` is the maximum size of the sample, which contains equally many utterances of each
    episode.

    Returns:
        ``asked`` and ``read`` are the numbers of questions asked and answered. ``episodes``
        contains, for each episode, the ``condition`` and the number of sampled utterances (``of``).
        ``announced`` is the number of utterances that announced or promised something, and ``kept``
        is the share of these utterances that was kept. ``claimed`` is the number of utterances that
        claimed something, and ``denied`` is the share of these utterances whose claims were false.
    """
    told = _drawn(sayings(record), utterances)
    on_deeds = [KeptRequest(one.text, one.doing, tuple(one.then)) for one in told]
    on_claims = [DeniedRequest(one.text, one.holds, one.done) for one in told]
    asked: list[Any] = list(dict.fromkeys([*on_deeds, *on_claims]))
    answers = dict(
        zip(asked, await asyncio.gather(*(ask(model, one) for one in asked)), strict=True)
    )
    verdicts: dict[int, list[tuple[Kept | None, Denied | None]]] = defaultdict(list)
    for one, *both in zip(told, on_deeds, on_claims, strict=True):
        verdicts[one.episode].append((answers[both[0]], answers[both[1]]))
    episodes = []
    for event in record.of(events.ConditionStarted):
        pairs = verdicts[event.episode]
        kept = [one.kept for one, _ in pairs if one and one.kept is not None]
        claims = [not one.is_so for _, one in pairs if one and one.is_so is not None]
        episodes.append(
            {
                "condition": event.condition,
                "of": len(pairs),
                "announced": len(kept),
                "kept": known_mean(kept),
                "claimed": len(claims),
                "denied": known_mean(claims),
            }
        )
    read = sum(answer is not None for answer in answers.values())
    return {"asked": len(asked), "read": read, "episodes": episodes}


def _drawn(utterances: Sequence[_UtteranceContext], most: int) -> list[_UtteranceContext]:
    """Return a sample with the same number of utterances from each episode. The order of the
    utterances stays the same.
    """
    by_episode: dict[int, list[_UtteranceContext]] = defaultdict(list)
    for one in utterances:
        by_episode[one.episode].append(one)
    rng, found = random.Random("words and deeds"), []
    each = max(1, most // max(1, len(by_episode)))
    for ones in by_episode.values():
        kept = sorted(rng.sample(range(len(ones)), min(each, len(ones))))
        found += [ones[at] for at in kept]
    return found


def _show(result: Mapping[str, Any]) -> None:
    console = plain_console(soft_wrap=True)
    for one in result["episodes"]:
        console.print(
            f"{one['condition']}: of {one['of']} utterances {one['announced']} announce or promise "
            f"something, {_share(one['kept'])} of them kept; {one['claimed']} claim something, "
            f"{_share(one['denied'])} of them denied"
        )
    console.print(f"{result['read']} of {result['asked']} questions were answered")


def _share(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.0f} %"


READING = Reading(
    "",
    "Let a judge compare what was said with actions and facts.",
    scripted_reader,
    judge_words,
    _show,
    ReadingSettings,
)

if __name__ == "__main__":
    run_app(command(READING))
