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
