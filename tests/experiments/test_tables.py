"""What people are shown of results: in how many runs, with what spread, and of which conditions."""

from __future__ import annotations

import json
from contextlib import contextmanager
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from experiments import compare, registry
from experiments.contract_experiment import ContractExperiment
from experiments.endings import left_out
from experiments.grid_experiment import MEASURED, print_grid_result, spread
from experiments.sweep_workers import Job, Outcome, Worker
from experiments.tables import extent, mean_with_sd, print_contract_result
from records.text import in_digits
from scenarios.religion import measures as religion
from scenarios.taxation import measures


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
    }


def result(condition, *runs):
    experiment = registry.experiment("double_vein")
    assert isinstance(experiment, ContractExperiment)
    prepared = experiment.prepare(experiment.options(), experiment.settings(), "grid")
    return {
        "scenario": "double_vein",
        "world": "grid",
        "mind": "scripted",
        "condition": condition,
        "run_dir": f"runs/{condition}",
        "runs": list(runs),
        **prepared.summary(runs),
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
def test_a_contract_game_has_a_spread_where_several_runs_count(runs, said, capsys):
    shown = result("1", *runs)
    print_contract_result(("iron", "diamond"), shown)
    printed = capsys.readouterr().out
    assert said in printed
    assert ("±" in printed) == (shown["sd"]["welfare"] is not None)


def test_a_file_with_brackets_in_its_name_is_printed_as_it_is(capsys):
    shown = {**result("1", entry(78)), "contract": "[red]terms[/red].txt"}
    print_contract_result(("iron", "diamond"), shown)
    assert "contract [red]terms[/red].txt" in capsys.readouterr().out


@pytest.mark.parametrize("width", [40, 200])
def test_no_number_of_a_game_with_many_events_is_cut_off_at_any_width(capsys, monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    rates = {f"Crafting{number}": (number + 1) / 100 for number in range(9)}
    played = SimpleNamespace(best=SimpleNamespace(welfare=14878.0, executions=rates))
    run = {"reward": 12851.0, "normalised": 0.8638, "fairness": 0.8, "completion": rates}
    runs = [{**run, "seed": seed, "acted": ["0"]} for seed in range(95, 107)]
    shown = {"mind": "scripted", "runs": runs, "run_dir": "here", **spread(runs, MEASURED)}
    print_grid_result("exploration", played, shown, {}, "")
    printed = capsys.readouterr().out
    assert "…" not in printed
    assert printed.count("12851") == printed.count("0.864") - 1 == len(runs)
    for name, rate in rates.items():
        cells = [cell.strip() for line in printed.splitlines() if name in line
                 for cell in line.split("│")[2:-1]]  # fmt: skip
        assert cells == [f"{rate:.0%}"] * len(runs)
    table = [line for line in printed.splitlines() if line[:1] in "┃│"]
    assert max(map(len, table)) <= width


def test_one_episode_on_the_grid_has_no_spread():
    assert spread([{"acted": ["0"], "reward": 3.0}], ["reward"]) == {
        "mean": {"reward": 3.0},
        "sd": {"reward": None},
    }


def test_one_taxed_village_has_no_interval(capsys):
    run = {
        "condition": "full-anti",
        "tax_share_before": 0.2,
        "tax_share_after": 0.1,
        "tax_rate_after": 0.1,
        "near_chest": {"season": 0.75, "between": None},
        "feedback": {"sentiment": -0.5, "anti": 2, "pro": 0, "neutral": 1},
        "votes": {"anti": {"lowers": {"yes": 3, "no": 1, "abstain": 0}}},
        "faults": {},
        "acted": ["Ada"],
    }
    for runs, cell in (([run], "20.0"), ([run, run], "20.0 ± 0.0"), ([], "")):
        found = measures.summary(runs)
        measures.show({**found, "runs": runs, "mind": "scripted", "run_dir": "here"})
        printed = capsys.readouterr().out
        assert cell in printed
        assert ("came 75% of" in printed) == (len(runs) > 0)
        assert ("75% │            - │" in printed) == (len(runs) > 0)
        assert ("±" in printed) == (len(runs) > 1)
    assert measures.summary([run])["conditions"]["full-anti"]["tax_share_before"] == {
        "mean": 0.2,
        "ci95": None,
    }


def test_runs_in_which_nobody_acted_are_in_no_mean_of_a_tax_or_a_faith():
    taxed = {"condition": "full-anti", "tax_share_before": 0.2, "tax_share_after": 0.1}
    idle = {"condition": "full-anti", "tax_share_before": 0.0, "tax_share_after": 0.0, "acted": []}
    found = measures.summary([{**taxed, "acted": ["Ada"]}, idle])["conditions"]["full-anti"]
    assert (found["runs"], found["tax_share_before"]) == (1, {"mean": 0.2, "ci95": None})
    runs = [{"acted": ["Ada"], "direct": 2, "indirect": 4}] * 2
    nobody = {"acted": [], "direct": 0, "indirect": 0}
    means = religion.summary([*runs, nobody])
    assert means == {"mean": {"direct": 2.0, "indirect": 4.0}, "counted": 2}
    assert religion.summary([nobody])["mean"] == {"direct": None, "indirect": None}
    assert left_out([*runs, nobody]) == "1 of 3 runs are in no mean: nobody acted"


@pytest.mark.parametrize("memes", [{}, {"Home": {}, "Ford": {}}])
def test_a_country_without_goals_has_no_table_of_them(memes, capsys):
    row = {"t": 0, "direct": 1, "indirect": 0, "area_blocks": 0, "area_any_blocks": 0}
    run = {
        "seed": 0,
        "agents": 2,
        "over_time": [row],
        "memes": memes,
        "memes_per_head": {"towns": None},
        "exposures_direct": 0,
        "exposures_indirect": 0,
        "critical_edges": 0,
        "priests": 1,
    }
    religion.show({"runs": [run], "mind": "scripted", "run_dir": "here"})
    printed = capsys.readouterr().out
    assert "nobody's goal was about any of the memes" in printed
    assert "Home" not in printed
    assert "topics in goals" not in printed


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (-6.94e-18, "0"),
        (0.0, "0"),
        (-0.25, "-0.25"),
        (99.96, "100"),
        (2468.0, "2468"),
        (5.25e6, "5.25e+06"),
    ],
)
def test_the_noise_of_sums_is_zero(value, text):
    assert in_digits(value) == mean_with_sd(value, None) == text


@pytest.mark.parametrize(
    ("episodes", "text"),
    [([1], "1 run"), ([1, 1, 1], "3 runs"), ([1, 2, 1, 2, 1], "3 runs of 2 episodes"),
     ([None, None], "2 runs"), ([], "0 runs")],
)  # fmt: skip
def test_runs_and_episodes_are_not_mixed_up(episodes, text):
    runs = [{} if number is None else {"episode": number} for number in episodes]
    assert extent(runs) == text


# --- Several conditions --------------------------------------------------------------------------


@pytest.fixture
def compared(monkeypatch):
    """Returns what ``compare`` prints of given outcomes, by condition."""

    def run(outcomes, *options):
        @contextmanager
        def engine(*_arguments):
            yield lambda jobs, take: [take(outcomes[job.condition](job)) for job in jobs]

        monkeypatch.setattr(compare, "local", engine)
        words = ["double_vein", "--conditions", ",".join(outcomes), "--world", "grid", *options]
        return CliRunner().invoke(compare.compare, words, terminal_width=200)

    return run


def test_a_condition_that_failed_in_its_last_run_is_shown_with_the_runs_before(compared):
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
    assert [row[:4] for row in rows[:2]] == [["none", "3", "runs", "60"], ["1", "2", "runs", "78"]]
    assert "Part of the possible gain" in " ".join(found.output.split())
    assert "condition 1: it is gone; condition 2: never there" in found.output


def test_a_title_tells_runs_from_episodes_and_no_table_is_without_rows(compared):
    runs = [entry(60, episode) for _ in range(3) for episode in (1, 2)]
    found = compared({"none": lambda job: Outcome(job, result("none", *runs), "")})
    assert found.exit_code == 0
    words = " ".join(found.output.split())
    assert "3 runs of 2 episodes each, mean ± sd" in words
    assert "Part of the possible gain" not in words


def test_a_job_that_failed_hands_over_what_it_had_finished():
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
