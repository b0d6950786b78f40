"""What learners can be asked for: numbers that make no sense are one clear error."""

from __future__ import annotations

import re

import pytest
from pydantic import ValidationError
from typer.testing import CliRunner

from voxpolis.grid.core.data import error_text
from voxpolis.grid.learn import __main__ as command
from voxpolis.grid.learn.options import Options


@pytest.mark.parametrize("stages", [(-1, 1, 1), (0, 0, 0)])
def test_stages_that_are_no_parts_are_refused(stages):
    with pytest.raises(ValidationError, match="stages are parts of all"):
        Options(algorithm="cl", stages=stages)


@pytest.mark.parametrize("number", [float("inf"), float("nan")])
@pytest.mark.parametrize(
    "name",
    ["clip", "learning_rate", "entropy", "priority", "least_return", "greatest_return", "stages"],
)
def test_numbers_without_an_end_are_refused(name, number):
    given = (number, 0, 0) if name == "stages" else number
    with pytest.raises(ValidationError) as error:
        Options(algorithm="rainbow", **{name: given})
    assert error_text(error.value).startswith(name)


@pytest.mark.parametrize(
    ("bounds", "says"),
    [
        ({"least_return": 5, "greatest_return": 5}, "greatest_return .* 5 is not more than 5"),
        ({"greatest_return": -20}, "greatest_return .* -20 is not more than -10"),
        ({"clip": -0.1}, "clip: .*greater than 0"),
    ],
)
def test_bounds_the_wrong_way_round_are_refused(bounds, says):
    with pytest.raises(ValidationError) as error:
        Options(algorithm="rainbow", **bounds)
    text = error_text(error.value)
    assert "\n" not in text
    assert re.search(says, text)


@pytest.mark.parametrize(
    ("option", "says"),
    [
        ("clip=.inf", "clip: Input should be a finite number"),
        ("algorithm=ppo", "algorithm is no --option, but has one of its own: --algo"),
        ("games=[1", "what games is set to is no YAML: [1"),
        ("clip", "write KEY=VALUE, not 'clip'"),
    ],
)
def test_wrong_options_are_one_line(monkeypatch, option, says):
    monkeypatch.setattr(command, "_have_torch", lambda threads: None)
    done = CliRunner().invoke(command.app, ["--option", option])
    assert (done.exit_code, done.stderr) == (2, f"error: {says}\n")
