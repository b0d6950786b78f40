"""Scripted gatherers, who pursue one kind of item after another according to their beliefs.

This is a stochastic model of people, for runs without a language model. Gatherers use the data from
which prompts are rendered, and never read the text of prompts. The rates are in
:class:`GathererParams`.

- A person's goal is the first item, in the order of the land's file, that the person believes it
  has never held. The plan consists of this item and the next items in the file.
- The person works on the first item of the plan that is possible now. It does the action that makes
  the item, or takes steps towards the inputs of that action. Each decision states the product that
  is expected. A person who believes it has the product moves on. After an unnoticed failure, the
  person believes it has items that it lacks, until it looks at its inventory again.
- Without goals and plans, the person takes any action for which it believes it has the inputs.
- A site that the person has seen empty no longer counts as a source of an item. Ore never counts
  again; other things count again when they may have regrown. A person plans and looks for items
  from empty sites only if it cannot obtain any other item.
- A person with action awareness stops trying actions that keep failing. It skips such actions as
  long as its plan contains others.
- A person that can speak announces its next action with probability ``talkative``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from voxpolis.bots.agents import piano
from voxpolis.bots.models.scripted import Chances
from voxpolis.experiments.loops.society.scenario import Rates, Talkative
from voxpolis.worlds.trades import Trades
from voxpolis.worlds.trades.errands import ErrandPlanner
from voxpolis.worlds.trades.rules import action_of

# Number of items per plan.
PLANNED = 5
# Maximum expected duration of a walk and of an action, in seconds.
EXPECTED_WITHIN_S = 300.0
GOAL = "You want to have {item}."
NO_GOAL = "You have all that there is."


class GathererParams(Rates):
    """The rates of the model. Probabilities are from 0 to 1."""

    talkative: Talkative = 0.2


@dataclass
class _Gatherer:
    chances: Chances
    had: set[str] = field(default_factory=set)


class Gatherers(piano.ScriptedPeople[_Gatherer]):
    """The scripted minds of all people. The module's docstring explains the model."""

    def __init__(
        self, names: Sequence[str], land: Trades, params: GathererParams, seed: int
    ) -> None:
        self._params = params
        self._rules = land.rules
        # For each action that depletes a site: the site, the required amounts, and seconds until
        # the amounts may have regrown.
        self._uses: dict[str, tuple[str, list[tuple[str, int, float]]]] = {}
        for name, rule in land.rules.items():
            for kind, count in rule.uses.items():
                stock = land.sites[rule.at].holds.get(kind)
                grows_s = math.inf if stock is None or stock.every_s is None else stock.every_s
                self._uses.setdefault(name, (rule.at, []))[1].append((kind, count, grows_s))
        self._makers = {item: actions[0] for item, actions in land.makers.items()}
        self._errands = ErrandPlanner(land)
        self.people = {name: _Gatherer(Chances(f"{seed} {name} gatherer")) for name in names}

    def _wanted(self, person: _Gatherer, state: piano.Digest) -> list[str]:
        """Return, in order, the items that a person believes it has never held."""
        person.had.update(item for item, count in state.seen.inventory.items() if count > 0)
        return [item for item in self._makers if item not in person.had]

    def _reachable(self, person: _Gatherer, state: piano.Digest) -> list[str]:
        """Return the wanted items that can be obtained without the sites that the person has seen
        empty. If there are none, return all wanted items.
        """
        held, gone, wanted = state.seen.inventory, self._gone(state), self._wanted(person, state)
        if not gone:
            return wanted
        step, makers = self._errands.step, self._makers
        return [item for item in wanted if step(makers[item], held, {}, gone)] or wanted

    def _gone(self, state: piano.Digest) -> list[str]:
        """Return the actions at sites that the person has seen empty and that cannot have regrown
        since.
        """
        looks = {**state.sights, state.seen.place: piano.Sight(state.t, state.seen.around.things)}
        found = []
        for name, (place, uses) in self._uses.items():
            look = looks.get(place)
            if look is not None and any(
                look.things.get(kind, n) < n and state.t - look.t < grows_s
                for kind, n, grows_s in uses
            ):
                found.append(name)
        return found

    def reflect(self, person: _Gatherer, request: piano.ReflectRequest) -> piano.Insights:
        return piano.Insights(insights=(f"I have had {len(person.had)} kinds of things.",))

    def plan(self, person: _Gatherer, request: piano.PlanRequest) -> piano.Plan:
        return piano.Plan(steps=self._reachable(person, request.digest)[:PLANNED] or (NO_GOAL,))

    def aim(self, person: _Gatherer, request: piano.GoalRequest) -> piano.Goal:
        wanted = self._reachable(person, request.digest)
        return piano.Goal(goal=GOAL.format(item=wanted[0]) if wanted else NO_GOAL)

    def decide(self, person: _Gatherer, request: piano.DecideRequest) -> piano.Decide:
        state = request.digest
        held, wanted = state.seen.inventory, self._wanted(person, state)
        found, gone = state.standing.get(piano.AVOIDED), self._gone(state)
        avoided = found.now(state.t) if isinstance(found, piano.Avoided) else []
        planned = [item for item in state.plan if item in wanted]
        steps = (
            self._errands.step(self._makers[item], held, {}, left)
            for left in ([*avoided, *gone], gone)
            for item in planned
        )
        action = next((step for step in steps if step), None)
        if action is None:
            can = [
                name
                for name, rule in self._rules.items()
                if rule.makes and name not in avoided and not rule.lacks(held)
            ]
            chance = person.chances.of("anything")
            action = action_of(chance.choice(can)) if can else piano.Action("REST")
        rule, expects = self._rules.get(str(action)), None
        if rule is not None and rule.makes:
            less = {item: -count for item, count in rule.needs.items()}
            expects = piano.Forecast({**rule.makes, **less}, within_s=EXPECTED_WITHIN_S)
        return piano.Decide(action=action, about="my work", expects=expects)

    def talk(self, person: _Gatherer, request: piano.TalkRequest) -> piano.Talk:
        if request.decision is None or person.chances.of("talk").random() >= self._params.talkative:
            return piano.SILENT
        verb, _, rest = str(request.decision.action).partition(" ")
        said = f"I will {verb.lower()} {rest.replace('_', ' ')}.".replace(" .", ".")
        return piano.Talk(say=said)
