"""Typed questions over HTTP: four ways of sending the answer type, errors, and counts."""

from __future__ import annotations

import asyncio
import json
from typing import Annotated, Any, Literal

import pytest
from pydantic import Field

from tests.endpoint import completion, refusal, schema_of, serving
from tests.typed_endpoint import AFTER, BEFORE, STYLES
from voxpolis.bots.asking import MAX_ANSWERS, ask, ask_program, last_block
from voxpolis.bots.models import Account, AccountedModel, CallSettings, ModelSettings, ScriptedModel
from voxpolis.bots.models.openai_model import OpenAIModel
from voxpolis.bots.models.parameters import FORMS
from voxpolis.bots.models.scripted import ScriptError
from voxpolis.bots.models.typed import (
    Answer,
    AnswerError,
    integer,
    line,
    narrowed,
    one_of,
    read_answer,
    schema_id,
    wire_schema,
)


class Work(Answer):
    """Gather one piece of wheat."""

    do: Literal["WORK"] = "WORK"


class Pay(Answer):
    """Pay a part of what you hold."""

    do: Literal["PAY"] = "PAY"
    to: str
    percent: integer(0, 100)


class Decision(Answer):
    """Your next action."""

    action: Annotated[Work | Pay, Field(discriminator="do")] = Field(description="What you do.")
    say: line(80) | None = Field(description="What you say aloud; null for nothing.")


def known() -> type[Decision]:
    """Return a decision type for a moment when only Ben is present."""
    pay = narrowed(Pay, to=one_of(["Ben"]))
    return narrowed(Decision, action=Annotated[Work | pay, Field(discriminator="do")])


ASKED: Any = [{"role": "system", "content": "You are Ada."}, {"role": "user", "content": "Now?"}]
PAYS = {"action": {"do": "PAY", "to": "Ben", "percent": 10}, "say": "Here you are, Ben."}


# Number of requests that the first decision needs in each style, including rejected forms and
# retries.
CALLS = {"strict": 1, "tools": 2, "json mode": 3, "fenced": 4, "ignoring": 2}


async def asked(reply, account=None, **settings):
    """Return the decision of a model behind an endpoint, and the endpoint."""
    with serving(reply) as endpoint:
        own = ModelSettings(default=CallSettings(model="m", base_url=endpoint.url, **settings))
        model: Any = OpenAIModel(own, api_key="none", seed=7)
        if account is not None:
            model = AccountedModel(model, account)
        found = await ask(
            model, ASKED, Decision, role="decide", agent="Ada", temperature=0.5, narrow=known
        )
        return found, endpoint, model


@pytest.mark.parametrize("style", STYLES)
async def test_every_form_of_sending_the_type_gives_the_same_value(style):
    account = Account()
    found, endpoint, _ = await asked(STYLES[style](lambda _: PAYS), account)
    assert found == Decision.model_validate(PAYS)
    assert AFTER not in str(found)
    assert len(endpoint.requests) == CALLS[style]


async def test_question_without_an_answer_yet_counts_neither_as_usable_nor_as_failed():
    """The run of a mute agent may end while its last question is still open."""
    account, slow = Account(), asyncio.Event()

    def model(answer):
        return AccountedModel(ScriptedModel(answer), account)

    class Waiting(AccountedModel):
        async def complete(self, request):
            completion = await super().complete(request)
            await slow.wait()
            return completion

    own: Any = {"role": "decide", "temperature": 0.5}
    await ask(model(lambda _: Decision.model_validate(PAYS)), ASKED, Decision, agent="Ada", **own)
    with pytest.raises(AnswerError):
        await ask(model(lambda _: "Hm?"), ASKED, Decision, agent="Ben", **own)
    for agent in ("Ben", "Cora"):
        waiting = Waiting(ScriptedModel(lambda _: Decision.model_validate(PAYS)), account)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.01):
                await ask(waiting, ASKED, Decision, agent=agent, **own)
    assert account.of_agents == {("decide", "Ada"): [1, 0], ("decide", "Ben"): [0, 1]}
    assert account.decided(["Ada", "Ben", "Cora"]) == ["Ada"]


def test_schemas_stay_within_the_limits_of_strict_modes():
    def look(part: Any) -> None:
        if isinstance(part, dict):
            assert not {"$ref", "oneOf", "pattern", "maxLength", "default", "title"} & part.keys()
            if part.get("type") == "object":
                assert part["additionalProperties"] is False
                assert part["required"] == list(part["properties"])
            for value in part.values():
                look(value)
        elif isinstance(part, list):
            for value in part:
                look(value)

    schema = wire_schema(known())
    look(schema)
    assert next(iter(schema["properties"])) == "thought"
    text = json.dumps(schema)
    assert '"maximum": 100' in text
    assert "maximum" not in json.dumps(wire_schema(known(), bounds=False))
    assert "thought" not in wire_schema(known(), thought=False)["properties"]
    assert schema_id(known()) == schema_id(known()) != schema_id(Decision)


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(PAYS),
        json.dumps({"thought": "hm", **PAYS, "confidence": 0.9}),
        f"{BEFORE}\n```json\n{json.dumps(PAYS)}\n```\n{AFTER}",
        f"{BEFORE}\n{json.dumps(PAYS)}\n{AFTER}",
        json.dumps({"name": "answer", "arguments": PAYS}),
        json.dumps({"name": "answer", "arguments": json.dumps(PAYS)}),
        "{action: {do: 'PAY', to: 'Ben', percent: 10}, say: 'Here you are, Ben.',}",
    ],
)
def test_a_single_object_is_found_anywhere_in_the_text(text):
    assert read_answer(known(), text).model_dump() == PAYS


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ("I pay Ben.", "no JSON object"),
        ({**PAYS, "action": {"do": "PAY", "to": "Zoe", "percent": 10}}, "Ben"),
        ({**PAYS, "action": {"do": "PAY", "to": "Ben", "percent": 2003}}, "100"),
        ({**PAYS, "say": " "}, "say"),
        ({"action": {"do": "WORK"}}, "say"),
    ],
)
async def test_an_invalid_answer_is_retried_with_the_error_and_finally_fails(answer, told):
    account, said = Account(), answer if isinstance(answer, str) else json.dumps(answer)
    with pytest.raises(AnswerError):
        await asked(lambda _: (200, completion(said)), account)
    counted = account.as_json()
    assert (counted["asked"], counted["failed"]) == (1, 1)
    assert sum(counted["asked_again"]["decide"].values()) >= MAX_ANSWERS - 1
    assert counted["asked_again_tokens"]["decide"] == 7 * (MAX_ANSWERS - 1)
    assert told in counted["first_failed"]


async def test_a_retry_contains_the_error_but_not_the_answer_and_keeps_learnt_parameters():
    answers = [{**PAYS, "say": " "}, PAYS]
    found, endpoint, _ = await asked(lambda _: (200, completion(json.dumps(answers.pop(0)))))
    first, second = endpoint.requests
    assert found == Decision.model_validate(PAYS)
    assert [one["role"] for one in second["messages"]] == ["system", "user"]
    assert "say: must not be empty" in second["messages"][1]["content"]
    assert "percent" not in second["messages"][1]["content"]
    assert second["response_format"] == first["response_format"]
    assert first["seed"] != second["seed"]


async def test_rejected_bounds_are_dropped_from_the_schema_and_still_checked():
    def reply(request):
        if "maximum" in json.dumps(schema_of(request)):
            return refusal("Invalid schema: 'maximum' is not permitted", param="response_format")
        return 200, completion(json.dumps(PAYS))

    found, endpoint, _ = await asked(reply)
    assert found == Decision.model_validate(PAYS)
    assert len(endpoint.requests) == 2
    assert endpoint.requests[1]["response_format"]["type"] == FORMS[0]


DRAFT = json.dumps({**PAYS, "say": "A draft."})


@pytest.mark.parametrize(
    "message",
    [
        {"content": "", "reasoning_content": f"Option: {DRAFT} No! I will never do that."},
        {"content": f"I could say {DRAFT}, but that would be bad."},
        {"content": f'{{"thought":"I might say\n{DRAFT}\nbut no'},
        {"content": "", "tool_calls": [{"function": {"arguments": f"{DRAFT} no, wait"}}]},
    ],
)
async def test_a_draft_is_not_an_answer(message):
    with pytest.raises(AnswerError):
        await asked(lambda _: (200, completion(message["content"], **message)))


@pytest.mark.parametrize(
    "said", ["see <|im_end|> token", "</think> so", "a <think> b", "<|eot_id|>"]
)
async def test_template_markers_inside_a_string_are_kept(said):
    whole = json.dumps({**PAYS, "say": said})
    fenced = f"```json\n{json.dumps({**PAYS, 'say': said}, indent=2)}\n```<|im_end|>"
    thought = "<think>Perhaps.</think>"
    for text in (whole, f"{thought}{whole}<|im_end|>", fenced):
        found, _, _ = await asked(lambda _, text=text: (200, completion(text)))
        assert found.say == said


async def test_answers_in_thoughts_and_tool_calls_count():
    text = json.dumps(PAYS)
    call = {"function": {"name": "answer", "arguments": text}}
    for body in (
        completion("", reasoning_content=text),
        completion(f"I think {AFTER}", "tool_calls", tool_calls=[call]),
        completion(f"<think>{BEFORE}</think>{text}<|im_end|>"),
        completion(f"\x00{text}\ud83d"),
    ):
        found, _, _ = await asked(lambda _, body=body: (200, body))
        assert found == Decision.model_validate(PAYS)


async def test_a_content_filter_fails_one_decision():
    filtered = {"error": {"code": "content_filter", "message": "The response was filtered"}}
    for reply in ((400, filtered), (200, completion("", "content_filter"))):
        account = Account()
        with pytest.raises(AnswerError) as error:
            await asked(lambda _, reply=reply: reply, account)
        assert error.value.cause == "content filter"
        assert account.as_json()["agents"]["Ada"]["failed"] == {"decide: content filter": 1}


@pytest.mark.parametrize(
    ("first", "calls"),
    [
        ((200, {"error": {"code": 429}, "choices": [{"message": {"content": None}}]}), 2),
        ((400, {"error": {"code": "rate_limit_exceeded", "message": "Try again in 0.1s."}}), 2),
        ((200, b"<html>Bad gateway</html>"), 2),
    ],
)
async def test_a_temporary_error_is_retried(first, calls):
    left = [first]

    def reply(_):
        return left.pop() if left else (200, completion(json.dumps(PAYS)))

    _, endpoint, _ = await asked(reply)
    assert len(endpoint.requests) == calls


async def test_scripted_minds_return_values_without_building_schemas():
    def never() -> type[Decision]:
        raise AssertionError

    value = Decision(action=Work(), say=None)
    own: Any = {"role": "decide", "agent": "Ada", "temperature": 0.0, "narrow": never}
    assert await ask(ScriptedModel(lambda _: value), ASKED, Decision, **own) is value
    with pytest.raises(ScriptError, match="Decision"):
        await ask(ScriptedModel(lambda _: Work()), ASKED, Decision, **own)


async def test_a_program_is_the_last_fenced_block():
    text = "First:\n```js\nold()\n```\nBetter:\n```javascript\nnew()\n```\nDone."
    own: Any = {"role": "action", "agent": "Ada", "temperature": 0.0}
    assert await ask_program(ScriptedModel(lambda _: text), ASKED, str, **own) == "new()\n"
    for bad in ("code()", "```js\ncode()"):
        with pytest.raises(AnswerError):
            last_block(bad)
