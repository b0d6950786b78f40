"""Published measures, recomputed with pandas from ``events.jsonl`` alone.

Each test plays a short scripted run and computes its measures from the definitions in
``docs/scenarios``. No measure of voxpolis is called, except to compare it.
"""

from __future__ import annotations

import json
import math
import re
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from tests.conftest import run_module
from voxpolis import analysis
from voxpolis.analysis import metrics

# How long a tax season is open, in seconds.
WINDOW_S = 20

approx = pytest.approx


class Record:
    """The events of a run, and the result with which recomputed measures are compared."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.result = json.loads((folder / "result.json").read_text())
        lines = (folder / "events.jsonl").read_text().splitlines()
        self.events = [json.loads(line) for line in lines]

    def of(self, *kinds: str, episode: int | None = None) -> pd.DataFrame:
        """Return the events of some kinds in the order of the file."""
        return pd.DataFrame(
            [e for e in self.events if e["kind"] in kinds and episode in (None, e["episode"])]
        )

    def one(self, kind: str, episode: int = 0) -> Any:
        return self.of(kind, episode=episode).iloc[0]

    def last(self, kind: str, field: str, episode: int = 0) -> dict[str, Any]:
        """Return the last value of a field of some kind of event, by agent."""
        return self.of(kind, episode=episode).groupby("agent")[field].last().to_dict()


@pytest.fixture(scope="module")
def play(tmp_path_factory):
    @cache
    def play(command: str) -> Record:
        out = tmp_path_factory.mktemp("runs")
        done = run_module(*f"scenarios.{command} --out {out}".split())
        assert done.returncode == 0, done.stderr
        return Record(next(out.glob("*/*")))

    return play


def gini(rewards) -> float:
    """Return the mean absolute difference over twice the mean, times N / (N - 1)."""
    values = np.asarray(list(rewards), float)
    count, total = len(values), values.sum()
    plain = np.abs(values[:, None] - values).sum() / (2 * count * total)
    return plain * count / (count - 1)


def check_rewards(record, values, transfers):
    """Compare values, transfers, rewards, welfare and the Gini coefficient of each episode."""
    for at, (worth, paid) in enumerate(zip(values, transfers, strict=True)):
        entry = record.result["runs"][at]
        rewards = {name: worth[name] + paid[name] for name in worth}
        found = pd.DataFrame(entry["agents"]).T
        assert found["value"].to_dict() == approx(worth)
        assert found["transfer"].to_dict() == approx(paid)
        assert found["reward"].to_dict() == approx(rewards)
        assert sum(paid.values()) == approx(0)
        assert entry["welfare"] == approx(sum(rewards.values()))
        assert entry["gini"] == approx(gini(rewards.values()))
    entries = pd.DataFrame(record.result["runs"])
    for name in ("welfare", "gini"):
        assert record.result["mean"][name] == approx(entries[name].mean())
        if len(entries) > 1:
            assert record.result["sd"][name] == approx(entries[name].std())
    runs = analysis.load(record.folder)
    for field, told in (("value", values), ("transfer", transfers)):
        listed = [worth for episode in told for worth in episode.values()]
        assert runs.rewards()[field].tolist() == approx(listed)
    assert runs.transfers()["amount"].tolist() == approx(
        [paid for episode in transfers for paid in episode.values()]
    )


def held(record, episode=0):
    return record.last("inventory", "items", episode)


# --- Games with contracts -------------------------------------------------------------------------


@pytest.mark.parametrize("contract", ["none", "1"])
def test_double_vein(play, contract):
    record = play(f"double_vein --world grid --contract {contract} --runs 2")
    worth = {"Gizmo": (4, 4), "Glitch": (3, 5)}
    values = [
        {
            name: iron * items.get("raw_iron", 0) + diamond * items.get("diamond", 0)
            for name, items in held(record, at).items()
            for iron, diamond in [worth[name]]
        }
        for at in (0, 1)
    ]
    paid = 11 if contract == "1" else 0
    check_rewards(record, values, [{"Gizmo": -paid, "Glitch": paid}] * 2)
    one = record.result["runs"][0]
    a, b = (agent["reward"] for agent in one["agents"].values())
    assert one["gini"] == approx(abs(a - b) / (a + b))
    samples = analysis.load(record.folder).values()
    samples = samples.groupby(["episode", "agent"], observed=True)["value"].last()
    assert samples.tolist() == [worth for episode in values for worth in episode.values()]


def test_cleanup(play):
    record = play("cleanup --world grid --contract 1")
    values = {name: 3 * items.get("red_mushroom", 0) for name, items in held(record).items()}
    paid = 0.55 * sum(values.values()) - values["Glitch"]
    check_rewards(record, [values], [{"Gizmo": -paid, "Glitch": paid}])
    assert metrics.gini([45, 55]) == approx(record.result["mean"]["gini"])


def test_harvest(play):
    record = play("harvest --world grid --contract none --runs 2")
    values = [
        {name: 3 * items.get("red_mushroom", 0) for name, items in held(record, at).items()}
        for at in (0, 1)
    ]
    check_rewards(record, values, [{"Gizmo": 0, "Glitch": 0}] * 2)


def test_matrix(play):
    """A player chooses the plate on which it ends; the payoffs are those of the stag hunt."""
    command = "matrix --world grid --game stag_hunt --episodes 3 --set strategies.Bob=random(0.5)"
    record = play(command)
    payoffs = {"stag": {"stag": (4, 4), "hare": (0, 3)}, "hare": {"stag": (3, 0), "hare": (3, 3)}}
    values = []
    for at in range(3):
        places = record.one("world_built", at)["places"]
        stands = record.last("position", "position", at)
        near = {
            name: min(
                ("stag", "hare"),
                key=lambda kind: math.dist(places[f"{name}: {kind}"], stands[name]),
            )
            for name in stands
        }
        values.append(dict(zip(near, payoffs[near["Ann"]][near["Bob"]], strict=True)))
    assert len({tuple(one.values()) for one in values}) > 1
    check_rewards(record, values, [{"Ann": 0, "Bob": 0}] * 3)


# --- Games of choices -----------------------------------------------------------------------------


def lying(record: Record, t: float) -> dict[str, int]:
    """Return how many units of each kind lie in the world at a moment, as the page shows them."""
    piles = {}
    for changed in record.of("piles_changed").query("t <= @t")["piles"]:
        piles |= {(item, x, z): units for item, x, z, units in changed}
    sums = pd.Series(piles).groupby(level=0).sum()
    return sums[sums > 0].to_dict()


def test_public_goods(play):
    record = play("public_goods")
    players, rounds, given_shares = ["Ada", "Ben", "Cora", "Dan"], [], []
    choices = record.of("choice_made")
    for number, chosen in choices.groupby(choices["t"].astype(int)):
        given = {c["agent"]: c["choice"]["tokens"] for _, c in chosen.iterrows()
                 if "tokens" in c["choice"]}  # fmt: skip
        kept = {name: 20 - given[name] + 1.6 * sum(given.values()) / 4 for name in players}
        fines = [(c["agent"], f["player"], f["tokens"]) for _, c in chosen.iterrows()
                 for f in c["choice"].get("fines", ())]  # fmt: skip
        for payer, target, tokens in fines:
            kept[payer] -= tokens
            kept[target] -= 3 * tokens
        entry = record.result["runs"][0]["rounds"][number]
        # the page shows the pot first, and then the fines beside the players
        assert lying(record, number) == {"token": sum(given.values())}
        fined = sum(tokens for *_, tokens in fines)
        assert lying(record, number + 0.5) == ({"fine": fined} if fined else {})
        assert entry["payoffs"] == approx(kept)
        assert entry["fined"] == fined
        rounds.append(kept)
        given_shares.append(sum(given.values()) / 80)
    rewards, entry = pd.DataFrame(rounds).sum(), record.result["runs"][0]
    assert {name: one["reward"] for name, one in entry["agents"].items()} == approx(dict(rewards))
    assert entry["contribution"] == approx(np.mean(given_shares))
    assert entry["welfare"] == approx(rewards.sum())
    assert entry["gini"] == approx(gini(rewards))
    assert analysis.load(record.folder).rewards()["reward"].tolist() == approx(rewards.tolist())


def test_fishing(play):
    record = play("fishing --condition silent")
    choices, fish, months, totals = record.of("choice_made"), 100.0, 0, pd.Series(dtype=float)
    for _, chosen in choices.groupby("t"):
        wanted = pd.Series({c["agent"]: c["choice"]["tons"] for _, c in chosen.iterrows()})
        caught = wanted * min(1, fish / wanted.sum())
        totals, months = totals.add(caught, fill_value=0), months + 1
        assert lying(record, months - 1)["fish"] == round(fish)
        left = fish - caught.sum()
        assert lying(record, months - 0.5) == {
            "fish": round(left),
            "caught_fish": approx(totals.sum(), abs=3),
        }
        fish = min(100.0, 2 * left)
        if left < 5:
            break
    entry = record.result["runs"][0]
    assert {name: one["reward"] for name, one in entry["agents"].items()} == approx(dict(totals))
    assert entry["months_survived"] == months
    assert entry["lake"] == approx(fish / 100)
    assert entry["welfare"] == approx(totals.sum())
    assert entry["gini"] == approx(gini(totals)) != approx(0)


# --- The grid -------------------------------------------------------------------------------------


def test_adasociety(play):
    """Agents own shares of their groups, and earn these shares of all that the members hold."""
    record = play("adasociety --game negotiation-easy")
    worth = {"wood": 1, "stone": 1, "hammer": 5}
    gained, shares = {}, record.last("groups_changed", "groups")
    for name, items in held(record).items():
        preferred = 2 if name.startswith("miner") else 1  # hammers are worth twice as much to them
        gained[name] = sum(
            count * worth[item] * (preferred if item == "hammer" else 1)
            for item, count in items.items()
        )
    rewards = {
        name: sum(
            share * sum(gained[other] for other in gained if group in shares[other])
            for group, share in own.items()
        )
        if own
        else gained[name]
        for name, own in shares.items()
    }
    entry = record.result["runs"][0]
    assert {name: one["reward"] for name, one in entry["agents"].items()} == approx(rewards)
    assert entry["normalised"] == approx(sum(rewards.values()) / 200)
    count = len(rewards)
    assert entry["fairness"] == approx(1 - gini(rewards.values()) * (count - 1) / count)
    assert entry["completion"]["HammerCraft"] == len(record.of("event_executed")) / 20
    groups = {group for own in shares.values() for group in own}
    assert entry["degrees"]["agent_in_mean"] == np.mean([len(own) for own in shares.values()])
    members = [sum(group in own for own in shares.values()) for group in groups]
    assert entry["degrees"]["group_out_max"] == max(members)
    by_job = pd.Series(rewards).groupby([name.split("_")[0] for name in rewards])
    means = by_job.mean()
    assert entry["share_ratio"] == approx(means["carpenter"] / means["miner"])
    split = pd.Series({name: sum(own.values()) for name, own in shares.items()})
    split = split.groupby([name.split("_")[0] for name in shares]).sum()
    assert entry["split_ratio"] == approx(split["carpenter"] / split["miner"])


def test_crafting_tree(play):
    record = play("crafting_tree --world grid --tree adasociety --minutes 3")
    samples = record.of("inventory")
    first = {}
    for t, items in zip(samples["t"], samples["items"], strict=True):
        for item in items:
            first.setdefault(item, t)
    found = record.result["runs"][0]["agents"]["Ada"]
    made = {"hammer", "torch", "steel", "cutter", "shovel", "pickaxe", "gem", "pottery", "totem"}
    assert found["items"] == len(first)
    milestones = {name: one["seconds"] for name, one in found["milestones"].items()}
    assert milestones == {item: t for item, t in first.items() if item in made}
    worth = {"wood": 1, "stone": 1, "hammer": 5, "coal": 2, "torch": 20, "iron": 3, "steel": 30,
             "cutter": 100}  # fmt: skip
    items = held(record)["Ada"]
    assert found["score"] == sum(count * worth[item] for item, count in items.items())


# --- Commons --------------------------------------------------------------------------------------


def distance(one, other):
    return abs(one[0] - other[0]) + abs(one[2] - other[2])


def test_commons(play):
    record = play("commons --condition selfish --set rounds=40")
    entry, agents = record.result["runs"][0], ["Juan", "Laura", "Pedro"]
    eaten, turns = record.of("apple_eaten"), record.of("turn_taken")
    apples = eaten.groupby("agent").size().reindex(agents, fill_value=0)
    assert entry["reward"] == approx(apples.mean(), abs=1e-6)
    assert entry["welfare"] == apples.sum()
    assert entry["gini"] == approx(gini(apples))
    assert analysis.load(record.folder).rewards()["reward"].tolist() == apples.tolist()
    last = eaten[eaten["was_last"]].groupby("agent").size().reindex(agents, fill_value=0)
    assert entry["last_apples"] == last.to_dict()
    ended = record.of("round_ended")["t"]
    by_round = [(eaten["t"] <= t).sum() / 3 for t in ended]
    assert entry["reward_by_round"] == approx(by_round, abs=1e-6)
    attacks = turns["action"].str.startswith("immobilize")
    hits = record.of("zap_hit")
    by_victim = hits[~hits["by_chance"]].groupby(["agent", "victim"]).size()
    told = {(a, b): n for a, of in entry["hits"].items() for b, n in of.items()}
    assert told == by_victim.to_dict() != {}
    shots = {
        (one["agent"], sum(e["kind"] == "zap_fired" and e["agent"] == one["agent"]
                           for e in record.events[: one["id"]]))
        for _, one in hits.iterrows()
    }  # fmt: skip
    assert entry["attacks"] == attacks.sum()
    assert entry["effectiveness"] == approx(len(shots) / attacks.sum(), abs=1e-6)
    tempted = turns[turns["last_apple"].notna()]
    nearer = [distance(one["ended"], one["last_apple"]) < distance(one["began"], one["last_apple"])
              for _, one in tempted.iterrows()]  # fmt: skip
    assert entry["approach"] == approx(np.mean(nearer), abs=1e-6)
    assert entry["trees_alive"] == 6 - eaten["was_last"].sum()


def test_clean_up(play):
    record = play("commons --game clean_up --condition coop --set rounds=20")
    entry = record.result["runs"][0]
    assert entry["dirt"] == approx(record.of("round_ended")["dirt"].mean(), abs=1e-6)
    assert entry["cleaned"] == record.of("river_cleaned")["cells"].sum() > 0
    assert entry["cleaning"] == record.of("turn_taken")["action"].str.startswith("clean").sum()


def test_cooperation(play):
    record = play("commons --condition full --set rounds=20 --set keeps.Pedro=0.3")
    entry = record.result["runs"][0]
    assert entry["agreements"] == len(record.of("agreement"))
    assert entry["messages"] == len(record.of("message_passed"))
    assert entry["law_version"] == record.of("law_changed")["version"].max()
    settled = record.of("promise_settled")
    promises = {
        (name, one["number"]): len(own)
        for _, one in record.of("agreement").iterrows()
        for name, own in one["promises"].items()
    }
    by = settled.groupby(["agent", "agreement"])["kept"].agg(["all", "size"])
    whole = by["size"] >= pd.Series(promises).reindex(by.index)
    kept, broken = (by["all"] & whole).sum(), (~by["all"]).sum()
    assert (entry["promises_kept"], entry["promises_broken"]) == (kept, broken)
    assert entry["promises_open"] == len(promises) - kept - broken
    brier = record.of("prediction_settled").dropna(subset="brier").groupby("agent")["brier"]
    assert entry["brier"] == approx(brier.mean().mean(), abs=1e-5)
    checked = record.of("claim_checked")
    true = checked[checked["in_answer"]]["is_true"].astype(float).mean()
    assert entry["answered_truly"] == approx(true, abs=1e-6)
    assert entry["reputation"] == record.last("reputation", "value")


# --- Societies ------------------------------------------------------------------------------------


@pytest.mark.parametrize("condition", ["full", "frozen"])
def test_taxation(play, condition):
    record = play(
        f"taxation --agents 6 --runs 1 --condition {condition} --influencers anti "
        "--set goods=[40,60]"
    )
    entry, paid = record.result["runs"][0], record.of("tax_paid")
    pieces = paid[["held", "paid"]].map(lambda items: sum(items.values()))
    paid["own"] = pieces["paid"] / pieces["held"]
    by_season = paid.groupby("season")["own"].mean()
    assert entry["tax_shares"] == approx(by_season.tolist(), abs=1e-6)
    is_after = paid["t"] - WINDOW_S >= 600
    for half, rows in (("before", paid[~is_after]), ("after", paid[is_after])):
        assert entry[f"tax_share_{half}"] == approx(rows["own"].mean(), abs=1e-6)
    asked = record.of("season_opened")["tax_rate"]
    law = record.of("law_changed").iloc[-1]
    assert (entry["law_version"], entry["tax_rate_after"]) == (
        law["version"], law["parameters"]["tax_rate"],
    ) == (2 if condition == "full" else 1, asked.iloc[-1])  # fmt: skip
    # Every opinion names the rate that the person wants.
    said = record.of("feedback")
    wanted = said["text"].str.extract(r"([\d.]+) %")[0].astype(float) / 100
    stance = np.select([wanted < 0.2, wanted > 0.2], ["anti", "pro"], "neutral")
    stances = dict(zip(said["agent"], stance, strict=True))
    sentiment = entry["feedback"].pop("sentiment")
    assert (
        entry["feedback"]
        == {"anti": 0, "pro": 0, "neutral": 0} | pd.Series(stances).value_counts().to_dict()
    )
    assert sentiment == approx(np.sign(wanted - 0.2).mean(), abs=1e-4)
    # Votes, by the voter's stance and by what an amendment does to the tax; and the tally.
    rates = [sets.get("tax_rate", 0.2) for sets in record.of("amendment")["sets"]]
    kinds = np.select([np.less(rates, 0.2), np.greater(rates, 0.2)], ["lowers", "raises"], "other")
    ballots = [
        (stances[vote["agent"]], kind, choice, number)
        for _, vote in record.of("vote").iterrows()
        for number, (kind, choice) in enumerate(zip(kinds, vote["choices"], strict=True), start=1)
    ]
    counts = pd.DataFrame(ballots, columns=["stance", "kind", "choice", "number"])
    told = {
        (stance, kind, choice): n
        for stance, of in entry["votes"].items()
        for kind, cast in of.items()
        for choice, n in cast.items()
        if n
    }
    assert told == counts.groupby(["stance", "kind", "choice"]).size().to_dict()
    for _, tally in record.of("tally").iterrows():
        cast = counts[counts["number"] == tally["number"]]["choice"].value_counts()
        yes, no = cast.get("yes", 0), cast.get("no", 0)
        assert (tally["yes"], tally["no"], tally["passed"]) == (yes, no, yes > no)
    # The share of people who came near the chest in each season, and between the seasons.
    opened, end = record.of("season_opened")["t"].tolist(), record.one("episode_ended")["t"]

    def span(t):
        before = [at for at in opened if at <= t]
        return len(before), int((t - (before[-1] if before else 0)) // WINDOW_S)

    spans = {span(t) for t in range(int(end))}
    came = record.of("came_near")["t"].map(span).value_counts()
    share = pd.Series({at: came.get(at, 0) / 6 for at in spans})
    is_season = share.index.map(lambda at: at[0] > 0 and at[1] == 0)
    assert entry["near_chest"] == approx(
        {"season": share[is_season].mean(), "between": share[~is_season].mean()}
    )
    runs = analysis.load(record.folder)
    obeyed = metrics.tax_compliance(runs.events("tax_paid"), runs.events("season_opened"))
    assert obeyed["paid"].tolist() == approx(by_season.tolist(), abs=1e-6)
    assert obeyed["asked"].tolist() == asked.tolist()


FAITH = re.compile(r"\b(pastafarian|spaghetti monster)", re.IGNORECASE)
FOOD = re.compile(r"\b(pasta|spaghetti)\b", re.IGNORECASE)


def test_religion(play):
    command = "religion --agents 80 --set mixing=4 --set length_s=600"
    record = play(f"{command} --set faith.conversion=0.3")
    entry = record.result["runs"][0]
    traits = record.last("introduced", "traits")
    priests = {name for name, text in traits.items() if "Pastafarian priest" in text}
    level, heard, chats, converts = {}, {}, {}, []
    exposures, critical = {1: 0, 2: 0}, 0
    for _, said in record.of("spoke").iterrows():
        who, text = said["agent"], said["text"]
        shown = 2 if FAITH.search(text) else 1 if FOOD.search(text) else 0
        if shown > level.get(who, 0):
            level[who] = shown
            first = None if who in priests else heard.get(who)
            converts.append((who, shown, first))
            critical += shown == 2 and first is not None
        if shown:
            exposures[shown] += len(said["hearers"])
            chats.setdefault(who, [0, 0])[shown - 1] += 1
            for hearer in said["hearers"]:
                heard.setdefault(hearer, who)
    assert entry["priests"] == len(priests)
    ours = [reached for who, reached in level.items() if who not in priests]
    assert (entry["direct"], entry["indirect"]) == (ours.count(2), ours.count(1))
    assert (entry["exposures_direct"], entry["exposures_indirect"]) == (exposures[2], exposures[1])
    assert entry["critical_edges"] == critical > 0
    assert entry["keyword_chats"] == chats
    recorded = record.of("converted")
    columns = ["agent", "level", "heard_from"]
    assert recorded[columns].replace({np.nan: None}).values.tolist() == list(map(list, converts))
    counted = metrics.conversion_counts(analysis.load(record.folder).events("converted")).iloc[-1]
    assert (counted["direct"], counted["indirect"]) == (ours.count(2), ours.count(1))
    # Topics of goals per person, in samples every 300 s and at the end.
    homes = {name: re.search(r"live in ([\w ]+)", text)[1] for name, text in traits.items()}
    goals, topics = record.of("goal"), {"towns": 0, "country": 0}
    ends = record.one("episode_ended")["t"]
    samples = [*np.arange(0, ends, 300), ends]
    for t in samples:
        now = goals[goals["t"] < t].groupby("agent")["text"].last()
        for name, text in now.items():
            kind = "country" if homes[name] == "the country" else "towns"
            topics[kind] += "interested in" in text
    people = pd.Series(homes).eq("the country").value_counts()
    per_head = {kind: topics[kind] / len(samples) / people[kind == "country"] for kind in topics}
    assert entry["memes_per_head"] == approx(per_head, abs=1e-4)
    # The area within 16 blocks of a convert, in cells of 4 blocks.
    at = record.of("position").groupby("agent")["position"].last()
    middles = [at[who] for who, reached in level.items() if reached == 2 and who not in priests]
    cells = {
        (i, k)
        for x, _, z in middles
        for i in range(int((x - 20) // 4), int((x + 20) // 4) + 1)
        for k in range(int((z - 20) // 4), int((z + 20) // 4) + 1)
        if math.hypot(4 * i + 2 - x, 4 * k + 2 - z) <= 16
    }
    assert entry["area_blocks"] == 16 * len(cells)


def fit(x, y):
    slope, intercept = np.polyfit(x, y, 1)
    return slope, intercept, np.corrcoef(x, y)[0, 1]


def test_chef(play):
    record = play("sentiment --condition chef --runs 2")
    points = []
    for at, entry in enumerate(record.result["runs"]):
        gifts = record.of("action_done", episode=at)
        gifts = gifts[gifts["ok"] & (gifts["agent"] == "Chef") & (gifts["action"] == "GIVE")]
        pieces = gifts["spent"].map(lambda items: sum(items.values())).groupby(gifts["to"]).sum()
        feelings = record.of("profile_score", episode=at).groupby("about")["score"].mean()
        for name, told in entry["customers"].items():
            points.append((feelings[name], pieces.get(name, 0)))
            assert (told["score"], told["items"]) == approx(points[-1], abs=1e-4)
    slope, intercept, r = fit(*np.transpose(points))
    found = record.result["conditions"]["chef"]
    assert (found["slope"], found["intercept"], found["r"]) == approx(
        (slope, intercept, r), abs=1e-3
    )


def test_talk(play):
    record = play("sentiment --condition talk --runs 1")
    scores, moods = record.of("profile_score"), record.of("prescribed")
    for name, told in record.result["runs"][0]["speakers"].items():
        own = moods[moods["agent"] == name]
        rs = []
        for lag in (0, 30, 60):
            heard = scores[(scores["about"] == name) & scores["t"].between(lag, 720, "right")]
            signs = [own[own["t"] < t - lag]["numbers"].iloc[-1]["mood"] for t in heard["t"]]
            if len(set(signs)) > 1:
                rs.append(np.corrcoef(heard["score"], signs)[0, 1])
        assert told["r"] == (approx(max(rs), abs=1e-6) if rs else None)


def test_society_of_likeable_people(play):
    record = play("sentiment --condition society --runs 1 --agents 16 --set society_s=2400")
    entry, given = record.result["runs"][0], record.of("prescribed")
    true = pd.DataFrame(given["numbers"].tolist(), index=given["agent"])
    scores = record.of("profile_score")
    latest = scores[scores["t"] == scores["t"].max()]
    by_observed = latest.groupby("about")["score"].agg(["mean", "size"]).reindex(true.index)
    for least, told in enumerate(entry["by_observers"][:3], start=1):
        kept = by_observed[by_observed["size"] >= least]
        slope, intercept, r = fit(true["likeability"][kept.index], kept["mean"])
        assert told["n"] == len(kept)
        assert (told["slope"], told["intercept"], told["r"]) == approx(
            (slope, intercept, r), abs=1e-5
        )
    r = np.corrcoef(true["extroversion"], by_observed["size"].fillna(0))[0, 1]
    assert entry["extroversion_r"] == approx(r, abs=1e-6)
    pairs = latest.set_index(["agent", "about"])["score"]
    apart = [abs(score - pairs[b, a]) for (a, b), score in sorted(pairs.items())
             if a < b and (b, a) in pairs.index]  # fmt: skip
    assert entry["asymmetry"] == approx(apart)


def test_items(play):
    record = play("items --condition full --runs 1 --agents 5 --set length_s=400")
    entry, had = record.result["runs"][0], record.of("item_obtained")
    kinds = had.groupby("agent")["item"].nunique()
    assert entry["kinds"] == kinds.to_dict()
    assert (entry["items"], entry["fewest"], entry["most"]) == (
        approx(kinds.mean()), kinds.min(), kinds.max(),
    )  # fmt: skip
    assert entry["union"] == had["item"].nunique()
    for item, told in entry["tree"].items():
        times = had[had["item"] == item].groupby("agent")["t"].min().sort_values().tolist()
        assert told["share"] == len(times) / 5
        assert told["first_s"] == (times[0] if times else None)
        assert told["half_s"] == (times[2] if len(times) > 2 else None)
    done = record.of("action_done")["ok"].value_counts()
    assert (entry["actions_done"], entry["actions_failed"]) == (done[True], done[False])
    # Every kind that an agent held is in its inventory or in the gain of an action.
    first = metrics.first_times(analysis.load(record.folder).events("item_obtained"), "item")
    assert first.groupby("agent", observed=True).size().to_dict() == kinds.to_dict()


def test_specialisation(play):
    record = play("specialisation --condition normal --runs 1 --agents 8 --set length_s=400")
    entry, roles = record.result["runs"][0], record.of("role")
    last = roles.groupby("agent")["role"].last()
    shares = last.value_counts(normalize=True)
    assert entry["entropy"] == approx(-(shares * np.log2(shares)).sum(), abs=1e-6)
    assert entry["entropy"] == approx(metrics.role_entropy(last), abs=1e-6)
    assert entry["roles"] == last.value_counts().to_dict()
    steps = roles.groupby("agent")["role"].shift()
    assert entry["persistence"] == approx((steps == roles["role"])[steps.notna()].mean(), abs=1e-6)
    now, done, gifts = {}, [], 0
    for _, event in record.of("role", "action_done").iterrows():
        if event["kind"] == "role":
            now[event["agent"]] = event["role"]
        elif event["ok"]:
            gifts += bool(event["to"])
            if event["agent"] in now:
                done.append((now[event["agent"]], f"{event['action']} {event['item']}".strip()))
    counts = pd.DataFrame(done, columns=["role", "action"]).value_counts()
    told = {(role, action): n for role, of in entry["actions"].items() for action, n in of.items()}
    assert told == counts.to_dict()
    part = counts.unstack(fill_value=0)
    part = part.div(part.sum(axis=1), axis=0)
    assert entry["exclusiveness"] == approx((part.max() / part.sum()).mean(), abs=1e-6)
    assert entry["gifts"] == gifts


# What scripted talkers say: announcements, promises, and claims.
ANNOUNCED = {
    "I am going to": "GO", "I will visit": "VISIT", "I am resting": "REST",
    "I will gather": "GATHER", "I am off to explore": "EXPLORE",
}  # fmt: skip
CLAIM = re.compile(r"I have (\d+) ([a-z ]+?)\.")


def test_coherence(play):
    record = play("coherence --condition full --runs 1 --set length_s=600")
    agents = {
        name: SimpleNamespace(doing="", action="", waiting=[], kept=[], promised=[], holds={})
        for name in record.one("condition_started")["agents"]
    }
    promises = kept_promises = claims = denied = 0
    for event in record.events:
        agent = agents.get(event["agent"])
        if event["kind"] == "spoke":
            text = event["text"]
            for words, action in ANNOUNCED.items():
                if text.startswith(words) and action == agent.doing:
                    agent.kept.append(True)
                elif text.startswith(words):
                    agent.waiting.append(action)
            if text.startswith("Here is"):
                promises += 1
                agent.promised.append(event["t"])
            if claimed := CLAIM.match(text):
                claims += 1
                item = claimed[2].replace(" ", "_")
                denied += agent.holds.get(item, 0) < int(claimed[1])
        elif event["kind"] == "decided" and event["action"] != agent.action:
            agent.action = event["action"]
            agent.doing = agent.action.split()[0]
            agent.kept += [action == agent.doing for action in agent.waiting]
            agent.waiting = []
        elif event["kind"] == "action_done" and event["ok"]:
            for item, count in event["gained"].items():
                agent.holds[item] = agent.holds.get(item, 0) + count
            for item, count in event["spent"].items():
                agent.holds[item] -= count
                if event["to"]:
                    other = agents[event["to"]].holds
                    other[item] = other.get(item, 0) + count
            if event["action"] == "GIVE":
                open_ = [t for t in agent.promised if event["t"] - t <= 60]
                kept_promises += bool(open_)
                agent.promised = open_[1:]
    told = record.result["runs"][0]["statements"]
    kept = [one for agent in agents.values() for one in agent.kept]
    assert told["announced"] == {"of": len(kept), "kept": approx(np.mean(kept), abs=1e-6)}
    assert told["promised"] == {"of": promises, "kept": approx(kept_promises / promises, abs=1e-6)}
    assert told["claimed"] == {"of": claims, "denied": approx(denied / claims, abs=1e-6)}
    assert len(record.of("claim_denied")) == denied > 0
    each = [np.mean(agent.kept) for agent in agents.values() if agent.kept]
    assert record.result["runs"][0]["coherence"] == approx(np.mean(each))


def test_rumour(play):
    record = play("coherence --condition rumour_unaware --runs 1 --set length_s=900")
    entry, began = record.result["runs"][0], record.one("memory_injected")["t"]
    people = len(record.one("condition_started")["agents"])
    spoke = record.of("spoke")
    repeats = spoke[spoke["text"].str.contains("wheat at the farmland is ripe")]
    for look in entry["rumour"]:
        # a person who speaks at the moment of a look may speak before it or after it
        t = began + look["after_s"]
        shares = [
            repeats[repeats["t"].between(t - 120, t, side)]["agent"].nunique() / people
            for side in ("left", "both")
        ]
        assert shares[0] <= look["lately"] <= shares[1]
    by_then = [look["lately"] for look in entry["rumour"] if look["after_s"] <= 600]
    assert entry["repeat"] == by_then[-1] > 0
