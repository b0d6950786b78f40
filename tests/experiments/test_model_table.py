"""A row per model: played, interrupted, continued within a budget, merged, printed and drawn."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
import yaml

from tests.conftest import run_module
from tests.endpoint import completion, serving
from tests.typed_endpoint import deciding
from voxpolis.analysis.model_table import (
    Cell,
    Row,
    TableError,
    draw,
    markdown,
    read_rows,
    write_row,
)
from voxpolis.experiments.run.options import UsageError
from voxpolis.experiments.study.model_table import SUITES, read_suite
from voxpolis.experiments.study.sweep import SweepPlan

SUITE = [
    {
        "name": "stag hunt",
        "scenario": "matrix",
        "options": {"episodes": 1, "set": ["game=stag_hunt"]},
        "measure": "mean.welfare",
        "unit": "points",
    },
    {
        "name": "public goods",
        "scenario": "public_goods",
        "options": {"condition": "plain", "set": ["rounds=1"]},
        "measure": "mean.contribution",
        "unit": "share",
    },
]
CELL = Cell("mean.x", "points", {}, {}, asked=0, failed=0, tokens=0, dollars=None, seconds=0.0)


@pytest.fixture
def table(tmp_path):
    """Return a function that adds a row, and returns the exit code, the rows and the errors."""
    suite = tmp_path / "suite.yaml"
    suite.write_text(yaml.safe_dump(SUITE))

    def add(*options):
        told = ["model-table", "--suite", str(suite), "--runs", "2", "--out", str(tmp_path / "t")]
        done = run_module("experiments", *told, "--json", *options)
        rows = json.loads(done.stdout) if done.stdout.strip() else []
        return done.returncode, {row["name"]: row["cells"] for row in rows}, done.stderr

    add.folder = tmp_path / "t"
    return add


def test_rows_of_minds_without_a_model(table):
    code, rows, _ = table("--mind", "scripted")
    assert code == 0
    assert rows["scripted"]["stag hunt"]["values"] == {"0": 8.0, "1": 8.0}
    code, rows, _ = table("--mind", "random")
    assert (code, [*rows["random"]]) == (0, ["public goods"])
    text = markdown(read_rows([table.folder]))
    assert "| stag hunt (points) | n/a | 8 [8, 8] |" in text
    picture = table.folder / "models.png"
    draw(read_rows([table.folder]), picture)
    assert picture.stat().st_size > 5000


def test_an_unknown_format_of_a_figure_is_one_line(table):
    table("--mind", "scripted")
    picture = str(table.folder / "models.xyz")
    done = run_module("analysis", "models", str(table.folder), "--figure", picture)
    assert done.returncode == 2
    assert done.stderr.startswith("error: Format 'xyz' is not supported")
    assert done.stderr.count("\n") == 1


def test_a_row_stops_at_its_budget_and_continues(table):
    with serving(deciding("strict")) as endpoint:
        model = ("--model", "local", "--base-url", endpoint.url)
        code, rows, said = table(*model, "--budget", "6 calls")
        assert (code, len(endpoint.requests) <= 6) == (1, True)
        assert "budget of" in said
        code, rows, _ = table(*model, "--budget", "1000 calls")
        assert code == 0
        played = len(endpoint.requests)
        assert table(*model)[0] == 0
        assert len(endpoint.requests) == played
        for another in (
            ("--model", "other", "--base-url", endpoint.url, "--name", "local"),
            ("--model", "local", "--base-url", "http://127.0.0.1:9/v1"),
        ):
            code, _, said = table(*another)
            assert (code, "has runs of another model or endpoint" in said) == (2, True)
        code, _, said = table(*model, "--runs", "1")
        assert (code, "raise --runs" in said) == (2, True)
    assert table(*model)[0] == 0, "a complete row needs no endpoint"
    code, _, said = table(*model, "--name", "another")
    assert (code, "cannot be reached" in said, "seed 0" in said) == (2, True, False)
    assert not (table.folder / "rows" / "another").exists(), (
        "the corrected command would be refused"
    )
    cell = rows["local"]["public goods"]
    assert (len(cell["values"]), cell["failed"], cell["tokens"] > 0) == (2, 0, True)


def test_a_model_without_usable_answers_has_no_value(table):
    with serving(lambda _request: (200, completion("Hm?"))) as endpoint:
        code, rows, said = table("--model", "dull", "--base-url", endpoint.url)
    assert code == 1
    cell = rows["dull"]["public goods"]
    assert (cell["values"], cell["failed"] > 0, cell["tokens"] > 0) == ({}, True, True)
    assert "no agent acted" in said or "an agent never acted" in said
    assert "missing" in markdown(read_rows([table.folder]))


def test_a_run_that_lacks_the_measure_is_not_a_missing_run(tmp_path):
    cells = {"lacks": replace(CELL, records=["runs/1"]), "failed": CELL}
    write_row(tmp_path / "a", Row("a", "core", "scripted", {}, 1, "2026-11-30", cells))
    text = markdown(read_rows([tmp_path]))
    assert "| lacks (points) | n/a |" in text
    assert "| failed (points) | missing |" in text


def test_the_price_of_a_row_is_known_without_a_key(table):
    done = run_module(
        "experiments", "model-table", "--model", "gpt-4o", "--runs", "1", "--estimate"
    )
    assert done.returncode == 0, done.stderr
    assert "gpt-4o: about $" in done.stdout
    assert done.stdout.count("$") == 1 + len(read_suite("core"))


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ([], "name a model"),
        (["--mind", "scripted", "--model", "x"], "leave out the options of the model"),
        (["--mind", "scripted", "--suite", "nowhere"], "shipped: core"),
    ],
)
def test_bad_requests_are_one_line(table, options, says):
    code, rows, said = table(*options)
    assert (code, rows, said.count("\n")) == (2, {}, 1)
    assert says in said


@pytest.mark.parametrize("path", sorted(SUITES.glob("*.yaml")), ids=lambda path: path.stem)
def test_shipped_suites_are_valid(path):
    for entry in read_suite(path.stem):
        plan = SweepPlan(scenario=entry.scenario, seeds=[0], conditions={"a": entry.options})
        assert plan.check(path)


def test_rows_of_different_games_or_with_one_name_are_not_merged(tmp_path):
    cell = Cell("mean.welfare", "points", {"agents": 2}, {"0": 1.0}, 1, 0, 0, None, 1.0)
    row = Row("a", "core", "scripted", {}, 1, "2026-11-29", {"game": cell})
    write_row(tmp_path / "a", row)
    write_row(tmp_path / "b", row)
    with pytest.raises(TableError, match="two rows are called a"):
        read_rows([tmp_path])
    other = replace(cell, options={"agents": 3})
    write_row(tmp_path / "b", replace(row, name="b", cells={"game": other}))
    with pytest.raises(TableError, match="another game"):
        read_rows([tmp_path])


def test_a_measure_that_no_result_has_is_an_error(table, tmp_path):
    wrong = tmp_path / "wrong.yaml"
    wrong.write_text(yaml.safe_dump([{**SUITE[1], "measure": "mean.nothing"}]))
    code, _, said = table("--mind", "scripted", "--suite", str(wrong))
    assert (code, "it is missing in all results" in said) == (1, True)


def test_games_with_one_name_are_refused(tmp_path):
    double = tmp_path / "double.yaml"
    double.write_text(yaml.safe_dump([SUITE[1], SUITE[1]]))
    with pytest.raises(UsageError, match="different names"):
        read_suite(str(double))
