"""What each role of a contract scenario would see, without running anything."""

from __future__ import annotations

from bots.action import JAVASCRIPT, ActionAgent, Briefing, Language
from bots.critic import critic_prompt
from bots.models import ScriptedModel
from bridge.bridge import MINECRAFT_VERSION
from judge import Contract
from judge.negotiation import negotiator_prompt
from judge.settlement import judge_prompt
from scenarios.scenario import Scenario

#: What stands for what is known only when the game is played.
SEEN = "(what the agent perceives when it is asked)"
HAPPENED = "(what the server recorded of the episode)"
PROGRAM = "// (the program that ran)"
AGREED = "(the contract that the players negotiate)"


def prompts(
    scenario: Scenario, contract: Contract, rounds: int | None, language: Language = JAVASCRIPT
) -> str:
    """All prompts of a scenario under a contract; with ``rounds`` the players negotiate one."""
    shown: list[str] = []
    terms = scenario.terms()
    in_force = Contract(contract.name, AGREED) if rounds is not None else contract
    for agent in scenario.agents:
        situation = scenario.briefing(agent)
        if rounds is not None:
            asked = negotiator_prompt(agent, situation, terms, [], rounds)
            shown.append(_titled("negotiator", agent, asked))
        briefing = Briefing(agent, situation, in_force.text, MINECRAFT_VERSION)
        action = ActionAgent(briefing, ScriptedModel(lambda *_: ""), language)
        messages = action.messages(SEEN, "")
        shown.append(_titled("action", agent, "\n\n".join(m["content"] for m in messages)))
        shown.append(_titled("critic", agent, critic_prompt(briefing, PROGRAM, HAPPENED)))
    if in_force.text:
        shown.append(_titled("judge", None, judge_prompt(scenario.agents, in_force, HAPPENED)))
    return "\n\n".join(shown)


def _titled(role: str, agent: str | None, text: str) -> str:
    who = f"{role}, {agent}" if agent else role
    return f"{f' {who} ':=^80}\n{text}"
