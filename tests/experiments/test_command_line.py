"""Invalid commands print one line and exit with code 2 before anything is played."""

from __future__ import annotations

import asyncio
import shlex
import subprocess
import sys

import pytest
import yaml

from tests.conftest import ROOT
from voxpolis.environment import how_to_add
from voxpolis.experiments.run import registry
from voxpolis.experiments.run.command import command, prepare, read_options
from voxpolis.experiments.run.options import UsageError
from voxpolis.experiments.run.runner import FORMAT, play
from voxpolis.front import run_app

# By scenario: command-line words, and a part of the error message.
BAD_INPUT = {
    "adasociety": [
        ("--game chess", "there is no game 'chess'"),
        ("--set length=0", "setting length: Input should be greater than 0"),
        ("--set size=0", "there is no setting 'size'; choose from length, map"),
        ("--agent wise", "there is no kind of agent 'wise'; choose from planner, scripted"),
        ("--agent trained", "trained: the kind trained takes a file: trained:FILE"),
        ("--agent random:x", "random:x: the kind random takes nothing behind it"),
        ("--rules nowhere.yaml", "cannot read nowhere.yaml"),
    ],
    "commons": [
        ("--condition kind", "there is no condition 'kind'; choose from none, coop"),
        ("--set targets.Pedro=1.5", "targets are shares of all attacks"),
        ("--set persons.Zoe=greedy", "setting persons.Zoe"),
        ("--condition bots --set persons.Pedro=greedy", "bots is played by Juan and Laura"),
        ("--condition bots --set targets.Pedro=1", "bots is played by Juan and Laura"),
        ("--game clean_up --condition one_tree", "clean_up has no condition 'one_tree'"),
        ("--game clean_up --modules shouting", "there is no module shouting"),
        ("--condition bots --set bots=wild", "bots must be scripted, trained or trained:FILE"),
        ("--condition bots --set bots=trained:no.npz", "no.npz cannot be read: No such file"),
        ("--set bots=trained", "setting bots: none has no bots"),
        ("--game clean_up --set trees=1", "setting trees: clean_up has no trees"),
        ("--set persons.Juan=eater", "players of harvest are: sparing, greedy, guard, pacifist"),
        ("--agent planner", "planner agents cannot play commons"),
    ],
    "crafting_tree": [
        (
            "--until cheese",
            "there is no milestone 'cheese'; choose from wooden, stone, iron, diamond",
        ),
        ("--set 'jobs={Ada: king}'", "there is no job 'king'"),
        ("--set 'jobs={Zoe: miner}'", "there is no agent 'Zoe'"),
        ("--tree oak", "there is no condition 'oak'; choose from minecraft, adasociety"),
        ("--skills nowhere", "there is no folder nowhere"),
        ("--episodes 2", "No such option"),
    ],
    "double_vein": [
        ("--contract 7", "there is no contract '7'"),
        ("--contract missing.txt", "No such file"),
        ("--contract tests/__init__.py", "is empty"),
        ("--contract scenarios/commons/trained_bot.npz", "is not text"),
        ("--mind genius", "'genius' is not one of"),
        ("--mind openai", "OPENAI_API_KEY"),
        ("--set max_attempts", "KEY=VALUE"),
        ("--set 'values.Gizmo.iron=[]'", "values.Gizmo.iron"),
        ("--config missing.yaml", "cannot read missing.yaml"),
        ("--set 'values.Anna={iron: 1, diamond: 1}'", "the players are"),
        ("--replay nowhere", "there is no run folder nowhere"),
        ("--resume docs", "docs holds no run"),
        ("--replay a --resume b", "choose one of --replay and --resume"),
        ("--models pyproject.toml", "pyproject.toml is not YAML"),
        ("--prices docker-compose.yml", "docker-compose.yml: "),
        ("--compile", "--compile and --renegotiate need --condition negotiate"),
        ("--budget much", "write a budget like"),
        ("--world grid --budget lots --mind scripted", "leave out --budget"),
        ("--model my-own --budget '1 dollars'", "no price is known for my-own"),
        ("--contract 1 --condition=none", "--condition and --contract are the same option"),
        ("--show-prompts --estimate", "--estimate and --show-prompts cannot be combined"),
        ("--world grid --agent voyager", "voyager agents cannot play double_vein in the"),
        ("--world grid --agent Zoe=planner", "there is no agent 'Zoe'"),
        ("--agent planner --agent scripted", "two kinds for all agents"),
    ],
    "items": [("--set trades.market=moon", "the market 'moon' is not a site")],
    "matrix": [
        ("--game poker", "there is no game 'poker'"),
        ("--set strategies.Ann=nice", "there is no strategy 'nice'"),
        ("--set strategies.Zoe=grim", "the players are Ann and Bob"),
        ("--game custom", "a custom game needs a table"),
        (
            "--set 'table={actions: [a, a], payoffs: [[[1,1],[1,1]],[[1,1],[1,1]]]}'",
            "two different",
        ),
    ],
    "coherence": [("--agents 1", "greater than or equal to 2")],
    "sentiment": [("--condition society --agents 2", "greater than or equal to 3")],
    "specialisation": [
        ("--set trades=none.yaml", "cannot read none.yaml"),
        ("--set 'modules={goals: .inf}'", "module goals: the period must be a number of seconds"),
    ],
    "taxation": [
        ("--influencers loud", "--influencers: there is no 'loud'"),
        ("--world moon", "there is no world 'moon'"),
        ("--set window_s=500", "a season's window must be shorter"),
        ("--set vote_s=1", "come in this order"),
        ("--episodes 2", "instead of --episodes"),
    ],
}
ROWS = [(scenario, *row) for scenario, rows in BAD_INPUT.items() for row in rows]


@pytest.fixture
def refused(tmp_path, monkeypatch, capsys):
    """Return a function that runs an invalid command and returns its single error line."""
    out = tmp_path / "out"
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("VOXPOLIS_SERVER", str(tmp_path / "no server"))

    def type_words(scenario, *words):
        monkeypatch.setattr("sys.argv", [scenario, *words, "--out", str(out)])
        with pytest.raises(SystemExit) as ended:
            run_app(command(registry.scenario(scenario)))
        said = capsys.readouterr()
        (line,) = said.err.splitlines()
        assert (ended.value.code, line[:7], said.out, out.exists()) == (2, "error: ", "", False)
        assert len(line) < 400
        return line

    return type_words


@pytest.mark.parametrize(("scenario", "words", "says"), ROWS)
def test_invalid_command_prints_one_line(refused, monkeypatch, scenario, words, says):
    if "--mind openai" not in words:
        monkeypatch.setenv("OPENAI_API_KEY", "key")
    assert says in refused(scenario, *shlex.split(words))


def read(tmp_path, text, name="double_vein", **typed):
    path = tmp_path / "config.yaml"
    path.write_text(text)
    options, settings, _ = read_options(registry.scenario(name), {"config": path, **typed})
    return options, settings


def test_config_file_accepts_all_command_line_options(tmp_path):
    """A numeric condition needs no quotes; repeatable options may be single values."""
    options, settings = read(
        tmp_path,
        "condition: 1\njson: true\nshow-prompts: true\nagent: planner\ntime_limit_s: 60\n"
        "set: [values.Gizmo.iron=5, max_attempts=2]\n",
        settings=("max_attempts=1",),
    )
    assert (options.condition, options.json_output, options.show_prompts) == ("1", True, True)
    assert options.agent == ["planner"]
    # options on the command line take precedence
    assert (settings.time_limit_s, settings.max_attempts) == (60, 1)
    worth = settings.model_dump()["values"]["Gizmo"]
    assert (worth["iron"], worth["diamond"]) == (5, 4)
    options, settings = read(tmp_path, yaml.dump({"contract": 2, "set": {"max_attempts": 3}}))
    assert (options.condition, settings.max_attempts) == ("2", 3)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("condition: 1\ncontract: 2", "contract appears twice"),
        ("set: 5", "set must be a list such as"),
        ("set: [5]", "set must be a list such as"),
        ("jsn: true", "there is no setting 'jsn'"),
    ],
)
def test_invalid_config_file_prints_one_line(tmp_path, text, says):
    with pytest.raises(UsageError, match=says):
        read(tmp_path, text)


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ({"settings": ("time_limit_s=nan",)}, "setting time_limit_s: it must be a finite number"),
        ({"settings": ("values.Gizmo.iron=-.inf",)}, "iron: it must be a finite number"),
        ({"settings": ("values.Gizmo.iron=1e10",)}, "setting values.Gizmo.iron"),
        ({"settings": ("values.Gizmo.iron=true",)}, "iron does not take a yes or no"),
        ({"request_timeout": float("nan")}, "--request-timeout: it must be a finite number"),
    ],
)
def test_settings_must_be_finite(typed, says):
    with pytest.raises(UsageError, match=says):
        read_options(registry.scenario("double_vein"), typed)


@pytest.mark.parametrize("scenario", ["double_vein", "adasociety"])
@pytest.mark.parametrize("line", ["runs: 99999999", "episodes: 99999999"])
def test_number_of_repetitions_has_an_upper_limit(tmp_path, scenario, line):
    """An excessive number in a record or file would otherwise exhaust memory."""
    with pytest.raises(UsageError, match=r"--(runs|episodes): .*100000|--episodes"):
        read(tmp_path, line + "\n", scenario)


@pytest.mark.parametrize(
    ("name", "condition", "setting"),
    [
        ("sentiment", "society", "modules={talking: 9}"),
        ("sentiment", "chef", "ways.lines=9"),
        ("sentiment", "talk", "agents=7"),
        ("coherence", "full", "rumour_s=9"),
        ("items", "full", "hearing_blocks=9"),
    ],
)
def test_setting_without_effect_under_condition_is_refused(tmp_path, name, condition, setting):
    """Otherwise the run would claim to use the setting. A comparison of all conditions, or a
    recorded run, may contain it."""
    told = f"setting {setting.partition('=')[0].partition('.')[0]} has no effect under "
    told = told.replace("setting agents", "--agents")
    with pytest.raises(UsageError, match=told):
        read(tmp_path, f"condition: {condition}\n", name, settings=(setting,))
    with pytest.raises(UsageError, match=told):
        read(tmp_path, f"condition: {condition}\nset: ['{setting}']\n", name)
    settings = read(tmp_path, "{}\n", name, settings=(setting,))[1].model_dump(mode="json")
    run = {"scenario": name, "format": FORMAT, "command": [], "config": settings}
    run["options"] = {"condition": condition}
    assert read(tmp_path, yaml.dump(run), name)[1].model_dump(mode="json") == settings


@pytest.mark.parametrize(
    ("name", "world", "settings"),
    [
        ("crafting_tree", "grid", ("iterations=3", "difficulty=hard", "program_limit_s=9")),
        ("sentiment", "grid", ("minecraft_scale=0.3",)),
        ("items", "minecraft", ("success=0.5", "thinking_s=1")),
        ("religion", "minecraft", ("mixing=3", "town_radius_blocks=9", "thinking_s=1")),
        ("taxation", "minecraft", ("thinking_s=1",)),
    ],
)
def test_setting_without_effect_in_world_is_refused(tmp_path, name, world, settings):
    for setting in settings:
        with pytest.raises(UsageError, match=f"has no effect under --world {world}, only under"):
            read(tmp_path, f"world: {world}\n", name, settings=(setting,))
        other = {"grid": "minecraft", "minecraft": "grid"}[world]
        read(tmp_path, f"world: {other}\n", name, settings=(setting,))


def test_setting_given_twice_is_refused_and_command_line_overrides_file(tmp_path):
    with pytest.raises(UsageError, match="--modules and --set carried are the same setting"):
        read(tmp_path, "{}", "specialisation", carried="all", settings=("carried=all",))
    file = "set: ['carried=communication']"
    settings = read(tmp_path, file, "specialisation", carried="understanding")[1]
    assert settings.carried == "understanding"


def test_minecraft_run_file_drops_server_options_when_played_on_the_grid(tmp_path):
    run = {"scenario": "double_vein", "format": FORMAT, "command": [], "config": {}}
    run["options"] = {"world": "minecraft", "speed": 4.0, "condition": "1"}
    options = read(tmp_path, yaml.dump(run), world="grid")[0]
    assert (options.world, options.speed, options.condition) == ("grid", None, "1")
    assert read(tmp_path, yaml.dump(run))[0].speed == 4


# --- The run.yaml of a run -----------------------------------------------------------------------


def play_coherence(tmp_path, **typed):
    """Play a short scripted run; return its folder."""
    values = {"out": tmp_path, **typed}
    run = prepare(registry.scenario("coherence"), values)
    assert asyncio.run(play(run))[0] == 0
    return run.folder


def test_run_file_as_config_repeats_the_run(tmp_path):
    """Command-line options take precedence. Minds stay scripted even if an endpoint has become
    known."""
    settings = ("length_s=20", "rumour_s=9")
    changed = {"condition": "rumour", "agents": 3, "seed": 5, "settings": settings}
    first = play_coherence(tmp_path, **changed)
    again = play_coherence(tmp_path, config=first / "run.yaml")
    recorded = [(folder / "events.jsonl").read_bytes() for folder in (first, again)]
    assert recorded[0] == recorded[1]
    assert recorded[0].count(b"\n") > 20
    options, settings, _ = read_options(
        registry.scenario("coherence"),
        {"config": first / "run.yaml", "seed": 6, "settings": ("length_s=30",)},
    )
    assert (options.seed, options.condition, options.mind) == (6, "rumour", "scripted")
    assert (settings.length_s, settings.agents) == (30, 3)
    options, *_ = read_options(
        registry.scenario("coherence"), {"config": first / "run.yaml", "model": "my-own"}
    )
    assert (options.mind, options.model) == (None, "my-own")


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"scenario": "harvest"}, "is a run of harvest, not of coherence"),
        ({"format": 1}, r"another version of voxpolis \(format 1, current 3\)"),
        ({"options": {"pace": 1}}, "another version of voxpolis: this version has no pace"),
        ({"config": {"pace": 1}}, "another version of voxpolis: this version has no pace"),
        ({"config": None}, "is damaged"),
    ],
)
def test_run_file_that_cannot_be_played_is_refused_in_one_line(tmp_path, change, says):
    empty = {"command": [], "options": {}, "config": {}}
    manifest = {"scenario": "coherence", "format": FORMAT, **empty}
    with pytest.raises(UsageError, match=says):
        read(tmp_path, yaml.dump(manifest | change), "coherence")


# Commands that need an optional dependency: module, hidden package, arguments, and expected
# message.
RL = f"run: {how_to_add('rl')}"
EXTRAS = (
    ("grid.learn", "torch", [], f"learning needs torch; {RL}"),
    ("grid.train", "stable_baselines3", [], f"training needs stable-baselines3; {RL}"),
)


def without(package, module, *arguments):
    """Run a command while a package is not importable."""
    code = (f"import runpy, sys; sys.modules[{package!r}] = None; sys.argv = sys.argv[1:]; "
            "runpy.run_module(sys.argv[0], run_name='__main__', alter_sys=True)")  # fmt: skip
    return subprocess.run(
        [sys.executable, "-c", code, module, *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(("module", "package", "arguments", "says"), EXTRAS)
def test_help_works_without_extras_and_commands_name_the_missing_extra(
    module, package, arguments, says, tmp_path
):
    told = without(package, module, *arguments[:1], "--help")
    assert told.returncode == 0
    assert told.stdout.startswith("Usage:")
    refused = without(package, module, *arguments)
    assert refused.returncode == 2
    (line,) = refused.stderr.splitlines()
    assert line.startswith(f"error: {says}")


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("def x(:", "the scenario mine.py cannot be played: SyntaxError in mine.py, line 1: inv"),
        (
            "{}['iron']",
            "the scenario mine.py cannot be played: KeyError in mine.py, line 1: 'iron'",
        ),
        ("GAME = 1", "mine has no Scenario with a name; one is needed"),
    ],
)
def test_scenario_that_cannot_be_loaded_prints_one_line(source, said, tmp_path):
    (tmp_path / "mine.py").write_text(source)
    done = subprocess.run(
        [sys.executable, "-m", "voxpolis", "run", "mine.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: "), done.stderr
    assert said in done.stderr
    assert done.stderr.count("\n") == 1
