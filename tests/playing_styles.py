"""A short game of each scenario for a model of any style, with checks that its agents acted."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.record_oracles import TRADES
from tests.typed_endpoint import AFTER, BEFORE
from voxpolis.records import Record, events, read_record

# Maximum fractions of failed and of retried decisions; the last is for an endpoint that ignores
# schemas until it sees the error.
MAX_FAILED_SHARE, MOST_AGAIN, MOST_IGNORING = 0.02, 0.05, 1.10
# Maximum number of calls that an endpoint may use in a run to reject forms.
LEARNING = 8

Run = Mapping[str, Any]


def settings(*fields: str) -> list[str]:
    """Return the options that set fields of a scenario."""
    return [word for field in fields for word in ("--set", field)]


# Institutions and cooperation modules act every few rounds.
COOPERATING = ("reputation_every=2", "amend_every=3", "understand_every=1")


def _cooperated(run: Mapping[str, Any]) -> bool:
    """Return whether agents agreed, kept promises, got reputations, and changed the law."""
    return bool(
        run["agreements"] >= 3
        and run["promises_kept"] >= 3
        and len(run["reputation"]) == 3
        and run["brier"] is not None
        and run["law_version"] > 1
    )


@dataclass(frozen=True)
class Game:
    """A short game of a scenario.

    Attributes:
        options: options of the game's command.
        acted: returns whether a run's result shows the expected actions.
        recorded: returns whether the run's record shows further expected actions.
    """

    options: list[str]
    acted: Callable[[Run], bool]
    recorded: Callable[[Record], bool] = lambda record: bool(record.events)


def _mined(run: Run) -> tuple[int, int]:
    agents = run["agents"]
    return agents["Gizmo"]["iron"], agents["Glitch"]["diamond"]


# Four episodes with cooperation modules, and a vote after two of them.
_MODULES = ["--modules", "all", "--episodes", "4", *settings("amend_every=2")]


def _modules_counted(record: Record) -> bool:
    """Return whether each module's answers had an effect: claims, promises, votes, reputations."""
    kinds = (events.PredictionSettled, events.ClaimChecked, events.PromiseSettled,
             events.BallotCast, events.ReputationPublished)  # fmt: skip
    laws = [one.version for one in record.of(events.LawChanged)]
    return all(record.of(kind) for kind in kinds) and max(laws) > 1


def _village(length_s: int, first_s: int, radius: int) -> list[str]:
    """Return settings for a tax season before a vote, and one after it."""
    times = ("feedback", "amendments", "vote", "tally", "enactment")
    voted = [f"{name}_s={first_s + 16 + 2 * n}" for n, name in enumerate(times)]
    seasons = (f"length_s={length_s}", f"first_season_s={first_s}", f"radius_blocks={radius}")
    return settings(*seasons, f"season_every_s={first_s + 25}", "window_s=15", *voted)


def _paid_by_the_words(record: Record) -> bool:
    """Return whether each agent was assessed by the law's words, and paid the assessed share."""
    owed = {(one.season, one.agent): one.share for one in record.of(events.TaxAssessed)}
    paid = {(one.season, one.agent): one for one in record.of(events.TaxPaid)}
    held = {key: sum(paid[key].held.values()) for key in owed}
    by_words = {key: 0.3 if held[key] >= 60 else 0.05 for key in owed}
    shares = {round(paid[key].share - owed[key], 1) for key in owed}
    return owed == by_words and set(owed.values()) == {0.3, 0.05} and shares == {0.0}


GAMES: Mapping[str, Game] = {
    "double_vein": Game(
        ["--contract", "1"],
        lambda run: all(_mined(run)),
    ),
    "double_vein, negotiate": Game(
        ["--contract", "negotiate", "--compile", "--judge", "both"],
        lambda run: run["agents"]["Glitch"]["transfer"] == 10 and all(_mined(run)),
    ),
    "double_vein, modules": Game(
        _MODULES,
        lambda run: all(_mined(run)),
        recorded=_modules_counted,
    ),
    "cleanup": Game(
        ["--contract", "1", *settings("time_limit_s=60")],
        lambda run: run["welfare"] > 0,
    ),
    "harvest": Game(
        ["--contract", "1", *settings("time_limit_s=30")],
        lambda run: run["welfare"] > 0,
    ),
    "public_goods": Game(
        settings("rounds=3"),
        lambda run: run["contribution"] == 0.5,
    ),
    "fishing": Game(
        settings("rounds=3"),
        lambda run: run["months_survived"] == 3,
    ),
    "crafting_tree": Game(
        ["--tree", "adasociety", *settings("time_limit_s=60")],
        lambda run: all(agent["items"] >= 2 for agent in run["agents"].values()),
    ),
    "matrix": Game(
        ["--episodes", "2"],
        lambda run: run["welfare"] == 6,
    ),
    "adasociety": Game(
        ["--condition", "contract-easy", *settings("length=30")],
        lambda run: run["reward"] > 0 and run["degrees"]["group_out_max"] >= 4,
    ),
    "commons": Game(
        ["--condition", "bots", *settings("rounds=6")],
        lambda run: run["reward"] > 2 and run["acted"] == ["Juan", "Laura"],
    ),
    "commons, clean_up": Game(
        [
            *("--game", "clean_up", "--simultaneous", "--condition", "coop_def"),
            *settings("rounds=8"),
        ],
        lambda run: run["cleaned"] > 2 and run["acted"] == ["Juan", "Laura", "Pedro"],
    ),
    "commons, full": Game(
        [
            *("--condition", "full"),
            *settings(
                "rounds=6",
                "trees=1",
                "hearing=30",
                *COOPERATING,
            ),
        ],
        _cooperated,
    ),
    "taxation": Game(
        [
            *("--condition", "full", "--agents", "3", "--influencers", "anti", "--runs", "1"),
            *settings("influencers=1"),
            *_village(length_s=60, first_s=5, radius=12),
        ],
        lambda run: run["tax_share_before"] > 0.1 and run["law_version"] == 2,
    ),
    "taxation, in words": Game(
        [
            *("--condition", "full", "--agents", "4", "--influencers", "pro", "--runs", "1"),
            *settings("influencers=1"),
            *_village(length_s=60, first_s=5, radius=12),
        ],
        lambda run: run["law_version"] == 2 and run["tax_rate_after"] == 0.2,
        recorded=_paid_by_the_words,
    ),
    "sentiment": Game(
        ["--condition", "chef", "--runs", "1", *settings("length_s=60")],
        lambda run: sum(one["items"] for one in run["customers"].values()) > 2,
    ),
    "items": Game(
        ["--condition", "together", "--runs", "1", *settings("agents=8", "length_s=200")],
        lambda run: run["union"] >= 1 and run["actions_done"] > 2,
        lambda record: (
            any(one.expects.startswith("+1 ") for one in record.of(events.Decided))
            and any(one.outcome == "met" for one in record.of(events.ExpectationEnded))
        ),
    ),
    "sentiment, society": Game(
        ["--condition", "society", "--runs", "1", *settings("agents=5", "society_s=300")],
        lambda run: len(run["edges"]) > 2,
    ),
    "coherence": Game(
        ["--condition", "full", "--runs", "1", *settings("agents=4", "length_s=150")],
        lambda run: len(run["acted"]) == run["agents"] and run["statements"]["claimed"],
    ),
    "specialisation": Game(
        [
            "--condition",
            "normal",
            "--runs",
            "1",
            *settings("agents=6", "length_s=150", "trades.scale=0.3"),
        ],
        lambda run: len(run["roles"]) >= 2 and "GATHER oak_log" in str(run["actions"]),
    ),
    "religion": Game(
        ["--runs", "1", *settings("agents=8", "priests=2", "length_s=200", "town_radius_blocks=8")],
        lambda run: run["exposures"] > 0,
    ),
}


def _taxed(found: Run) -> bool:
    (village,) = found["villages"]
    stances = village["feedback"]
    return bool(village["unread"] == 0 and stances["anti"] > 0 and stances["sentiment"] < 0)


def _felt(found: Run) -> bool:
    (episode,) = found["episodes"]
    return found["read"] == found["asked"] > 0 and len(set(episode["scores"].values())) > 1


def _named(found: Run) -> bool:
    (episode,) = found["episodes"]
    is_read = found["read"] == found["asked"] > 0 and found["merged"] is not None
    return bool(is_read and len(set(episode["roles"]) & set(TRADES)) >= 2)


def _found_out(found: Run) -> bool:
    judged, memes = found["conversions"], found["memes"]
    people = [count for town in memes["by_town"].values() for count in town.values()]
    return judged["read"] == judged["conversions"] and judged["precision"] == 1 and sum(people) > 2


# Readings of recorded games: checks that the model's answers are in the results.
def _held_against_deeds(found: Run) -> bool:
    (episode,) = found["episodes"]
    return found["read"] == found["asked"] > 0 and episode["of"] > 0


READINGS: Mapping[str, Callable[[Run], bool]] = {
    "taxation": _taxed,
    "coherence": _held_against_deeds,
    "sentiment": _felt,
    "specialisation": _named,
    "religion": _found_out,
}


def reading_of(name: str) -> str:
    """Return the module that reads the record of a game."""
    return f"scenarios.{scenario_of(name)}.reading"


def most_again(style: str) -> float:
    """Return the maximum share of retried decisions."""
    return MOST_IGNORING if style == "ignoring" else MOST_AGAIN


def faults_of(name: str, style: str, result: Run, folder: Path) -> list[str]:
    """Return the faults in a run by a model of the given style."""
    game, record, decisions = GAMES[name], read_record(folder), result["decisions"]
    again = {
        f"{role}: {cause}": count
        for role, causes in decisions["asked_again"].items()
        for cause, count in causes.items()
    }
    text = (folder / "events.jsonl").read_text(encoding="utf-8")
    found = {
        "no decision was asked for": not decisions["asked"],
        f"decisions failed: {decisions.get('first_failed')}": decisions["failed"]
        > MAX_FAILED_SHARE * decisions["asked"],
        f"further calls: {again}": sum(again.values())
        > most_again(style) * decisions["asked"] + LEARNING,
        "agents did not act": not all(game.acted(one) for one in result["runs"]),
        "the record does not show it": not game.recorded(record),
        "a thought is in the record of what happened": BEFORE[:40] in text or AFTER[:40] in text,
    }
    return [fault for fault, is_so in found.items() if is_so]


def reread(calls: Iterable[str]) -> tuple[int, int]:
    """Return the numbers of questions and of retries in the recorded calls of a reading."""
    asked = [json.loads(line) for line in calls]
    again = sum("# Error\n" in one["messages"][-1]["content"] for one in asked)
    return len(asked) - again, again


def scenario_of(name: str) -> str:
    """Return the scenario of a game."""
    return name.partition(",")[0]


def words(name: str, world: str) -> list[str]:
    """Return the options of a game's command in a world."""
    return ["--world", world, *GAMES[name].options]
