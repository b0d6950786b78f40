"""Interventions in running runs: pauses, messages, questions, and their replays."""

from __future__ import annotations

import json
import threading
import time
from contextlib import contextmanager

import pytest

from tests.endpoint import completion, serving
from tests.taking_part import answering, play
from voxpolis.records import events, find_runs, read_record
from voxpolis.records.interventions import FILE, PAUSE_FILE, ask_for_pause, intervene
from voxpolis.records.process import lock_run


@contextmanager
def doing(out, *deeds):
    """Perform interventions one after another on the run that appears in a folder."""

    def work():
        folders = []
        while not folders or not (folders[0] / "events.jsonl").exists():
            folders = find_runs([out])
            time.sleep(0.01)
        for deed in deeds:
            deed(folders[0])

    person = threading.Thread(target=work, daemon=True)  # a daemon, in case the run never starts
    person.start()
    yield
    person.join()


def wait_for(kind, **fields):
    """Return an intervention that waits until a run has an event."""

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
    ask_for_pause(folder, pauses=True, by="Ann")
    wait_for(events.Intervention, action="pause")(folder)
    (folder / FILE).touch()


def goes_on(folder):
    ask_for_pause(folder, pauses=False)
    wait_for(events.Intervention, action="continue")(folder)


VILLAGE = ("stances=none", "agents=6", "length_s=300", "first_season_s=20", "season_every_s=60")


def test_village_accepts_pause_message_and_change_and_replays_identically(tmp_path):
    """The village stops during a pause and then receives messages; a replay repeats this."""
    deeds = (
        wait_for(events.ConditionStarted),
        pauses,
        tells("Ada", "say", "Zoe", "The tax is a scandal."),
        tells("", "set", "Zoe", "tax_rate=0.05"),
        tells("Ben", "whisper", "Zoe", "You see smoke."),
        tells("", "set", "Zoe", "tax_rate=7"),
        goes_on,
    )
    with doing(tmp_path / "runs", *deeds):
        code, folder = play(
            "taxation", tmp_path / "runs", condition="no_vote", runs=1, settings=VILLAGE
        )
    assert code == 0
    record = read_record(folder)
    done = [(e.action, e.agent, e.text) for e in record.of(events.Intervention)]
    assert {"pause", "continue"} < {action for action, *_ in done}
    assert [one for one in done if one[0] not in ("pause", "continue")] == [
        ("say", "Ada", "The tax is a scandal."),
        ("set", None, "tax_rate=0.05"),
        ("whisper", "Ben", "You see smoke."),
    ]
    paused, went_on = (
        next(e for e in record.of(events.Intervention) if e.action == action)
        for action in ("pause", "continue")
    )
    assert (paused.by, went_on.by) == ("Ann", "Visitor")
    assert went_on.t - paused.t < 3  # in simulated time, however long the pause was
    laws = [(event.version, event.parameters["tax_rate"]) for event in record.of(events.LawChanged)]
    assert laws == [(1, 0.2), (2, 0.05)]
    rates = [event.tax_rate for event in record.of(events.SeasonOpened)]
    assert rates[-1] == 0.05
    assert result_of(folder)["interventions"] == 5
    code, again = play("taxation", tmp_path / "again", replay=folder)
    assert code == 0
    whole = (folder / "events.jsonl").read_bytes()
    assert (again / "events.jsonl").read_bytes() == whole
    assert not (folder / PAUSE_FILE).exists()
    # as if the run had been killed later, with a pending request
    lines = whole.splitlines(keepends=True)
    (folder / "events.jsonl").write_bytes(b"".join(lines[: len(lines) * 3 // 4]))
    with lock_run(folder):
        intervene(folder, "Ben", "whisper", "Zoe", "The mine is empty.")
    code, _ = play("taxation", tmp_path / "again", resume=folder)
    assert (code, result_of(folder)["interventions"]) == (0, 6)
    *_, last = read_record(folder).of(events.Intervention)
    assert (last.agent, last.text) == ("Ben", "The mine is empty.")


def test_agent_remembers_interview_only_on_request(tmp_path):
    """The model answers from its knowledge; the game and its decisions are unaffected."""
    asked, remembered = [], []

    def reply(request):
        text = request["messages"][-1]["content"]
        if "interviews you" in text:
            asked.append(request["messages"])
            return 200, completion(json.dumps({"answer": "Because\nbread is short."}))
        remembered.append('Zoe asked me: "And now?" I answered: "Because bread is short."' in text)
        is_deciding = "You decide what to do next" in request["messages"][0]["content"]
        said = {"action": {"do": "WORK"}} if is_deciding else {"say": None}
        return 200, completion(json.dumps(said))

    deeds = (
        wait_for(events.Decided, agent="Ada"),
        tells("Ada", "ask", "Zoe", "Why do you work?"),
        wait_for(events.Interviewed),
        tells("Ada", "interview", "Zoe", "And now?"),
    )
    modules = "reflexes: 0.25, perception: 1, controller: 1, talking: 8, skill_execution: 1"
    village = {"condition": "no_vote", "runs": 1, "settings": (*VILLAGE, f"modules={{{modules}}}")}
    with serving(reply) as endpoint, doing(tmp_path / "runs", *deeds):
        code, folder = play(
            "taxation", tmp_path / "runs", base_url=endpoint.url, model="m", **village
        )
    assert code == 0
    record = read_record(folder)
    said = [(event.agent, event.by, event.text) for event in record.of(events.Interviewed)]
    assert said == [("Ada", "Zoe", "Because bread is short.")] * 2
    done = [event.action for event in record.of(events.Intervention)]
    assert done == ["ask", "interview", "whisper"]
    before, _, answer, question = asked[0]
    assert before["content"].startswith("You are Ada.")
    assert answer["role"] == "assistant"
    assert question["content"].endswith("Zoe asks: Why do you work?")
    assert any(remembered)
    calls = [call["answer"] for call in record.calls if call["role"] == "interview"]
    assert [json.loads(call) for call in calls] == [{"answer": "Because\nbread is short."}] * 2
    asked_in_all = sum(one["asked"] for one in result_of(folder)["decisions"]["agents"].values())
    assert asked_in_all == len(record.calls) - 2
    code, again = play("taxation", tmp_path / "again", replay=folder)
    assert code == 0
    assert (again / "events.jsonl").read_bytes() == (folder / "events.jsonl").read_bytes()
    with pytest.raises(ValueError, match="is over"):
        intervene(folder, "Ada", "ask", "Zoe", "Still there?")


def result_of(folder):
    return json.loads((folder / "result.json").read_text())


def test_commons_agents_hear_messages_before_their_next_turn(tmp_path):
    """A message reaches one agent once; a person's turn shows it, and a replay repeats it."""
    shown = []

    def turn(question):
        (folder,) = find_runs([tmp_path / "runs"])
        if len(shown) == 2:  # the run pauses and continues while it waits for a person
            pauses(folder)
            goes_on(folder)
        if len(shown) == 1:  # the run waits for an answer in this turn
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
    assert done == ["say", "whisper", "pause", "continue"]
    code, again = play("commons", tmp_path / "again", replay=folder)
    assert code == 0
    assert (again / "events.jsonl").read_bytes() == (folder / "events.jsonl").read_bytes()
