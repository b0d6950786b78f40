"""A model behind a real local endpoint: answers, thoughts, parameters, pauses, faults and keys."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.endpoint import (
    CUT_OFF_THOUGHTS,
    THOUGHTS,
    CutOff,
    completion,
    current_openai,
    dripping,
    flooding,
    in_pieces,
    refusal,
    serving,
    sleepy,
    thinking,
    thoughtful,
)
from voxpolis.bots.models import (
    CallBoard,
    CallSettings,
    ChatRequest,
    ModelError,
    ModelSettings,
    PatientModel,
    RecordedModel,
)
from voxpolis.bots.models import endpoint as endpoint_of_models
from voxpolis.bots.models.endpoint import requested_pause
from voxpolis.bots.models.openai_model import OpenAIModel
from voxpolis.bots.models.parameters import Dialect

ASK: dict[str, Any] = {"role": "action", "agent": "Gizmo", "temperature": 0.1, "max_tokens": 50}
MESSAGES = [{"role": "user", "content": "Hello?"}]


def model(url: str, **options: Any) -> OpenAIModel:
    """Return a client for an endpoint, without retries by default."""
    options = {"timeout_s": 20, "max_retries": 0, **options}
    return OpenAIModel(ModelSettings(model="some-model"), base_url=url, api_key="secret", **options)


async def test_an_answer_has_text_usage_and_model_name():
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
        (401, {"error": {"message": "bad key"}}, "responded with 401"),
        (200, b"<html>hello</html>", "not a completion"),
        (200, {}, "not a completion"),
        (200, {**completion(""), "choices": []}, "no choices"),
        (200, {"error": {"message": "upstream overloaded", "code": 503}}, "upstream overloaded"),
        (0, b"", "cannot be reached"),
        (200, CutOff(b'{"id": "1", "choices": [{"message": {"cont'), "cannot be reached"),
        (200, b"[" * 100_000, "not a completion"),
    ],
)
async def test_an_invalid_response_gives_one_clear_error(status, body, complaint):
    with serving(lambda _request: (status, body)) as endpoint:
        with pytest.raises(ModelError, match=complaint) as caught:
            await model(endpoint.url).complete(ChatRequest(MESSAGES, **ASK))
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("style", THOUGHTS)
async def test_a_thought_is_not_part_of_the_answer(style):
    thought = 'Perhaps {"success": true}?\n```javascript\nbad();\n```'
    with serving(thinking(lambda _: "The {answer}.", thought, style)) as endpoint:
        answer = await model(endpoint.url).complete(ChatRequest(MESSAGES, **ASK))
    assert answer.text == "The {answer}."
    assert "bad();" in answer.reasoning


@pytest.mark.parametrize("style", CUT_OFF_THOUGHTS)
async def test_a_truncated_thought_is_not_an_answer(style):
    """The question is asked again with more tokens, and the thought is only recorded."""

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
        # A thought may end with code, and an end marker quoted inside an object has no effect.
        ("I say `WAIT` or ```WAIT```</think>```WAIT```", "```WAIT```"),
        (
            '<think>{"a": 1}</think>{"a": "</think> <|im_end|>"}<|im_end|>',
            '{"a": "</think> <|im_end|>"}',
        ),
        ('{"a": 1}</think>No.', "No."),
        ('{"a": 1}<|END_THINKING|>No.', "No."),
        # The answer's own channel ends where the next begins; of several answer channels, the last
        # counts.
        (
            "<|channel|>final<|message|>{}<|end|><|start|>assistant<|channel|>analysis<|message|>Hm.",
            "{}",
        ),
        ("<|begin_of_box|>WAIT<|end_of_box|>", "WAIT"),
        ("WAIT<|im_end|>\n<|im_start|>user\nGO", "WAIT"),
        # Parts of unknown types are not answers, at any depth.
        ([{"type": ["odd"], "text": "GO"}, {"type": "text", "text": "WAIT"}, 7], "WAIT"),
        ({"type": "text", "text": "WAIT"}, "WAIT"),
        ([{"type": "thinking", "thinking": [[[[[[[[[["GO"]]]]]]]]]]}], ""),
    ],
)
async def test_text_that_resembles_a_thought_is_kept(content, text):
    with serving(lambda _: (200, completion(content))) as endpoint:
        answer = await model(endpoint.url).complete(ChatRequest(MESSAGES, **ASK))
    assert answer.text == (content if text is None else text)


@pytest.mark.parametrize("shown", [True, False])
async def test_the_token_limit_rises_after_a_thought_takes_all_tokens(shown):
    settings = ModelSettings(model="some-model")
    with serving(thoughtful(lambda _: "At last.", 5000, shown=shown)) as endpoint:
        patient = PatientModel(model(endpoint.url), settings)
        first = await patient.complete(ChatRequest(MESSAGES, **ASK))
        second = await patient.complete(ChatRequest(MESSAGES, **ASK))
    assert [request["max_tokens"] for request in endpoint.requests] == [50, 8050, 8050]
    assert (first.text, second.text) == ("At last.", "At last.")
    # both answers were paid for
    assert (first.prompt_tokens, first.completion_tokens) == (20, 5050)
    assert second.reasoning_tokens == 4995
    assert len(first.notes) == 1


async def test_usage_is_read_in_all_formats():
    usages = [
        {
            "prompt_tokens": 10,
            "completion_tokens": 6,
            "prompt_tokens_details": {"cached_tokens": 4},
            "completion_tokens_details": {"reasoning_tokens": 2},
        },
        # tokens for thought are counted separately
        {"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 16},
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


@pytest.mark.parametrize(("code", "asked"), [(429, 2), (402, 1)])
async def test_a_routers_error_is_recognised_with_any_status(code, asked, monkeypatch):
    monkeypatch.setattr(endpoint_of_models, "FIRST_PAUSE_S", 0.001)
    error = {"error": {"message": "Provider returned error", "code": code}, "user_id": "u"}
    bodies = [error, completion("Hello.")]
    with serving(lambda _request: (200, bodies.pop(0))) as endpoint:
        call = model(endpoint.url, max_retries=1).complete(ChatRequest(MESSAGES, **ASK))
        if asked == 2:
            assert (await call).text == "Hello."
        else:
            with pytest.raises(ModelError, match="responded with 402: Provider returned error"):
                await call
    assert len(endpoint.requests) == asked


@pytest.mark.parametrize("style", ["tags", "reasoning_content", "parts"])
async def test_a_streamed_answer_is_assembled(style):
    """Some servers stream even when they are not asked to."""
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
async def test_a_broken_stream_is_not_an_answer(broken, says, monkeypatch):
    """A retry may succeed."""
    monkeypatch.setattr(endpoint_of_models, "FIRST_PAUSE_S", 0.001)
    bodies = [broken, completion("Hello.")]
    with serving(lambda _: (200, bodies.pop(0))) as endpoint:
        call = model(endpoint.url, max_retries=1).complete(ChatRequest(MESSAGES, **ASK))
        if says is None:
            assert (await call).text == "Hello."
        else:
            with pytest.raises(ModelError, match=says):
                await call


async def test_an_endless_response_gives_one_clear_error():
    with serving(flooding()) as endpoint, pytest.raises(ModelError, match="more than 16 MB"):
        await model(endpoint.url).complete(ChatRequest(MESSAGES, **ASK))


@pytest.mark.parametrize("reply", [sleepy(5), dripping(0.05)], ids=["slow", "dripping"])
async def test_a_slow_endpoint_times_out(reply):
    with serving(reply) as endpoint, pytest.raises(ModelError, match="in time"):
        await model(endpoint.url, timeout_s=0.3).complete(ChatRequest(MESSAGES, **ASK))


@pytest.mark.parametrize("status", [307])
async def test_redirects_are_not_followed(status):
    with (
        serving(lambda _: (200, completion("Hello."))) as other,
        serving(lambda _: (status, {}), {"Location": f"{other.url}/chat/completions"}) as endpoint,
        pytest.raises(ModelError, match=f"redirects to {other.url}"),
    ):
        await model(endpoint.url).complete(ChatRequest(MESSAGES, **ASK))
    assert (len(endpoint.requests), other.requests) == (1, [])


async def test_concurrent_calls_are_limited_per_endpoint():
    with serving(sleepy(0.1)) as one, serving(sleepy(0.1)) as other:
        own = CallSettings(base_url=other.url)
        settings = ModelSettings(model="m", agents={"Glitch": own})
        asked = OpenAIModel(settings, base_url=one.url, api_key="secret", at_once=3)
        agents = ["Gizmo", "Glitch"] * 9
        calls = (asked.complete(ChatRequest(MESSAGES, **{**ASK, "agent": a})) for a in agents)
        await asyncio.gather(*calls)
    assert (len(one.requests), len(other.requests)) == (9, 9)
    assert (one.most_under_way, other.most_under_way) == (3, 3)


async def test_a_rate_limit_pauses_all_callers():
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
        ({"retry-after-ms": "250", "retry-after": "7"}, 0.25),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "Fri, 31 Dec 1999 23:59:59 GMT"}, None),
    ],
)
def test_requested_pauses_are_read_in_all_formats(headers, seconds):
    assert requested_pause(headers) == seconds


@pytest.mark.parametrize(
    "choice",
    [
        {"error": {"code": 502, "message": "Upstream died"}, "finish_reason": "error"},
        {"finish_reason": "error", "message": {"role": "assistant", "content": "The begin"}},
    ],
)
async def test_a_choice_that_ended_with_an_error_is_retried(choice, monkeypatch):
    monkeypatch.setattr(endpoint_of_models, "FIRST_PAUSE_S", 0.001)
    failed = {"message": {"role": "assistant", "content": ""}, **choice}
    bodies = [{**completion(""), "choices": [failed]}, completion("Hello.")]
    with serving(lambda _request: (200, bodies.pop(0))) as endpoint:
        answer = await model(endpoint.url, max_retries=1).complete(ChatRequest(MESSAGES, **ASK))
    assert (answer.text, answer.tries) == ("Hello.", 2)


# --- Keys ----------------------------------------------------------------------------------------

KEY, OTHER, TOKEN = "sk-default-0123456789", "sk-own-9876543210abcdef", "tk/+secret-token-4711"


def echoing(status, of):
    """Return an endpoint that repeats keys in text that is truncated in the middle of a key."""

    def reply(_request):
        text = of(f"{'x' * 170} {KEY} {OTHER} Bearer {TOKEN} {KEY}")
        return status, text if status >= 400 else {**completion(text), "model": KEY}

    return reply


@pytest.mark.parametrize(
    ("status", "of"),
    [
        (400, lambda text: {"error": {"message": text, "param": "temperature"}}),
        (500, lambda text: {"detail": [{"msg": text}]}),
        (200, lambda text: text),
    ],
)
async def test_keys_are_redacted_from_all_texts_from_endpoints(status, of, monkeypatch):
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


async def test_rejected_parameters_are_learnt_once():
    calls = []
    with serving(current_openai(lambda _: "Hello.")) as endpoint:
        asked = model(endpoint.url)
        recorded = RecordedModel(asked, calls.append, ModelSettings(model="some-model"), {})
        for _ in range(2):
            await recorded.complete(ChatRequest(MESSAGES, **ASK))
        many = (recorded.complete(ChatRequest(MESSAGES, **ASK)) for _ in range(5))
        await asyncio.gather(*many)
    assert len(endpoint.requests) == 2 + 7  # each of the two parameters was rejected once
    assert all(request["max_completion_tokens"] == 50 for request in endpoint.requests[2:])
    assert not any("temperature" in request for request in endpoint.requests[2:])
    assert calls[0]["notes"] == [
        "some-model: max_tokens is sent as max_completion_tokens",
        "some-model: temperature is not sent: the endpoint does not accept temperature=0.1",
    ]
    assert not any("notes" in call for call in calls[1:])
    assert (calls[1]["temperature"], calls[1]["max_tokens"]) == (0.1, 50)  # as requested


@pytest.mark.parametrize(
    "said",
    [
        "This model only support stream mode, please enable the stream parameter to access it.",
        "Requests with max_tokens > 20 must have stream=true",
    ],
)
async def test_a_streaming_only_model_gets_streaming_requests(said):
    def reply(request):
        if not request.get("stream"):
            return refusal(said)
        if "stream_options" in request:
            return refusal("Unrecognized request argument supplied: stream_options")
        return 200, in_pieces(completion("Hello, you.", reasoning_content="A greeting."))

    with serving(reply) as endpoint:
        asked = model(endpoint.url)
        answers = [await asked.complete(ChatRequest(MESSAGES, **ASK)) for _ in range(2)]
    assert [answer.text for answer in answers] == ["Hello, you."] * 2
    assert [answer.reasoning for answer in answers] == ["A greeting."] * 2
    assert answers[0].notes == (
        "some-model: answers are streamed: the endpoint supports nothing else",
        "some-model: stream_options is not sent: the endpoint does not accept "
        'stream_options={"include_usage": true}',
    )
    assert [request.get("stream") for request in endpoint.requests] == [None, True, True, True]
    assert all(request["max_tokens"] == 50 for request in endpoint.requests)


@pytest.mark.parametrize(
    "said",
    [
        "System role not supported",
        "Conversation roles must alternate user/assistant/user/assistant/...",
    ],
)
async def test_a_model_without_a_system_role_gets_everything_as_user_message(said):
    def reply(request):
        if request["messages"][0]["role"] == "system":
            return refusal(said)
        return 200, completion("Hello.")

    messages = [{"role": "system", "content": "You play."}, {"role": "user", "content": "Begin."}]
    with serving(reply) as endpoint:
        asked = model(endpoint.url)
        many = (asked.complete(ChatRequest(messages, **ASK)) for _ in range(3))
        answers = [*await asyncio.gather(*many), await asked.complete(ChatRequest(MESSAGES, **ASK))]
    notes = [note for answer in answers for note in answer.notes]
    assert notes == ["some-model: the system message is sent as the beginning of the user message"]
    told = [r["messages"] for r in endpoint.requests if r["messages"][0]["role"] == "user"]
    assert told == [[{"role": "user", "content": "You play.\n\nBegin."}]] * 3 + [MESSAGES]
    assert messages[0]["role"] == "system"


SENT = {"max_tokens": 3000, "temperature": 0.7, "reasoning_effort": "low", "top_k": 5}


@pytest.mark.parametrize(
    ("said", "then"),
    [
        ("'max_tokens' is not supported. Use 'max_completion_tokens' instead.", "max_completion"),
        ("max_tokens is too large: 3000. This model supports at most 2048 tokens", "2048"),
        ("Invalid max_tokens value, the valid range of max_tokens is [1, 2048]", "2048"),
        ("Requests with max_tokens > 2048 must have stream=true", "2048"),
        ("max_tokens=3000 cannot be greater than max_model_len=2048", "2048"),
        (
            "maxOutputTokens is 3000, the range is from 1 (inclusive) to 2049 (exclusive)",
            "2048",
        ),
        ("The maximum tokens you requested exceeds the model limit of 2048. Try again.", "2048"),
        ("invalid temperature: only 1 is allowed for this model", "no temperature"),
        ('"llama3.2" does not support thinking', "no reasoning_effort"),
        ("openai does not support parameters: ['temperature'], for model=o3", "no temperature"),
        ([{"type": "extra_forbidden", "loc": ["body", "top_k"]}], "no top_k"),
        ([{"error": {"message": 'Unknown name "top_k": Cannot find field.'}}], "no top_k"),
        ("'reasoning_effort' does not support 'low'. Supported values are: 'high'.", None),
        ([{"type": "missing", "msg": "Unknown", "loc": ["body", "x"], "input": SENT}], None),
        ("temperature must be between 0 and 0.5", None),
    ],
)
def test_rejections_of_all_providers_are_understood(said, then):
    dialect = Dialect()
    learnt = dialect.learn(said, SENT)
    sent = dialect.translate(SENT)
    if then is None:
        assert learnt is None
        assert sent == SENT
    elif then == "max_completion":
        assert (sent["max_completion_tokens"], "max_tokens" in sent) == (3000, False)
    elif then == "2048":
        assert sent == {**SENT, "max_tokens": 2048}
    else:
        (gone,) = set(SENT) - set(sent)
        assert gone.startswith(then.removeprefix("no "))


@pytest.mark.parametrize(
    "said",
    [
        "maximum context length is 1500 tokens. However, you requested 3600 tokens (600 in the "
        "messages, 3000 in the completion)",
        "'max_tokens' is too large: 3000. This model's maximum context length is 1500 tokens and "
        "your request has 600 input tokens (3000 > 1500 - 600).",
        "You passed 600 input tokens and requested 3000 output tokens. However, the model's "
        "context length is only 1500 tokens, resulting in a maximum input length of -1500 tokens.",
        "Requested token count exceeds the model's maximum context length of 1500 tokens. You "
        "requested a total of 3600 tokens: 600 tokens from the input messages and 3000 tokens",
        "maximum context length is 1500 tokens. However, you requested about 3600 tokens (600 of "
        "text input, 3000 in the output)",
        "input length and `max_tokens` exceed context limit: 600 + 3000 > 1500, decrease both",
        "`inputs` tokens + `max_new_tokens` must be <= 1500. Given: 600 `inputs` tokens and 3000",
    ],
)
def test_context_errors_of_all_servers_are_understood(said):
    dialect = Dialect()
    assert dialect.learn_context({"error": {"message": said}}, 2400) == 900
    assert dialect.translate(SENT, 2400)["max_tokens"] < 900


async def test_a_short_context_length_is_learnt_once():
    """Later prompts of any length leave room for their answers without another rejection."""

    def reply(request):
        prompt = sum(len(message["content"]) for message in request["messages"]) // 4
        if prompt + request["max_tokens"] > 1500:
            return refusal(
                f"This model's maximum context length is 1500 tokens. However, you requested "
                f"{request['max_tokens']} tokens in the completion and {prompt} in the messages"
            )
        return 200, completion("short")

    board = CallBoard()
    with serving(reply) as endpoint:
        asked = model(endpoint.url, board=board)
        for length in (2400, 2000, 3600, 400, 4400):
            said = [{"role": "user", "content": "a" * length}]
            await asked.complete(ChatRequest(said, **{**ASK, "max_tokens": 3000}))
        short = [{"role": "user", "content": "a"}]
        await asked.complete(ChatRequest(short, **{**ASK, "max_tokens": 200}))
    lengths = [request["max_tokens"] for request in endpoint.requests]
    assert lengths == pytest.approx([3000, 900, 950, 510, 1390, 290, 200], abs=1)
    assert board.notes == [
        "some-model: its context has 1500 tokens: answers are shorter where a prompt leaves less "
        "room"
    ]


async def test_endpoints_keys_and_parameters_can_differ_by_agent_and_role(monkeypatch):
    monkeypatch.setenv("GLITCH_KEY", "glitch-key")
    monkeypatch.setenv("TENANT", "blue")
    with (
        serving(lambda _: (200, completion("a"))) as one,
        serving(lambda _: (200, completion("b"))) as other,
    ):
        settings = ModelSettings.model_validate(
            {
                "default": {"model": "all", "headers": {"X-App": "$TENANT"}},
                "roles": {"judge": {"model": "judge", "temperature": "omit"}},
                "agents": {
                    "Glitch": {
                        "base_url": other.url,
                        "key": "GLITCH_KEY",
                        "reasoning_effort": "high",
                        "extra_body": {"top_k": 5},
                    },
                    "Gizmo": {"model": "small", "max_tokens": 7},
                    "Ada": {"base_url": other.url},
                },
            }
        )
        asked = OpenAIModel(settings, base_url=one.url, api_key="secret")
        for agent, role in (("Glitch", "action"), ("Gizmo", "action"), ("Ada", "action")):
            await asked.complete(ChatRequest(MESSAGES, **{**ASK, "agent": agent, "role": role}))
        await asked.complete(ChatRequest(MESSAGES, **{**ASK, "agent": None, "role": "judge"}))
    gizmo, judge = one.requests
    glitch, ada = other.requests
    assert (gizmo["model"], gizmo["max_tokens"]) == ("small", 7)
    assert (judge["model"], "temperature" in judge) == ("judge", False)
    assert gizmo["authorization"] == judge["authorization"] == "Bearer secret"
    assert (glitch["model"], glitch["reasoning_effort"], glitch["top_k"]) == ("all", "high", 5)
    assert glitch["authorization"] == "Bearer glitch-key"
    assert ada["authorization"] == "Bearer none"  # the key for the other endpoint is not sent
    assert [r["headers"].get("x-app") for r in (gizmo, ada)] == ["blue", None]
