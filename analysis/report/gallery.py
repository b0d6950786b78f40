"""The index of runs: a card for each run, with its outcome, its headline number and a picture.

The cards can be searched and filtered. The live pages and the published site have the same index.
"""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from voxpolis.analysis.conditions import condition_of, condition_of_manifest
from voxpolis.analysis.report.run_list import filled, run_state
from voxpolis.records import RunReader
from voxpolis.records.outcome import ABOUT, UNKNOWN, Tile, minds_in_words, outcome, tiles, title_of
from voxpolis.records.reader import changed_settings, has_persons
from voxpolis.records.text import many, printable

# Length of an outcome on a card, in characters.
LONGEST_OUTCOME = 220
# Fields by which cards are filtered.
FILTERS = ("scenario", "world", "mind", "condition")


@dataclass(frozen=True)
class Links:
    """Addresses of a run, relative to the index.

    Attributes:
        page: its page.
        picture: its picture.
        downloads: a dictionary from the name of each further file to its address.
    """

    page: str
    picture: str
    downloads: Mapping[str, str]


@dataclass(frozen=True)
class Card:
    """The facts about a run that the index shows."""

    name: str
    title: str
    facts: Mapping[str, str]
    outcome: str
    tile: Tile | None
    state: str
    problem: str
    started: str
    agents: str
    settings: str
    minds: str
    is_scripted: bool
    has_person: bool


def cards_of(
    runs: Mapping[str, Path], problems: Mapping[str, Sequence[str]] = MappingProxyType({})
) -> list[Card]:
    """Return a card for each run. ``runs`` maps the name of a run to its folder, and ``problems``
    to the parts that could not be read, if the whole record was read.
    """
    return [_card(name, folder, problems.get(name, ())) for name, folder in runs.items()]


def _card(name: str, folder: Path, problems: Sequence[str]) -> Card:
    reader = RunReader(folder)
    facts, result, state = reader.facts(), reader.result(), run_state(folder)
    manifest = reader.manifest()
    has_person = has_persons(manifest)
    shown = {
        "scenario": facts["scenario"],
        "world": facts["world"],
        "mind": facts["model"] or facts["mind"],
        "condition": condition_of(facts),
    }
    found = [*map(str, reader.problems), *problems]
    if state == "gone" and result is not None and "unfinished" not in result and not found:
        found = ["events.jsonl: its end is missing"]
    problems = [*dict.fromkeys(found)]
    more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
    started = facts["started"] if isinstance(facts["started"], str) else ""
    return Card(
        name=name,
        title=title_of(facts, condition_of(facts) or ""),
        facts={key: printable(str(value)) for key, value in shown.items() if value},
        outcome=_shortened(printable(outcome(facts, result, state))),
        tile=_headline(tiles(result)),
        state="damaged" if problems else _state(folder, state, result),
        problem=printable(problems[0]) + more if problems else "",
        started=f"{started[:10]} {started[11:16]}".strip(),
        agents=printable(condition_of_manifest(manifest).agents),
        settings=printable(changed_settings(manifest)),
        minds=printable(minds_in_words(facts, has_person=has_person)),
        is_scripted=not facts["language_model"],
        has_person=has_person,
    )


def _headline(numbers: Sequence[Tile]) -> Tile | None:
    """Return a run's headline number: its first tile, or the range of tiles of conditions, which
    the sentence about the outcome names.
    """
    if not numbers or not numbers[0].measure:
        return numbers[0] if numbers else None
    known = [tile for tile in numbers if tile.value != UNKNOWN]
    low, *_, high = sorted(known, key=lambda tile: tile.share or 0.0)
    if low.value == high.value:
        return Tile(low.measure, low.value, "under each condition")
    return Tile(low.measure, f"{low.value} to {high.value}")


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST_OUTCOME else f"{text[:LONGEST_OUTCOME].rstrip()}…"


def _state(folder: Path, state: str, result: Mapping[str, Any] | None) -> str:
    if state == "over" and result is not None:
        return "failed" if "error" in result else "ended"
    if state == "gone":
        return "ended without a result" if result is None else "interrupted"
    is_live = state == "live" and (folder / "events.jsonl").exists()
    return "live" if is_live else "no result"


def index(
    cards: Sequence[Card],
    links: Mapping[str, Links],
    *,
    sweeps: Sequence[tuple[str, int, int]] = (),
    is_live: bool = False,
    more: str = "",
) -> str:
    """Return the index as HTML.

    Args:
        cards: the cards, in order; live runs are shown before all others.
        links: a dictionary from the name of each run to its addresses.
        sweeps: name, number of finished jobs and number of all jobs of each sweep.
        is_live: whether the index is a page of ``watch``, which is updated.
        more: HTML that follows the cards.
    """
    ordered = sorted(cards, key=lambda card: card.state != "live")
    selects = "".join(_select(field, cards) for field in FILTERS)
    progress = "".join(
        f"<li>{html.escape(name)}: {done} of {total} "
        f"<progress max='{total}' value='{done}' aria-label='{html.escape(name)}'></progress>"
        for name, done, total in sweeps
    )
    parts = {
        "__SUMMARY__": html.escape(_summary(cards)),
        "__SELECTS__": selects,
        "__SWEEPS__": progress,
        "__CARDS__": "".join(_shown(card, links[card.name]) for card in ordered),
        "__LIVE__": "live" if is_live else "",
        "__SIDE__": "/side" if is_live else "side.html",
        "__MORE__": more,
    }
    return filled("gallery.html", parts)


def _summary(cards: Sequence[Card]) -> str:
    scenarios = {card.facts.get("scenario") for card in cards}
    scripted = sum(card.is_scripted and not card.has_person for card in cards)
    minds = {0: "", len(cards): " Scripted minds played all of them, no language model."}
    some = f" Scripted minds, not a language model, played {scripted} of them."
    people = sum(card.has_person for card in cards)
    also = f" A person played in {people} of them." if people else ""
    count = f"{many(len(cards), 'run')} of {many(len(scenarios), 'scenario')}."
    return count + minds.get(scripted, some) + also


def _select(field: str, cards: Sequence[Card]) -> str:
    values = sorted({card.facts[field] for card in cards if field in card.facts})
    options = "".join(f"<option>{html.escape(value)}</option>" for value in values)
    options = f"<option value=''>all</option>{options}"
    return f"<label>{field} <select name='{field}'>{options}</select></label>"


def _shown(card: Card, links: Links) -> str:
    """Return a card as HTML. All texts are escaped, because records may come from strangers."""
    e = html.escape
    data = "".join(f" data-{field}='{e(card.facts.get(field, ''))}'" for field in FILTERS)
    about = ABOUT.get(card.facts.get("scenario", ""), "")
    facts = [
        card.facts.get("world", ""),
        card.agents,
        card.settings,
        card.started,
        card.name.rpartition("/")[2],
    ]
    badge = (
        ""
        if card.state == "ended"
        else f"<span class='state {e(card.state.split()[0])}'>{e(card.state)}</span>"
    )
    downloads = "".join(
        f" <a href='{e(address)}' download aria-label='{e(name)} of {e(card.name)}'>{e(name)}</a>"
        for name, address in links.downloads.items()
    )
    box = (
        f"<label><input type='checkbox' name='run' value='{e(card.name)}' "
        f"aria-label='{e(card.name)}'> compare</label>"
    )
    return (
        f"<li class='run' id='{e(card.name)}'{data}>"
        f"<img src='{e(links.picture)}' alt='' width='320' height='200' loading='lazy'>"
        f"<h2><a href='{e(links.page)}'>{e(card.title)}</a></h2>{badge}"
        f"<p class='about'>{e(about)}</p>{_headline_of(card.tile)}<p>{e(card.outcome)}</p>"
        f"{f'<p class=problem>{e(card.problem)}</p>' if card.problem else ''}"
        f"<p class='mind{' scripted' if card.is_scripted else ''}'>{e(card.minds)}</p>"
        f"<p class='facts'>{e(' · '.join(filter(None, facts)))}</p>"
        f"<p class='more'>{box}{downloads}</p></li>"
    )


def _headline_of(tile: Tile | None) -> str:
    if tile is None:
        return ""
    name, value, note = map(html.escape, (tile.name, tile.value, tile.note))
    bar = (
        f"<i class='share' style='--part: {100 * tile.share:.0f}%'></i>"
        if tile.share is not None
        else ""
    )
    return f"<p class='headline'><span>{name}</span> <b>{value}</b> {note}{bar}</p>"
