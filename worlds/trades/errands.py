"""Planning how to get the inputs of an action, one step at a time."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from voxpolis.bots.agents.piano.task import Action
from voxpolis.worlds.trades.rules import Trades, action_of

# Maximum search depth: an iron tool takes five steps.
DEEPEST = 8
# Number of items fetched from the market in one trip.
MOST_FETCHED = 8


class ErrandPlanner:
    """Finds the next step towards an action. Products that only people with certain trades make are
    always fetched from the market.
    """

    def __init__(self, village: Trades, trade: Collection[str] = ()) -> None:
        """Prepare plans for a person. ``trade`` lists the actions that belong to trades. A plan for
        an input never contains such an action, but may contain any other action.
        """
        self._rules = village.rules
        self._makers = {
            item: [action for action in actions if action not in trade]
            for item, actions in village.makers.items()
        }

    def makes(self, action: str) -> Collection[str]:
        return self._rules[action].makes

    def takes(self, action: str) -> Collection[str]:
        return [*self._rules[action].needs, *self._rules[action].tools]

    def is_ready(self, action: str, held: Mapping[str, int]) -> bool:
        """Return whether the person holds a tool and all inputs, and the action takes nothing from
        a site.
        """
        rule = self._rules[action]
        has_tool = not rule.tools or any(held.get(tool, 0) for tool in rule.tools)
        has_all = all(held.get(item, 0) >= count for item, count in rule.needs.items())
        return has_tool and has_all and not rule.uses

    def step(
        self,
        action: str,
        held: Mapping[str, int],
        offered: Mapping[str, int],
        failed: Collection[str],
    ) -> Action | None:
        """Return the next step towards an action, or None if no step leads there."""
        return self._step(action, held, offered, failed, DEEPEST)

    def _step(
        self,
        action: str,
        held: Mapping[str, int],
        offered: Mapping[str, int],
        failed: Collection[str],
        deepest: int,
    ) -> Action | None:
        if action in failed or not deepest:
            return None
        rule = self._rules[action]
        if rule.tools and not any(held.get(tool, 0) for tool in rule.tools):
            steps = (self._get(t, 1, held, offered, failed, deepest) for t in rule.tools)
            return next((step for step in steps if step), None)
        for item, count in rule.needs.items():
            if held.get(item, 0) < count:
                return self._get(item, count - held.get(item, 0), held, offered, failed, deepest)
        return action_of(action)

    def _get(
        self,
        item: str,
        count: int,
        held: Mapping[str, int],
        offered: Mapping[str, int],
        failed: Collection[str],
        deepest: int,
    ) -> Action | None:
        if offered.get(item, 0) >= count and f"TAKE {item}" not in failed:
            return Action("TAKE", min(max(count, 1), MOST_FETCHED), item)
        steps = (
            self._step(maker, held, offered, failed, deepest - 1)
            for maker in self._makers.get(item, ())
        )
        return next((step for step in steps if step), None)
