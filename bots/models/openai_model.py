"""Any endpoint that speaks OpenAI's chat-completions protocol, and any model behind it."""

from __future__ import annotations

import os
import time
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from bots.models.answers import read_completion
from bots.models.board import CallBoard, Waiting
from bots.models.endpoint import Endpoint, Patience, RefusedError, Turns
from bots.models.model import ChatRequest, Completion, ModelError
from bots.models.parameters import LENGTHS, Dialect
from bots.models.secrets import NO_KEY, Secrets
from bots.models.settings import (
    CONCURRENCY,
    MAX_RETRIES,
    TIMEOUT_S,
    CallSettings,
    ModelCall,
    ModelSettings,
)

#: How often one call may be sent again with other parameters: there are no more of them.
MAX_CHANGES = 8
#: With what endpoints refuse parameters.
BAD_REQUEST = (400, 422)
#: What people are told of a model with a short context.
CONTEXT_NOTE = "its context has {} tokens: answers are shorter where a prompt leaves less room"


class OpenAIModel:
    """Chat models behind OpenAI-compatible endpoints.

    What a model does not take is learnt from what its endpoint refuses, and remembered: it is left
    out, renamed or made smaller. What is not given comes from the usual environment variables:
    ``OPENAI_API_KEY``, ``OPENAI_BASE_URL``.
    """

    def __init__(
        self,
        settings: ModelSettings,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        timeout_s: float = TIMEOUT_S,
        max_retries: int = MAX_RETRIES,
        at_once: int = CONCURRENCY,
        board: CallBoard | None = None,
    ) -> None:
        """Make the clients; nothing is sent yet.

        Args:
            settings: models, endpoints and parameters by role and agent.
            base_url: the endpoint of all for which the settings name no other.
            api_key: its key.
            timeout_s: seconds that an endpoint has for each try.
            max_retries: tries after the first.
            at_once: calls that may be under way at once, for each endpoint.
            board: shows what is under way.

        Raises:
            ModelError: there is no key, or a variable that is named is not set.
        """
        self._settings = settings
        self._patience = Patience(timeout_s, max_retries, at_once)
        self._board = board or CallBoard()
        self._dialects: defaultdict[tuple[str, str], Dialect] = defaultdict(Dialect)
        _check_variables(settings)
        self._secrets = Secrets()
        for _, own in settings.parts():
            for variable in _variables(own):
                self._secrets.add(_value(variable))
        key = _value(settings.default.key) if settings.default.key else api_key
        self._turns: dict[str, Turns] = {}
        address = base_url or settings.default.base_url
        is_environments = not (settings.default.key or settings.default.base_url)
        default = Endpoint(
            address, key, self._patience, self._turns, self._secrets, is_default=is_environments
        )
        self._endpoints: dict[tuple[str | None, str | None], Endpoint] = {
            (None, settings.default.key): default
        }
        self._base_url = default.address
        own_addresses = [own.base_url for _, own in settings.parts() if own.base_url]
        #: Addresses of all endpoints that may be asked.
        every = (default.address, *own_addresses)
        self.addresses = tuple(dict.fromkeys(one.rstrip("/") for one in every))

    async def complete(self, request: ChatRequest) -> Completion:
        """Answer a conversation; see :class:`~bots.models.model.ChatModel`."""
        asked = self._settings.request(request)
        endpoint = self._endpoint(asked)
        notes: list[str] = []
        with self._board.waiting(request, asked.model) as waiting:
            try:
                body = await self._send(endpoint, asked, request, waiting, notes)
                seconds = time.monotonic() - waiting.sent_at
                answer = read_completion(
                    body, asked.model, f"the model {asked.model} at {endpoint.address}"
                )
            except ModelError as error:
                error.notes, error.tries = tuple(notes), waiting.tries
                raise
        answer = replace(answer, notes=tuple(notes), tries=waiting.tries, seconds=seconds)
        self._board.took(asked.model, answer)
        return answer

    def _endpoint(self, asked: ModelCall) -> Endpoint:
        name = (asked.base_url, asked.key)
        if name not in self._endpoints:
            own_key = NO_KEY if asked.key is None else _value(asked.key)
            address = asked.base_url or self._base_url
            self._endpoints[name] = Endpoint(
                address, own_key, self._patience, self._turns, self._secrets, is_default=False
            )
        return self._endpoints[name]

    async def _send(
        self,
        endpoint: Endpoint,
        asked: ModelCall,
        request: ChatRequest,
        waiting: Waiting,
        notes: list[str],
    ) -> Any:
        """Return an endpoint's answer, with parameters as its model takes them.

        ``notes`` grows by what is learnt.
        """
        dialect = self._dialects[endpoint.server, asked.model]
        size = sum(len(message["content"].encode()) for message in request.messages)
        most: int | None = None
        for left in range(MAX_CHANGES, -1, -1):
            taken, said = (
                dialect.translate(asked.parameters, size),
                dialect.address(request.messages),
            )
            bounded = {name: most for name in taken if name in LENGTHS and most is not None}
            try:
                return await endpoint.send(
                    asked.model,
                    said,
                    taken | bounded,
                    _headers(asked.headers),
                    waiting,
                )
            except RefusedError as error:
                if error.status not in BAD_REQUEST or not left:
                    raise
                had = dialect.context
                room = dialect.learn_context(error.body, size) if most is None else None
                if room is not None:
                    most = room  # exactly, for this prompt: others' room is reckoned
                    if had != dialect.context:
                        notes.append(f"{asked.model}: {CONTEXT_NOTE.format(dialect.context)}")
                        self._board.notes.append(notes[-1])
                elif (
                    dialect.translate(asked.parameters, size) == taken
                    and dialect.address(request.messages) == said
                ):  # nobody learnt it meanwhile
                    learnt = dialect.learn_roles(error.body, said)
                    learnt = learnt or dialect.learn_stream(error.body)
                    learnt = learnt or dialect.learn(error.body, taken)
                    if learnt is None:
                        raise
                    notes.append(f"{asked.model}: {learnt}")
                    self._board.notes.append(notes[-1])
        raise AssertionError("unreachable")


def _headers(headers: Mapping[str, str]) -> dict[str, str]:
    """Headers as they are sent: with the values of the variables that they name."""
    return {
        name: _value(value[1:]) if value.startswith("$") else value
        for name, value in headers.items()
    }


def _value(variable: str) -> str:
    return os.environ.get(variable, "")


def _variables(own: CallSettings) -> list[str]:
    """Return the environment variables that settings name: of a key, and of headers."""
    named = [own.key] if own.key else []
    return [*named, *(value[1:] for value in own.headers.values() if value.startswith("$"))]


def _check_variables(settings: ModelSettings) -> None:
    """Refuse settings that name variables which are not set."""
    for place, own in settings.parts():
        for variable in _variables(own):
            if not _value(variable):
                raise ModelError(f"{place}: the environment variable {variable} is not set")
