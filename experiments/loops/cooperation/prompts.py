"""What the modules of cooperation ask an agent, for ``--show-prompts`` and canned questions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from voxpolis.bots.agents.cooperation.asking import Question
from voxpolis.bots.agents.cooperation.exchanges import (
    ReplyRequest,
    SpeakRequest,
    WeighRequest,
    Words,
)
from voxpolis.bots.agents.cooperation.known import Finding, Known, Pledge
from voxpolis.bots.agents.cooperation.requests import (
    CheckRequest,
    InduceRequest,
    PredictRequest,
    RateRequest,
)
from voxpolis.bots.agents.cooperation.wording import Claim, Language, Moment, Terms
from voxpolis.bots.models import Message
from voxpolis.experiments.loops.cooperation.rules import Cooperation
from voxpolis.judge.deeds.commitments import read_terms, term_types
from voxpolis.judge.deeds.lent import Lent
from voxpolis.judge.law.assembly import ProposalRequest, Voter, VoteRequest
from voxpolis.judge.law.constitution import Amendment, Constitution

#: What stands for words of others.
MESSAGE, ANSWER, TERMS = "(what it says)", "(what it answers)", "(terms)"
HYPOTHESIS, AMENDMENT = "(a hypothesis of its own)", "(an amendment)"

#: What an agent with modules knows besides, as an example.
KNOWN = Known(
    rules=(Finding("(a rule)", "(a rule)", 6, 6),),
    hunches=(
        Finding("(what another told it)", "(what another told it)", 1, 0.5, "(another)", 0.5),
    ),
    promises=(Pledge("(a promise)"),),
    reputation={"(another)": 5.0},
    trust={"(another)": 0.5},
    talk=("(what was said)",),
)


def known_example(cooperation: Cooperation | None) -> Known:
    """Return what an agent knows by its modules, as an example; nothing where it carries none."""
    if cooperation is None:
        return Known()
    has = cooperation.modules.__contains__
    return Known(
        rules=KNOWN.rules if has("understanding") else (),
        hunches=KNOWN.hunches if has("communication") else (),
        law=str(cooperation.law) if has("constitution") else "",
        promises=KNOWN.promises if has("communication") else (),
        reputation=KNOWN.reputation if has("reputation") else {},
        trust=KNOWN.trust if has("communication") else {},
        talk=KNOWN.talk if has("communication") else (),
    )


def questions_of(
    moment: Moment,
    others: Sequence[str],
    modules: Sequence[str],
    lent: Lent,
    law: Constitution,
    plan: str,
) -> Iterator[tuple[str, Question[object]]]:
    """Yield all that some modules ask an agent, with the role and which of its prompts it is.

    Args:
        moment: where the agent is.
        others: the other agents.
        modules: see :data:`experiments.loops.cooperation.rules.MODULES`.
        lent: how the world's claims and deeds are told.
        law: the constitution.
        plan: the agent's plan.
    """
    other, names = others[0], (moment.name, *others)
    account = lent.account

    def terms(said: Sequence[Any], words: str, parties: tuple[str, str]) -> Terms:
        found = read_terms(account, said, parties, (), moment.round)
        return Terms("; ".join([*found.forms, words]), words, tuple(found.forms), found)

    language = Language(
        names,
        lent.claims.forms,
        account.promises,
        partial(lent.claims.types, names),
        lent.claims.read,
        partial(term_types, account.forms, names, ()),
        terms,
    )
    claim = Claim(str(lent.example), lent.example)
    if "understanding" in modules:
        yield "induce", InduceRequest(moment, moment.changes, language)
        yield "predict", PredictRequest(moment, plan, 5, language)
        yield "check", CheckRequest(moment, moment.changes, (Finding(HYPOTHESIS),))
    if "communication" in modules:
        yield "speak", SpeakRequest(moment, tuple(others), language)
        asked = Words("ask", moment.name, MESSAGE, claims=(claim,))
        yield "reply", ReplyRequest(moment, other, asked, language)
        offered = Words("offer", moment.name, MESSAGE, terms=Terms(TERMS))
        yield "reply, to an offer", ReplyRequest(moment, other, offered, language)
        yield "weigh", WeighRequest(moment, other, MESSAGE, ANSWER, (claim,))
    if "constitution" in modules:
        voter = Voter(moment.name, moment.character, moment.world, "")
        yield "amendments", ProposalRequest(voter, law)
        raised = Amendment(1, AMENDMENT, {account.offence.number: 5.0})
        yield "ballot", VoteRequest(voter, law, (raised,))
    if "reputation" in modules:
        deeds = dict.fromkeys(others, ("took 3 apples", "attacked others 1 times"))
        yield "rate", RateRequest(moment.name, deeds, dict.fromkeys(others, (0, 0)))


def prompt_of(question: Question[object]) -> str:
    """Return the whole prompt of a question."""
    return whole(question.messages())


def whole(messages: Sequence[Message]) -> str:
    """Return the messages of a prompt as one text."""
    return "\n\n".join(one["content"] for one in messages)
