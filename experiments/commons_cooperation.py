"""The modules of cooperation in a game about a commons: when each has its turn, and what counts.

Agents think (``bots/agents/cooperation/``); agreements, penalties, votes and reputations are
settled here by the institutions of ``judge/``, from the record's events alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from bots.agents.cooperation.companion import Companion
from bots.agents.cooperation.exchanges import Words
from bots.agents.cooperation.hypotheses import FREE, Count, Hypothesis
from bots.agents.cooperation.known import Known, Pledge
from bots.agents.cooperation.wording import Claim as Said
from bots.agents.cooperation.wording import Language, Moment
from bots.agents.generative import Persona
from bots.agents.generative.prompts import place_of
from bots.agents.turns import Perception
from bots.models import ChatModel
from judge.assembly import Voter, hold_vote
from judge.constitution import Constitution
from judge.deeds import Deeds
from judge.penalties import Penalties
from judge.promises import Agreements, read_commitments
from judge.reputation import deeds_in_words, exact_reputation, published_reputation
from records import events
from worlds.commons.actions import victim_of
from worlds.commons.claims import Claim as Checkable
from worlds.commons.claims import State, outcome_of
from worlds.commons.history import History
from worlds.commons.lent import Lent
from worlds.commons.sight import Watcher, distance
from worlds.commons.table import CommonsTable

MODULES = ("understanding", "communication", "constitution", "reputation")
#: Breaches that agents are told of.
BREACHES_TOLD = 5
DIGITS = 6


@dataclass(frozen=True)
class Cooperation:
    """Which modules agents carry, and how they work.

    Attributes:
        modules: some of :data:`MODULES`.
        lent: how the world's claims and deeds are told.
        law: the first constitution.
        understand_every: rounds from one search for rules to the next.
        predict_rounds: how far ahead agents predict.
        confirm: hits that make a hypothesis a rule.
        hearing: how many cells away agents hear each other.
        amend_every: rounds from one vote to the next.
        reputation_every: rounds from one publication of reputations to the next.
    """

    modules: tuple[str, ...]
    lent: Lent
    law: Constitution
    understand_every: int = 3
    predict_rounds: int = 5
    confirm: int = 5
    hearing: int = 10
    amend_every: int = 25
    reputation_every: int = 5


@dataclass
class CooperationRun:
    """Modules and institutions through one episode of a :class:`CommonsRun`.

    Attributes:
        rules: which modules there are.
        companions: the agents' modules, by name.
        agreements: what was agreed.
        penalties: what the law took.
        law: the constitution that holds.
    """

    rules: Cooperation
    personas: tuple[Persona, ...]
    table: CommonsTable
    model: ChatModel
    plan_of: Callable[[str], str]
    note: Callable[..., object]
    watchers: Mapping[str, Watcher] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.agents = tuple(persona.name for persona in self.personas)
        self.law = self.rules.law
        account = self.rules.lent.account
        self.deeds, self.agreements = Deeds(account), Agreements()
        self.penalties = Penalties(self.agents, account.offence)
        self.history = History(self.table.game.radius)
        self.reputation: dict[str, float] = {}
        self._persona = {persona.name: persona for persona in self.personas}
        self._truths: list[tuple[str, str, bool]] = []
        self._counted: dict[tuple[str, int], Count] = {}
        claims = self.rules.lent.claims.forms
        language = Language(self.table.names, claims, account.promises, self.in_form)
        self.companions = {
            name: Companion(name, self.model, language, self.note, self.rules.confirm)
            for name in self.agents
        }

    def has(self, module: str) -> bool:
        """Return whether agents carry a module."""
        return module in self.rules.modules

    def in_form(self, text: str) -> str:
        """Return a claim in the world's own words; see :class:`worlds.commons.claims.Claims`."""
        return str(self._read(text))

    def _read(self, text: str) -> Checkable:
        return self.rules.lent.claims.read(text, self.table.names)

    @property
    def round(self) -> int:
        """Which round is played, from 1."""
        return self.deeds.rounds + 1

    # --- What happens ----------------------------------------------------------------------------

    def begin(self) -> None:
        """Look at what stands there, and proclaim the law, where there is one."""
        self.history.begin(self.table.apples, self.table.dirty_part)
        if self.has("constitution"):
            self._proclaim()

    def _proclaim(self) -> None:
        numbers = dict(self.law.parameters)
        self.note(
            events.LawChanged, version=self.law.version, text=str(self.law), parameters=numbers
        )

    def take(self, event: events.Event) -> None:
        """Take in an event that was recorded; what breaks the law is fined at once."""
        self.history.take(event, self.table.steps)
        before = len(self.deeds.all)
        self.deeds.take(event)
        for deed in self.deeds.all[before:]:
            breach = self.penalties.take(deed, self.law) if self.has("constitution") else None
            if breach is not None:
                fields = {"article": breach.article, "what": breach.what, "fine": breach.fine}
                more = {"shares": breach.shares, "banned_until": breach.banned_until}
                self.note(events.ArticleBroken, breach.agent, **fields, **more)

    def perceived(self, name: str, perception: Perception) -> Perception:
        """Return what an agent may do by the law, with what it perceives."""
        self.companions[name].perceive(perception.changes)
        if not self._is_banned(name):
            return perception
        allowed = tuple(one for one in perception.actions if not victim_of(one))
        return replace(perception, actions=allowed)

    def _is_banned(self, name: str) -> bool:
        return self.has("constitution") and self.penalties.is_banned(name, self.round)

    async def before_turn(self, name: str, perception: Perception) -> None:
        """Let an agent think and talk before it acts.

        Raises:
            ModelError: the model will answer no more.
        """
        if not perception.is_playing:
            return
        companion = self.companions[name]
        if self.has("understanding"):
            is_time = self.round % self.rules.understand_every == 0
            if is_time or companion.is_surprised:
                moment = self._moment(name, perception)
                plan, ahead = self.plan_of(name), self.rules.predict_rounds
                await companion.understand(moment, plan, ahead)
        if self.has("communication"):
            await self._exchange(name, perception)

    async def after_round(self) -> None:
        """Settle what is due after a round, and let reputations and votes have their turn.

        Raises:
            ModelError: the model will answer no more.
        """
        ended = self.deeds.rounds
        self._settle_promises()
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
                self._proclaim()

    def end(self) -> Mapping[str, float]:
        """Settle what is left, and return what fines and payments brought each player."""
        self._settle_promises()
        if self.has("understanding"):
            for companion in self.companions.values():
                companion.settle_predictions(self._came)
                companion.settle(self._count)
        totals = dict.fromkeys(self.table.names, 0.0)
        paid = self.agreements.transfers(self.table.names, self.table.trees, self.deeds)
        for transfers in (self.penalties.transfers, paid):
            for name, amount in transfers.items():
                totals[name] += amount
        return totals

    # --- Understanding ---------------------------------------------------------------------------

    def _count(self, one: Hypothesis) -> Count:
        key = (one.test, one.made_at)
        if self._counted.get(("", self.history.hour)) is None:  # what was counted is old
            self._counted = {("", self.history.hour): Count()}
        if key not in self._counted:
            claim = self._read(one.test)
            outcomes = list(claim.tests(self.history, one.made_at))
            self._counted[key] = Count(len(outcomes), sum(outcomes))
        return self._counted[key]

    def _came(self, test: str, made_at: int, due: int) -> tuple[bool, bool | None]:
        claim = self._read(test)
        return outcome_of(claim, self.history, made_at, is_due=self.deeds.rounds >= due)

    # --- Communication ---------------------------------------------------------------------------

    async def _exchange(self, name: str, perception: Perception) -> None:
        """Let an agent say one thing to another, and that one answer."""
        hearing = self._hearing(name)
        if not hearing:
            return
        companion, moment = self.companions[name], self._moment(name, perception)
        words = await companion.speak(moment, hearing)
        if words.act == "nothing":
            return
        other = self.companions[words.to]
        self.note(events.MessagePassed, name, to=words.to, act=words.act, text=words.text)
        heard = self._moment(words.to, self.watchers[words.to].glance())
        reply = await other.reply(heard, name, words)
        trust = reply.trust if reply else ()
        self._claimed(name, words.to, words.claims, trust, in_answer=False)
        verb = "asked" if words.act == "ask" else f"offered [{words.terms}] to"
        companion.remember(f"you {verb} {words.to}: “{words.text}”")
        other.remember(f"{name} {verb} you: “{words.text}”")
        if reply is None:
            return
        if words.act == "offer":
            act = "accept" if reply.accepts else "refuse"
            if reply.accepts:
                self._agree(name, words)
        else:
            act = "answer"
        self.note(events.MessagePassed, words.to, to=name, act=act, text=reply.text)
        companion.remember(f"{words.to}: “{reply.text}”")
        other.remember(f"you to {name}: “{reply.text}”")
        if reply.claims:
            weighed = await companion.weigh(moment, words.to, words.text, reply)
            in_answer = words.act == "ask"
            self._claimed(words.to, name, reply.claims, weighed, in_answer=in_answer)

    def _hearing(self, name: str) -> tuple[str, ...]:
        """Return the agents that hear an agent: those in the game that are near enough."""
        standing = {self.table.names[i]: cell for cell, i in self.table.standing().items()}
        return tuple(
            other
            for other in self.agents
            if other != name
            and {name, other} <= standing.keys()
            and distance(standing[name], standing[other]) <= self.rules.hearing
        )

    def _claimed(
        self,
        source: str,
        to: str,
        claims: Sequence[Said],
        trust: Sequence[float],
        *,
        in_answer: bool,
    ) -> None:
        """Keep what one claimed to another, and check by the world what can be checked now."""
        checked = []
        for number, one in enumerate(claims):
            claim = None if one.test == FREE else self._read(one.test)
            if isinstance(claim, State):
                checked.append(one.test)
                is_true = claim.holds(self.history)
                self._truths.append((to, source, is_true))
                believed = trust[number] if number < len(trust) else None
                fields = {"to": to, "test": one.test, "is_true": is_true, "trust": believed}
                self.note(events.ClaimChecked, source, **fields, in_answer=in_answer)
        self.companions[to].hear(source, claims, trust, self.history.hour, checked)

    def _agree(self, name: str, words: Words) -> None:
        parties = (name, words.to)
        account, things = self.rules.lent.account, self.table.trees
        commitments = read_commitments(account, words.terms, parties, things, self.round)
        agreement, numbers = self.agreements.make(parties, words.terms, commitments, self.deeds)
        self.note(
            events.AgreementMade,
            number=agreement.number,
            parties=list(parties),
            terms=words.terms,
            forms=commitments.forms,
            promises=numbers,
        )

    def _settle_promises(self) -> None:
        for one in self.agreements.settle(self.deeds):
            fields = {"number": one.number, "agreement": one.agreement, "kept": one.kept}
            self.note(events.PromiseSettled, one.promise.by, form=str(one.promise), **fields)

    # --- Reputation ------------------------------------------------------------------------------

    async def _publish(self) -> None:
        """Ask all what they think of the others, and publish everybody's reputation."""
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
        return [
            Voter(
                persona.name,
                persona.character,
                persona.world,
                replace(self.known(persona.name), law="").sections(),
            )
            for persona in self.personas
        ]

    # --- What agents know ------------------------------------------------------------------------

    def known(self, name: str) -> Known:
        """Return what an agent knows by its modules."""
        found = self.companions[name].hypotheses
        law, talks = self.has("constitution"), self.has("communication")
        latest = self.penalties.breaches[-BREACHES_TOLD:]
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
            is_banned=self._is_banned(name),
        )

    def _pledges(self, name: str) -> Iterable[Pledge]:
        """The promises between an agent and another that are open, and what binds by word only."""
        for number, agreement, promise in self.agreements.live():
            if name in agreement.parties:
                parts = (promise.by, promise.other, promise.until, promise.form.kind)
                yield Pledge(str(promise), number, *parts)
        for agreement in self.agreements.made:
            if name in agreement.parties and not agreement.commitments.forms:
                yield Pledge(f"{' and '.join(agreement.parties)} agreed: “{agreement.terms}”")

    def _moment(self, name: str, perception: Perception) -> Moment:
        persona = self._persona[name]
        return Moment(
            name,
            persona.character,
            persona.world,
            place_of(perception),
            perception.observations,
            perception.changes,
            self.known(name),
            self.round,
            self.history.hour,
            perception.about,
        )
