"""Resuming interrupted runs: no answer is paid for twice, and none is lost."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys

import pytest

from tests.conftest import ROOT
from voxpolis.bots.models import (
    Budget,
    BudgetedModel,
    BudgetError,
    CallBoard,
    ChatRequest,
    Completion,
    ModelError,
    ModelSettings,
    PatientModel,
    RecordedModel,
    ReplayModel,
    ResumedModel,
    paid_calls,
)
from voxpolis.bots.models.patient import MORE_TOKENS, MOST_EXTRA_TOKENS
from voxpolis.bots.models.prices import Price
from voxpolis.experiments.run import command, registry
from voxpolis.experiments.run.model_choice import choose_model
from voxpolis.experiments.run.options import RunOptions
from voxpolis.experiments.run.runner import FORMAT
from voxpolis.records import (
    Clock,
    RecordDiffersError,
    RunWriter,
    SimulatedClock,
    events,
    find_runs,
    read_record,
)
from voxpolis.records.process import lock_run
from voxpolis.records.resuming import ResumedWriter

SETTINGS = ModelSettings(model="m")
# Unicode line separators that JSON does not treat as line ends.
ENDS_OF_LINES = "a\u2028b\u2029c\u0085d\x0be\x1cf"


def ask(text, role="action"):
    return ChatRequest([{"role": "user", "content": text}], role, "Ada", 0.1, 50)


class Counting:
    """A model that answers with the number of the call."""

    def __init__(self, calls=0):
        self.calls = calls

    async def complete(self, request):
        self.calls += 1
        return Completion(str(self.calls), "m", 10, 5)


def live(model, writer):
    return RecordedModel(model, writer.write_call, SETTINGS, {}, announces=True)


async def begin(folder, questions):
    """Start a run that asks some questions and is killed."""
    folder.mkdir()
    with RunWriter(folder, {}) as writer:
        writer.event(events.RunStarted, scenario="s", mind="openai")
        model = live(Counting(), writer)
        for question in questions:
            await model.complete(ask(question))


# --- Paid answers ---------------------------------------------------------------------------------


async def test_a_resumed_run_answers_repeated_questions_from_the_record(tmp_path):
    """A second resumption asks no model."""
    folder, answers = tmp_path / "run", []
    await begin(folder, ["same", "same"])
    for number, asked in ((1, 4), (2, 0), (3, 0)):
        recording = ReplayModel(read_record(folder).calls, SETTINGS)
        endpoint = Counting(2)
        with ResumedWriter.resume(folder, Clock()) as writer:
            model = ResumedModel(recording, live(endpoint, writer))
            said = [(await model.complete(ask("same"))).text for _ in range(6)]
        assert endpoint.calls - 2 == asked, f"resumed {number} times"
        answers.append(said)
    assert answers == [["1", "2", "3", "4", "5", "6"]] * 3
    replay = ReplayModel(read_record(folder).calls, SETTINGS)
    assert [(await replay.complete(ask("same"))).text for _ in range(6)] == answers[0]


async def test_the_error_that_ended_a_run_is_replayed_after_later_answers(tmp_path):
    """A run that its budget ended and that was then resumed can be replayed."""
    settings = ModelSettings(model="m")
    manifest = {
        "mind": "openai",
        "answers": "typed",
        "language_model": True,
        "models": settings.model_dump(),
    }
    with RunWriter(tmp_path, manifest) as writer:
        model = live(BudgetedModel(Counting(), Budget(2, "calls"), settings, {}), writer)
        for number in range(2):
            assert (await model.complete(ask("same"))).text == str(number + 1)
        lived_with = live(Failing("out"), writer)
        with pytest.raises(ModelError):
            await lived_with.complete(ask("same"))
        role = {"role": "action", "message": "error: out"}
        writer.event(events.MindFailed, "Ada", **role)
        with pytest.raises(BudgetError):
            await model.complete(ask("same"))
        await live(Counting(2), writer).complete(ask("same"))  # like a resumed run
    options = RunOptions(replay=tmp_path)
    recording = choose_model(options, read_record(tmp_path)).recording
    assert [(await recording.complete(ask("same"))).text for _ in range(2)] == ["1", "2"]
    with pytest.raises(ModelError, match="out"):
        await recording.complete(ask("same"))
    assert (await recording.complete(ask("same"))).text == "3"
    with pytest.raises(ModelError, match="budget"):
        await recording.complete(ask("same"))


# --- Budgets and endless thoughts -----------------------------------------------------------------


class Failing:
    """A model that cannot be reached."""

    def __init__(self, text):
        self.text = text

    async def complete(self, request):
        raise ModelError(self.text)


class Thinking:
    """A model that uses some tokens for thought; ``given`` lists the limits of its calls."""

    def __init__(self, needs, usage=(10, 5)):
        self.needs, self.usage, self.given = needs, usage, []

    async def complete(self, request):
        most = request.max_tokens + request.extra_tokens
        self.given.append(most)
        if most < self.needs:
            return Completion("", "m", *self.usage, finish_reason="length")
        return Completion("Yes.", "m", *self.usage, finish_reason="stop")


def layers(model, budget, calls, before=()):
    """Return a run's model wrappers in order, and the wrapper that counts."""
    counting = BudgetedModel(model, Budget.parse(budget), SETTINGS, PRICES, before)
    patient = PatientModel(counting, SETTINGS, before)
    return RecordedModel(patient, calls.append, SETTINGS, PRICES), counting


PRICES = {"m": Price(prompt=1, completion=2)}


@pytest.mark.parametrize("usage", [(10, 5), (None, None)])
@pytest.mark.parametrize("budget", ["50 calls", "200k tokens", "$5"])
async def test_a_resumed_run_has_spent_the_same_amount(budget, usage):
    """Even if a thought took all tokens, or if the endpoint does not report usage."""
    calls, endpoint = [], Thinking(5000, usage)
    model, counting = layers(endpoint, budget, calls)
    for _ in range(3):
        await model.complete(ask("same"))
    assert endpoint.given == [50, 50 + MORE_TOKENS, 50 + MORE_TOKENS, 50 + MORE_TOKENS]
    again, resumed = layers(endpoint, budget, calls, calls)
    if usage == (10, 5) or "calls" in budget:
        assert resumed.spent == pytest.approx(counting.spent)
    else:  # the length of the first of two answers is unknown, so it counts as the longer one
        assert counting.spent <= resumed.spent < 1.5 * counting.spent
    await again.complete(ask("same"))
    assert endpoint.given[4:] == [50 + MORE_TOKENS]  # the learnt limit is kept
    board = CallBoard(PRICES)
    for requested, answer in paid_calls(calls):
        board.record(requested, answer)
    assert board.calls == 5


async def test_an_endless_thought_gets_a_limited_number_of_tokens():
    calls, endpoint = [], Thinking(10**9)
    model, _ = layers(endpoint, "50 calls", calls)
    for _ in range(6):
        with pytest.raises(ModelError, match="for its thought and gave no answer"):
            await model.complete(ask("same"))
    assert max(endpoint.given) == 50 + MOST_EXTRA_TOKENS
    assert sum(call.get("calls", 1) for call in calls) == len(endpoint.given)


@pytest.mark.parametrize(("budget", "fails"), [("1 calls", False), ("50 calls", True)])
async def test_the_first_answer_is_counted_if_the_longer_one_fails(budget, fails):
    """The budget ends, or the endpoint disappears, between the two answers."""
    calls, endpoint = [], Thinking(5000)

    class Ending:
        async def complete(self, request):
            if fails and endpoint.given:
                raise ModelError("it is gone")
            return await endpoint.complete(request)

    model, counting = layers(Ending(), budget, calls)
    with pytest.raises(ModelError, match="it is gone" if fails else "budget"):
        await model.complete(ask("same"))
    (call,) = calls
    assert (call["prompt_tokens"], call["completion_tokens"], call["calls"]) == (10, 5, 1)
    assert call["cost"] == pytest.approx(20e-6)
    assert "uses all its tokens to think" in call["notes"][0]
    resumed, counting_again = layers(Thinking(5000), "50 calls", calls, calls)
    assert counting_again.spent == counting.spent == 1
    await resumed.complete(ask("same"))
    assert counting_again.spent == 2  # the call has the higher limit from the start


# --- The record ----------------------------------------------------------------------------------


def test_only_a_line_feed_ends_a_line_of_the_record(tmp_path):
    with RunWriter(tmp_path, {}) as writer:
        told = [
            writer.write(events.Log(id=n, t=n / 2, episode=0, text=ENDS_OF_LINES)) for n in range(6)
        ]
    before = (tmp_path / "events.jsonl").read_bytes()
    with ResumedWriter.resume(tmp_path, Clock()) as writer:
        for event in told[:4]:  # up to the last whole second
            writer.write(event)
        assert (tmp_path / "events.jsonl").read_bytes() == before
        writer.write(told[4])
        assert (tmp_path / "events.jsonl").read_bytes().count(b"\n") == 5
        writer.write(told[5])
    assert (tmp_path / "events.jsonl").read_bytes() == before


@pytest.fixture(scope="module")
def cut_off(tmp_path_factory):
    """A killed run on the grid with calls in its record."""
    out = tmp_path_factory.mktemp("cut_off")
    values = {"world": "grid", "mind": "scripted", "contract": "1", "runs": 1, "out": out}
    values |= {"json_output": True, "settings": ("time_limit_s=5",)}
    assert command.main(registry.scenario("double_vein"), values) == 0
    (folder,) = find_runs(out)
    assert read_record(folder).manifest["format"] == FORMAT
    (folder / "result.json").unlink()
    return folder


DAMAGED = [
    ("llm.jsonl", b"[1]", "llm.jsonl line 2: not a whole call"),
    ("events.jsonl", b'{"kind": "no_such", "t": 1, "episode": 0}', "events.jsonl line 2: "),
    ("events.jsonl", b"\xff\xfe", "events.jsonl line 2: not a whole event"),
    ("events.jsonl", "directory", "events.jsonl: Is a directory"),
    ("messages.jsonl", "directory", "llm.jsonl line 1: a message is missing"),
    ("events.jsonl", "nothing", "events.jsonl: missing"),
]


@pytest.mark.parametrize(("name", "damage", "says"), DAMAGED)
def test_a_damaged_record_is_not_resumed_and_stays_unchanged(
    cut_off, tmp_path, capsys, name, damage, says
):
    folder = tmp_path / "run"
    shutil.copytree(cut_off, folder)
    path = folder / name
    lines = path.read_bytes().split(b"\n")
    if isinstance(damage, bytes):
        path.write_bytes(b"\n".join([lines[0], damage, *lines[1:]]))
    else:
        path.unlink()
    if damage == "directory":
        path.mkdir()
    before = {one.name: one.read_bytes() for one in folder.iterdir() if one.is_file()}
    assert command.main(registry.scenario("double_vein"), {"resume": folder}) == 2
    told = capsys.readouterr().err
    assert says in told
    assert told.count("\n") == 1
    assert {one.name: one.read_bytes() for one in folder.iterdir() if one.is_file()} == before


@pytest.mark.parametrize("name", ["result.json", "interventions.jsonl", "events.jsonl"])
def test_a_record_with_a_link_is_not_resumed(cut_off, tmp_path, capsys, name):
    """Otherwise the run would read from or write to the link's target."""
    folder, target = tmp_path / "run", tmp_path / "target"
    shutil.copytree(cut_off, folder)
    target.write_text('{"runs": [1, 2, 3]}')
    (folder / name).unlink(missing_ok=True)
    (folder / name).symlink_to(target)
    assert command.main(registry.scenario("double_vein"), {"resume": folder}) == 2
    assert f"{name} is a symbolic link" in capsys.readouterr().err.replace(": a symb", " is a symb")
    assert target.read_text() == '{"runs": [1, 2, 3]}'


def test_a_live_run_is_not_resumed(cut_off, tmp_path, capsys):
    folder = tmp_path / "run"
    shutil.copytree(cut_off, folder)
    with lock_run(folder):
        assert command.main(registry.scenario("double_vein"), {"resume": folder}) == 2
    assert "another process is writing to it" in capsys.readouterr().err


def test_a_record_with_truncated_last_lines_is_resumed(cut_off, tmp_path, capsys):
    folder = tmp_path / "run"
    shutil.copytree(cut_off, folder)
    for name in ("events.jsonl", "llm.jsonl"):
        (folder / name).write_bytes((folder / name).read_bytes()[:-20])
    values = {"resume": folder, "json_output": True}
    assert command.main(registry.scenario("double_vein"), values) == 0
    assert "error" not in json.loads(capsys.readouterr().out)
    for name in ("events.jsonl", "messages.jsonl"):
        assert (folder / name).read_bytes() == (cut_off / name).read_bytes()
    assert len(read_record(folder).calls) == len(read_record(cut_off).calls)


def test_a_record_keeps_its_end_if_the_resumed_run_differs(tmp_path):
    """Its last second is discarded only after everything before it has been repeated."""
    clock = SimulatedClock()
    with RunWriter(tmp_path, {"scenario": "x"}, clock) as writer:
        for second in (0, 1, 2):
            clock.set(second)
            writer.event(events.Reward, "Ada", value=float(second), transfer=0.0, reward=0.0)
    before = (tmp_path / "events.jsonl").read_bytes()

    def go_on(values):
        again = SimulatedClock()
        with ResumedWriter.resume(tmp_path, again) as writer:
            for second, value in enumerate(values):
                again.set(second)
                writer.event(events.Reward, "Ada", value=value, transfer=0.0, reward=0.0)

    with pytest.raises(RecordDiffersError, match="line 2 differs"):
        go_on([0.0, 7.0, 2.0])
    assert (tmp_path / "events.jsonl").read_bytes() == before
    go_on([0.0])
    assert (tmp_path / "events.jsonl").read_bytes() == before
    go_on([0.0, 1.0, 3.0])
    assert (tmp_path / "events.jsonl").read_bytes() == before.replace(
        b'"value":2.0', b'"value":3.0'
    )


# Reports that it is ready, tries to lock the folder on request, and keeps the result until its
# input ends.
TRIES = """
import sys
from pathlib import Path
from voxpolis.records.process import lock_run
print("ready", flush=True)
sys.stdin.readline()
try:
    kept = lock_run(Path(sys.argv[1]))
    print("got", flush=True)
except OSError:
    print("refused", flush=True)
sys.stdin.read()
"""


def test_only_one_process_can_write_a_run(tmp_path):
    words = [sys.executable, "-c", TRIES, str(tmp_path)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    started = [subprocess.Popen(words, cwd=ROOT, **pipes) for _ in range(4)]
    try:
        assert [one.stdout.readline() for one in started] == ["ready\n"] * 4
        for one in started:
            one.stdin.write("go\n")
            one.stdin.flush()
        found = sorted(one.stdout.readline() for one in started)
    finally:
        for one in started:
            one.communicate(timeout=60)
    assert found == ["got\n", "refused\n", "refused\n", "refused\n"]
