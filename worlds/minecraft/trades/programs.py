"""Citizens of a village in Minecraft who act only through their own programs: code writers and
Voyager.

A program runs as an errand of the agent's bot, in the same way as ``DO``
(:mod:`worlds.minecraft.trades.doing`), and its effects are counted in the same way. A program can
call the bot's primitives and the village's skills. When a program chats, people nearby hear the
message.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from voxpolis.bots.agents.code_writer import JAVASCRIPT
from voxpolis.bots.agents.piano.actions import ActionSet, Step
from voxpolis.bots.agents.piano.agent import Agent
from voxpolis.bots.agents.piano.citizen import MOST_WORDS, CitizenBody
from voxpolis.bots.agents.piano.digest import Digest
from voxpolis.bots.agents.piano.modules import goals, talking
from voxpolis.bots.agents.piano.task import Action, Decision, Task
from voxpolis.bots.prompts import render
from voxpolis.records.programs import RunResult
from voxpolis.records.text import one_line
from voxpolis.worlds.minecraft.observation_text import surroundings
from voxpolis.worlds.minecraft.trades import skills as village_skills
from voxpolis.worlds.minecraft.trades.doing import DO, ProgramContext, do_verb
from voxpolis.worlds.minecraft.trades.village import NEVER_BEGUN
from voxpolis.worlds.trades.verbs import conclude

if TYPE_CHECKING:
    from voxpolis.worlds.minecraft.trades.village import MinecraftTradeVillage

# Maximum duration of a program, including waiting for gifts, in seconds.
UNDER_WAY_S = village_skills.OWN_LIMIT_S + 60.0
# Task of a program whose agent has stated no goal.
UNNAMED = "a program of one's own"
# Patterns that find a program's purpose, and the description of a function in ``skills/``.
_GOAL = re.compile(r"^\s*//\s*GOAL:\s*(\S.*)$", re.MULTILINE)
_FUNCTION = re.compile(r"/\*\* (.+?) \*/\n(?:async )?function (\w+\(.*?\)) \{", re.DOTALL)


class ProgramBody(CitizenBody):
    """A bot of the village that runs its agent's programs; see :class:`CitizenBody`."""

    step_s = UNDER_WAY_S

    def __init__(self, agent: Agent, village: MinecraftTradeVillage) -> None:
        """Prepare the body. From now on, ``agent`` can only decide to run programs."""
        super().__init__(agent)
        self.format = JAVASCRIPT
        self._village = village
        self._code, self._own = "", ProgramContext({}, {})
        # Action that a scripted mind's program performs.
        self._meant: Action | None = None
        agent.actions = ActionSet([do_verb(self._run)])
        village.on_chat(agent.name, self._hear_own)

    @property
    def told(self) -> str:
        village = self._village
        way_to = village.body(self.name).way_to
        places = [f"{one} ({way_to(one).rpartition(', ')[0]})" for one in self.agent.places]
        return about_village(self.verbs, places, [f"new Vec3{at}" for at in village.site.chests])

    async def observe(self) -> str:
        seen = surroundings(await self._village.world.observe(self.name))
        return f"{await super().observe()}\n{seen}"

    async def act(self, policy: str, skills: Mapping[str, str] | None = None) -> RunResult:
        found = _GOAL.search(policy)
        if found is not None:
            goals.strive(self.agent, one_line(found[1])[:MOST_WORDS])
        self._code = policy
        self._own = ProgramContext({**village_skills.sources(), **(skills or {})}, {})
        await self._carry_out(Action(DO, task=one_line(self.agent.goal)[:MOST_WORDS] or UNNAMED))
        self.last = self._own.result or NEVER_BEGUN
        return self.last

    async def _run(self, task: Task) -> None:
        words = task.action.task
        conclude(task, self._village.run_own(task.agent, words, self._code, self._own))

    def _hear_own(self, text: str) -> None:
        talking.spoken(self.agent, one_line(text), self.agent.body.near())

    # --- Values for scripted minds ---------------------------------------------------------------

    def _digest(self) -> Digest:
        """Return the agent's state. If a scripted mind's program stands for an action, the state
        shows that action as the decision.
        """
        state = super()._digest()
        if self._meant is None:
            return state
        return replace(state, decision=Decision(state.decision.t, self._meant, ""))

    def policy_of(self, step: Step) -> str:
        """Return a program that does the same as the village's own errand for an action."""
        self._meant = step.action
        said = [f"bot.chat({json.dumps(step.say)})"] if step.say else []
        lines = "\n".join(f"  {line}" for line in [*said, *self._lines(step.action)])
        goal = f"// GOAL: {step.goal}\n" if step.goal else ""
        return f"{goal}async function {_called(step.action)}(bot) {{\n{lines}\n}}\n"

    def _lines(self, action: Action) -> Iterator[str]:
        village, name, target = self._village, self.name, action.target
        if action.do == "REST":
            yield f"await bot.waitForTicks({10 * village_skills.TICKS_PER_SECOND})"
        elif action.do in ("GO", "VISIT"):
            yield self._way(target)
        elif action.do == "GIVE":
            yield village_skills.giving(action.item, action.count, action.person)
        elif action.do in ("PUT", "TAKE"):
            hand = village_skills.putting if action.do == "PUT" else village_skills.taking
            yield hand(action.item, action.count, village.body(name).chest)
        else:
            site = village.target(name, str(action))
            if site is not None:
                yield self._way(site)
            found = village.skill(str(action), village.trades.rules[str(action)])
            assert found is not None, action
            yield found.program

    def _way(self, target: str) -> str:
        return f"await goTo(bot, {self._village.body(self.name).way_to(target)})"


def _called(action: Action) -> str:
    first, *others = re.findall(r"[A-Za-z]+|\d+", str(action).lower())
    return "".join([first, *(word.capitalize() for word in others)])


def about_village(verbs: ActionSet, places: Sequence[str], chests: Sequence[str]) -> str:
    """Describe a village for models that write programs."""
    return render(
        "citizen/vocabulary",
        actions="\n".join(f"- {text}" for verb, text in verbs.texts.items() if verb != DO),
        places=", ".join(places) or "none that have a name",
        chests=", ".join(chests) or "none",
        limit=f"{village_skills.OWN_LIMIT_S:g}",
        skills="\n".join(_signatures()),
    )


def _signatures() -> Iterator[str]:
    for name, source in village_skills.sources().items():
        found = _FUNCTION.search(source)
        assert found is not None, name
        yield f"- `{found[2]}`: {found[1]}"
