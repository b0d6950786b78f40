"""Negotiations without play: what is agreed on, how often, and what each contract would bring.

Source of the use: Yocum et al. (2023) sampled many negotiations and picked two contracts by hand.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.table import Table

from voxpolis.bots.models.scripted import Script
from voxpolis.experiments.loops.contract.case import note_contract, note_move
from voxpolis.experiments.loops.contract.protocol import ContractScenario, Situation
from voxpolis.experiments.loops.contract.settings import ContractOptions
from voxpolis.experiments.run.experiment import Case, Entry, Prepared, Result, Session, repetitions
from voxpolis.experiments.run.model_choice import ModelChoice
from voxpolis.experiments.run.tables import mean_with_sd
from voxpolis.judge import Contract, negotiate
from voxpolis.judge.contracts.negotiation import Negotiation
from voxpolis.records import events
from voxpolis.records.console import plain_console, print_whole
from voxpolis.records.measures import gini, known_mean_and_sd

#: The folder of a run that holds what was agreed on, a file each, for ``--contract FILE``.
FOLDER = "contracts"


@dataclass
class PreparedNegotiations:
    """Negotiations of a contract scenario; see :class:`experiments.run.experiment.Prepared`.

    Attributes:
        game: the same, played.
        scenario: its rules.
        options: of its command.
    """

    game: Prepared
    scenario: ContractScenario
    options: ContractOptions
    records_scripted_calls: bool = True
    needs_land = False

    @property
    def agents(self) -> Sequence[str]:
        """The players."""
        return self.scenario.agents

    @property
    def cases(self) -> Sequence[Case]:
        """The negotiations, each with the next seed."""
        count = self.options.negotiate_only or 0
        return repetitions(str(self.options.condition), self.options.seed, count)

    def manifest(self) -> dict[str, Any]:
        """Return what ``run.yaml`` says of the condition."""
        return {**self.game.manifest(), "negotiate_only": self.options.negotiate_only}

    def notes(self, choice: ModelChoice) -> Sequence[str]:
        """Return what people should know before it begins."""
        return self.game.notes(choice)

    def prompts(self) -> str:
        """Return what each role would be asked."""
        return self.game.prompts()

    def script(self, case: Case) -> Script:
        """Return the scripted minds."""
        return self.game.script(case)

    def lasts_s(self, case: Case) -> float | None:
        """Return None: who negotiates for how long, and when a game is over, is up to the minds."""
        return None

    def most_calls(self, counted: Mapping[str, int]) -> Mapping[str, int]:
        """Return how often each role is asked at most: all rounds, each proposal compiled."""
        most = len(self.cases) * self.options.rounds
        return {"negotiator": most, **({"compiler": most} if self.options.compiled else {})}

    async def play(self, case: Case, session: Session) -> AsyncIterator[Entry]:
        """Let the players negotiate once, and keep what they agreed on."""
        scenario, options, writer = self.scenario, self.options, session.writer
        writer.begin_episode(case.number)
        starts = scenario.layout(case.seed).starts
        situations = {
            agent: Situation(agent, "grid", Contract(case.condition, ""), case.seed, starts)
            for agent in scenario.agents
        }
        briefings = {agent: scenario.briefing(own) for agent, own in situations.items()}
        found = await negotiate(
            session.model,
            briefings,
            scenario.terms(),
            options.rounds,
            lambda move: note_move(writer.event, move),
            compiled=options.compiled,
        )
        for failure in session.model.take_failures(scenario.agents):
            told = {"role": failure.role, "message": failure.message}
            writer.event(events.MindFailed, failure.agent, **told)
        note_contract(writer.event, found.agreed or Contract("negotiated", ""))
        entry = self._entry(case, found)
        if entry["agreed"]:
            entry["file"] = _keep(session.folder, case.number, entry["contract"])
        yield entry

    def _entry(self, case: Case, found: Negotiation) -> Entry:
        entry: Entry = {
            "condition": case.condition,
            "seed": case.seed,
            "agreed": found.agreed is not None,
            "messages": len(found.moves),
            "contract": found.agreed.text if found.agreed else "",
            "transfers": None,
            "rewards": None,
            "gini": None,
        }
        if found.agreed is not None and found.agreed.rule is not None:
            expected = self.scenario.specialised()
            transfers = dict(found.agreed.rule(expected.outcome))
            rewards = {name: expected.values[name] + transfers[name] for name in self.agents}
            shared = {"transfers": transfers, "rewards": rewards}
            entry |= {**shared, "gini": gini(list(rewards.values()))}
        return entry

    def summary(self, entries: Sequence[Entry]) -> Result:
        """Return how often and how soon there was a contract, and what the exact ones bring."""
        agreed = [entry for entry in entries if entry["agreed"]]
        exact = [entry for entry in agreed if entry["transfers"] is not None]
        return {
            "contract": self.options.condition,
            "expected_without": dict(self.scenario.specialised().values),
            "agreed": len(agreed),
            "agreement_rate": len(agreed) / len(entries) if entries else None,
            "exact": len(exact),
            "messages": _spread([entry["messages"] for entry in agreed]),
            "gini": _spread([entry["gini"] for entry in exact]),
            "transfers": {
                name: _spread([entry["transfers"][name] for entry in exact]) for name in self.agents
            },
        }

    def show(self, result: Result) -> None:
        """Print a row for each negotiation, and what they show together."""
        console = plain_console()
        table = Table(title=f"{result['scenario']}: negotiations, and what specialists would get")
        for column in ("seed", "messages", *self.agents, "Gini", "transfer", "contract"):
            table.add_column(column, justify="left" if column == "contract" else "right")
        for entry in result["runs"]:
            table.add_row(str(entry["seed"]), str(entry["messages"]), *self._cells(entry))
        print_whole(console, table)
        for line in self._lines(result):
            console.print(line, soft_wrap=True)

    def _cells(self, entry: Entry) -> list[str]:
        unknown = ["?"] * (len(self.agents) + 2)
        if not entry["agreed"]:
            return [*unknown, "none"]
        if entry["transfers"] is None:
            return [*unknown, f"{entry['file']} (in words: a judge would settle it)"]
        rewards = [f"{entry['rewards'][name]:g}" for name in self.agents]
        gets = max(entry["transfers"], key=lambda name: float(entry["transfers"][name]))
        moved = f"{entry['transfers'][gets]:g} to {gets}"
        return [
            *rewards,
            "-" if entry["gini"] is None else f"{entry['gini']:.2f}",
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
        lines.append(f"without a transfer specialists would have: {told}")
        return [*lines, f"mind: {result['mind']}", f"record: {result['run_dir']}"]


def _spread(values: Sequence[float | None]) -> dict[str, float | None]:
    """Return mean and standard deviation; nothing of nothing."""
    mean, sd = known_mean_and_sd(values)
    return {"mean": mean, "sd": sd}


def _keep(folder: Path, number: int, text: str) -> str:
    """Write a contract into the run's folder; return the file's name there."""
    name = f"{FOLDER}/{number + 1}.txt"
    (folder / FOLDER).mkdir(exist_ok=True)
    (folder / name).write_text(text + "\n", encoding="utf-8")
    return name
