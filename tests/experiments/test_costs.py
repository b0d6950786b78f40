"""Estimates of a run's cost before anything is paid."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.endpoint import answering, completion
from tests.saying import said_to
from tests.typed_endpoint import deciding
from voxpolis.experiments.run import registry
from voxpolis.experiments.run.command import command
from voxpolis.experiments.study.bench import bench
from voxpolis.records import read_record

# A short run of each kind of scenario.
TINY = {
    "double_vein": ["--contract", "1", "--runs", "2"],
    "crafting_tree": ["--tree", "adasociety", "--minutes", "1"],
    "matrix": ["--episodes", "2"],
    "adasociety": ["--condition", "contract-easy", "--set", "length=40"],
    "taxation": ["--condition", "no_vote", "--agents", "3", "--runs", "2", "--set", "length_s=90"],
    "religion": ["--set", "agents=20", "--set", "length_s=90"],
    "commons": ["--set", "rounds=3"],
    "sentiment": ["--condition", "chef", "--runs", "1", "--set", "length_s=60"],
    "items": ["--condition", "full", "--runs", "1", "--agents", "2", "--set", "length_s=60"],
    "specialisation": [
        *("--condition", "normal", "--runs", "1", "--agents", "4", "--set", "length_s=90"),
    ],
}


@pytest.mark.parametrize("name", TINY)
def test_estimate_equals_calls_of_scripted_run(name, tmp_path):
    """An estimate needs no key, writes nothing, and counts every call that the same run records."""
    made = command(registry.scenario(name))
    words = ["--world", "grid", *TINY[name], "--out", str(tmp_path), "--json"]
    done = CliRunner().invoke(made, [*words, "--estimate", "--model", "gpt-4o"])
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout.strip().splitlines()[-1])["estimate"]
    assert list(tmp_path.iterdir()) == []
    everything, most = told.pop("all"), told.pop("at most")
    for field in ("calls", "prompt_tokens", "answer_tokens", "dollars"):
        assert most[field] >= 3 * everything[field]
    for field in ("calls", "prompt_tokens", "answer_tokens"):
        assert everything[field] == sum(role[field] for role in told.values()) > 0
    assert everything["dollars"] > 0
    if name in ("matrix", "adasociety", "crafting_tree", "double_vein"):
        result = json.loads(CliRunner().invoke(made, words).stdout.strip().splitlines()[-1])
        calls = read_record(Path(result["run_dir"])).calls
        assert everything["calls"] == len(calls)


def estimated(name, *words):
    """Return the estimate of a run on the grid."""
    done = CliRunner().invoke(
        command(registry.scenario(name)), ["--world", "grid", "--estimate", "--json", *words]
    )
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout.strip().splitlines()[-1])["estimate"]


def test_upper_bound_includes_roles_that_only_language_models_play():
    """Language models' programs are rewritten, and their contracts and laws are judged."""
    found = estimated("double_vein", "--condition", "negotiate", "--compile", "--rounds", "6")
    attempts = 4
    programs, critics, messages, clauses, judgements = 2 * attempts, 2 * attempts, 6, 6, attempts
    most = 3 * (programs + critics + messages + clauses + judgements)
    assert found["at most"]["calls"] == most
    times = {"feedback": 30, "amendments": 40, "vote": 50, "tally": 60, "enactment": 70}
    words = [f"{name}_s={at}" for name, at in times.items()]
    words += ["stances=anti", "first_season_s=90", "length_s=120"]
    sets = [part for word in words for part in ("--set", word)]
    found = estimated("taxation", "--agents", "3", "--condition", "full", "--runs", "2", *sets)
    # in one season per run the new law is in force, which a judge may have to interpret
    seasons = 2
    assert "assess" not in found
    thinks = {
        "decide": 1.5,
        "talk": 8.5,
        "social": 5.5,
        "goal": 10.5,
        "plan": 10.5,
        "reflect": 60.5,
    }
    people = 2 * 7  # three voters, three influencers and a manager in each run
    modules = people * sum(int(120 / period) + 1 for period in thinks.values())
    rest = sum(found[role]["calls"] for role in found if role not in {*thinks, "all", "at most"})
    assert found["at most"]["calls"] == 3 * (rest + seasons + modules)


# Decisions that are addressed to no person in the society, or are impossible.
IN_VAIN = {
    "taxation": [{"do": "GO", "place": "moon"}, {"do": "PAY", "percent": 20}],
    "religion": [{"do": "GO", "place": "moon"}],
    "sentiment": [{"do": "VISIT", "person": "everyone"}],
    "specialisation": [
        {"do": "GIVE", "count": 2, "item": "bread", "person": "everyone"},
        {"do": "GIVE", "count": 1, "item": "bread", "person": "Ben"},
        {"do": "EAT", "item": "bread"},
        {"do": "GO", "place": "moon"},
    ],
}


@pytest.mark.parametrize(
    ("name", "says"),
    [("specialisation", "nothing"), *((name, "in vain") for name in IN_VAIN)],
)
def test_calls_never_exceed_upper_bound(name, says, tmp_path):
    """Tested with a model that gives unreadable answers, and with one that makes fruitless
    decisions and always has news."""
    numbers, good = itertools.count(), deciding("strict")

    def reply(request):
        asked, number = request["messages"][0]["content"], next(numbers)
        answers = {
            "You decide what to do next": {"action": IN_VAIN[name][number % len(IN_VAIN[name])]},
            "You speak to those near": {"say": f"I have thought of the number {number}."},
            "You set yourself a goal": {"goal": f"To tell all of the number {number}"},
        }
        if says == "nothing":
            return 200, completion("Hm?")
        known = [text for sign, text in answers.items() if sign in asked]
        return (200, completion(json.dumps(known[0]))) if known else good(request)

    experiment, words = registry.scenario(name), ["--world", "grid", *TINY[name]]
    most = estimated(name, *TINY[name])["at most"]["calls"]
    with answering(reply) as endpoint:
        told = [*words, "--out", str(tmp_path), "--json", "--base-url", endpoint.url]
        done = CliRunner().invoke(command(experiment), [*told, "--model", "local"])
    result = json.loads(done.stdout.strip().splitlines()[-1])
    record = read_record(Path(result["run_dir"]))
    assert 0 < len(record.calls) <= most
    asked = Counter((c["episode"], c["agent"]) for c in record.calls if c["role"] == "decide")
    # 90 s leave room for pauses of 2, 4, 8, 16 and 32 s after unreadable or impossible answers
    assert max(asked.values()) <= 3 * 12
    vain = [one for run in result["runs"] for one in run["failed_actions"].values()]
    assert bool(vain) == (says == "in vain" and name in ("taxation", "specialisation"))


# Games for planners, settings that make them short, and a plan that ends immediately.
PLANNED = {
    "contract-easy": ("adasociety", ["--condition", "contract-easy", "--set", "length=40"]),
    "negotiation-easy": ("adasociety", ["--condition", "negotiation-easy", "--set", "length=40"]),
    "crafting_tree": ("crafting_tree", TINY["crafting_tree"]),
    "double_vein": ("double_vein", ["--agent", "planner", "--time-limit", "20"]),
}
DUMP = {"do": "DUMP", "count": 1, "thing": "hammer"}
AT_ONCE = {"double_vein": {"do": "SIGNAL", "to": "ALL"}}


@pytest.mark.parametrize(
    ("game", "says"),
    [
        *((game, "what ends at once") for game in PLANNED),
        ("negotiation-easy", "nothing"),
        ("double_vein", "to wait"),
    ],
)
def test_planner_calls_never_exceed_upper_bound(game, says, tmp_path):
    """The bound follows from steps, agents, plans per step and retries, not from scripted minds."""
    name, told = PLANNED[game]
    at_once = AT_ONCE.get(game, DUMP)
    plan = {"nothing": None, "what ends at once": at_once, "to wait": {"do": "WAIT"}}[says]

    def reply(request):
        is_choosing = "It is your turn to join a group" in said_to(request["messages"])
        said = {"do": "JOIN", "group": 0} if is_choosing and plan else plan
        return 200, completion(json.dumps({"plan": said}) if said else "Hm?")

    words = ["--world", "grid", *told]
    most = estimated(name, *told)["at most"]["calls"]
    with answering(reply) as endpoint:
        asked = [*words, "--out", str(tmp_path), "--json", "--base-url", endpoint.url]
        done = CliRunner().invoke(command(registry.scenario(name)), [*asked, "--model", "local"])
    result = json.loads(done.stdout.strip().splitlines()[-1])
    calls = len(read_record(Path(result["run_dir"])).calls)
    assert 0 < calls <= most
    if says == "what ends at once":  # a share of a bound that allows three retries
        share = {"crafting_tree": 1, "negotiation-easy": 1 / 2}.get(game, 1 / 5)
        assert calls > most / 3 * share * 0.9


def test_judge_and_compiler_calls_are_counted(tmp_path):
    words = ["--contract", "1", "--judge", "model", "--episodes", "2"]
    found = estimated("double_vein", *words)
    with answering(deciding("strict")) as endpoint:
        told = [*words, "--out", str(tmp_path), "--base-url", endpoint.url, "--model", "local"]
        done = CliRunner().invoke(
            command(registry.scenario("double_vein")), ["--world", "grid", "--json", *told]
        )
    result = json.loads(done.stdout.strip().splitlines()[-1])
    roles = Counter(call["role"] for call in read_record(Path(result["run_dir"])).calls)
    assert roles == {"action": 4, "critic": 2, "judge": 2}
    assert {role: found[role]["calls"] for role in roles} == roles
    programs = 2 * 2 * 4  # players * episodes * attempts
    assert found["at most"]["calls"] == 3 * (programs + programs + 2 * 4)
    found = estimated("double_vein", "--contract", "negotiate", "--compile", "--judge", "both")
    assert found["judge"]["calls"] == 1
    # all messages except the last propose in words, and each proposal is compiled
    assert found["compiler"]["calls"] == found["negotiator"]["calls"] - 1


def test_agents_with_own_models_are_priced_separately(tmp_path):
    """A matrix game is symmetric, so each player asks half of all questions."""
    prices, models = tmp_path / "prices.yaml", tmp_path / "models.yaml"
    prices.write_text(
        "as_of: 2026-01-01\ndear: {prompt: 1e6, completion: 0}\nfree: {prompt: 0, completion: 0}"
    )
    files = ("--prices", str(prices), "--models", str(models))
    models.write_text("default: {model: dear}")
    whole = estimated("matrix", *files)
    models.write_text("default: {model: dear}\nagents: {Ann: {model: free}}")
    mixed = estimated("matrix", *files)
    assert mixed["action"]["model"] == "dear, free"
    for row in ("action", "all", "at most"):
        assert mixed[row]["calls"] == whole[row]["calls"]
        assert mixed[row]["dollars"] == pytest.approx(whole[row]["dollars"] / 2, rel=0.02)
    models.write_text("default: {model: dear}\nagents: {Ann: {model: unheard-of}}")
    assert estimated("matrix", *files)["all"]["dollars"] is None


def test_bench_reports_startup_cost_separately_from_cost_per_person():
    shown = CliRunner().invoke(bench, ["religion", "--agents", "9", "--set", "length_s=300"])
    assert shown.exit_code == 0, shown.output
    head, row, start, _ = shown.output.strip().splitlines()
    names = [name.strip() for name in head.split("  ") if name]
    found = dict(zip(names, map(float, row.split()), strict=True))
    assert found["agents"] == 9
    began_s = float(start.split()[1])
    assert began_s > 0
    # each of the three is rounded to a tenth of a second
    assert found["user s"] - found["without start"] == pytest.approx(began_s, abs=0.16)
    assert found["MB"] > 20
