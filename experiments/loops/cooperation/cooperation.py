"""Cooperation modules during an episode: when they run, and how agreements are settled.

``bots/agents/cooperation/`` contains the part of the modules that belongs to an agent. This module
settles agreements, penalties, votes and reputations with the institutions of ``judge/``. The
settlement uses only recorded events. A game loop provides a :class:`CooperationContext`, and
decides when agents have their turns.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from voxpolis.bots.agents.cooperation.companion import Companion
from voxpolis.bots.agents.cooperation.hypotheses import Count, Hypothesis
from voxpolis.bots.agents.cooperation.knowledge import Known, Pledge
from voxpolis.bots.agents.cooperation.requests import Claim as Said
from voxpolis.bots.agents.cooperation.requests import Language, Moment, Terms, Words
from voxpolis.bots.agents.generative import Persona
from voxpolis.bots.models import ChatModel
from voxpolis.bots.prompts import quoted_line
from voxpolis.experiments.loops.cooperation.measures import cooperation_measures
from voxpolis.judge.deeds.account import CooperationRules, Deeds, Form
from voxpolis.judge.deeds.acts import Act, ActHistory, Counts
from voxpolis.judge.deeds.claims import Claim, History, State, check_there, outcome_of
from voxpolis.judge.deeds.commitments import read_terms, term_types
from voxpolis.judge.deeds.promises import Agreements, Commitments
from voxpolis.judge.deeds.reputation import deeds_in_words, exact_reputation, published_reputation
from voxpolis.judge.law.assembly import Voter, hold_vote
from voxpolis.judge.law.constitution import Constitution
from voxpolis.judge.law.penalties import Penalties
from voxpolis.records import events

# --- The modules, and the context that a game loop provides for them ------------------------------

MODULES = ("understanding", "communication", "constitution", "reputation")
# Roles of the questions that each module asks.
MODULE_ROLES: Mapping[str, Sequence[str]] = {
    "understanding": ("induce", "predict", "check"),
    "communication": ("speak", "reply", "weigh"),
    "constitution": ("amendments", "ballot"),
    "reputation": ("rate",),
}
ROLES = frozenset(role for roles in MODULE_ROLES.values() for role in roles)


@dataclass(frozen=True)
class Cooperation:
    """The modules (:data:`MODULES`) that agents carry, and their parameters.

    ``lent`` defines the claims and deeds that the modules can name. ``law`` is the constitution at
    the start. The fields that end in ``_every`` say after how many rounds agents search for rules,
    vote, and publish reputations. ``predict_rounds`` says for how many rounds agents predict.
    ``confirm`` is the number of confirmations that turn a hypothesis into a rule. ``hearing`` is
    how far agents hear each other, in cells, for worlds with positions.
    """

    modules: tuple[str, ...]
    lent: CooperationRules
    law: Constitution
    understand_every: int = 3
    predict_rounds: int = 5
    confirm: int = 5
    hearing: int = 10
    amend_every: int = 25
    reputation_every: int = 5


def modules_in(text: str) -> tuple[str, ...]:
    """Read a setting that selects modules: names separated by commas, or ``all``.

    Raises:
        ValueError: there is no such module.
    """
    if text.strip() == "all":
        return MODULES
    chosen = {name.strip() for name in text.split(",") if name.strip()}
    unknown = sorted(chosen - {*MODULES})
    if unknown:
        raise ValueError(f"there is no module {unknown[0]}; choose from {', '.join(MODULES)}")
    return tuple(name for name in MODULES if name in chosen)


@dataclass(frozen=True)
class View:
    """The observation of an agent, in sentences for its modules.

    ``place`` says where the agent is and when. ``changes`` says what has happened since its last
    turn. ``plan`` is the plan that it has stated, or an empty string. ``about`` is the data from
    which these texts were rendered.
    """

    place: str
    observations: tuple[str, ...]
    changes: tuple[str, ...]
    plan: str = ""
    about: object = None


class CooperationContext(Protocol):
    """The interface that a game loop provides for the modules of its agents."""

    history: Any  # a judge.deeds.claims.History for the loop's kind of claims

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all players, including bots."""

    @property
    def things(self) -> Mapping[int, int]:
        """A mapping from the number of each thing that promises and clauses can name to the maximum
        amount of this thing.
        """

    def most(self, form: Form, thing: int) -> int | None:
        """Return the maximum number of times that a promised act can be done in a round.

        The result is None if this maximum is not known yet. ``thing`` is the number of the thing
        that the promise is about (a key of :attr:`things`), or 0 for any thing.
        """

    @property
    def hour(self) -> int:
        """The current time of the world."""

    def hearing(self, name: str) -> tuple[str, ...]:
        """Return the other agents that can hear an agent now."""

    def view(self, name: str) -> View:
        """Return what an agent perceives now, even if it is not its turn."""


# --------------------------------------------------------------------------------------------------

# Maximum number of breaches shown to an agent.
MAX_BREACHES = 5
# Maximum number of open promises and informal agreements shown to an agent, latest first.
MAX_PLEDGES, MAX_INFORMAL = 12, 3
# Rounds for which an informal agreement is shown, including the one in which it was made.
INFORMAL_ROUNDS = 10
DIGITS = 6


class CooperationRun:
    """The cooperation modules and institutions of one episode."""

    def __init__(
        self,
        rules: Cooperation,
        participants: Sequence[Persona],
        context: CooperationContext,
        model: ChatModel,
        note: Callable[..., object],
    ) -> None:
        """Prepare the episode. ``note`` records an event, given its class, the agent and its
        fields.
        """
        self.rules, self.context, self.model, self.note = rules, context, model, note
        self.agents = tuple(being.name for being in participants)
        self.law = rules.law
        account = rules.lent.account
        self.deeds, self.agreements = Deeds(account), Agreements()
        self.penalties = Penalties(self.agents, account.offence)
        self.reputation: dict[str, float] = {}
        self._beings = {being.name: being for being in participants}
        self._truths: list[tuple[str, str, bool]] = []
        self._counted: dict[tuple[object, int], Count] = {}
        self._counted_at = -1
        language = Language(
            context.names,
            rules.lent.claims.forms,
            account.promises,
            lambda: self.rules.lent.claims.types(context.names),
            self.claim,
            lambda: term_types(account.forms, context.names, tuple(context.things)),
            self.terms,
        )
        self.companions = {
            name: Companion(name, model, language, note, rules.confirm) for name in self.agents
        }

    @property
    def history(self) -> History:
        history: History = self.context.history
        return history

    def has(self, module: str) -> bool:
        return module in self.rules.modules

    def claim(self, statement: Mapping[str, Any]) -> Claim[Any]:
        """Read the claim in an answer; see :meth:`judge.deeds.claims.Language.read`.

        Raises:
            NotThereError: the claim is about something that does not exist.
        """
        claim = self.rules.lent.claims.read(statement)
        check_there(claim, self.history)
        return claim

    @property
    def claims(self) -> Mapping[str, Claim[Any]]:
        """All claims that agents have had as hypotheses, each under its text in events."""
        supposed = (one for own in self.companions.values() for one in own.hypotheses.all)
        claims: dict[str, Any] = {str(one.test): one.test for one in supposed if one.test}
        return claims

    @property
    def round(self) -> int:
        """The number of the current round, counted from 1."""
        return self.deeds.rounds + 1

    # --- Events ----------------------------------------------------------------------------------

    def begin(self) -> None:
        """Announce the law if agents have the module for it."""
        if self.has("constitution"):
            law, numbers = self.law, dict(self.law.parameters)
            self.note(events.LawChanged, version=law.version, text=str(law), parameters=numbers)

    def take(self, event: events.Event) -> None:
        """Process a recorded event. If a deed breaks the law, impose the penalty at once."""
        self.history.take(event, self.context.hour)
        before = len(self.deeds.all)
        self.deeds.take(event)
        for deed in self.deeds.all[before:]:
            breach = self.penalties.take(deed, self.law) if self.has("constitution") else None
            if breach is not None:
                fields = {"article": breach.article, "what": breach.what, "fine": breach.fine}
                more = {"shares": breach.shares, "banned_until": breach.banned_until}
                self.note(events.ArticleBroken, breach.agent, **fields, **more)

    def is_banned(self, name: str) -> bool:
        """Return whether an agent is banned by the law at present."""
        return self.has("constitution") and self.penalties.is_banned(name, self.round)

    async def think(self, name: str, view: View) -> None:
        """Let an agent search for rules and talk before it acts."""
        companion = self.companions[name]
        is_time = self.round % self.rules.understand_every == 0
        if self.has("understanding") and (is_time or companion.is_surprised):
            ahead = self.rules.predict_rounds
            await companion.understand(self._moment(name, view), view.plan, ahead)
        if self.has("communication"):
            await self._exchange(name, view)

    async def after_round(self) -> None:
        """Settle what is due after a round. Then update reputations and hold votes."""
        ended = self.deeds.rounds
        self.settle_promises()
        for name, source, is_true in self._truths:
            self.companions[name].hypotheses.learn(source, is_true=is_true)
        self._truths = []
        if self.has("understanding"):
            for companion in self.companions.values():
                companion.settle_predictions(self._came)
                if (ended + 1) % self.rules.understand_every == 0:
                    companion.settle(self._count)
        if self.has("reputation") and ended % self.rules.reputation_every == 0:
            await self._publish()
        if self.has("constitution") and ended % self.rules.amend_every == 0:
            law = await hold_vote(self.model, self.law, self._voters(), self.note)
            if law.version != self.law.version:
                self.law = law
                self.begin()

    def end(self) -> Mapping[str, float]:
        """Settle promises, predictions and hypotheses. Return each player's fines plus payments."""
        self.settle_promises()
        if self.has("understanding"):
            for companion in self.companions.values():
                companion.settle_predictions(self._came)
                companion.settle(self._count)
        return self.transfers()

    def transfers(self) -> Mapping[str, float]:
        """Return for each player its fines so far, plus the payments that would be due if the game
        ended now.
        """
        names = self.context.names
        totals = dict.fromkeys(names, 0.0)
        paid = self.agreements.payments.transfers(names, self.context.things, self.deeds)
        for transfers in (self.penalties.transfers, paid):
            for name, amount in transfers.items():
                totals[name] += amount
        return totals

    # --- Understanding ---------------------------------------------------------------------------

    def _count(self, one: Hypothesis) -> Count:
        key = (one.test, one.made_at)
        if self._counted_at != self.history.hour:  # the count is out of date
            self._counted, self._counted_at = {}, self.history.hour
        if key not in self._counted:
            claim: Any = one.test
            outcomes = list(claim.tests(self.history, one.made_at))
            self._counted[key] = Count(len(outcomes), sum(outcomes))
        return self._counted[key]

    def _came(self, test: Any, made_at: int, due: int) -> tuple[bool, bool | None]:
        return outcome_of(test, self.history, made_at, is_due=self.deeds.rounds >= due)

    # --- Communication ---------------------------------------------------------------------------

    async def _exchange(self, name: str, view: View) -> None:
        hearing = self.context.hearing(name)
        if not hearing:
            return
        companion, moment = self.companions[name], self._moment(name, view)
        words = await companion.speak(moment, hearing)
        if words.act == "nothing":
            return
        other = self.companions[words.to]
        self.note(events.MessagePassed, name, to=words.to, act=words.act, text=words.text)
        heard = self._moment(words.to, self.context.view(words.to))
        reply = await other.reply(heard, name, words)
        trust = reply.trust if reply else ()
        self._claimed(name, words.to, words.claims, trust, in_answer=False)
        terms = quoted_line(words.terms.text)
        unchecked = "" if words.terms.binding else " (in no form that is checked)"
        verb = "asked" if words.act == "ask" else f"offered the terms {terms}{unchecked} to"
        companion.remember(f"you {verb} {words.to}: {quoted_line(words.text)}")
        other.remember(f"{name} {verb} you: {quoted_line(words.text)}")
        if reply is None:
            return
        act = "answer"
        if words.act == "offer":
            act = "accept" if reply.accepts else "refuse"
            if reply.accepts:
                self._agree(name, words)
        self.note(events.MessagePassed, words.to, to=name, act=act, text=reply.text)
        companion.remember(f"{words.to}: {quoted_line(reply.text)}")
        other.remember(f"you to {name}: {quoted_line(reply.text)}")
        if reply.claims:
            weighed = await companion.weigh(moment, words.to, words.text, reply)
            in_answer = words.act == "ask"
            self._claimed(words.to, name, reply.claims, weighed, in_answer=in_answer)

    def _claimed(
        self,
        source: str,
        to: str,
        claims: Sequence[Said],
        trust: Sequence[float],
        *,
        in_answer: bool,
    ) -> None:
        """Store claims that one agent made to another, and check those that can be checked now."""
        checked = []
        for number, one in enumerate(claims):
            is_true = one.test.holds(self.history) if isinstance(one.test, State) else None
            if is_true is not None:
                checked.append(one.test)
                self._truths.append((to, source, is_true))
                believed = trust[number] if number < len(trust) else None
                fields = {"to": to, "test": str(one.test), "is_true": is_true, "trust": believed}
                self.note(events.ClaimChecked, source, **fields, in_answer=in_answer)
        self.companions[to].hear(source, claims, trust, self.history.hour, checked)

    def _agree(self, name: str, words: Words) -> None:
        parties = (name, words.to)
        text, commitments = words.terms.text, words.terms.value
        assert isinstance(commitments, Commitments)
        own = words.terms.words
        made, numbers = self.agreements.make(parties, text, commitments, self.deeds, own)
        fields = {"number": made.number, "parties": list(parties), "terms": text}
        forms = made.commitments.forms
        self.note(events.AgreementMade, **fields, forms=forms, promises=numbers)

    def terms(
        self, terms: Sequence[Mapping[str, Any]], words: str, parties: tuple[str, str]
    ) -> Terms:
        """Return the terms of an offer, each with the existing term that it would replace.

        Raises:
            AnswerError: a term cannot be binding; see :func:`judge.deeds.commitments.read_terms`.
        """
        account, context = self.rules.lent.account, self.context
        found = read_terms(account, terms, parties, context.things, self.round, context.most)
        text = "; ".join([*found.forms, words] if words else found.forms)
        return Terms(
            text, words, tuple(self.agreements.describe(parties, found, self.deeds)), found
        )

    def settle_promises(self) -> None:
        """Record which promises have been kept or broken by now."""
        for one in self.agreements.settle(self.deeds):
            fields = {"number": one.number, "agreement": one.agreement, "kept": one.kept}
            self.note(events.PromiseSettled, one.promise.by, form=str(one.promise), **fields)

    # --- Reputation ------------------------------------------------------------------------------

    async def _publish(self) -> None:
        kept = {name: self.agreements.record_of(name) for name in self.agents}
        deeds = {
            name: deeds_in_words(name, self.agreements, self.penalties, self.deeds)
            for name in self.agents
        }
        judged: dict[str, dict[str, float]] = {name: {} for name in self.agents}
        for rater, companion in self.companions.items():
            others = {name: told for name, told in deeds.items() if name != rater}
            records = {name: kept[name] for name in others}
            for name, score in (await companion.rate(others, records)).items():
                judged[name][rater] = score
        for name in self.agents:
            exact = exact_reputation(*kept[name])
            model, value = published_reputation(exact, judged[name])
            self.reputation[name] = value
            fields = {"exact": round(10 * exact, DIGITS), "value": round(value, DIGITS)}
            mean = None if model is None else round(model, DIGITS)
            more = {"model": mean, "kept": kept[name][0], "broken": kept[name][1]}
            self.note(events.ReputationPublished, name, **fields, **more)

    def _voters(self) -> list[Voter]:
        known = {name: replace(self.known(name), law="").sections() for name in self.agents}
        participants = self._beings.values()
        return [Voter(one.name, one.character, one.world, known[one.name]) for one in participants]

    # --- Agents' knowledge -----------------------------------------------------------------------

    def known(self, name: str) -> Known:
        """Return the knowledge that an agent has from its modules, for its prompts."""
        found = self.companions[name].hypotheses
        law, talks = self.has("constitution"), self.has("communication")
        latest = self.penalties.breaches[-MAX_BREACHES:]
        breaches = (f"{one.agent} {one.what} (fine {one.fine:g})" for one in latest)
        return Known(
            rules=found.rules() if self.has("understanding") else (),
            hunches=found.hunches(),
            law=str(self.law) if law else "",
            numbers=dict(self.law.parameters) if law else {},
            breaches=tuple(breaches) if law else (),
            promises=tuple(self._pledges(name)),
            reputation=dict(self.reputation),
            trust=found.trust if talks else {},
            talk=tuple(self.companions[name].talk),
            is_banned=self.is_banned(name),
            banned=self.rules.lent.account.banned,
        )

    def _pledges(self, name: str) -> Iterable[Pledge]:
        """Yield an agent's open promises, payments and informal agreements."""
        live = [one for one in self.agreements.live() if name in one[1].parties]
        for number, _, promise in live[-MAX_PLEDGES:]:
            parts = (promise.by, promise.other, promise.until, promise.form.kind)
            yield Pledge(str(promise), number, *parts)
        for payment in self.agreements.payments.lines_of(name)[-MAX_PLEDGES:]:
            yield Pledge(f"{payment}, when the game is over")
        by_word = [
            f"{' and '.join(one.parties)} agreed, and nothing checks it: {quoted_line(one.words)}"
            for one in self.agreements.made
            if self.round < one.made_at + INFORMAL_ROUNDS and name in one.parties and one.words
        ]
        latest = dict.fromkeys(reversed(by_word))
        yield from map(Pledge, reversed([*latest][:MAX_INFORMAL]))

    def _moment(self, name: str, view: View) -> Moment:
        being = self._beings[name]
        told = (being.character, being.world, view.place, view.observations, view.changes)
        now = (self.known(name), self.round, self.history.hour, view.about)
        return Moment(name, *told, *now)


# --- Rounds of counted acts (:mod:`judge.deeds.acts`) ---------------------------------------------
#
# Before a round agents think and talk, one after another. Afterwards the modules count acts
# according to the world, settle promises, collect fines, and update reputations and votes.


@dataclass(frozen=True)
class ActsSeen:
    """The observation of an agent between rounds. ``last`` contains what each agent did in the last
    round.
    """

    agent: str
    agents: tuple[str, ...]
    last: Counts | None


class ActsContext:
    """The facts that modules need about a game of rounds in which acts are counted.

    All agents know the counts. An agent hears all other agents, or only those nearby.
    """

    def __init__(
        self,
        names: Sequence[str],
        acts: Sequence[Act],
        now: str,
        near: Callable[[str], Collection[str]] | None = None,
    ) -> None:
        """Start before the first round.

        Args:
            names: names of the agents.
            acts: the acts that are counted.
            now: announces the next round to an agent; ``{round}`` stands for its number, from 1.
            near: returns the agents that can hear an agent; None if all agents can.
        """
        self.history = ActHistory()
        self.names = tuple(names)
        self.things: dict[int, int] = {}
        self._acts, self._now, self._near = tuple(acts), now, near

    def most(self, form: Form, _thing: int) -> int | None:
        act = next((one for one in self._acts if one.name == form.kind), None)
        return act.most_so_far(self.history.rounds) if act else None

    @property
    def hour(self) -> int:
        return self.history.hour

    def hearing(self, name: str) -> tuple[str, ...]:
        near = self.names if self._near is None else self._near(name)
        return tuple(other for other in self.names if other != name and other in near)

    def view(self, name: str) -> View:
        """Return what an agent perceives now: the totals of all rounds, and the last round."""
        rounds = self.history.rounds
        place = self._now.format(round=len(rounds) + 1)
        last = rounds[-1] if rounds else None
        so_far = [self._in_words(f"In all {len(rounds)} rounds", rounds)] if rounds else []
        changes = [self._in_words(f"In round {len(rounds)}", [last])] if last is not None else []
        seen = ActsSeen(name, self.names, last)
        return View(place, tuple(so_far), tuple(changes), about=seen)

    def _in_words(self, when: str, rounds: Sequence[Counts]) -> str:
        parts = []
        for name in self.names:
            done = []
            for one in self._acts:
                count = sum(own.get(name, {}).get(one.name, 0) for own in rounds)
                done.append(f"{one.verb} {count} {one.thing}")
            parts.append(f"{name} {' and '.join(done)}")
        return f"{when}: {'; '.join(parts)}."


class ActsCooperation(CooperationRun):
    """Cooperation modules and institutions for games in whose rounds acts are counted."""

    def __init__(
        self,
        rules: Cooperation,
        participants: Sequence[Persona],
        context: ActsContext,
        model: ChatModel,
        note: Callable[..., object],
    ) -> None:
        """Prepare the first round. ``note`` records an event, given its class, the agent and its
        fields.
        """
        self.events: list[events.Event] = []
        self._record = note
        super().__init__(rules, participants, context, model, self._note)

    def _note(self, kind: type[events.Event], agent: str | None = None, **fields: Any) -> None:
        self._record(kind, agent, **fields)
        event = kind(t=0.0, episode=0, agent=agent, **fields)
        self.events.append(event)
        self.take(event)

    async def before(self) -> None:
        """Let all agents think and talk before a round, one after another."""
        if not self.events:
            self.begin()
        for name in self.agents:
            view = self.context.view(name)
            self.companions[name].perceive(view.changes)
            await self.think(name, view)

    def take_acts(self, counted: Counts) -> None:
        """Take the counts of what agents did in a finished round, and settle promises
        accordingly.
        """
        acts = {name: dict(own) for name, own in counted.items()}
        self.note(events.ActsCounted, round=self.round, acts=acts)
        self.settle_promises()

    def measures(self) -> Mapping[str, Any]:
        """Return the measures of cooperation so far, as if it were unknown which rules are true."""
        found = cooperation_measures(self.events, self.agents, lambda _test: None, ())
        return {name: value for name, value in found.items() if name not in ("welfare", "gini")}
