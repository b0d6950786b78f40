"""The settings of model calls by role and agent: endpoints, models and parameters."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cache
from typing import Any, Literal
from urllib.parse import parse_qsl, urlsplit

from pydantic import BaseModel, ConfigDict, Field, JsonValue, field_validator, model_validator

from voxpolis.bots.models.model import ChatRequest
from voxpolis.records.text import caseless

DEFAULT_MODEL = "gpt-4o"
# The default time limit of a request in seconds, and the default number of retries.
TIMEOUT_S = 120.0
MAX_RETRIES = 3
# The default number of concurrent calls to an endpoint.
CONCURRENCY = 32


class Need(Enum):
    """Who has to give a usable answer in a role, for a condition to be in effect."""

    EACH = "each agent"
    ONE = "at least one agent"
    NOBODY = "nobody"


# The roles of all questions to models, in all scenarios, and who has to answer in each. In roles
# with EACH, agents act or speak, or put a contract, a law or a vote into effect. In roles with
# NOBODY, an agent without an answer plays on as before.
ROLES: Mapping[str, Need] = {
    **dict.fromkeys(("action", "planner", "decide", "act", "choose"), Need.EACH),
    **dict.fromkeys(("talk", "speak", "say"), Need.EACH),
    **dict.fromkeys(("judge", "assess", "negotiator", "compiler", "compile"), Need.EACH),
    **dict.fromkeys(("feedback", "amendments", "ballot"), Need.EACH),
    **dict.fromkeys(("critic", "curriculum", "social", "goal", "plan", "reflect"), Need.ONE),
    **dict.fromkeys(("sentiment", "believes", "summary", "topics", "role"), Need.ONE),
    **dict.fromkeys(("synonyms", "score", "likeability", "kept", "denied"), Need.ONE),
    **dict.fromkeys(("react", "insights"), Need.ONE),
    **dict.fromkeys(("induce", "predict", "check", "reply", "weigh", "rate"), Need.ONE),
    **dict.fromkeys(("questions", "answer", "describe"), Need.NOBODY),
}
# The networks that are not routed to the internet: the loopback interface, and the networks of RFC
# 1918, 3927, 4193 and 4291.
PRIVATE = [
    ipaddress.ip_network(net)
    for net in (
        *("127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16"),
        *("::1/128", "fc00::/7", "fe80::/10"),
    )
]
# A parameter with this value is not sent.
OMIT: Literal["omit"] = "omit"
# Matches the query parameters of an address that contain secrets: ``key``, ``access_token``,
# ``sig``.
_SECRET = caseless(
    r"(?:^|[-_.]|api|access)(?:key|token|sig|signature|secret|password|auth|credentials?)$"
)
# Headers that contain secrets. Settings are recorded, so the settings must name an environment
# variable instead of the secret.
SECRET_HEADERS = ("authorization", "api-key", "x-api-key", "x-goog-api-key", "cookie")


class CallSettings(BaseModel):
    """The settings for all calls, or for the calls of one role or agent. None: not set here.

    Attributes:
        model: the name of the model at its endpoint.
        base_url: the address of the endpoint.
        key: the name of the environment variable that contains the endpoint's key.
        temperature: the sampling temperature; ``omit`` means that none is sent.
        max_tokens: the maximum length of an answer; ``omit`` means that none is sent.
        reasoning_effort: how much a reasoning model thinks, in the terms of its endpoint.
        thought: whether answers begin with a field for the model's reasoning; on by default. Switch
            this off for models that reason on their own, and for very small models.
        show_schema: whether the prompt shows the schema of the answer even if the endpoint accepts
            the schema as a parameter. None: only at local endpoints, whose servers do not show the
            schema to the model.
        extra_body: additional fields of the request.
        headers: additional headers. The value ``$NAME`` stands for the environment variable NAME.
    """

    model_config = ConfigDict(extra="forbid", defer_build=True)

    model: str | None = Field(default=None, min_length=1)
    base_url: str | None = None
    key: str | None = None
    temperature: Literal["omit"] | float | None = None
    max_tokens: Literal["omit"] | int | None = None
    reasoning_effort: str | None = Field(default=None, min_length=1)
    thought: bool | None = None
    show_schema: bool | None = None
    extra_body: dict[str, JsonValue] = {}
    headers: dict[str, str] = {}

    @model_validator(mode="before")
    @classmethod
    def _has_known_fields(cls, fields: Any) -> Any:
        """Check the names of the fields. A string in place of the fields is the model's name."""
        if isinstance(fields, str):
            return {"model": fields}
        _check_fields(cls, fields)
        return fields

    @field_validator("temperature", mode="before")
    @classmethod
    def _is_temperature(cls, value: object) -> object:
        if value is None or value == OMIT or (_is_number(value) and 0 <= float(str(value)) <= 2):
            return value
        raise ValueError("must be a number from 0 to 2, or omit")

    @field_validator("max_tokens", mode="before")
    @classmethod
    def _is_length(cls, value: object) -> object:
        whole = isinstance(value, int) and not isinstance(value, bool) and value >= 1
        if value is None or value == OMIT or whole:
            return value
        raise ValueError("must be a whole number from 1 on, or omit")

    @field_validator("base_url")
    @classmethod
    def _is_address(cls, url: str | None) -> str | None:
        if url is None:
            return None
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("must be an address such as http://localhost:8000/v1")
        if parts.username or parts.password:
            raise ValueError("an address with a password would be recorded; use key")
        for name, _ in parse_qsl(parts.query, keep_blank_values=True):
            if _SECRET.search(name):
                raise ValueError(f"{name} in the query would be recorded; use key")
        return url

    @field_validator("key")
    @classmethod
    def _is_variable(cls, name: str | None) -> str | None:
        """Reject a value that may be a key and not a variable's name, as settings are recorded."""
        if name is not None and (not name.isidentifier() or name != name.upper()):
            raise ValueError("must be the name of the key's variable, such as OPENROUTER_API_KEY")
        return name

    @field_validator("extra_body")
    @classmethod
    def _is_extra(cls, fields: dict[str, JsonValue]) -> dict[str, JsonValue]:
        for name in ("model", "messages", "stream", "n"):
            if name in fields:
                raise ValueError(f"{name} cannot be set there")
        return fields

    @field_validator("headers")
    @classmethod
    def _hold_no_secret(cls, headers: dict[str, str]) -> dict[str, str]:
        for name, value in headers.items():
            if name.lower() in SECRET_HEADERS and not value.startswith("$"):
                raise ValueError(
                    f"the value of {name} would be recorded: name a variable, as $MY_KEY"
                )
        return headers


@cache
def is_local(address: str) -> bool:
    """Return whether an endpoint is on this machine or in a private network.

    The host name is resolved once per address.
    """
    try:
        found = socket.getaddrinfo(urlsplit(address).hostname or "", None)
    except (OSError, UnicodeError, ValueError):
        return False
    return bool(found) and all(_is_private(str(entry[4][0])) for entry in found)


def _is_private(text: str) -> bool:
    found = ipaddress.ip_address(text.partition("%")[0])
    found = getattr(found, "ipv4_mapped", None) or found
    return any(found.version == net.version and found in net for net in PRIVATE)


def _check_fields(kind: type[BaseModel], given: object) -> None:
    for name in given if isinstance(given, dict) else ():
        if name not in kind.model_fields:
            fields = ", ".join(kind.model_fields)
            raise ValueError(f"there is no field {name!r}; there are: {fields}")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


class ModelSettings(BaseModel):
    """The default settings, and the settings for individual roles and agents.

    Each field is taken from the agent's settings if it is set there, otherwise from the role's
    settings, and otherwise from ``default``. In place of ``default: {model: NAME}``, the file can
    say ``model: NAME``. The settings of a role or an agent can also be just the name of a model.
    """

    model_config = ConfigDict(extra="forbid", defer_build=True)

    default: CallSettings = CallSettings()
    roles: dict[str, CallSettings] = {}
    agents: dict[str, CallSettings] = {}

    @model_validator(mode="before")
    @classmethod
    def _from_short(cls, fields: Any) -> Any:
        if not isinstance(fields, dict):
            return fields
        rest = {name: value for name, value in fields.items() if name != "model"}
        _check_fields(cls, rest)
        if "model" not in fields:
            return fields
        default = rest.get("default") or {}
        if isinstance(default, str):
            default = {"model": default}
        if isinstance(default, CallSettings):
            default = default.model_dump(exclude_none=True)
        if not isinstance(default, dict):
            return fields
        return {**rest, "default": {**default, "model": fields["model"]}}

    @field_validator("roles")
    @classmethod
    def _are_known(cls, roles: dict[str, CallSettings]) -> dict[str, CallSettings]:
        for role in roles:
            if role not in ROLES:
                raise ValueError(f"there is no role {role!r}; there are: {', '.join(ROLES)}")
        return roles

    @property
    def model(self) -> str:
        return self.default.model or DEFAULT_MODEL

    @property
    def models(self) -> list[str]:
        """All models that may be used, in alphabetical order."""
        return sorted({self.model, *(own.model for _, own in self.parts() if own.model)})

    def parts(self) -> Iterator[tuple[str, CallSettings]]:
        yield "default", self.default
        for name, role in self.roles.items():
            yield f"roles.{name}", role
        for name, agent in self.agents.items():
            yield f"agents.{name}", agent

    def request(self, asked: ChatRequest) -> ModelCall:
        own = self.agents.get(asked.agent or ""), self.roles.get(asked.role), self.default
        layers = [layer for layer in own if layer is not None]
        place = next((i for i, one in enumerate(layers[:-1]) if one.base_url), len(layers) - 1)
        near = layers[: place + 1]  # settings for another endpoint do not apply to this endpoint
        effort = _first(layers, "reasoning_effort")
        temperature, most = _first(layers, "temperature"), _first(layers, "max_tokens")
        most = asked.max_tokens if most is None else most
        return ModelCall(
            model=_first(layers, "model") or DEFAULT_MODEL,
            temperature=asked.temperature if temperature is None else temperature,
            max_tokens=most if most == OMIT else most + asked.extra_tokens,
            base_url=layers[place].base_url if layers[place] is not self.default else None,
            key=_first(near, "key"),
            reasoning_effort=effort,
            thought=_first(layers, "thought") is not False,
            show_schema=_first(near, "show_schema"),
            extra_body={k: v for layer in reversed(near) for k, v in layer.extra_body.items()},
            headers={k: v for layer in reversed(near) for k, v in layer.headers.items()},
        )


def _first(layers: list[CallSettings], name: str) -> Any:
    return next((value for one in layers if (value := getattr(one, name)) is not None), None)


@dataclass(frozen=True)
class ModelCall:
    """The model and the parameters of one call; see :class:`CallSettings`.

    If ``base_url`` is None, the call goes to the default endpoint.
    """

    model: str
    temperature: float | Literal["omit"]
    max_tokens: int | Literal["omit"]
    base_url: str | None = None
    key: str | None = None
    reasoning_effort: str | None = None
    thought: bool = True
    show_schema: bool | None = None
    extra_body: Mapping[str, JsonValue] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def parameters(self) -> dict[str, JsonValue]:
        named: dict[str, JsonValue] = {
            "max_tokens": self.max_tokens,
            "temperature": self.temperature,
            "reasoning_effort": self.reasoning_effort,
        }
        sent = {name: value for name, value in named.items() if value not in (None, OMIT)}
        return {**sent, **self.extra_body}

    def recorded(self) -> dict[str, Any]:
        fields = {
            "requested": self.model,
            "temperature": self.temperature,
            "max_tokens": self.max_tokens,
        }
        own = {
            "reasoning_effort": self.reasoning_effort,
            "extra_body": dict(self.extra_body),
            **({} if self.thought else {"no_thought": True}),
        }
        return fields | {name: value for name, value in own.items() if value}
