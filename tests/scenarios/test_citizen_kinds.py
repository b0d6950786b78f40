"""Citizens of other kinds than PIANO: their actions count like those of other people, and
incompatible kinds are reported in one line."""

from __future__ import annotations

import json
import shutil
from collections import Counter

import pytest

from tests.conftest import result_of, run_module
from tests.endpoint import completion, serving
from tests.scenarios.test_cooperation import recorded
from tests.typed_endpoint import deciding

# The game clock waits for a busy machine.
SERVER_OPTIONS = ("--speed", "8")
VILLAGE = ("--condition", "normal", "--runs", "1", "--agents", "5", "--set", "trades.scale=0.3")
KINDS = ("--agent", "Ada=planner", "--agent", "Ben=code_writer")


def play(*options, scenario="specialisation"):
    return result_of(run_module(f"scenarios.{scenario}", *options, "--json", timeout=280))


@pytest.fixture(scope="module")
def mixed(tmp_path_factory):
    """Return a scripted village in which a planner and a code writer live with PIANO agents."""
    out = tmp_path_factory.mktemp("mixed")
    told = ("--set", "length_s=300", "--set", "ways.talkative=1")
    return play(*VILLAGE, *KINDS, *told, "--out", str(out))


def test_citizens_of_three_kinds_work_and_talk_together(mixed):
    (entry,) = mixed["runs"]
    assert mixed["agents_kinds"]["Ada"] == "planner"
    assert entry["acted"] == ["Ada", "Ben", "Cora", "Dan", "Eva"]
    done = Counter(one["agent"] for one in recorded(mixed, "action_done") if one["ok"])
    assert min(done[name] for name in ("Ada", "Ben", "Cora")) >= 5
    heard = {name for one in recorded(mixed, "spoke") for name in one["hearers"]}
    spoke = {one["agent"] for one in recorded(mixed, "spoke")}
    assert {"Ada", "Ben"} <= heard & spoke
    roles = {one["agent"] for one in recorded(mixed, "role")}
    assert {"Ada", "Ben"} <= roles  # roles of the goals that these two named


def test_resumed_village_of_several_kinds_ends_like_an_uninterrupted_one(mixed, tmp_path):
    folder = shutil.copytree(mixed["run_dir"], tmp_path / "cut")
    (folder / "result.json").unlink()
    file = folder / "events.jsonl"
    whole = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join([*whole[: len(whole) // 2], whole[len(whole) // 2][:20]]))
    assert play("--resume", str(folder))["runs"] == mixed["runs"]
    assert file.read_bytes().splitlines(keepends=True) == whole


def test_planners_pay_tax_when_the_bell_rings(tmp_path):
    """The bell interrupts planners, so that they come in time; they pay what the law asks."""
    short = ("first_season_s=60", "season_every_s=100", "length_s=300", "feedback_s=120",
             "amendments_s=140", "vote_s=160", "tally_s=180", "enactment_s=220")  # fmt: skip
    words = [part for one in short for part in ("--set", one)]
    village = ("--condition", "full", "--influencers", "anti", "--agents", "6", "--runs", "1")
    result = play(*village, "--agent", "planner", *words, "--out", str(tmp_path),
                  scenario="taxation")  # fmt: skip
    (entry,) = result["runs"]
    assert 0.1 < entry["tax_share_before"] < 0.3
    payers = {one["agent"] for one in recorded(result, "tax_paid") if one["share"]}
    assert len(payers) >= 6
    left = [one for one in recorded(result, "decided") if one["action"].startswith("PAY")]
    opened = sorted(one["t"] for one in recorded(result, "season_opened"))
    assert opened
    assert all(any(0 <= one["t"] - t < 20 for t in opened) for one in left)


def test_failing_model_slows_only_its_own_citizen(tmp_path):
    """Ada's planner gives unreadable answers; the village continues and counts the failures. As the
    only planner never planned, the village does not count."""

    def answer(request):
        asked = request["messages"][0]["content"]
        if "You act by one step after another" in asked:
            return 200, completion("I would rather not say.")
        return deciding("strict")(request)

    with serving(answer) as endpoint:
        model = ("--base-url", endpoint.url, "--model", "local", "--out", str(tmp_path))
        told = ("--set", "length_s=60", "--json")
        done = run_module("scenarios.specialisation", *VILLAGE, *KINDS, *model, *told, timeout=280)
    assert done.returncode == 1
    result = json.loads(done.stdout.strip().splitlines()[-1])
    (entry,) = result["runs"]
    assert entry["excluded"] == ["no answer of Ada in the role planner was usable"]
    assert "Ada" not in entry["acted"]
    assert {"Ben", "Cora", "Dan", "Eva"} <= {*entry["acted"]}
    assert entry["faults"]["Ada"]["no JSON object"] >= 2
    assert result["decisions"]["agents"]["Ada"]["failed"]
    failed = [one for one in recorded(result, "mind_failed") if one["agent"] == "Ada"]
    assert len(failed) == entry["faults"]["Ada"]["no JSON object"]


# --- Compatible kinds -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ("specialisation --agent voyager", "voyager agents cannot play specialisation in the"),
        ("sentiment --condition talk --agent Lila=planner", "Lila has no mind under talk"),
    ],
)
def test_incompatible_citizen_is_reported_in_one_line(options, says):
    scenario, *words = options.split()
    done = run_module(f"scenarios.{scenario}", *words)
    assert done.returncode == 2, done.stderr
    assert says in done.stderr
    assert done.stderr.count("\n") == 1


# --- In Minecraft ---------------------------------------------------------------------------------


def test_server_confirms_actions_of_citizens_programs(server, tmp_path):
    """A Voyager agent and a code writer run JavaScript, and a planner acts in steps, next to a
    PIANO agent."""
    options = ("--world", "minecraft", "--condition", "normal", "--runs", "1", "--agents", "4")
    kinds = (*KINDS, "--agent", "Cora=voyager", "--set", "length_s=60")
    result = play(*options, *kinds, "--out", str(tmp_path))
    (entry,) = result["runs"]
    assert {"Ada", "Ben", "Cora"} <= {*entry["acted"]}
    done = [one for one in recorded(result, "action_done") if one["ok"]]
    for name in ("Ben", "Cora"):
        own = [one for one in done if one["agent"] == name]
        assert own
        assert {one["action"] for one in own} == {"DO"}
    assert any(one["action"] != "DO" for one in done if one["agent"] == "Ada")
    gained = {item for one in done if one["agent"] == "Cora" for item in one["gained"]}
    held = {item for one in recorded(result, "inventory") if one["agent"] == "Cora"
            for item in one["items"]}  # fmt: skip
    assert gained
    assert gained & held
    assert [one for one in recorded(result, "skill_learned") if one["agent"] == "Cora"]
    assert {one["agent"] for one in recorded(result, "goal")} >= {"Ada", "Ben", "Cora"}
