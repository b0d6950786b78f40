"""The report of a run as a file, in a real browser."""

from __future__ import annotations

import io
import json
import os
import random
import re

import pytest
from PIL import Image

from tests.browser import until, violations
from tests.conftest import run_module
from tests.pages import go_to, made, reported, run_app, wait_for_feed, written
from voxpolis.analysis.report.encoder import TimelineEncoder
from voxpolis.records import RunWriter, SimulatedClock, events
from voxpolis.records.text import json_for_page

NASTY = "</script><script>window.hacked = 1</script><img src=x onerror='window.hacked = 2'>"


# --- Reports -------------------------------------------------------------------------------------


def test_a_report_has_a_slider_foldable_sections_and_messages(opened, tmp_path):
    folder = made("double_vein", tmp_path, "--world", "grid", "--contract", "negotiate")
    requests = []
    page = opened(reported(folder))
    page.on("request", lambda request: requests.append(request.url))
    assert page.inner_text("#mind") == "scripted, no language model"

    go_to(page, 1.0)
    wait_for_feed(page, "the run ended: done")
    at_the_end = page.screenshot(clip=page.locator("#map").bounding_box())
    page.click("#key summary")
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
    assert "You speak for Gizmo" in page.inner_text("#panel pre >> nth=1")
    page.click("#tab-code")
    assert page.locator("ol.code").count() == 2
    page.click("#tab-configuration")
    assert "seed: 0" in page.inner_text("#panel")

    before = page.inner_text("#now")
    page.click("#play")
    until(page, "before => document.getElementById('now').textContent != before", before)
    page.click("#play")
    page.click("#tab-events")
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
    "religion": (["--agents", "60", "--set", "length_s=300"], "#tab-result", "direct converts"),
}


@pytest.mark.parametrize("name", SOCIETIES)
def test_every_scenario_has_a_report(opened, tmp_path, name):
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
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        assert violations(page) == []


# --- Story, keyboard, screen sizes ----------------------------------------------------------------


@pytest.fixture(scope="module")
def mined(tmp_path_factory):
    """The report of a run in which Gizmo mines and thinks, and slime grows."""
    folder, clock = tmp_path_factory.mktemp("mined"), SimulatedClock()
    result = {"runs": [{"condition": "1", "seed": 5, "agents": {"Gizmo": {"reward": 4.0}}}]}
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
        slime = [("slime_block", 1, 2, 0), ("slime_block", 5, 5, 3)]
        writer.event(events.PilesChanged, piles=[*slime, ("red_mushroom", 3, 3, 1)])
        # a merged line's 15 s start between Gizmo's event and the world's
        for second in (16.2, 31.0):
            clock.set(second)
            writer.event(events.BlockDug, "Gizmo", block="iron_ore", position=(4, 0, 2))
            clock.set(second + 0.3)
            writer.event(events.LedgerEntry, "Gizmo", **ore)
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


def test_a_page_opens_on_its_story_with_links_to_moments(opened, mined):
    page = opened(mined)
    assert page.inner_text("#outcome") == "1 episode of made up under 1: Gizmo gets 4."
    titles = [title.partition(" ")[2] for title in page.locator("#chapters li").all_inner_texts()]
    assert titles == ["episode 1", "first iron ore (Gizmo)"]
    page.click("#chapters li:nth-child(2) button")
    until(page, "location.hash == '#t=1'")
    go_to(page, 0.5)
    wait_for_feed(page, "mined 4 iron ore")
    times = page.locator("#feed li", has_text="mined 4 iron ore").locator("time")
    assert times.inner_text() == "0:01.0\u20130:04.0"
    mined = re.findall(r"mined (\d+) iron ore", page.inner_text("#feed"))
    assert sum(map(int, mined)) == 6, "each block once"
    for block in ("slime block", "red mushroom"):
        assert page.inner_text("#charts").count(block) == 1, "how much stands is a curve"


def test_a_page_opens_at_the_first_episode_and_plays(opened, tmp_path):
    folder, clock = tmp_path / "led_in", SimulatedClock()
    folder.mkdir()
    with RunWriter(folder, {"scenario": "made_up", "mind": "scripted"}, clock) as writer:
        writer.event(events.WorldBuilt, ground=[], blocks={})
        for run, t in enumerate((60, 90)):
            clock.set(t)
            writer.event(events.EpisodeStarted, run=run, attempt=1, seed=0)
        clock.set(120)
        writer.event(events.Chat, "Anna", text="Hello")
    page = opened(reported(folder), reduced_motion="no-preference")
    assert page.get_attribute("#time", "min") == "60"
    assert page.get_attribute("#play", "aria-label") == "Pause"
    until(page, "document.getElementById('now').textContent > '1:01.0'")
    page.click("#play")
    box = page.locator("#stage").bounding_box()
    assert box["height"] > 0.7 * 1200, "the world fills the page"
    assert box["y"] < 60
    page.click("#fold")
    assert page.locator("#stage").bounding_box()["width"] == 1400
    assert page.is_hidden("#side")


def test_the_key_counts_what_changes(opened, mined):
    page = opened(mined)
    go_to(page, 0)
    until(page, "document.getElementById('legend').textContent.includes('slime block: 1')")
    go_to(page, 1.0)
    until(page, "document.getElementById('legend').textContent.includes('slime block: 3')")


def test_the_address_names_the_tab(opened, mined):
    page = opened(mined, "#t=2&tab=charts")
    until(page, "!document.getElementById('charts').hidden")
    page.click("#tab-events")
    until(page, "location.hash == '#t=2'")
    page.click("#tab-charts")
    until(page, "location.hash == '#t=2&tab=charts'")


def test_the_address_selects_a_moment_and_an_agent(opened, mined):
    page = opened(mined, "#t=70&agent=Gizmo")
    until(page, "document.getElementById('card').textContent.includes('Enough.')")
    assert page.inner_text("#now").startswith("1:10.0 of")
    page.click("#card details summary")
    page.wait_for_selector("#card pre.answer")
    assert "What now?" in page.inner_text("#card")
    page.evaluate("location.hash = '#t=2&agent=Gizmo'")
    until(page, "!document.getElementById('card').textContent.includes('Enough.')")
    until(page, "document.getElementById('card').textContent.includes('mine(4)')")
    page.evaluate("location.hash = '#t=3'")
    until(page, "document.getElementById('card').hidden")
    assert page.input_value("#agent") == "-1"
    assert page.inner_text("#now").startswith("0:03.0 of")
    page.evaluate("location.hash = '#agent=Glitch'")
    until(page, "document.getElementById('card').textContent.includes('Glitch')")
    assert page.inner_text("#now").startswith("0:00.0 of"), "no moment is the start, as at first"


@pytest.mark.parametrize(("scheme", "width"), [("light", 390), ("dark", 1400)])
def test_the_page_is_accessible(opened, mined, scheme, width):
    page = opened(mined, "#t=70&agent=Gizmo", width=width, color_scheme=scheme)
    page.click("#tab-result")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator("#panel th[scope=col]").all_inner_texts() == [
        *("episode", "condition", "seed", "Gizmo gets")
    ]
    assert page.locator("#panel td").all_inner_texts() == ["1", "5", "4"]
    with page.expect_download() as saved:
        page.click("#panel a[download]")
    assert '"seed": 5' in saved.value.path().read_text()
    for tab in page.locator("#tabs button").all():
        tab.click()
        assert violations(page) == []


def test_the_keyboard_can_do_everything_that_the_mouse_can(opened, mined):
    page = opened(mined)
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


def test_agents_text_is_never_markup(opened, tmp_path):
    folder = written(
        tmp_path / "runs" / "a",
        (events.Chat, NASTY, {"text": NASTY}),
        (events.PositionSampled, NASTY, {"position": (0.0, 0.0, 0.0)}),
        (events.NegotiationMessage, NASTY, {"text": NASTY, "proposal": NASTY, "accepts": False}),
        (events.ContractAgreed, None, {"name": NASTY, "text": NASTY}),
        (events.CodeStarted, NASTY, {"code": NASTY}),
    )
    (folder / "result.json").write_text(
        json.dumps({"runs": [{"condition": NASTY, "welfare": 1}], "n": float("nan")})
    )
    page = opened(reported(folder))
    go_to(page, 1.0)
    wait_for_feed(page, NASTY)
    for tab in page.locator("#tabs button").all():
        tab.click()
        assert NASTY in page.inner_text("#side") or (
            tab.get_attribute("id") in ("tab-charts", "tab-configuration")
        )
    assert page.evaluate("window.hacked") is None


def test_a_damaged_run_is_shown_up_to_the_damage(opened, tmp_path):
    folder = written(tmp_path / "runs" / "a", (events.Chat, "Anna", {"text": "Hello"}))
    with (folder / "events.jsonl").open("ab") as file:
        file.write(b'\x00\xff{]\n{"t":1.5,"kind":"of_the_future","what":"news"}\n')
        file.write(b'{"t":2.0,"episode":0,"agent":"Anna","kind":"vote"}\n{"t":3.0,"ki')
    (folder / "run.yaml").write_text("scenario: [")
    page = opened(reported(folder))
    go_to(page, 1.0)
    wait_for_feed(page, "what: news")
    assert page.inner_text("#unreadable").startswith("Not readable: ")
    page.click("#tab-result")
    text = page.inner_text("#panel")
    assert "There is no result" in text
    for problem in ("line 2: not a whole event", "line 5: cut off in the middle", "run.yaml"):
        assert problem in text


def test_unreadable_parts_are_reported(tmp_path):
    """Without any readable event the exit code is nonzero, but the page is still written."""
    good = written(tmp_path / "runs" / "good", (events.Chat, "Anna", {"text": "Hello"}))
    bad = written(tmp_path / "runs" / "bad", (events.Chat, "Anna", {"text": "Hello"}))
    (bad / "events.jsonl").write_text('{"t":1\nnothing\n')
    (good / "result.json").write_text("[")
    told = run_module("analysis", "report", str(bad))
    assert told.returncode == 2
    assert told.stderr.splitlines()[-3:] == [
        f"{bad}/events.jsonl line 1: not a whole event",
        f"{bad}/events.jsonl line 2: not a whole event",
        "error: no event of 1 run is readable; the pages are empty",
    ]
    assert (bad / "report.html").exists()
    told = run_module("analysis", "report", str(tmp_path))
    assert told.returncode == 0
    problems = [line for line in told.stderr.splitlines() if line.startswith(str(tmp_path))]
    assert len(problems) == 3
    assert problems[2].startswith(f"{good}/result.json: ")


# Size of the record; LARGE_REPORT_MB=100 reproduces docs/reference/benchmarks.md.
MEGABYTES = int(os.environ.get("LARGE_REPORT_MB", "10"))


def test_a_large_record_of_500_agents_stays_usable(opened, tmp_path):
    """Each step waits for its effect on the page; times are not checked."""
    folder = tmp_path / "runs" / "large"
    folder.mkdir(parents=True)
    (folder / "run.yaml").write_text("scenario: religion\nmind: scripted\n")
    length = write_large(folder / "events.jsonl", MEGABYTES * 1_000_000)
    page = opened(reported(folder))
    assert (folder / "report.html").stat().st_size < 0.3 * MEGABYTES * 1_000_000
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
    """Write positions and speech of 500 agents; return the last second."""
    chance, t = random.Random(0), 0
    names = [f"P{number}" for number in range(500)]
    head = '{{"t":{t},"episode":0,"agent":"{name}","kind":"{kind}","position":[{x},0.0,{z}]'
    heard = [json.dumps(chance.sample(names, 6)) for _ in range(1000)]
    with path.open("w") as file:
        while file.tell() < size:
            t += 10
            lines = []
            for name in names:
                x, z = chance.randrange(1000), chance.randrange(1000)
                lines.append(head.format(t=t, name=name, kind="position", x=x, z=z) + "}")
            for name in chance.sample(names, 150):
                said = head.format(t=t, name=name, kind="spoke", x=1.0, z=2.0)
                what = f"Have you heard of {chance.randrange(1000)}?"
                lines.append(f'{said},"text":"{what}","hearers":{chance.choice(heard)}}}')
            if t == 50:
                said = head.format(t=t, name=names[0], kind="spoke", x=1.0, z=2.0)
                lines.append(f'{said},"text":"a needle","hearers":[]}}')
            file.write("\n".join(lines) + "\n")
    return t


def done(verb, item, gained=None, spent=None, to="", reason=""):
    return {
        "action": verb, "item": item, "ok": not reason, "reason": reason, "gained": gained or {},
        "spent": spent or {}, "to": to,
    }  # fmt: skip


LIFE = [
    (events.Introduced, "Ada", {"traits": "You are calm.", "modules": ["talking"]}),
    (events.GoalSet, "Ada", {"text": "You feed everybody."}),
    (events.RoleTaken, "Ada", {"role": "farmer", "goals": ["You feed everybody."]}),
    (events.RoleTaken, "Ben", {"role": "miner", "goals": ["You mine."]}),
    (events.ProfileWritten, "Ada", {"about": "Ben", "text": "digs a lot"}),
    (events.ProfileWritten, "Ada", {"about": "Ben", "text": "digs <b>deep</b>"}),
    (events.Decided, "Ada", {"action": "GIVE 2 bread to Ben", "about": ""}),
    (events.ActionDone, "Ada", done("GIVE", "bread", spent={"bread": 2}, to="Ben")),
    (events.ActionDone, "Ada", done("PUT", "wheat", spent={"wheat": 5})),
    (events.ActionDone, "Ben", done("TAKE", "wheat", gained={"wheat": 3})),
    (events.ActionDone, "Ben", done("GIVE", "coal", to="Ada", reason="you hold no coal")),
]


def test_citizens_have_cards_and_roles(tmp_path, opened):
    folder = written(tmp_path / "run", *LIFE)
    page = opened(reported(folder))
    until(page, "() => document.documentElement.dataset.ready === 'yes'")
    go_to(page, 1.0)
    page.select_option("#agent", label="Ada")
    until(page, "document.getElementById('card').textContent.includes('You are calm.')")
    card = page.inner_text("#card")
    for told in ("You feed everybody.", "farmer", "GIVE 2 bread to Ben", "Ben: digs <b>deep</b>"):
        assert told in card
    assert "digs a lot" not in card
    page.click("#tab-citizens")
    until(page, "document.querySelector('.citizens canvas').width > 100")
    rows = page.locator("#panel tbody tr").all_inner_texts()
    assert rows == ["farmer\t1\tAda", "miner\t1\tBen"]
    page.select_option("#agent", index=0)
    page.click("#tab-together")
    until(page, "document.querySelectorAll('#panel tbody tr').length === 3")
    assert page.locator("#panel tbody tr").all_inner_texts() == [
        "Ada\tgives to\tBen\t2 bread",
        "Ada\ttrades with\tmarket\t5 wheat",
        "market\ttrades with\tBen\t3 wheat",
    ]


def test_the_current_chapter_is_scrolled_into_view(opened, tmp_path):
    casts = [["Ada", "Lila"], ["Chef", "Ada"]] * 6
    noted = []
    for number, agents in enumerate(casts):
        noted.append((events.EpisodeStarted, None, {"run": number, "attempt": 1, "seed": 0}))
        condition = {"condition": f"condition number {number}", "agents": agents}
        noted.append((events.ConditionStarted, None, condition))
    folder = written(tmp_path / "run", *noted)
    assert run_app(["report", str(folder)]) in (0, None)
    page = opened(folder / "report.html")
    chapters = page.locator("#chapters")
    page.wait_for_selector("#chapters [aria-current]")
    go_to(page, 1.0)
    around = chapters.bounding_box()
    marked = page.locator("#chapters [aria-current]").bounding_box()
    # rounding leaves fractions of a pixel
    left, right = around["x"] - 0.5, around["x"] + around["width"] + 0.5
    assert left <= marked["x"] <= right - marked["width"]
    places = [one.bounding_box() for one in chapters.locator("button").all()]
    assert len({place["y"] for place in places}) == 1, "it is a single line"
    assert places[0]["x"] < left, "there are more than its box has room for"


def test_links_and_groups_show_the_selected_moment(opened, tmp_path):
    """Runs without such events have no tabs for them."""
    clock, folder = SimulatedClock(), tmp_path / "made_up"
    folder.mkdir()
    spent = {"action": "GIVE", "item": "bread", "ok": True, "gained": {}, "spent": {"bread": 2}}
    with RunWriter(folder, {"scenario": "made_up", "mind": "scripted"}, clock) as writer:
        writer.event(events.Chat, "Bert", text="Hello")
        clock.set(10)
        writer.event(events.ActionDone, "Anna", **spent, to="Bert")
        writer.event(events.ActionDone, "Anna", **{**spent, "ok": False}, to="Cleo")
        here = {"position": (0, 0, 0)}
        writer.event(events.Converted, "Anna", level=1, heard_from="Bert", **here)
        writer.event(events.Converted, "Anna", level=2, heard_from=None, **here)
        writer.event(events.GroupsChanged, "Anna", groups={"0": 0.75})
        writer.event(events.GroupsChanged, "Bert", groups={"0": 0.25})
        writer.event(events.AmendmentTallied, number=1, yes=2, no=1, abstain=0, passed=True)
        writer.event(events.RoleTaken, "Anna", role="farmer", goals=[])
        clock.set(20)
        writer.event(events.ActionDone, "Anna", **spent, to="Bert")
        writer.event(events.ZapHit, "Bert", victim="Cleo")
        writer.event(events.GroupsChanged, "Bert", groups={})
    page = opened(reported(folder))

    def rows():
        return page.locator("#panel tbody tr").all_inner_texts()

    go_to(page, 1.0)
    page.click("#tab-together")
    until(page, "document.querySelectorAll('#panel tbody tr').length === 3")
    converted = "(nobody)\tconverts\tAnna\tdirect"
    hit = "Bert\thits\tCleo\t1 time"
    assert rows() == ["Anna\tgives to\tBert\t4 bread", converted, hit]
    assert violations(page) == []
    go_to(page, 0.5)
    until(page, "document.querySelectorAll('#panel tbody tr').length === 2")
    assert rows()[0] == "Anna\tgives to\tBert\t2 bread"
    page.click("#tab-groups")
    assert rows() == ["group 0\t2\tAnna 75 %, Bert 25 %"]
    go_to(page, 1.0)
    until(page, "document.getElementById('panel').textContent.includes('In no group: Bert')")
    page.click("#tab-deeds")
    assert rows() == ["Bert\t1"]
    page.click("#tab-rules")
    assert page.inner_text(".ballots li") == "Amendment 1: 2 yes, 1 no; passed"
    assert "Agents in each role" in page.inner_text("#charts")
    assert page.locator("#charts figure", has_text="Converts").locator(
        ".key"
    ).all_inner_texts() == [*("indirect", "direct")]
    none = written(tmp_path / "none", (events.Chat, "Anna", {"text": "Hello"}))
    other = opened(reported(none))
    assert other.locator("#tabs button").all_inner_texts() == [
        *("Events", "Charts", "Result", "Configuration")
    ]


def test_laws_and_votes_are_those_of_the_shown_episode(opened, tmp_path):
    clock, folder = SimulatedClock(), tmp_path / "village"
    folder.mkdir()
    with RunWriter(folder, {"scenario": "village", "mind": "scripted"}, clock) as writer:
        for number, text in enumerate(("Less tax.", "More tax.")):
            clock.set(10 * number)
            writer.begin_episode(number)
            writer.event(events.EpisodeStarted, run=number, attempt=1, seed=0)
            writer.event(events.AmendmentProposed, "Anna", number=1, text=text, sets={})
            clock.set(10 * number + 5)
            writer.event(events.BallotCast, "Bert", choices=["yes"])
    page = opened(reported(folder), "#t=3&tab=rules")
    ballot = page.locator("#panel .ballots li")
    until(page, "document.querySelectorAll('#panel article').length === 2")
    assert ballot.all_inner_texts() == ["Amendment 1, “Less tax.”: 0 yes, 0 no"]
    go_to(page, 1.0)
    until(page, "document.getElementById('panel').textContent.includes('Episode 2')")
    assert ballot.all_inner_texts() == ["Amendment 1, “More tax.”: 1 yes, 0 no"]
    assert "Less tax." not in page.inner_text("#panel")


def test_one_graph_shows_all_links_and_a_dial_the_tax_rate(opened, tmp_path):
    clock, folder = SimulatedClock(), tmp_path / "village"
    folder.mkdir()
    with RunWriter(folder, {"scenario": "village", "mind": "scripted"}, clock) as writer:
        writer.event(events.LawChanged, version=1, text="", parameters={"tax_rate": 0.2})
        for name in ("Anna", "Bert"):
            writer.event(events.Spoke, name, text="Hi", hearers=["Cleo"], position=(0, 0, 0))
        writer.event(events.SentimentChanged, "Cleo", about="Anna", value=3)
        for name in ("Anna", "Bert"):
            writer.event(events.ProfileScored, "Cleo", about=name, score=5, text="Nice.")
        clock.set(10)
        writer.event(events.ProfileScored, "Cleo", about="Bert", score=7, text="Nice.")
        writer.event(events.SentimentChanged, "Cleo", about="Anna", value=8)
        writer.event(events.BallotCast, "Anna", choices=["yes"])
        writer.event(events.BallotCast, "Bert", choices=["no"])
        transfers = {"Anna": -5, "Bert": 3, "Cleo": 2}
        writer.event(events.Judgement, method="exact", transfers=transfers, reasons=[])
        clock.set(20)
        writer.event(events.LawChanged, version=2, text="", parameters={"tax_rate": 0.1})
    page = opened(reported(folder))
    rows = page.locator("#panel tbody tr")
    go_to(page, 0.5)
    page.click("#tab-together")
    until(page, "document.querySelectorAll('#panel tbody tr').length === 8")
    assert rows.all_inner_texts() == [
        "Anna\ttalks to\tCleo\t1 time",
        "Bert\ttalks to\tCleo\t1 time",
        "Anna\tpays\tBert\t3",
        "Anna\tpays\tCleo\t2",
        "Cleo\tlikes\tAnna\t8 of 10",
        "Cleo\tfeels about\tBert\t7 of 10",
        "Anna\tvotes\tyes\t1 time",
        "Bert\tvotes\tno\t1 time",
    ]
    assert "20 %" in page.inner_text(".dial")
    assert "Amendment 1: 1 yes, 1 no" in page.inner_text(".law")
    assert violations(page) == []
    # a click selects an agent as on the map, and links of other agents disappear
    page.evaluate(
        """async () => {
            const canvas = document.querySelector('canvas.graph')
            const { left, top, width, height } = canvas.getBoundingClientRect()
            for (let x = 10; x < width; x += 18)
                for (let y = 10; y < height; y += 18) {
                    if (document.getElementById('agent').selectedOptions[0].text === 'Bert') return
                    const at = { clientX: left + x, clientY: top + y, bubbles: true }
                    canvas.dispatchEvent(new MouseEvent('click', at))
                    await new Promise(requestAnimationFrame)
                }
        }"""
    )
    until(page, "document.querySelectorAll('#panel tbody tr').length === 4")
    picture = page.locator("canvas.graph").screenshot()
    page.get_by_label("talks to").uncheck()
    until(page, "document.querySelectorAll('#panel tbody tr').length === 3")
    assert page.locator("canvas.graph").screenshot() != picture
    go_to(page, 1.0)
    until(page, "document.querySelector('.dial').textContent === '10 %'")


def test_each_episode_counts_from_its_start(opened, tmp_path):
    """An episode is another society, also if it starts at the moment at which the last one ends."""
    clock, folder, at = SimulatedClock(), tmp_path / "village", {"position": (0, 0, 0)}
    folder.mkdir()
    with RunWriter(folder, {"scenario": "village", "mind": "scripted"}, clock) as writer:
        for number, (agent, times) in enumerate((("Anna", 3), ("Bert", 1))):
            writer.begin_episode(number)
            writer.event(events.EpisodeStarted, run=number, attempt=1, seed=0)
            writer.event(events.ConditionStarted, condition=f"rule {number}", agents=[])
            for _ in range(times):
                clock.set(clock.now() + 1)
                writer.event(events.Spoke, agent, text="Hi", hearers=["Cleo"], **at)
                writer.event(events.ZapHit, agent, victim="Cleo")
            writer.event(events.BallotCast, agent, choices=["yes"])
            writer.event(events.GroupsChanged, agent, groups={"0": 1.0})
            writer.event(events.Converted, agent, level=2, **at)
    page = opened(reported(folder))

    def shows(t, *rows, tab="together"):
        page.evaluate("([t, tab]) => { location.hash = `t=${t}&tab=${tab}` }", [t, tab])
        until(
            page,
            """rows => String([...document.querySelectorAll('#panel tbody tr')].map((row) =>
                [...row.cells].map((cell) => cell.textContent).join(' '))) === rows""",
            ",".join(rows),
        )

    shows(4, "Bert talks to Cleo 1 time", "(nobody) converts Bert direct",
          "Bert votes yes 1 time", "Bert hits Cleo 1 time")  # fmt: skip
    assert page.inner_text(".society h2") == "Episode 2: rule 1"
    assert "direct converts: 1" in page.inner_text(".society")
    shows(2, "Anna hits Cleo 2 times")
    assert page.inner_text(".society h2") == "Episode 1: rule 0"
    shows(3, "Anna talks to Cleo 3 times", "(nobody) converts Anna direct",
          "Anna votes yes 1 time", "Anna hits Cleo 3 times")  # fmt: skip
    shows(3.001)
    assert page.inner_text(".society h2") == "Episode 2: rule 1"
    assert "direct converts: 0" in page.inner_text(".society")
    shows(4, "group 0 1 Bert 100 %", tab="groups")
    shows(4, "Bert 1", tab="deeds")


def test_an_episode_ends_in_its_own_world(opened, tmp_path):
    """The last dig and the next world are at one moment, and no agent walks between episodes."""
    clock, folder = SimulatedClock(), tmp_path / "arena"
    folder.mkdir()
    ground, ore = [("grass_block", 0.0, 0.0, 9.0, 9.0)], [(1.0, 0.0, 1.0), (2.0, 0.0, 1.0)]
    with RunWriter(folder, {"scenario": "arena", "mind": "scripted"}, clock) as writer:
        for number in range(2):
            writer.begin_episode(number)
            writer.event(events.WorldBuilt, ground=ground, blocks={"iron_ore": ore})
            writer.event(events.EpisodeStarted, run=number, attempt=1, seed=0)
            writer.event(events.PositionSampled, "Ann", position=(0, 0, 0))
            clock.set(clock.now() + 9)
            writer.event(events.PositionSampled, "Ann", position=(3, 0, 3))
            clock.set(clock.now() + 1)
            writer.event(events.PilesChanged, piles=[("iron_ore", 1, 1, 0)])
            writer.event(events.EpisodeEnded, reason="time_limit", seconds=10.0)
    page = opened(reported(folder))
    for t, place, count in (
        (9.8, "3, 3", 2),
        (10, "3, 3", 1),
        (10.001, "0, 0", 2),
        (20, "3, 3", 1),
    ):
        page.evaluate("t => { location.hash = `t=${t}` }", t)
        until(page, "text => document.getElementById('map').ariaLabel.endsWith(text)",
              f": Ann at {place}")  # fmt: skip
        until(page, "text => document.getElementById('legend').textContent.includes(text)",
              f"iron ore: {count}")  # fmt: skip
    page.select_option("#episode", "1")
    until(page, "location.hash.includes('t=10.001')")


def test_bubbles_show_only_words_of_the_shown_episode(opened, mined):
    """The rows are words, the start of the next episode at the same moment, and words."""
    bubbles = opened(mined).evaluate(
        """async () => {
            const { sayings } = await import('report/sayings.js')
            const column = (values) => ({ at: (row) => values[row] })
            const [t, kind, agent] = [[3, 3, 4], [0, 1, 0], [0, -1, 1]].map(column)
            const rows = { t, kind, agent }
            const kinds = [{ name: 'spoke' }, { name: 'episode_started' }]
            const model = { rows, kinds, rowsUntil: () => 3, told: (row) => row }
            return sayings(model, 4, new Set([0, 1]), -1)
        }"""
    )
    assert bubbles == [2]


def test_priests_are_priests_from_the_start_of_an_episode(opened, tmp_path):
    """Priests are no converts, and a convert counts once. All other people are grey."""
    clock, folder, at = SimulatedClock(), tmp_path / "religion", {"position": (9, 0, 9)}
    folder.mkdir()
    with RunWriter(folder, {"scenario": "religion", "mind": "scripted"}, clock) as writer:
        for number in range(2):
            clock.set(10 * number)
            writer.begin_episode(number)
            writer.event(events.EpisodeStarted, run=number, attempt=1, seed=0)
            for x, name in enumerate(("Silent", "Priest", "Ann", "Ben")):
                writer.event(events.PositionSampled, name, position=(3 * x, 0, 0))
            for name in ("Ann", "Priest"):
                others = ["Ben", "Silent"]
                writer.event(events.Spoke, name, text="Hi", hearers=others, **at)
            clock.set(10 * number + 5)
            # only the first words about the faith say who is a priest
            writer.event(events.Converted, "Priest", level=1, believed=True, **at)
            writer.event(events.Converted, "Ann", level=1, heard_from=None, **at)
            writer.event(events.Converted, "Ann", level=2, heard_from="Priest", **at)
            writer.event(events.Converted, "Ben", level=1, heard_from="Ann", **at)
    priests = ["Silent", "Priest"]
    (folder / "result.json").write_text(
        json.dumps({"runs": [{"treated": priests, "priests": 2}] * 2})
    )
    page = opened(reported(folder), "#t=15&tab=together&view=plan")
    until(page, "document.querySelectorAll('#panel tbody tr').length === 6")
    assert page.locator("#panel tbody tr").all_inner_texts()[4:] == [
        "Priest\tconverts\tAnn\tdirect",
        "Ann\tconverts\tBen\tindirect",
    ]
    keys = page.locator(".society .key:not(label)")
    priests = "known priests: 2 (Silent, Priest)"
    assert keys.all_inner_texts() == [priests, "direct converts: 1", "indirect converts: 1"]
    own = {(0, 158, 115), (204, 121, 167)}  # Ann's and Ben's in other runs
    grey, indirect, direct = (141, 147, 156), (230, 159, 0), (213, 94, 0)
    assert colours(page, "canvas.graph") > {indirect, direct}
    for t in (4, 14):
        page.evaluate("t => { location.hash = `t=${t}&tab=together&view=plan` }", t)
        until(page, "document.querySelectorAll('#panel tbody tr').length === 4")
        assert keys.all_inner_texts() == [priests, "direct converts: 0", "indirect converts: 0"]
        for canvas in ("#map", "canvas.graph"):
            found = colours(page, canvas)
            assert {grey, direct} <= found
            assert not found & own


def colours(page, selector):
    picture = Image.open(io.BytesIO(page.locator(selector).screenshot())).convert("RGB")
    return {colour for _, colour in picture.getcolors(1 << 24)}


def test_talk_of_large_societies_is_merged():
    encoder, names = TimelineEncoder(), [f"agent {number}" for number in range(100)]
    for second in range(2000):
        spoken = {"agent": names[second % 4], "text": "", "hearers": names[50:]}
        encoder.take({"kind": "spoke", "t": float(second), "position": [0, 0, 0], **spoken})
    links = encoder.batch()["links"]
    assert sum(links["count"]) == 2000 * 50
    assert len(links["t"]) < 50_000


def test_a_negotiation_is_talk_to_all_other_players():
    encoder = TimelineEncoder(["Gizmo", "Glitch", "Ada"])
    for agent in ("Gizmo", "Glitch", "Gizmo"):
        encoder.take({"kind": "negotiation_message", "t": 0.0, "agent": agent, "text": "Hm."})
    batch = encoder.batch()
    links = batch["links"]
    names = [[batch["agents"][agent] for agent in links[end]] for end in ("from", "to")]
    assert list(zip(*names, links["count"], strict=True)) == [
        *(("Gizmo", "Glitch", 2), ("Gizmo", "Ada", 2)),
        *(("Glitch", "Gizmo", 1), ("Glitch", "Ada", 1)),
    ]


def test_texts_on_a_page_cannot_reorder_what_follows():
    assert json.loads(json_for_page({"a\u202eb": "gets \u2067 38"})) == {
        "a\ufffdb": "gets \ufffd 38"
    }


def test_a_class_is_enough_to_define_an_event_kind():
    """A batch has a lane and a line for all kinds but samples, and some kinds' whole events."""
    encoder = TimelineEncoder()
    for number, kind in enumerate(events.kinds()):
        encoder.take({"t": number, "kind": kind.model_fields["kind"].default})
    encoder.take({"t": 1e3, "kind": "chat", "text": "Hi"})
    encoder.take({"t": 1e3, "kind": "of_the_future", "what": "news"})
    batch = encoder.batch()
    lanes = dict(batch["kinds"])
    listed = [kind for kind in events.kinds() if kind.lane is not None]
    assert set(lanes) > {kind.model_fields["kind"].default for kind in listed}
    assert "apple_grown" not in lanes
    assert (lanes["chat"], lanes["vote"], lanes["of_the_future"]) == ("talk", "rules", "run")
    assert set(lanes.values()) == set(events.LANES)
    assert batch["texts"][-2:] == ["“Hi”", "what: news"]
    assert batch["texts"][list(lanes).index("vote")] == "", "it has no choices"
    assert batch["details"][list(lanes).index("vote")] is not None
    assert batch["details"][-2] is None


def test_an_agent_that_always_believed_is_not_a_convert():
    encoder = TimelineEncoder()
    for agent, believed in (("Priest", True), ("Ann", False)):
        told = {"kind": "converted", "agent": agent, "level": 2, "position": (0, 0, 0)}
        encoder.take({**told, "t": 1.0, "episode": 0, "believed": believed})
    batch = encoder.batch()
    assert batch["chapters"]["title"] == ["first direct convert"]
    assert batch["agents"][batch["chapters"]["agent"][0]] == "Ann"
    assert batch["levels"]["believed"] == [True, False]


def test_conditions_never_share_a_series():
    """Each episode's taxes are a series named after its condition."""
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


@pytest.mark.parametrize("first", ["grass_block", "floor"])
def test_agents_on_a_grid_stand_in_the_middle_of_their_cells(opened, tmp_path, first):
    """The middle of cell (1, 2) of a 4 x 4 arena is three eighths from its west edge."""
    ground = [(first, 0.0, 0.0, 3.0, 3.0)]
    noted = [
        (events.WorldBuilt, None, {"ground": ground, "blocks": {}}),
        (events.PositionSampled, "Ada", {"position": (1.0, 0.0, 2.0)}),
    ]
    page = opened(reported(written(tmp_path / "run", *noted)), "#t=9")
    box = page.locator("#map").bounding_box()
    scale = min((box["width"] - 56) / 4, (box["height"] - 72) / 4)
    middle = box["x"] + box["width"] / 2, box["y"] + (box["height"] + 16) / 2
    page.mouse.click(middle[0] - scale / 2, middle[1] + scale / 2)
    until(page, "location.hash.includes('agent=Ada')")


def test_an_agent_on_a_grid_stands_until_its_last_step(opened, tmp_path):
    """Some grids record only changes. A cell that is no neighbour is reached by a jump."""
    clock, folder = SimulatedClock(), tmp_path / "run"
    folder.mkdir()
    with RunWriter(folder, {"scenario": "made_up", "mind": "scripted"}, clock) as writer:
        writer.event(events.WorldBuilt, ground=[("floor", 0.0, 0.0, 9.0, 9.0)], blocks={})
        writer.event(events.EpisodeStarted, run=0, attempt=1, seed=0)
        for t, x in ((0, 1.0), (6, 2.0), (8, 7.0), (10, 7.0)):
            clock.set(t)
            writer.event(events.PositionSampled, "Ada", position=(x, 0.0, 2.0))
    page = opened(reported(folder), "#t=4.9&view=plan")
    for t, x in ((4.9, 1), (6, 2), (7.9, 2), (8, 7)):
        page.evaluate("t => { location.hash = `#t=${t}&view=plan` }", t)
        until(page, "said => document.getElementById('map').getAttribute('aria-label') === said",
              f"Map at 0:{t:04.1f}: Ada at {x}, 2")  # fmt: skip
