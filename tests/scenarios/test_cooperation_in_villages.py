"""Cooperation modules in a village with trades, and in both games in Minecraft."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from pathlib import Path

import pytest

from tests.conftest import result_of, run_module
from tests.scenarios.test_cooperation import recorded
from voxpolis.records import events, read_record
from voxpolis.scenarios.specialisation import REFUSED

# The game clock waits for a busy machine.
SERVER_OPTIONS = ("--speed", "8")
ROUND_S = 60.0
# A small village near its market, with rounds long enough to bring something.
SHORT = ("--condition", "normal", "--runs", "1", "--agents", "6")
VILLAGE = {"length_s": 480, "round_s": ROUND_S, "trades.scale": 0.2}
NAMES = ("Ada", "Ben", "Cora", "Dan", "Eva", "Finn")


def manners(**own):
    """Return a mapping that gives all people the same manners."""
    return {f"manners.{name}": json.dumps(own) for name in NAMES}


def play(*options, module="all", **more):
    """Play a small village on the grid by the command; return its result."""
    given = {**VILLAGE, **more}
    words = [part for name, value in given.items() for part in ("--set", f"{name}={value}")]
    modules = ("--modules", module) if module else ()
    words = (*SHORT, *modules, "--json", *options, *words)
    return result_of(run_module("scenarios.specialisation", *words))


def moved(result):
    """Return what people brought, took and gave, by round (0: after the last), from reports."""
    found = defaultdict(Counter)
    ended = {one["round"]: one["id"] for one in recorded(result, "acts_counted")}
    kinds = {"PUT": "brought", "TAKE": "taken", "GIVE": "given"}
    for one in recorded(result, "action_done"):
        if one["ok"] and one["action"] in kinds:
            # 0: after all rounds
            number = next((n for n in sorted(ended) if one["id"] < ended[n]), 0)
            things = one["gained"] if one["action"] == "TAKE" else one["spent"]
            found[number][one["agent"], kinds[one["action"]]] += sum(things.values())
    return found


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Return a village whose people do half of what the law asks and break some promises."""
    out = tmp_path_factory.mktemp("village")
    return play("--out", str(out), **manners(heeds=0.5, keeps=0.5, lies=0.3))


def test_counted_acts_match_the_villages_reports(whole):
    counts = recorded(whole, "acts_counted")
    assert [one["round"] for one in counts] == list(range(1, 9))
    assert [one["t"] for one in counts] == [ROUND_S * n for n in range(1, 9)]
    found = moved(whole)
    for one in counts:
        for name in NAMES:
            assert one["acts"][name] == {
                kind: found[one["round"]][name, kind] for kind in ("brought", "taken", "given")
            }
    assert sum(found[n][name, "brought"] for n in found for name in NAMES) > 10


def test_only_idle_people_are_barred_from_taking_in_the_next_round(whole):
    counts = {one["round"]: one["acts"] for one in recorded(whole, "acts_counted")}
    broken = recorded(whole, "article_broken")
    idle = {(n, name) for n, acts in counts.items() for name in NAMES if not acts[name]["brought"]}
    ended = {one["round"]: one["t"] for one in recorded(whole, "acts_counted")}
    assert {(n, one["agent"]) for one in broken for n in ended if ended[n] == one["t"]} == idle
    assert {one["banned_until"] - n for one in broken for n in ended if ended[n] == one["t"]} == {1}
    takes = [one for one in recorded(whole, "action_done") if one["action"] == "TAKE"]
    refused = 0
    for one in takes:
        number = next((n for n in ended if one["t"] <= ended[n] and one["id"]), 0)
        if one["t"] == ended[number]:
            continue  # at the very end of a round, either before or after the count
        is_banned = (number - 1, one["agent"]) in idle
        assert (one["reason"] == REFUSED) == is_banned
        refused += is_banned
    assert refused
    assert not [one for one in broken if one["fine"]]


def test_promises_are_settled_by_deliveries(whole):
    made = {number: one for one in recorded(whole, "agreement")
            for numbers in one["promises"].values() for number in numbers}  # fmt: skip
    settled = recorded(whole, "promise_settled")
    counts = {one["round"]: one["acts"] for one in recorded(whole, "acts_counted")}
    assert settled
    for one in settled:
        until = int(one["form"].rpartition(" ")[2])
        assert one["form"] == (
            f"{one['agent']} brings at least 1 things to the market until round {until}"
        )
        assert one["kept"] == (counts[until][one["agent"]]["brought"] >= 1)
        assert one["number"] in made
    found = whole["runs"][0]["cooperation"]
    assert found["promises_kept"] + found["promises_broken"] == len(settled)
    assert found["breaches"] == len(recorded(whole, "article_broken"))


def test_answers_about_the_last_round_are_checked_against_it(whole):
    counts = {one["round"]: (one["id"], one["acts"]) for one in recorded(whole, "acts_counted")}
    checked = recorded(whole, "claim_checked")
    assert {one["is_true"] for one in checked} == {True, False}
    for one in checked:
        _, acts = max(pair for pair in counts.values() if pair[0] < one["id"])
        words = one["test"].removeprefix("last round: ").split()
        is_least = words[3] == "least"
        brought = acts[words[0]]["brought"]
        assert one["is_true"] == (brought >= int(words[4]) if is_least else brought <= 0)


def test_people_only_talk_to_people_within_hearing(whole):
    """Hearers are within the village's hearing distance at that moment."""
    at = defaultdict(dict)
    for one in recorded(whole, "position"):
        at[one["t"]][one["agent"]] = one["position"]
    said = [one for one in recorded(whole, "message_passed") if one["t"] in at]
    assert len(said) > 5
    for one in said:
        (ax, _, az), (bx, _, bz) = at[one["t"]][one["agent"]], at[one["t"]][one["to"]]
        assert ((ax - bx) ** 2 + (az - bz) ** 2) ** 0.5 <= 16.2  # positions are rounded


def test_law_brings_more_to_market_the_more_people_heed_it(whole, tmp_path):
    lawful = play("--out", str(tmp_path), module="constitution", **manners(heeds=1))
    shares, breaches = [], []
    for result in (lawful, whole):
        acts = [own["brought"] > 0 for one in recorded(result, "acts_counted")
                for own in one["acts"].values()]  # fmt: skip
        shares.append(sum(acts) / len(acts))
        breaches.append(result["runs"][0]["cooperation"]["breaches"])
    assert shares[0] > shares[1] + 0.1
    assert breaches[0] < breaches[1]


def test_replay_has_the_same_thoughts_conversations_and_bans(whole):
    again = result_of(
        run_module("scenarios.specialisation", "--replay", whole["run_dir"], "--json")
    )
    assert again["runs"] == whole["runs"]
    assert again["cooperation"] == whole["cooperation"]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--modules", "all", "--agent", "Ada=human"), "a person carries no modules"),
        (("--modules", "all", "--agents", "1"), "needs at least two people"),
        (("--set", "manners.Zora.keeps=1"), "there is no agent of that name; there are Ada, "),
        (("--modules", "all", "--set", "round_s=0"), "round_s"),
    ],
)
def test_invalid_village_with_modules_prints_one_line(options, says):
    done = run_module("scenarios.specialisation", "--condition", "normal", *options)
    assert done.returncode == 2
    assert says in done.stderr
    assert done.stderr.count("\n") == 1


def test_server_counts_acts_and_market_refuses_idle_people_in_minecraft(server, tmp_path):
    """At first all people ignore the law, so that each of them is banned once."""
    out = ("--world", "minecraft", "--out", str(tmp_path))
    short = {"length_s": 110, "round_s": 50, "agents": 4}
    options = ("--condition", "normal", "--runs", "1", "--modules", "all", "--json")
    words = [part for name, value in short.items() for part in ("--set", f"{name}={value}")]
    done = run_module("scenarios.specialisation", *out, *options, *words, timeout=280)
    result = result_of(done)
    (entry,) = result["runs"]
    assert entry["cooperation"]["rounds"] >= 2
    assert not entry["faults"]
    found, counts = moved(result), recorded(result, "acts_counted")
    for one in counts:
        for name, own in one["acts"].items():
            assert own == {k: found[one["round"]][name, k] for k in ("brought", "taken", "given")}
    # according to the server, items in the market left people's inventories
    assert sum(own["brought"] for one in counts for own in one["acts"].values()) > 0
    ended = [one["t"] for one in counts]
    banned = {(one["agent"], one["banned_until"]) for one in recorded(result, "article_broken")}
    assert banned
    for one in recorded(result, "action_done"):
        number = 1 + sum(t < one["t"] for t in ended)
        if one["action"] == "TAKE" and one["ok"] and (one["agent"], number) in banned:
            # the action was in progress when the ban began
            assert one["t"] - ended[number - 2] < 20


PLAYERS = ("Gizmo", "Glitch")


def test_promises_and_law_use_the_servers_counts(server, tmp_path):
    """Gizmo heeds the law; Glitch breaks its promise in the second episode."""
    manners = ("--set", "manners.Gizmo.heeds=1", "--set", "manners.Gizmo.keeps=1",
               "--set", "manners.Glitch.heeds=1", "--set", "manners.Glitch.keeps=0")  # fmt: skip
    options = ("--world", "minecraft", "--modules", "all", "--episodes", "2", *manners)
    limits = ("--set", "time_limit_s=60", "--out", str(tmp_path), "--json")
    done = run_module("scenarios.double_vein", *options, *limits, timeout=280)
    result = result_of(done)
    record = read_record(Path(result["run_dir"]))
    counted = {one.episode: one for one in record.of(events.ActsCounted)}
    assert sorted(counted) == [0, 1]
    for episode, one in counted.items():
        dug = Counter()
        for entry in record.of(events.LedgerEntry):
            if entry.episode == episode and entry.action == "dug":
                dug[entry.agent, entry.item] += entry.count
        assert one.acts == {
            name: {"iron_dug": dug[name, "iron_ore"], "diamonds_dug": dug[name, "diamond_ore"]}
            for name in PLAYERS
        }
    assert counted[0].acts["Glitch"]["iron_dug"] == 0
    assert counted[1].acts["Glitch"]["iron_dug"] > 0
    kept = {one.agent: one.kept for one in record.of(events.PromiseSettled)}
    assert kept["Glitch"] is False
    fines = [(one.episode, one.agent) for one in record.of(events.ArticleBroken)]
    assert (1, "Glitch") in fines
    assert not [one for one in fines if one[0] == 0]
    second = result["runs"][1]["agents"]
    assert sum(own["transfer"] for own in second.values()) == 0
    again = run_module("scenarios.double_vein", "--replay", result["run_dir"], "--json")
    assert json.loads(again.stdout)["runs"] == result["runs"], again.stderr
