"""Wrappers of a chat model: budget, limits, recording and replay."""

from __future__ import annotations

import asyncio
import re

import pytest
import yaml
from pydantic import ValidationError

from tests.conftest import ROOT
from voxpolis.bots.models import (
    Budget,
    BudgetedModel,
    BudgetError,
    CallSettings,
    ChatRequest,
    Completion,
    ModelError,
    ModelSettings,
    RecordedModel,
    ReplayError,
    ReplayModel,
    read_prices,
)
from voxpolis.bots.models.prices import Price, PriceTable, price_of
from voxpolis.records import RunWriter, read_record

ASK = {"role": "action", "agent": "Ada", "temperature": 0.1, "max_tokens": 50}
SETTINGS = ModelSettings(model="gpt-4o")


def said(*words):
    return [{"role": "user", "content": word} for word in words]


class Echo:
    """Echoes the last message with a number; counts pending calls."""

    def __init__(self, tokens=(10, 5)):
        self.tokens = tokens
        self.calls = 0
        self.under_way = 0
        self.most = 0

    async def complete(self, request):
        self.calls += 1
        number = self.calls
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        await asyncio.sleep(0.005)
        self.under_way -= 1
        if request.messages[-1]["content"] == "fail":
            raise ModelError("it is out")
        return Completion(f"{request.messages[-1]['content']} {number}", "gpt-4o-x", *self.tokens)


# --- Limits and budgets --------------------------------------------------------------------------


@pytest.mark.parametrize("budget", ["7 calls", "400 tokens", "$0.002"])
async def test_a_budget_is_never_exceeded(budget):
    echo = Echo()
    model = BudgetedModel(echo, Budget.parse(budget), SETTINGS, read_prices())

    async def spend():
        for _ in range(100):
            await model.complete(ChatRequest(said("a"), **ASK))

    with pytest.raises(BudgetError, match="could exceed the budget"):
        await spend()
    assert 0 < model.spent <= Budget.parse(budget).amount
    assert echo.calls >= 3


async def test_pending_calls_count_towards_the_budget():
    model = BudgetedModel(Echo(), Budget(2, "calls"), SETTINGS, {})
    done = await asyncio.gather(
        *(model.complete(ChatRequest(said("a"), **ASK)) for _ in range(5)), return_exceptions=True
    )
    assert sum(isinstance(answer, Completion) for answer in done) == 2


def test_a_budget_in_dollars_needs_prices():
    settings = ModelSettings(model="gpt-4o", roles={"judge": CallSettings(model="my-own")})
    with pytest.raises(ModelError, match="no price is known for my-own"):
        BudgetedModel(Echo(), Budget(1, "dollars"), settings, read_prices())


@pytest.mark.parametrize(
    ("text", "amount", "unit"),
    [
        ("$5", 5, "dollars"),
        ("200k tokens", 200_000, "tokens"),
        ("1,000 calls", 1000, "calls"),
    ],
)
def test_budgets_are_parsed_as_people_write_them(text, amount, unit):
    assert Budget.parse(text) == Budget(amount, unit)


@pytest.mark.parametrize("text", ["", "5", "1e999 tokens", "-1 calls", "1.5 calls"])
def test_invalid_budgets_are_refused(text):
    with pytest.raises(ValueError, match=r"write a budget like|must be whole"):
        Budget.parse(text)


def test_a_price_also_applies_to_a_models_snapshots(tmp_path, monkeypatch):
    prices = read_prices()
    assert price_of(prices, "gpt-4o-mini-2024") == prices["gpt-4o-mini"]
    assert price_of(prices, "gpt-4o-2024-11-20") == prices["gpt-4o"]
    # a different model with a different price
    assert price_of(prices, "gpt-4o-audio-preview") is None
    assert price_of(PriceTable({"mine*": Price(prompt=1, completion=2)}), "mine-too") is not None
    assert price_of(prices, "llama") is None
    assert Price(prompt=2, completion=10).cost(500_000, 100_000) == 2
    half = Price(prompt=2, completion=10, cached=1)
    assert half.cost(500_000, 100_000, cached_tokens=500_000) == 1.5
    assert prices.as_of is not None
    (tmp_path / "own.yaml").write_text("as_of: 2026-01-31\nmine: {prompt: 1, completion: 1}")
    monkeypatch.setenv("VOXPOLIS_PRICES", str(tmp_path / "own.yaml"))
    assert (list(read_prices()), str(read_prices().as_of)) == (["mine"], "2026-01-31")
    (tmp_path / "prices.yaml").write_text("mine: {prompt: 1, completion: -1}")
    with pytest.raises(ValidationError):
        read_prices(tmp_path / "prices.yaml")


# --- Recording and replay ------------------------------------------------------------------------


async def record_of(folder, asked):
    """Return a record of concurrent calls."""
    folder.mkdir()
    with RunWriter(folder, {}) as writer:
        model = RecordedModel(Echo(), writer.write_call, SETTINGS, read_prices())
        answers = await asyncio.gather(
            *(model.complete(ChatRequest(messages, **ASK)) for messages in asked),
            return_exceptions=True,
        )
    return [getattr(answer, "text", str(answer)) for answer in answers]


async def test_a_replay_gives_the_same_answers_in_any_order(tmp_path):
    asked = [said("a"), said("b", "c"), said("a"), said("fail")]
    answers = await record_of(tmp_path / "run", asked)
    record = read_record(tmp_path / "run")
    assert record.problems == []
    assert record.calls[0]["cost"] == pytest.approx((10 * 2.5 + 5 * 10) / 1e6)
    replay = ReplayModel(record.calls, SETTINGS)
    for index in (1, 0, 2):
        assert (await replay.complete(ChatRequest(asked[index], **ASK))).text == answers[index]
    with pytest.raises(ModelError, match="it is out"):
        await replay.complete(ChatRequest(said("fail"), **ASK))
    with pytest.raises(ReplayError, match="fewer answers for the role action of Ada"):
        await replay.complete(ChatRequest(said("a"), **ASK))


async def test_a_missing_answer_shows_the_closest_question(tmp_path):
    await record_of(tmp_path / "run", [said("You see a tree.\nYou hold 3 logs.")])
    replay = ReplayModel(read_record(tmp_path / "run").calls, SETTINGS)
    with pytest.raises(ReplayError) as miss:
        await replay.complete(ChatRequest(said("You see a tree.\nYou hold 4 logs."), **ASK))
    assert "-You hold 3 logs.\n+You hold 4 logs." in str(miss.value)
    warmer = ChatRequest(said("You see a tree.\nYou hold 3 logs."), **{**ASK, "temperature": 0.9})
    with pytest.raises(ReplayError, match="temperature"):
        await replay.complete(warmer)
    with pytest.raises(ReplayError, match="no call of the role judge"):
        await replay.complete(ChatRequest(said("a"), **{**ASK, "role": "judge"}))


def test_model_settings_in_the_documentation_are_valid():
    text = (ROOT / "docs" / "howto" / "models.md").read_text()
    blocks = re.findall(r"```yaml\n(.*?)```", text, re.DOTALL)
    assert len(blocks) >= 1
    for block in blocks:
        settings = ModelSettings.model_validate(yaml.safe_load(block))
        assert set(settings.agents) == {"Gizmo", "Glitch"}
