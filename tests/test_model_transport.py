"""The way to an endpoint: tries, pauses, rate limits, floods, and how much is asked at once."""

from __future__ import annotations

import asyncio
import socket

import pytest

from tests.endpoint import (
    THOUGHTS,
    completion,
    dripping,
    failing,
    flooding,
    in_pieces,
    serving,
    sleepy,
)
from tests.one_call import ASK, MESSAGES, model
from voxpolis.bots.models import (
    CallBoard,
    CallSettings,
    ChatRequest,
    ClosedError,
    ModelError,
    ModelSettings,
)
from voxpolis.bots.models import endpoint as endpoint_of_models
from voxpolis.bots.models.endpoint import asked_pause, server_of
from voxpolis.bots.models.openai_model import OpenAIModel


@pytest.mark.parametrize(("code", "asked"), [(429, 2), (502, 2), (402, 1)])
async def test_a_fault_behind_a_router_is_one_whatever_the_status(code, asked, monkeypatch):
    monkeypatch.setattr(endpoint_of_models, "FIRST_PAUSE_S", 0.001)
    error = {"error": {"message": "Provider returned error", "code": code}, "user_id": "u"}
    bodies = [error, completion("Hello.")]
    with serving(lambda _request: (200, bodies.pop(0))) as endpoint:
        call = model(endpoint.url, max_retries=1).complete(ChatRequest(MESSAGES, **ASK))
        if asked == 2:
            assert (await call).text == "Hello."
        else:
            with pytest.raises(ModelError, match="answers 402: Provider returned error"):
                await call
    assert len(endpoint.requests) == asked


@pytest.mark.parametrize("style", THOUGHTS)
async def test_an_answer_in_pieces_is_one(style):
    """Some servers stream, whatever they are asked."""
    body = THOUGHTS[style]("Perhaps: bad();", "The {answer}.\nAll of it, \u00e4.")
    with serving(lambda _: (200, in_pieces(body))) as endpoint:
        answer = await model(endpoint.url).complete(ChatRequest(MESSAGES, **ASK))
    assert answer.text == "The {answer}.\nAll of it, \u00e4."
    assert "bad();" in answer.reasoning
    assert (answer.prompt_tokens, answer.completion_tokens) == (3, 4)
    assert (answer.finish_reason, answer.model) == ("stop", "local-test")


@pytest.mark.parametrize(
    ("broken", "says"),
    [
        (in_pieces(completion("Hello."), is_ended=False), None),
        (b'data: {"error": {"code": 503, "message": "busy"}}\n\ndata: [DONE]\n\n', None),
        (
            b'data: {"choices": [{"index": 0, "delta": {}, "finish_reason": "error", "error": '
            b'{"message": "busy"}}]}\n\n',
            None,
        ),
        (b'data: {"error": {"message": "no such voice"}}\n\n', "no such voice"),
        (b"data: [1]\n\ndata: [DONE]\n\n", None),
        (b"data: <html>\n\ndata: [DONE]\n\n", None),
    ],
)
async def test_an_answer_in_pieces_that_breaks_is_no_answer(broken, says, monkeypatch):
    """Its beginning is none; where another try may go better, there is one."""
    monkeypatch.setattr(endpoint_of_models, "FIRST_PAUSE_S", 0.001)
    bodies = [broken, completion("Hello.")]
    with serving(lambda _: (200, bodies.pop(0))) as endpoint:
        call = model(endpoint.url, max_retries=1).complete(ChatRequest(MESSAGES, **ASK))
        if says is None:
            assert (await call).text == "Hello."
        else:
            with pytest.raises(ModelError, match=says):
                await call


async def test_a_passing_fault_is_tried_again():
    replies = iter([(500, {}), (429, {}), (200, completion("at last"))])
    with serving(lambda _request: next(replies)) as endpoint:
        answer = await model(endpoint.url, max_retries=3).complete(ChatRequest(MESSAGES, **ASK))
    assert answer.text == "at last"
    assert len(endpoint.requests) == 3


@pytest.mark.parametrize(
    ("status", "closed"), [(401, True), (402, True), (404, True), (422, False)]
)
async def test_an_endpoint_that_will_answer_no_more_is_told_apart(status, closed):
    refuses = serving(lambda _request: (status, {"error": {"message": "no"}}))
    with refuses as endpoint, pytest.raises(ModelError) as caught:
        await model(endpoint.url).complete(ChatRequest(MESSAGES, **ASK))
    assert isinstance(caught.value, ClosedError) is closed


async def test_a_flood_that_never_ends_is_one_clear_error():
    with serving(flooding()) as endpoint, pytest.raises(ModelError, match="more than 16 MB"):
        await model(endpoint.url).complete(ChatRequest(MESSAGES, **ASK))


async def test_the_endpoint_says_how_long_to_wait():
    replies = iter([(429, {}), (200, completion("now"))])
    with serving(lambda _request: next(replies), {"Retry-After": "1"}) as endpoint:
        answer = await model(endpoint.url, max_retries=1).complete(ChatRequest(MESSAGES, **ASK))
    assert answer.text == "now"
    first, second = (request["at"] for request in endpoint.requests)
    assert second - first >= 0.9


@pytest.mark.parametrize("reply", [sleepy(5), dripping(0.05)], ids=["slow", "dripping"])
async def test_a_slow_endpoint(reply):
    with serving(reply) as endpoint, pytest.raises(ModelError, match="in time"):
        await model(endpoint.url, timeout_s=0.3).complete(ChatRequest(MESSAGES, **ASK))


@pytest.mark.parametrize("status", [301, 302, 307, 308])
async def test_nothing_goes_where_an_endpoint_sends_on_to(status):
    with (
        serving(lambda _: (200, completion("Hello."))) as other,
        serving(lambda _: (status, {}), {"Location": f"{other.url}/chat/completions"}) as endpoint,
        pytest.raises(ModelError, match=f"sends on to {other.url}"),
    ):
        await model(endpoint.url).complete(ChatRequest(MESSAGES, **ASK))
    assert (len(endpoint.requests), other.requests) == (1, [])


async def test_an_endpoint_that_refuses():
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with pytest.raises(ModelError, match="cannot be reached"):
        await model(f"http://127.0.0.1:{port}/v1").complete(ChatRequest(MESSAGES, **ASK))


async def test_each_endpoint_is_asked_so_many_things_at_once():
    with serving(sleepy(0.1)) as one, serving(sleepy(0.1)) as other:
        own = CallSettings(base_url=other.url)
        settings = ModelSettings(model="m", agents={"Glitch": own})
        asked = OpenAIModel(settings, base_url=one.url, api_key="secret", at_once=3)
        agents = ["Gizmo", "Glitch"] * 9
        calls = (asked.complete(ChatRequest(MESSAGES, **{**ASK, "agent": a})) for a in agents)
        await asyncio.gather(*calls)
    assert (len(one.requests), len(other.requests)) == (9, 9)
    assert (one.most_under_way, other.most_under_way) == (3, 3)


async def test_an_endpoint_is_the_same_in_each_spelling_and_with_each_key(monkeypatch):
    monkeypatch.setenv("OWN_KEY", "own")
    with serving(sleepy(0.05)) as one:
        spellings = {
            "slash": CallSettings(base_url=one.url.rstrip("/") + "/"),
            "case": CallSettings(base_url=one.url.replace("http", "HTTP")),
            "key": CallSettings(key="OWN_KEY"),
            "both": CallSettings(base_url=one.url, key="OWN_KEY"),
        }
        settings = ModelSettings(model="m", agents=spellings)
        asked = OpenAIModel(settings, base_url=one.url, api_key="secret", at_once=2)
        agents = [*spellings, "default"] * 2
        calls = (asked.complete(ChatRequest(MESSAGES, **{**ASK, "agent": a})) for a in agents)
        await asyncio.gather(*calls)
    assert len(one.requests) == 10
    assert one.most_under_way == 2


@pytest.mark.parametrize(
    ("address", "same", "other"),
    [
        ("https://api.test/v1", "HTTPS://API.test:443/v1/", "https://api.test/v2"),
        ("http://localhost:8000/v1", "http://127.0.0.1:8000/v1/", "http://localhost:8001/v1"),
        ("http://[::1]:8000", "http://[::1]:8000/", "https://[::1]:8000/"),
    ],
)
def test_spellings_of_an_address(address, same, other):
    assert server_of(address) == server_of(same) != server_of(other)


def test_an_address_with_a_port_that_there_is_not():
    for port in ("99999", "ab"):
        with pytest.raises(ModelError, match=f"http://x:{port}/v1 is no address: Port"):
            model(f"http://x:{port}/v1")


async def test_a_rate_limit_is_everybodys():
    replies = iter([(429, {})])
    with serving(
        lambda _: next(replies, (200, completion("now"))), {"Retry-After": "1"}
    ) as endpoint:
        asked = model(endpoint.url, max_retries=1, at_once=1)
        await asyncio.gather(*(asked.complete(ChatRequest(MESSAGES, **ASK)) for _ in range(4)))
    first, *others = (request["at"] for request in endpoint.requests)
    assert min(others) - first >= 0.9


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after-ms": "250", "retry-after": "7"}, 0.25),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "Fri, 31 Dec 1999 23:59:59 GMT"}, None),
    ],
)
def test_how_long_an_endpoint_asks_to_be_left_alone(headers, seconds):
    assert asked_pause(headers) == seconds


async def test_who_asks_for_too_long_a_pause_is_not_asked_again():
    with serving(lambda _: (503, {}), {"Retry-After": "9999"}) as endpoint:
        asked = model(endpoint.url, max_retries=3)
        with pytest.raises(
            ModelError, match=r"answers 503: .*\(it asks for a pause of 9999 s, longer"
        ):
            await asked.complete(ChatRequest(MESSAGES, **ASK))
    assert len(endpoint.requests) == 1


async def test_money_that_is_used_up_is_not_waited_for():
    body = {"error": {"message": "You exceeded your quota", "code": "insufficient_quota"}}
    with serving(lambda _: (429, body)) as endpoint:
        asked = model(endpoint.url, max_retries=3)
        with pytest.raises(ModelError, match="exceeded your quota"):
            await asked.complete(ChatRequest(MESSAGES, **ASK))
    assert len(endpoint.requests) == 1


async def test_who_waits_is_seen():
    board = CallBoard({})
    with serving(failing(lambda _: "ok", [500])) as endpoint:
        asked = model(endpoint.url, max_retries=1, board=board)
        call = asyncio.create_task(asked.complete(ChatRequest(MESSAGES, **ASK)))
        lines = set()
        while not call.done():
            lines.add(board.line())
            await asyncio.sleep(0.01)
    assert any("waiting for some-model (action)" in line for line in lines)
    assert any("try 1, asked again in" in line for line in lines)
    assert board.line() == ""
    assert board.total() == "1 call, 3 prompt tokens, 4 answer tokens, dollars unknown"


@pytest.mark.parametrize("choices", [[], None])
async def test_an_answer_without_choices_is_tried_again(choices, monkeypatch):
    monkeypatch.setattr(endpoint_of_models, "FIRST_PAUSE_S", 0.001)
    bodies = [{**completion(""), "choices": choices}, completion("Hello.")]
    with serving(lambda _request: (200, bodies.pop(0))) as endpoint:
        answer = await model(endpoint.url, max_retries=1).complete(ChatRequest(MESSAGES, **ASK))
    assert (answer.text, answer.tries) == ("Hello.", 2)


@pytest.mark.parametrize(
    "choice",
    [
        {"error": {"code": 502, "message": "Upstream died"}, "finish_reason": "error"},
        {"error": {"code": "502", "message": "Upstream died"}},
        {"finish_reason": "error", "message": {"role": "assistant", "content": "The begin"}},
        {"error": "Upstream died", "finish_reason": "error", "message": None},
    ],
)
async def test_a_choice_that_ended_as_an_error_is_tried_again(choice, monkeypatch):
    monkeypatch.setattr(endpoint_of_models, "FIRST_PAUSE_S", 0.001)
    failed = {"message": {"role": "assistant", "content": ""}, **choice}
    bodies = [{**completion(""), "choices": [failed]}, completion("Hello.")]
    with serving(lambda _request: (200, bodies.pop(0))) as endpoint:
        answer = await model(endpoint.url, max_retries=1).complete(ChatRequest(MESSAGES, **ASK))
    assert (answer.text, answer.tries) == ("Hello.", 2)


async def test_a_choice_with_an_error_that_lasts_is_not_tried_again():
    failed = {"message": {"content": ""}, "error": {"code": 402, "message": "no money"}}
    with (
        serving(lambda _request: (200, {**completion(""), "choices": [failed]})) as endpoint,
        pytest.raises(ClosedError, match="answers 402: no money"),
    ):
        await model(endpoint.url, max_retries=3).complete(ChatRequest(MESSAGES, **ASK))
    assert len(endpoint.requests) == 1


# --- Keys ----------------------------------------------------------------------------------------

KEY, OTHER, TOKEN = "sk-default-0123456789", "sk-own-9876543210abcdef", "tk/+secret-token-4711"


def echoing(status, of):
    """An endpoint that repeats keys in a text that is cut in the midst of one."""

    def reply(_request):
        text = of(f"{'x' * 170} {KEY} {OTHER} Bearer {TOKEN} {KEY}")
        return status, text if status >= 400 else {**completion(text), "model": KEY}

    return reply


@pytest.mark.parametrize(
    ("status", "of"),
    [
        (400, lambda text: {"error": {"message": text, "param": "temperature"}}),
        (401, lambda text: {"error": {"message": text}}),
        (404, lambda text: text.encode()),
        (500, lambda text: {"detail": [{"msg": text}]}),
        (502, lambda text: {"error": text}),
        (200, lambda text: text),
    ],
)
async def test_no_text_of_an_endpoint_shows_a_key_that_is_in_use(status, of, monkeypatch):
    monkeypatch.setenv("OWN_KEY", OTHER)
    monkeypatch.setenv("OWN_TOKEN", f"Bearer {TOKEN}")
    board = CallBoard()
    with serving(echoing(status, of)) as endpoint:
        own = CallSettings(key="OWN_KEY", headers={"Authorization": "$OWN_TOKEN"})
        settings = ModelSettings(model="m", agents={"Glitch": own})
        asked = OpenAIModel(
            settings, base_url=endpoint.url, api_key=KEY, max_retries=0, board=board
        )
        told = []
        for agent in ("Gizmo", "Glitch"):
            try:
                answer = await asked.complete(ChatRequest(MESSAGES, **{**ASK, "agent": agent}))
                told.append(repr(answer))
            except ModelError as error:
                told.append(repr((error, error.notes, getattr(error, "body", None))))
    shown = " ".join((*told, *board.notes))
    assert "(key)" in shown
    assert "x" * 170 in shown
    for secret in (KEY, OTHER, TOKEN):
        assert secret[:8] not in shown


async def test_a_key_that_no_header_can_hold_is_not_told(monkeypatch):
    monkeypatch.setenv("OWN_KEY", f"{OTHER}\nx")
    settings = ModelSettings(model="m", agents={"Gizmo": CallSettings(key="OWN_KEY")})
    with serving(lambda _request: (200, completion("Hello."))) as endpoint:
        asked = OpenAIModel(settings, base_url=endpoint.url, api_key=KEY, max_retries=0)
        with pytest.raises(ModelError) as caught:
            await asked.complete(ChatRequest(MESSAGES, **ASK))
    assert OTHER[:8] not in str(caught.value)
