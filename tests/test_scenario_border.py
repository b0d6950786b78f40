"""What is wrong in a scenario's code is said in a line, of its hook, and is never a result."""

from __future__ import annotations

import asyncio
import functools
import json
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
import pytest
from pydantic import Field

from experiments import registry
from experiments.command import command, prepare
from experiments.contract_experiment import ContractExperiment
from experiments.curriculum_protocol import CurriculumScenario
from experiments.options import option
from experiments.protocol_check import LackingError, Something, guarded, misfit, shown
from experiments.runner import play
from experiments.usage import UsageError
from judge import Contract
from records import events, read_record
from scenarios.crafting_tree.scenario import CraftingTree
from scenarios.matrix.scenario import Matrix
from tests.bots.test_styles import made
from worlds.layout import Layout, Source
from worlds.protocol import Dynamics


def nothing(_self, *_args, **_named):
    """A method whose author forgot to return anything."""


def a_text(_self, *_args):
    return "oops"


async def a_coroutine(_self, *_args):
    return True


def fails(_self, *_args, **_named):
    return {}["iron"]


def ends(_self, *_args):
    sys.exit()


def is_cancelled(_self):
    raise asyncio.CancelledError


def changed(**parts):
    """A layout like the shipped one, but for some parts."""
    return lambda self, seed: replace(Matrix.layout(self, seed), **parts)


#: Starts in the matrix game's arena: of two in one place, and on what is dug.
ORE = (165, 151, 3)
TOGETHER = dict.fromkeys(("Ann", "Bob"), (165.5, 151.0, 3.5))
ON_ORE = {**TOGETHER, "Bob": (166.5, 151.0, 3.5)}


def a_mapping(value):
    return lambda self, *_args: dict.fromkeys(self.agents, value)


def counts(value):
    return lambda self, *_args: {a: dict.fromkeys(self.counted, value) for a in self.agents}


def is_played(hooks, tmp_path):
    """What is said of a matrix game with some hooks of its own, its exit code and its record."""
    kind = type("Mine", (Matrix,), {"__module__": __name__, **hooks})
    experiment = ContractExperiment(kind, kind, "A game.", registry.experiment("matrix").options)
    return prepare(experiment, made(experiment, ["--world", "grid", "--out", str(tmp_path)]))


@pytest.mark.parametrize(
    ("hooks", "said"),
    [
        ({"layout": nothing}, "layout() of the scenario matrix must return Layout, not None"),
        ({"layout": fails}, "layout() of the scenario matrix failed: KeyError in test_scenario_"),
        ({"layout": lambda _: 1}, "layout() of the scenario matrix failed: TypeError: "),
        ({"layout": a_coroutine}, "must return Layout, not a coroutine: it must be no async"),
        ({"contracts": nothing}, "contracts() of the scenario matrix must return Mapping[str, Con"),
        ({"contracts": lambda _: {"none": "x"}}, "not a value that is 'x' (str)"),
        ({"agents": lambda _: ("a", "b")}, "not a method: it is a property"),
        ({"agents": property(fails)}, "agents of the scenario matrix failed: KeyError"),
        ({"optimum": property(a_text)}, "must return float or None, not 'oops' (str)"),
        ({"counted": property(nothing)}, "counted of the scenario matrix must return tuple"),
        ({"setting": nothing}, "setting() of the scenario matrix must return str, not None"),
        ({"worth": a_text}, "worth() of the scenario matrix must return Mapping"),
        ({"terms": fails}, "terms() of the scenario matrix failed: KeyError"),
        ({"cooperation": a_text}, "must return Cooperation or None, not 'oops'"),
        ({"setting": is_cancelled}, "setting() of the scenario matrix failed: CancelledError"),
        ({"agents": property(lambda _: ())}, "agents of the scenario matrix are not names, each"),
        ({"agents": property(lambda _: ("Ann", "Ann"))}, "are not names, each once"),
        ({"agents": property(lambda _: ("Ann",))}, "has a start for Bob, who does not play"),
        (
            {"layout": changed(chests={(165, 151, 3): {"coal": 300}})},
            "of the scenario matrix cannot be",
        ),
        (
            {"layout": changed(ground=[("stone", (0, 0, 0))])},
            "of the scenario matrix cannot be bui",
        ),
        (
            {"layout": changed(starts=TOGETHER)},
            "Bob starts at (165.5, 151.0, 3.5), where something",
        ),
        (
            {
                "layout": changed(
                    starts=ON_ORE, sources={"ore": Source("ore")}, blocks={"ore": [ORE]}
                )
            },
            "Ann starts at (165.5, 151.0, 3.5), where something else is",
        ),
    ],
)
def test_what_is_known_before_is_said_before_anything_is_played(hooks, said, tmp_path):
    with pytest.raises(UsageError) as refused:
        is_played(hooks, tmp_path)
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("hooks", "said"),
    [
        ({"is_over": nothing}, "is_over() of the scenario matrix must return bool, not None"),
        ({"is_over": a_text}, "is_over() of the scenario matrix must return bool, not 'oops'"),
        ({"is_over": a_coroutine}, "must return bool, not a coroutine"),
        ({"value": nothing}, "value() of the scenario matrix must return Mapping[str, float]"),
        ({"value": a_mapping("5")}, "not a value that is '5' (str)"),
        ({"value": a_mapping(float("nan"))}, "not a value that is nan"),
        ({"value": ends}, "value() of the scenario matrix failed: SystemExit in test_scenario_"),
        ({"value": lambda *_: {"Ann": 1, "Bob": 2, "Zed": 9}}, "returns one of Zed, who does not"),
        ({"count": counts(3.5)}, "not a value that is a value that is 3.5"),
        ({"briefing": nothing}, "briefing() of the scenario matrix must return str, not None"),
        ({"script": nothing}, "script() of the scenario matrix must return Callable, not None"),
        ({"dynamics": a_text}, "dynamics() of the scenario matrix must return Dynamics or None"),
    ],
)
async def test_what_goes_wrong_in_a_run_is_a_fault_and_no_result(hooks, said, tmp_path):
    run = is_played(hooks, tmp_path)
    code, result = await play(run)
    assert code == 1
    assert said in result["error"]
    assert "\n" not in result["error"]
    (fault,) = read_record(run.folder).of(events.Fault)
    assert (fault.where, fault.trace != "") == ("code", True)


class Counted(Matrix):
    """Says all that it can with numpy's numbers, lists for tuples, and an async decorated tick."""

    def value(self, account):
        return {name: np.float32(one) for name, one in super().value(account).items()}

    def count(self, account):
        counts = super().count(account)
        return {
            name: Counter({w: np.int64(n) for w, n in own.items()}) for name, own in counts.items()
        }

    def is_over(self, account):
        return np.bool_(super().is_over(account))

    @property
    def agents(self):
        return list(super().agents)

    @property
    def optimum(self):
        return np.float64(super().optimum)

    def dynamics(self, seed):
        return Decorated(super().dynamics(seed))


def decorated(function):
    @functools.wraps(function)
    def called(*args, **named):
        return function(*args, **named)

    return called


class Decorated:
    def __init__(self, own):
        self._own = own

    @decorated
    async def tick(self, *args):
        if self._own is not None:
            await self._own.tick(*args)


async def test_what_a_reasonable_author_returns_is_played_as_it_is(tmp_path):
    results = []
    for kind in (Matrix, Counted):
        experiment = ContractExperiment(
            kind, kind, "A game.", registry.experiment("matrix").options
        )
        told = made(experiment, ["--world", "grid", "--out", str(tmp_path / kind.__name__)])
        run = prepare(experiment, told)
        code, result = await play(run)
        assert code == 0, result
        results.append(json.loads((run.folder / "result.json").read_text()))
    assert results[0]["runs"] == results[1]["runs"]
    assert results[0]["welfare_optimum"] == results[1]["welfare_optimum"]


async def test_runs_without_a_summary_are_no_result(tmp_path, monkeypatch):
    run = is_played({}, tmp_path)
    monkeypatch.setattr(run.prepared, "summary", fails)
    code, result = await play(run)
    assert (code, run.is_summarised) == (1, False)
    assert "KeyError in test_scenario_border.py" in result["error"]
    assert json.loads((run.folder / "result.json").read_text())["runs"] == result["runs"] != []


PEOPLE = Matrix().agents


class NotAsync:
    """Dynamics whose ``tick`` nobody can wait for."""

    def tick(self):
        return None


def answers(value):
    return lambda *_: lambda _request: value


def ruled(rule):
    """The contracts of a game whose rule is given."""
    return lambda _: {"none": Contract("none", "Somebody pays.", rule)}


@pytest.mark.parametrize(
    ("hooks", "said"),
    [
        ({"dynamics": lambda *_: NotAsync()}, "whose tick is no async function"),
        (
            {"script": answers(None)},
            "answers action with None, which is neither an Answer nor a text",
        ),
        (
            {"script": answers({"a": 1})},
            "answers action with {'a': 1}, which is neither an Answer nor a text",
        ),
        ({"contracts": ruled(nothing)}, "it must return what each gets, not None"),
        ({"contracts": ruled(fails)}, "the rule of the contract none: KeyError in test_scenario_"),
        ({"contracts": ruled(lambda _: {"Ann": 0.0})}, "transfers must name exactly Ann, Bob"),
        ({"contracts": ruled(lambda _: dict.fromkeys(PEOPLE, 1.0))}, "must sum to zero"),
        ({"contracts": ruled(lambda _: {"Ann": 1e18, "Bob": -1e18})}, "and at most 1e+15"),
        ({"value": a_mapping(-1e300)}, "value() of the scenario matrix returns -1e+300 for Ann"),
    ],
)
async def test_what_hooks_give_to_play_with_is_looked_at_too(hooks, said, tmp_path):
    code, result = await play(is_played(hooks, tmp_path))
    assert (code, said in result["error"]) == (1, True), result["error"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"starts": {"Ann": (0.5, 150.0, 3.5)}}, "outside the arena or in its wall"),
        ({"blocks": {"coal_ore": [(0, 150, 3)]}}, "outside the arena or in its wall"),
        ({"blocks": {block: [(5, 150, 5)] for block in ("coal_ore", "iron_ore")}}, "both stand at"),
        ({"chests": {(5, 150, 5): {}}, "blocks": {"coal_ore": [(5, 150, 5)]}}, "both stand at"),
    ],
)
def test_nothing_of_a_layout_stands_in_something_else(change, said):
    sound = Layout(
        (0, 9), (0, 9), 150, 4, "stone", {"Ann": (3.5, 150.0, 3.5), "Bob": (4.5, 150.0, 3.5)}
    )
    with pytest.raises(ValueError, match=said):
        replace(sound, **change)


@pytest.mark.parametrize("loot", [{-2: 1.0}, {1: 0.5, 2: 0.9}, {1: 1.5, 0: -0.5}, {1: 0.3}])
def test_loot_has_counts_and_chances_that_add_up(loot):
    with pytest.raises(ValueError, match="loot of coal"):
        Source("coal", loot=loot)


@pytest.mark.parametrize("name", ["judge", "rounds", "contract", "help", "runs", "condition"])
def test_no_setting_takes_an_option_of_its_command(name):
    class Greedy(Matrix):
        coal: float = Field(default=1.0, json_schema_extra=option(name))

    with pytest.raises(LackingError, match=f"an option {name} already, so its setting coal needs"):
        ContractExperiment(Greedy, Greedy, "A game.")


def test_what_is_bound_is_a_class_with_a_story_and_defaults():
    class Bare(Matrix):
        coal: float

    with pytest.raises(LackingError, match="each setting needs a default that fits it: coal"):
        ContractExperiment(Bare, Bare, "A game.")
    with pytest.raises(LackingError, match="the docstring of its package says what is played"):
        ContractExperiment(Matrix, Matrix, None)
    with pytest.raises(LackingError, match="takes the scenario's class, not Matrix"):
        ContractExperiment(Matrix(), Matrix, "A game.")
    with pytest.raises(LackingError, match="EXPERIMENT is the class Matrix, and must be"):
        command(Matrix)


@pytest.mark.parametrize(
    ("value", "hint", "is_one"),
    [
        ({"a": 1}, Mapping[str, float], True),
        ({1: 1}, Mapping[str, float], False),
        (np.bool_(True), bool, True),
        (1, bool, False),
        (True, int, True),
        (np.int64(3), int, True),
        (3.0, int, False),
        (np.float32(3), float, True),
        (3, float | None, True),
        (float("inf"), float, False),
        ("Ada", tuple[str, ...], False),
        ("Ada", Sequence[str], False),
        (["a"], tuple[str, ...], True),
        ((1, 2), tuple[int, int, int], False),
        (("a", 2), tuple[str, int], True),
        ((x for x in "ab"), Sequence[str], False),
        (None, Layout | None, True),
        (5, Dynamics | None, False),
        (print, Callable[[int], str], True),
        (None, Callable[[int], str], False),
        ({"x": Contract("x", "")}, Mapping[str, Contract], True),
        ("b", Literal["a"], False),
        (object(), "what is not known now", True),
        (None, Something, False),
        (0, Something, True),
    ],
)
def test_a_value_fits_its_type_or_it_is_said_what_it_is(value, hint, is_one):
    assert (misfit(value, hint) == "") == is_one, misfit(value, hint)
    assert shown(hint)


def test_what_is_imported_for_types_alone_is_not_none():
    class Treeless(CraftingTree):
        @classmethod
        def of(cls, _condition, _settings):
            return None

        def grid_game(self, _seed):
            return None

    checked = guarded(Treeless, CurriculumScenario)
    said = r"\(\) of the scenario crafting_tree must return Something, not None"
    for call in (lambda: checked().grid_game(0), lambda: checked.of("", None)):
        with pytest.raises(LackingError, match=said):
            call()
