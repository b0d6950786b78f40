"""Live runs in a real browser, alone and side by side."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from dataclasses import asdict

import pytest

from tests.browser import open_page, until, violations
from tests.conftest import ROOT
from tests.pages import long_silent, run_app, wait_for_feed, written
from voxpolis.analysis.report.gallery import Links, cards_of, index
from voxpolis.analysis.report.run_list import Shelf, run_state
from voxpolis.analysis.report.watch import Watch, follow, hides_minds
from voxpolis.records import RunWriter, SimulatedClock, events
from voxpolis.records.process import is_running, lock_run
from voxpolis.records.questions import ANSWERS, QUESTIONS, Choice, OpenQuestions, Question, answer


@pytest.fixture
def watching():
    """Return a function that starts ``python -m analysis watch``: it returns process, address."""
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
        page, complaints = open_page(browser, f"{address}newest/")
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
    until(page, "document.getElementById('outcome').textContent.includes('12.5')")
    wait_for_feed(page, "the run ended: done")
    assert complaints == []
    page.close()
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=120) == 130


@pytest.fixture
def watched(tmp_path):
    """A server, in this process, for a folder of runs, one of which has ended."""
    folder = written(tmp_path / "made_up" / "first", (events.Chat, "Anna", {"text": "Long ago"}))
    (folder / "result.json").write_text("{}")
    os.utime(folder / "run.yaml", (0, 0))
    server = Watch([tmp_path], "127.0.0.1", 0)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.stopping.set()
    server.shutdown()
    server.server_close()


def test_the_page_switches_to_a_run_that_begins_later(browser, watched, tmp_path):
    page, complaints = open_page(browser, f"{watched.address}newest/")
    wait_for_feed(page, "Long ago")
    written(tmp_path / "made_up" / "second", (events.Chat, "Bert", {"text": "Good day"}))
    wait_for_feed(page, "Good day")
    page.click("#all-runs")
    page.click("[id='made_up/first'] a")
    wait_for_feed(page, "Long ago")
    assert page.url.endswith("/run/made_up/first/")
    assert complaints == []
    page.close()


def plays(page):
    page.click("#seat button")


def scrubs(page):
    page.click("#lanes", position={"x": 300, "y": 10})


@pytest.mark.parametrize("does", [plays, scrubs])
def test_a_newer_run_does_not_replace_the_page_of_a_busy_user(browser, watched, tmp_path, does):
    """The page offers the newer run, and continues to follow its current one."""
    folder = tmp_path / "made_up" / "busy"
    folder.mkdir()
    clock = SimulatedClock()
    settings = {"scenario": "made_up", "mind": "scripted", "world": "grid", "takes": ["say"]}
    with RunWriter(folder, {**settings, "agents": {"Anna": "piano"}}, clock) as writer:
        for t in range(20):
            clock.set(t)
            writer.event(events.Chat, "Anna", text=f"It is {t}")
        if does is plays:
            choice = (Choice("go", "ArrowUp"),)
            for name in ("q1", "q2"):
                asked = Question(name, "Anna", "step", "", "", "", choice, time.time() + 600)
                with (folder / QUESTIONS).open("a") as file:
                    file.write(json.dumps(asdict(asked)) + "\n")
        page, complaints = open_page(browser, f"{watched.address}newest/")
        wait_for_feed(page, "It is 19")
        if does is plays:
            until(page, "!document.getElementById('seat').hidden")
        does(page)
        moment = page.inner_text("#now").partition(" of ")[0]
        written(tmp_path / "made_up" / "second", (events.Chat, "Bert", {"text": "Good day"}))
        page.wait_for_selector("#newer", state="visible")
        assert page.url.partition("#")[0].endswith("/run/made_up/busy/")
        clock.set(30)
        writer.event(events.Chat, "Anna", text="It is 30")
        until(page, "document.getElementById('now').textContent.includes('of 0:30')")
        assert does is plays or page.inner_text("#now").startswith(moment)
        if does is plays:
            with (folder / QUESTIONS).open("a") as file:
                file.write('{"closes": "q1"}\n')
            until(page, "document.getElementById('seat').dataset.question == 'q2'")
            page.keyboard.press("ArrowUp")
            until(page, "document.getElementById('seat').innerText.includes('sent')")
            answers = [json.loads(line)["to"] for line in (folder / ANSWERS).open()]
            assert answers == ["q1", "q2"]
        page.click("#newer")
        wait_for_feed(page, "Good day")
        assert complaints == []
        page.close()


def test_a_killed_run_is_immediately_shown_as_over(browser, watched, tmp_path):
    """Even if the run was waiting for a person; the keys for answering then disappear."""
    command = [sys.executable, "-m", "scenarios.double_vein", "--world", "grid"]
    playing = subprocess.Popen([*command, "--human", "Glitch", "--out", tmp_path], cwd=ROOT)
    try:
        while not [*tmp_path.glob("double_vein/*/questions.jsonl")]:
            assert playing.poll() is None
            time.sleep(0.05)
        (folder,) = tmp_path.glob("double_vein/*")
        page, _ = open_page(browser, f"{watched.address}run/double_vein/{folder.name}/")
        until(page, "document.getElementById('seat').innerText.includes('Glitch, your step')")
        assert (run_state(folder), is_running(folder)) == ("live", True)
    finally:
        playing.kill()
        playing.wait()
    killed = time.monotonic()
    until(page, "document.getElementById('state').textContent.includes('the record has no end')")
    assert time.monotonic() - killed < 10, "seconds, on a slow machine too"
    assert page.is_hidden("#seat")
    assert page.is_hidden("#outside")
    assert "its process is gone" in page.inner_text("#outcome")
    assert (run_state(folder), is_running(folder)) == ("gone", False)
    assert "ended without a result" in watched.index()
    (question,) = OpenQuestions(folder).now()
    with pytest.raises(ValueError, match="no longer open"):
        answer(folder, question["name"], "ArrowUp")
    page.close()


def test_two_runs_selected_in_the_list_are_shown_side_by_side(browser, watched, tmp_path):
    for name, last in (("slow", 40), ("quick", 20)):
        clock = SimulatedClock()
        folder = tmp_path / "made_up" / name
        folder.mkdir()
        with RunWriter(folder, {"scenario": "made_up", "mind": "scripted"}, clock) as writer:
            for t in (0, last // 2, last):
                clock.set(t)
                writer.event(events.Chat, "Anna", text=f"{name} at {t}")
    page = browser.new_page()
    page.goto(watched.address)
    assert violations(page) == []
    assert page.is_hidden("#beside")
    for name in ("slow", "quick"):
        page.check(f"[value='made_up/{name}']")
    page.click("#beside")
    page.wait_for_selector("html[data-ready=yes]", state="attached")
    assert page.inner_text("#play") == "Pause", "both play when they are loaded"
    assert "ended without a result" in page.inner_text("section >> nth=0")
    page.evaluate(
        """() => {
            moment.value = 20
            moment.dispatchEvent(new Event('input'))
        }"""
    )
    one, other = page.frames[1:]
    assert page.get_attribute("#moment", "max") == "40"
    assert "Ended at" not in page.inner_text("main")
    page.wait_for_selector("#at:text-is('0:20.0 of 0:40.0')")
    assert one.is_visible("#map")
    assert one.is_hidden("#timeline"), "there is one time bar, and one button that plays"
    assert one.is_hidden("#side")
    edges = [part.bounding_box() for part in page.locator("iframe").all()]
    assert edges[0]["y"] == edges[1]["y"]
    page.set_viewport_size({"width": 390, "height": 844})
    upper, lower = (part.bounding_box() for part in page.locator("iframe").all())
    assert upper["y"] + upper["height"] <= lower["y"] < lower["y"] + lower["height"] <= 844
    for frame in (one, other):
        frame.wait_for_selector("#feed >> text=at 20", state="attached")
    page.evaluate("moment.value = 30, moment.dispatchEvent(new Event('input'))")
    page.wait_for_selector("section:has-text('Ended at 0:20.0.') >> nth=0")
    assert "Ended at" not in page.inner_text("section >> nth=1"), "the longer run goes on"
    one.evaluate(
        """() => {
            const time = document.getElementById('time')
            time.value = 0
            time.dispatchEvent(new Event('input'))
        }"""
    )
    page.wait_for_selector("#at:text-is('0:00.0 of 0:40.0')")
    until(other, "location.hash === '#t=0'")
    other.press("body", " ")
    assert page.inner_text("#play") == "Pause"
    for frame in (one, other):
        until(frame, "Number(document.getElementById('time').value) > 0")
    page.click("#play")
    assert violations(page) == []
    page.close()


def test_runs_are_shown_side_by_side_at_the_same_moment_of_an_episode(browser, watched, tmp_path):
    for name, spans in (("few", [(0, 10), (20, 30)]), ("many", [(5, 45), (50, 60), (70, 80)])):
        clock, folder = SimulatedClock(), tmp_path / "made_up" / name
        folder.mkdir()
        with RunWriter(folder, {"scenario": "made_up", "mind": "scripted"}, clock) as writer:
            for start, end in spans:
                clock.set(start)
                writer.event(events.EpisodeStarted, run=0, attempt=1, seed=0)
                clock.set(end)
                writer.event(events.EpisodeEnded, reason="time_limit", seconds=end - start)
    page, complaints = open_page(browser, f"{watched.address}side?run=made_up/few&run=made_up/many")
    page.click("#play")
    for episode, after, moments, told in (
        ("0", 15, ("10", "20"), "episode 1. Ended at 0:10.0."),
        ("1", 3, ("23", "53"), "episode 2. "),
        ("2", 4, ("30", "74"), "It has 2 episodes."),
    ):
        page.select_option("#which", episode)
        page.evaluate(f"moment.value = {after}, moment.dispatchEvent(new Event('input'))")
        page.wait_for_selector(f"section:has-text('{told}') >> nth=0")
        for frame, moment in zip(page.frames[1:], moments, strict=True):
            until(frame, f"document.getElementById('time').value === '{moment}'")
    assert violations(page) == []
    assert complaints == []
    page.close()


def test_a_damaged_run_beside_another_says_so(browser, watched, tmp_path):
    for name, text in (("events.jsonl", "nothing\n"), ("result.json", "{}")):
        (tmp_path / "made_up" / "first" / name).write_text(text)
    page, _ = open_page(browser, f"{watched.address}side?run=made_up/first&run=made_up/first")
    page.wait_for_selector("text=No events to show. Not readable: events.jsonl line 1")
    page.close()


def test_the_index_shows_a_new_picture_of_a_run_that_has_grown(watched, tmp_path):
    before = watched.index()
    assert watched.index() == before
    with (tmp_path / "made_up" / "first" / "events.jsonl").open("a") as file:
        file.write(events.Chat(id=9, t=1, episode=0, text="!" * 999).model_dump_json() + "\n")
    after = watched.index()
    pictures = [re.findall(r"src='(\S+picture.svg\S+)'", page) for page in (before, after)]
    assert len(pictures[0]) == 1
    assert pictures[0] != pictures[1]


def test_the_list_shows_states_of_runs_and_progress_of_sweeps(tmp_path):
    names = ("live", "silent", "ended", "failed <b>", "gone on with", "copied", "killed", "cut")
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
    for name in ("killed", "cut"):  # no process has the lock any more
        lock_run(tmp_path / "made_up" / name).close()
    (tmp_path / "made_up" / "cut" / "result.json").write_text('{"unfinished": true}')
    for name in ("gone on with", "copied"):  # the result is older than the events
        os.utime(tmp_path / "made_up" / name / "result.json", (0, 0))
    results = tmp_path / "sweep" / "results"
    results.mkdir(parents=True)
    plan = {"seeds": 3, "conditions": {"one": {}, "two": {}}}
    (tmp_path / "sweep" / "plan.json").write_text(json.dumps(plan))
    for job in range(4):
        (results / f"{job}.json").write_text("{}")
    (tmp_path / "plan.json").write_text("[]")
    shelf = Shelf([tmp_path])
    assert shelf.newest().name == "cut"
    assert list(shelf.runs()) == [f"made_up/{name}" for name in reversed(names)]
    assert shelf.sweeps() == [("sweep", 4, 6)]
    cards = cards_of(shelf.runs())
    states = [card.state for card in cards]
    assert states[:2] == ["interrupted", "ended without a result"]
    assert states[2:] == ["ended", "live", "failed", "ended", "no result", "live"]
    links = {card.name: Links("", "", {}) for card in cards}
    page = index(cards, links, sweeps=shelf.sweeps(), is_live=True)
    named = re.findall("<li class='run' id='made_up/(.*?)'", page)
    assert named[:3] == ["gone on with", "live", "cut"], "live runs come first"
    assert "sweep: 4 of 6" in page
    assert "<b>" not in page
    (tmp_path / "made_up" / "killed" / "result.json").write_text('{"mean": {}}')
    os.utime(tmp_path / "made_up" / "killed" / "result.json", (0, 0))
    (card,) = cards_of({"killed": tmp_path / "made_up" / "killed"})
    assert (card.state, card.problem) == ("damaged", "events.jsonl: its end is missing")
    with pytest.raises(FileNotFoundError):
        Shelf(tmp_path / "nowhere").newest()


def test_runs_with_equal_names_are_distinguished(tmp_path):
    """A run, and a copy of it like one from another machine."""
    for where in ("one", "two"):
        written(tmp_path / where / "made_up" / "a", (events.Chat, "Anna", {"text": where}))
    written(tmp_path / "two" / "made_up" / "b", (events.Chat, "Anna", {"text": "alone"}))
    folders = [tmp_path / "one", tmp_path / "two"]
    assert set(Shelf(folders).runs()) == {"one/made_up/a", "two/made_up/a", "made_up/b"}
    pages = tmp_path / "pages"
    assert run_app(["report", *map(str, folders), "--out", str(pages)]) in (0, None)
    found = sorted(path.name for path in pages.iterdir())
    assert found == ["made_up-b.html", "one-made_up-a.html", "two-made_up-a.html"]


def test_a_page_reconnects_to_a_restarted_server(browser, watching, tmp_path):
    written(tmp_path / "runs" / "a", (events.Chat, "Anna", {"text": "Hello"}))
    process, address = watching(tmp_path)
    page, _ = open_page(browser, f"{address}newest/")
    wait_for_feed(page, "Hello")
    process.kill()
    process.wait()
    until(page, "document.getElementById('state').textContent.includes('is lost')")
    watching(tmp_path, "--port", address.rstrip("/").rpartition(":")[2])
    until(page, "document.getElementById('state').textContent == 'live'")
    wait_for_feed(page, "Hello")
    page.close()


def test_foreign_host_names_are_refused(watched):
    host, port = watched.server_address[:2]
    here = f"127.0.0.1:{port}"
    named = (("evil.example:80", 403), (f"localhost:{port}", 200), (here, 200), ("", 403))
    for name, status in (*named, (f"{here}.evil.com", 403), (f"{here}:80", 403)):
        connection = http.client.HTTPConnection(host, int(port), timeout=60)
        connection.request("GET", "/", headers={"Host": name})
        assert connection.getresponse().status == status
        connection.close()
    for path in ("/newest/call/0", "/newest/call/x", "/etc/passwd", "/../run.yaml"):
        connection = http.client.HTTPConnection(host, int(port), timeout=60)
        connection.request("GET", path)
        assert connection.getresponse().status == 404
        connection.close()


def asked(server, path, **headers):
    """Return the status, headers and text of a server's response."""
    connection = http.client.HTTPConnection(*server.server_address[:2], timeout=60)
    here = f"{server.server_address[0]}:{server.server_address[1]}"
    connection.request("GET", path, headers={"Host": here, **headers})
    got = connection.getresponse()
    found = got.status, dict(got.getheaders()), got.read().decode()
    connection.close()
    return found


@pytest.mark.parametrize(
    ("path", "status", "told"),
    [
        ("/", 200, "made_up/first"),
        ("/newest/", 200, 'data-source="live"'),
        ("/newest", 302, ""),
        ("/run/made_up/first/picture.svg", 200, "<svg"),
        ("/?run=made_up/first", 302, ""),
        ("/?run=%3Cb%3E%1B", 404, "&lt;b&gt;"),
        ("/nope", 404, "There is no such page."),
        ("/run/made_up/none/", 404, "There is no such run."),
        ("/run/made_up/first/call/7", 404, "There is no such call."),
        ("/side?run=made_up/first&run=made_up/first", 200, "same moment"),
        ("/side", 404, "Choose two runs"),
        ("/side?run=%E6%BC%A2&run=x", 404, "There is no run &#x27;\u6f22&#x27;"),
        ("http://[::1", 400, "no page at this address"),
    ],
)
def test_every_address_returns_a_page_with_a_link_back(watched, capsys, path, status, told):
    """Other sites cannot frame the responses, and nothing is printed on the terminal."""
    found, headers, text = asked(watched, path)
    assert (found, told in text) == (status, True)
    assert headers["Content-Security-Policy"] == "frame-ancestors 'self'"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert found == 302 or 'href="/"' in text or "/run/made_up/first/" in text or "<svg" in text
    assert "\x1b" not in text
    if found == 302:
        assert headers["Location"] in ("/run/made_up/first/", "/newest/")
    assert capsys.readouterr() == ("", "")


def test_a_failing_request_prints_one_line_on_the_terminal(watched, capsys, monkeypatch):
    monkeypatch.setattr(Watch, "index", lambda self: {}["\x1b[31m"])
    with pytest.raises(http.client.RemoteDisconnected):
        asked(watched, "/")
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("error: a request failed: KeyError")
    assert "\x1b" not in line


def test_a_participant_never_sees_others_thoughts(tmp_path):
    """A run that waits for a person writes nothing: after a minute it is silent, but still live."""
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
    assert run_state(folder) == "silent"

    def texts(**options):
        told = follow(folder, lambda: True, **options)
        return [text for kind, data in told if kind == "batch" for text in data["texts"]]

    assert hides_minds(folder)
    assert not any("Nine" in text for text in texts())
    assert sum("Nine" in text for text in texts(shows_minds=True)) == 3
    with RunWriter.reopen(folder) as writer:
        writer.event(events.RunEnded, reason="done")
    assert sum("Nine" in text for text in texts()) == 3, "it is over"
