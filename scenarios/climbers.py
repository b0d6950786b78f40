"""The scripted minds of the crafting tree: they climb step by step, and read what they are asked.

They answer the same prompts as a language model, but no language model is asked.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bots.models import Message
from bots.models.scripted import Script
from bots.prompts import policy
from grid.adasociety.game import Game, Rules, SynthesisEvent
from scenarios.synthesis import ITEMS, PILE_BLOCKS, STATION_BLOCKS, Arena, Block

_TASK = re.compile(r"^Task: (.*)$", re.MULTILINE)
_DONE = re.compile(r"^# Completed tasks\n(.*?)\n# ", re.MULTILINE | re.DOTALL)
#: What the critic's prompt says of a program that ended well (``words.program_end``). A scripted
#: mind believes it where the inventory cannot tell.
WELL = "The program ran without an error."
_FUNCTION = re.compile(r"The function is called (\w+)\.")


@dataclass(frozen=True)
class Step:
    """One task of the climb with the program that does it."""

    task: str
    obtain: dict[str, int]
    program: str


def climber(steps: Sequence[Step]) -> Script:
    """A mind that proposes the first step that is not done, and does it."""
    programs = {step.task: step.program for step in steps}

    def answer(role: str, _agent: str | None, messages: Sequence[Message]) -> str:
        asked = messages[-1]["content"]
        if role == "curriculum":
            return _propose(steps, asked)
        if role == "action":
            task = _TASK.findall(asked)[-1]
            return f"A scripted mind's program.\n\n```javascript\n{programs[task]}```"
        if role == "describe":
            return f"A scripted mind's program, {_FUNCTION.findall(asked)[-1]}."
        if role == "critic":
            return json.dumps(
                {"success": WELL in asked, "critique": "A scripted mind tries again."}
            )
        return json.dumps({"questions": []})

    return answer


def _propose(steps: Sequence[Step], asked: str) -> str:
    found = _DONE.search(asked + "\n# ")
    done = {line.removeprefix("- ") for line in found[1].splitlines()} if found else set()
    left = next((step for step in steps if step.task not in done), None)
    if left is None:
        return json.dumps({"reasoning": "The climb is done.", "task": None})
    return json.dumps({"reasoning": "The next step.", "task": left.task, "obtain": left.obtain})


def minecraft_steps() -> list[Step]:
    """Minecraft's own tree, from wood to a diamond pickaxe."""
    common = policy("crafting_tree/common")
    return [
        Step(task, obtain, common + policy(f"crafting_tree/{name}"))
        for task, obtain, name in (
            ("Mine 7 logs", {"*_log": 7}, "mine_logs"),
            ("Craft a wooden pickaxe", {"wooden_pickaxe": 1}, "craft_wooden_pickaxe"),
            ("Mine 14 cobblestone", {"cobblestone": 14}, "mine_cobblestone"),
            (
                "Craft a stone pickaxe and a furnace",
                {"stone_pickaxe": 1, "furnace": 1},
                "craft_stone_pickaxe",
            ),
            ("Mine 2 coal", {"coal": 2}, "mine_coal"),
            ("Mine 3 raw iron", {"raw_iron": 3}, "mine_iron"),
            ("Smelt 3 iron ingots", {"iron_ingot": 3}, "smelt_iron"),
            ("Craft an iron pickaxe", {"iron_pickaxe": 1}, "craft_iron_pickaxe"),
            ("Mine 3 diamonds", {"diamond": 3}, "mine_diamonds"),
            ("Craft a diamond pickaxe", {"diamond_pickaxe": 1}, "craft_diamond_pickaxe"),
        )
    ]


def synthesis_script(rules: Rules, arena: Arena, jobs: Mapping[str, str]) -> Script:
    """AdaSociety's tree: each agent makes all that its job lets it make.

    A tool that somebody cannot make, but needs and can hold, comes from an agent who can make it,
    through the chest.
    """
    steps = _shared_steps(rules, arena, jobs)
    minds = {agent: climber(own) for agent, own in steps.items()}
    return lambda role, agent, messages: minds[agent or ""](role, agent, messages)


def _shared_steps(rules: Rules, arena: Arena, jobs: Mapping[str, str]) -> dict[str, list[Step]]:
    alone = {agent: _reachable(rules, arena.game, job, ()) for agent, job in jobs.items()}
    gifts: dict[str, tuple[str, str]] = {}  # who gets which tool, from whom
    for agent, job in jobs.items():
        for giver, tool in ((g, t) for g in jobs for t in alone[g] if t not in alone[agent]):
            more = _reachable(rules, arena.game, job, (tool,))
            if tool in _tools(rules) and len(more) > len(alone[agent]):
                gifts[agent] = (tool, giver)
                alone[agent] = more
                break
    program = _synthesis_program(rules, arena.game)
    return {
        agent: [
            *(_take(program, arena.chest, *gifts[agent]) if agent in gifts else ()),
            *(
                step
                for taker, (tool, giver) in gifts.items()
                if giver == agent
                for step in _give(program, arena.chest, tool, taker)
            ),
            *(
                _obtain(program, name)
                for name in alone[agent]
                if name not in gifts.get(agent, ()) and _worth_a_step(arena.game, name)
            ),
        ]
        for agent in jobs
    }


def _reachable(rules: Rules, game: Game, job: str, given: Sequence[str]) -> list[str]:
    """What an agent of a job can have by itself, with some tools given; in the tree's order."""
    capacity = rules.jobs[job].capacity
    there = set(given)
    while True:
        more = {
            name
            for name, resource in rules.resources.items()
            if name not in there and capacity.get(name) != 0 and there.issuperset(resource.requires)
            if name in game.piles
            or ((event := _event_for(rules, game, name)) and there.issuperset(event.inputs))
        }
        if not more:
            return [name for name in rules.resources if name in there]
        there |= more


def _tools(rules: Rules) -> set[str]:
    """What one must hold for something else."""
    return {tool for resource in rules.resources.values() for tool in resource.requires}


def _worth_a_step(game: Game, name: str) -> bool:
    return name not in game.piles or name == "coal"


def _obtain(program: str, name: str, count: int = 1) -> Step:
    return Step(
        f"Obtain {count} {name}",
        {ITEMS[name]: count},
        f"{program}async function obtain{_title(name)}(bot) {{\n"
        f"  await obtain(bot, '{name}', {count})\n}}\n",
    )


def _give(program: str, chest: Block, tool: str, taker: str) -> list[Step]:
    code = f"""{program}async function give{_title(tool)}To{taker}(bot) {{
  await obtain(bot, '{tool}', 1)
  await depositItemIntoChest(bot, new Vec3{chest}, {{ {ITEMS[tool]}: 1 }})
  await sendSignal(bot, '{taker}', '{tool}')
}}
"""
    return [Step(f"Put a {tool} into the chest for {taker}", {}, code)]


def _take(program: str, chest: Block, tool: str, giver: str) -> list[Step]:
    code = f"""{program}async function take{_title(tool)}(bot) {{
  if (held('{tool}')) return
  await waitSignal(bot, null, '{giver}', '{tool}')
  await getItemFromChest(bot, new Vec3{chest}, {{ {ITEMS[tool]}: 1 }})
}}
"""
    return [Step(f"Take a {tool} out of the chest", {ITEMS[tool]: 1}, code)]


def _title(name: str) -> str:
    return name.title().replace("_", "")


def _synthesis_program(rules: Rules, game: Game) -> str:
    """The functions all of a synthesis climber's programs begin with; they know the tree."""
    tree = {}
    for name, resource in rules.resources.items():
        event = _event_for(rules, game, name)
        if event is None and name not in game.piles:
            continue
        tree[name] = {
            "item": ITEMS[name],
            "block": STATION_BLOCKS[_station(rules, game, name)] if event else PILE_BLOCKS[name],
            "inputs": event.inputs if event else {},
            "requires": [*resource.requires, *(event.requires if event else ())],
        }
    return f"const TREE = {json.dumps(tree)}\n{policy('crafting_tree/synthesis')}"


def _event_for(rules: Rules, game: Game, resource: str) -> SynthesisEvent | None:
    """What makes a resource in a game."""
    made = (rules.events[name] for name in game.events if rules.events[name].output == resource)
    return next(made, None)


def _station(rules: Rules, game: Game, resource: str) -> str:
    return next(name for name in game.events if rules.events[name].output == resource)
