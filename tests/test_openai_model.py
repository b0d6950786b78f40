"""The OpenAI client against a real local endpoint: what it answers, thinks and takes."""

from __future__ import annotations

import pytest

from tests.endpoint import (
    CUT_OFF_THOUGHTS,
    THOUGHTS,
    CutOff,
    completion,
    serving,
    thinking,
    thoughtful,
)
from tests.one_call import ASK, MESSAGES, model
from voxpolis.bots.models import ChatRequest, ModelError, ModelSettings, PatientModel, RecordedModel
from voxpolis.bots.models.openai_model import OpenAIModel


async def test_an_answer():
    with serving(lambda _request: (200, completion("Hello."))) as endpoint:
        answer = await model(endpoint.url).complete(ChatRequest(MESSAGES, **ASK))
    assert (answer.text, answer.model) == ("Hello.", "local-test")
    assert (answer.prompt_tokens, answer.completion_tokens) == (3, 4)
    (request,) = endpoint.requests
    assert request["model"] == "some-model"
    assert request["messages"] == MESSAGES
    assert request["temperature"] == 0.1
    assert request["authorization"] == "Bearer secret"


@pytest.mark.parametrize(
    ("status", "body", "complaint"),
    [
        (401, {"error": {"message": "bad key"}}, "answers 401"),
        (404, {"error": {"message": "no such model"}}, "answers 404.*no such model"),
        (500, b"<html>", "answers 500"),
        (200, b"<html>hello</html>", "no completion"),
        (200, b"", "no completion"),
        (200, [], "no completion"),
        (200, {}, "no completion"),
        (200, {**completion(""), "choices": []}, "no choices"),
        (200, b'{"id": "1", "choices": [{"message": {"content": "cut o', "no completion"),
        (200, {**completion(""), "choices": [{"message": 3}]}, "no choices"),
        (200, {"error": {"message": "upstream overloaded", "code": 503}}, "upstream overloaded"),
        (400, b"sampling controls are disabled", "sampling controls are disabled"),
        (0, b"", "cannot be reached"),
        (200, CutOff(b'{"id": "1", "choices": [{"message": {"cont'), "cannot be reached"),
        (200, b"[" * 100_000, "no completion"),
    ],
)
async def test_what_is_no_answer_is_one_clear_error(status, body, complaint):
    with serving(lambda _request: (status, body)) as endpoint:
        with pytest.raises(ModelError, match=complaint) as caught:
            await model(endpoint.url).complete(ChatRequest(MESSAGES, **ASK))
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("content", [None, "", ["a", "list"]])
async def test_a_choice_without_text_is_an_empty_answer(content):
    with serving(lambda _request: (200, completion(content))) as endpoint:
        answer = await model(endpoint.url).complete(ChatRequest(MESSAGES, **ASK))
    assert answer.text == ""


async def test_a_refusal_is_what_the_model_says():
    body = completion(None)
    body["choices"][0]["message"]["refusal"] = "I would rather not."
    with serving(lambda _request: (200, body)) as endpoint:
        answer = await model(endpoint.url).complete(ChatRequest(MESSAGES, **ASK))
    assert answer.text == "I would rather not."


async def test_a_flood_is_cut_and_wrong_counts_are_left_out():
    body = {**completion("x" * 10_000_000), "usage": {"prompt_tokens": -3, "total_tokens": "many"}}
    with serving(lambda _request: (200, body)) as endpoint:
        answer = await model(endpoint.url).complete(ChatRequest(MESSAGES, **ASK))
    assert answer.text == "x" * 200_000
    assert (answer.prompt_tokens, answer.completion_tokens) == (None, None)


async def test_half_a_surrogate_can_be_written():
    with serving(
        lambda _: (200, b'{"choices": [{"message": {"content": "a\\ud83d"}}]}')
    ) as endpoint:
        answer = await model(endpoint.url).complete(ChatRequest(MESSAGES, **ASK))
    assert answer.text == "a"


def test_without_a_key():
    with pytest.raises(ModelError, match="OPENAI_API_KEY"):
        OpenAIModel(ModelSettings())


@pytest.mark.parametrize("style", THOUGHTS)
async def test_a_thought_is_no_part_of_the_answer(style):
    thought = 'Perhaps {"success": true}?\n```javascript\nbad();\n```'
    with serving(thinking(lambda _: "The {answer}.", thought, style)) as endpoint:
        answer = await model(endpoint.url).complete(ChatRequest(MESSAGES, **ASK))
    assert answer.text == "The {answer}."
    assert "bad();" in answer.reasoning


@pytest.mark.parametrize("style", CUT_OFF_THOUGHTS)
async def test_a_thought_that_was_cut_off_is_no_answer(style):
    """It is asked for again, with more tokens, and what was thought is in the record alone."""

    def reply(request):
        if request["max_tokens"] > 50:
            return 200, completion("ACTION: WORK")
        return 200, CUT_OFF_THOUGHTS[style]("Perhaps this:\nACTION: REST\nOr not")

    settings = ModelSettings(model="some-model")
    with serving(reply) as endpoint:
        alone = await model(endpoint.url).complete(ChatRequest(MESSAGES, **ASK))
        answer = await PatientModel(model(endpoint.url), settings).complete(
            ChatRequest(MESSAGES, **ASK)
        )
    assert (alone.text, answer.text) == ("", "ACTION: WORK")
    assert "ACTION: REST" in alone.reasoning
    assert [request["max_tokens"] for request in endpoint.requests] == [50, 50, 8050]


@pytest.mark.parametrize(
    ("content", "text"),
    [
        # a thought may end with code, and a thought's end that is quoted in an object ends nothing
        ("I say `WAIT` or ```WAIT```</think>```WAIT```", "```WAIT```"),
        (
            '<think>{"a": 1}</think>{"a": "</think> <|im_end|>"}<|im_end|>',
            '{"a": "</think> <|im_end|>"}',
        ),
        ('{"a": 1}</think>No.', "No."),
        ('{"a": 1}<|END_THINKING|>No.', "No."),
        # an answer's own channel ends where the next begins, and the last one counts
        (
            "<|channel|>final<|message|>{}<|end|><|start|>assistant<|channel|>analysis<|message|>Hm.",
            "{}",
        ),
        ("<|begin_of_box|>WAIT<|end_of_box|>", "WAIT"),
        ("WAIT<|im_end|>\n<|im_start|>user\nGO", "WAIT"),
        # parts of types that nobody knows are no answers, however deep they are
        ([{"type": ["odd"], "text": "GO"}, {"type": "text", "text": "WAIT"}, 7], "WAIT"),
        ({"type": "text", "text": "WAIT"}, "WAIT"),
        ([{"type": "thinking", "thinking": [[[[[[[[[["GO"]]]]]]]]]]}], ""),
    ],
)
async def test_what_looks_like_a_thought(content, text):
    with serving(lambda _: (200, completion(content))) as endpoint:
        answer = await model(endpoint.url).complete(ChatRequest(MESSAGES, **ASK))
    assert answer.text == (content if text is None else text)


@pytest.mark.parametrize("shown", [True, False])
async def test_a_thought_that_took_all_tokens_gets_more_once_and_from_then_on(shown):
    settings = ModelSettings(model="some-model")
    with serving(thoughtful(lambda _: "At last.", 5000, shown=shown)) as endpoint:
        patient = PatientModel(model(endpoint.url), settings)
        first = await patient.complete(ChatRequest(MESSAGES, **ASK))
        second = await patient.complete(ChatRequest(MESSAGES, **ASK))
    assert [request["max_tokens"] for request in endpoint.requests] == [50, 8050, 8050]
    assert (first.text, second.text) == ("At last.", "At last.")
    assert (first.prompt_tokens, first.completion_tokens) == (20, 5050)  # both were paid for
    assert second.reasoning_tokens == 4995
    assert len(first.notes) == 1


@pytest.mark.parametrize(
    ("thought", "text", "asked"),
    [
        ({"tokens": 40}, "ACTION: WO", [50, 8050]),
        ({"tokens": 10}, "ACTION: WO", [50]),  # the answer itself is too long
        ({"shown": "Let me think about it."}, "ACTION: WO", [50, 8050]),
        ({"shown": "Hm."}, "ACTION: WO", [50]),
    ],
)
async def test_an_answer_that_is_cut_off_behind_a_long_thought_gets_more(thought, text, asked):
    def reply(request):
        if request["max_tokens"] > 50:
            return 200, completion("ACTION: WORK")
        usage = {"prompt_tokens": 10, "completion_tokens": 50}
        if "tokens" in thought:
            usage["completion_tokens_details"] = {"reasoning_tokens": thought["tokens"]}
        shown = f"<think>{thought.get('shown', '')}</think>" * ("shown" in thought)
        return 200, {**completion(shown + text, "length"), "usage": usage}

    with serving(reply) as endpoint:
        patient = PatientModel(model(endpoint.url), ModelSettings(model="some-model"))
        answer = await patient.complete(ChatRequest(MESSAGES, **ASK))
    assert [request["max_tokens"] for request in endpoint.requests] == asked
    assert answer.text == ("ACTION: WORK" if len(asked) > 1 else text)


async def test_a_thought_without_end_is_a_clear_error_with_its_cost():
    settings, calls = ModelSettings(model="some-model"), []
    with serving(thoughtful(lambda _: "never", 10**6, shown=True)) as endpoint:
        patient = PatientModel(model(endpoint.url), settings)
        recorded = RecordedModel(patient, calls.append, settings, {})
        with pytest.raises(ModelError, match=r"used all 8050 tokens for its thought.*role action"):
            await recorded.complete(ChatRequest(MESSAGES, **ASK))
    assert len(endpoint.requests) == 2
    assert calls[0]["completion_tokens"] == 50 + 8050
    assert "let me see" in calls[0]["reasoning"]


async def test_usage_is_read_as_endpoints_tell_it():
    usages = [
        {
            "prompt_tokens": 10,
            "completion_tokens": 6,
            "prompt_tokens_details": {"cached_tokens": 4},
            "completion_tokens_details": {"reasoning_tokens": 2},
        },
        {"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 16},  # thought is apart
        {"prompt_tokens": 10, "completion_tokens": 6, "prompt_cache_hit_tokens": 99, "cost": 0.5},
    ]
    replies = iter(usages)
    with serving(lambda _: (200, {**completion("x"), "usage": next(replies)})) as endpoint:
        asked = model(endpoint.url)
        answers = [await asked.complete(ChatRequest(MESSAGES, **ASK)) for _ in usages]
    assert [answer.completion_tokens for answer in answers] == [6, 6, 6]
    assert [answer.cached_tokens for answer in answers] == [4, None, 10]
    assert [answer.reasoning_tokens for answer in answers] == [2, 4, None]
    assert answers[2].cost == 0.5
