"""A client for any endpoint that supports OpenAI's protocol for chat completions."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import time
import zlib
from collections import Counter, defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

from pydantic import JsonValue

from voxpolis.bots.models.answers import CUT_OFF, FILTERED, REFUSAL, read_completion
from voxpolis.bots.models.board import CallBoard, Waiting
from voxpolis.bots.models.endpoint import (
    ConcurrencyLimit,
    Endpoint,
    RefusedError,
    RetryPolicy,
    is_filter,
)
from voxpolis.bots.models.model import ChatRequest, Completion, ModelError
from voxpolis.bots.models.parameters import LENGTHS, Dialect
from voxpolis.bots.models.secrets import NO_KEY, Secrets
from voxpolis.bots.models.settings import (
    CONCURRENCY,
    MAX_RETRIES,
    TIMEOUT_S,
    ModelCall,
    ModelSettings,
    is_local,
)
from voxpolis.bots.models.typed import NoObjectError, json_object

# A call is resent with other parameters at most this many times. There are no more parameters to
# change.
MAX_CHANGES = 8
# Calls to a model wait at most this many seconds until the endpoint has accepted or rejected the
# first call to this model.
FIRST_ALONE_S = 2.0
# The statuses with which endpoints reject parameters.
BAD_REQUEST = (400, 422)
# The note about a model with a short context.
CONTEXT_NOTE = "its context has {} tokens: answers are shorter where a prompt leaves less room"


class OpenAIModel:
    """Chat models behind OpenAI-compatible endpoints.

    The client learns from rejected requests which parameters a model does not accept. From then on
    it leaves these parameters out, renames them or reduces them. The default key and the default
    address come from the usual environment variables, ``OPENAI_API_KEY`` and ``OPENAI_BASE_URL``.
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
        seed: int | None = None,
    ) -> None:
        """Create the clients. No request is sent yet.

        Args:
            settings: the models, the endpoints and the parameters, by role and agent.
            base_url: the default endpoint.
            api_key: the key of the default endpoint.
            timeout_s: the time limit of each request, in seconds.
            max_retries: the number of further requests after a failed request.
            at_once: the number of concurrent calls per endpoint.
            board: shows the calls in progress.
            seed: the seed of the run. If the endpoint accepts seeds, each call gets a seed that is
                derived from this seed, the question, and how often the question was asked before.
                None: send no seeds.

        Raises:
            ModelError: there is no key, or an environment variable that the settings name is not
                set.
        """
        self._settings = settings
        self._patience = RetryPolicy(timeout_s, max_retries, at_once)
        self._board = board or CallBoard()
        self._seed = seed
        self._times: Counter[int] = Counter()
        self._first: dict[tuple[str, str], asyncio.Event] = {}
        self._dialects: defaultdict[tuple[str, str], Dialect] = defaultdict(Dialect)
        self._secrets = Secrets()
        for place, own in settings.parts():
            named = [own.key] if own.key else []
            named += [value[1:] for value in own.headers.values() if value.startswith("$")]
            for variable in named:
                if not _value(variable):
                    raise ModelError(f"{place}: the environment variable {variable} is not set")
                self._secrets.add(_value(variable))
        key = _value(settings.default.key) if settings.default.key else api_key
        self._turns: dict[str, ConcurrencyLimit] = {}
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
        # The addresses of all endpoints that may be used.
        every = (default.address, *own_addresses)
        self.addresses = tuple(dict.fromkeys(one.rstrip("/") for one in every))

    async def complete(self, request: ChatRequest) -> Completion:
        """Answer a request; see :class:`~bots.models.model.ChatModel`.

        If a content filter rejects the prompt, the answer is empty, and its ``finish_reason`` says
        so.
        """
        asked = self._settings.request(request)
        endpoint = self._endpoint(asked)
        notes: list[str] = []
        with self._board.waiting(request, asked.model) as waiting:
            try:
                async with self._one_first(endpoint.server, asked.model):
                    answer = await self._answer(endpoint, asked, request, waiting, notes)
            except RefusedError as error:
                if not is_filter(error.body):
                    raise
                answer = Completion("", asked.model, 0, 0, finish_reason=FILTERED)
            except ModelError as error:
                error.notes, error.tries = tuple(notes), waiting.tries
                raise
            seconds = time.monotonic() - waiting.sent_at
        answer = replace(answer, notes=tuple(notes), tries=waiting.tries, seconds=seconds)
        self._board.record(asked.model, answer)
        return answer

    def _endpoint(self, call: ModelCall) -> Endpoint:
        name = (call.base_url, call.key)
        if name not in self._endpoints:
            own_key = NO_KEY if call.key is None else _value(call.key)
            address = call.base_url or self._base_url
            self._endpoints[name] = Endpoint(
                address, own_key, self._patience, self._turns, self._secrets, is_default=False
            )
        return self._endpoints[name]

    @asynccontextmanager
    async def _one_first(self, server: str, model: str) -> AsyncIterator[None]:
        """Let the first call to a model go ahead of the others, for a short time.

        An endpoint rejects parameters immediately. The calls that wait therefore learn from the
        first call which parameters the model accepts, and are not rejected for the same reason.
        """
        first = self._first.get((server, model))
        if first is not None:
            if not first.is_set():
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(FIRST_ALONE_S):
                        await first.wait()
            yield
            return
        first = self._first[server, model] = asyncio.Event()
        try:
            yield
        finally:
            first.set()

    async def _answer(
        self,
        endpoint: Endpoint,
        call: ModelCall,
        request: ChatRequest,
        waiting: Waiting,
        notes: list[str],
    ) -> Completion:
        """Send a request, if necessary several times, until its parameters are accepted.

        What is learnt about the model is added to ``notes``. If another call has learnt the same
        thing in the meantime, the request is sent again, but nothing is added to ``notes``.
        """
        where = f"the model {call.model} at {endpoint.address}"
        dialect = self._dialects[endpoint.server, call.model]
        parameters = {**call.parameters, **self._seeded(request)}
        show = call.show_schema
        always = is_local(endpoint.address) if show is None else show
        headers = {
            name: _value(value[1:]) if value.startswith("$") else value
            for name, value in call.headers.items()
        }
        most: int | None = None
        for left in range(MAX_CHANGES, -1, -1):
            form = dialect.form
            wanted = {**dialect.typed(request, thought=call.thought), **parameters}
            shown = dialect.shown(request, thought=call.thought, always=always)
            size = sum(len(message["content"].encode()) for message in shown)
            taken, said = dialect.translate(wanted, size), dialect.address(shown)
            bounded = {name: most for name in taken if name in LENGTHS and most is not None}
            try:
                sent = taken | bounded
                body = await endpoint.send(call.model, said, sent, headers, waiting)
            except RefusedError as error:
                if error.status not in BAD_REQUEST or not left or is_filter(error.body):
                    raise
                had = dialect.context
                room = dialect.learn_context(error.body, size) if most is None else None
                if room is not None:
                    most = room  # exact for this prompt, an estimate for other prompts
                    if had != dialect.context:
                        self._note(notes, call, CONTEXT_NOTE.format(dialect.context))
                elif (
                    dialect.form == form
                    and dialect.translate(wanted, size) == taken
                    and dialect.address(shown) == said
                ):  # otherwise a concurrent call has already learnt it
                    learnt = dialect.learn_roles(error.body, said)
                    learnt = learnt or dialect.learn_stream(error.body)
                    if learnt is None and request.answer is not None:
                        learnt = dialect.learn_form(error.body, form, taken)
                    learnt = learnt or dialect.learn(error.body, taken)
                    if learnt is None and request.answer is not None:
                        learnt = dialect.try_next_form(error.body, form)
                    if learnt is None:
                        raise
                    self._note(notes, call, learnt)
                continue
            answer = read_completion(body, call.model, where)
            if request.answer is not None:
                self._learn_from(dialect, form, answer, notes, call)
                answer = replace(answer, form=form)
            return answer
        raise AssertionError("unreachable")

    def _learn_from(
        self, dialect: Dialect, form: str, answer: Completion, notes: list[str], call: ModelCall
    ) -> None:
        if answer.finish_reason in (CUT_OFF, FILTERED, REFUSAL) or not answer.text.strip():
            return
        try:
            json_object(answer.text)
        except NoObjectError:
            learnt = dialect.ignored(form)
            if learnt:
                self._note(notes, call, learnt)
        else:
            dialect.proven = dialect.proven or form == dialect.form

    def _seeded(self, request: ChatRequest) -> dict[str, JsonValue]:
        """Return the seed of a call, which is the same in all runs with the same seed."""
        if self._seed is None:
            return {}
        asked = json.dumps([request.role, request.agent, list(request.messages)])
        key = zlib.crc32(asked.encode())
        self._times[key] += 1
        return {"seed": zlib.crc32(f"{self._seed} {key} {self._times[key]}".encode()) >> 1}

    def _note(self, notes: list[str], call: ModelCall, learnt: str) -> None:
        notes.append(f"{call.model}: {learnt}")
        self._board.notes.append(notes[-1])


def _value(variable: str) -> str:
    return os.environ.get(variable, "")
