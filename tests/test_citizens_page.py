"""The page of a society: citizens' cards, roles over time, and what changed hands."""

from __future__ import annotations

from tests.browser import until, violations
from tests.pages import go_to, reported, run_app, written
from voxpolis.analysis.report.encoder import TimelineEncoder
from voxpolis.records import RunWriter, SimulatedClock, events


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


def test_what_changed_hands_is_in_columns():
    encoder = TimelineEncoder()
    for number, (kind, agent, fields) in enumerate(LIFE):
        event = kind(id=number, t=float(number), episode=0, agent=agent, **fields)
        encoder.take(event.model_dump(mode="json"))
    batch = encoder.batch()
    names, links = [*batch["agents"], "market"], batch["links"]
    told = [
        (what, names[one], names[other], item, count)
        for what, one, other, item, count in zip(
            *(links[key] for key in ("what", "from", "to", "item", "count")), strict=True
        )
    ]
    assert told == [
        ("gift", "Ada", "Ben", "bread", 2),
        ("trade", "Ada", "market", "wheat", 5),
        ("trade", "market", "Ben", "wheat", 3),
    ]
    assert [names[a] for a in batch["roles"]["agent"]] == ["Ada", "Ben"]
    assert batch["roles"]["role"] == ["farmer", "miner"]


def test_a_citizen_has_a_card_and_everybody_a_role(tmp_path, opened):
    folder = written(tmp_path / "run", *LIFE)
    page = opened(reported(folder))
    until(page, "() => document.documentElement.dataset.ready === 'yes'")
    page.select_option("#agent", label="Ada")
    until(page, "document.getElementById('card').textContent.includes('You are calm.')")
    card = page.inner_text("#card")
    for told in ("You feed everybody.", "farmer", "GIVE 2 bread to Ben", "Ben: digs <b>deep</b>"):
        assert told in card
    assert "digs a lot" not in card
    page.click("#tab-citizens")
    until(page, "document.querySelector('.citizens canvas').width > 100")
    text = page.inner_text("#panel")
    assert "farmer" in text
    assert "miner" in text
    page.select_option("#agent", index=0)
    page.click("#tab-together")
    until(page, "document.querySelectorAll('#panel canvas').length === 2")
    text = page.inner_text("#panel")
    for told in ("Ada\tBen\t2\t2 bread", "Ada\tmarket\t5\t5 wheat", "market\tBen\t3\t3 wheat"):
        assert told in text, text


def test_each_episode_of_a_society_has_its_own_people_and_its_chapter_is_in_view(opened, tmp_path):
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
    around = chapters.bounding_box()
    marked = page.locator("[aria-current]").bounding_box()
    rows = {one.bounding_box()["y"] for one in chapters.locator("button").all()}
    top, bottom = around["y"] - 0.5, around["y"] + around["height"] + 0.5  # parts of a pixel
    assert top <= marked["y"] <= bottom - marked["height"]
    seen = {row for row in rows if row + marked["height"] > top and row < bottom}
    assert len(seen) == 3 < len(rows), "there are more than its box has room for"
    assert all(top <= row <= bottom - marked["height"] for row in seen), "no row is cut"

    encoder = TimelineEncoder()
    for number, agents in enumerate(casts[:2]):
        told = {"t": 10.0 * number, "episode": number}
        encoder.take({**told, "kind": "condition_started", "condition": "c", "agents": agents})
        for name in agents:
            encoder.take({**told, "kind": "position", "agent": name, "position": (1.0, 0.0, 2.0)})
    there = page.evaluate(
        """async batch => {
            const { Model } = await import('report/model.js')
            const model = new Model(null)
            model.add(batch)
            return [5, 15].map(t => model.agents.filter((_, agent) => model.place(agent, t)))
        }""",
        encoder.batch(),
    )
    assert there == [["Ada", "Lila"], ["Ada", "Chef"]]


def test_who_gave_hit_and_converted_whom_in_which_groups_follows_the_moment(opened, tmp_path):
    """Tables and graphs of what there is; a run without any of it has no such tabs."""
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

    page.click("#tab-together")
    until(page, "document.querySelectorAll('#panel tbody tr').length === 3")
    assert rows() == ["Bert\tAnna\t2", "Anna\tBert\t4\t4 bread", "Bert\tCleo\t1"]
    assert violations(page) == []
    go_to(page, 0.5)
    until(page, "document.querySelectorAll('#panel tbody tr').length === 2")
    assert rows()[1] == "Anna\tBert\t2\t2 bread"
    page.click("#tab-groups")
    assert rows() == ["group 0\t2\tAnna 75 %, Bert 25 %"]
    go_to(page, 1.0)
    until(page, "document.getElementById('panel').textContent.includes('In no group: Bert')")
    page.click("#tab-deeds")
    assert rows() == ["Bert\t1"]
    page.click("#tab-rules")
    assert rows() == ["amendment 1\t2\t1\t0\tyes"]
    assert "Agents in each role" in page.inner_text("#charts")
    none = written(tmp_path / "none", (events.Chat, "Anna", {"text": "Hello"}))
    other = opened(reported(none))
    assert other.locator("#tabs button").all_inner_texts() == ["Result", "Configuration"]
