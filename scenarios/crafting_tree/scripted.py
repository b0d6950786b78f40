"""The scripted curricula of the crafting tree: step by step, by typed values, never by prose."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from voxpolis.bots.agents.code_writer import NO_CRITIC, Assessment, PolicyRequest
from voxpolis.bots.agents.voyager.prompts import (
    CurriculumRequest,
    Described,
    DescribeRequest,
    Item,
    Proposal,
    Questions,
    TaskCriticRequest,
    TaskRequest,
)
from voxpolis.bots.models import Answer, ChatRequest
from voxpolis.bots.models.scripted import Script
from voxpolis.grid.adasociety.game import Game, Rules
from voxpolis.grid.adasociety.rules import event_for, reachable, tools
from voxpolis.scenarios.crafting_tree.placement import ITEMS, PILE_BLOCKS, STATION_BLOCKS
from voxpolis.worlds.adasociety.scripted import planner
from voxpolis.worlds.adasociety.situation import PlanSituation
from voxpolis.worlds.layout import Block
from voxpolis.worlds.minecraft.trades.skills import sources

POLICIES = Path(__file__).parent / "policies"


@dataclass(frozen=True)
class Step:
    """One task of a curriculum with the function that does it.

    Attributes:
        task: its name.
        obtain: what the inventory holds when it is done.
        function: the name of the function.
        code: its source.
        prelude: what it uses; the same for all steps of a curriculum.
    """

    task: str
    obtain: Mapping[str, int]
    function: str
    code: str
    prelude: str

    @property
    def program(self) -> str:
        """The whole program."""
        return self.prelude + self.code


class ScriptedCurriculum:
    """Proposes the first step that is not done, and does it."""

    def __init__(self, steps: Sequence[Step]) -> None:
        self._steps = steps
        self._programs = {step.task: step.program for step in steps}

    def __call__(self, request: ChatRequest) -> Answer | str:
        about = request.about
        if isinstance(about, CurriculumRequest):
            return self._propose(about.completed)
        if isinstance(about, TaskRequest):
            return _answer(self._programs[about.task.name])
        if isinstance(about, PolicyRequest):
            return _answer(self._policy())
        if isinstance(about, DescribeRequest):
            return Described(description=f"A scripted mind's program, {about.function}.")
        if isinstance(about, TaskCriticRequest):
            return Assessment(success=about.ended_well, critique="A scripted mind tries again.")
        return NO_CRITIC if request.role == "critic" else Questions(questions=[])

    def _propose(self, completed: Sequence[str]) -> Proposal:
        left = next((step for step in self._steps if step.task not in completed), None)
        if left is None:
            return Proposal(task=None, obtain=[])
        obtain = [Item(name=name, count=count) for name, count in left.obtain.items()]
        return Proposal(task=left.task, obtain=obtain)

    def _policy(self) -> str:
        calls = "".join(f"  await {step.function}(bot)\n" for step in self._steps)
        main = f"async function climb(bot) {{\n{calls}}}\n"
        return "".join([self._steps[0].prelude, *(step.code for step in self._steps), main])


def _answer(program: str) -> str:
    return f"A scripted mind's program.\n\n```javascript\n{program}```"


@cache
def _source(name: str) -> str:
    return (POLICIES / f"{name}.js").read_text(encoding="utf-8")


# --- Minecraft's own tree --------------------------------------------------------------------

#: Task, what is held when it is done, the policy's file and its function.
MINECRAFT_STEPS: Sequence[tuple[str, Mapping[str, int], str, str]] = (
    ("Mine 7 logs", {"*_log": 7}, "mine_logs", "mineLogs"),
    (
        "Craft a wooden pickaxe",
        {"wooden_pickaxe": 1},
        "craft_wooden_pickaxe",
        "craftWoodenPickaxe",
    ),
    ("Mine 14 cobblestone", {"cobblestone": 14}, "mine_cobblestone", "mineCobblestone"),
    (
        "Craft a stone pickaxe and a furnace",
        {"stone_pickaxe": 1, "furnace": 1},
        "craft_stone_pickaxe",
        "craftStonePickaxe",
    ),
    ("Mine 2 coal", {"coal": 2}, "mine_coal", "mineCoal"),
    ("Mine 3 raw iron", {"raw_iron": 3}, "mine_iron", "mineIron"),
    ("Smelt 3 iron ingots", {"iron_ingot": 3}, "smelt_iron", "smeltIron"),
    ("Craft an iron pickaxe", {"iron_pickaxe": 1}, "craft_iron_pickaxe", "craftIronPickaxe"),
    ("Mine 3 diamonds", {"diamond": 3}, "mine_diamonds", "mineDiamonds"),
    (
        "Craft a diamond pickaxe",
        {"diamond_pickaxe": 1},
        "craft_diamond_pickaxe",
        "craftDiamondPickaxe",
    ),
)


def minecraft_script() -> Script:
    """Return minds that climb Minecraft's own tree, from wood to a diamond pickaxe."""
    prelude = f"{_source('common')}\n{sources()['putDown']}"
    return ScriptedCurriculum(
        [
            Step(task, obtain, function, _source(file), prelude)
            for task, obtain, file, function in MINECRAFT_STEPS
        ]
    )


# --- AdaSociety's tree ------------------------------------------------------------------------


def synthesis_script(rules: Rules, game: Game, chest: Block, jobs: Mapping[str, str]) -> Script:
    """Return minds that make all that their jobs let them make.

    A tool that somebody cannot make, but needs and can hold, comes from an agent who can make it,
    through the chest. On the grid they are the planner's own rules.
    """
    steps = _shared_steps(rules, game, chest, jobs)
    minds = {agent: ScriptedCurriculum(own) for agent, own in steps.items()}
    on_the_grid = planner()

    def answer(request: ChatRequest) -> Answer | str:
        if isinstance(request.about, PlanSituation):
            return on_the_grid(request)
        return minds[request.agent or ""](request)

    return answer


def _shared_steps(
    rules: Rules, game: Game, chest: Block, jobs: Mapping[str, str]
) -> dict[str, list[Step]]:
    had = {agent: reachable(rules, game, job) for agent, job in jobs.items()}
    gifts: dict[str, tuple[str, str]] = {}  # which tool each agent gets, from whom
    for agent, job in jobs.items():
        for giver, tool in ((g, t) for g in jobs for t in had[g] if t not in had[agent]):
            more = reachable(rules, game, job, (tool,))
            if tool in tools(rules) and len(more) > len(had[agent]):
                gifts[agent] = (tool, giver)
                had[agent] = more
                break
    prelude = _prelude(rules, game)
    steps = {}
    for agent in jobs:
        given, giver = gifts.get(agent, ("", ""))
        own = [_take(prelude, chest, given, giver)] if given else []
        for taker, (tool, by) in gifts.items():
            own += [_give(prelude, chest, tool, taker)] if by == agent else []
        own += [
            _obtain(prelude, name)
            for name in had[agent]
            if name not in (given, giver) and _is_worth_a_step(game, name)
        ]
        steps[agent] = own
    return steps


def _is_worth_a_step(game: Game, name: str) -> bool:
    return name not in game.piles or name == "coal"


def _obtain(prelude: str, name: str, count: int = 1) -> Step:
    function = f"obtain{_title(name)}"
    code = f"async function {function}(bot) {{\n  await obtain(bot, '{name}', {count})\n}}\n"
    return Step(f"Obtain {count} {name}", {ITEMS[name]: count}, function, code, prelude)


def _give(prelude: str, chest: Block, tool: str, taker: str) -> Step:
    function = f"give{_title(tool)}To{taker}"
    code = f"""async function {function}(bot) {{
  await obtain(bot, '{tool}', 1)
  await depositItemIntoChest(bot, new Vec3{chest}, {{ {ITEMS[tool]}: 1 }})
  await sendSignal(bot, '{taker}', '{tool}')
}}
"""
    return Step(f"Put a {tool} into the chest for {taker}", {}, function, code, prelude)


def _take(prelude: str, chest: Block, tool: str, giver: str) -> Step:
    function = f"take{_title(tool)}"
    code = f"""async function {function}(bot) {{
  if (held('{tool}')) return
  await waitSignal(bot, null, '{giver}', '{tool}')
  await getItemFromChest(bot, new Vec3{chest}, {{ {ITEMS[tool]}: 1 }})
}}
"""
    return Step(f"Take a {tool} out of the chest", {ITEMS[tool]: 1}, function, code, prelude)


def _title(name: str) -> str:
    return name.title().replace("_", "")


def _prelude(rules: Rules, game: Game) -> str:
    """Return the functions that all of a curriculum's programs begin with; they know the tree."""
    tree = {}
    for name, resource in rules.resources.items():
        station = event_for(rules, game, name)
        if station is None and name not in game.piles:
            continue
        event = rules.events[station] if station else None
        tree[name] = {
            "item": ITEMS[name],
            "block": STATION_BLOCKS[station] if station else PILE_BLOCKS[name],
            "inputs": event.inputs if event else {},
            "requires": [*resource.requires, *(event.requires if event else ())],
        }
    return f"const TREE = {json.dumps(tree)}\n{_source('synthesis')}"
