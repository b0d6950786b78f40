"""Tables and figures of learners: our values next to the published ones."""

from __future__ import annotations

import pytest

from voxpolis.analysis.figures.drawing import LINE_COUNT
from voxpolis.analysis.figures.learning import adasociety_7
from voxpolis.analysis.loading import load
from voxpolis.grid.learn.published import published, published_agent_steps, table
from voxpolis.records import RunWriter, events


def trained(reward, seed, **options):
    """Return the fields of a training result that the table reads."""
    asked = {"changes": {}, "steps": 1000, "seed": seed} | options
    mean = {"normalised": reward}
    row = {"game": "contract-easy", "algorithm": "ppo", "agent_steps": asked["steps"]}
    return row | {"options": asked, "mean": mean}


EVALUATION = {
    "fairness": 0.9,
    "completion": {"HammerCraft": 0.2, "TorchCraft": None},
    "group_degree_mean": 1.5,
    "group_degree_max": 3.0,
    "split_ratio": None,
    "reward_by_step": [0.0, 0.5, 1.0, 0.5],
}


def write_training(folder, game, algorithm, seed, **options):
    folder.mkdir()
    writer = RunWriter(folder, {"scenario": "learn", "mind": algorithm, "game": game, "seed": seed})
    with writer:
        for steps in (100, 200, 300):
            values = {"normalised": steps / 1000 + seed / 100, "group_degree_mean": 1.0}
            values["group_degree_max"] = 2.0
            writer.event(events.TrainMetric, agent_steps=steps, values=values)
        last = {"normalised": 0.9}
        writer.event(events.TrainMetric, agent_steps=300, values=last, is_evaluation=True)
        result = trained(0.3, seed, **options) | {"game": game, "algorithm": algorithm}
        known = {
            "published": published(game, algorithm),
            "published_agent_steps": published_agent_steps(game, algorithm),
        }
        writer.write_result(result | known | {"agent_steps": 300, "evaluation": EVALUATION})


@pytest.fixture(scope="module")
def trainings(tmp_path_factory):
    folder = tmp_path_factory.mktemp("learn")
    for seed in (0, 1):
        write_training(folder / f"a{seed}", "contract-easy", "ppo", seed)
        write_training(folder / f"b{seed}", "social-dynamic", "mappo", seed)
    write_training(folder / "c", "contract-easy", "ppo", 0, changes={"length": 5})
    return load(folder)


def lines(axes):
    return {line.get_label(): line for line in axes.get_lines()}


def test_a_figure_shows_curves_of_all_seeds_next_to_published_values(trainings):
    drawn = adasociety_7(trainings)
    curve, fair, completion, members = drawn.axes  # the hard game was not trained, so it has no row
    found = lines(curve)
    ours = found[f"ppo (cut to 0.0%){LINE_COUNT}2"]
    assert ours.get_xdata().tolist() == [100, 200, 300]
    assert ours.get_ydata() == pytest.approx([0.105, 0.205, 0.305])  # only from the two seeds
    assert found["ppo, published"].get_ydata() == pytest.approx([0.2286] * 2)
    assert [bar.get_height() for bar in fair.patches] == [0.9]
    assert [bar.get_height() for bar in completion.patches] == [0.2]
    assert [line.get_ydata()[0] for line in members.get_lines()] == [1.0, 2.0]
    assert "run folders: 2" in drawn.get_suptitle()


def test_table_rows_never_mix_different_training_runs():
    """Seeds are merged only for identical training runs of the unchanged game."""
    found = [
        *(trained(0.20, 0), trained(0.22, 1)),
        trained(0.10, 0, steps=2000),
        trained(0.90, 0, changes={"length": 5}),
    ]
    drawn = table(2, found)
    columns = [list(column.cells) for column in drawn.columns]
    rows = [row for row in zip(*columns, strict=True) if row[:2] == ("contract-easy", "ppo")]
    assert [row[2:5] for row in rows] == [
        ("0.2100 ± 0.0141", "2", "1,000"),
        ("0.1000", "1", "2,000"),
    ]
    (other,) = [row for row in zip(*columns, strict=True) if row[:2] == ("contract-hard", "ppo")]
    assert other[2:] == ("-", "", "", "0.1151 ± 0.0002", "not trained here")
