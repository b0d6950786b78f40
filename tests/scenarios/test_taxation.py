"""The taxed village, as a user plays it: on the grid, in Minecraft, interrupted, and with bad
minds."""

from __future__ import annotations

import asyncio
import json
import random
import signal
from collections import Counter
from pathlib import Path

import pytest
import yaml

from tests.conftest import run_module
from tests.cut_off import cut_off
from tests.endpoint import completion, serving
from voxpolis.bots.models import ScriptedModel
from voxpolis.judge.law.constitution import Amendment, tally
from voxpolis.records import events, read_record
from voxpolis.scenarios.taxation import Taxation
from voxpolis.scenarios.taxation.measures import (
    Sentiment,
    SentimentRequest,
    sentiment,
    votes_by_stance,
    yes_share,
)
from voxpolis.scenarios.taxation.reading import (
    Referendum,
    lexicon_reader,
    read_village,
    referendums,
)

SERVER_OPTIONS = ("--speed", "8")
# On a slow machine, six whole villages take minutes.
LONG_S = 900
LEXICON = ScriptedModel(lexicon_reader)
pytestmark = pytest.mark.timeout(LONG_S)
# Number of constituents in the whole table: enough of the 25 published ones for its findings.
PEOPLE = 9
# The experiment compressed into three minutes.
SHORT = {
    "length_s": 180,
    "first_season_s": 20,
    "season_every_s": 40,
    "window_s": 20,
    "feedback_s": 45,
    "amendments_s": 55,
    "vote_s": 65,
    "tally_s": 75,
    "enactment_s": 85,
    "radius_blocks": 14,
}


def play(*options, **environment):
    ran = run_module("scenarios.taxation", *options, "--json", **environment)
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


@pytest.fixture(scope="module")
def short(tmp_path_factory):
    path = tmp_path_factory.mktemp("config") / "short.yaml"
    path.write_text(yaml.safe_dump(SHORT))
    return str(path)


@pytest.fixture(scope="module")
def full(tmp_path_factory):
    """Return all conditions, played once each at full length."""
    out = tmp_path_factory.mktemp("runs")
    people = ("--agents", str(PEOPLE))
    return play("--runs", "1", *people, "--out", str(out), timeout=LONG_S)


@pytest.fixture(scope="module")
def record(full):
    """Return the record of all villages in ``full``."""
    return read_record(Path(full["run_dir"]))


def test_payments_follow_the_law_and_the_law_follows_the_influencers(full):
    shares = {name: found["tax_share_after"]["mean"] for name, found in full["conditions"].items()}
    for found in full["conditions"].values():
        assert found["tax_share_before"]["mean"] == pytest.approx(0.2, abs=0.02)
    assert 0.05 <= shares["full-anti"] <= 0.12
    assert shares["full-pro"] > 0.23
    for name in ("frozen-anti", "frozen-pro", "no_vote-anti", "no_vote-pro"):
        assert shares[name] == pytest.approx(0.2, abs=0.02)
    assert shares["ablated-anti"] == pytest.approx(shares["ablated-pro"], abs=0.03)
    # Published: without perception of society, payments rise regardless of influencers.
    for name in ("ablated-anti", "ablated-pro"):
        assert shares[name] > full["conditions"][name]["tax_share_before"]["mean"] + 0.02
    assert full["mind"] == "scripted"
    for run in full["runs"]:  # figure 10 C
        assert run["near_chest"]["season"] > max(0.9, run["near_chest"]["between"] + 0.2)


def test_record_of_taxes_matches_counts(full, record):
    assert record.problems == []
    for episode, run in enumerate(full["runs"]):
        mine = [event for event in record.events if event.episode == episode]
        taxes = [event for event in mine if isinstance(event, events.TaxPaid)]
        assert len(taxes) == PEOPLE * 10
        early = [event.share for event in taxes if event.season <= 5]
        assert sum(early) / len(early) == pytest.approx(run["tax_share_before"])
        for event in taxes:
            paid, held = sum(event.paid.values()), sum(event.held.values())
            assert paid == pytest.approx(event.share * held, rel=1e-4)
        assert not any(isinstance(event, events.Fault) for event in mine)
        ballots = [event.choices for event in mine if isinstance(event, events.BallotCast)]
        told = [event for event in mine if isinstance(event, events.AmendmentTallied)]
        is_asked = not run["condition"].startswith("no_vote")
        assert len(ballots) == (PEOPLE if is_asked else 0)
        for count, announced in zip(tally(ballots, len(told)), told, strict=True):
            assert (count.yes, count.no, count.abstain) == (
                announced.yes,
                announced.no,
                announced.abstain,
            )
        # A law applies from its enactment on.
        seasons = [event for event in mine if isinstance(event, events.SeasonOpened)]
        rates = [event.tax_rate for event in seasons]
        assert rates[:5] == [0.2] * 5
        assert set(rates[5:]) == {run["tax_rate_after"]}


def test_record_matches_feedback_and_votes(full, record):
    """The lexicon's reading of the record equals the results of the run and the command."""
    read = {one.condition: asyncio.run(read_village(LEXICON, one)) for one in referendums(record)}
    for run in full["runs"]:
        found = read[run["condition"]]
        assert found["feedback"] == run["feedback"]
        assert found["votes"] == run["votes"]
        said = [run["feedback"][stance] for stance in ("anti", "pro", "neutral")]
        is_asked = not run["condition"].startswith("no_vote")
        assert sum(said) == (PEOPLE + 3 if is_asked else 0)
        assert (run["votes"] != {}) == is_asked
    assert read["full-anti"]["feedback"]["sentiment"] < -0.5
    assert read["full-pro"]["feedback"]["sentiment"] > 0.5
    assert yes_share([read["full-anti"]["votes"]], "lowers") > 0.5
    ran = run_module("scenarios.taxation.reading", full["run_dir"], "--json")
    assert ran.returncode == 0, ran.stderr
    voted = [found for name, found in read.items() if not name.startswith("no_vote")]
    assert json.loads(ran.stdout)["villages"] == voted


def test_rates_of_scripted_villagers_are_recovered(tmp_path):
    """The true values are known: the rate of compliance, and no persuasion without influencers."""
    found = play(
        *("--condition", "full", "--influencers", "none", "--runs", "1", "--agents", "15"),
        *("--set", "ways.compliance=0.7", "--set", "ways.error=0", "--out", str(tmp_path)),
    )
    record = read_record(Path(found["run_dir"]))
    shares = [event.share for event in record.of(events.TaxPaid)]
    assert sum(share > 0 for share in shares) / len(shares) == pytest.approx(0.7, abs=0.07)
    assert found["runs"][0]["tax_rate_after"] == pytest.approx(0.2, abs=0.02)


def test_law_changes_after_five_of_ten_seasons():
    time = Taxation()
    ends = [at + time.window_s for at in time.seasons]
    assert ends == [120.0 * k for k in range(1, 11)]
    assert time.enactment_s == ends[4]


def test_agents_act_as_they_say_and_agents_without_speech_say_nothing(full):
    runs = {run["condition"]: run["coherence"] for run in full["runs"]}
    assert runs["full-anti"] > 0.8
    assert runs["ablated-anti"] is None  # no conversations


def test_killed_village_resumes_and_has_the_same_result(tmp_path, short):
    options = ["--condition", "full", "--influencers", "anti", "--runs", "2", "--config", short]
    options += ["--agents", "8"]
    files = tmp_path / "a" / "taxation" / "*" / "events.jsonl"
    words = [*options, "--out", str(tmp_path / "a")]
    assert cut_off("scenarios.taxation", *words, files=files, size=60_000) == -signal.SIGKILL
    (record,) = tmp_path.glob("a/taxation/*/events.jsonl")
    before = record.read_bytes()
    resumed = play("--resume", str(record.parent))
    whole = play(*options, "--out", str(tmp_path / "b"))
    assert resumed["runs"] == whole["runs"]
    assert record.read_bytes() == (Path(whole["run_dir"]) / "events.jsonl").read_bytes()
    kept = before[: before.rfind(b"\n")].splitlines()
    cut = int(json.loads(kept[-1])["t"])
    earlier = [line for line in kept if json.loads(line)["t"] < cut]
    assert record.read_bytes().splitlines()[: len(earlier)] == earlier


PAYS_HALF = json.dumps({"action": {"do": "PAY", "percent": 50}, "about": "tax", "expects": None})


def ended(record):
    """Return the calls that were not cut off."""
    return [call for call in record.calls if not call.get("cut_off")]


def test_bad_answers_do_not_end_the_village(tmp_path, short):
    """If a real endpoint fails or answers nonsense, the run continues and counts the faults."""

    def reply(request):
        asked = "\n".join(message["content"] for message in request["messages"])
        if "You are Ada" in asked:
            return 400, {"error": {"message": "no"}}
        says_nothing = "You are Ben" in asked
        return 200, completion("I would rather not say." if says_nothing else PAYS_HALF)

    with serving(reply) as endpoint:
        found = play(
            *("--condition", "no_vote", "--influencers", "none", "--runs", "1", "--agents", "24"),
            *("--model", "local", "--base-url", endpoint.url, "--config", short),
            *("--set", "modules={perception: 5, controller: 10, skill_execution: 1}"),
            *("--out", str(tmp_path)),
            OPENAI_API_KEY="test",
        )
    (run,) = found["runs"]
    kinds = sum((Counter(faults) for faults in run["faults"].values()), Counter())
    assert kinds["error"] > 0
    assert kinds["no JSON object"] > 0
    assert set(run["faults"]) >= {"Ada", "Ben"}
    assert len(run["tax_shares"]) == 4
    record = read_record(Path(found["run_dir"]))
    # A call that is on its way when the village ends may not reach the endpoint.
    assert len(ended(record)) <= len(endpoint.requests) <= len(record.calls)
    # The questions are in the record: without its last event, the run ends without an endpoint.
    path = Path(found["run_dir"]) / "events.jsonl"
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-1]))
    nowhere = ("--base-url", "http://127.0.0.1:9/v1")
    again = play("--resume", found["run_dir"], "--mind", "openai", *nowhere, OPENAI_API_KEY="test")
    assert again["runs"] == found["runs"]
    assert ended(read_record(Path(found["run_dir"]))) == ended(record)
    replayed = play("--replay", found["run_dir"], "--out", str(tmp_path / "replay"))
    assert replayed["runs"] == found["runs"]
    assert replayed["mind"] == "openai"
    lines = (Path(found["run_dir"]) / "events.jsonl").read_bytes()
    assert (Path(replayed["run_dir"]) / "events.jsonl").read_bytes() == lines


def test_one_person_with_a_model_lives_among_scripted_people(tmp_path, short):
    with serving(lambda _: (200, completion(PAYS_HALF))) as endpoint:
        found = play(
            *("--condition", "no_vote", "--influencers", "none", "--runs", "1", "--agents", "3"),
            *("--agent", "scripted", "--agent", "Ben=piano", "--config", short),
            *("--set", "modules={reflexes: 1, perception: 5, controller: 5, skill_execution: 1}"),
            *("--model", "local", "--base-url", endpoint.url, "--out", str(tmp_path)),
            OPENAI_API_KEY="test",
        )
    calls = read_record(Path(found["run_dir"])).calls
    assert {call["agent"] for call in calls if call["model"] != "scripted"} == {"Ben"}
    assert {call["agent"] for call in calls if call["model"] == "scripted"} > {"Ada", "Cora"}
    assert found["agents_kinds"]["Ben"] == "piano"
    taxes = read_record(Path(found["run_dir"])).of(events.TaxPaid)
    assert max(event.share for event in taxes if event.agent == "Ben") > 0.45
    assert max(event.share for event in taxes if event.agent == "Ada") < 0.3


def test_real_bots_carry_tax_to_real_chests(server, tmp_path, short):
    found = play(
        *("--world", "minecraft", "--condition", "full", "--influencers", "anti"),
        *("--runs", "1", "--agents", "4", "--set", "influencers=1", "--config", short),
        *("--set", "length_s=130"),
        # one influencer needs a minute to arrive
        *("--set", "ways.persuasion=0.2", "--out", str(tmp_path)),
    )
    (run,) = found["runs"]
    assert len(run["tax_shares"]) == 3
    assert run["tax_rate_after"] < 0.2
    record = read_record(Path(found["run_dir"]))
    # On a busy machine a person may come too late, or be counted with items in transit.
    assert {event.where for event in record.of(events.Fault)} <= {"world", "server"}
    taxes = [event for event in record.of(events.TaxPaid) if event.share > 0]
    before = [event.share for event in taxes if event.season <= 2]
    after = [event.share for event in taxes if event.season > 2]
    assert sum(before) / len(before) == pytest.approx(0.2, abs=0.06)
    assert sum(after) / len(after) < sum(before) / len(before)
    moved = -sum(event.count for event in record.of(events.ContainerMoved) if event.count < 0)
    assert 0 < sum(sum(event.paid.values()) for event in taxes) <= moved


# --- Stances, by the lexicon and by a model -------------------------------------------------------


def test_percentages_are_compared_with_the_rate_in_the_law():
    text = "The tax should be 10 %."
    assert [sentiment(text, rate) for rate in (0.2, 0.1, 0.05)] == [-1, 0, 1]
    assert sentiment("20 % is too high, 25 % is too low", 0.2) == pytest.approx(1 / 3, abs=1e-3)


def test_votes_are_counted_by_stance_and_direction():
    rng = random.Random(4)
    rates = [0.1, 0.2, 0.3, None]
    amendments = [
        Amendment(k, "words", {} if rate is None else {"tax_rate": rate})
        for k, rate in enumerate(rates, start=1)
    ]
    scores = {f"P{k}": rng.choice([-1.0, -0.2, 0.0, 0.7]) for k in range(40)}
    silent = {f"Q{k}": 0.0 for k in range(5)}
    ballots = {
        name: tuple(rng.choice(["yes", "no", "abstain"]) for _ in rates)
        for name in [*list(scores)[:30], *silent]
    }
    # An ideal judge that knows the right answer for each text.
    kinds = ["lowers", "other", "raises", "other"]
    stances = {-1.0: "anti", -0.2: "anti", 0.0: "neutral", 0.7: "pro"}
    single = Counter(
        (stances[{**scores, **silent}[name]], kinds[at], choice)
        for name, choices in ballots.items()
        for at, choice in enumerate(choices)
    )
    found = votes_by_stance(scores, amendments, ballots, 0.2)
    told = Counter(
        {
            (stance, kind, choice): count
            for stance, by in found.items()
            for kind, counts in by.items()
            for choice, count in counts.items()
        }
    )
    assert +told == single
    lowering = [choice for choices in ballots.values() for choice in choices[:1]]
    assert yes_share([found], "lowers") == lowering.count("yes") / len(lowering)
    assert yes_share([{}], "raises") is None


def village():
    return Referendum(
        "full-anti",
        0.2,
        {"Ada": "The tax is too high.", "Ben": "Nobody here pays enough."},
        [Amendment(1, "Less.", {"tax_rate": 0.1})],
        {"Ada": ("yes",), "Ben": ("no",)},
    )


def read(script):
    return asyncio.run(read_village(ScriptedModel(script), village()))


def test_model_reads_what_the_lexicon_cannot():
    def judge(request):
        assert isinstance(request.about, SentimentRequest)
        return Sentiment(wants="MORE" if "enough" in request.about.text else "LESS")

    found = read(judge)
    assert found["feedback"] == {"sentiment": 0.0, "anti": 1, "pro": 1, "neutral": 0}
    assert found["votes"]["pro"]["lowers"] == {"yes": 0, "no": 1, "abstain": 0}
    assert found["as_lexicon"] == 0.5
    by_lexicon = read(lexicon_reader)
    assert by_lexicon["as_lexicon"] == 1
    assert by_lexicon["feedback"]["neutral"] == 1
    found = read(lambda _: "who knows")
    assert found["unread"] == 2
    assert found["as_lexicon"] is None
    assert found["feedback"]["sentiment"] is None
