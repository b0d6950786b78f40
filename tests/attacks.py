"""The attacks of ``tests/data/attacks.txt``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from voxpolis.bots.agents.code_writer import Assessment
from voxpolis.bots.agents.voyager.prompts import Item, Proposal, Questions
from voxpolis.bots.models import Answer, ChatRequest
from voxpolis.bots.models.scripted import Script

# Time limits for attacks that run until stopped, and for attacks that end by themselves or at a
# limit other than time, such as memory.
LIMIT_S = 0.3
ENDING_LIMIT_S = 30.0


@dataclass(frozen=True)
class Attack:
    """One hostile program; ``tests/data/attacks.txt`` explains the fields."""

    group: str
    name: str
    code: str
    ends: list[str]
    says: str = ""
    limit_s: float = LIMIT_S
    never: Sequence[str] = ()
    # Number of times that the code is repeated.
    times: int = 1

    def __str__(self) -> str:
        return f"{self.group}: {self.name}"

    @property
    def program(self) -> str:
        """Return the agent's program."""
        return self.code * self.times


def read_attacks() -> list[Attack]:
    """Return all attacks, in the file's order."""
    text = (Path(__file__).parent / "data" / "attacks.txt").read_text(encoding="utf-8")
    found, group = [], ""
    for part in re.split(r"(?m)^(?=# |== )", text):
        head, _, code = part.partition("\n")
        if head.startswith("# "):
            group = head[2:]
        elif told := re.fullmatch(r"== (.+?) \[([a-z ]+)\] ?(.*)", head):
            ends, more = told[2].split(), dict(re.findall(r"(\w+): ([^;]+)", told[3]))
            found.append(
                Attack(
                    group,
                    told[1],
                    code.strip("\n") + ("" if "times" in more else "\n"),
                    ends,
                    more.get("says", ""),
                    float(more.get("limit_s", _limit_s(ends))),
                    more.get("never", "").split(),
                    int(more.get("times", 1)),
                )
            )
    return found


def _limit_s(ends: Sequence[str]) -> float:
    """Return the default time limit, which is generous enough for a busy machine."""
    return LIMIT_S if "timeout" in ends else ENDING_LIMIT_S


def hostile(agent: str, programs: Sequence[str], others: Script) -> Script:
    """Return a mind for Voyager agents: ``agent`` writes the programs in turn."""
    left = iter(programs)

    def answer(request: ChatRequest) -> Answer | str:
        if request.agent != agent:
            return others(request)
        if request.role == "curriculum":
            return Proposal(task="Attack", obtain=[Item(name="bedrock", count=1)])
        if request.role == "action":
            return f"```javascript\n{next(left)}```"
        if request.role == "critic":
            return Assessment(success=False, critique="")
        return Questions(questions=[])

    return answer


def as_programs(attacks: Sequence[Attack]) -> list[str]:
    """Return attacks as programs of a code-writing agent."""
    return [
        f"async function attack{number}(bot) {{\n{attack.program}\n}}\n"
        for number, attack in enumerate(attacks)
    ]
