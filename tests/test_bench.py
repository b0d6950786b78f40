"""What a society costs, as ``python -m experiments bench`` measures it."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from voxpolis.experiments.study.bench import bench


def test_bench_measures_each_number_of_people_apart_from_the_start():
    shown = CliRunner().invoke(bench, ["religion", "--agents", "9", "--set", "length_s=60"])
    assert shown.exit_code == 0, shown.output
    head, row, start, _ = shown.output.strip().splitlines()
    names = [name.strip() for name in head.split("  ") if name]
    found = dict(zip(names, map(float, row.split()), strict=True))
    assert found["agents"] == 9
    began_s = float(start.split()[1])
    assert began_s > 0
    # each of the three is rounded to a tenth of a second by itself
    assert found["user s"] - found["without start"] == pytest.approx(began_s, abs=0.16)
    assert found["MB"] > 20


def test_bench_says_in_a_line_what_was_typed_wrong():
    for typed, says in (("nosuch", "no scenario"), ("religion", "numbers apart by commas")):
        shown = CliRunner().invoke(bench, [typed, "--agents", "many"])
        assert shown.exit_code == 2
        assert says in shown.output
        assert len(shown.output.splitlines()) == 1
