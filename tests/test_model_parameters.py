"""Parameters follow the model: what endpoints refuse is learnt, and what settings say is sent."""

from __future__ import annotations

import asyncio

import pytest
from pydantic import ValidationError

from tests.endpoint import completion, current_openai, in_pieces, refusal, serving
from tests.one_call import ASK, MESSAGES, model
from voxpolis.bots.models import (
    CallBoard,
    CallSettings,
    ChatRequest,
    ModelError,
    ModelSettings,
    RecordedModel,
)
from voxpolis.bots.models.openai_model import OpenAIModel
from voxpolis.bots.models.parameters import Dialect


async def test_roles_have_models_and_parameters_of_their_own():
    judge = CallSettings(model="judge-model", temperature=0, max_tokens=9)
    settings = ModelSettings(model="all", roles={"judge": judge})
    with serving(lambda _request: (200, completion("Hello."))) as endpoint:
        chosen = OpenAIModel(settings, base_url=endpoint.url, api_key="secret")
        for role in ("judge", "action"):
            await chosen.complete(ChatRequest(MESSAGES, **{**ASK, "role": role}))
    asked = [(r["model"], r["temperature"], r["max_tokens"]) for r in endpoint.requests]
    assert asked == [("judge-model", 0, 9), ("all", 0.1, 50)]


async def test_what_a_model_refuses_is_learnt_once():
    calls = []
    with serving(current_openai(lambda _: "Hello.")) as endpoint:
        asked = model(endpoint.url)
        recorded = RecordedModel(asked, calls.append, ModelSettings(model="some-model"), {})
        for _ in range(2):
            await recorded.complete(ChatRequest(MESSAGES, **ASK))
        many = (recorded.complete(ChatRequest(MESSAGES, **ASK)) for _ in range(5))
        await asyncio.gather(*many)
    assert len(endpoint.requests) == 2 + 7  # each of the two parameters was refused once
    assert all(request["max_completion_tokens"] == 50 for request in endpoint.requests[2:])
    assert not any("temperature" in request for request in endpoint.requests[2:])
    assert calls[0]["notes"] == [
        "some-model: max_tokens is sent as max_completion_tokens",
        "some-model: temperature is not sent: the endpoint does not take temperature=0.1",
    ]
    assert not any("notes" in call for call in calls[1:])
    assert (calls[1]["temperature"], calls[1]["max_tokens"]) == (0.1, 50)  # what was asked for


async def test_calls_that_are_refused_together_learn_together():
    with serving(current_openai(lambda _: "Hello.")) as endpoint:
        asked = model(endpoint.url)
        many = (asked.complete(ChatRequest(MESSAGES, **ASK)) for _ in range(6))
        answers = await asyncio.gather(*many)
    assert sorted(len(answer.notes) for answer in answers)[:4] == [0, 0, 0, 0]
    assert sum(len(answer.notes) for answer in answers) == 2


@pytest.mark.parametrize(
    "said",
    [
        "This model only support stream mode, please enable the stream parameter to access it.",
        "parameter.enable_thinking must be set to false for non-streaming calls",
        "Requests with max_tokens > 20 must have stream=true",
    ],
)
async def test_a_model_that_only_streams_is_asked_to(said):
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
        "some-model: answers are asked for in pieces: the endpoint gives no others",
        "some-model: stream_options is not sent: the endpoint does not take "
        'stream_options={"include_usage": true}',
    )
    assert [request.get("stream") for request in endpoint.requests] == [None, True, True, True]
    assert all(request["max_tokens"] == 50 for request in endpoint.requests)


@pytest.mark.parametrize(
    "said",
    [
        "System role not supported",
        "Developer instruction is not enabled for models/gemma-3-27b-it",
        "Unsupported value: 'messages[0].role' does not support 'system' with this model.",
        "Conversation roles must alternate user/assistant/user/assistant/...",
    ],
)
async def test_a_model_without_a_system_is_told_all_by_its_user(said):
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
    assert notes == ["some-model: the system's message is sent as the beginning of the user's"]
    told = [r["messages"] for r in endpoint.requests if r["messages"][0]["role"] == "user"]
    assert told == [[{"role": "user", "content": "You play.\n\nBegin."}]] * 3 + [MESSAGES]
    assert messages[0]["role"] == "system"


SENT = {"max_tokens": 3000, "temperature": 0.7, "reasoning_effort": "low", "top_k": 5}


@pytest.mark.parametrize(
    ("said", "then"),
    [
        ("'max_tokens' is not supported. Use 'max_completion_tokens' instead.", "max_completion"),
        ("max_tokens is too large: 3000. This model supports at most 2048 tokens", "2048"),
        ("max_tokens: 3000 > 2048, which is the maximum allowed number of output tokens", "2048"),
        ("`max_tokens` must be less than or equal to `2048`, the maximum value for it", "2048"),
        ("Invalid max_tokens value, the valid range of max_tokens is [1, 2048]", "2048"),
        ("<400> InvalidParameter: Range of max_tokens should be [1, 2048]", "2048"),
        ("Requests with max_tokens > 2048 must have stream=true", "2048"),
        ("max tokens must be less than or equal to 2048, but received 3000", "2048"),
        ("max_tokens=3000 cannot be greater than max_model_len=2048", "2048"),
        (
            "maxOutputTokens is 3000, the range is from 1 (inclusive) to 2049 (exclusive)",
            "2048",
        ),
        ("max_output_tokens: the supported range is from 1 to 2048", "2048"),
        ("The maximum tokens you requested exceeds the model limit of 2048. Try again.", "2048"),
        ("invalid temperature: only 1 is allowed for this model", "no temperature"),
        ("invalid temperature: only 0.6 is allowed for this model", "no temperature"),
        ("`temperature` may only be set to 1 when thinking is enabled", "no temperature"),
        ('"llama3.2" does not support thinking', "no reasoning_effort"),
        ("Unrecognized request argument supplied: reasoning_effort", "no reasoning_effort"),
        ("Argument not supported on this model: reasoningEffort", "no reasoning_effort"),
        ("`temperature` is deprecated for this model.", "no temperature"),
        ("openai does not support parameters: ['temperature'], for model=o3", "no temperature"),
        ("gpt-5 models don't support temperature=0.7. Only temperature=1 is supported", "no temp"),
        ([{"type": "extra_forbidden", "loc": ["body", "top_k"]}], "no top_k"),
        ([{"error": {"message": 'Unknown name "top_k": Cannot find field.'}}], "no top_k"),
        ("'reasoning_effort' does not support 'low'. Supported values are: 'high'.", None),
        ([{"type": "missing", "msg": "Unknown", "loc": ["body", "x"], "input": SENT}], None),
        ("This model only supports temperature=1.0", "no temperature"),
        ("temperature must be between 0 and 0.5", None),
        ("Unsupported content in messages", None),
        ({"error": {"message": "no"}}, None),
    ],
)
def test_refusals_are_read_as_providers_write_them(said, then):
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
def test_a_short_context_is_read_as_servers_write_it(said):
    dialect = Dialect()
    assert dialect.learn_context({"error": {"message": said}}, 2400) == 900
    assert dialect.translate(SENT, 2400)["max_tokens"] < 900


async def test_an_endpoint_that_refuses_whatever_is_sent_is_asked_a_few_times_only():
    def reply(request):
        name = next((n for n in request if n not in ("model", "messages")), "messages")
        return refusal(f"Unsupported parameter: '{name}' is not supported", param=name)

    with serving(reply) as endpoint, pytest.raises(ModelError, match="answers 400"):
        await model(endpoint.url).complete(ChatRequest(MESSAGES, **ASK))
    assert len(endpoint.requests) <= 5


async def test_a_short_context_leaves_room_for_a_shorter_answer():
    def reply(request):
        if request["max_tokens"] > 900:
            return refusal(
                "'max_tokens' or 'max_completion_tokens' is too large: 3000. This model's maximum "
                "context length is 1500 tokens and your request has 600 input tokens"
            )
        return 200, completion("short")

    with serving(reply) as endpoint:
        answer = await model(endpoint.url).complete(
            ChatRequest(MESSAGES, **{**ASK, "max_tokens": 3000})
        )
    assert answer.text == "short"
    assert [request["max_tokens"] for request in endpoint.requests] == [3000, 900]


async def test_a_short_context_is_learnt_once():
    """Later prompts, longer or shorter, leave room for their answers without being refused."""

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


async def test_a_prompt_that_fills_the_context_is_one_clear_error():
    said = (
        "'max_tokens' is too large. This model's maximum context length is 1500 tokens and your "
        "request has 900 input tokens"
    )
    with serving(lambda _: refusal(said)) as endpoint:
        asked = model(endpoint.url)
        with pytest.raises(ModelError, match="maximum context length"):
            await asked.complete(ChatRequest(MESSAGES, **ASK))
    assert len(endpoint.requests) == 2


async def test_agents_and_roles_have_endpoints_keys_and_parameters_of_their_own(monkeypatch):
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
    assert ada["authorization"] == "Bearer none"  # the key of another endpoint stays there
    assert [r["headers"].get("x-app") for r in (gizmo, ada)] == ["blue", None]


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"agents": {"Ada": {"key": "sk-abcdef"}}}, "names the variable"),
        ({"default": {"base_url": "https://me:secret@host/v1"}}, "stand in the record"),
        ({"default": {"base_url": "localhost:8000"}}, "an address such as"),
        ({"default": {"headers": {"Authorization": "Bearer x"}}}, "name a variable"),
        ({"default": {"temperature": 3}}, "from 0 to 2, or omit"),
        ({"default": {"max_tokens": 0}}, "from 1 on"),
        ({"default": {"extra_body": {"messages": []}}}, "cannot be set"),
        ({"roles": {"actoin": {}}}, "no role 'actoin'"),
        ({"agents": {"Ada": {"modle": "x"}}}, "no field 'modle'; there are: model, base_url, key"),
        ({"default": {"model": "x", "tokens": 5}}, "no field 'tokens'; there are: model, base_url"),
        ({"agent": {}}, "no field 'agent'; there are: default, roles, agents"),
        ({"model": "x", "role": {}}, "no field 'role'; there are: default, roles, agents"),
    ],
)
def test_wrong_settings_are_refused(wrong, says):
    with pytest.raises(ValidationError, match=says) as caught:
        ModelSettings.model_validate(wrong)
    assert "sk-abcdef" not in caught.value.errors()[0]["msg"]


def test_a_variable_that_is_not_set_is_named():
    settings = ModelSettings(agents={"Ada": CallSettings(key="NO_SUCH_KEY")})
    with pytest.raises(ModelError, match=r"agents\.Ada: the environment variable NO_SUCH_KEY"):
        OpenAIModel(settings, api_key="x")
