"""The scripted minds of the crafting tree: they climb step by step, and read what they are asked.

They answer the same prompts as a language model, but no language model is asked.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from bots.models import Message
from bots.models.scripted import Script
from bots.prompts import policy
from grid.game import Game, Rules
from scenarios.synthesis import ITEMS, PILE_BLOCKS, STATION_BLOCKS

_TASK = re.compile(r"^Task: (.*)$", re.MULTILINE)
_DONE = re.compile(r"^# Completed tasks\n(.*?)\n# ", re.MULTILINE | re.DOTALL)
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
        return json.dumps(ANSWERS[role])

    return answer


#: What does not depend on what is asked. There is no critic: the world says what is held.
ANSWERS: dict[str, dict[str, object]] = {
    "questions": {"questions": []},
    "critic": {"success": False, "critique": "A scripted mind tries again."},
}


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


def synthesis_steps(rules: Rules, game: Game) -> list[Step]:
    """AdaSociety's tree: everything that the game's stations make, the simplest first."""
    tree = {
        name: {
            "item": ITEMS[name],
            "block": _block_of(rules, game, name),
            "inputs": event.inputs if (event := rules.maker_of(name)) else {},
            "requires": [*resource.requires, *(event.requires if event else ())],
        }
        for name, resource in rules.resources.items()
        if name in game.piles or _made_by(rules, game, name)
    }
    made = [name for name in rules.resources if _made_by(rules, game, name)]
    program = f"const TREE = {json.dumps(tree)}\n{policy('crafting_tree/synthesis')}"
    return [
        Step(
            f"Obtain a {name}",
            {ITEMS[name]: 1},
            f"{program}async function obtain{name.title().replace('_', '')}(bot) {{\n"
            f"  await obtain(bot, '{name}', 1)\n}}\n",
        )
        for name in made
    ]


def _made_by(rules: Rules, game: Game, resource: str) -> str | None:
    """The station of the game that makes a resource."""
    return next((name for name in game.events if rules.events[name].output == resource), None)


def _block_of(rules: Rules, game: Game, resource: str) -> str:
    station = _made_by(rules, game, resource)
    return STATION_BLOCKS[station] if station else PILE_BLOCKS[resource]
