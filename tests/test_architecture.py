"""What the architecture promises to whoever extends it, tried out."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
from dataclasses import replace
from types import SimpleNamespace

import pytest
from voxpolis.experiments.loops.contract.protocol import ContractScenario
from voxpolis.experiments.run.protocol_check import check_protocol

from tests.conftest import ROOT, run_module
from voxpolis import scenarios
from voxpolis.bots.agents.registry import KINDS, AgentKind
from voxpolis.experiments.loops.contract import experiment as contract_experiment
from voxpolis.experiments.run import registry
from voxpolis.experiments.run.command import command, main, prepare
from voxpolis.experiments.run.options import UsageError
from voxpolis.experiments.run.runner import play
from voxpolis.experiments.study.matrix import cells
from voxpolis.judge import Outcome, parse_clauses
from voxpolis.records import RunWriter, SimulatedClock, events, read_record
from voxpolis.scenarios.double_vein import DoubleVein
from voxpolis.worlds.grid import GridArena
from voxpolis.worlds.protocol import Episode


def headless(name, out, *options):
    """The result of a command on the grid, in this process."""
    experiment = registry.experiment(name)
    words = ["--world", "grid", "--out", str(out), "--json", *options]
    assert main(experiment, command(experiment).make_context(name, words).params) == 0
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

from voxpolis.experiments.loops.contract.experiment import ContractExperiment
from voxpolis.scenarios.double_vein import DoubleVein


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
    run = prepare(experiment, command(experiment).make_context("dig", words).params)
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


def test_what_a_scenario_does_wrong_is_a_fault_of_its_code(tmp_path, monkeypatch):
    folder = tmp_path / "breaks"
    folder.mkdir()
    wrong = "\n    def count(self, account):\n        return {}['iron']\n\n\nEXPERIMENT"
    source = SCENARIO.replace("copy_of_it", "breaks").replace("\n\nEXPERIMENT", wrong)
    (folder / "__init__.py").write_text(source)
    (folder / "__main__.py").touch()
    monkeypatch.setattr(scenarios, "__path__", [*scenarios.__path__, str(tmp_path)])
    experiment = registry.experiment("breaks")
    words = ["--world", "grid", "--contract", "1", "--out", str(tmp_path / "runs")]
    values = command(experiment).make_context("breaks", words).params
    run = prepare(experiment, values)
    code, result = asyncio.run(play(run))
    monkeypatch.delitem(sys.modules, "scenarios.breaks", raising=False)
    assert code == 1
    assert result["error"].startswith(
        "count() of the scenario breaks failed: KeyError in __init__.py, line"
    )
    ended = [e for e in read_record(run.folder).events if isinstance(e, events.Fault)]
    assert [fault.where for fault in ended] == ["code"]


@pytest.mark.parametrize(
    "misplaced",
    [{"blocks": {"iron_ore": [(99, 151, 3)]}}, {"starts": {"Gizmo": (1.5, 151.0, -70.5)}}],
)
def test_what_stands_outside_an_arena_is_named(misplaced):
    what = next(iter(*misplaced.values()))
    with pytest.raises(ValueError, match=f"{what} at .* is outside the arena or in its wall, x "):
        replace(DoubleVein().layout(0), **misplaced)


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
    ("package", "code"), [("scenarios.mine", 2), ("scenarios.harvest", 0), ("tests", 0), (None, 0)]
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


def test_the_type_checker_sees_a_method_that_was_renamed(tmp_path):
    """Binding a scenario whose ``terms`` has another name is an error of types."""
    wrong = (
        "from typing import ClassVar\n"
        "from experiments.contract_experiment import ContractExperiment\n"
        "from experiments.contract_settings import ContractSettings\n"
        "class Renamed(ContractSettings):\n"
        "    name: ClassVar[str] = 'renamed'\n"
        "    def termz(self) -> None: ...\n"
        "ContractExperiment(Renamed, Renamed, '')\n"
    )
    (tmp_path / "renamed.py").write_text(wrong)
    options = ["--config-file", str(ROOT / "pyproject.toml"), str(tmp_path / "renamed.py")]
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", *options],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    assert 'has incompatible type "type[Renamed]"' in checked.stdout, checked.stdout
    assert checked.returncode == 1


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
    options = ["--runs", "8"]
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
    [("double_vein", "1"), ("double_vein", "2"), ("double_vein", "negotiate"), ("cleanup", "2")],
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
#: persons: tests/test_taking_part.py.
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


def test_who_cannot_play_is_told_why(tmp_path):
    for arguments, says in (
        (
            ["--world", "grid", "--agent", "voyager"],
            "voyager agents cannot play double_vein in the",
        ),
        (["--world", "grid", "--agent", "poet"], "there is no kind of agent 'poet'"),
        (["--world", "grid", "--agent", "Zoe=planner"], "there is no agent 'Zoe'"),
        (["--agent", "planner", "--agent", "scripted"], "two kinds for all agents"),
    ):
        done = run_module("scenarios.double_vein", *arguments, "--out", str(tmp_path))
        assert (done.returncode, len(done.stderr.strip().splitlines())) == (2, 1), done.stderr
        assert says in done.stderr


def test_kinds_play_together(tmp_path):
    mixed = ["--agent", "Gizmo=planner", "--agent", "Glitch=code_writer"]
    result = headless("double_vein", tmp_path, *mixed, "--contract", "1")
    assert result["agents_kinds"] == {"Gizmo": "planner", "Glitch": "code_writer"}
    assert result["runs"][0]["agents"]["Glitch"]["diamond"] == 6


def test_the_lists(tmp_path):
    listed = run_module("scenarios").stdout
    shown = run_module("experiments", "matrix").stdout
    for name in registry.names():
        assert name in listed
        assert name in shown
