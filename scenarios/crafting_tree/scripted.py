"""Scripted curricula of the crafting tree. Scripts use the data from which prompts are rendered."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from voxpolis.bots.agents.code_writer import NO_CRITIC, Assessment, PolicyRequest
from voxpolis.bots.agents.voyager import prompts
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
    """A task in a curriculum, and the function that carries it out.

    ``obtain`` is what the inventory should contain at the end. ``code`` is the source of the
    function. ``prelude`` is source code that all steps share.
    """

    task: str
    obtain: Mapping[str, int]
    function: str
    code: str
    prelude: str


class ScriptedCurriculum:
    """Proposes the first task that is not complete, and answers with the program that carries it
    out.
    """

    def __init__(self, steps: Sequence[Step]) -> None:
        self._steps = steps

    def __call__(self, request: ChatRequest) -> Answer | str:
        match request.about:
            case prompts.CurriculumRequest(completed=completed):
                left = next((step for step in self._steps if step.task not in completed), None)
                if left is None:
                    return prompts.Proposal(task=None, obtain=[])
                obtain = [
                    prompts.Item(name=name, count=count) for name, count in left.obtain.items()
                ]
                return prompts.Proposal(task=left.task, obtain=obtain)
            case prompts.TaskRequest(task=task):
                step = next(one for one in self._steps if one.task == task.name)
                return _answer(step.prelude + step.code)
            case PolicyRequest():
                codes = "".join(step.code for step in self._steps)
                calls = "".join(f"  await {step.function}(bot)\n" for step in self._steps)
                main = f"async function climb(bot) {{\n{calls}}}\n"
                return _answer(self._steps[0].prelude + codes + main)
            case prompts.DescribeRequest(function=function):
                return prompts.Described(description=f"A scripted mind's program, {function}.")
            case prompts.TaskCriticRequest(ended_well=ended_well):
                return Assessment(success=ended_well, critique="A scripted mind tries again.")
        return NO_CRITIC if request.role == "critic" else prompts.Questions(questions=[])


def _answer(program: str) -> str:
    return f"A scripted mind's program.\n\n```javascript\n{program}```"


@cache
def _source(name: str) -> str:
    return (POLICIES / f"{name}.js").read_text(encoding="utf-8")


# --- Minecraft's own tree --------------------------------------------------------------------

# Task, inventory after completion, and the file of the policy, which contains a function of the
# same name.
MINECRAFT_STEPS: Sequence[tuple[str, Mapping[str, int], str]] = (
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


def minecraft_script() -> Script:
    """Return scripted minds that work through Minecraft's own tree, from wood to a diamond
    pickaxe.
    """
    prelude = f"{_source('common')}\n{sources()['putDown']}"
    steps = []
    for task, obtain, file in MINECRAFT_STEPS:
        function = file[0] + _title(file)[1:]
        steps.append(Step(task, obtain, function, _source(file), prelude))
    return ScriptedCurriculum(steps)


# --- AdaSociety's tree ------------------------------------------------------------------------


def synthesis_script(rules: Rules, game: Game, chest: Block, jobs: Mapping[str, str]) -> Script:
    """Return scripted minds that make everything that their jobs allow.

    If an agent needs a tool and can hold it but cannot make it, another agent passes the tool to it
    through the chest. On the grid, the rules of the scripted planner choose the actions.
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
    gifts: dict[str, tuple[str, str]] = {}  # tool and giver, by receiving agent
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
        for name in had[agent]:
            is_worth_a_step = name not in game.piles or name == "coal"
            if name not in (given, giver) and is_worth_a_step:
                own.append(_obtain(prelude, name))
        steps[agent] = own
    return steps


def _obtain(prelude: str, name: str) -> Step:
    function = f"obtain{_title(name)}"
    code = f"async function {function}(bot) {{\n  await obtain(bot, '{name}', 1)\n}}\n"
    return Step(f"Obtain 1 {name}", {ITEMS[name]: 1}, function, code, prelude)


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
    """Return the source code with which all programs of a curriculum begin: the tree as data, and
    functions that use it.
    """
    tree = {}
    for name, resource in rules.resources.items():
        block, inputs, requires = PILE_BLOCKS.get(name), {}, list(resource.requires)
        if station := event_for(rules, game, name):
            event = rules.events[station]
            block, inputs = STATION_BLOCKS[station], event.inputs
            requires += event.requires
        elif name not in game.piles:
            continue
        tree[name] = {"item": ITEMS[name], "block": block, "inputs": inputs, "requires": requires}
    return f"const TREE = {json.dumps(tree)}\n{_source('synthesis')}"
