"""Specialisation: measures recover the truth of scripted citizens; ablations what is published."""

from __future__ import annotations

from collections import Counter

import pytest
from click.testing import CliRunner

from tests.conftest import ROOT
from tests.saying import answered, read_from
from tests.scenarios.test_roles_recovered import bits
from tests.scenarios.test_society_minds import played, prepare
from voxpolis.analysis import load
from voxpolis.analysis.figure_styles import Format
from voxpolis.analysis.figures import save_all
from voxpolis.analysis.figures import specialisation as drawn
from voxpolis.bots.agents.piano.society import FULL
from voxpolis.bots.models.typed import AnswerError
from voxpolis.experiments.run.agents import names
from voxpolis.experiments.run.runner import play
from voxpolis.experiments.study import record_reading
from voxpolis.records import events
from voxpolis.scenarios import specialisation
from voxpolis.scenarios.specialisation.measures import (
    RoleRequest,
    SynonymsRequest,
    role_of,
    summary,
)
from voxpolis.scenarios.specialisation.reading import READING, judge_roles

# --- Whole villages ------------------------------------------------------------------------------

SHORT = ("agents=6", "length_s=150", "trades.scale=0.3", "ways.talkative=1")
PEOPLE = 6
MODULES = specialisation.Specialisation().modules


async def lived(out, *settings, condition="normal", mind=None):
    values = {"settings": (*SHORT, *settings), "runs": 1, "out": out, "condition": condition}
    return await played(prepare(specialisation.Specialisation, values), mind)


def deeds(record):
    """What people did, and what came of it; what they said is none of it."""
    return [e.model_dump(exclude={"id"}) for e in record.of(events.ActionDone)]


@pytest.fixture(scope="module")
async def whole(tmp_path_factory):
    return await lived(tmp_path_factory.mktemp("whole"))


def test_villages_in_which_nobody_acted_are_in_no_mean():
    """There all goals show no role: that is no village of one role which lasts."""
    entry = {"condition": "normal", "entropy": 2.0, "persistence": 0.9, "roles": {"farmer": 2}}
    idle = {**entry, "entropy": 0.0, "persistence": 1.0, "roles": {"other": 2}, "acted": []}
    found = summary([{**entry, "acted": ["Ada"]}, idle])["conditions"]["normal"]
    assert (found["runs"], found["entropy"]["mean"], list(found["roles"])) == (1, 2.0, ["farmer"])
    found = summary([idle])["conditions"]["normal"]
    assert (found["runs"], found["entropy"]["mean"], found["roles"]) == (0, None, {})


async def test_who_only_thinks_has_not_acted(tmp_path):
    """No answer was bad, either: nobody was asked for anything."""
    values = {"settings": (*SHORT, "length_s=40", "modules={goals: 5}"), "runs": 1,
              "out": tmp_path, "condition": "normal"}  # fmt: skip
    code, result = await play(prepare(specialisation.Specialisation, values))
    assert (code, result["conditions"]["normal"]["runs"]) == (1, 0)
    assert result["runs"][0]["acted"] == []
    assert result["error"].endswith("no mind was asked for anything that is done")


async def test_the_result_is_what_the_record_says(whole):
    entry, record = whole
    last = {event.agent: event.role for event in record.of(events.RoleTaken)}
    assert Counter(last.values()) == entry["roles"]
    assert entry["entropy"] == pytest.approx(bits(list(last.values())), abs=1e-6)
    for event in record.of(events.RoleTaken):
        assert 1 <= len(event.goals) <= 5
        assert role_of(event.goals) == event.role
    done = record.of(events.ActionDone)
    assert sum(not event.ok for event in done) == entry["actions_failed"]
    assert sum(event.ok for event in done) == entry["actions_done"]
    assert len(done) > PEOPLE * 5
    assert not entry["faults"]
    assert record.problems == []
    said = {event.about for event in record.of(events.ProfileWritten)}
    assert said == set(names(PEOPLE))


def test_figures_count_what_the_record_says(whole, tmp_path):
    """Whose each action is, counted here with plain loops."""
    _, record = whole
    runs = load(record.folder)
    role, done = {}, Counter()
    for event in record.events:
        if isinstance(event, events.RoleTaken):
            role[event.agent] = event.role
        elif isinstance(event, events.ActionDone) and event.ok and event.agent in role:
            done[role[event.agent], f"{event.action} {event.item}".strip()] += 1
    of_role, often = Counter(), Counter()
    for (name, action), count in done.items():
        of_role[name] += count
        often[action] += count
    kept = {action for action, count in often.items() if count >= drawn.FEWEST_DONE}
    of_role = Counter()
    for (name, action), count in done.items():
        of_role[name] += count * (action in kept)
    shares = drawn.shares_of(runs, "normal")
    assert set(shares.index) == kept
    for action in kept:
        within = {name: done[name, action] / of_role[name] for name in of_role if of_role[name]}
        for name, share in within.items():
            assert shares.loc[action, name] == pytest.approx(share / sum(within.values()))
    files = {path.stem for path in save_all(record.folder, tmp_path, formats=[Format.PNG])}
    assert files == {"roles_over_time", "roles_at_the_end", "entropy_of_roles", "actions_by_role"}


#: Nothing in this village hurts or rings, so reflexes have nothing to do.
IDLE = "reflexes"


#: What it takes more than a short life to show: what comes to mind out of long-term memory.
LASTING = ("memory", "self_reflection")


def without(modules, name):
    left = {one: period for one, period in modules.items() if one != name}
    return f"modules={left}".replace("'", "")


@pytest.mark.parametrize("module", [name for name in FULL if name not in (IDLE, *LASTING)])
async def test_every_module_matters_to_what_citizens_do(module, whole, tmp_path):
    _, record = await lived(tmp_path, without(MODULES, module))
    assert deeds(record) != deeds(whole[1])


# --- A judge --------------------------------------------------------------------------------------


def test_what_a_judge_says_and_merges_is_read():
    asked = RoleRequest(("You dig.",))
    assert read_from(asked, {"role": "Miner"}) == "miner"
    for bad in ("a miner", "", "they dig, so a miner"):
        with pytest.raises(AnswerError):
            read_from(asked, {"role": bad})
    merging = SynonymsRequest(("farmer", "grower", "miner", "digger"))

    def read(*pairs):
        return read_from(merging, {"merges": [{"word": a, "into": b} for a, b in pairs]})

    both = ("grower", "farmer"), ("digger", "miner")
    merged = {"farmer": "farmer", "grower": "farmer", "miner": "miner", "digger": "miner"}
    assert read(*both) == read(*both, ("king", "farmer")) == merged  # others stay
    assert set(read().values()) == set(merging.words)
    with pytest.raises(AnswerError, match="replace each other"):
        read(("farmer", "grower"), ("grower", "farmer"))


class Judge:
    """Names what people gather with a word of its own, and one synonym."""

    def __init__(self):
        self.asked = 0

    async def complete(self, request):
        self.asked += 1
        if request.role == "synonyms":
            return answered({"merges": [{"word": "grower", "into": "farmer"}]})
        word = role_of(request.about.goals)
        is_other = word == "farmer" and self.asked % 2
        return answered({"role": "grower" if is_other else word})


async def test_a_judge_reads_each_set_of_goals_once(whole):
    entry, record = whole
    judge = Judge()
    found = await judge_roles(judge, record)
    sets = {tuple(event.goals) for event in record.of(events.RoleTaken)}
    assert found["asked"] == found["read"] == len(sets) == judge.asked - 1
    assert found["agreement"] == 1
    assert found["merged"] == {"grower": "farmer"}
    (episode,) = found["episodes"]
    assert episode["entropy"] == entry["entropy"]
    assert episode["persistence"] == entry["persistence"]


def test_without_a_model_the_lexicon_reads(whole):
    _, record = whole
    done = CliRunner().invoke(record_reading.command(READING), [str(record.folder), "--json"])
    assert done.exit_code == 0, done.output
    assert '"mind": "scripted"' in done.output
    done = CliRunner().invoke(record_reading.command(READING), [str(ROOT / "docs")])
    assert done.exit_code == 2
    assert "docs is no run of specialisation" in done.stderr
