"""An endpoint that answers typed questions, in five styles of sending JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from tests.deciders import decide
from tests.endpoint import Reply, Request, completion, refusal, schema_of

# A reasoning paragraph and a polite phrase, as chat models write them around an answer.
BEFORE = (
    "Given the situation described, the most sensible course is to weigh what I gain now against "
    "what others will do next. I would rather not pay {nothing} here, but accept."
)
AFTER = "That balances short-term gain with long-term cooperation. Let me know if you need more!"
# Returns the fields of an answer, given the request's messages and its schema, if any.
Decider = Callable[[Request], Mapping[str, Any]]


# Values for fields that depend on each other, or that are expressions.
OWN = {
    "payments": [],
    "receiver": "Glitch",
    "move": {"do": "talk"},
    "role": "farmer",
    "amount": "1",
    "condition": None,
}


def sampled(schema: Mapping[str, Any], name: str = "") -> Any:
    """Return a value for a schema: the first valid one, unless :data:`OWN` defines another."""
    if name in OWN:
        return OWN[name]
    if "enum" in schema:
        return schema["enum"][0]
    if "anyOf" in schema:
        return sampled(schema["anyOf"][0], name)
    match schema["type"]:
        case "object":
            return {key: sampled(one, key) for key, one in schema["properties"].items()}
        case "array":
            return [sampled(schema["items"], name)] * schema.get("minItems", 1)
        case "integer" | "number":
            return schema.get("minimum", 1)
        case "boolean":
            return True
    return "Some words."


def _written(request: Request, decider: Decider) -> str:
    """Return the answer as JSON, with a thought if requested."""
    schema = schema_of(request)
    thought = {"thought": BEFORE} if schema and "thought" in schema["properties"] else {}
    return json.dumps({**thought, **decider(request)}, ensure_ascii=False)


def _refused(request: Request, *kinds: str) -> tuple[int, Any] | None:
    """Return the rejection of a request whose form an endpoint does not accept."""
    form = request.get("response_format", {}).get("type")
    if form in kinds:
        return refusal(f"response_format type {form} is not supported", param="response_format")
    if "tools" in kinds and "tools" in request:
        return refusal("this model does not support tools", param="tools")
    return None


def strict(decider: Decider) -> Reply:
    """An endpoint with structured outputs like OpenAI's and vLLM's; prose without a schema."""

    def reply(request: Request) -> tuple[int, Any]:
        said = _written(request, decider)
        is_typed = request.get("response_format", {}).get("type") == "json_schema"
        return 200, completion(said if is_typed else f"{BEFORE}\n\n{AFTER}")

    return reply


def tools_only(decider: Decider) -> Reply:
    """An endpoint that rejects ``response_format`` and calls the tool in the request."""

    def reply(request: Request) -> tuple[int, Any]:
        refused = _refused(request, "json_schema", "json_object")
        if refused:
            return refused
        said = _written(request, decider)
        if "tools" not in request:
            return 200, completion(said)
        call = {"name": request["tools"][0]["function"]["name"], "arguments": said}
        calls = [{"id": "1", "type": "function", "function": call}]
        return 200, completion(None, "tool_calls", tool_calls=calls)

    return reply


def json_mode(decider: Decider) -> Reply:
    """An endpoint that supports only ``json_object``."""

    def reply(request: Request) -> tuple[int, Any]:
        refused = _refused(request, "json_schema", "tools")
        return refused or (200, completion(_written(request, decider)))

    return reply


def fenced(decider: Decider) -> Reply:
    """An endpoint without support for types: a paragraph, fenced JSON, a polite phrase."""

    def reply(request: Request) -> tuple[int, Any]:
        refused = _refused(request, "json_schema", "tools", "json_object")
        if refused:
            return refused
        said = _written(request, decider)
        return 200, completion(f"{BEFORE}\n\n```json\n{said}\n```\n\n{AFTER}")

    return reply


def ignoring(decider: Decider) -> Reply:
    """An endpoint that ignores schemas and answers in prose until it sees the error."""

    def reply(request: Request) -> tuple[int, Any]:
        said = _written(request, decider)
        is_replaying = "# Error\n" in request["messages"][-1]["content"]
        if is_replaying:
            return 200, completion(said)
        return 200, completion(f"{BEFORE}\n\nI do what is best for all of us.\n\n{AFTER}")

    return reply


STYLES: Mapping[str, Callable[[Decider], Reply]] = {
    "strict": strict,
    "tools": tools_only,
    "json mode": json_mode,
    "fenced": fenced,
    "ignoring": ignoring,
}


def deciding(style: str) -> Reply:
    """An endpoint with the given style that decides from the text of prompt and schema alone."""
    return STYLES[style](decided)


def decided(request: Request) -> Mapping[str, Any]:
    """Return a sensible model's answer to a request."""
    schema = schema_of(request)
    shown = [{"role": "user", "content": json.dumps(schema)}] if schema else []
    return decide([*request["messages"], *shown])
