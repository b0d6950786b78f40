"""The tables of learners: ours beside the published values."""

from __future__ import annotations

from grid.learn.published import table


def trained(reward, seed, **options):
    """A result of a training, as far as the table reads it."""
    asked = {"changes": {}, "steps": 1000, "seed": seed} | options
    mean = {"normalised": reward}
    row = {"game": "contract-easy", "algorithm": "ppo", "agent_steps": asked["steps"]}
    return row | {"options": asked, "mean": mean}


def test_no_row_of_the_table_mixes_trainings():
    """Seeds are put together only where all else was the same, and of the game as it is."""
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
