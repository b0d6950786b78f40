"""Scripted gatherers: they want one kind of item after another, and go by what they believe.

An explicit model of people, for runs without a language model. They go by the typed values that
prompts are rendered from, never by a prompt's words. The model, with its rates in
:class:`GathererParams`:

- A goal is the first kind of item, in the order of the land's file, that one has not believed to
  hold yet; a plan is that kind and the next ones.
- Of a plan's kinds the first that can be worked for comes first: the action that makes it, or what
  that takes, step by step. Each decision states what the action's rule makes as what is expected,
  and who believes to hold it goes on to the next. So whoever believes in a success that never came
  works with things that are not there, until it looks at its hands again.
- Who has no goal and no plan does anything that it believes to have all for.
- What one saw to be used up at a place is no way to a kind: ore for good, and what grows until it
  may have grown again. Nobody sets out for a kind, or plans it, while there is another way to none.
- Actions that one has stopped trying (action awareness) are left while the plan has others.
- Who can speak says what it does next with ``talkative``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from pydantic import Field

from voxpolis.bots.agents import piano
from voxpolis.bots.models.scripted import Chances
from voxpolis.experiments.loops.society.scenario import Rates
from voxpolis.worlds.trades import Trades
from voxpolis.worlds.trades.errands import Errands
from voxpolis.worlds.trades.rules import action_of

# A plan has so many kinds.
PLANNED = 5
# How long a way, and an action, may take at most, as it is expected, in seconds.
EXPECTED_WITHIN_S = 300.0
GOAL = "You want to have {item}."
NO_GOAL = "You have all that there is."


class GathererParams(Rates):
    """The rates of the model; chances are parts of 1."""

    talkative: float = Field(default=0.2, ge=0, le=1, description="To speak when one can.")


@dataclass
class _Gatherer:
    chances: Chances
    had: set[str] = field(default_factory=set)


class Gatherers(piano.ScriptedPeople[_Gatherer]):
    """A script for all people; see the module's text for the model."""

    def __init__(
        self, names: Sequence[str], land: Trades, params: GathererParams, seed: int
    ) -> None:
        self._params = params
        self._rules = land.rules
        # Of each action that uses something of a place: the place, and how much there must be of
        # what, and after how many seconds there may be more of it.
        self._uses: dict[str, tuple[str, list[tuple[str, int, float]]]] = {}
        for name, rule in land.rules.items():
            for kind, count in rule.uses.items():
                stock = land.sites[rule.at].holds.get(kind)
                grows_s = math.inf if stock is None or stock.every_s is None else stock.every_s
                self._uses.setdefault(name, (rule.at, []))[1].append((kind, count, grows_s))
        self._makers = {item: actions[0] for item, actions in land.makers.items()}
        self._errands = Errands(land)
        self.people = {name: _Gatherer(Chances(f"{seed} {name} gatherer")) for name in names}

    def _wanted(self, person: _Gatherer, state: piano.Digest) -> list[str]:
        """Return the kinds that a person has not believed to hold yet, in their order."""
        person.had.update(item for item, count in state.seen.inventory.items() if count > 0)
        return [item for item in self._makers if item not in person.had]

    def _reachable(self, person: _Gatherer, state: piano.Digest) -> list[str]:
        """Return those of the wanted kinds that there is a way to; all, where there is to none."""
        held, gone, wanted = state.seen.inventory, self._gone(state), self._wanted(person, state)
        if not gone:
            return wanted
        step, makers = self._errands.step, self._makers
        return [item for item in wanted if step(makers[item], held, {}, gone)] or wanted

    def _gone(self, state: piano.Digest) -> list[str]:
        """Return the actions for which a person saw that something is used up."""
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
