"""Runs that are watched: in a real browser, while they go on and side by side."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading

import pytest

from analysis.report.shelf import Shelf, standing
from analysis.report.watch import Watch, follow, hides_minds
from records import RunWriter, SimulatedClock, events
from tests.browser import open_page, until, violations
from tests.conftest import ROOT, run_module
from tests.pages import long_silent, run_app, wait_for_feed, written


@pytest.fixture
def watching():
    """Starts ``python -m analysis watch`` and gives the process and its address."""
    started = []

    def start(folder, *options):
        command = [sys.executable, "-m", "analysis", "watch", str(folder), *options]
        process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
        started.append(process)
        assert process.stdout is not None
        assert process.stdout.readline().startswith("following ")
        return process, process.stdout.readline().split()[1]

    yield start
    for process in started:
        process.kill()
        process.wait()


def test_a_live_run_is_followed_until_it_ends(browser, watching, tmp_path):
    folder = tmp_path / "runs" / "b"
    written(tmp_path / "runs" / "a", (events.Chat, "Anna", {"text": "Long ago"}))
    os.utime(tmp_path / "runs" / "a" / "run.yaml", (0, 0))
    folder.mkdir(parents=True)
    with RunWriter(folder, {"scenario": "made_up", "mind": "scripted"}) as writer:
        writer.event(events.Chat, "Anna", text="Hello")
        process, address = watching(tmp_path)
        page, complaints = open_page(browser, address)
        wait_for_feed(page, "Hello")
        assert page.inner_text("#state") == "live"
        writer.event(events.Chat, "Bert", text="Good day")
        wait_for_feed(page, "Good day")
        message = {"role": "user", "content": "What now?"}
        writer.write_call(
            {"role": "action", "agent": "Bert", "messages": [message], "answer": "Dig."}
        )
        page.wait_for_selector("#tab-prompts")
        page.click("#tab-prompts")
        page.locator("#panel details > summary").first.click()
        until(page, "document.getElementById('panel').textContent.includes('Dig.')")
        assert "What now?" in page.inner_text("#panel")
        writer.event(events.RunEnded, reason="done")
        writer.write_result({"scenario": "made_up", "mean": {"welfare": 12.5}})
    until(page, "document.getElementById('state').textContent == 'the run has ended'")
    page.click("#tab-result")
    until(page, "document.getElementById('panel').textContent.includes('12.5')")
    wait_for_feed(page, "the run ended: done")
    assert complaints == []
    page.close()
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=120) == 130


@pytest.fixture
def watched(tmp_path):
    """A server of this process for the runs of a folder, of which one has ended."""
    folder = written(tmp_path / "made_up" / "first", (events.Chat, "Anna", {"text": "Long ago"}))
    (folder / "result.json").write_text("{}")
    os.utime(folder / "run.yaml", (0, 0))
    server = Watch([tmp_path], "127.0.0.1", 0)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.stopping.set()
    server.shutdown()
    server.server_close()


def test_the_newest_run_is_followed_also_when_it_begins_later(browser, watched, tmp_path):
    page, complaints = open_page(browser, watched.address)
    wait_for_feed(page, "Long ago")
    written(tmp_path / "made_up" / "second", (events.Chat, "Bert", {"text": "Good day"}))
    wait_for_feed(page, "Good day")
    page.click("#all-runs")
    page.click("text=made_up/first")
    wait_for_feed(page, "Long ago")
    assert page.url.endswith("/run/made_up/first/")
    assert complaints == []
    page.close()


def test_two_runs_are_chosen_from_the_list_and_shown_at_the_same_moment(browser, watched, tmp_path):
    for name, last in (("slow", 40), ("quick", 20)):
        clock = SimulatedClock()
        folder = tmp_path / "made_up" / name
        folder.mkdir()
        with RunWriter(folder, {"scenario": "made_up", "mind": "scripted"}, clock) as writer:
            for t in (0, last // 2, last):
                clock.set(t)
                writer.event(events.Chat, "Anna", text=f"{name} at {t}")
    page = browser.new_page()
    page.goto(f"{watched.address}runs")
    assert violations(page) == []
    assert page.is_disabled("#beside")
    for name in ("slow", "quick"):
        page.check(f"[value='made_up/{name}']")
    page.click("#beside")
    page.wait_for_selector("html[data-ready=yes]", state="attached")
    page.evaluate(
        """() => {
            moment.value = 20
            moment.dispatchEvent(new Event('input'))
        }"""
    )
    one, other = page.frames[1:]
    assert page.get_attribute("#moment", "max") == "40"
    for frame in (one, other):
        frame.wait_for_selector("#feed >> text=at 20")
    one.evaluate(
        """() => {
            const time = document.getElementById('time')
            time.value = 0
            time.dispatchEvent(new Event('input'))
        }"""
    )
    page.wait_for_selector("#at:text-is('0.0')")
    assert other.evaluate("location.hash") == "#t=0"
    assert violations(page) == []
    page.close()


def test_runs_are_listed_with_their_states_and_sweeps_with_what_is_done(tmp_path):
    names = ("live", "silent", "ended", "failed <b>", "gone on with", "copied")
    for number, name in enumerate(names):
        folder = written(tmp_path / "made_up" / name, (events.Chat, "Anna", {"text": "Hello"}))
        os.utime(folder / "run.yaml", (number, number))
    long_silent(tmp_path / "made_up" / "silent")
    (tmp_path / "made_up" / "ended" / "result.json").write_text("{}")
    (tmp_path / "made_up" / "failed <b>" / "result.json").write_text('{"error": "no server"}')
    (tmp_path / "made_up" / "gone on with" / "result.json").write_text("{}")
    copied = tmp_path / "made_up" / "copied"
    (copied / "result.json").write_text("{}")
    with (copied / "events.jsonl").open("a") as file:
        file.write(events.RunEnded(id=2, t=1, episode=0, reason="done").model_dump_json() + "\n")
    for name in ("gone on with", "copied"):  # older than events
        os.utime(tmp_path / "made_up" / name / "result.json", (0, 0))
    results = tmp_path / "sweep" / "results"
    results.mkdir(parents=True)
    plan = {"seeds": 3, "conditions": {"one": {}, "two": {}}}
    (tmp_path / "sweep" / "plan.json").write_text(json.dumps(plan))
    for job in range(4):
        (results / f"{job}.json").write_text("{}")
    (tmp_path / "plan.json").write_text("[]")
    shelf = Shelf([tmp_path])
    assert shelf.newest().name == "copied"
    assert list(shelf.runs()) == [f"made_up/{name}" for name in reversed(names)]
    assert shelf.sweeps() == [("sweep", 4, 6)]
    page = shelf.page()
    states = re.findall(r"<td>(live|no result|ended|failed)</td>", page)
    assert states == ["ended", "live", "failed", "ended", "no result", "live"]
    assert "sweep: 4 of 6" in page
    assert "<b>" not in page
    with pytest.raises(FileNotFoundError):
        Shelf(tmp_path / "nowhere").newest()


def test_runs_that_are_called_alike_are_told_apart(tmp_path):
    """A run and its copy, say from another machine: neither takes the other's place."""
    for where in ("one", "two"):
        written(tmp_path / where / "made_up" / "a", (events.Chat, "Anna", {"text": where}))
    written(tmp_path / "two" / "made_up" / "b", (events.Chat, "Anna", {"text": "alone"}))
    folders = [tmp_path / "one", tmp_path / "two"]
    assert set(Shelf(folders).runs()) == {"one/made_up/a", "two/made_up/a", "made_up/b"}
    pages = tmp_path / "pages"
    assert run_app(["report", *map(str, folders), "--out", str(pages)]) in (0, None)
    found = sorted(path.name for path in pages.iterdir())
    assert found == ["made_up-b.html", "one-made_up-a.html", "two-made_up-a.html"]


def test_a_page_says_when_a_run_is_over_or_silent(browser, watched, tmp_path):
    """A run whose end cannot be read is over once it has a result; a killed one is silent."""
    folder = written(tmp_path / "runs" / "a", (events.Chat, "Anna", {"text": "Hello"}))
    path = folder / "events.jsonl"
    path.write_text(path.read_text() + "nothing\n" * 200)
    long_silent(folder)
    page, _ = open_page(browser, watched.address)
    said = "text => document.getElementById('state').textContent === text"
    until(page, said, "no result; nothing was written for a minute")
    wait_for_feed(page, "Hello")
    os.utime(path)
    until(page, said, "live")
    (folder / "result.json").write_text('{"unfinished": true}')
    assert standing(folder) == "live", "another of its runs may begin"
    (folder / "result.json").write_text("{}")
    until(page, said, "the run has ended")
    page.close()


def test_a_page_outlives_its_server(browser, watching, tmp_path):
    written(tmp_path / "runs" / "a", (events.Chat, "Anna", {"text": "Hello"}))
    process, address = watching(tmp_path)
    page, _ = open_page(browser, address)
    wait_for_feed(page, "Hello")
    process.kill()
    process.wait()
    until(page, "document.getElementById('state').textContent.includes('is lost')")
    watching(tmp_path, "--port", address.rstrip("/").rpartition(":")[2])
    until(page, "document.getElementById('state').textContent == 'live'")
    wait_for_feed(page, "Hello")
    page.close()


def test_other_sites_names_for_this_machine_are_refused(watching, tmp_path):
    written(tmp_path / "runs" / "a", (events.Chat, "Anna", {"text": "Hello"}))
    _, address = watching(tmp_path)
    host, port = address.removeprefix("http://").rstrip("/").split(":")
    for name, status in (("evil.example", 403), ("localhost", 200), ("127.0.0.1", 200)):
        connection = http.client.HTTPConnection(host, int(port), timeout=60)
        connection.request("GET", "/", headers={"Host": f"{name}:{port}"})
        assert connection.getresponse().status == status
        connection.close()
    for path in ("/call/0", "/call/x", "/etc/passwd", "/../run.yaml"):
        connection = http.client.HTTPConnection(host, int(port), timeout=60)
        connection.request("GET", path)
        assert connection.getresponse().status == 404
        connection.close()


@pytest.mark.parametrize(
    ("query", "status", "told"),
    [
        ("run=made_up/first&run=made_up/first", 200, "same moment"),
        ("run=made_up/first", 400, "two runs stand beside each other"),
        ("", 400, "two runs stand beside each other"),
        ("run=made_up/first&run=nowhere", 404, "there is no run"),
    ],
)
def test_two_runs_that_are_there_stand_side_by_side(watched, query, status, told):
    host, port = watched.address.removeprefix("http://").rstrip("/").split(":")
    connection = http.client.HTTPConnection(host, int(port), timeout=60)
    connection.request("GET", f"/side?{query}")
    answer = connection.getresponse()
    assert (answer.status, told in answer.read().decode()) == (status, True)
    connection.close()


def test_a_port_that_is_taken(tmp_path):
    written(tmp_path / "runs" / "a", (events.Chat, "Anna", {"text": "Hello"}))
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = run_module("analysis", "watch", str(tmp_path), "--port", str(port))
    assert (done.returncode, len(done.stderr.strip().splitlines())) == (2, 1)
    assert f"cannot serve on 127.0.0.1, port {port}" in done.stderr


def test_who_plays_does_not_read_what_others_think_however_long_it_takes(tmp_path):
    """A run that waits for a person writes nothing: after a minute it is silent, and goes on."""
    folder = tmp_path / "a"
    folder.mkdir()
    manifest = {"scenario": "made_up", "mind": "scripted", "agents": {"Ada": "human"}}
    with RunWriter(folder, manifest) as writer:
        writer.event(events.Chat, "Ben", text="Hello")
        writer.event(events.HiddenThought, "Ben", text="Nine would do.")
        writer.event(events.Interviewed, "Ben", by="Ada", text="Nine would do.")
        told = {"by": "Ada", "text": 'Ada asked me. I answered: "Nine would do."'}
        writer.event(events.Intervention, "Ben", action="whisper", **told)
    long_silent(folder)
    assert standing(folder) == "silent"

    def texts(**options):
        told = follow(folder, lambda: True, **options)
        return [text for kind, data in told if kind == "batch" for text in data["texts"]]

    assert hides_minds(folder)
    assert not any("Nine" in text for text in texts())
    assert sum("Nine" in text for text in texts(shows_minds=True)) == 3
    with RunWriter.reopen(folder) as writer:
        writer.event(events.RunEnded, reason="done")
    assert sum("Nine" in text for text in texts()) == 3, "it is over"
