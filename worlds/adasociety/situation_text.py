"""Describes an agent's situation and the social state of a grid game in words, for prompts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from voxpolis.bots.agents.planner.plans import (
    MOST_WORDS,
    Accept,
    AskToBargain,
    Craft,
    Dump,
    End,
    Explore,
    Gather,
    Go,
    Join,
    Propose,
    SendMessage,
    Share,
    Vocabulary,
    Wait,
)
from voxpolis.bots.models import Answer, Message
from voxpolis.bots.prompts import messages, quoted, render
from voxpolis.records.events.base import counted
from voxpolis.worlds.adasociety.belief_map import Cell
from voxpolis.worlds.adasociety.situation import (
    Bargain,
    ChooseGroup,
    FindPartner,
    JobView,
    PlanSituation,
    Play,
    Recipe,
    Sighting,
    Surroundings,
)

# Numbers of bargain turns and of messages in a prompt.
LISTED, LATEST = 20, 10
SHARING = (
    "What a member of groups earns goes to its groups in equal parts; each pays its members by "
    "their weights. Who is in no group keeps what it earns."
)


def jobs_text(s: PlanSituation) -> str:
    """Describe the capacities, products and values of each job."""
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
    """Describe all players, groups, shared observations and bargains."""
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
    return "\n".join([*lines, *_words(s), *_stage(s)])


def _words(s: PlanSituation) -> Iterator[str]:
    own = [m for m in s.society.words if s.number in (m.sender, m.receiver)]
    for message in own[-LATEST:]:
        pair = f"{_name(s, message.sender)} to {_name(s, message.receiver)}"
        yield f"- step {message.step}, message of {pair}:\n{quoted(message.text)}"


def _stage(s: PlanSituation) -> Iterator[str]:
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
    """Return up to five example situations with the right plan, for the agent's job and the current
    stage. We wrote them from the game's rules; they are not from the paper.
    """
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


# --- The prompt that asks an agent for a plan -----------------------------------------------------

# Descriptions of plans for prompts. They are needed because many model servers do not show the
# schema of the answer to the model.
MEANINGS: Mapping[type[Answer], str] = {
    Gather: "GATHER: find the nearest of a thing and pick up `count` of them",
    Craft: "CRAFT: make `count` of a thing at its stations",
    Dump: "DUMP: lay `count` of a thing down {where}, for others to pick up",
    Go: "GO: walk to a cell (row, column)",
    Explore: "EXPLORE: look at what you have not seen for long",
    Wait: "WAIT: stay where you are for a while",
    Join: "JOIN: leave your groups and join one, from 0 to {last}",
    Share: "SHARE: show a player what you see from now on, or no longer",
    SendMessage: f"MESSAGE: tell a player something in `words`, at most {MOST_WORDS} characters",
    AskToBargain: (
        "BARGAIN: ask another player to bargain; two who ask for each other in the same step begin"
    ),
    Propose: (
        "PROPOSE: offer that you and your group keep `tenths` tenths, and the other side the rest"
    ),
    Accept: "ACCEPT: accept the offer that stands",
    End: "END: end the bargain",
}
PLAYED: tuple[type[Answer], ...] = (Gather, Craft, Dump, Explore, Go, Wait)
SOCIAL: Mapping[str, type[Answer]] = {"join": Join, "share": Share, "message": SendMessage}


def plan_messages(s: PlanSituation) -> list[Message]:
    """Build the planner's prompt from the game, the possible plans and the agent's situation."""
    return messages(
        "planner/plan",
        game=game_text(s),
        plans=_plans(s),
        examples=examples(s),
        situation=situation_text(s),
        choice=_choice(s),
    )


def game_text(s: PlanSituation) -> str:
    """Describe the rules of the game for an agent with a certain job."""
    return render(
        "planner/game",
        height=str(s.size[0]),
        width=str(s.size[1]),
        sight=str(s.sight),
        rules="\n".join(_rules(s)),
        jobs=jobs_text(s),
    )


def situation_text(s: PlanSituation) -> str:
    """Describe an agent's situation at a step."""
    return render(
        "planner/situation",
        name=s.society.names[s.number],
        agents="the only player" if s.agents == 1 else f"one of {s.agents} players",
        job=s.job,
        step=str(s.step),
        length=str(s.length),
        place=_cell(s.place),
        held=counted(s.held),
        society=society_text(s),
        map="\n".join(known_map(s.around, s.society.names)),
        last=f"{_plan(s)}: {s.outcome}" if s.last else "none yet",
    )


def _rules(s: PlanSituation) -> list[str]:
    lines = []
    for name, good in s.goods.items():
        needs = f"; to see and collect it, hold {' and '.join(good.requires)}"
        needs = needs if good.requires else ""
        needs += f"; to collect it, hold {' or '.join(good.tools)}" if good.tools else ""
        lines.append(f"- {name} is worth {good.worth:g} to you{needs}")
    for recipe in s.recipes:
        inputs = " and ".join(f"{count} {what}" for what, count in recipe.inputs.items())
        needs = f", if you hold {' and '.join(recipe.requires)}" if recipe.requires else ""
        lines.append(f"- a {recipe.station} station makes 1 {recipe.output} of {inputs}{needs}")
    return lines


def known_map(around: Surroundings, names: Sequence[str]) -> list[str]:
    """Describe what an agent knows about the map, with one line per kind of thing.

    ``names`` contains the names of the players, in the order of their numbers.
    """
    lines = [f"- chest at {_cell(cell)}" for cell in around.chests]
    lines += [f"- {at.units} {name} {_at(at)}" for name, at in around.lying.items()]
    lines += [f"- {name} stations {_at(at)}" for name, at in around.stations.items()]
    others = ", ".join(
        f"{names[agent]} at {_cell(cell)}, {_away(around.away[agent])}"
        for agent, cell in around.others.items()
    )
    lines.append(f"- in sight: {others or 'nobody'}")
    many = "cells were" if around.unseen != 1 else "cell was"
    return [*lines, f"- {around.unseen} {many} never seen"]


def _at(at: Sighting) -> str:
    places = f"at {at.places} places, the nearest " if at.places != 1 else ""
    return f"{places}at {_cell(at.nearest)}, {_away(at.steps)}"


def _away(steps: int) -> str:
    return f"{steps} step{'s' * (steps != 1)} away"


def _cell(cell: Cell) -> str:
    return f"({cell[0]}, {cell[1]})"


def _plan(s: PlanSituation) -> str:
    """Return the last plan as text, with names instead of player numbers."""
    plan, names = s.last, s.society.names
    assert plan is not None
    if plan.verb in ("BARGAIN", "SHARE", "MESSAGE") and 0 <= plan.count < len(names):
        return f"{str(plan).rpartition(' ')[0]} {names[plan.count]}"
    return str(plan)


def vocabulary(s: PlanSituation) -> Vocabulary:
    """List the kinds of answer that are possible in a situation."""
    kinds: tuple[type[Answer], ...]
    groups = s.agents
    match s.choice:
        case ChooseGroup(count):
            kinds, groups = (Join,), count
        case FindPartner():
            kinds = (AskToBargain, Wait)
        case Bargain(_, offer):
            kinds = (Propose, Accept, End) if offer else (Propose, End)
        case Play(social):
            kinds = (*PLAYED, *(kind for name, kind in SOCIAL.items() if name in social))
    names = tuple(s.society.names)
    return Vocabulary(kinds, tuple(s.goods), names, names[s.number], groups)


def _plans(s: PlanSituation) -> str:
    known = vocabulary(s)
    where = "in the nearest chest" if s.has_chests else "where you stand"
    lines = (MEANINGS[kind].format(where=where, last=known.groups - 1) for kind in known.kinds)
    return "\n".join(f"- {line}." for line in lines)


def _choice(s: PlanSituation) -> str:
    match s.choice:
        case ChooseGroup():
            return "It is your turn to join a group. Which?"
        case FindPartner():
            return "You can ask another player to bargain, or wait. What do you do?"
        case Bargain(partner, offer):
            told = f"It offers to keep 0.{offer} itself." if offer else "Nothing is offered yet."
            return f"You bargain with {s.society.names[partner]}. {told} What do you do?"
    return "What do you do next?"
