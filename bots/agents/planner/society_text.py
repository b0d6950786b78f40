"""The social state of a grid game in words, and worked situations for a job."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from voxpolis.bots.agents.planner.plans import Craft, Dump, Explore, Gather
from voxpolis.bots.agents.planner.situation import (
    Bargain,
    ChooseGroup,
    FindPartner,
    PlanSituation,
    Recipe,
)
from voxpolis.bots.agents.planner.society import JobView
from voxpolis.bots.models import Answer

#: Turns of bargains that a prompt lists.
LISTED = 20
SHARING = (
    "What a member of groups earns goes to its groups in equal parts; each pays its members by "
    "their weights. Who is in no group keeps what it earns."
)


def jobs_text(s: PlanSituation) -> str:
    """Return what players of each job can hold and make, and what things are worth to them."""
    society = s.society
    return "\n".join(f"- {job}: {_job(view, s)}" for job, view in society.jobs.items())


def _job(view: JobView, s: PlanSituation) -> str:
    none = [name for name, most in view.room.items() if not most]
    some = [f"at most {most} {name}" for name, most in view.room.items() if most]
    holds = [*([f"cannot hold {' or '.join(none)}"] if none else []), *_joined("can hold ", some)]
    any_number = [name for name in s.goods if name not in view.room]
    holds += _joined("can hold any number of ", any_number)
    cannot = [r.output for r in s.recipes if r.output not in view.makes]
    makes = _joined("can make ", list(view.makes)) + _joined("cannot make ", cannot)
    worth = ", ".join(f"{name} {value:g}" for name, value in view.worth.items())
    return f"{'; '.join([*holds, *makes])}. Worth to such a player: {worth}."


def _joined(before: str, parts: list[str]) -> list[str]:
    return [before + ", ".join(parts)] if parts else []


def society_text(s: PlanSituation) -> str:
    """Return all players, groups, shares and bargains."""
    society = s.society
    lines = [f"- {_name(s, i)}: {job}" for i, job in enumerate(society.job_of)]
    lines.append(SHARING)
    for group, members in society.groups.items():
        total = sum(members.values()) or 1.0
        told = (f"{_name(s, i)} {w:.3g} (share {w / total:.0%})" for i, w in members.items())
        lines.append(f"- group {group}, with weights: {', '.join(told)}")
    for union, parts in society.unions.items():
        told = (f"group {group} {weight:.3g}" for group, weight in parts.items())
        lines.append(f"- union {union} of groups, which pays them by weight: {', '.join(told)}")
    grouped = {i for members in society.groups.values() for i in members}
    alone = [_name(s, i) for i in range(len(society.names)) if i not in grouped]
    lines += _joined("- in no group: ", alone)
    for i, others in society.shows.items():
        lines.append(f"- {_name(s, i)} shows what it sees to: {_names(s, others)}")
    for sender, to in society.messages:
        lines.append(f"- in the last step {_name(s, sender)} sent a message to {_name(s, to)}")
    return "\n".join([*lines, *_stage(s)])


def _stage(s: PlanSituation) -> Iterator[str]:
    """Yield what there is to know of the stage before play."""
    society = s.society
    if society.order:
        yield (
            f"Before play everybody chooses a group, {society.rounds} times; the last choice "
            f"stands. Round {society.round} of {society.rounds}. The order of turns in each round: "
            f"{_names(s, society.order)}. It is the turn of {_name(s, society.turn)}. There are "
            f"{len(society.names)} groups, and members of a group share equally."
        )
    elif society.left:
        yield (
            f"Before play, for {society.left} more steps, two players at a time can bargain over "
            "how to share. An accepted split joins both, with the groups that they are in; the "
            "shares of both sides' groups are scaled by it. Members of one group cannot bargain "
            "with each other, and what is open at the end lapses."
        )
        for one, other in society.bargains:
            pair = f"{_name(s, one)} with {_name(s, other)}"
            yield f"- bargaining now: {pair}; {_name(s, one)} is next"
        for one, other in society.requests.items():
            yield f"- in the last step {_name(s, one)} asked {_name(s, other)} to bargain"
        for turn in society.said[-LISTED:]:
            pair = f"{_name(s, turn.player)} to {_name(s, turn.partner)}"
            yield f"- step {turn.step}, {pair}: {turn.deed}"


def _name(s: PlanSituation, player: int) -> str:
    name = s.society.names[player]
    return f"{name} (you)" if player == s.number else name


def _names(s: PlanSituation, players: Iterable[int]) -> str:
    return ", ".join(_name(s, player) for player in players)


# --- Worked situations ---------------------------------------------------------------------------


def examples(s: PlanSituation) -> str:
    """Return five worked situations for the job at the stage; ours, made of the game's rules."""
    match s.choice:
        case ChooseGroup() | FindPartner() | Bargain():
            return ""
    lines = "\n".join(f"- {told} Then: {plan.text()}" for told, plan in _worked(s))
    return f"\n# Worked situations of your job\n{lines}\n" if lines else ""


def _worked(s: PlanSituation) -> Iterator[tuple[str, Answer]]:
    own = s.society.jobs[s.job]
    mine = [recipe for recipe in s.recipes if recipe.output in own.makes]
    for recipe in mine[:1]:
        yield from _making(s, recipe, own)
    for what in _made_by_others(s, own)[:1]:
        worth = f"it is worth {own.worth[what]:g} to you, and you have room for it"
        yield f"1 {what} lies 3 steps away; {worth}.", Gather(count=1, thing=what)
    for name, good in s.goods.items():
        if not good.requires and own.room.get(name, 1) and name not in _outputs(s):
            yield f"You hold nothing, and 4 {name} lie 2 steps away.", Gather(count=4, thing=name)
            break
    yield "Nothing that you could use or pick up is known to you.", Explore()


def _making(s: PlanSituation, recipe: Recipe, own: JobView) -> Iterator[tuple[str, Answer]]:
    """Yield what somebody does that can make something."""
    what, inputs = recipe.output, recipe.inputs
    enough = " and ".join(f"{units} {name}" for name, units in inputs.items())
    most = own.room.get(what)
    yield f"You hold {enough}, and no {what} yet.", Craft(count=1, thing=what)
    if most is not None:
        other = next((j for j, view in s.society.jobs.items() if what not in view.room), "")
        told = f"You hold {most} {what}, which is all that you can, and {enough}"
        if other:
            told += f"; a {other} in your group has room for any number."
            yield told, Dump(count=most, thing=what)
    if len(inputs) > 1:
        first, second = list(inputs)[:2]
        tools = "".join(f", 1 {tool}" for tool in s.goods[second].requires)
        yield (
            f"You hold 3 {first}{tools} and no {second}; {second} lies 2 steps away.",
            Gather(count=3, thing=second),
        )


def _made_by_others(s: PlanSituation, own: JobView) -> list[str]:
    return [
        name
        for name in _outputs(s)
        if own.room.get(name, 1) and name not in own.makes and own.worth[name]
    ]


def _outputs(s: PlanSituation) -> Mapping[str, None]:
    return dict.fromkeys(recipe.output for recipe in s.recipes)
