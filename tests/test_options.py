"""Options and settings as people write them: in a ``--config`` file and with ``--set``."""

from __future__ import annotations

import pytest
import yaml

from experiments import registry
from experiments.command import read_options
from experiments.usage import UsageError


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
