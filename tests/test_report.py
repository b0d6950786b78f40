"""A run as a page: in a real browser, as a file and while the run goes on."""

from __future__ import annotations

import http.client
import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
import threading
import time

import pytest
from PIL import Image

from analysis.__main__ import app
from analysis.report.encoder import TimelineEncoder
from analysis.report.film import STRIP, Cut, FilmError, shoot
from analysis.report.shelf import Shelf
from analysis.report.story import outcome
from analysis.report.watch import Watch
from records import RunWriter, SimulatedClock, events
from tests.browser import open_browser, open_page, until, violations
from tests.conftest import ROOT, run_module

NASTY = "</script><script>window.hacked = 1</script><img src=x onerror='window.hacked = 2'>"


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with open_browser(tmp_path_factory.mktemp("browser")) as browser:
        yield browser


@pytest.fixture
def opened(browser):
    """Opens a page; at the test's end it must not have complained, or asked for anything."""
    pages = []

    def open_one(path, hash="", **looks):
        page, complaints = open_page(browser, path.as_uri() + hash, **looks)
        pages.append((page, complaints))
        return page

    yield open_one
    for page, complaints in pages:
        page.close()
        assert complaints == []


def made(name, out, *options):
    ran = run_module(f"scenarios.{name}", "--out", str(out), "--json", *options)
    assert ran.returncode == 0, ran.stderr
    (folder,) = out.glob("*/*/")
    return folder


def reported(folder, *options):
    done = run_module("analysis", "report", str(folder), *options)
    assert done.returncode == 0
    assert done.stderr.startswith("1 run found; writing report.html in it\n")
    assert done.stdout.split() == [str(folder / "report.html")]
    return folder / "report.html"


def go_to(page, share):
    """Move the slider to a share of the run's time."""
    page.evaluate(
        """share => {
            const slider = document.getElementById('time')
            slider.value = share * slider.max
            slider.dispatchEvent(new Event('input'))
        }""",
        share,
    )


def wait_for_feed(page, text):
    until(page, "text => document.getElementById('feed').textContent.includes(text)", text)


# --- Reports -------------------------------------------------------------------------------------


def test_a_report_scrubs_folds_and_shows_what_was_said(opened, tmp_path):
    folder = made("double_vein", tmp_path, "--world", "grid", "--contract", "negotiate")
    requests = []
    page = opened(reported(folder))
    page.on("request", lambda request: requests.append(request.url))
    assert page.inner_text("#mind") == "scripted minds, no language model"

    go_to(page, 1.0)
    wait_for_feed(page, "the run ended: done")
    at_the_end = page.screenshot(clip=page.locator("#map").bounding_box())
    held = page.inner_text("#holdings")
    assert "12 raw iron" in held
    go_to(page, 0.3)
    until(page, "!document.getElementById('feed').textContent.includes('run ended')")
    assert page.screenshot(clip=page.locator("#map").bounding_box()) != at_the_end
    assert page.inner_text("#holdings") != held

    page.click("#tab-negotiation")
    thought = page.locator(".thought").first
    assert not thought.locator("p").is_visible()
    thought.locator("summary").click()
    assert "leave both of us the same" in thought.locator("p").inner_text()
    assert page.locator(".contract").count() == 1

    page.click("#tab-prompts")
    page.locator("#panel details > summary").first.click()
    page.wait_for_selector("#panel pre.answer")
    assert "You speak for Gizmo" in page.inner_text("#panel pre >> nth=0")
    page.click("#tab-code")
    assert page.locator("ol.code").count() == 2
    page.click("#tab-configuration")
    assert "seed: 0" in page.inner_text("#panel")

    before = page.inner_text("#now")
    page.click("#play")
    until(page, "before => document.getElementById('now').textContent != before", before)
    page.click("#play")
    page.fill("#search", "contract negotiate")
    go_to(page, 1.0)
    until(page, "document.querySelectorAll('#feed li').length == 1")
    assert requests == []


SOCIETIES = {
    "taxation": (
        ["--condition", "full", "--influencers", "anti", "--runs", "1", "--agents", "6"],
        "#tab-rules",
        "version 1 of the law is in force",
    ),
    "religion": (["--agents", "60", "--set", "length_s=300"], "#tab-result", "critical"),
    "adasociety": (["--mind", "scripted", "--episodes", "2"], "#tab-result", "fairness"),
    "crafting_tree": (["--world", "grid", "--tree", "adasociety"], "#tab-result", "milestones"),
}


@pytest.mark.parametrize("name", SOCIETIES)
def test_each_scenario_has_its_report(opened, tmp_path, name):
    options, tab, text = SOCIETIES[name]
    page = opened(reported(made(name, tmp_path, *options)))
    page.click(tab)
    until(page, "text => document.getElementById('panel').textContent.includes(text)", text)
    go_to(page, 0.5)
    page.select_option("#agent", index=1)
    chosen = page.evaluate("document.getElementById('agent').selectedOptions[0].text")
    until(
        page,
        """who => [...document.querySelectorAll('#feed li b')].every(b => b.textContent == who)""",
        chosen,
    )
    if name == "adasociety":
        page.select_option("#episode", index=1)
        until(page, "document.getElementById('time').value == '120'")
    assert violations(page) == []


def written(folder, *noted):
    """A record by the real writer."""
    folder.mkdir(parents=True)
    with RunWriter(folder, {"scenario": "made_up", "mind": "scripted", "seed": 3}) as writer:
        for kind, agent, fields in noted:
            writer.event(kind, agent, **fields)
    return folder


def test_code_is_shown_with_the_line_that_failed(opened, tmp_path):
    failure = {"status": "error", "message": "no such thing", "line": 2, "column": 1}
    failure |= {"source": "bot.x()", "seconds": 1.0, "logs": ["so far so good"]}
    folder = written(
        tmp_path / "runs" / "a",
        (events.CodeStarted, "Anna", {"code": "// first\nbot.x()\n// last"}),
        (events.CodeFailed, "Anna", failure),
    )
    page = opened(reported(folder))
    page.click("#tab-code")
    assert page.inner_text("ol.code li.broken") == "bot.x()"
    assert "program failed in line 2: no such thing" in page.inner_text("#panel")
    assert "so far so good" in page.inner_text("#panel")


# --- A story, by keys, on any screen -----------------------------------------------------------


@pytest.fixture(scope="module")
def mined(tmp_path_factory):
    """The report of a run in which Gizmo mines and thinks, and slime grows."""
    folder, clock = tmp_path_factory.mktemp("mined"), SimulatedClock()
    result = {"runs": [{"condition": "1", "agents": {"Gizmo": {"reward": 4.0}}}]}
    ore = {"action": "dug", "item": "iron_ore", "count": 1}
    slime = {"ground": [("floor", 0.0, 0.0, 9.0, 9.0)], "blocks": {"slime_block": [(1, 0, 2)]}}
    with RunWriter(folder, {"scenario": "made_up", "mind": "scripted"}, clock) as writer:
        writer.event(events.WorldBuilt, **slime)
        writer.event(events.EpisodeStarted, run=0, attempt=1, seed=0)
        writer.event(events.CodeStarted, "Gizmo", code="mine(4)")
        for second in range(1, 5):
            clock.set(second)
            writer.event(events.PositionSampled, "Gizmo", position=(second, 0, 2))
            writer.event(events.BlockDug, "Gizmo", block="iron_ore", position=(second, 0, 2))
            writer.event(events.LedgerEntry, "Gizmo", **ore)
        writer.event(
            events.PilesChanged, piles=[("slime_block", 1, 2, 0), ("slime_block", 5, 5, 3)]
        )
        clock.set(55)
        writer.event(events.CodeStarted, "Glitch", code="wait()")
        clock.set(60)
        writer.event(events.HiddenThought, "Gizmo", text="Enough.")
        call = {"role": "action", "agent": "Gizmo", "answer": "mine(4)"}
        writer.write_call({**call, "messages": [{"role": "user", "content": "What now?"}]})
        clock.set(100)
        writer.event(events.Chat, "Glitch", text="Hello")
        writer.write_result(result)
    return reported(folder)


def test_a_run_opens_on_its_story_and_leads_to_its_moments(opened, mined):
    page = opened(mined)
    assert page.inner_text("#outcome") == "1 episode of made up under 1: Gizmo gets 4."
    titles = [title.partition(" ")[2] for title in page.locator("#chapters li").all_inner_texts()]
    assert titles == ["episode 1", "first iron ore (Gizmo)"]
    page.click("#chapters li:nth-child(2) button")
    until(page, "location.hash == '#t=1'")
    go_to(page, 0.5)
    wait_for_feed(page, "mined 4 iron ore")
    assert page.locator("#feed li").count() == 4
    assert page.inner_text("#charts").count("slime block") == 1, "how much stands is a curve"


def test_an_address_leads_to_a_moment_and_an_agent(opened, mined):
    page = opened(mined, "#t=70&agent=Gizmo")
    until(page, "document.getElementById('card').textContent.includes('Enough.')")
    assert page.inner_text("#now").startswith("1:10.0 of")
    page.click("#card summary")
    page.wait_for_selector("#card pre.answer")
    assert "What now?" in page.inner_text("#card")
    page.evaluate("location.hash = '#t=2&agent=Gizmo'")
    until(page, "!document.getElementById('card').textContent.includes('Enough.')")
    until(page, "document.getElementById('card').textContent.includes('mine(4)')")


def test_tabs_follow_the_moment_and_the_agent(opened, mined):
    page = opened(mined, "#t=50")
    page.click("#tab-code")
    until(page, "document.querySelectorAll('#panel article').length == 2")
    current = "document.querySelector('#panel [aria-current]')?.textContent.includes('%s') ?? false"
    until(page, current % "mine(4)")
    go_to(page, 1.0)
    until(page, current % "wait()")
    page.select_option("#agent", label="Gizmo")
    until(page, "document.querySelectorAll('#panel article').length == 1")
    until(page, current % "mine(4)")
    page.click("#tab-prompts")
    until(page, "document.querySelectorAll('#panel article').length == 1")
    page.select_option("#agent", label="Glitch")
    until(page, "document.getElementById('panel').textContent.includes('Nothing of Glitch')")
    assert violations(page) == []


@pytest.mark.parametrize(("scheme", "width"), [("light", 390), ("dark", 1400)])
def test_everything_is_there_for_everybody(opened, mined, scheme, width):
    page = opened(mined, "#t=70&agent=Gizmo", width=width, color_scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for tab in page.locator("#tabs button").all():
        tab.click()
        assert violations(page) == []


def test_keys_do_all_that_the_mouse_does(opened, mined):
    page = opened(mined)
    wait_for_feed(page, "Hello")
    stops = page.evaluate(
        """[...document.querySelectorAll('a, button, input, select, summary, [tabindex]')]
            .filter(one => one.tabIndex >= 0 && one.checkVisibility()).length"""
    )
    assert stops < 40, "a list is one stop"
    page.keyboard.press("Home")
    assert page.inner_text("#now").startswith("0:00.0")
    page.keyboard.press("End")
    assert page.inner_text("#now").startswith("1:40.0")
    wait_for_feed(page, "Hello")
    page.focus("#feed")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    until(page, "document.getElementById('now').textContent.startsWith('1:00.0')")
    page.focus("#tab-result")
    page.keyboard.press("End")
    page.keyboard.press("Enter")
    assert page.get_attribute("#tab-configuration", "aria-selected") == "true"
    page.focus("#map")
    before = page.screenshot(clip=page.locator("#map").bounding_box())
    page.keyboard.press("+")
    assert page.screenshot(clip=page.locator("#map").bounding_box()) != before
    page.keyboard.press("0")
    assert page.screenshot(clip=page.locator("#map").bounding_box()) == before


# --- In three dimensions -----------------------------------------------------------------------


@pytest.fixture(scope="module")
def hill(tmp_path_factory):
    """The report of a run in natural land: Ada digs a shaft into a hill, and finds iron."""
    folder, clock = tmp_path_factory.mktemp("hill"), SimulatedClock()
    heights = [70 if x > 7 else 63 for _ in range(16) for x in range(16)]
    land = {"names": ["grass_block", "water"], "heights": heights, "tops": [0] * 256}
    with RunWriter(folder, {"scenario": "made_up", "mind": "scripted"}, clock) as writer:
        for x, z in ((0, 0), (16, 0), (0, 16)):
            writer.event(events.LandSeen, "Ada", x=x, z=z, above=[(1, 0, 0, 64, 64)], **land)
        writer.event(events.TaskStarted, "Ada", task="Mine iron", context="", obtain={})
        for second, y in enumerate(range(70, 62, -1), start=1):
            clock.set(second)
            writer.event(events.BlockDug, "Ada", block="stone", position=(9, y, 9))
            writer.event(events.PositionSampled, "Ada", position=(9.5, y, 9.5))
        writer.event(events.BlocksBared, "Ada", blocks=[("iron_ore", 8, 64, 9)])
        writer.event(events.Inventory, "Ada", items={"iron_ore": 3})
        clock.set(20)
        writer.event(events.Chat, "Ada", text="Iron!")
    return reported(folder)


def changes(page, seen, act=lambda: None):
    """Do something, and wait until the view shows what it has never shown."""
    act()
    clip, deadline = page.locator("#view").bounding_box(), time.monotonic() + 120
    while (now := page.screenshot(clip=clip)) in seen:
        assert time.monotonic() < deadline, "the view stays as it is"
    seen.append(now)


def test_the_world_is_solid_and_can_be_turned_and_cut(opened, hill):
    page, seen = opened(hill, "#t=20&agent=Ada", width=800), []
    changes(page, seen)
    changes(page, seen, lambda: page.click("#as-solid"))
    until(page, "location.hash == '#t=20&agent=Ada&view=3d'")
    for key in ("Shift+ArrowLeft", "Shift+ArrowUp", "ArrowRight", "+"):
        changes(page, seen, lambda key=key: page.press("#scene3d", key))
    changes(page, seen, lambda: page.click("#free"))
    cut = """() => {
        const slice = document.getElementById('slice')
        slice.value = 64
        slice.dispatchEvent(new Event('input'))
    }"""
    changes(page, seen, lambda: page.evaluate(cut))
    assert page.inner_text("#slice-at") == "up to 64"
    assert page.get_attribute("#scene3d", "aria-label") == "Map at 0:20.0: Ada at 10, 10"
    assert violations(page) == []
    page.click("#as-plan")
    until(page, "location.hash == '#t=20&agent=Ada'")


def test_the_camera_shows_a_place_where_its_line_of_sight_meets_the_picture(opened, hill):
    """By the rules of an isometric picture, and of one with perspective."""
    page = opened(hill)
    shown = page.evaluate(
        """async () => {
            const { Camera, facing, isInView } = await import('report/camera.js')
            const camera = new Camera()
            Object.assign(camera, { target: [10, 5, 10], yaw: 0, pitch: Math.PI / 6, size: 20 })
            const view = () => camera.look(400, 200)
            const at = (...point) => camera.project(point).slice(0, 2).map(Math.round)
            view()
            const parallel = [at(10, 5, 10), at(15, 5, 10), at(10, 5, 0), at(10, 10, 10)]
            const inView = [isInView(view(), [9, 4, 9], [11, 6, 11]),
                isInView(view(), [40, 4, 9], [42, 6, 11])]
            const sides = facing(camera.eye, [0, 0, 0], [16, 16, 16])
            camera.isFree = true
            view()
            const [near, far] = [camera.project([11, 5, 15]), camera.project([11, 5, 5])]
            return { parallel, inView, sides, nearer: near[0] > far[0], middle: at(10, 5, 10) }
        }"""
    )
    # a block is 200 / 20 = 10 pixels; along the ground upwards half of that, heights cos 30°
    assert shown["parallel"] == [[200, 100], [250, 100], [200, 50], [200, 57]]
    assert shown["inView"] == [True, False]
    assert shown["sides"] == [True, False, True, True, True, False]
    assert shown["nearer"]
    assert shown["middle"] == [200, 100]


def test_blocks_stand_as_the_record_says(opened, hill):
    """What the page takes to stand at places of the hill, above and below, before and after."""
    page = opened(hill, "#view=3d")
    stands = page.evaluate(
        """async () => {
            const { Voxels } = await import('report/voxels.js')
            const land = { x: 0, z: 0, names: ['grass_block', 'water'], tops: Array(256).fill(0) }
            const heights = Array(256).fill(63)
            const model = {
                worlds: [], columns: [], points: [],
                lands: [{ ...land, heights, above: [[1, 0, 0, 64, 65]] }],
                bared: [{ block: 'iron_ore', x: 5, y: 50, z: 5 }],
                places: [
                    { t: 5, block: 'air', x: 3, y: 63, z: 3 },
                    { t: 9, block: 'torch', x: 3, y: 63, z: 3 }
                ]
            }
            const voxels = new Voxels(model, { t: 0, ground: [], blocks: {}, places: {} })
            const at = (x, y, z, t) => voxels.at(x, y, z, t)
            const chunk = voxels.chunks.get('0,0')
            const seen = [...voxels.seen(chunk, 7, 50)].filter(({ y }) => y === 50)
            return {
                shaft: [4, 5, 9].map((t) => at(3, 63, 3, t)),
                depths: [64, 63, 62, 60, 59].map((y) => at(8, y, 8, 0)),
                water: [at(0, 65, 0, 0), at(0, 66, 0, 0)],
                ore: at(5, 50, 5, 0),
                outside: at(20, 60, 0, 0),
                changed: [...voxels.changedBetween(4, 6)],
                still: [...voxels.changedBetween(6, 8)],
                cut: [seen.length, new Set(seen.map(({ x, z }) => 16 * z + x)).size]
            }
        }"""
    )
    assert stands == {
        "shaft": ["grass_block", "", "torch"],
        "depths": ["", "grass_block", "dirt", "dirt", "unseen rock"],
        "water": ["water", ""],
        "ore": "iron_ore",
        "outside": "",
        "changed": ["0,0"],
        "still": [],
        "cut": [256, 256],
    }


def test_every_block_of_minecraft_has_the_colour_of_a_family(opened, hill):
    folder = ROOT / "node_modules" / "minecraft-data" / "minecraft-data" / "data"
    paths = json.loads((folder / "dataPaths.json").read_text())["pc"]["1.20.4"]
    names = [b["name"] for b in json.loads((folder / paths["blocks"] / "blocks.json").read_text())]
    page = opened(hill)
    without = page.evaluate(
        """async (names) => {
            const { familyColour } = await import('report/blocks.js')
            return names.filter((name) => !familyColour(name))
        }""",
        names,
    )
    assert without == ["air", "void_air", "cave_air"]


def test_without_webgl_the_plan_shows_the_run(browser, hill):
    context = browser.new_context()
    context.add_init_script(
        """const { getContext } = HTMLCanvasElement.prototype
        HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
            return kind.startsWith('webgl') ? null : getContext.call(this, kind, ...rest)
        }"""
    )
    page, complaints = open_page(context, hill.as_uri() + "#view=3d")
    assert page.is_visible("#map")
    assert "has no WebGL 2" in page.inner_text("#no-solid")
    assert complaints == []
    context.close()


# --- Films -------------------------------------------------------------------------------------


def test_a_film_shows_the_moments_of_a_run_and_its_outcome(browser, hill, tmp_path):
    made = []
    cut = Cut(seconds=0.4, rate=10, width=320, end=20.0)
    shoot(browser, hill.parent, tmp_path / "film.gif", cut, made.append)
    with Image.open(tmp_path / "film.gif") as film:
        assert film.size == (320, 180 + STRIP)
        durations, pictures = [], []
        for number in range(film.n_frames):
            film.seek(number)
            durations.append(film.info["duration"])
            pictures.append(film.convert("RGB").tobytes())
    assert made == [1, 2, 3, 4]
    assert len(set(pictures)) == 4, "the last one stays, and is one picture"
    assert sum(durations) == 400 + 2000
    with pytest.raises(FilmError, match="the run ends at 20 s, and the film begins at 30 s"):
        shoot(browser, hill.parent, tmp_path / "late.gif", Cut(begin=30.0))


@pytest.mark.parametrize(
    ("lacking", "options", "says"),
    [
        ("playwright.sync_api", [], "pip install playwright && playwright install chromium"),
        (None, ["--out", "a.gif"], "there is no browser that starts"),
    ],
)
def test_a_film_without_a_browser_says_what_to_install(
    tmp_path, monkeypatch, capsys, lacking, options, says
):
    written(tmp_path / "a", (events.Chat, "Anna", {"text": "Hello"}))
    monkeypatch.setenv("VOXPOLIS_BROWSER", str(tmp_path / "nowhere"))
    if lacking:
        monkeypatch.setitem(sys.modules, lacking, None)
    ran = []
    thread = threading.Thread(  # Playwright has one loop a thread, and the tests' browser has it
        target=lambda: ran.append(run_app(["film", str(tmp_path / "a"), *options]))
    )
    thread.start()
    thread.join()
    assert ran == [2]
    (line,) = capsys.readouterr().err.splitlines()
    assert says in line


def run_app(words):
    """Run a command of ``python -m analysis``, and return its exit code."""
    try:
        app(words)
    except SystemExit as end:
        return end.code


def test_attempts_are_not_called_episodes(opened, tmp_path):
    started = [
        (events.EpisodeStarted, None, {"run": run, "attempt": attempt, "seed": 3})
        for run, attempt in ((0, 1), (0, 2), (1, 1))
    ]
    page = opened(reported(written(tmp_path / "runs" / "a", *started)))
    until(page, "document.querySelectorAll('#episode option').length == 3")
    choices = page.locator("#episode option").all_text_contents()
    assert choices == ["episode 1", "episode 1, attempt 2", "episode 2"]


def test_what_agents_write_is_never_markup(opened, tmp_path):
    folder = written(
        tmp_path / "runs" / "a",
        (events.Chat, NASTY, {"text": NASTY}),
        (events.PositionSampled, NASTY, {"position": (0.0, 0.0, 0.0)}),
        (events.NegotiationMessage, NASTY, {"text": NASTY, "proposal": NASTY, "accepts": False}),
        (events.ContractAgreed, None, {"name": NASTY, "text": NASTY}),
        (events.CodeStarted, NASTY, {"code": NASTY}),
    )
    (folder / "result.json").write_text(json.dumps({NASTY: {NASTY: NASTY}, "n": float("nan")}))
    page = opened(reported(folder))
    go_to(page, 1.0)
    wait_for_feed(page, NASTY)
    for tab in page.locator("#tabs button").all():
        tab.click()
        assert NASTY in page.inner_text("#panel") or "configuration" in tab.get_attribute("id")
    assert page.evaluate("window.hacked") is None


def test_a_broken_run_is_shown_as_far_as_it_goes(opened, tmp_path):
    folder = written(tmp_path / "runs" / "a", (events.Chat, "Anna", {"text": "Hello"}))
    with (folder / "events.jsonl").open("ab") as file:
        file.write(b'\x00\xff{]\n{"t":1.5,"kind":"of_the_future","what":"news"}\n')
        file.write(b'{"t":2.0,"episode":0,"agent":"Anna","kind":"vote"}\n{"t":3.0,"ki')
    (folder / "run.yaml").write_text("scenario: [")
    page = opened(reported(folder))
    go_to(page, 1.0)
    wait_for_feed(page, "what: news")
    text = page.inner_text("#panel")
    assert "There is no result" in text
    for problem in ("line 2: not a whole event", "line 5: cut off in the middle", "run.yaml"):
        assert problem in text


def test_a_record_of_500_agents_and_100_megabytes_stays_usable(opened, tmp_path):
    """Each step is done when its outcome is on the page; how long it took is not judged here."""
    folder = tmp_path / "runs" / "large"
    folder.mkdir(parents=True)
    (folder / "run.yaml").write_text("scenario: religion\nmind: scripted\n")
    length = write_large(folder / "events.jsonl", 100_000_000)
    page = opened(reported(folder))
    assert (folder / "report.html").stat().st_size < 30_000_000
    for share in (0.9, 0.1, 0.5):
        go_to(page, share)
        until(
            page,
            """t => { const first = document.querySelector('#feed li time');
                return first && Math.abs(seconds(first.textContent) - t) < 11
                function seconds(text) {
                    return text.split(':').reduce((sum, part) => 60 * sum + Number(part), 0) } }""",
            share * length,
        )
    page.fill("#search", "needle")
    go_to(page, 1.0)
    until(page, "document.querySelectorAll('#feed li b').length == 1")
    assert page.inner_text("#feed li").endswith("“a needle” (0 hear)")


def write_large(path, size):
    """Positions and talk of 500 agents; gives their last second."""
    chance, t = random.Random(0), 0
    names = [f"P{number}" for number in range(500)]
    head = '{{"t":{t},"episode":0,"agent":"{name}","kind":"{kind}","position":[{x},0.0,{z}]'
    with path.open("w") as file:
        while file.tell() < size:
            t += 10
            for name in names:
                x, z = chance.randrange(1000), chance.randrange(1000)
                file.write(head.format(t=t, name=name, kind="position", x=x, z=z) + "}\n")
            for name in chance.sample(names, 150):
                said = head.format(t=t, name=name, kind="spoke", x=1.0, z=2.0)
                text = "a needle" if t == 50 and file else f"Have you heard of {x}?"
                hearers = json.dumps(chance.sample(names, 6) if text != "a needle" else [])
                file.write(f'{said},"text":"{text}","hearers":{hearers}}}\n')
                if text == "a needle":
                    break
    return t


def test_a_kind_is_told_by_its_class_alone():
    """Of every kind a batch has its lane and its line, and of some the whole event."""
    encoder = TimelineEncoder()
    for number, kind in enumerate(events.kinds()):
        encoder.take({"t": number, "kind": kind.model_fields["kind"].default})
    encoder.take({"t": 1e3, "kind": "chat", "text": "Hi"})
    encoder.take({"t": 1e3, "kind": "of_the_future", "what": "news"})
    batch = encoder.batch()
    lanes = dict(batch["kinds"])
    assert set(lanes) > {kind.model_fields["kind"].default for kind in events.kinds()}
    assert (lanes["chat"], lanes["vote"], lanes["of_the_future"]) == ("talk", "rules", "run")
    assert set(lanes.values()) == set(events.LANES)
    assert batch["texts"][-2:] == ["“Hi”", "what: news"]
    assert batch["texts"][list(lanes).index("vote")] == "", "it has no choices"
    assert batch["details"][list(lanes).index("vote")] is not None
    assert batch["details"][-2] is None


def test_conditions_never_share_a_line():
    """Each episode's taxes are a line of its own, which is called by its condition."""
    encoder = TimelineEncoder()
    for episode, condition in enumerate(("pro", "anti", "pro")):
        t = 100.0 * episode
        told = {"t": t, "episode": episode}
        encoder.take({**told, "kind": "condition_started", "condition": condition, "agents": []})
        for agent, share in (("Ada", 0.1), ("Ben", 0.3)):
            paid = {"kind": "tax_paid", "season": 1, "share": share, "agent": agent}
            encoder.take({**told, **paid})
    points = encoder.batch()["points"]
    lines = dict(zip(points["series"], points["y"], strict=True))
    assert lines == {"pro": 20.0, "anti": 20.0, "pro, run 2": 20.0}


@pytest.mark.parametrize(
    ("facts", "result", "said"),
    [
        ({}, None, "There is no result: the run has not ended, or was cut off."),
        ({}, {"error": "no server"}, "The run failed: no server"),
        (
            {"scenario": "double_vein", "contract": "1"},
            {"mean": {"welfare": 78.0, "gini": 0.05}, "runs": [{"condition": "1"}] * 2},
            "2 episodes of double vein under contract 1: on average welfare 78, gini 0.05.",
        ),
        (
            {"scenario": "taxation"},
            {"mean": {"welfare": 1.0}, "runs": [{"condition": "pro"}, {"condition": "anti"}]},
            "2 episodes of taxation under 2 conditions: pro, anti.",
        ),
    ],
)
def test_what_came_of_a_run_is_a_sentence(facts, result, said):
    assert outcome(facts, result) == said


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["nowhere"], "there is no run in nowhere"),
        (["{runs}", "--out", "/proc/nowhere"], "cannot write"),
        (["{runs}", "--out", "one.html"], "one.html is one file, and there are 2 runs"),
    ],
)
def test_a_report_that_cannot_be_made(tmp_path, options, says):
    for name in ("a", "b"):
        written(tmp_path / "runs" / name, (events.Chat, "Anna", {"text": "Hello"}))
    options = [option.format(runs=tmp_path) for option in options]
    done = run_module("analysis", "report", *options)
    *progress, error = done.stderr.splitlines()
    assert done.returncode == 2
    assert says in error
    assert all("2 runs found; writing /proc/nowhere" in line for line in progress)


def test_reports_are_made_of_runs_that_are_near(tmp_path):
    """Runs lie at the folder, or one or two levels below it; none is looked for deeper down."""
    for place in ("one", "scenario/two", "a/b/three"):
        written(tmp_path / place, (events.Chat, "Anna", {"text": "Hello"}))
    (tmp_path / "scenario" / "no run").mkdir()
    (tmp_path / "scenario" / "no run" / "events.jsonl").write_text("")
    done = run_module("analysis", "report", str(tmp_path))
    assert done.returncode == 0
    assert done.stderr.startswith("2 runs found; writing report.html in each\n")
    made = [str(tmp_path / place / "report.html") for place in ("one", "scenario/two")]
    assert done.stdout.splitlines() == made
    assert sorted(map(str, tmp_path.rglob("report.html"))) == made


# --- Watching ------------------------------------------------------------------------------------


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
    assert violations(page) == []
    page.close()


def test_runs_are_listed_with_their_states_and_sweeps_with_what_is_done(tmp_path):
    names = ("live", "silent", "ended", "failed <b>")
    for number, name in enumerate(names):
        folder = written(tmp_path / "made_up" / name, (events.Chat, "Anna", {"text": "Hello"}))
        os.utime(folder / "run.yaml", (number, number))
    os.utime(tmp_path / "made_up" / "silent" / "events.jsonl", (0, 0))
    (tmp_path / "made_up" / "ended" / "result.json").write_text("{}")
    (tmp_path / "made_up" / "failed <b>" / "result.json").write_text('{"error": "no server"}')
    results = tmp_path / "sweep" / "results"
    results.mkdir(parents=True)
    plan = {"seeds": 3, "conditions": {"one": {}, "two": {}}}
    (tmp_path / "sweep" / "plan.json").write_text(json.dumps(plan))
    for job in range(4):
        (results / f"{job}.json").write_text("{}")
    (tmp_path / "plan.json").write_text("[]")
    shelf = Shelf([tmp_path])
    assert shelf.newest().name == "failed <b>"
    assert list(shelf.runs()) == [f"made_up/{name}" for name in reversed(names)]
    assert shelf.sweeps() == [("sweep", 4, 6)]
    page = shelf.page()
    states = re.findall(r"<td>(live|no result|ended|failed)</td>", page)
    assert states == ["failed", "ended", "no result", "live"]
    assert "sweep: 4 of 6" in page
    assert "<b>" not in page
    with pytest.raises(FileNotFoundError):
        Shelf(tmp_path / "nowhere").newest()


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


def test_a_port_that_is_taken(tmp_path):
    written(tmp_path / "runs" / "a", (events.Chat, "Anna", {"text": "Hello"}))
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = run_module("analysis", "watch", str(tmp_path), "--port", str(port))
    assert (done.returncode, len(done.stderr.strip().splitlines())) == (2, 1)
    assert f"cannot serve on 127.0.0.1, port {port}" in done.stderr
