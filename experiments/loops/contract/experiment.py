"""Contract scenarios as experiments: their options, conditions and worlds.

``prepare`` imports the code that plays a condition, so that usage errors are reported without it.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from pydantic import BaseModel

from voxpolis.experiments.loops.contract.protocol import ContractScenario, check_scenario
from voxpolis.experiments.loops.contract.settings import ContractOptions
from voxpolis.experiments.people.people import HUMAN
from voxpolis.experiments.run.experiment import (
    BoundExperiment,
    Prepared,
    Result,
    Sheet,
)
from voxpolis.experiments.run.options import RunOptions, UsageError
from voxpolis.experiments.run.protocol_check import with_defaults
from voxpolis.judge import Contract, ContractError, read_contract_file

#: The contract that players make themselves.
NEGOTIATE = "negotiate"
KINDS: Mapping[str, Sequence[str]] = {
    "minecraft": ("code_writer", "scripted", "voyager", "human"),
    "grid": ("code_writer", "scripted", "planner", "human"),
}


class ContractExperiment(BoundExperiment):
    """A contract scenario; see :class:`experiments.run.experiment.Experiment`."""

    measures: Sequence[str] = ("mean.welfare", "mean.gini")
    joined: Collection[str] = ("minecraft",)

    def __init__(
        self,
        kind: type[ContractScenario],
        settings: type[BaseModel],
        story: str,
        options: type[ContractOptions] = ContractOptions,
        worlds: Mapping[str, Sequence[str]] = KINDS,
    ) -> None:
        """Bind a scenario; ``settings`` is the same class, as the pydantic model that it is.

        ``options``: what its command takes, where other defaults fit it better.

        Raises:
            TypeError: the scenario lacks a part of the protocol.
        """
        super().__init__(kind, ContractScenario, settings, options, story)
        self.worlds = worlds
        contracts = with_defaults(self._kind).contracts()
        self.conditions = {name: _first_line(c) for name, c in contracts.items()}
        self.conditions[NEGOTIATE] = "the players negotiate a contract of their own"
        self.conditions["FILE"] = "a contract in your words, in a text file"

    def compared(self, results: Sequence[Result]) -> Sequence[Sheet]:
        """Return the gains of conditions, what roles and transfers do, and what modules came to."""
        from voxpolis.experiments.loops.contract import comparison as contract_comparison  # noqa: PLC0415  (numpy)
        from voxpolis.experiments.loops.cooperation import measures as cooperation_tables  # noqa: PLC0415  (numpy)

        modules = cooperation_tables.cooperation_sheets(results)
        return [*contract_comparison.sheets(results), *modules]

    def prepare(self, options: RunOptions, settings: BaseModel, world: str) -> Prepared:
        """Check the options; see :class:`experiments.run.experiment.Experiment`."""
        from voxpolis.experiments.loops.contract.condition import PreparedContract  # noqa: PLC0415  (loads slowly)
        from voxpolis.experiments.loops.contract.negotiations import PreparedNegotiations  # noqa: PLC0415

        assert isinstance(options, ContractOptions)
        scenario: ContractScenario = self._kind(**settings.model_dump())
        check_scenario(scenario, options.seed, world)
        name = "none" if options.condition is None else options.condition
        contract = choose_contract(scenario, name)
        if name != NEGOTIATE and (options.compiled or options.renegotiate):
            raise UsageError(f"--compile and --renegotiate need --condition {NEGOTIATE}")
        people = any(text.endswith(f"{HUMAN}") for text in options.kinds_asked)
        if people and scenario.cooperation():
            raise UsageError("--modules: a person carries no modules of cooperation")
        prepared = PreparedContract(scenario, options, contract, world, self.worlds[world])
        if options.negotiate_only is None:
            return prepared
        if name != NEGOTIATE:
            raise UsageError(f"--negotiate-only needs --condition {NEGOTIATE}")
        if world != "grid":
            raise UsageError("--negotiate-only plays nothing: add --world grid, without a server")
        return PreparedNegotiations(prepared, scenario, options)


def _first_line(contract: Contract) -> str:
    lines = contract.text.splitlines()
    return (lines[0] if len(lines) == 1 else f"{lines[0]} …") if lines else "no contract"


def choose_contract(scenario: ContractScenario, name: str) -> Contract:
    """Return a shipped contract, one from a file, or the promise of one that is negotiated.

    Raises:
        UsageError: there is none of that name.
    """
    shipped = scenario.contracts()
    if name == NEGOTIATE:
        return Contract(NEGOTIATE, "")
    if name in shipped:
        return shipped[name]
    path = Path(name)
    if not name or (not path.exists() and path.suffix == "" and os.sep not in name):
        there = ", ".join(shipped)
        raise UsageError(
            f"there is no contract {name!r}; there are: {there}, {NEGOTIATE}, or a FILE"
        )
    try:
        return read_contract_file(path)
    except ContractError as error:
        raise UsageError(str(error)) from error
