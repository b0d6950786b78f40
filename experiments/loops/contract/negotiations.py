"""Negotiations without play: what agents agree on, how often they agree, and the expected payoffs.

Source: Yocum et al. (2023) sampled many negotiations and selected two contracts by hand.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from rich.table import Table

from voxpolis.bots.models.scripted import Script
from voxpolis.experiments.loops.contract.scenario import ContractScenario, Situation
from voxpolis.experiments.loops.institutions import negotiate
from voxpolis.experiments.run.model_choice import ModelChoice
from voxpolis.experiments.run.scenario import (
    Case,
    Entry,
    Happened,
    Result,
    Run,
    Silent,
    repetitions,
)
from voxpolis.experiments.run.tables import mean_with_sd
from voxpolis.judge import Contract
from voxpolis.judge.contracts.negotiation import Negotiation
from voxpolis.records.console import plain_console, print_whole
from voxpolis.records.measures import gini, known_mean_and_sd

# Folder inside a run for agreed contracts, one file each, for ``--contract FILE``.
FOLDER = "contracts"


@dataclass
class Negotiations:
    """The negotiations of a contract game, without the game itself. This class has the interface of
    a scenario.
    """

    game: ContractScenario
    records_scripted_calls = True
    needs_land = False
    measures: ClassVar[Sequence[str]] = ("agreement_rate", "messages.mean", "gini.mean")

    @property
    def name(self) -> str:
        return self.game.name

    def missing(self, entry: Entry, happened: Happened, silent: Silent) -> Sequence[str]:
        return self.game.missing(entry, happened, silent)

    @property
    def agent_names(self) -> Sequence[str]:
        return self.game.agent_names

    @property
    def cases(self) -> Sequence[Case]:
        """The cases to play: one per negotiation, with consecutive seeds."""
        asked = self.game.asked
        return repetitions(self.game.condition, asked.seed, asked.negotiate_only or 0)

    def manifest(self) -> dict[str, Any]:
        """Return what ``run.yaml`` contains about the condition."""
        return {**self.game.manifest(), "negotiate_only": self.game.asked.negotiate_only}

    def notes(self, choice: ModelChoice) -> Sequence[str]:
        """Return messages that are printed before the run."""
        return self.game.notes(choice)

    def prompts(self) -> str:
        """Return nothing, because the prompts depend on how the negotiation goes."""
        return ""

    def script(self, case: Case) -> Script:
        return self.game.script(case)

    def lasts_s(self, case: Case) -> None:
        """Return None, because the agents decide when a negotiation ends."""

    def most_calls(self, counted: Mapping[str, int]) -> Mapping[str, int]:
        """Return the largest possible number of calls in each role: all rounds are used, and each
        proposal is translated into clauses once.
        """
        most = len(self.cases) * self.game.asked.rounds
        return {"negotiator": most, **({"compiler": most} if self.game.asked.compiled else {})}

    async def play(self, run: Run) -> None:
        """Let the players negotiate once, and keep what they agree on."""
        game, seed = self.game, run.seed
        run.writer.begin_episode(run.number)
        starts = game.layout(seed).starts
        without = Contract(run.condition, "")
        _, found = await negotiate(
            run,
            {
                agent: game.briefing(Situation(agent, "grid", without, seed, starts))
                for agent in game.agent_names
            },
            game.terms(),
            game.asked.rounds,
            compiled=game.asked.compiled,
        )
        entry = self._entry(found)
        if entry["agreed"]:
            entry["file"] = _keep(run.folder, run.number, entry["contract"])
        run.finish(entry)

    def _entry(self, negotiation: Negotiation) -> Entry:
        entry: Entry = {
            "agreed": negotiation.agreed is not None,
            "messages": len(negotiation.moves),
            "contract": negotiation.agreed.text if negotiation.agreed else "",
            "transfers": None,
            "rewards": None,
            "gini": None,
        }
        if negotiation.agreed is not None and negotiation.agreed.rule is not None:
            expected = self.game.specialised()
            transfers = dict(negotiation.agreed.rule(expected.outcome))
            rewards = {name: expected.values[name] + transfers[name] for name in self.agent_names}
            shared = {"transfers": transfers, "rewards": rewards}
            entry |= {**shared, "gini": gini(list(rewards.values()))}
        return entry

    def summary(self, entries: Sequence[Entry]) -> Result:
        """Return how often and how soon agreements were reached, and the payoffs of contracts whose
        payments can be computed exactly.
        """
        agreed = [entry for entry in entries if entry["agreed"]]
        exact = [entry for entry in agreed if entry["transfers"] is not None]
        return {
            "contract": self.game.condition,
            "expected_without": dict(self.game.specialised().values),
            "agreed": len(agreed),
            "agreement_rate": len(agreed) / len(entries) if entries else None,
            "exact": len(exact),
            "messages": _spread([entry["messages"] for entry in agreed]),
            "gini": _spread([entry["gini"] for entry in exact]),
            "transfers": {
                name: _spread([entry["transfers"][name] for entry in exact])
                for name in self.agent_names
            },
        }

    def show(self, result: Result) -> None:
        """Print one row per negotiation, and then a summary."""
        console = plain_console()
        table = Table(title=f"{result['scenario']}: negotiations, and payoffs of specialists")
        for column in ("seed", "messages", *self.agent_names, "Gini", "transfer", "contract"):
            table.add_column(column, justify="left" if column == "contract" else "right")
        for entry in result["runs"]:
            table.add_row(str(entry["seed"]), str(entry["messages"]), *self._cells(entry))
        print_whole(console, table)
        for line in self._lines(result):
            console.print(line, soft_wrap=True)

    def _cells(self, entry: Entry) -> list[str]:
        unknown = ["?"] * (len(self.agent_names) + 2)
        if not entry["agreed"]:
            return [*unknown, "none"]
        if entry["transfers"] is None:
            return [*unknown, f"{entry['file']} (in words: a judge would settle it)"]
        rewards = [f"{entry['rewards'][name]:g}" for name in self.agent_names]
        gets = max(entry["transfers"], key=lambda name: float(entry["transfers"][name]))
        moved = f"{entry['transfers'][gets]:g} to {gets}"
        return [
            *rewards,
            "n/a" if entry["gini"] is None else f"{entry['gini']:.2f}",
            moved,
            entry["file"],
        ]

    def _lines(self, result: Result) -> list[str]:
        count = len(result["runs"])
        messages, spread = result["messages"], result["gini"]
        lines = [
            f"agreed: {result['agreed']} of {count}, "
            f"after {mean_with_sd(messages['mean'], messages['sd'])} messages",
            f"Gini where all specialise: {mean_with_sd(spread['mean'], spread['sd'])} "
            f"({result['exact']} contracts that code can settle)",
        ]
        told = ", ".join(f"{name} {value:g}" for name, value in result["expected_without"].items())
        lines.append(f"without a transfer, specialists would have: {told}")
        return lines


def _spread(values: Sequence[float | None]) -> dict[str, float | None]:
    mean, sd = known_mean_and_sd(values)
    return {"mean": mean, "sd": sd}


def _keep(folder: Path, number: int, text: str) -> str:
    """Write a contract to a file in the run's folder. Return the name of the file, relative to the
    folder.
    """
    name = f"{FOLDER}/{number + 1}.txt"
    (folder / FOLDER).mkdir(exist_ok=True)
    (folder / name).write_text(text + "\n", encoding="utf-8")
    return name
