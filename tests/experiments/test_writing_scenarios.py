"""Errors in a scenario's code end the run, with one line that names the method."""

from __future__ import annotations

import asyncio
import importlib
import json
import re
import subprocess
import sys
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest
from pydantic import Field

from tests.conftest import ROOT, result_of, run_module
from voxpolis import front, scenarios
from voxpolis.bots.agents.registry import KINDS, AgentKind
from voxpolis.experiments.loops.contract import scenario as contract_experiment
from voxpolis.experiments.run import registry
from voxpolis.experiments.run.command import command, main, prepare
from voxpolis.experiments.run.options import UsageError
from voxpolis.experiments.run.runner import play
from voxpolis.experiments.run.scenario import LackingError, Scenario
from voxpolis.experiments.study.estimate import shown_prompts
from voxpolis.experiments.study.matrix import cells
from voxpolis.judge import Contract, Outcome, parse_clauses
from voxpolis.records import RunWriter, SimulatedClock, events, read_record
from voxpolis.scenarios.double_vein import DoubleVein
from voxpolis.scenarios.matrix import Matrix
from voxpolis.scenarios.public_goods import Give, PublicGoods
from voxpolis.worlds.grid import GridArena
from voxpolis.worlds.layout import Layout, Source
from voxpolis.worlds.protocol import Episode


def nothing(_self, *_args, **_named):
    """A method whose author forgot the return statement."""


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
    """Return a layout like the shipped one with some changes."""
    return lambda self, seed: replace(Matrix.layout(self, seed), **parts)


# Invalid starts in the matrix game's arena: two at one position, and one on a diggable block.
ORE = (165, 151, 3)
TOGETHER = dict.fromkeys(("Ann", "Bob"), (165.5, 151.0, 3.5))
ON_ORE = {**TOGETHER, "Bob": (166.5, 151.0, 3.5)}


def a_mapping(value):
    return lambda self, *_args: dict.fromkeys(self.agent_names, value)


def counts(value):
    return lambda self, *_args: {a: dict.fromkeys(self.counted, value) for a in self.agent_names}


def made(experiment, words):
    """Return the values of a command line."""
    return command(experiment).make_context(experiment.name, list(words)).params


def is_played(hooks, tmp_path):
    """Play a matrix game with custom hooks; return its error, exit code and record."""
    kind = type("Mine", (Matrix,), {"__module__": __name__, "story": "A game.", **hooks})
    kind.check()
    return prepare(kind, made(kind, ["--world", "grid", "--out", str(tmp_path)]))


@pytest.mark.parametrize(
    ("hooks", "said"),
    [
        ({"layout": nothing}, "layout(0) of the scenario matrix must be an instance of Lay"),
        ({"layout": lambda _: 1}, "the scenario matrix cannot be played: TypeError"),
        ({"layout": a_coroutine}, "not <coroutine"),
        ({"contracts": nothing}, "contracts() of the scenario matrix must be a valid dict"),
        ({"agent_names": lambda _: ("a", "b")}, "not <bo"),
        ({"agent_names": property(fails)}, "the scenario matrix cannot be played: KeyError"),
        ({"setting": nothing}, "setting() of the scenario matrix must be a valid string"),
        ({"terms": fails}, "the scenario matrix cannot be played: KeyError in test_writing_scen"),
        ({"name": "../x y"}, "the scenario '../x y': a name consists of a-z"),
        (
            {"most": Field(default=99, le=24), "__annotations__": {"most": int}},
            "needs a valid default: most",
        ),
        ({"conditions": ["none"]}, "matrix: conditions must be a valid dictionary, not ['none']"),
        (
            {"agent_names": property(lambda _: ())},
            "agent_names of the scenario matrix are not unique",
        ),
        ({"agent_names": property(lambda _: ("Ann",))}, "a start for Bob, who is not a player"),
        (
            {"layout": changed(chests={(165, 151, 3): {"coal": 300}})},
            "of the scenario matrix cannot be",
        ),
        (
            {"layout": changed(starts=TOGETHER)},
            "Bob starts at (165.5, 151.0, 3.5), which is occupied",
        ),
        (
            {
                "layout": changed(
                    starts=ON_ORE, sources={"ore": Source("ore")}, blocks={"ore": [ORE]}
                )
            },
            "Ann starts at (165.5, 151.0, 3.5), which is occupied",
        ),
    ],
)
def test_errors_known_before_play_are_reported_before_play(hooks, said, tmp_path):
    with pytest.raises((UsageError, LackingError)) as refused:
        is_played(hooks, tmp_path)
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)
    assert not list(tmp_path.iterdir())


PEOPLE = Matrix().agent_names


class NotAsync:
    """Dynamics whose ``tick`` is not async."""

    def tick(self):
        return None


def answers(value):
    return lambda *_: lambda _request: value


def ruled(rule):
    """Return the contracts of a game in which one contract has a given rule."""
    return lambda _: {"none": Contract("none", "Somebody pays.", rule)}


@pytest.mark.parametrize(
    ("hooks", "said"),
    [
        ({"dynamics": lambda *_: NotAsync()}, "whose tick is not an async function"),
        (
            {"minds": answers(None)},
            "question action of Ann about a PolicyRequest, which they answer with None, neither",
        ),
        ({"contracts": ruled(nothing)}, "it must return the transfer of each player, not None"),
        ({"contracts": ruled(fails)}, "the rule of the contract none: KeyError in test_writing_"),
        ({"contracts": ruled(lambda _: {"Ann": 0.0})}, "transfers must name exactly Ann, Bob"),
        ({"contracts": ruled(lambda _: dict.fromkeys(PEOPLE, 1.0))}, "must sum to zero"),
        ({"contracts": ruled(lambda _: {"Ann": 1e18, "Bob": -1e18})}, "and at most 1e+15"),
        ({"value": a_mapping(-1e300)}, "value() of the scenario matrix returns -1e+300 for Ann"),
        ({"is_over": nothing}, "is_over() of the scenario matrix returns None"),
        ({"value": nothing}, "value() of the scenario matrix must be a valid dictionary"),
        (
            {"value": a_mapping("5")},
            "value() of the scenario matrix returns '5' for Ann; it must return a number",
        ),
        ({"value": a_mapping(float("nan"))}, "value() of the scenario matrix returns nan for Ann"),
        (
            {"value": lambda *_: {"Ann": 1, "Bob": 2, "Zed": 9}},
            "returns a value for Zed, who is not a player",
        ),
        ({"count": counts(3.5)}, "count() of the scenario matrix returns 3.5 for Ann"),
        ({"minds": nothing}, "the scripted minds of the scenario matrix must be callable"),
    ],
)
async def test_errors_during_a_run_are_faults_and_give_no_result(hooks, said, tmp_path):
    run = is_played(hooks, tmp_path)
    code, result = await play(run)
    assert code == 1
    assert said in result["error"]
    assert "\n" not in result["error"]
    (fault,) = read_record(run.folder).of(events.Fault)
    assert (fault.where, fault.trace != "") == ("code", True)


async def test_runs_whose_summary_fails_give_no_result(tmp_path, monkeypatch):
    run = is_played({}, tmp_path)
    monkeypatch.setattr(type(run.prepared), "summary", fails)
    code, result = await play(run)
    assert (code, run.is_summarised) == (1, False)
    assert "KeyError in test_writing_scenarios.py" in result["error"]
    assert json.loads((run.folder / "result.json").read_text())["runs"] == result["runs"] != []


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"starts": {"Ann": (0.5, 150.0, 3.5)}}, "outside the arena or in its wall"),
        ({"blocks": {"coal_ore": [(0, 150, 3)]}}, "outside the arena or in its wall"),
        ({"blocks": {block: [(5, 150, 5)] for block in ("coal_ore", "iron_ore")}}, "are both at"),
        ({"chests": {(5, 150, 5): {}}, "blocks": {"coal_ore": [(5, 150, 5)]}}, "are both at"),
    ],
)
def test_layout_positions_must_be_free_and_inside(change, said):
    sound = Layout(
        (0, 9), (0, 9), 150, 4, "stone", {"Ann": (3.5, 150.0, 3.5), "Bob": (4.5, 150.0, 3.5)}
    )
    with pytest.raises(ValueError, match=said):
        replace(sound, **change)


@pytest.mark.parametrize("loot", [{-2: 1.0}, {1: 0.5, 2: 0.9}, {1: 1.5, 0: -0.5}, {1: 0.3}])
def test_loot_chances_must_add_up_to_one(loot):
    with pytest.raises(ValueError, match="loot of coal"):
        Source("coal", loot=loot)


def headless(name, out, *options):
    """Return the result of a command on the grid, in this process."""
    experiment = registry.scenario(name)
    words = ["--world", "grid", "--out", str(out), "--json", *options]
    assert main(experiment, made(experiment, words)) == 0
    newest = max(out.glob("*/*/result.json"), key=lambda path: path.stat().st_mtime_ns)
    return json.loads(newest.read_text())


# --- Extending -----------------------------------------------------------------------------------


def test_table_of_changes_in_the_docs_names_existing_files():
    text = (ROOT / "docs" / "reference" / "architecture.md").read_text()
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


COPY = '''"""A copy under another name."""

from voxpolis.scenarios.double_vein import DoubleVein


class Copy(DoubleVein):
    name = "{}"
'''


@pytest.fixture
def file_of_a_copy(tmp_path):
    path = tmp_path / "my_game.py"
    path.write_text(COPY.format("my_game"))
    return path


def test_scenario_in_a_user_file_can_be_played(file_of_a_copy, tmp_path):
    words = ["run", str(file_of_a_copy), "--world", "grid", "--json", "--out", str(tmp_path)]
    result = result_of(run_module("voxpolis", *words))
    assert result["scenario"] == "my_game"
    manifest = (Path(result["run_dir"]) / "run.yaml").read_text()
    digest = sha256(file_of_a_copy.read_bytes()).hexdigest()
    assert f"my_game: {digest}" in manifest
    replayed = ["--replay", result["run_dir"], "--out", str(tmp_path / "again"), "--json"]
    again = result_of(run_module("voxpolis", "run", str(file_of_a_copy), *replayed))
    assert [run["agents"] for run in again["runs"]] == [run["agents"] for run in result["runs"]]


def test_user_file_cannot_take_the_name_of_a_shipped_scenario(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(COPY.format("matrix"))
    with pytest.raises(UsageError, match="there is already a scenario 'matrix'"):
        registry.scenario(str(path), is_typed=True)
    ours = registry.scenario(front.scenario_files()["fishing"].as_posix(), is_typed=True)
    assert ours is registry.scenario("fishing"), "one file is one module"


def test_scenario_and_agents_in_one_file_share_a_module(tmp_path):
    path = tmp_path / "asker.py"
    path.write_text(COPY.format("asker").replace('"""A copy under another name."""', ""))
    found = registry.scenario(str(path), is_typed=True)
    assert importlib.import_module("asker") is sys.modules[found.__module__]
    assert found.story != ""


def test_scenario_can_be_played_under_its_full_name(tmp_path):
    words = ["-m", "voxpolis.scenarios.fishing", "--json", "--out", str(tmp_path)]
    played = subprocess.run([sys.executable, *words], capture_output=True, text=True, check=False)
    assert json.loads(played.stdout)["scenario"] == "fishing", played.stderr


AGENT = '''from pathlib import Path

from voxpolis.bots.agents.code_writer import CodeWriter

Path("loaded").touch()


class Mine(CodeWriter):
    """Writes as all do."""
'''


def pays_a_stranger(self, run, number, payoffs, **more):
    return PublicGoods.end_round(self, run, number, {**payoffs, "Zed": 1.0}, **more)


@pytest.mark.parametrize(
    ("hooks", "said"),
    [
        ({"script": lambda *_: lambda _: Give(tokens=999)}, "should be less than or equal to 20"),
        ({"measures": ("mean.nope",)}, "end() was not given the measure nope"),
        ({"end_round": pays_a_stranger}, "payoffs given for Zed, who is not a player"),
    ],
)
async def test_invalid_game_of_choices_gives_no_result(hooks, said, tmp_path):
    kind = type("Mine", (PublicGoods,), {"__module__": __name__, "story": "A game.", **hooks})
    kind.check()
    words = ["--world", "grid", "--condition", "plain", "--out", str(tmp_path)]
    code, result = await play(prepare(kind, made(kind, words)))
    assert code == 1
    assert said in result["error"]


def test_record_never_runs_untyped_code(tmp_path, monkeypatch):
    (tmp_path / "my_agents.py").write_text(AGENT)
    monkeypatch.chdir(tmp_path)
    experiment = registry.scenario("double_vein")
    words = ["--world", "grid", "--agent", "Gizmo=my_agents:Mine", "--json", "--out", "runs"]
    words += ["--agent", "Glitch=planner"]
    assert main(experiment, made(experiment, words)) == 0
    (folder,) = (tmp_path / "runs").glob("*/*")
    Path("loaded").unlink()
    monkeypatch.delitem(KINDS, "my_agents:Mine")
    monkeypatch.delitem(sys.modules, "my_agents")
    for option, what in (("replay", folder), ("config", folder / "run.yaml")):
        with pytest.raises(UsageError, match="sets --agent Gizmo=my_agents:Mine"):
            prepare(experiment, made(experiment, [f"--{option}", str(what)]))
    assert not Path("loaded").exists()
    typed = ["--replay", str(folder), "--agent", "Gizmo=my_agents:Mine", "--json", "--out", "again"]
    assert main(experiment, made(experiment, typed)) == 0


def test_agent_kind_from_the_docs_can_play(tmp_path, monkeypatch):
    """The docs' example plays next to another kind once its two lines are added."""
    text = (ROOT / "docs" / "howto" / "agent.md").read_text()
    source = text.partition('title="my_agents.py"\n')[2].partition("```")[0]
    found = {}
    exec(source, found)
    kind = AgentKind("digs iron, and asks nobody", ("plans",), found["Digger"])
    monkeypatch.setitem(KINDS, "digger", kind)
    playing = contract_experiment.KINDS
    monkeypatch.setitem(playing, "grid", (*playing["grid"], "digger"))
    experiment = registry.scenario("double_vein")
    words = ["--world", "grid", "--agent", "Gizmo=digger", "--out", str(tmp_path)]
    run = prepare(experiment, made(experiment, words))
    code, result = asyncio.run(play(run))
    assert code == 0
    assert result["agents_kinds"] == {"Gizmo": "digger", "Glitch": "code_writer"}
    (episode,) = result["runs"]
    assert episode["agents"]["Gizmo"]["iron"] > 0, "the chest has a stone pickaxe for it"
    assert episode["agents"]["Gizmo"]["diamond"] == 0
    shown = shown_prompts(run)  # this kind of agent asks no model
    assert ("action, Gizmo" in shown, "action, Glitch" in shown) == (False, True)
    assert run.prepared.most_calls({"action": 1}) == {"action": 4, "critic": 4}


def test_custom_question_is_answered_by_custom_minds(tmp_path, monkeypatch):
    """The docs' second example: the shipped minds refuse it, and the example's minds play it."""
    text = (ROOT / "docs" / "howto" / "agent.md").read_text()
    source = text.partition('title="asked.py"\n')[2]
    (tmp_path / "asked.py").write_text(source.partition("```")[0])
    monkeypatch.syspath_prepend(tmp_path)
    words = ["--world", "grid", "--agent", "Gizmo=asked:Asker", "--out", str(tmp_path / "runs")]
    code, result = asyncio.run(play(prepare(DoubleVein, made(DoubleVein, words))))
    assert code == 1
    told = result["error"]
    assert "the agent of Gizmo, Asker: the scripted minds cannot answer" in told
    assert all(part in told for part in ("action", "Moment", "return a Program", "minds()"))
    from asked import Asked  # noqa: PLC0415  (it is written above)

    code, result = asyncio.run(play(prepare(Asked, made(Asked, words))))
    assert code == 0
    assert result["runs"][0]["agents"]["Gizmo"]["iron"] > 0
    monkeypatch.delitem(KINDS, "asked:Asker")


def test_broken_scenario_does_not_affect_others(tmp_path, monkeypatch, capsys):
    (tmp_path / "unfinished.py").write_text("import no_such_module\n")
    (tmp_path / "empty.py").write_text("EXPERIMENTS = []\n")
    names = {"unfinished": tmp_path / "unfinished.py", **front.scenario_files()}
    monkeypatch.setattr(front, "scenario_files", lambda: names)
    monkeypatch.setattr(scenarios, "__path__", [*scenarios.__path__, str(tmp_path)])
    assert {one.name for one in registry.scenarios()} == set(names) - {"unfinished"}
    said = capsys.readouterr().err
    assert "the scenario unfinished cannot be played: ModuleNotFoundError" in said
    with pytest.raises(UsageError, match="empty has no Scenario with a name"):
        registry.scenario(str(tmp_path / "empty.py"), is_typed=True)
    # a name that a record might contain
    with pytest.raises(UsageError, match="there is no scenario"):
        registry.scenario(str(tmp_path / "empty.py"))


def test_scenario_without_a_method_is_reported_at_start():
    class Lacking(Scenario):
        name = "lacking"

    with pytest.raises(LackingError, match="the scenario lacking lacks agent_names, play, script"):
        Lacking.check()


# --- One layout, one log -------------------------------------------------------------------------


async def test_item_dropped_and_taken_again_counts_as_dug_once(tmp_path):
    """A clause that pays for digging counts dug items, regardless of moves through the chest."""
    scenario, clock = DoubleVein(), SimulatedClock()
    contract = parse_clauses("Glitch pays Gizmo 1 * dug(Gizmo, iron)", scenario.terms())
    with RunWriter(tmp_path, {}, clock) as writer:
        arena = GridArena(writer, clock, scenario.layout(0), scenario.agent_names)
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


def test_start_setting_works_on_the_grid(tmp_path):
    """The seed decides which player is nearer to the chest, unless the setting is 0."""
    options = ["--runs", "3"]
    near = headless("double_vein", tmp_path, *options, "--set", "start_jitter_blocks=0")
    far = headless("double_vein", tmp_path, *options, "--set", "start_jitter_blocks=2")
    assert [run["seconds"] for run in near["runs"]] != [run["seconds"] for run in far["runs"]]


# --- Compatible combinations ----------------------------------------------------------------------

# Trained agents need torch and a trained file: tests/try_learn.py. For persons see
# tests/experiments/test_people.py.
LEFT_OUT = ("piano", "trained", "human")
HEADLESS = [
    cell for cell in cells() if cell.works and cell.world == "grid" and cell.agent not in LEFT_OUT
]
SHORT = {
    "public_goods": ["--set", "rounds=2"],
    "fishing": ["--set", "rounds=2"],
    "adasociety": ["--set", "length=40"],
    "crafting_tree": ["--minutes", "1", "--tree", "adasociety"],
    "taxation": ["--condition", "no_vote", "--influencers", "none", "--set", "length_s=200"],
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
def test_every_compatible_combination_plays_headless(tmp_path, cell):
    options = SHORT.get(cell.scenario, ["--time-limit", "20"])
    arguments = ["--agent", cell.agent, "--runs", "1", *options]
    result = headless(cell.scenario, tmp_path, *arguments)
    assert set(result["agents_kinds"].values()) == {cell.agent}
    assert "error" not in result
