"""Damaged and hostile input: records, YAML, names. Each case quickly gives one clear line."""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
import os
import random
import shutil
import tracemalloc
from pathlib import Path

import pytest

from tests.pages import run_app
from tests.played import negotiated_run, soon
from voxpolis import analysis
from voxpolis.analysis import __main__ as commands
from voxpolis.analysis.report.build import build
from voxpolis.analysis.report.watch import follow
from voxpolis.bots.models.replay import ReplayModel
from voxpolis.bots.models.settings import ModelSettings
from voxpolis.experiments.run import command, model_choice, registry
from voxpolis.experiments.run.earlier import read_config
from voxpolis.experiments.run.options import RunOptions, UsageError
from voxpolis.experiments.run.runner import FORMAT
from voxpolis.experiments.study import sweep
from voxpolis.grid.core.data import Data, GameError, read_data
from voxpolis.judge.contracts.contract import ContractError, read_contract_file
from voxpolis.records import RunReader, RunWriter, find_runs, read_record
from voxpolis.records.events import Event
from voxpolis.records.files import MAX_BYTES
from voxpolis.records.interventions import FILE, ask_for_pause, intervene
from voxpolis.records.lines import MOST_SKIPPED
from voxpolis.records.questions import QUESTIONS, HumanInputQueue
from voxpolis.records.text import say_error
from voxpolis.records.writer import cut_broken_line
from voxpolis.records.yaml_text import YamlError, load_yaml

BYTES = 200_000_000
FILES = ("run.yaml", "events.jsonl", "llm.jsonl", "messages.jsonl", "result.json")


@contextlib.contextmanager
def small():
    """Check that the block allocates at most 200 MB."""
    tracemalloc.start()
    try:
        yield
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < BYTES


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """A real run with a negotiation, which has most kinds of event and model calls."""
    return negotiated_run(tmp_path_factory.mktemp("real"))


# --- Records -------------------------------------------------------------------------------------

HOSTILE = [
    *(None, True, -1, 0.5, 10**400, 1e300, "", "[/nope]", "[bold]x", "\ud800", "\x1b[2J", "a\nb"),
    *([], {}, [None], {"a": []}, [[[[1]]]], {"\ud800": 1}, "../../etc/passwd", "x" * 999),
]
LINES = [
    b"[" * 20_000,
    b'{"a":' * 900 + b"1" + b"}" * 900,
    b'{"t":1,"kind":"chat","text":' + b"[" * 5000 + b"]" * 5000 + b"}",
    b'{"t":1e999,"kind":"died","episode":0}',
    b'{"t":1,"kind":"died","episode":' + b"9" * 5000 + b"}",
    b'{"t":1,"kind":"../../../evil","episode":0}',
    b'{"t":1,"kind":"chat","episode":0,"agent":"\\ud800","text":"[/nope]\\udfff"}',
    b"\xff\xfe\x00",
    b"1",
    b'"\\ud800"',
    b"null",
    b"",
]


def mutated(rng, value):
    """Return a value with a hostile part inserted at a random position."""
    if isinstance(value, dict) and value and rng.random() < 0.8:
        key = rng.choice(list(value))
        how = rng.random()
        if how < 0.15:
            return {k: v for k, v in value.items() if k != key}
        if how < 0.25:
            return {**value, rng.choice(["", "run", "_fields_set", "\ud800", "x[/]"]): 1}
        return {**value, key: mutated(rng, value[key])}
    if isinstance(value, list) and value and rng.random() < 0.7:
        index = rng.randrange(len(value))
        return [*value[:index], mutated(rng, value[index]), *value[index + 1 :]]
    return rng.choice(HOSTILE)


def damage(folder, rng):
    """Damage every file of a run folder."""
    for name in FILES:
        path = folder / name
        lines = path.read_bytes().split(b"\n")
        for _ in range(rng.randint(1, 12)):
            at = rng.randrange(len(lines))
            how = rng.random()
            if how < 0.25:
                lines.insert(at, rng.choice(LINES))
            elif how < 0.35:
                lines[at] = lines[at][: rng.randrange(len(lines[at]) + 1)]
            else:
                with contextlib.suppress(ValueError, RecursionError):
                    lines[at] = json.dumps(mutated(rng, json.loads(lines[at]))).encode()
        data = b"\n".join(lines)
        if rng.random() < 0.2:
            at = rng.randrange(len(data))
            data = data[:at] + rng.randbytes(8) + data[at + 8 :]
        path.write_bytes(data)
    if rng.random() < 0.3:
        (folder / rng.choice(FILES[1:])).unlink()


def shown(*folders):
    """Return the output of ``analysis show``, and its problems, one line each."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        commands.show([str(folder) for folder in folders])
    for text in (out.getvalue(), err.getvalue()):
        text.encode()
        assert "\x1b" not in text
    return out.getvalue(), err.getvalue()


@pytest.mark.parametrize("seed", range(5))
def test_a_damaged_record_is_read_up_to_the_damage(played, tmp_path, seed):
    folder = tmp_path / "scenario" / "run"
    shutil.copytree(played, folder)
    damage(folder, random.Random(seed))
    with soon():
        record = read_record(folder)
        assert all(isinstance(event, Event) for event in record.events)
        assert all(len(problem.splitlines()) == 1 for problem in record.problems)
        ReplayModel(record.calls, ModelSettings())
        runs = analysis.load(folder)
        for path in runs.to_parquet(tmp_path / "parquet"):
            assert path.parent == tmp_path / "parquet"
        for frame in (runs.rewards, runs.positions, runs.inventories, runs.values, runs.calls):
            frame()
        build(folder, tmp_path / "report.html")
        for _, data in follow(folder, lambda: True):
            json.dumps(data).encode()
        shown(folder)


def test_hostile_lines_affect_no_other_lines(played, tmp_path):
    folder = tmp_path / "run"
    shutil.copytree(played, folder)
    before = read_record(folder)
    for name in ("events.jsonl", "llm.jsonl", "messages.jsonl"):
        path = folder / name
        path.write_bytes(b"\n".join([*LINES, path.read_bytes()]))
    record = read_record(folder)
    assert len(record.events) >= len(before.events)
    assert len(record.calls) == len(before.calls)
    build(folder, tmp_path / "report.html")


def test_missing_events_are_reported(played, tmp_path):
    folder = tmp_path / "run"
    shutil.copytree(played, folder)
    lines = (folder / "events.jsonl").read_bytes().splitlines(keepends=True)
    (folder / "events.jsonl").write_bytes(b"".join([*lines[:5], *lines[9:12], *lines[13:]]))
    found = read_record(folder).problems
    assert found == [f"events.jsonl: {missing} missing" for missing in ("4 events", "1 event")]


def test_a_record_of_a_newer_format_says_so_and_is_not_resumed(tmp_path):
    (tmp_path / "run.yaml").write_text("{}\n")
    begun = {"t": 0.0, "kind": "run_started", "scenario": "a", "mind": "b", "schema_version": 99}
    (tmp_path / "events.jsonl").write_text(json.dumps(begun) + "\n")
    assert "format 99 is newer than 1: update voxpolis" in str(read_record(tmp_path).damage)


def test_a_completely_damaged_record_has_few_problems(tmp_path):
    (tmp_path / "run.yaml").write_text("{}\n")
    (tmp_path / "events.jsonl").write_bytes(b"\n{" * 10_000 + b"x" * (2 * MAX_BYTES) + b"\n")
    with small():
        assert 1 < len(read_record(tmp_path).problems) < 200


def test_an_endless_line_is_not_read_to_its_end(tmp_path):
    (tmp_path / "run.yaml").write_text("{}\n")
    with (tmp_path / "events.jsonl").open("wb") as file:
        file.truncate(MOST_SKIPPED * 1000)
    with soon(), small():
        reader = RunReader(tmp_path)
        assert not list(reader.events())
        assert not list(reader.events())
    assert {str(problem) for problem in reader.problems} == {
        f"events.jsonl: a line is longer than {MOST_SKIPPED:,} bytes"
    }


# File types that replace an expected file.
NO_FILES = {
    "pipe": (os.mkfifo, "not a regular file"),
    "device": (lambda path: path.symlink_to("/dev/zero"), "not a regular file"),
    "folder": (Path.mkdir, "Is a directory"),
    "endless": (lambda path: path.touch() or os.truncate(path, 3 * 10**9), "longer than"),
}
READERS = {
    "contract": read_contract_file,
    "config": read_config,
    "sweep": sweep._read,
    "models": model_choice._read_yaml,
    "prices": lambda path: model_choice._prices(RunOptions(prices=path)),
    "game": lambda path: read_data(path, Data),
}


@pytest.mark.parametrize("what", NO_FILES)
@pytest.mark.parametrize("reader", READERS)
def test_special_and_endless_files_are_refused_in_one_line(tmp_path, reader, what):
    make, says = NO_FILES[what]
    make(tmp_path / "it")
    with soon(), small(), pytest.raises((UsageError, ContractError, GameError)) as refused:
        READERS[reader](tmp_path / "it")
    assert says in str(refused.value)
    assert len(str(refused.value).splitlines()) == 1


@pytest.mark.parametrize("what", ["pipe", "link", "folder"])
@pytest.mark.parametrize("name", FILES)
def test_a_record_is_read_even_if_files_are_missing(played, tmp_path, name, what):
    """Links count as missing: in a stranger's folder they could point to any user file."""
    folder = tmp_path / "run"
    shutil.copytree(played, folder)
    (folder / name).rename(tmp_path / name)
    link = (lambda path: path.symlink_to(tmp_path / path.name), "a symbolic link")
    make, says = NO_FILES.get(what, link)
    make(folder / name)
    with soon():
        problems = read_record(folder).problems
    assert any(problem.startswith(f"{name}: {says}") for problem in problems)
    for mended in {name} - {"run.yaml", "result.json"}:
        with pytest.raises(OSError, match=says):
            cut_broken_line(folder / mended)


def test_nothing_is_written_through_links_in_a_run_folder(tmp_path):
    theirs = tmp_path / "theirs"
    theirs.write_text("of the user")
    folder = tmp_path / "run"
    folder.mkdir()
    linked = ("report.html", "result.json", "run.yaml", "paused")
    for name in (FILE, QUESTIONS, *linked, *(f"{name}.part" for name in linked)):
        (folder / name).symlink_to(theirs)
    settings = {"mind": "scripted", "world": "grid", "agents": {"Ada": "piano"}, "takes": ["say"]}
    with RunWriter(folder, settings) as writer:
        build(folder, folder / "report.html")
        ask_for_pause(folder, pauses=True)
        writer.write_result({})
        with pytest.raises(OSError, match="a symbolic link"):
            intervene(folder, "Ada", "say", "Visitor", "Hello.")
    with pytest.raises(OSError, match="a symbolic link"):
        asyncio.run(HumanInputQueue(folder).ask("Ada", "ballot", "Yes?", within_s=1))
    for name in ("events.jsonl", "llm.jsonl", "messages.jsonl"):
        (folder / name).unlink()
        (folder / name).symlink_to(theirs)
        with pytest.raises(OSError, match="a symbolic link"):
            RunWriter.reopen(folder)
        (folder / name).unlink()
        (folder / name).touch()
    assert theirs.read_text() == "of the user"


def test_links_below_a_named_folder_are_not_searched(played, tmp_path):
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "link").symlink_to(played)
    assert find_runs(tmp_path / "runs") == []
    assert find_runs(tmp_path / "runs" / "link") == [tmp_path / "runs" / "link"]


@pytest.mark.parametrize("command", ["show", "report", "parquet"])
def test_a_folders_name_cannot_control_the_terminal(played, tmp_path, capfd, command):
    folder = tmp_path / "14\x1b[31m<b>\n\u202etxt"
    shutil.copytree(played, folder)
    with (folder / "events.jsonl").open("a") as file:
        file.write("nothing\n")
    out = ["--out", str(folder / "out")] if command == "parquet" else []
    assert run_app([command, str(folder), *out]) in (0, None)
    printed = capfd.readouterr()
    lines = f"{printed.out}{printed.err}".splitlines()
    assert sum("14\N{REPLACEMENT CHARACTER}[31m<b>" in line for line in lines) >= 2
    assert all(line.isprintable() for line in lines)


# --- YAML ----------------------------------------------------------------------------------------


def aliases(levels):
    """Return a short text that expands to nine to the power of ``levels`` values."""
    lines = ["a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1]"]
    for level in range(1, levels):
        lines.append(f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 9)}]")
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (aliases(30), "expands to more than"),
        ("[" * 20_000, "nested more than|nesting depth"),
        ("&a [*a]", "unknown anchor"),
        ("a: 2001-99-99", "month"),
        ("!!int ''", ""),
        ("!!python/object/apply:os.system [id]", "could not determine a constructor"),
        ("a: " + "9" * 5000, "more than 1000 digits"),
        ("a: 1" + ":1" * 100_000, "more than 1000 digits"),
        ("a: &x {k: 1}\n" * 3_000_000, "is longer than"),
        ("a\0", "control characters"),
        ("x\n" * 3 + "a: b: c", "line 4: "),
        ("a: 1\nb: {a: 1}\na: 2", "line 3: a is given twice"),
    ],
)
def test_hostile_yaml_is_refused_quickly_in_one_line(tmp_path, text, says):
    path = tmp_path / "config.yaml"
    path.write_text(text)
    with soon(), small(), pytest.raises(YamlError, match=says or None) as refused:
        load_yaml(text)
    assert len(str(refused.value).splitlines()) == 1
    with pytest.raises(UsageError) as named:
        read_config(path)
    assert len(str(named.value).splitlines()) == 1
    (tmp_path / "run.yaml").write_text(text)
    reader = RunReader(tmp_path)
    assert reader.manifest() == {}
    assert len(reader.problems) == 1


def test_yaml_merge_keys_follow_the_specification():
    text = "a: &a {x: 1, '1': 2, 1: 3}\nb: {<<: *a, x: 2}\nc: [{x: *a}, {x: [x, x]}]"
    a = {"x": 1, "1": 2, 1: 3}
    assert load_yaml(text) == {"a": a, "b": {**a, "x": 2}, "c": [{"x": a}, {"x": ["x", "x"]}]}


@pytest.mark.parametrize("most", [10, 10**6])
def test_an_error_is_one_line_of_bounded_length(capsys, most):
    say_error(UsageError(f"there is no {'x' * most}\n\x1b[2Jin FILE"))
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("error: there is no xx")
    assert line.endswith("in FILE")
    assert line.isprintable()
    assert len(line) < 2100


@pytest.mark.parametrize("seed", range(5))
def test_any_yaml_is_loaded_or_refused(seed):
    rng = random.Random(seed)
    parts = [*"a-1.e%~=,#'[]{}\"\n\t", ": ", "- ", "? ", "&x ", "*x", "<<: ", "!!int ", "|\n "]
    parts += ["---\n", "\\ud800", "\ud800"]
    for _ in range(50):
        text = "".join(rng.choice(parts) for _ in range(rng.randint(1, 40)))
        with contextlib.suppress(YamlError):
            json.dumps(load_yaml(text), default=str, skipkeys=True).encode()


# Nested aliases.
BOMB = "a: &b0 [x, x]\n" + "".join(
    f"b{n}: &b{n} [{', '.join([f'*b{n - 1}'] * 9)}]\n" for n in range(1, 12)
)


@pytest.mark.parametrize(
    ("name", "change", "says"),
    [("llm.jsonl", lambda data: b"null\n" * 5, "llm.jsonl line 1: not a whole call"),
     ("llm.jsonl", lambda data: data[: len(data) // 2], "cut off in the middle"),
     ("llm.jsonl", lambda data: data.replace(b'"answer": "', b'"answer": 5, "x": "'), "whole call"),
     ("llm.jsonl", lambda data: data.splitlines()[0] + b"\nx" * 4_000_000, "llm.jsonl line 2: "),
     ("llm.jsonl", None, "llm.jsonl: missing"),
     ("messages.jsonl", lambda data: b"", "a message is missing"),
     ("messages.jsonl",
      lambda data: data + b'{"hash":"a","role":"user","content":"x"}\n' * 3_000_000,
      "messages that no call names")],
)  # fmt: skip
def test_damaged_calls_are_reported_and_not_replayed(played, tmp_path, name, change, says):
    """Scripted minds do not answer in place of the record, and no unrelated prompt is shown."""
    folder = tmp_path / "run"
    shutil.copytree(played, folder)
    data = (folder / name).read_bytes()
    (folder / name).unlink()
    if change is not None:
        (folder / name).write_bytes(change(data))
    experiment = registry.scenario("double_vein")
    with soon(), pytest.raises(UsageError) as refused:
        command.read_options(experiment, {"replay": folder})
    assert says in str(refused.value)
    assert str(refused.value).startswith(f"{folder} is damaged and cannot be replayed: ")
    assert len(str(refused.value).splitlines()) == 1


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (None, "events.jsonl: missing"),
        ("folder", "events.jsonl: Is a directory"),
        (b"", "no complete event"),
        (b"null\n", "events.jsonl line 1: "),
    ],
)
def test_a_run_without_its_events_is_not_restarted(played, tmp_path, data, says):
    """Regression: the run was restarted, and failed at the record's end without its path."""
    folder = tmp_path / "run"
    shutil.copytree(played, folder)
    (folder / "events.jsonl").unlink()
    if data == "folder":
        (folder / "events.jsonl").mkdir()
    elif data is not None:
        (folder / "events.jsonl").write_bytes(data)
    with soon(), pytest.raises(UsageError) as refused:
        command.read_options(registry.scenario("double_vein"), {"replay": folder})
    assert says in str(refused.value)
    assert str(refused.value).startswith(f"{folder} is damaged and cannot be replayed: ")


def test_a_resumed_minecraft_run_is_not_replayed(played, tmp_path):
    """Its record has an episode twice; regression: the replay failed only in the built world."""
    folder = tmp_path / "run"
    shutil.copytree(played, folder)
    lines = (folder / "events.jsonl").read_text().splitlines()
    resumed = {"id": len(lines) + 1, "t": 0.0, "episode": 0, "agent": None, "kind": "run_resumed"}
    (folder / "events.jsonl").write_text("\n".join([*lines, json.dumps(resumed), *lines[1:]]))
    with soon(), pytest.raises(UsageError) as refused:
        command.read_options(registry.scenario("double_vein"), {"replay": folder})
    assert "was interrupted in Minecraft and resumed" in str(refused.value)
    assert len(str(refused.value).splitlines()) == 1


@pytest.mark.parametrize("name", ["events.jsonl", "messages.jsonl"])
def test_at_most_a_hundred_problems_are_kept(played, tmp_path, name):
    folder = tmp_path / "run"
    shutil.copytree(played, folder)
    before = read_record(folder)
    with (folder / name).open("ab") as file:
        file.write(b"{\n" * 3_000_000)
    with soon():
        record = read_record(folder)
    assert record.events == before.events
    assert record.calls == before.calls
    assert sum(problem.startswith(name) for problem in record.problems) == 101
    assert record.damage is not None


def test_a_killed_run_is_replayed_up_to_its_end(played, tmp_path):
    folder = tmp_path / "run"
    shutil.copytree(played, folder)
    for name in ("events.jsonl", "llm.jsonl"):
        data = (folder / name).read_bytes()
        (folder / name).write_bytes(data[:-20])
    experiment = registry.scenario("double_vein")
    assert command.read_options(experiment, {"replay": folder})[2].lost_calls is None


@pytest.mark.parametrize("action", ["replay", "resume"])
@pytest.mark.parametrize(
    ("text", "says"),
    [(BOMB, "run.yaml: "), ("", "run.yaml: no settings by name"),
     (None, "run.yaml: Is a directory"),
     ("scenario: double_vein\nformat: FORMAT\noptions: {}\nconfig: 7\n", "config: no settings"),
     ("scenario: double_vein\nformat: FORMAT\noptions: [1]\n", "options: no settings")],
)  # fmt: skip
def test_damaged_settings_are_reported(tmp_path, action, text, says):
    if text is None:
        (tmp_path / "run.yaml").mkdir()
    else:
        (tmp_path / "run.yaml").write_text(text.replace("FORMAT", str(FORMAT)))
    with soon(), pytest.raises(UsageError) as refused:
        command.read_options(registry.scenario("double_vein"), {action: tmp_path})
    assert str(refused.value).startswith(f"{tmp_path} is damaged and cannot be ")
    assert says in str(refused.value)
    assert len(str(refused.value).splitlines()) == 1


@pytest.mark.parametrize("name", ["result.json", "result.json.part"])
def test_a_run_whose_result_cannot_be_written_is_not_resumed(played, tmp_path, name):
    """Regression: the run was played to the end, and only then failed."""
    folder = tmp_path / "run"
    shutil.copytree(played, folder)
    (folder / name).unlink(missing_ok=True)
    (folder / name).mkdir()
    with soon(), pytest.raises(UsageError, match=f"cannot be resumed: {name} is a folder"):
        command.read_options(registry.scenario("double_vein"), {"resume": folder})
