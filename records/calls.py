"""The model calls of a run: ``llm.jsonl``, with the messages of the calls in ``messages.jsonl``."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import Any

from voxpolis.records.lines import JsonLines, Line, Problem, Problems

Message = dict[str, str]
# Number of messages that are kept in memory. Consecutive calls have most of their messages in
# common.
KEPT_MESSAGES = 1000
# Reading stops after this many messages that no call refers to, such as those of damaged calls.
MOST_UNNAMED = 10_000
UNNAMED = f"more than {MOST_UNNAMED:,} messages that no call names; reading stops here"
# The error that is shown for a call whose run was killed before the answer arrived.
KILLED = "the run was killed before the answer came"


class CallIndex:
    """The positions of calls and messages in their files.

    With the positions, each call can be read when it is needed.

    A message is stored once, and calls refer to it by a hash. In older records the calls contain
    their messages. A call to a paid endpoint has two lines with the same unique name: the first is
    written when the call starts (``started``), the second when it ends (``ends``). The first line
    counts only if the run was killed before the call ended.

    Attributes:
        problems: what could not be read.
    """

    def __init__(self, folder: Path) -> None:
        self.problems = Problems()
        self._calls = JsonLines(folder / "llm.jsonl")
        self._messages = JsonLines(folder / "messages.jsonl")
        self._call_lines: list[Line] = []
        self._under_way: dict[str, Line] = {}
        self._message_lines: list[Line] = []
        self._numbers: dict[str, int] = {}
        self._unnamed = 0
        # The hashes of the messages to which calls refer. None until all calls have been read.
        self._named: set[str] | None = None
        self._kept: Callable[[int], Message] = lru_cache(KEPT_MESSAGES)(self._read_message)

    def __len__(self) -> int:
        return len(self._call_lines)

    @property
    def message_count(self) -> int:
        self._find_messages()
        return len(self._message_lines)

    def new(self) -> Iterator[dict[str, Any]]:
        for line in self._calls.new():
            if line.data is None or not _is_call(line.data):
                self._calls.count_unusable()
                self._note(self._calls, line.number, "not a whole call")
                continue
            started, place = line.data.get("started"), line.place()
            if isinstance(started, str):
                self._under_way[started] = place
                continue
            self._under_way.pop(str(line.data.get("ends")), None)
            self._call_lines.append(place)
            yield line.data

    def read_all(self) -> int:
        """Read all calls of a finished run and return their number.

        From then on, messages that no call refers to are ignored.
        """
        named: set[str] = set()
        for call in chain(self.new(), self.unfinished()):
            named.update(one for one in call.get("messages", []) if isinstance(one, str))
        self._named = named
        return len(self)

    def unfinished(self) -> Iterator[dict[str, Any]]:
        """Yield the calls of which only the start was recorded.

        Call this only after the whole file of a finished run has been read.
        """
        places = list(self._under_way.values())
        self._under_way.clear()
        for place in places:
            self._call_lines.append(place)
            yield self.call(len(self._call_lines) - 1)

    def note_ends(self) -> None:
        """Add a problem for each file that is missing or truncated.

        Call this only after everything has been read.
        """
        has_messages = self._message_lines or self._messages.refused
        read = [self._calls, self._messages] if has_messages else [self._calls]
        for file in read:
            if (problem := file.problem()) is not None:
                self.problems.add(problem)

    def call(self, number: int) -> dict[str, Any]:
        """Read a call by its index, which counts from 0.

        Raises:
            IndexError: there is no such call.
        """
        found = self._calls.at(self._call_lines[number])
        return {**found, "error": KILLED, "cut_off": True} if "started" in found else found

    def line_of(self, number: int) -> int:
        return self._call_lines[number].number

    def messages_of(self, call: dict[str, Any]) -> list[int | Message | None]:
        """Return the indices of a call's messages.

        In older records, return the messages themselves.

        None stands for a message that is missing in the record.
        """
        named = call.get("messages", [])
        if any(isinstance(one, str) and one not in self._numbers for one in named):
            self._find_messages()
        return [self._numbers.get(one) if isinstance(one, str) else one for one in named]

    def message(self, number: int) -> Message:
        return self._kept(number)

    def whole(self, number: int) -> dict[str, Any]:
        """Read a call by its index, with its full messages. None stands for a missing message.

        Raises:
            IndexError: there is no such call.
        """
        call = self.call(number)
        messages = self.messages_of(call)
        texts = [self.message(one) if isinstance(one, int) else one for one in messages]
        return {**call, "messages": texts}

    def _find_messages(self) -> None:
        for line in self._messages.new():
            if line.data is None or not (_is_message(line.data) and "hash" in line.data):
                self._messages.count_unusable()
                self._note(self._messages, line.number, "not a whole message")
                continue
            name = str(line.data["hash"])
            if name in self._numbers or (self._named is not None and name not in self._named):
                self._unnamed += 1
                if self._unnamed > MOST_UNNAMED:
                    self._messages.refused = UNNAMED
                continue
            self._numbers[name] = len(self._message_lines)
            self._message_lines.append(line.place())

    def _read_message(self, number: int) -> Message:
        found = self._messages.at(self._message_lines[number])
        return {"role": found["role"], "content": found["content"]}

    def _note(self, file: JsonLines, line: int, text: str) -> None:
        self.problems.add(Problem(file.path.name, line, text))


def _is_call(data: dict[str, Any]) -> bool:
    messages, role, agent = data.get("messages"), data.get("role"), data.get("agent")
    return (
        isinstance(messages, list)
        and all(
            isinstance(one, str) or (isinstance(one, dict) and _is_message(one)) for one in messages
        )
        and isinstance(role, str)
        and (agent is None or isinstance(agent, str))
        and isinstance(data.get("answer"), str | None)
        and isinstance(data.get("model"), str | None)
    )


def _is_message(data: dict[str, Any]) -> bool:
    return isinstance(data.get("role"), str) and isinstance(data.get("content"), str)
