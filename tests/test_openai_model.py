"""The OpenAI client against a real local endpoint."""

from __future__ import annotations

import socket

import pytest

from bots.models import ChatRequest, ModelError, ModelSettings, OpenAIModel, CallSettings
from tests.endpoint import completion, serving, sleepy

ASK = {"role": "action", "agent": "Gizmo", "temperature": 0.1, "max_tokens": 50}
MESSAGES = [{"role": "user", "content": "Hello?"}]


def model(url, **options):
    options = {"timeout_s": 20, "max_retries": 0, **options}
    return OpenAIModel(ModelSettings(model="some-model"), base_url=url, api_key="secret", **options)


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


async def test_a_passing_fault_is_tried_again():
    replies = iter([(500, {}), (429, {}), (200, completion("at last"))])
    with serving(lambda _request: next(replies)) as endpoint:
        answer = await model(endpoint.url, max_retries=3).complete(ChatRequest(MESSAGES, **ASK))
    assert answer.text == "at last"
    assert len(endpoint.requests) == 3


@pytest.mark.parametrize(
    ("status", "body", "complaint"),
    [
        (401, {"error": {"message": "bad key"}}, "answers 401"),
        (404, {"error": {"message": "no such model"}}, "answers 404.*no such model"),
        (500, b"<html>", "answers 500"),
        (200, b"<html>hello</html>", "nonsense"),
        (200, b"", "nonsense"),
        (200, [], "nonsense"),
        (200, {}, "no choices"),
        (200, {**completion(""), "choices": []}, "no choices"),
        (200, b'{"id": "1", "choices": [{"message": {"content": "cut o', "nonsense"),
        (200, {**completion(""), "choices": [{"message": 3}]}, "nonsense|without text|no choices"),
        (200, completion(None), "without text"),
        (200, completion(["a", "list"]), "without text"),
        (0, b"", "cannot be reached"),
    ],
)
async def test_what_is_no_answer_is_one_clear_error(status, body, complaint):
    with serving(lambda _request: (status, body)) as endpoint:
        with pytest.raises(ModelError, match=complaint) as caught:
            await model(endpoint.url).complete(ChatRequest(MESSAGES, **ASK))
        assert "\n" not in str(caught.value)


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


async def test_the_endpoint_says_how_long_to_wait():
    replies = iter([(429, {}), (200, completion("now"))])
    with serving(lambda _request: next(replies), {"Retry-After": "1"}) as endpoint:
        answer = await model(endpoint.url, max_retries=1).complete(ChatRequest(MESSAGES, **ASK))
    assert answer.text == "now"
    first, second = (request["at"] for request in endpoint.requests)
    assert second - first >= 0.9


async def test_roles_have_models_and_parameters_of_their_own():
    judge = CallSettings(model="judge-model", temperature=0, max_tokens=9)
    settings = ModelSettings(model="all", roles={"judge": judge})
    with serving(lambda _request: (200, completion("Hello."))) as endpoint:
        chosen = OpenAIModel(settings, base_url=endpoint.url, api_key="secret")
        for role in ("judge", "action"):
            await chosen.complete(ChatRequest(MESSAGES, **{**ASK, "role": role}))
    asked = [(r["model"], r["temperature"], r["max_tokens"]) for r in endpoint.requests]
    assert asked == [("judge-model", 0, 9), ("all", 0.1, 50)]


async def test_a_slow_endpoint():
    with serving(sleepy(5)) as endpoint, pytest.raises(ModelError, match="in time"):
        await model(endpoint.url, timeout_s=0.3).complete(ChatRequest(MESSAGES, **ASK))


async def test_an_endpoint_that_refuses():
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with pytest.raises(ModelError, match="cannot be reached"):
        await model(f"http://127.0.0.1:{port}/v1").complete(ChatRequest(MESSAGES, **ASK))


def test_without_a_key():
    with pytest.raises(ModelError, match="OPENAI_API_KEY"):
        OpenAIModel(ModelSettings())
