"""Specialisation: measures recover the truth of scripted citizens; ablations what is published."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from types import SimpleNamespace

import pytest
import yaml
from click.testing import CliRunner

from analysis import load
from analysis.figure_styles import Format
from analysis.figures import save_all
from analysis.figures import specialisation as drawn
from bots.agents.piano import FULL
from bots.models.typed import AnswerError
from experiments import options, record_reading
from experiments.command import command, read_options
from experiments.names import names
from experiments.runner import FORMAT, play
from records import events
from scenarios import specialisation
from scenarios.specialisation.measures import summary
from scenarios.specialisation.questions import RoleRequest, SynonymsRequest
from scenarios.specialisation.reading import READING, judge_roles
from scenarios.specialisation.roles import OTHER, role_of
from tests.conftest import ROOT
from tests.saying import answered, prompt_of, read_from
from tests.scenarios.test_roles_recovered import bits
from tests.scenarios.test_society_minds import played, prepare

# --- Whole villages ------------------------------------------------------------------------------

SHORT = ("agents=6", "length_s=150", "trades.scale=0.3", "ways.talkative=1")
PEOPLE = 6
MODULES = specialisation.Specialisation().modules
#: Who thinks about itself and sorts its memories so often has insights within five minutes.
BUSY = {**MODULES, "self_reflection": 10, "memory": 5}


async def lived(out, *settings, condition="normal", mind=None):
    values = {"settings": (*SHORT, *settings), "runs": 1, "out": out, "condition": condition}
    return await played(prepare(specialisation.EXPERIMENT, values), mind)


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
    for modules in ("{goals: 5}", "{}"):
        values = {"settings": (*SHORT, "length_s=40", f"modules={modules}"), "runs": 1,
                  "out": tmp_path, "condition": "normal"}  # fmt: skip
        code, result = await play(prepare(specialisation.EXPERIMENT, values))
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


async def test_nothing_that_anybody_holds_was_given(whole):
    """What the record's actions brought and took is never less than nothing, for anybody."""
    _, record = whole
    held = {name: Counter() for name in names(PEOPLE)}
    for event in record.of(events.ActionDone):
        held[event.agent].update(event.gained)
        held[event.agent].subtract(event.spent)
        if event.to:
            held[event.to].update(event.spent)
        assert min(held[event.agent].values(), default=0) >= 0, event


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


async def test_what_comes_to_mind_matters_to_what_citizens_do(tmp_path):
    left = {name: await lived(tmp_path, "length_s=300", "ways.heeding=1", without(BUSY, name))
            for name in ("", *LASTING)}  # fmt: skip
    whole = deeds(left.pop("")[1])
    assert all(deeds(record) != whole for _, record in left.values())


async def test_without_social_awareness_nobody_has_profiles(tmp_path):
    entry, record = await lived(tmp_path, condition="ablated")
    assert not record.of(events.ProfileWritten)
    assert entry["roles"]


class Wood:
    """A model that always wants the same."""

    async def complete(self, request):
        prompt = prompt_of(request)
        seen = [] if request.agent == "Ben" else [{"name": "Ben", "profile": "gathers wood"}]
        for words, answer in (
            ("MINE (item)", {"action": {"do": "GATHER", "item": "oak_log"}, "about": "wood"}),
            ("what you want to do for the community", {"goal": "You gather wood."}),
            ("You saw what others did", {"about": seen}),
            ("You speak to", {"say": "Wood!"}),
            ("You make a plan", {"steps": ["Wood!"]}),
        ):
            if words in prompt:
                return answered(answer)
        return answered({"insights": ["Wood!"]})


async def test_a_model_that_always_wants_the_same_has_one_role(tmp_path):
    entry, record = await lived(tmp_path, mind=Wood())
    assert entry["faults"] == {}
    assert (entry["entropy"], entry["persistence"]) == (0, 1)
    assert entry["roles"] == {"gatherer": PEOPLE}
    assert entry["actions"]["gatherer"]["GATHER oak_log"] > 10
    assert record.of(events.ProfileWritten)
    assert record.manifest["mind"] == "openai"


class Chatter:
    """A model that answers in form only where it need not think."""

    async def complete(self, request):
        if "MINE (item)" in prompt_of(request):
            return answered({"action": {"do": "EXPLORE"}})
        said = {"talk": {"say": "Certainly!"}, "social": {"about": []}, "goal": {"goal": "x"}}
        return answered(said.get(request.role, "Certainly!\nI would be happy to help."))


async def test_a_model_whose_answers_cannot_be_read_is_counted(tmp_path):
    entry, _ = await lived(tmp_path, "length_s=60", mind=Chatter())
    assert all(faults["no JSON object"] > 0 for faults in entry["faults"].values())
    assert len(entry["faults"]) >= PEOPLE - 1
    assert set(entry["roles"]) <= {OTHER}


def test_another_village_is_a_file(tmp_path):
    path = tmp_path / "village.yaml"
    raw = yaml.safe_load((ROOT / "worlds" / "trades" / "village.yaml").read_text())
    raw["actions"]["SMELT glass"] = {"at": "market", "takes_s": 5, "makes": {"glass": 1}}
    path.write_text(yaml.safe_dump(raw))
    made = command(specialisation.EXPERIMENT)
    shown = CliRunner().invoke(made, ["--set", f"trades={path}", "--show-prompts"])
    assert "glass" in shown.output
    assert "glass" not in CliRunner().invoke(made, ["--show-prompts"]).output


def test_a_number_of_another_village_can_be_set_before_its_file_and_behind(tmp_path):
    raw = yaml.safe_load((ROOT / "worlds" / "trades" / "village.yaml").read_text())
    raw["hunger"] = {"every_s": 99, "foods": ["bread"]}
    (tmp_path / "own.yaml").write_text(yaml.safe_dump(raw))
    of_file, of_it = f"trades={tmp_path / 'own.yaml'}", "trades.hunger.every_s=60"
    for settings in ((of_file, of_it), (of_it, of_file)):
        hunger = options.configure(specialisation.Specialisation, {}, settings).trades.hunger
        assert (hunger.every_s, hunger.foods) == (60, ["bread"])


OWN = """\
market: quay
sites: {quay: {at: [0, 0]}, reef: {at: [9, 0], holds: {apple: {count: 90}, tree: {count: 90}}}}
hunger: {every_s: 60, foods: [apple]}
verbs: {GATHER: {announced: gather}, CRAFT: {announced: craft}, EXPLORE: {announced: explore}}
actions:
  GATHER apple: {at: reef, takes_s: 3, uses: {apple: 1}, makes: {apple: 1}}
  GATHER oak_log: {at: reef, takes_s: 3, uses: {tree: 1}, makes: {oak_log: 1}}
  GATHER poppy: {at: anywhere, takes_s: 3, makes: {poppy: 1}}
  CRAFT oak_planks: {at: quay, takes_s: 3, needs: {oak_log: 1}, makes: {oak_planks: 4}}
  EXPLORE: {at: away, takes_s: 3}
"""


async def test_a_run_in_a_smaller_village_is_played_again_and_gone_on_with(tmp_path):
    """Of the shipped village, which is the default, nothing comes into a recorded run."""
    made = specialisation.EXPERIMENT
    (tmp_path / "own.yaml").write_text(OWN)
    settings = (f"trades={tmp_path / 'own.yaml'}", "agents=3", "length_s=100")
    values = {"condition": "normal", "runs": 1, "out": tmp_path, "settings": settings}
    first = prepare(made, values)
    assert (await play(first))[0] == 0
    path = first.folder / "events.jsonl"
    told = path.read_bytes()
    assert told.count(b'"action_done"') > 2
    (tmp_path / "own.yaml").unlink()  # its record is enough
    assert (await play(prepare(made, {"replay": first.folder, "out": tmp_path})))[0] == 0
    again = prepare(made, {"config": first.folder / "run.yaml", "out": tmp_path})
    assert (await play(again))[0] == 0
    assert (again.folder / "events.jsonl").read_bytes() == told
    path.write_bytes(b"".join(told.splitlines(keepends=True)[:40]))
    (first.folder / "result.json").unlink()
    assert (await play(prepare(made, {"resume": first.folder})))[0] == 0
    assert path.read_bytes() == told


def test_what_is_typed_changes_a_part_of_a_recorded_run_or_all_of_a_setting(tmp_path):
    made = specialisation.EXPERIMENT
    (tmp_path / "own.yaml").write_text(OWN)
    (tmp_path / "c.yaml").write_text(f"trades: {tmp_path / 'own.yaml'}\nmodules: {{memory: 9}}\n")
    given = {"config": tmp_path / "c.yaml"}
    part = "trades.hunger.every_s=50"
    of_file = read_options(made, given | {"settings": [part]})[1]
    config = of_file.model_dump(mode="json")
    run = {"scenario": "specialisation", "format": FORMAT, "command": [], "options": {}}
    (tmp_path / "run.yaml").write_text(yaml.safe_dump(run | {"config": config}))
    given = {"config": tmp_path / "run.yaml"}
    assert read_options(made, given)[1] == of_file
    typed = ["trades.hunger.slower=0.7", "modules={controller: 2}"]
    changed = read_options(made, given | {"settings": typed})[1]
    assert list(changed.trades.sites) == ["quay", "reef"]
    assert (changed.trades.hunger.every_s, changed.trades.hunger.slower) == (50, 0.7)
    assert changed.modules == {"controller": 2}  # an ablation is a list without names
    shipped = ROOT / "worlds" / "trades" / "village.yaml"
    typed = [f"trades={shipped}", "trades.hunger.slower=0.7"]
    changed = read_options(made, given | {"settings": typed})[1]
    assert "forest" in changed.trades.sites
    assert "reef" not in changed.trades.sites
    assert changed.trades.hunger.slower == 0.7


# --- A judge --------------------------------------------------------------------------------------


def test_a_judges_word_is_one_word():
    asked = RoleRequest(("You dig.",))
    assert read_from(asked, {"role": "Miner"}) == "miner"
    for bad in ("a miner", "", "they dig, so a miner"):
        with pytest.raises(AnswerError):
            read_from(asked, {"role": bad})


def test_what_a_judge_merges_is_read():
    asked = SynonymsRequest(("farmer", "grower", "miner", "digger"))

    def read(*pairs):
        return read_from(asked, {"merges": [{"word": a, "into": b} for a, b in pairs]})

    both = ("grower", "farmer"), ("digger", "miner")
    assert read(*both) == {
        "farmer": "farmer", "grower": "farmer", "miner": "miner", "digger": "miner"
    }  # fmt: skip
    assert read(*both, ("king", "farmer")) == read(*both)  # others stay
    assert set(read().values()) == set(asked.words)
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


async def test_what_a_judge_does_not_say_is_missing(whole):
    """A step from or to a role that nobody knows is none; words that were not merged are said."""
    _, record = whole
    noted = record.of(events.RoleTaken)[:1]
    row = [
        noted[0].model_copy(update={"goals": [word], "agent": "Ada"})
        for word in ("mine ore", "mine coal ore", "unreadable", "dig ore", "catch fish")
    ]
    started = record.of(events.ConditionStarted)

    async def complete(request):
        if request.role == "synonyms" or request.about.goals == ("unreadable",):
            return answered("I cannot tell, there are two of them.")
        return answered({"role": role_of(request.about.goals)})

    judge = SimpleNamespace(complete=complete)
    found = await judge_roles(judge, replace(record, events=[*started, *row]))
    assert (found["asked"], found["read"]) == (5, 4)
    assert found["merged"] is None
    (episode,) = found["episodes"]
    assert episode["persistence"] == 0.5  # miner to miner, miner to fisher
    assert episode["roles"] == {"fisher": 1}


def test_without_a_model_the_reading_says_that_no_judge_read(whole):
    _, record = whole
    done = CliRunner().invoke(record_reading.command(READING), [str(record.folder)])
    assert "as the lexicon, in a judge's place, names them" in " ".join(done.stdout.split())
    assert "same role" not in done.stdout
    assert "no model is named: a scripted reader takes its place" in done.stderr


def test_without_a_model_the_lexicon_reads(whole):
    _, record = whole
    done = CliRunner().invoke(record_reading.command(READING), [str(record.folder), "--json"])
    assert done.exit_code == 0, done.output
    assert '"mind": "scripted"' in done.output
    done = CliRunner().invoke(record_reading.command(READING), [str(ROOT / "docs")])
    assert done.exit_code == 2
    assert "docs is no run of specialisation" in done.stderr
