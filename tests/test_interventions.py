"""What people tell agents while they live, and what the record says of it."""

from __future__ import annotations

import asyncio
import json
import os
import threading
import time
from collections import deque
from contextlib import contextmanager

import pytest
from click.testing import CliRunner

from bots.agents.by_form import absent
from bots.models import Completion
from experiments.__main__ import main
from experiments.interventions import NOT_IN_TIME, Interventions, Outside, Pauses
from records import Clock, RunWriter, events, find_runs, read_record
from records.interventions import (
    ACTIONS,
    FILE,
    PAUSE_FILE,
    SILENT_S,
    ask_for_pause,
    intervene,
    read_intervention,
)
from tests.endpoint import completion, serving
from tests.taking_part import answering, play

AGENTS = ("Ada", "Ben")
GOOD = {"agent": "Ada", "action": "say", "by": "Visitor", "text": "Pay less."}


def live_run(folder, world="minecraft", server=None, is_over=False, takes=ACTIONS):
    """Write the record of a run, say, of a society that lives, and return its writer."""
    folder.mkdir()
    manifest = {"scenario": "taxation", "world": world, "server": {"kind": server}}
    takes = {"takes": list(takes), "interviewed": ["Ada"], "changeable": ["tax_rate"]}
    writer = RunWriter(folder, {**manifest, **takes}, Clock())
    writer.event(events.ConditionStarted, condition="full-anti", agents=list(AGENTS))
    if is_over:
        writer.event(events.RunEnded, reason="done")
    return writer


class Listener:
    """An agent that takes note of what it is told."""

    def __init__(self):
        self.told = []

    def hear(self, speaker, text):
        self.told.append((speaker, text))

    def tell(self, text, *, urgent=False):
        assert urgent
        self.told.append((None, text))


def test_agents_hear_and_notice_what_they_are_told_and_the_record_says_so(tmp_path):
    folder = tmp_path / "run"
    with live_run(folder) as writer:
        intervene(folder, "Ben", "say", "Visitor", "before it looked")
        agents = {name: Listener() for name in AGENTS}
        told = Interventions(folder, agents, writer, lambda _: None)
        command = ["tell", str(folder), "Ada", "Pay\nless.", "--by", "Zoe"]
        ran = CliRunner().invoke(main, command)
        assert ran.exit_code == 0, ran.output
        assert CliRunner().invoke(main, ["tell", str(folder), "Max", "Hello."]).exit_code == 2
        intervene(folder, "Ben", "whisper", "Zoe", "The chest is empty.")
        with (folder / FILE).open("a") as file:
            file.write("nonsense\n" + json.dumps({**GOOD, "agent": "Nobody"}) + "\n")
            file.write(json.dumps(GOOD))  # half a line
        told.take()
        told.take()
    assert {name: agent.told for name, agent in agents.items()} == {
        "Ada": [("Zoe", "Pay less.")],
        "Ben": [(None, "The chest is empty.")],
    }
    found = [(e.agent, e.action, e.by, e.text) for e in read_record(folder).of(events.Intervention)]
    assert found == [
        ("Ada", "say", "Zoe", "Pay less."),
        ("Ben", "whisper", "Zoe", "The chest is empty."),
    ]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"agent": "Max"}, "there is no agent 'Max'"),
        ({"action": "shout"}, "there is no 'shout'"),
        ({"by": "Ben"}, "Ben is an agent"),
        ({"by": ""}, "a name of 1 to 40 characters"),
        ({"by": " \n "}, "a name of 1 to 40 characters"),
        ({"by": "x" * 41}, "a name of 1 to 40 characters"),
        ({"text": " "}, "1 to 600 characters"),
        ({"text": "x" * 601}, "1 to 600 characters"),
        ({"more": 1}, "an intervention has"),
    ],
)
def test_what_is_no_intervention_is_refused(change, told):
    assert read_intervention(json.dumps(GOOD), AGENTS).text == "Pay less."
    with pytest.raises(ValueError, match=told):
        read_intervention(json.dumps({**GOOD, **change}), AGENTS)


@pytest.mark.parametrize(
    ("setting", "told"),
    [
        ("tax_rate=abc", "tax_rate"),
        ("tax_rate=5", "tax_rate"),
        ("tax_rate=nan", "tax_rate"),
        ("tax_rate", "no KEY=VALUE"),
        ("seasons=2", "what can be changed: tax_rate"),
    ],
)
def test_a_change_to_what_is_no_value_is_refused_in_one_line(tmp_path, setting, told):
    folder = tmp_path / "run"
    live_run(folder).close()
    done = CliRunner().invoke(main, ["change", str(folder), setting])
    assert (done.exit_code, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert told in line
    assert not (folder / FILE).exists()
    done = CliRunner().invoke(main, ["change", str(folder), "tax_rate=0.05"])
    assert (done.exit_code, done.stderr) == (0, "")
    assert json.loads((folder / FILE).read_text())["text"] == "tax_rate=0.05"


def test_runs_that_cannot_pause_say_why(tmp_path):
    cases = [("is over", {"is_over": True}), ("embedded", {})]
    for told, options in cases:
        folder = tmp_path / told
        live_run(folder, **options).close()
        with pytest.raises(ValueError, match=told):
            ask_for_pause(folder, pauses=True)
        assert not (folder / PAUSE_FILE).exists()
    ran = CliRunner().invoke(main, ["pause", str(tmp_path / "nowhere")])
    assert ran.exit_code == 2


def test_a_pause_says_when_the_game_stands_and_only_one_that_does_goes_on(tmp_path):
    folders = {"grid": "stands still before the next question to a mind;", "minecraft": "still; to"}
    for world, told in folders.items():
        folder = tmp_path / world
        with live_run(folder, world, "embedded"):
            codes = []
            for command in ("go-on", "pause", "go-on", "go-on"):
                ran = CliRunner().invoke(main, [command, str(folder)])
                codes.append(ran.exit_code)
                assert (told in ran.stdout) == (command == "pause")
                assert ("does not stand still" in ran.stderr) == (ran.exit_code == 2)
        assert codes == [2, 0, 0, 2]


def test_a_run_that_was_killed_can_be_told_nothing(tmp_path):
    folder = tmp_path / "run"
    with live_run(folder):
        long_ago = time.time() - 2 * SILENT_S
        os.utime(folder / "events.jsonl", (long_ago, long_ago))
        with pytest.raises(ValueError, match="was killed, or hangs"):
            intervene(folder, "Ada", "say", "Visitor", "Hello.")
    assert not (folder / FILE).exists()


def test_runs_that_cannot_hear_say_why(tmp_path):
    cases = (
        ("say", "is over", {"is_over": True}),
        ("say", "in societies and", {"takes": ["ask"]}),
        ("ask", "have no words", {"takes": ["say"]}),
        ("set", "no setting", {"takes": ["say"]}),
        ("ask", "there is no agent 'Ben'; there are: Ada", {}),
        ("set", "is no KEY=VALUE of what can be changed: tax_rate", {}),
    )
    for number, (action, told, options) in enumerate(cases):
        folder = tmp_path / str(number)
        live_run(folder, **options).close()
        with pytest.raises(ValueError, match=told):
            intervene(folder, "Ben", action, "Visitor", "length_s=3")
    with pytest.raises(ValueError, match="cannot read"):
        intervene(tmp_path / "nowhere", "Ada", "say", "Visitor", "Hello.")
    ran = CliRunner().invoke(main, ["tell", str(folder), "Ada", "What?", "--remember"])
    assert (ran.exit_code, "--ask" in ran.stderr) == (2, True)


async def test_no_answer_of_a_person_is_told_from_an_empty_one(tmp_path):
    answers = deque([absent(), Completion("", "human")])

    class Person:
        async def complete(self, request):
            return answers.popleft()

    folder = tmp_path / "run"
    with live_run(folder) as writer:
        outside = Outside(Person(), folder, ["Ada"], writer, Pauses(None, writer))
        async with outside.open(), asyncio.timeout(60):
            for _ in range(2):
                intervene(folder, "Ada", "ask", "Zoe", "Why?")
            while writer.counts["interviewed"] < 2:
                await asyncio.sleep(0.01)
    assert [one.text for one in read_record(folder).of(events.Interviewed)] == [NOT_IN_TIME, ""]


# --- In runs -------------------------------------------------------------------------------------


@contextmanager
def doing(out, *deeds):
    """Do something to the run that appears below a folder, one deed after the other."""

    def work():
        folders = []
        while not folders or not (folders[0] / "events.jsonl").exists():
            folders = find_runs([out])
            time.sleep(0.01)
        for deed in deeds:
            deed(folders[0])

    person = threading.Thread(target=work, daemon=True)  # a run that never begins ends no test
    person.start()
    yield
    person.join()


def wait_for(kind, **fields):
    """Return a deed that waits until a run has an event."""

    def wait(folder):
        deadline = time.monotonic() + 100
        while not any(
            all(getattr(event, name) == value for name, value in fields.items())
            for event in read_record(folder).of(kind)
        ):
            assert time.monotonic() < deadline, f"no {kind} {fields}"
            time.sleep(0.02)

    return wait


def tells(*intervention):
    return lambda folder: intervene(folder, *intervention)


def pauses(folder):
    ask_for_pause(folder, pauses=True)
    wait_for(events.Intervention, action="pause")(folder)
    (folder / FILE).touch()


def goes_on(folder):
    ask_for_pause(folder, pauses=False)
    wait_for(events.Intervention, action="go_on")(folder)


VILLAGE = ("stances=none", "agents=6", "length_s=300", "first_season_s=20", "season_every_s=60")


def test_a_computed_village_pauses_hears_obeys_and_is_replayed_with_all_of_it(tmp_path):
    """It stands still in a pause, in which it is told things; a replay does the same again."""
    deeds = (
        wait_for(events.ConditionStarted),
        pauses,
        tells("Ada", "say", "Zoe", "The tax is a scandal."),
        tells("Ben", "whisper", "Zoe", "You see smoke."),
        tells("", "set", "Zoe", "tax_rate=0.05"),
        tells("", "set", "Zoe", "tax_rate=7"),
        goes_on,
    )
    with doing(tmp_path / "runs", *deeds):
        code, folder = play(
            "taxation", tmp_path / "runs", condition="frozen", runs=1, settings=VILLAGE
        )
    assert code == 0
    record = read_record(folder)
    done = [(e.action, e.agent, e.text) for e in record.of(events.Intervention)]
    assert {"pause", "go_on"} < {action for action, *_ in done}
    assert [one for one in done if one[0] not in ("pause", "go_on")] == [
        ("say", "Ada", "The tax is a scandal."),
        ("whisper", "Ben", "You see smoke."),
        ("set", None, "tax_rate=0.05"),
    ]
    paused, went_on = (
        next(e for e in record.of(events.Intervention) if e.action == action)
        for action in ("pause", "go_on")
    )
    assert went_on.t - paused.t < 3  # of the village's time, however long it stood
    laws = [(event.version, event.parameters["tax_rate"]) for event in record.of(events.LawChanged)]
    assert laws == [(1, 0.2), (2, 0.05)]
    rates = [event.tax_rate for event in record.of(events.SeasonOpened)]
    assert rates[-1] == 0.05
    assert result_of(folder)["interventions"] == 5
    code, again = play("taxation", tmp_path / "again", replay=folder)
    assert code == 0
    assert (again / "events.jsonl").read_bytes() == (folder / "events.jsonl").read_bytes()
    assert not (folder / PAUSE_FILE).exists()


def test_an_agent_is_interviewed_and_only_remembers_where_it_is_to(tmp_path):
    """Its model answers from what it knows; the game and its decisions are as without."""
    asked, remembered = [], []

    def reply(request):
        text = request["messages"][-1]["content"]
        if "interviews you" in text:
            asked.append(request["messages"])
            return 200, completion("Because\nbread is short.")
        remembered.append('Zoe asked me: "And now?" I answered: "Because bread is short."' in text)
        return 200, completion("ACTION: WORK" if "ACTION: WORK" in text else "SILENT")

    deeds = (
        wait_for(events.Decided, agent="Ada"),
        tells("Ada", "ask", "Zoe", "Why do you work?"),
        wait_for(events.Interviewed),
        tells("Ada", "interview", "Zoe", "And now?"),
    )
    modules = "reflexes: 0.25, perception: 1, controller: 1, talking: 8, skill_execution: 1"
    village = {"condition": "frozen", "runs": 1, "settings": (*VILLAGE, f"modules={{{modules}}}")}
    with serving(reply) as endpoint, doing(tmp_path / "runs", *deeds):
        code, folder = play("taxation", tmp_path / "runs", base_url=endpoint.url, **village)
    assert code == 0
    record = read_record(folder)
    said = [(event.agent, event.by, event.text) for event in record.of(events.Interviewed)]
    assert said == [("Ada", "Zoe", "Because bread is short.")] * 2
    done = [event.action for event in record.of(events.Intervention)]
    assert done == ["ask", "interview", "whisper"]
    before, answer, question = asked[0][0], asked[0][1], asked[0][-1]
    assert before["content"].startswith("You are Ada.")
    assert answer["role"] == "assistant"
    assert question["content"].endswith("Zoe asks: Why do you work?")
    assert any(remembered)
    calls = [call["answer"] for call in record.calls if call["role"] == "interview"]
    assert calls == ["Because\nbread is short."] * 2
    asked_in_all = sum(one["asked"] for one in result_of(folder)["decisions"]["agents"].values())
    assert asked_in_all == len(record.calls) - 2
    code, again = play("taxation", tmp_path / "again", replay=folder)
    assert code == 0
    assert (again / "events.jsonl").read_bytes() == (folder / "events.jsonl").read_bytes()
    with pytest.raises(ValueError, match="is over"):
        intervene(folder, "Ada", "ask", "Zoe", "Still there?")


def result_of(folder):
    return json.loads((folder / "result.json").read_text())


def test_a_game_of_the_grid_is_asked_in_between_and_replayed(tmp_path):
    """No loop knows of it: a planner answers a question, and the replay passes that."""

    def reply(request):
        is_asked = "interviews you" in request["messages"][-1]["content"]
        return 200, completion("I look for wood." if is_asked else "EXPLORE MAP")

    deeds = (
        wait_for(events.PlanEnded),
        pauses,
        tells("explorer_1", "ask", "Zoe", "What are you up to?"),
        wait_for(events.Interviewed, agent="explorer_1"),
        goes_on,
    )
    game = {"condition": "exploration", "settings": ("length=120",)}
    with serving(reply) as endpoint, doing(tmp_path / "runs", *deeds):
        code, folder = play("adasociety", tmp_path / "runs", base_url=endpoint.url, **game)
    assert code == 0
    record = read_record(folder)
    done = [event.action for event in record.of(events.Intervention)]
    assert done == ["pause", "ask", "go_on"]
    assert [event.text for event in record.of(events.Interviewed)] == ["I look for wood."]
    with pytest.raises(ValueError, match="is over"):
        intervene(folder, "explorer_1", "say", "Zoe", "Hello.")
    code, again = play("adasociety", tmp_path / "again", replay=folder)
    assert code == 0
    assert (again / "events.jsonl").read_bytes() == (folder / "events.jsonl").read_bytes()


def test_agents_of_a_commons_hear_and_notice_before_their_next_turn(tmp_path):
    """Words reach one agent, once; a person's turns show them, and a replay tells them again."""
    shown = []

    def turn(question):
        (folder,) = find_runs([tmp_path / "runs"])
        if len(shown) == 2:  # while the run waits for a person, it pauses and goes on
            pauses(folder)
            goes_on(folder)
        if len(shown) == 1:  # the run waits for this turn
            intervene(folder, "Laura", "say", "Zoe", 'Leave the "last" apple.')
            intervene(folder, "Laura", "whisper", "Zoe", "You smell smoke.")
        shown.append(question["text"])
        return "stay put"

    options = {"condition": "coop", "human": ("Laura",), "settings": ("rounds=4",)}
    with answering(tmp_path / "runs", turn):
        code, folder = play("commons", tmp_path / "runs", **options)
    assert code == 0
    told = ["Zoe says to you: \"Leave the 'last' apple.\"", "You smell smoke."]
    assert [[one in text for one in told] for text in shown] == [
        [False] * 2, [False] * 2, [True] * 2, [False] * 2
    ]  # fmt: skip
    done = [event.action for event in read_record(folder).of(events.Intervention)]
    assert done == ["say", "whisper", "pause", "go_on"]
    code, again = play("commons", tmp_path / "again", replay=folder)
    assert code == 0
    assert (again / "events.jsonl").read_bytes() == (folder / "events.jsonl").read_bytes()
