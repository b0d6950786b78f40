"""The page of a society: citizens' cards, roles over time, and what changed hands."""

from __future__ import annotations

from analysis.report.encoder import TimelineEncoder
from records import events
from tests.browser import until
from tests.pages import reported, written


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
    names, items = batch["agents"], batch["items"]
    exchanges = batch["exchanges"]
    told = [
        (names[a], names[to] if to >= 0 else "market", items[item], count)
        for a, to, item, count in zip(
            *(exchanges[key] for key in ("agent", "to", "item", "count")), strict=True
        )
    ]
    assert told == [
        ("Ada", "Ben", "bread", 2),
        ("Ada", "market", "wheat", 5),
        ("Ben", "market", "wheat", -3),
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
    until(page, "document.querySelectorAll('.network path').length === 3")
    text = page.inner_text("#panel")
    for told in ("farmer", "miner", "2 bread", "5 wheat", "3 wheat"):
        assert told in text
    assert page.locator(".network .given").count() == 1
    drawn = "document.querySelector('.citizens canvas').width > 100"
    until(page, drawn)
