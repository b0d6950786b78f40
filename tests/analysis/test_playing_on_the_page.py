"""A person plays and answers on the page of a live run; other sites cannot."""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
import threading
import time
from dataclasses import asdict

import pytest

from tests.browser import open_page, until, violations
from tests.conftest import ROOT
from tests.pages import written
from voxpolis.analysis.report.watch import HEADER, Watch
from voxpolis.records import RunWriter, events, find_runs, read_record
from voxpolis.records.interventions import FILE, PAUSE_FILE
from voxpolis.records.questions import ANSWERS, QUESTIONS, Question


@pytest.fixture
def serving():
    """Return a function that serves the runs below a folder and returns the server."""
    servers = []

    def start(folder, host="127.0.0.1"):
        server = Watch([folder], host, 0)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        servers.append(server)
        return server

    yield start
    for server in servers:
        server.stopping.set()
        server.shutdown()
        server.server_close()


def wait_for_question(page, text):
    until(page, "text => document.getElementById('seat').innerText.includes(text)", text)


def test_a_person_negotiates_and_plays_in_a_browser(browser, serving, tmp_path):
    command = [sys.executable, "-m", "scenarios.double_vein", "--world", "grid"]
    options = ["--human", "Glitch", "--condition", "negotiate", "--out", str(tmp_path), "--json"]
    playing = subprocess.Popen([*command, *options], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        while not list(find_runs([tmp_path])):
            assert playing.poll() is None
        page, complaints = open_page(browser, f"{serving(tmp_path).address}newest/")
        wait_for_question(page, "Glitch, you are asked: negotiator")
        page.click("#key summary")
        assert "iron ore" in page.inner_text("#legend"), "the arena is shown from the start"
        assert page.inner_text("#mind") == "scripted, and a person"
        assert violations(page) == []
        page.fill("#seat textarea[aria-label=message]", "Hm.")
        page.click("#seat button[type=submit]")
        wait_for_question(page, "must not be empty")  # the proposal had no terms
        page.select_option("#seat select[aria-label=move]", label="accept")
        page.click("#seat button[type=submit]")
        wait_for_question(page, "Glitch, your step")
        until(page, "document.getElementById('map').getAttribute('aria-label')"
              ".endsWith('Gizmo at -1, 5; Glitch at 1, 6')")  # fmt: skip
        assert violations(page) == []
        assert "Gizmo" in page.inner_text("#feed")
        assert "thinks" not in page.inner_text("#feed"), "what Gizmo's offers are worth to it"
        assert page.request.get(f"{page.url.partition('#')[0]}call/0").status == 404
        name = None
        for key in ("ArrowUp", "ArrowUp", ".", "Escape"):
            # between two questions no question is shown, and keys have no effect
            until(page, "last => ![last, undefined, ''].includes(document.getElementById('seat')"
                  ".dataset.question)", name)  # fmt: skip
            name = page.get_attribute("#seat", "data-question")
            page.keyboard.press(key)
        printed, _ = playing.communicate(timeout=200)
        until(page, "document.getElementById('state').textContent == 'the run has ended'")
        until(page, "document.getElementById('feed').innerText.includes('thinks')")
        assert page.is_hidden("#seat")
        assert complaints == []
        page.close()
    finally:
        playing.kill()
    (run,) = json.loads(printed)["runs"]
    assert run["acted"] == ["Gizmo", "Glitch"]
    record = read_record(*find_runs([tmp_path]))
    accepted = [event.accepts for event in record.of(events.NegotiationMessage)]
    assert accepted == [False, True]
    places = [e.position[2] for e in record.of(events.PositionSampled) if e.agent == "Glitch"]
    assert places[:5] == [6, 6, 5, 4, 4], "in the negotiation, before the first step, after steps"
    steps = [json.loads(call["answer"])["step"] for call in record.calls if call["role"] == "step"]
    assert [step.partition(" ")[0] for step in steps] == ["go", "go", "stay", "do"], steps


def test_an_object_answer_has_a_field_per_property(browser, serving, tmp_path):
    """The question's text is never interpreted as markup."""
    folder = written(tmp_path / "made_up" / "one", (events.Chat, "Anna", {"text": "Hello"}))
    nasty = "<img src=x onerror='window.hacked = 1'>"
    text = {"type": "string", "description": nasty}
    schema = {"type": "object", "properties": {"Reasoning": text, "Answer": text}}
    asked = Question("q1", nasty, "react", nasty, schema, nasty, (), time.time() + 600)
    (folder / QUESTIONS).write_text(json.dumps(asdict(asked)) + "\n")
    page, complaints = open_page(browser, f"{serving(tmp_path).address}newest/", 390)
    wait_for_question(page, nasty)
    assert violations(page) == []
    page.fill("#seat textarea >> nth=0", "a guess")
    page.fill("#seat textarea >> nth=1", "true")
    page.click("#seat button[type=submit]")
    wait_for_question(page, "sent")
    (line,) = (folder / ANSWERS).read_text().splitlines()
    assert json.loads(line)["to"] == "q1"
    assert json.loads(json.loads(line)["text"]) == {"Reasoning": "a guess", "Answer": "true"}
    assert page.evaluate("[window.hacked, document.documentElement.scrollWidth]") == [None, 390]
    assert complaints == []
    page.close()


def test_a_spectator_can_tell_ask_and_pause_agents_from_the_page(browser, serving, tmp_path):
    folder = tmp_path / "made_up" / "one"
    folder.mkdir(parents=True)
    manifest = {"scenario": "made_up", "mind": "openai", "world": "grid"}
    manifest |= {"agents": {"Anna": "piano"}}
    taken = {"takes": ["say", "ask", "set"], "interviewed": ["Anna"], "changeable": ["tax_rate"]}
    with RunWriter(folder, {**manifest, **taken}) as writer:
        writer.event(events.Chat, "Anna", text="Hello")
        page, complaints = open_page(browser, f"{serving(tmp_path).address}newest/", 390)
        page.click("#outside summary")
        assert violations(page) == []
        for action, text in (("say", "Hello, Anna."), ("ask", "Why?"), ("set", "0.1")):
            page.select_option("#outside select >> nth=0", action)
            page.fill("#outside form > input", text)
            page.click("#outside button[type=submit]")
            until(page, "document.querySelector('#outside .sent').textContent.startsWith('done')")
            page.evaluate("document.querySelector('#outside .sent').textContent = ''")
        page.fill("#outside label input", "Bea")
        page.click("text=Pause the game")
        until(page, "document.querySelector('#outside .sent').textContent.startsWith('done')")
        assert (folder / PAUSE_FILE).read_text() == "Bea"
        page.fill("#outside label input", "Anna")
        page.click("#outside button[type=submit]")
        until(page, "document.querySelector('#outside .sent').textContent.includes('is an agent')")
        assert page.evaluate("document.documentElement.scrollWidth") == 390
    lines = [json.loads(line) for line in (folder / FILE).read_text().splitlines()]
    told = [(line["agent"], line["action"], line["by"], line["text"]) for line in lines]
    assert told == [
        ("Anna", "say", "Visitor", "Hello, Anna."),
        ("Anna", "ask", "Visitor", "Why?"),
        ("", "set", "Visitor", "tax_rate=0.1"),
    ]
    assert [text for text in complaints if "409" not in text] == []
    page.close()


def request(server, path, body=b"{}", method="POST", **headers):
    host, port = server.server_address[:2]
    connection = http.client.HTTPConnection(host, port, timeout=60)
    own = {"Host": f"127.0.0.1:{port}", HEADER: server.people.token, **headers}
    connection.request(method, path, body, {k: v for k, v in own.items() if v is not None})
    status = connection.getresponse().status
    connection.close()
    return status


def test_other_sites_cannot_intervene(serving, tmp_path):
    folder = written(tmp_path / "made_up" / "one", (events.Chat, "Anna", {"text": "Hello"}))
    server = serving(tmp_path)
    own = f"http://127.0.0.1:{server.server_address[1]}"
    path = "/run/made_up/one/answer"
    body = json.dumps({"to": "nobody", "text": "yes"}).encode()
    # the page is ours, but no question is open
    assert request(server, path, body, Origin=own) == 409
    for headers in (
        {HEADER: None},
        {HEADER: "guessed"},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Host": "evil.example"},
    ):
        assert request(server, path, body, **headers) == 403, headers
    assert request(server, "/run/made_up/one/rm", body) == 404
    assert request(server, "/run/made_up/none/answer", body) == 404
    deep = b"[" * 90_000
    for wrong in (b"[]", b"nonsense", b'{"to": 1}', b'{"from": "me"}', b"{}", deep):
        assert request(server, path, wrong) in (400, 409)
    assert request(server, "/run/made_up/one/continue", b'{"pauses": "x"}') == 409
    assert request(server, "http://[::1", body) == 404
    assert request(server, "http://[::1", b"", method="GET") == 400
    assert request(server, path, b"x" * 200_000) == 413
    assert not (folder / ANSWERS).exists()


def test_a_page_served_to_other_machines_cannot_intervene(serving, tmp_path):
    written(tmp_path / "made_up" / "one", (events.Chat, "Anna", {"text": "Hello"}))
    server = serving(tmp_path, "0.0.0.0")
    assert server.people.token == ""
    assert request(server, "/run/made_up/one/answer", **{HEADER: ""}) == 403
