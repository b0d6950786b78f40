"""Figures of societies show only finished episodes, separately for each condition."""

from __future__ import annotations

import itertools
import json
from types import SimpleNamespace

import pytest
from click.testing import CliRunner
from typer.main import get_command

from tests.conftest import run_module
from voxpolis import analysis
from voxpolis.analysis.__main__ import app as analysis_app
from voxpolis.analysis.comparing import bootstrap
from voxpolis.analysis.figures import feelings as sentiment
from voxpolis.analysis.figures import religion, save_all, specialisation, taxation
from voxpolis.analysis.figures.commons import commons_hits, conditions_of
from voxpolis.analysis.figures.drawing import COUNT
from voxpolis.analysis.loading import load
from voxpolis.experiments.study.record_reading import command, recorded
from voxpolis.records import RunWriter, events
from voxpolis.scenarios.sentiment.reading import READING

# Citizens, named after their roles.
ROLES = ("Blacksmith", "Strategist", "Gatherer", "Collector", "Explorer", "Engineer")


def written(folder, scenario, conditions, unfinished=(), mind="scripted", entries=()):
    """Write a run's record with one episode per condition; ``unfinished`` ones do not end."""
    folder.mkdir(parents=True)
    moments = itertools.count()
    clock = SimpleNamespace(now=lambda: float(next(moments)), speed=1.0)
    manifest = {"scenario": scenario, "world": "grid", "mind": mind}
    with RunWriter(folder, manifest, clock) as writer:
        for number, condition in enumerate(conditions):
            writer.episode = number
            writer.event(events.EpisodeStarted, run=number, attempt=1, seed=number)
            writer.event(events.ConditionStarted, condition=condition, agents=list(ROLES))
            for name in ROLES * specialisation.FEWEST_DONE:
                writer.event(events.RoleTaken, name, role=name.lower(), goals=["You work."])
                writer.event(events.ActionDone, name, action="EXPLORE", item="", ok=True, reason="",
                             gained={}, spent={}, to="")  # fmt: skip
            writer.event(events.ProfileScored, "Ada", about="Ben", score=7.0, text="To me: nice.")
            if condition not in unfinished:
                writer.event(events.EpisodeEnded, reason="time_limit", seconds=60.0)
    if entries:
        (folder / "result.json").write_text(json.dumps({"runs": list(entries)}))
    return folder


def kitchen(*items):
    scores = (2.0, 5.0, 8.0)
    pairs = zip(items, scores, strict=True)
    customers = {f"{n} {score}": {"items": n, "score": score} for n, score in pairs}
    return {"condition": "chef", "customers": customers}


def titles(drawn):
    return [axes.get_title() for axes in drawn.axes if axes.get_title()]


def test_a_killed_episode_is_left_out_and_counted_in_the_title(tmp_path):
    written(tmp_path / "a", "specialisation", ["normal", "art"], unfinished=["art"])
    runs = analysis.load(tmp_path)
    assert runs.attempts()["ended"].tolist() == [True, False]
    assert runs.attempts()["counts"].tolist() == [True, False]
    for draw in (specialisation.roles_over_time, specialisation.roles_at_the_end):
        drawn = draw(runs)
        assert [title.partition(":")[0] for title in titles(drawn)] == ["normal"]
        assert "left out, because they did not end: 1 of the episodes" in drawn.get_suptitle()
    written(tmp_path / "b" / "c", "specialisation", ["art"], unfinished=["art"])
    assert specialisation.entropy_of_roles(analysis.load(tmp_path / "b")) is None


def test_a_scenarios_figures_do_not_depend_on_runs_of_other_scenarios(tmp_path):
    written(tmp_path / "a", "specialisation", ["ablated", "normal"])
    written(tmp_path / "b", "sentiment", ["talk", "chef"])
    runs = analysis.load(tmp_path)
    assert titles(sentiment.feelings_over_time(runs)) == [
        "talk (n\u00a0=\u00a01): value at the end: 7"
    ]
    (title,) = titles(specialisation.actions_by_role(runs))
    assert title.startswith("Actions by role: specialisation: normal")


def test_food_and_vote_figures_keep_different_minds_separate(tmp_path):
    for mind, items in (("scripted", (0, 3, 6)), ("openai", (6, 3, 0))):
        written(tmp_path / mind, "sentiment", ["chef"], mind=mind, entries=[kitchen(*items)])
    (axes,) = sentiment.food_by_feeling(analysis.load(tmp_path)).axes
    told = {text.get_text() for text in axes.get_legend().get_texts()}
    assert told == {f"chef, {mind}, n\u00a0=\u00a03" for mind in ("openai", "scripted")}
    slopes = "highest slope: chef, scripted (1), lowest: chef, openai (-1)"
    assert slopes in axes.get_title()


SAID = {"anti": 3, "neutral": 1, "pro": 0}
VOTED = {"anti": {"lowers": {"yes": 3, "no": 1}}}
VILLAGE = {"condition": "full", "near_chest": {"season": 1.0, "between": 0.5},
           "feedback": SAID, "votes": VOTED}  # fmt: skip
OF_ENTRIES = (taxation.people_near_the_chest, taxation.feedback_and_votes)


@pytest.mark.parametrize(
    "excluded", [{"excluded": ["nobody voted"]}, {"sound": False}, {"welfare": None}, {"acted": []}]
)
def test_excluded_entries_are_not_drawn(tmp_path, excluded):
    left_out = {**VILLAGE, **excluded}
    written(tmp_path / "a", "taxation", ["full"] * 2, entries=[VILLAGE, left_out])
    written(tmp_path / "b" / "c", "taxation", ["full"], entries=[left_out])
    for draw in OF_ENTRIES:
        (group, *_) = draw(analysis.load(tmp_path / "a")).axes[0].get_xticklabels()
        assert f"{COUNT}1" in group.get_text()
        assert draw(analysis.load(tmp_path / "b")) is None


def country(seed, at_end, chats):
    """Return the entry of an episode in which memes grow from none to ``at_end``, by town."""
    nothing = {town: {} for town in at_end}
    over_time = [{"t": 0.0, "memes": nothing}, {"t": 100.0, "memes": at_end}]
    places = [[0.0, 1.0, meme] for counts in at_end.values() for meme in counts]
    return {"condition": "spread", "seed": seed, "agents": 10, "memes": at_end,
            "meme_places": places, "over_time": over_time, "keyword_chats": chats}  # fmt: skip


def test_figures_of_memes_use_all_episodes_or_name_the_one_they_show(tmp_path):
    """Regression: five figures showed the first episode as if it were the whole run."""
    entries = [
        country(3, {"Hill": {}, "Dale": {"eco": 1, "prank": 1}}, {}),
        country(4, {"Hill": {"eco": 2}, "Dale": {"eco": 4}}, {"Ada": [0, 3], "Ben": [1, 0]}),
    ]
    written(tmp_path / "a", "religion", ["spread"] * 2, entries=entries)
    runs = analysis.load(tmp_path)
    (axes,) = religion.memes_over_time(runs).axes
    assert axes.get_title().startswith(f"spread ({COUNT}2): highest value at the end: eco (3.5)")
    lines = {line.get_label(): list(line.get_ydata()) for line in axes.get_lines()}
    assert lines == {"eco": [0.0, 3.5], "prank": [0.0, 0.5]}
    (axes,) = religion.memes_by_town(runs).axes
    names = [tick.get_text() for tick in axes.get_xticklabels()]
    assert names == [f"Hill ({COUNT}1)", f"Dale ({COUNT}2)"]
    assert [bar.get_height() for bar in axes.patches] == [100.0, 75.0, 0.0, 25.0]
    assert "most frequent: eco (88" in axes.get_title()
    (axes,) = religion.memes_on_the_map(runs).axes
    assert axes.get_title() == "spread, episode 1 of 2, seed 3"
    (axes,) = religion.keyword_chats(runs).axes
    assert axes.get_title() == f"spread ({COUNT}2): 1 of 20 people name it"
    assert len(axes.patches) == 4, "two people, and two kinds of words"


def test_maps_of_converts_name_the_episode(tmp_path):
    """The first episode has only a priest, so the second is shown."""
    with RunWriter(tmp_path, {"scenario": "religion", "mind": "scripted"}) as writer:
        for number, believed in enumerate([True, False]):
            writer.episode = number
            writer.event(events.EpisodeStarted, run=number, attempt=1, seed=number)
            writer.event(events.PositionSampled, "Ada", position=(1, 2, 3))
            at = {"position": (1, 2, 3), "believed": believed}
            writer.event(events.Converted, "Ada", level=2, **at)
            writer.event(events.EpisodeEnded, reason="time_limit", seconds=60.0)
    runs = analysis.load(tmp_path)
    for draw in (religion.where_the_faith_is, religion.exposure_graph, religion.levels_by_agent):
        assert ", episode 2 of 2, seed 1" in draw(runs).axes[0].get_title()


def test_one_episode_of_roles_is_named(tmp_path):
    written(tmp_path / "a", "specialisation", ["normal", "normal"])
    drawn = specialisation.roles_over_time(analysis.load(tmp_path))
    assert titles(drawn)[0].startswith("normal, episode 1 of 2, seed 0: ")


def test_hits_are_counted_and_nobody_can_hit_itself(tmp_path):
    """Regression: the title named an attacker as the lowest because it never hit itself."""
    agents = {
        name: {"kind": "code_writer", "last_apples": 0, "apples": 0}
        for name in ("Ana", "Ben", "Cy")
    }
    hits = {"Ana": {"Ben": 3}, "Ben": {"Ana": 1, "Cy": 1}, "Cy": {}}
    unknown = ("attacks", "effectiveness", "approach", "approach_seen")
    unknown += ("bots_attacks", "bots_effectiveness")
    entry = {"reward_by_round": [1.0], "trees_by_round": [], "agents": agents, "hits": hits,
             "acted": list(agents), **dict.fromkeys(unknown)}  # fmt: skip
    written(tmp_path / "a", "commons", ["none"], entries=[entry])
    (axes,) = commons_hits(analysis.load(tmp_path)).axes
    names = [tick.get_text() for tick in axes.get_xticklabels()]
    assert names == [f"Ana ({COUNT}3)", f"Ben ({COUNT}2)"]
    assert [text.get_text().strip() for text in axes.texts] == ["n/a", "n/a"]
    assert axes.get_title().endswith("value (on Ben): 1 in 1 of 2 groups")


def test_intervals_of_percentages_end_at_100(tmp_path):
    near = [{**VILLAGE, "near_chest": {"season": one, "between": 0.5}} for one in (0.6, 1.0)]
    written(tmp_path / "a", "taxation", ["full"] * 2, entries=near)
    (axes,) = taxation.people_near_the_chest(analysis.load(tmp_path)).axes
    assert axes.get_ylim() == (0, 100)
    assert "cut at the ends of the axis" in axes.figure.get_supxlabel()


def test_a_village_without_a_vote_has_no_statements_and_no_votes(tmp_path):
    nothing = {"feedback": dict.fromkeys(SAID, 0), "votes": {}}
    entries = [VILLAGE, {**VILLAGE, "condition": "no_vote", **nothing}]
    written(tmp_path / "a", "taxation", ["full", "no_vote"], entries=entries)
    drawn = taxation.feedback_and_votes(analysis.load(tmp_path))
    for axes, count in zip(drawn.axes, (1, 2), strict=True):
        groups = [label.get_text() for label in axes.get_xticklabels()]
        assert groups == [f"full ({COUNT}1)", f"no_vote ({COUNT}0)"]
        texts = [text.get_text().strip() for text in axes.texts]
        assert texts == ["n/a"] * count


def test_taxes_by_season_have_the_interval_of_their_episodes(tmp_path):
    shares = (0.1, 0.2, 0.4)
    with RunWriter(tmp_path, {"scenario": "taxation", "mind": "scripted"}) as writer:
        for number, share in enumerate(shares):
            writer.episode = number
            writer.event(events.EpisodeStarted, run=number, attempt=1, seed=number)
            writer.event(events.ConditionStarted, condition="full", agents=["Ada"])
            writer.event(events.SeasonOpened, season=1, tax_rate=0.2, window_s=20.0)
            writer.event(events.TaxPaid, "Ada", season=1, held={}, paid={}, share=share)
            writer.event(events.EpisodeEnded, reason="time_limit", seconds=60.0)
    (axes,) = taxation.tax_paid_by_season(analysis.load(tmp_path)).axes
    assert [text.get_text() for text in axes.get_legend().get_texts()] == [f"full ({COUNT}3)"]
    (bars,) = (line for line in axes.collections if len(line.get_segments()))
    expected = bootstrap([100 * share for share in shares])
    assert bars.get_segments()[0][:, 1] == pytest.approx([expected.low, expected.high])


def test_readings_of_a_record_use_only_finished_episodes(tmp_path, capsys):
    run = written(tmp_path / "a", "sentiment", ["talk", "chef"], unfinished=["chef"])
    record = recorded(run, "sentiment")
    assert [event.condition for event in record.of(events.ConditionStarted)] == ["talk"]
    assert "incomplete: 1 of the episodes" in capsys.readouterr().err
    live_record = written(tmp_path / "b", "sentiment", ["talk"], unfinished=["talk"])
    done = CliRunner().invoke(command(READING), [str(live_record)])
    assert done.exit_code == 2
    assert "no episode is complete; continue the run with --resume" in done.stderr
    assert not (live_record / "reading.json").exists()


def test_a_missing_figure_is_explained(tmp_path):
    written(tmp_path / "a", "specialisation", ["normal"], unfinished=["normal"])
    options = ["figures", str(tmp_path), "--only", "roles_at_the_end", "--out", str(tmp_path / "b")]
    done = CliRunner().invoke(get_command(analysis_app), options)
    assert done.exit_code == 2
    assert "unfinished episodes are left out" in done.stderr


def test_samples_with_different_times_are_merged_into_one_moment(tmp_path):
    """In Minecraft, sample times differ slightly between citizens and between runs."""
    clock = SimpleNamespace(now=lambda: clock.t, speed=1.0, t=0.0)
    for name, first in (("a", 41.0), ("b", 41.3)):
        clock.t = 0.0
        (tmp_path / name).mkdir()
        manifest = {"scenario": "sentiment", "world": "minecraft", "mind": "scripted"}
        with RunWriter(tmp_path / name, manifest, clock) as writer:
            writer.episode = 0
            writer.event(events.EpisodeStarted, run=0, attempt=1, seed=0)
            writer.event(events.ConditionStarted, condition="talk", agents=["Ada", "Ben"])
            for k in range(4):
                for agent, late_s in (("Ada", 0.0), ("Ben", 0.014)):
                    clock.t = first + 30 * k + late_s
                    writer.event(events.RoleTaken, agent, role="miner", goals=["You work."])
                score = k + 2.0 * (name == "b")
                writer.event(events.ProfileScored, "Ada", about="Ben", score=score, text="x")
            writer.event(events.EpisodeEnded, reason="time_limit", seconds=200.0)
    runs = analysis.load(tmp_path)
    (axes,) = (one for one in specialisation.roles_over_time(runs).axes if one.get_title())
    assert axes.images[0].get_array().shape[:2] == (2, 4)  # no column for moments without a role
    assert axes.images[0].get_array()[..., 3].min() == 1
    (axes,) = (one for one in sentiment.feelings_over_time(runs).axes if one.get_title())
    assert list(axes.lines[0].get_ydata()) == [1.0, 2.0, 3.0, 4.0]
    assert list(axes.lines[0].get_xdata()) == pytest.approx([41.164, 71.164, 101.164, 131.164])


# Short games, because figures and their order do not depend on length.
SHORT = ("--set", "rounds=6")
TREES = ("--conditions", "one_tree,one_tree_coop", "--runs", "1", "--json", *SHORT)


def test_a_comparison_draws_only_its_own_runs(tmp_path):
    """An earlier run in the same folder is left out."""
    out, figures = str(tmp_path / "runs"), tmp_path / "figures"
    run_module("scenarios.commons", "--condition", "one_tree_selfish", "--out", out, *SHORT)
    options = (*TREES, "--out", out, "--figures", str(figures))
    done = run_module("experiments", "compare", "commons", *options)
    assert done.returncode == 0, done.stderr
    assert "drawn in" in done.stderr
    folders = [result["run_dir"] for result in json.loads(done.stdout)["conditions"]]
    assert len(folders) == 2
    assert order_of(load(folders)) == ["one_tree", "one_tree_coop"]
    assert order_of(load(reversed(folders))) == ["one_tree_coop", "one_tree"]
    # the order of play
    assert order_of(load(out)) == ["one_tree", "one_tree_coop", "one_tree_selfish"]
    drawn = {path.name for path in figures.iterdir()}
    assert {"commons_reward.png", "commons_attacks.svg"} <= drawn
    for path in save_all(folders, tmp_path / "again", ("commons_reward", "commons_attacks")):
        assert path.read_bytes() == (figures / path.name).read_bytes(), path.name


def order_of(runs):
    return [name for name, _, _ in conditions_of(runs)]
