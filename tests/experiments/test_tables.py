"""Result tables: number of runs, spread, and conditions."""

from __future__ import annotations

import json
from contextlib import contextmanager

import pytest
from click.testing import CliRunner

from voxpolis.experiments.loops.contract.tables import print_contract_result
from voxpolis.experiments.run import registry
from voxpolis.experiments.run.endings import describe_excluded
from voxpolis.experiments.run.measured import by_seed
from voxpolis.experiments.run.scenario import NEVER_ACTED, NOBODY_ACTED, TOO_SLOW, counting
from voxpolis.experiments.study import compare
from voxpolis.experiments.study.sweep_workers import Job, Outcome, Worker
from voxpolis.scenarios.religion import measures as religion


def entry(welfare, episode=1, seed=0):
    own = {"iron": 1, "diamond": 1, "value": 1.0, "transfer": 0.0, "reward": 1.0}
    return {
        "condition": "1",
        "seed": seed,
        "episode": episode,
        "agents": {"Gizmo": own, "Glitch": own},
        "welfare": welfare,
        "gini": None if welfare is None else 0.25,
        "acted": ["Gizmo"] if welfare is None else ["Gizmo", "Glitch"],
        "failed_answers": {},
        "sound": True,
        **({} if welfare is not None else {"excluded": [NEVER_ACTED]}),
    }


def result(condition, *runs):
    experiment = registry.scenario("double_vein")
    prepared = experiment.prepare(experiment.options(), experiment.settings(), "grid")
    return {
        "scenario": "double_vein",
        "world": "grid",
        "mind": "scripted",
        "condition": condition,
        "run_dir": f"runs/{condition}",
        "runs": list(runs),
        **prepared.summary(counting(runs)),
        "by_seed": by_seed(prepared, runs),
        "contract": condition,
    }


# --- One result ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("runs", "said"),
    [
        ([entry(60)], "welfare 60 (77% of the optimum 78), Gini 0.25"),
        ([entry(60), entry(None)], "welfare 60 (77% of the optimum 78), Gini 0.25"),
        ([entry(60), entry(78), entry(None)], "mean ± sd of 2 runs: welfare 69.0 ± 12.7"),
        ([entry(60), entry(78, 2)], "mean ± sd of 2 episodes: welfare 69.0 ± 12.7"),
        ([entry(None)], "no run counts: there is nothing to measure"),
    ],
)
def test_contract_game_shows_spread_over_several_runs(runs, said, capsys):
    shown = result("1", *runs)
    print_contract_result(("iron", "diamond"), shown)
    printed = capsys.readouterr().out
    assert said in printed
    assert ("±" in printed) == (shown["sd"]["welfare"] is not None)


def test_excluded_runs_are_counted_by_their_reason():
    runs = [{}, {"excluded": [NOBODY_ACTED]}, {"excluded": [NOBODY_ACTED, TOO_SLOW]}]
    assert len(counting(runs)) == 1
    assert describe_excluded(runs) == (
        "2 of 3 runs are excluded from means: no agent acted; "
        "the machine was too slow for the game (1)"
    )
    assert religion.summary([])["mean"] == {"direct": None, "indirect": None}


# --- Several conditions --------------------------------------------------------------------------


@pytest.fixture
def compared(monkeypatch):
    """Return a function that returns the output of ``compare`` for given outcomes by condition."""

    def run(outcomes, *options):
        @contextmanager
        def engine(*_arguments):
            yield lambda jobs, take: [take(outcomes[job.condition](job)) for job in jobs]

        monkeypatch.setattr(compare, "local", engine)
        words = ["double_vein", "--conditions", ",".join(outcomes), "--world", "grid", *options]
        return CliRunner().invoke(compare.compare, words, terminal_width=200)

    return run


def test_condition_that_failed_in_its_last_run_still_shows_earlier_runs(compared):
    left = result("1", entry(78), entry(78, seed=1))
    found = compared(
        {
            "none": lambda job: Outcome(job, result("none", *[entry(60)] * 3), ""),
            "1": lambda job: Outcome(job, None, "error: it is gone\n", left),
            "2": lambda job: Outcome(job, None, "error: never there\n"),
        }
    )
    assert found.exit_code == 1
    rows = [line.replace("│", " ").split() for line in found.output.splitlines() if "│" in line]
    assert [row[:3] for row in rows[:2]] == [["none", "1", "60"], ["1", "2", "78"]]
    assert "Share of the possible gain" in " ".join(found.output.split())
    assert "condition 1: it is gone; condition 2: never there" in found.output


def test_failed_job_returns_its_finished_runs():
    def ended(printed, code):
        program = (
            f"import sys; print({printed!r}); print('error: no', file=sys.stderr); sys.exit({code})"
        )
        return Worker(0, None).play(Job("1", 0, ("-c", program)))

    some, none = {"runs": [1]}, {"runs": []}
    assert ended(json.dumps(some), 0).result == some
    assert (ended(json.dumps(some), 1).result, ended(json.dumps(some), 1).unfinished) == (
        None,
        some,
    )
    assert (ended(json.dumps(none), 1).unfinished, ended("", 1).unfinished) == (None, None)
