"""The parameters that a model accepts, learnt from the rejections of its endpoint.

Every provider words rejections differently: OpenAI names the parameter in ``error.param``, LiteLLM
in a sentence, others in a list of locations. A rejection is therefore taken to be about a parameter
if it names a parameter that was sent, and contains words that mean "not accepted".
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import JsonValue

from voxpolis.bots.models.model import ChatRequest, Message
from voxpolis.bots.models.typed import wire_schema
from voxpolis.records.text import caseless

Parameters = dict[str, JsonValue]
# The two names of the parameter that limits the length of an answer.
LENGTHS = ("max_tokens", "max_completion_tokens")
# Shorter answers than this many tokens are useless.
FEWEST_TOKENS = 64
# The estimated number of tokens of a prompt is multiplied by this, to be on the safe side.
SPARE = 1.1

_REFUSED = caseless(
    r"unsupported|not support|n't support|unknown|unrecogni[sz]ed|not permitted|not allowed"
    r"|deprecated|unexpected|extra inputs|extra_forbidden|cannot find field|only the default"
    r"|only temperature|incompatible|not compatible|cannot be used|can only be|must be 1\b"
    r"|only [\d.]+ is allowed|only be set to 1\b|only supports\b"
)
# Matches a rejection which says that the model does not accept messages of the role ``system``.
_NO_SYSTEM = caseless(
    r"system (?:role|message|prompt|instruction)s? (?:is |are )?not (?:supported|enabled|allowed)"
    r"|developer instruction is not enabled|does not support 'system'"
    r"|only user and assistant roles|roles must alternate"
)
# Matches a rejection which says that the model supports only streaming.
_STREAMS = caseless(
    r"only supports? stream|enable the stream\b|non-streaming (?:call|request)s?\b"
    r"|(?:must|should) (?:have|set|use|be) `?stream|stream(?:ing)?`? (?:is required|must be)"
    r"|requires? (?:`?stream|streaming)"
)
# The ways to send the answer type to an endpoint, in the order in which they are tried.
FORMS = ("json_schema", "tool", "json_object", "prompt")
# With these forms the prompt shows the schema, because no other part of the request contains it.
PROMPTED = ("json_object", "prompt")
# The tool that a model calls with its answer.
TOOL = "answer"
# The parameters that carry the answer type.
TYPED = ("response_format", "tools", "tool_choice")
# Matches a rejection which says that the prompt is too long.
_TOO_LONG = caseless(r"context|too (?:long|large|many)|exceed")
# Matches a rejection which says that the endpoint rejects a form of sending the answer type.
_NO_FORM = {
    "json_schema": caseless(
        r"response[_ ]?format|json[_ ]?schema|structured|guided|grammar|schema"
    ),
    "tool": caseless(r"\btools?\b|tool[_ ]?(?:choice|use|call)|function"),
    "json_object": caseless(r"response[_ ]?format|json[_ ]?object|json mode"),
}
# Matches a rejection which says that the endpoint rejects bounds in a schema.
_NO_BOUNDS = caseless(r"\b(?:minimum|maximum|min_?items|max_?items)\b")
# The parameters that request a stream with token counts.
STREAMED: Parameters = {"stream": True, "stream_options": {"include_usage": True}}
# Matches a rejection which says that the endpoint accepts the parameter, but not this value.
_WRONG_VALUE = caseless(r"supported values|input should be|unsupported_value|one of")
_WORD = caseless(r"max(?:imum)? tokens\b|[A-Za-z_]\w*")
# Other names by which servers call parameters that they do not accept.
_CALLED = {
    "thinking": ("reasoning_effort",),
    **dict.fromkeys(("maxoutputtokens", "maximumtokens", "maxnewtokens"), LENGTHS),
}
# Finds the maximum value that an endpoint states in words, in a range, or after the value that was
# too large.
_MOST = caseless(
    r"(?:at most|less than or equal to|<=|up to|maximum (?:value |allowed )?(?:is|of)|no more than)"
    r"\s*:?\s*[`'\"]?(\d+)"
    r"|range\b.*?\[\s*\d+\s*,\s*(\d+)\s*\]"
    r"|range\b.*?\bto (\d+ \(exclusive\)|\d+)|exceeds the (?:model )?limit of (\d+)"
    r"|max\w*_tokens\W*(?:\d+\s*)?>\s*(\d+)"
    r"|cannot be greater than (?:\w+=)*(\d+)"
)
_CONTEXT = caseless(r"context length (?:is|of)(?: only)? (\d+)")
_PROMPT = caseless(
    r"(\d+) (?:tokens )?(?:in the messages|from the input|input tokens|of text input)"
)
# Finds the lengths of the context and the prompt in texts that state them as a sum.
_SUMS = (
    caseless(r"context limit: (?P<prompt>\d+) \+ \d+ > (?P<context>\d+)"),
    caseless(r"must be <= (?P<context>\d+)\. Given: (?P<prompt>\d+) `inputs`"),
)


@dataclass
class Dialect:
    """The known abilities of one model at one endpoint: which parameters and forms it accepts.

    Attributes:
        dropped: the parameters that the endpoint does not accept.
        renamed: the parameters that the endpoint accepts under another name.
        most_tokens: the maximum length of an answer that the endpoint accepts; None if unknown.
        context: the context length in tokens; None until a prompt was too long.
        tokens_a_byte: the number of tokens per byte of a prompt, as measured when the endpoint
            rejected a prompt and reported token counts.
        has_system: whether the model accepts messages of the role ``system``.
        streams: whether the model supports only streaming.
        form: how the answer type is sent, one of :data:`FORMS`.
        bounds: whether schemas state the bounds (minimum and maximum) of numbers.
        proven: whether the model has already answered in this ``form``.
        shows: whether the schema is also written into the prompt, besides being sent as a
            parameter.
    """

    dropped: set[str] = field(default_factory=set)
    renamed: dict[str, str] = field(default_factory=dict)
    most_tokens: int | None = None
    context: int | None = None
    tokens_a_byte: float = 0.0
    has_system: bool = True
    streams: bool = False
    form: str = FORMS[0]
    bounds: bool = True
    proven: bool = False
    shows: bool = False

    def typed(self, request: ChatRequest, *, thought: bool) -> dict[str, Any]:
        if request.answer is None or self.form == "prompt":
            return {}
        if self.form == "json_object":
            return {"response_format": {"type": "json_object"}}
        schema = wire_schema(request.answer(), thought=thought, bounds=self.bounds)
        if self.form == "tool":
            tool = {"name": TOOL, "description": "Give your answer.", "parameters": schema}
            chosen = {"type": "function", "function": {"name": TOOL}}
            return {"tools": [{"type": "function", "function": tool}], "tool_choice": chosen}
        named = {"name": request.role, "strict": True, "schema": schema}
        return {"response_format": {"type": "json_schema", "json_schema": named}}

    def shown(self, request: ChatRequest, *, thought: bool, always: bool) -> Sequence[Message]:
        """Return the messages of a request, with the schema in the first message if necessary.

        If ``always`` is true, the schema is shown even if the endpoint accepts it as a parameter.
        """
        if request.answer is None or not (always or self.shows or self.form in PROMPTED):
            return request.messages
        schema = wire_schema(request.answer(), thought=thought, bounds=self.bounds)
        first, *others = request.messages
        text = (
            f"{first['content']}\n\n# Your answer\n"
            f"Answer with one JSON object of this JSON schema, and nothing else:\n"
            f"{json.dumps(schema, ensure_ascii=False)}"
        )
        return [{"role": first["role"], "content": text}, *others]

    def learn_form(
        self, refusal: object, sent: str, parameters: Mapping[str, JsonValue]
    ) -> str | None:
        """Learn from a rejection that the answer type must be sent in another form.

        Args:
            refusal: the rejection.
            sent: the form in which the rejected request sent the answer type.
            parameters: the parameters of the rejected request.

        Returns:
            A description of what was learnt; None if the rejection had another cause.
        """
        if sent != self.form or sent == FORMS[-1]:
            return None
        text = _text(refusal)
        if self.bounds and sent in ("json_schema", "tool") and _NO_BOUNDS.search(text):
            self.bounds = False
            return "schemas are sent without bounds: the endpoint does not accept them"
        name = _named(refusal, text, parameters)
        if name is not None and name not in TYPED:
            return None
        return self._next_form() if name or _NO_FORM[sent].search(text) else None

    def try_next_form(self, refusal: object, sent: str) -> str | None:
        """Try the next form after a rejection that does not say what is wrong.

        If the endpoint rejects even the last form, the form was not the cause, and the first form
        is restored.

        Returns:
            A description of the change; None if there is no change.
        """
        if sent != self.form or self.proven or _TOO_LONG.search(_text(refusal)):
            return None
        if sent == FORMS[-1]:
            self.form = FORMS[0]
            return None
        return self._next_form()

    def ignored(self, sent: str) -> str | None:
        """Learn from an answer without a JSON object that prompts must also show the schema.

        The parameter with the answer type is still sent, because ignored parameters do no harm.

        Returns:
            A description of the change; None if there is no change.
        """
        if sent != self.form or self.proven or self.shows or sent in PROMPTED:
            return None
        self.shows = True
        return f"prompts also show the schema: the endpoint seems to ignore {sent}"

    def _next_form(self) -> str:
        before = self.form
        self.form, self.proven = FORMS[FORMS.index(before) + 1], False
        return f"answers are requested as {self.form}: the endpoint rejects {before}"

    def address(self, messages: Sequence[Message]) -> list[Message]:
        """Return the messages in a form that the model accepts.

        For a model without system messages, the system message becomes part of the user message.
        """
        if self.has_system or len(messages) < 2 or messages[0]["role"] != "system":
            return list(messages)
        system, first, *others = messages
        text = f"{system['content']}\n\n{first['content']}"
        return [{"role": first["role"], "content": text}, *others]

    def learn_roles(self, refusal: object, messages: Sequence[Message]) -> str | None:
        """Learn from a rejection that the model accepts no system message.

        ``messages`` are the messages that were sent. Return a description of what was learnt, or
        None if the rejection had another cause.
        """
        if messages[0]["role"] != "system" or not _NO_SYSTEM.search(_text(refusal)):
            return None
        self.has_system = False
        return "the system message is sent as the beginning of the user message"

    def learn_stream(self, refusal: object) -> str | None:
        """Learn from a rejection that the model supports only streaming.

        Return a description of what was learnt, or None if the rejection had another cause.
        """
        if self.streams or not _STREAMS.search(_text(refusal)):
            return None
        self.streams = True
        return "answers are streamed: the endpoint supports nothing else"

    def translate(self, parameters: Mapping[str, JsonValue], prompt_bytes: int = 0) -> Parameters:
        """Return the parameters in the form that the model accepts.

        ``prompt_bytes`` is the size of the prompt.
        """
        parameters = {**parameters, **(STREAMED if self.streams else {})}
        named = {self.renamed.get(name, name): value for name, value in parameters.items()}
        kept = {name: value for name, value in named.items() if name not in self.dropped}
        for name in LENGTHS:
            asked = kept.get(name)
            bounds = [self.most_tokens] if self.most_tokens else []
            if self.context is not None:
                prompt = prompt_bytes * self.tokens_a_byte * SPARE
                bounds.append(max(int(self.context - prompt), FEWEST_TOKENS))
            if bounds and isinstance(asked, int):
                kept[name] = min(asked, *bounds)
        return kept

    def learn_context(self, refusal: object, prompt_bytes: int) -> int | None:
        """Learn the context length from the rejection of a prompt that was too long.

        Return how many tokens remain for the answer; None if too few remain or the rejection had
        another cause.
        """
        counted = _context_and_prompt(refusal)
        if counted is None or counted[0] - counted[1] < FEWEST_TOKENS:
            return None
        self.context, prompt = counted
        self.tokens_a_byte = max(self.tokens_a_byte, prompt / max(prompt_bytes, 1))
        return self.context - prompt

    def learn(self, refusal: object, sent: Mapping[str, JsonValue]) -> str | None:
        """Learn from a rejection which parameter the endpoint does not accept.

        ``sent`` are the parameters that were sent. Return a description of what was learnt, or None
        if the cause is unclear.
        """
        text = _text(refusal)
        name = _named(refusal, text, sent)
        if name is None:
            return None
        if name in LENGTHS:
            return self._learn_length(name, text, sent[name])
        if _REFUSED.search(text) is None:
            return None
        if name in TYPED:
            return None
        if name != "temperature" and _WRONG_VALUE.search(text):
            return None  # a user chose this value, so it must not be left out silently
        self.dropped.add(name)
        return f"{name} is not sent: the endpoint does not accept {name}={json.dumps(sent[name])}"

    def _learn_length(self, name: str, text: str, requested: JsonValue) -> str | None:
        # If the stated limit is exclusive, the maximum is one less.
        most = [
            int(said.split()[0]) - ("exclusive" in said)
            for found in _MOST.findall(text)
            for said in found
            if said
        ]
        if isinstance(requested, int) and most and FEWEST_TOKENS <= min(most) < requested:
            self.most_tokens = min(most)
            return f"answers have at most {self.most_tokens} tokens"
        if _REFUSED.search(text) is None:
            return None
        other = LENGTHS[1 - LENGTHS.index(name)]
        if other in self.renamed or other in self.dropped:  # the endpoint accepts neither name
            self.renamed.clear()
            self.dropped.update(LENGTHS)
            return "the length of answers is not limited: the endpoint accepts no such parameter"
        self.renamed[name] = other
        return f"{name} is sent as {other}"


def _context_and_prompt(refusal: object) -> tuple[int, int] | None:
    """Return the lengths of the context and the prompt in tokens.

    Return None unless a rejection states both.
    """
    text = _text(refusal)
    for form in _SUMS:
        if found := form.search(text):
            return int(found["context"]), int(found["prompt"])
    context, prompt = _CONTEXT.search(text), _PROMPT.search(text)
    return None if context is None or prompt is None else (int(context[1]), int(prompt[1]))


def _text(refusal: object) -> str:
    if isinstance(refusal, str):
        return refusal
    return json.dumps(_without_echo(refusal), ensure_ascii=False)


def _without_echo(refusal: Any) -> Any:
    """Remove the copy of the request that a rejection contains. The copy names every parameter."""
    if isinstance(refusal, list):
        return [_without_echo(part) for part in refusal]
    if isinstance(refusal, dict):
        return {name: _without_echo(part) for name, part in refusal.items() if name != "input"}
    return refusal


def _named(refusal: object, text: str, sent: Mapping[str, JsonValue]) -> str | None:
    """Return the sent parameter that a rejection names; None if it names none.

    The fields ``param`` and ``loc`` of the rejection take precedence over its text.
    """
    by_form = {_plain(name): name for name in sent}
    words = [*(_plain(str(value)) for value in _params(refusal)), *map(_plain, _WORD.findall(text))]
    words += [_plain(name) for word in words for name in _CALLED.get(word, ())]
    return next((by_form[word] for word in words if word in by_form), None)


def _plain(name: str) -> str:
    """Bring spellings such as reasoning_effort and reasoningEffort into the same form."""
    return name.replace("_", "").replace(" ", "").lower()


def _params(refusal: Any) -> Iterator[object]:
    """Yield the values of fields ``param`` and the parts of fields ``loc``, at any depth."""
    if isinstance(refusal, list):
        for part in refusal:
            yield from _params(part)
    elif isinstance(refusal, dict):
        if refusal.get("param"):
            yield refusal["param"]
        if isinstance(refusal.get("loc"), list):
            yield from refusal["loc"]
        for value in refusal.values():
            yield from _params(value)
