"""Options and settings as people write them: in a ``--config`` file and with ``--set``."""

from __future__ import annotations

import asyncio

import pytest
import yaml

from voxpolis.experiments.run import registry
from voxpolis.experiments.run.command import announcement, plan, prepare, read_options
from voxpolis.experiments.run.model_choice import choose_model
from voxpolis.experiments.run.options import UsageError
from voxpolis.experiments.run.runner import FORMAT, play


def read(tmp_path, text, name="double_vein", **typed):
    path = tmp_path / "config.yaml"
    path.write_text(text)
    options, settings, _ = read_options(registry.experiment(name), {"config": path, **typed})
    return options, settings


def test_a_config_file_takes_all_options_as_they_are_typed(tmp_path):
    """A condition that is a number needs no quotes; what may be given often may stand once."""
    options, settings = read(
        tmp_path,
        "condition: 1\njson: true\nshow-prompts: true\nagent: planner\ntime_limit_s: 60\n"
        "set: [values.Gizmo.iron=5, max_attempts=2]\n",
        settings=("max_attempts=1",),
    )
    assert (options.condition, options.json_output, options.show_prompts) == ("1", True, True)
    assert options.agent == ["planner"]
    assert (settings.time_limit_s, settings.max_attempts) == (60, 1)  # what is typed wins
    worth = settings.model_dump()["values"]["Gizmo"]
    assert (worth["iron"], worth["diamond"]) == (5, 4)
    options, settings = read(tmp_path, yaml.dump({"contract": 2, "set": {"max_attempts": 3}}))
    assert (options.condition, settings.max_attempts) == ("2", 3)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("condition: 1\ncontract: 2", "contract stands there twice, under two names"),
        ("set: 5", "set is a list such as"),
        ("set: [5]", "set is a list such as"),
        ("jsn: true", "there is no setting 'jsn'"),
    ],
)
def test_a_wrong_config_file_is_one_line(tmp_path, text, says):
    with pytest.raises(UsageError, match=says):
        read(tmp_path, text)


@pytest.mark.parametrize("value", ["nan", ".nan", "inf", "-.inf"])
@pytest.mark.parametrize("key", ["time_limit_s", "values.Gizmo.iron"])
def test_numbers_are_finite(key, value):
    typed = {"settings": (f"{key}={value}",)}
    with pytest.raises(UsageError, match=f"setting {key}: it must be a finite number"):
        read_options(registry.experiment("double_vein"), typed)


@pytest.mark.parametrize("value", ["1e308", "-1e308", "1e10"])
@pytest.mark.parametrize("key", ["time_limit_s", "values.Gizmo.iron"])
def test_numbers_are_such_that_sums_of_them_are_finite(key, value):
    typed = {"settings": (f"{key}={value}",)}
    with pytest.raises(UsageError, match=f"setting {key}: "):
        read_options(registry.experiment("double_vein"), typed)


def test_an_option_that_is_no_number_is_told_so():
    with pytest.raises(UsageError, match="--request-timeout: it must be a finite number"):
        read_options(registry.experiment("matrix"), {"request_timeout": float("nan")})


@pytest.mark.parametrize("scenario", ["double_vein", "matrix", "adasociety"])
@pytest.mark.parametrize("line", ["runs: 99999999", "episodes: 99999999"])
def test_what_is_played_again_and_again_has_a_bound(tmp_path, scenario, line):
    """A record or a file that says so would be believed until the memory is full."""
    with pytest.raises(UsageError, match=r"--(runs|episodes): .*100000|--episodes"):
        read(tmp_path, line + "\n", scenario)


@pytest.mark.parametrize(("condition", "is_said"), [("none", True), ("negotiate", False)])
def test_rounds_where_nobody_negotiates_are_noted(condition, is_said):
    """Not refused: a comparison or a sweep has them for all its conditions."""
    typed = {"world": "grid", "rounds": 5, "condition": condition}
    said = announcement(plan(registry.experiment("matrix"), typed, choose_model))
    assert ("--rounds changes nothing here: nobody negotiates in none." in said) == is_said


@pytest.mark.parametrize(
    ("name", "condition", "setting"),
    [
        *(
            ("sentiment", "society", one)
            for one in ("length_s=9", "talk_s=9", "modules={talking: 9}")
        ),
        *(("sentiment", "chef", one) for one in ("society_s=9", "line_s=9", "ways.lines=9")),
        *(("sentiment", "talk", one) for one in ("society_modules={talking: 9}", "agents=7")),
        ("coherence", "full", "rumour_s=9"),
        ("items", "full", "hearing_blocks=9"),
    ],
)
def test_a_setting_that_changes_nothing_under_a_condition_is_refused(
    tmp_path, name, condition, setting
):
    """Else a run says that it was played so; one of all conditions, or a recorded one, has it."""
    told = f"setting {setting.partition('=')[0].partition('.')[0]} changes nothing under "
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
        ("specialisation", "grid", ("minecraft_scale=0.3",)),
        ("items", "minecraft", ("success=0.5", "thinking_s=1")),
        ("religion", "minecraft", ("mixing=3", "town_radius_blocks=9", "thinking_s=1")),
        ("taxation", "minecraft", ("thinking_s=1",)),
        ("coherence", "minecraft", ("thinking_s=1",)),
    ],
)
def test_a_setting_that_changes_nothing_in_a_world_is_refused(tmp_path, name, world, settings):
    for setting in settings:
        with pytest.raises(UsageError, match=f"changes nothing under --world {world}, only under"):
            read(tmp_path, f"world: {world}\n", name, settings=(setting,))
        other = {"grid": "minecraft", "minecraft": "grid"}[world]
        read(tmp_path, f"world: {other}\n", name, settings=(setting,))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("runs: true", "--runs takes no yes or no"),
        ("time_limit_s: yes", "setting time_limit_s: it takes no yes or no"),
        ("set: ['values.Gizmo.iron=true']", "setting values.Gizmo.iron: it takes no yes or no"),
    ],
)
def test_a_number_is_no_yes_or_no(tmp_path, text, said):
    with pytest.raises(UsageError, match=said):
        read(tmp_path, text, "double_vein")


def test_one_setting_is_typed_once_and_wins_over_the_file(tmp_path):
    with pytest.raises(UsageError, match="--modules and --set carried are one setting"):
        read(tmp_path, "{}", "specialisation", carried="all", settings=("carried=all",))
    file = "set: ['carried=communication']"
    settings = read(tmp_path, file, "specialisation", carried="understanding")[1]
    assert settings.carried == "understanding"


def test_a_run_of_minecraft_given_back_for_the_grid_leaves_its_server_behind(tmp_path):
    run = {"scenario": "double_vein", "format": FORMAT, "command": [], "config": {}}
    run["options"] = {"world": "minecraft", "speed": 4.0, "condition": "1"}
    options = read(tmp_path, yaml.dump(run), world="grid")[0]
    assert (options.world, options.speed, options.condition) == ("grid", None, "1")
    assert read(tmp_path, yaml.dump(run))[0].speed == 4


# --- The run.yaml of a run -----------------------------------------------------------------------


def play_coherence(tmp_path, **typed):
    """Play a short scripted run; return its folder."""
    values = {"out": tmp_path, **typed}
    run = prepare(registry.experiment("coherence"), values)
    assert asyncio.run(play(run))[0] == 0
    return run.folder


def test_a_runs_own_file_given_back_plays_the_same_run(tmp_path):
    """What is typed besides wins; minds stay scripted where an endpoint is known by now."""
    changed = {"condition": "rumour", "agents": 3, "seed": 5, "settings": ("length_s=20",)}
    first = play_coherence(tmp_path, **changed)
    again = play_coherence(tmp_path, config=first / "run.yaml")
    recorded = [(folder / "events.jsonl").read_bytes() for folder in (first, again)]
    assert recorded[0] == recorded[1]
    assert recorded[0].count(b"\n") > 20
    options, settings, _ = read_options(
        registry.experiment("coherence"),
        {"config": first / "run.yaml", "seed": 6, "settings": ("length_s=30",)},
    )
    assert (options.seed, options.condition, options.mind) == (6, "rumour", "scripted")
    assert (settings.length_s, settings.agents) == (30, 3)
    options, *_ = read_options(
        registry.experiment("coherence"), {"config": first / "run.yaml", "model": "my-own"}
    )
    assert (options.mind, options.model) == (None, "my-own")


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"scenario": "harvest"}, "is of a run of harvest, not of coherence"),
        ({"format": 1}, r"another version of voxpolis \(format 1, this one's is 2\)"),
        ({"options": {"pace": 1}}, "another version of voxpolis: there is no pace any more"),
        ({"config": {"pace": 1}}, "another version of voxpolis: there is no pace any more"),
        ({"config": None}, "is damaged"),
    ],
)
def test_a_runs_file_that_cannot_be_played_is_refused_in_a_line(tmp_path, change, says):
    manifest = {"scenario": "coherence", "format": 2, "command": [], "options": {}, "config": {}}
    with pytest.raises(UsageError, match=says):
        read(tmp_path, yaml.dump(manifest | change), "coherence")
