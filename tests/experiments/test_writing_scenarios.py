"""What is wrong in a scenario's code is said in a line, of its hook, and is never a result."""

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


# Starts in the matrix game's arena: of two in one place, and on what is dug.
ORE = (165, 151, 3)
TOGETHER = dict.fromkeys(("Ann", "Bob"), (165.5, 151.0, 3.5))
ON_ORE = {**TOGETHER, "Bob": (166.5, 151.0, 3.5)}


def a_mapping(value):
    return lambda self, *_args: dict.fromkeys(self.agent_names, value)


def counts(value):
    return lambda self, *_args: {a: dict.fromkeys(self.counted, value) for a in self.agent_names}


def made(experiment, words):
    """The values of a command line."""
    return command(experiment).make_context(experiment.name, list(words)).params


def is_played(hooks, tmp_path):
    """What is said of a matrix game with some hooks of its own, its exit code and its record."""
    kind = type("Mine", (Matrix,), {"__module__": __name__, "story": "A game.", **hooks})
    kind.check()
    return prepare(kind, made(kind, ["--world", "grid", "--out", str(tmp_path)]))


@pytest.mark.parametrize(
    ("hooks", "said"),
    [
        ({"layout": nothing}, "layout(0) of the scenario matrix returns None: an instance of Lay"),
        ({"layout": lambda _: 1}, "the scenario matrix cannot be played: TypeError"),
        ({"layout": a_coroutine}, "layout(0) of the scenario matrix returns <coroutine"),
        ({"contracts": nothing}, "contracts() of the scenario matrix returns None: a valid dic"),
        ({"agent_names": lambda _: ("a", "b")}, "agent_names of the scenario matrix returns <bo"),
        ({"agent_names": property(fails)}, "the scenario matrix cannot be played: KeyError"),
        ({"setting": nothing}, "setting() of the scenario matrix returns None: a valid string"),
        ({"terms": fails}, "the scenario matrix cannot be played: KeyError in test_writing_scen"),
        ({"name": "../x y"}, "the scenario '../x y': a name is of a-z"),
        (
            {"most": Field(default=99, le=24), "__annotations__": {"most": int}},
            "needs a default that fits it: most",
        ),
        ({"conditions": ["none"]}, "matrix: conditions returns ['none']: a valid dictionary"),
        ({"agent_names": property(lambda _: ())}, "agent_names of the scenario matrix are not n"),
        ({"agent_names": property(lambda _: ("Ann",))}, "a start for Bob, who does not play"),
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
    with pytest.raises((UsageError, LackingError)) as refused:
        is_played(hooks, tmp_path)
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)
    assert not list(tmp_path.iterdir())


PEOPLE = Matrix().agent_names


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
        ({"value": nothing}, "value() of the scenario matrix returns None: a valid dictionary"),
        ({"value": a_mapping("5")}, "value() of the scenario matrix returns '5' for Ann: a number"),
        ({"value": a_mapping(float("nan"))}, "value() of the scenario matrix returns nan for Ann"),
        ({"value": lambda *_: {"Ann": 1, "Bob": 2, "Zed": 9}}, "returns one for Zed, who does not"),
        ({"count": counts(3.5)}, "count() of the scenario matrix returns 3.5 for Ann"),
        ({"minds": nothing}, "the scripted minds of the scenario matrix returns None"),
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
    experiment = registry.scenario(name)
    words = ["--world", "grid", "--out", str(out), "--json", *options]
    assert main(experiment, made(experiment, words)) == 0
    newest = max(out.glob("*/*/result.json"), key=lambda path: path.stat().st_mtime_ns)
    return json.loads(newest.read_text())


# --- Extending -----------------------------------------------------------------------------------


def test_the_list_of_changes_names_files_that_are_there():
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


def test_a_scenario_in_a_file_of_ones_own_plays(file_of_a_copy, tmp_path):
    words = ["run", str(file_of_a_copy), "--world", "grid", "--json", "--out", str(tmp_path)]
    result = result_of(run_module("voxpolis", *words))
    assert result["scenario"] == "my_game"
    manifest = (Path(result["run_dir"]) / "run.yaml").read_text()
    digest = sha256(file_of_a_copy.read_bytes()).hexdigest()
    assert f"my_game: {digest}" in manifest
    replayed = ["--replay", result["run_dir"], "--out", str(tmp_path / "again"), "--json"]
    again = result_of(run_module("voxpolis", "run", str(file_of_a_copy), *replayed))
    assert [run["agents"] for run in again["runs"]] == [run["agents"] for run in result["runs"]]


def test_a_file_of_ones_own_does_not_take_the_name_of_a_shipped_scenario(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(COPY.format("matrix"))
    with pytest.raises(UsageError, match="there is a scenario 'matrix' already"):
        registry.scenario(str(path), is_typed=True)
    ours = registry.scenario(front.scenario_files()["fishing"].as_posix(), is_typed=True)
    assert ours is registry.scenario("fishing"), "one file is one module"


def test_a_file_is_one_module_for_its_scenario_and_its_agents(tmp_path):
    path = tmp_path / "asker.py"
    path.write_text(COPY.format("asker").replace('"""A copy under another name."""', ""))
    found = registry.scenario(str(path), is_typed=True)
    assert importlib.import_module("asker") is sys.modules[found.__module__]
    assert found.story != ""


def test_a_scenario_plays_under_its_full_name(tmp_path):
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
        ({"measures": ("mean.nope",)}, "end() is not given nope, a measure"),
        ({"end_round": pays_a_stranger}, "payoffs of Zed, who does not play"),
    ],
)
async def test_a_game_of_choices_that_is_wrong_is_no_result(hooks, said, tmp_path):
    kind = type("Mine", (PublicGoods,), {"__module__": __name__, "story": "A game.", **hooks})
    kind.check()
    words = ["--world", "grid", "--condition", "plain", "--out", str(tmp_path)]
    code, result = await play(prepare(kind, made(kind, words)))
    assert code == 1
    assert said in result["error"]


def test_a_record_never_runs_code_that_was_not_typed(tmp_path, monkeypatch):
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


def test_a_kind_of_agent_is_what_the_docs_say_it_is(tmp_path, monkeypatch):
    """The docs' own example plays beside another kind once its two lines are there."""
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
    shown = shown_prompts(run)  # it asks nothing
    assert ("action, Gizmo" in shown, "action, Glitch" in shown) == (False, True)
    assert run.prepared.most_calls({"action": 1}) == {"action": 4, "critic": 4}


def test_a_question_of_ones_own_is_answered_by_ones_own_minds(tmp_path, monkeypatch):
    """The docs' second example: refused by the shipped minds, and played by those beside it."""
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


def test_one_scenario_that_is_broken_leaves_the_others(tmp_path, monkeypatch, capsys):
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
    with pytest.raises(UsageError, match="there is no scenario"):  # as a record may say
        registry.scenario(str(tmp_path / "empty.py"))


def test_a_scenario_that_lacks_a_method_says_so_at_start():
    class Lacking(Scenario):
        name = "lacking"

    with pytest.raises(LackingError, match="the scenario lacking lacks agent_names, play, script"):
        Lacking.check()


# --- One layout, one log -------------------------------------------------------------------------


async def test_what_is_laid_down_and_taken_again_is_dug_once(tmp_path):
    """A clause that pays for digging pays for what was dug, whatever passes through the chest."""
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


def test_a_setting_of_the_start_acts_on_the_grid(tmp_path):
    """Who is nearer to the chest follows from the seed, unless nobody is."""
    options = ["--runs", "3"]
    near = headless("double_vein", tmp_path, *options, "--set", "start_jitter_blocks=0")
    far = headless("double_vein", tmp_path, *options, "--set", "start_jitter_blocks=2")
    assert [run["seconds"] for run in near["runs"]] != [run["seconds"] for run in far["runs"]]


# --- Which agent plays what ----------------------------------------------------------------------

# Trained agents need torch and a file that was trained: tests/try_learn.py. Of
# persons: tests/experiments/test_people.py.
LEFT_OUT = ("piano", "trained", "human")
HEADLESS = [
    cell for cell in cells() if cell.works and cell.world == "grid" and cell.agent not in LEFT_OUT
]
SHORT = {
    "public_goods": ["--set", "rounds=2"],
    "fishing": ["--set", "rounds=2"],
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
