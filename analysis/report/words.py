"""What each kind of event is called on the page: its lane of the timeline, and its line of text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Raw = Mapping[str, Any]

#: Lanes of the timeline, and what is in each.
LANES: Mapping[str, tuple[str, ...]] = {
    "talk": ("chat", "spoke", "signal", "negotiation_message", "hidden_thought", "feedback"),
    "world": (
        *("world_built", "block_dug", "block_placed", "block_used", "item_collected"),
        *("container_moved", "ledger", "died", "item_obtained", "milestone", "produced"),
        *("event_executed", "groups_changed"),
    ),
    "code": (
        *("perceived", "code_started", "code_finished", "code_failed", "command_refused"),
        *("critique", "task_started", "task_ended", "skill_learned", "plan_ended"),
    ),
    "mind": (
        *("goal", "decided", "sentiment", "belief_corrected", "reflex", "mind_failed"),
        "converted",
    ),
    "rules": (
        *("contract_agreed", "judgement", "transfer", "reward", "season_opened", "tax_paid"),
        *("amendment", "vote", "tally", "law_changed"),
    ),
    "run": (
        *("run_started", "run_resumed", "run_ended", "episode_started", "episode_ended"),
        *("condition_started", "fault", "log"),
    ),
}
LANE_OF = {kind: lane for lane, kinds in LANES.items() for kind in kinds}
#: A kind that this version does not know.
OTHER_LANE = "run"


def line(event: Raw) -> str:
    """One line of text for an event; one that lacks fields, or is unknown, shows what it has."""
    tell = _TELL.get(str(event["kind"]))
    try:
        return tell(event) if tell else _fields(event)
    except (KeyError, TypeError, ValueError, AttributeError):
        return _fields(event)


def _fields(event: Raw) -> str:
    known = ("t", "episode", "agent", "kind")
    return ", ".join(f"{name}: {value}" for name, value in event.items() if name not in known)


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {item}" for item, count in counts.items()) or "nothing"


def _moved(event: Raw) -> str:
    count = int(event["count"])
    return f"{'took' if count > 0 else 'put'} {abs(count)} {event['item']}"


def _spoke(event: Raw) -> str:
    return f"“{event['text']}” ({len(event['hearers'])} hear)"


def _negotiated(event: Raw) -> str:
    said = [f"“{event['text']}”"] if event["text"] else []
    said += ["proposes a contract"] if event["proposal"] else []
    return ", ".join([*said, "accepts"] if event["accepts"] else said)


def _failed(event: Raw) -> str:
    line = f" in line {event['line']}" if event.get("line") else ""
    return f"program failed{line}: {event['message']}"


def _judged(event: Raw) -> str:
    paid = ", ".join(f"{agent} {amount:+g}" for agent, amount in event["transfers"].items())
    return f"settled ({event['method']}): {paid or 'no transfers'}"


def _paid(event: Raw) -> str:
    held, share = _counts(event["held"]), event["share"]
    return f"season {event['season']}: paid {_counts(event['paid'])} of {held} ({share:.1%})"


def _law(event: Raw) -> str:
    numbers = ", ".join(f"{name} = {value:g}" for name, value in event["parameters"].items())
    return f"version {event['version']} of the law is in force: {numbers}"


_TELL: Mapping[str, Callable[[Raw], str]] = {
    "run_started": lambda e: f"the run began; mind: {e['mind']}",
    "run_resumed": lambda _: "the run was cut off and goes on",
    "run_ended": lambda e: f"the run ended: {e['reason']}",
    "episode_started": lambda e: f"episode began, seed {e['seed']}, attempt {e['attempt']}",
    "episode_ended": lambda e: f"episode ended after {e['seconds']:g} s: {e['reason']}",
    "condition_started": lambda e: f"condition {e['condition']}, {len(e['agents'])} agents",
    "world_built": lambda e: f"the world was built: {', '.join(e['blocks']) or 'open land'}",
    "chat": lambda e: f"“{e['text']}”",
    "spoke": _spoke,
    "signal": lambda e: f"signals {e['name']} to {e['to']}",
    "block_dug": lambda e: f"digs {e['block']}",
    "block_placed": lambda e: f"places {e['block']}",
    "block_used": lambda e: f"uses {e['block']}",
    "item_collected": lambda e: f"picks up {e['count']} {e['item']}",
    "container_moved": _moved,
    "ledger": lambda e: f"server's ledger: {e['action']} {e['count']} {e['item']}",
    "perceived": lambda e: f"perceives: {e['text'].splitlines()[0]}",
    "died": lambda _: "dies",
    "code_started": lambda e: f"starts a program of {len(e['code'].splitlines())} lines",
    "code_finished": lambda e: f"program {e['status']} after {e['seconds']:g} s",
    "code_failed": _failed,
    "command_refused": lambda e: f"tried to give a command: {e['text']}",
    "log": lambda e: e["text"],
    "negotiation_message": _negotiated,
    "hidden_thought": lambda e: f"thinks: {e['text']}",
    "contract_agreed": lambda e: f"contract {e['name']} is in force",
    "judgement": _judged,
    "transfer": lambda e: f"{'gets' if e['amount'] >= 0 else 'pays'} {abs(e['amount']):g}",
    "reward": lambda e: f"reward {e['reward']:g} = {e['value']:g} {e['transfer']:+g}",
    "critique": lambda e: f"critic: {'done' if e['success'] else 'not done'}. {e['text']}",
    "task_started": lambda e: f"tries: {e['task']}",
    "task_ended": lambda e: f"{'did' if e['success'] else 'gave up'}: {e['task']}",
    "skill_learned": lambda e: f"learned {e['name']}: {e['description']}",
    "item_obtained": lambda e: f"first {e['item']}, {e['distinct']} kinds",
    "milestone": lambda e: f"milestone: {e['name']}",
    "plan_ended": lambda e: f"{e['plan']}: {e['outcome']}",
    "event_executed": lambda e: f"somebody made {e['output']} ({e['event']})",
    "groups_changed": lambda e: f"groups: {', '.join(e['groups']) or 'none'}",
    "produced": lambda e: f"gets {e['resource']} of {e['source']}",
    "goal": lambda e: f"goal: {e['text']}",
    "decided": lambda e: f"decides: {e['action']}" + (f", about {e['about']}" * bool(e["about"])),
    "sentiment": lambda e: f"likes {e['about']}: {e['value']} of 10",
    "belief_corrected": lambda e: f"believed otherwise: {e['text']}",
    "reflex": lambda e: f"reflex: {e['cause']}",
    "mind_failed": lambda e: f"no answer for {e['role']}: {e['message']}",
    "season_opened": lambda e: f"season {e['season']} opens, tax {e['tax_rate']:.1%}",
    "tax_paid": _paid,
    "feedback": lambda e: f"of the law: “{e['text']}”",
    "amendment": lambda e: f"amendment {e['number']}: {e['text']}",
    "vote": lambda e: f"votes {', '.join(e['choices'])}",
    "tally": lambda e: (
        f"amendment {e['number']}: {e['yes']} yes, {e['no']} no, {e['abstain']} abstain: "
        f"{'passed' if e['passed'] else 'failed'}"
    ),
    "law_changed": _law,
    "converted": lambda e: f"conversion level {e['level']}",
    "fault": lambda e: f"fault of the {e['where']}: {e['message']}",
}
