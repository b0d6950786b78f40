"""What is wrong in a scenario's code is said in a line, of its hook, and is never a result."""

from __future__ import annotations

import asyncio
import json
import re
import sys
from dataclasses import replace
from types import SimpleNamespace

import pytest

import bots.prompts
import scenarios
from bots.agents.registry import KINDS, AgentKind
from experiments import contract_experiment, registry
from experiments.command import command, main, prepare
from experiments.contract_experiment import ContractExperiment
from experiments.contract_protocol import ContractScenario
from experiments.matrix import cells
from experiments.protocol_check import (
    check_protocol,
)
from experiments.runner import play
from experiments.usage import UsageError
from judge import Contract, Outcome, parse_clauses
from records import RunWriter, SimulatedClock, events, read_record
from scenarios.double_vein import DoubleVein
from scenarios.matrix.scenario import Matrix
from tests.conftest import ROOT
from worlds.grid import GridArena
from worlds.layout import Layout, Source
from worlds.protocol import Episode


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


def made(experiment, words):
    """The values of a command line."""
    return command(experiment).make_context(experiment.name, list(words)).params


def is_played(hooks, tmp_path):
    """What is said of a matrix game with some hooks of its own, its exit code and its record."""
    kind = type("Mine", (Matrix,), {"__module__": __name__, **hooks})
    experiment = ContractExperiment(kind, kind, "A game.", registry.experiment("matrix").options)
    return prepare(experiment, made(experiment, ["--world", "grid", "--out", str(tmp_path)]))


@pytest.mark.parametrize(
    ("hooks", "said"),
    [
        ({"layout": nothing}, "layout() of the scenario matrix must return Layout, not None"),
        ({"layout": lambda _: 1}, "layout() of the scenario matrix failed: TypeError: "),
        ({"layout": a_coroutine}, "must return Layout, not a coroutine: it must be no async"),
        ({"contracts": nothing}, "contracts() of the scenario matrix must return Mapping[str, Con"),
        ({"agents": lambda _: ("a", "b")}, "not a method: it is a property"),
        ({"agents": property(fails)}, "agents of the scenario matrix failed: KeyError"),
        ({"setting": nothing}, "setting() of the scenario matrix must return str, not None"),
        ({"terms": fails}, "terms() of the scenario matrix failed: KeyError"),
        ({"setting": is_cancelled}, "setting() of the scenario matrix failed: CancelledError"),
        ({"agents": property(lambda _: ())}, "agents of the scenario matrix are not names, each"),
        ({"agents": property(lambda _: ("Ann",))}, "has a start for Bob, who does not play"),
        (
            {"layout": changed(chests={(165, 151, 3): {"coal": 300}})},
            "of the scenario matrix cannot be",
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
        ({"contracts": ruled(nothing)}, "it must return what each gets, not None"),
        ({"contracts": ruled(fails)}, "the rule of the contract none: KeyError in test_writing_"),
        ({"contracts": ruled(lambda _: {"Ann": 0.0})}, "transfers must name exactly Ann, Bob"),
        ({"contracts": ruled(lambda _: dict.fromkeys(PEOPLE, 1.0))}, "must sum to zero"),
        ({"contracts": ruled(lambda _: {"Ann": 1e18, "Bob": -1e18})}, "and at most 1e+15"),
        ({"value": a_mapping(-1e300)}, "value() of the scenario matrix returns -1e+300 for Ann"),
        ({"is_over": nothing}, "is_over() of the scenario matrix must return bool, not None"),
        ({"value": nothing}, "value() of the scenario matrix must return Mapping[str, float]"),
        ({"value": a_mapping("5")}, "not a value that is '5' (str)"),
        ({"value": a_mapping(float("nan"))}, "not a value that is nan"),
        ({"value": ends}, "value() of the scenario matrix failed: SystemExit in test_writing_"),
        ({"value": lambda *_: {"Ann": 1, "Bob": 2, "Zed": 9}}, "returns one of Zed, who does not"),
        ({"count": counts(3.5)}, "not a value that is a value that is 3.5"),
        ({"script": nothing}, "script() of the scenario matrix must return Callable, not None"),
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


async def test_runs_without_a_summary_are_no_result(tmp_path, monkeypatch):
    run = is_played({}, tmp_path)
    monkeypatch.setattr(run.prepared, "summary", fails)
    code, result = await play(run)
    assert (code, run.is_summarised) == (1, False)
    assert "KeyError in test_writing_scenarios.py" in result["error"]
    assert json.loads((run.folder / "result.json").read_text())["runs"] == result["runs"] != []


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


def headless(name, out, *options):
    """The result of a command on the grid, in this process."""
    experiment = registry.experiment(name)
    words = ["--world", "grid", "--out", str(out), "--json", *options]
    assert main(experiment, made(experiment, words)) == 0
    newest = max(out.glob("*/*/result.json"), key=lambda path: path.stat().st_mtime_ns)
    return json.loads(newest.read_text())


# --- Extending -----------------------------------------------------------------------------------


def test_the_list_of_changes_names_files_that_are_there():
    text = (ROOT / "docs" / "architecture.md").read_text()
    section = text.partition("## A change")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| a(?:nother)? .*$", section, re.MULTILINE)
    assert len(rows) == 8
    for row in rows:
        _, _, new, besides, _ = (cell.strip() for cell in row.split("|"))
        touched = re.findall(r"`([\w/.]+)`", besides)
        assert len(touched) <= 3 - bool("(none)" not in new), row
        for path in [*touched, *re.findall(r"`([\w/]+)/`", new)]:
            where = [ROOT / path, ROOT / "server/embedded" / path, ROOT / "grid/adasociety" / path]
            assert any(place.exists() for place in where), path


SCENARIO = '''"""A copy under another name."""

from experiments.contract_experiment import ContractExperiment
from scenarios.double_vein.scenario import DoubleVein


class Copy(DoubleVein):
    """Double-Vein under another name."""

    name = "copy_of_it"


EXPERIMENT = ContractExperiment(Copy, Copy, __doc__)
'''


def test_a_scenario_is_found_without_touching_anything_else(tmp_path, monkeypatch):
    folder = tmp_path / "copy_of_it"
    folder.mkdir()
    (folder / "__init__.py").write_text(SCENARIO)
    (folder / "__main__.py").touch()
    monkeypatch.setattr(scenarios, "__path__", [*scenarios.__path__, str(tmp_path)])
    assert "copy_of_it" in registry.names()
    assert registry.experiment("copy_of_it").worlds.keys() == {"minecraft", "grid"}
    monkeypatch.delitem(sys.modules, "scenarios.copy_of_it", raising=False)


def test_a_kind_of_agent_is_what_the_docs_say_it_is(tmp_path, monkeypatch):
    """The docs' own example plays beside another kind once its two lines are there."""
    text = (ROOT / "docs" / "writing_an_agent.md").read_text()
    source = text.partition("```python\n")[2].partition("```")[0]
    found = {}
    exec(source, found)
    kind = AgentKind("digs iron, and asks nobody", ("plans",), found["Digger"])
    monkeypatch.setitem(KINDS, "digger", kind)
    playing = contract_experiment.KINDS
    monkeypatch.setitem(playing, "grid", (*playing["grid"], "digger"))
    experiment = registry.experiment("double_vein")
    words = ["--world", "grid", "--agent", "Gizmo=digger", "--out", str(tmp_path)]
    run = prepare(experiment, made(experiment, words))
    code, result = asyncio.run(play(run))
    assert code == 0
    assert result["agents_kinds"] == {"Gizmo": "digger", "Glitch": "code_writer"}
    (episode,) = result["runs"]
    assert episode["agents"]["Gizmo"]["iron"] > 0, "the chest has a stone pickaxe for it"
    assert episode["agents"]["Gizmo"]["diamond"] == 0
    shown = run.prepared.prompts()  # nobody knows what such a kind asks
    assert ("digger, Gizmo" in shown, "action, Gizmo" in shown) == (True, False)
    assert "action, Glitch" in shown
    assert run.prepared.most_calls({"action": 1}) == {"action": 4, "critic": 4}


def test_one_scenario_that_is_broken_leaves_the_others(tmp_path, monkeypatch, capsys):
    (tmp_path / "unfinished").mkdir()
    (tmp_path / "unfinished" / "__init__.py").write_text("import no_such_module\n")
    monkeypatch.setattr(scenarios, "__path__", [*scenarios.__path__, str(tmp_path)])
    assert {one.name for one in registry.experiments()} == set(registry.names()) - {"unfinished"}
    said = capsys.readouterr().err
    assert "the scenario unfinished cannot be played: ModuleNotFoundError" in said


def test_a_scenario_that_lacks_a_method_says_so_at_start(tmp_path, monkeypatch):
    class Lacking:
        name = "lacking"

    with pytest.raises(TypeError, match="the scenario lacking lacks acts, agents, briefing"):
        check_protocol(Lacking, ContractScenario)
    folder = tmp_path / "unfinished"
    folder.mkdir()
    (folder / "__init__.py").write_text("EXPERIMENTS = []\n")
    monkeypatch.setattr(scenarios, "__path__", [*scenarios.__path__, str(tmp_path)])
    with pytest.raises(UsageError, match="the scenario unfinished cannot be played"):
        registry.experiment("unfinished")
    other = tmp_path / "other_name"
    other.mkdir()
    (other / "__init__.py").write_text(SCENARIO)
    with pytest.raises(UsageError, match="it is called 'copy_of_it' in its class"):
        registry.experiment("other_name")


@pytest.mark.parametrize(
    ("package", "code"), [("scenarios.mine", 2), ("scenarios.harvest", 0), (None, 0)]
)
def test_a_copy_that_kept_its_name_is_refused_when_it_is_started(
    monkeypatch, capsys, package, code
):
    """Else its records would say that they are of the scenario that it was copied from."""
    monkeypatch.setitem(sys.modules, "__main__", SimpleNamespace(__package__=package))
    assert main(registry.experiment("harvest"), {"world": "grid", "show_prompts": True}) == code
    if code:
        said = "the scenario scenarios.mine cannot be played: it is called 'harvest' in its class"
        assert said in capsys.readouterr().err


# --- One layout, one log -------------------------------------------------------------------------


async def test_what_is_laid_down_and_taken_again_is_dug_once(tmp_path):
    """A clause that pays for digging pays for what was dug, whatever passes through the chest."""
    scenario, clock = DoubleVein(), SimulatedClock()
    contract = parse_clauses("Glitch pays Gizmo 1 * dug(Gizmo, iron)", scenario.terms())
    with RunWriter(tmp_path, {}, clock) as writer:
        arena = GridArena(writer, clock, scenario.layout(0), scenario.agents)
        await arena.build(scenario.layout(0), 0)
        there_and_back = "DUMP 1 raw_iron\nGATHER 1 raw_iron\n" * 40
        policy = f"GATHER 1 stone_pickaxe\nGATHER 1 raw_iron\n{there_and_back}"
        lives = {
            "Gizmo": arena.body("Gizmo").act(policy),
            "Glitch": arena.body("Glitch").act("WAIT"),
        }
        await arena.run(Episode(lives, None, lambda _account: False, 400))
    account = arena.account()
    assert account.log.of("Gizmo", "dug") == {"iron_ore": 1}
    assert account.log.of("Gizmo", "put")["raw_iron"] > 5
    dug = {"Gizmo": {"iron": account.log.of("Gizmo", "dug")["iron_ore"]}}
    assert contract.transfers(Outcome(scenario.count(account), dug))["Gizmo"] == 1


def test_a_setting_of_the_start_acts_on_the_grid(tmp_path):
    """Who is nearer to the chest follows from the seed, unless nobody is."""
    options = ["--runs", "3"]
    near = headless("double_vein", tmp_path, *options, "--set", "start_jitter_blocks=0")
    far = headless("double_vein", tmp_path, *options, "--set", "start_jitter_blocks=2")
    assert [run["seconds"] for run in near["runs"]] != [run["seconds"] for run in far["runs"]]


# --- Scripted minds never read prose -------------------------------------------------------------


def without_words(monkeypatch):
    """Every word of every prompt becomes x; what is filled in stays."""
    original = bots.prompts.template

    def blank(path):
        parts = re.split(r"(\{\{\w+\}\})", original(path))
        return "".join(p if p.startswith("{{") else re.sub(r"\w+", "x", p) for p in parts)

    monkeypatch.setattr(bots.prompts, "template", blank)


@pytest.mark.parametrize(
    ("name", "condition"),
    [("double_vein", "negotiate"), ("cleanup", "2")],
)
def test_words_of_prompts_change_nothing(tmp_path, monkeypatch, name, condition):
    def played(out):
        values = {
            "world": "grid",
            "condition": condition,
            "json_output": True,
            "out": tmp_path / out,
        }
        values |= {"settings": ("time_limit_s=60",)}
        assert main(registry.experiment(name), values) == 0
        (folder,) = (tmp_path / out).glob("*/*")
        return json.loads((folder / "result.json").read_text())["runs"]

    before = played("words")
    without_words(monkeypatch)
    assert played("none") == before


# --- Which agent plays what ----------------------------------------------------------------------

#: Trained agents need torch and a file that was trained: tests/try_learn.py. Of
#: persons: tests/experiments/test_people.py.
LEFT_OUT = ("piano", "trained", "human")
HEADLESS = [
    cell for cell in cells() if cell.works and cell.world == "grid" and cell.agent not in LEFT_OUT
]
SHORT = {
    "adasociety": ["--set", "length=40"],
    "crafting_tree": ["--minutes", "1", "--tree", "adasociety"],
    "taxation": ["--condition", "frozen", "--influencers", "none", "--set", "length_s=200"],
    "religion": ["--agents", "40", "--set", "length_s=300"],
    "commons": ["--set", "rounds=3"],
    "coherence": ["--condition", "full", "--set", "length_s=60"],
    "sentiment": ["--condition", "chef", "--set", "length_s=60"],
    "items": ["--condition", "together", "--set", "agents=3", "--set", "length_s=60"],
    "specialisation": [
        *("--condition", "normal", "--agents", "6", "--set", "length_s=90"),
    ],
}


@pytest.mark.parametrize("cell", HEADLESS, ids=lambda cell: f"{cell.scenario}-{cell.agent}")
def test_who_can_play_headless_plays(tmp_path, cell):
    options = SHORT.get(cell.scenario, ["--time-limit", "20"])
    arguments = ["--agent", cell.agent, "--runs", "1", *options]
    result = headless(cell.scenario, tmp_path, *arguments)
    assert set(result["agents_kinds"].values()) == {cell.agent}
    assert "error" not in result
