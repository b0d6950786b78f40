"""Public goods with punishment: players contribute to a shared pot, and then can fine each other.

Source: Fehr and Gächter, "Cooperation and Punishment in Public Goods Experiments" (American
Economic Review, 2000). In each round, each player gets 20 tokens and contributes some of them to a
pot. The pot is multiplied by 1.6 and shared equally. With punishment, players then see all
contributions, and can pay tokens to take three times as many tokens away from another player.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from pydantic import Field

from voxpolis.bots.models import ChatRequest
from voxpolis.bots.models.scripted import Script
from voxpolis.bots.models.typed import Answer, each, integer, narrowed, one_of
from voxpolis.experiments.loops.choices import Choice, ChoiceScenario, ask_all, with_chests
from voxpolis.experiments.run.agents import names
from voxpolis.experiments.run.options import UsageError, agents_option, only_under
from voxpolis.experiments.run.scenario import Case, Entry, Run
from voxpolis.worlds.chests import MOST_IN_CHEST, Moves

# Chest of the common pot. Each player also has a chest: others put their payments to punish the
# player into it.
POT = "the pot"

RULES = """\
You play a game of {rounds} rounds with {others}. In each round each of you gets {tokens} tokens and
gives some of them to a common pot. The pot is multiplied by {factor:g} and shared equally among all
{count} of you, whoever gave.{punishment} Your reward is all that you have kept and received in the
end. You want it to be as large as possible."""
PUNISHMENT = """
After each round you see what everyone gave, and can pay tokens to punish others: each token that
you pay takes {power:g} tokens from the one you name."""


class Give(Answer):
    """How much you give to the pot."""

    tokens: int = Field(description="Tokens that you give to the pot.")


class Fine(Answer):
    """Your payment to punish another player."""

    player: str = Field(description="Whom you punish.")
    tokens: int = Field(description="Tokens that you pay for it.")


class Fines(Answer):
    """Whom you punish in this round; often nobody."""

    fines: list[Fine]


@dataclass(frozen=True)
class Giving:
    """The knowledge of a contributor: the past rounds."""

    player: str
    rounds: Sequence[Entry]


@dataclass(frozen=True)
class Fining:
    """The knowledge of a player who punishes: all contributions of this round."""

    player: str
    given: Mapping[str, int]


class PublicGoods(ChoiceScenario):
    """The scenario and its settings."""

    name: ClassVar[str] = "public_goods"
    worlds: ClassVar[Mapping[str, Sequence[str]]] = {
        **ChoiceScenario.worlds,
        "minecraft": ChoiceScenario.worlds["grid"],
    }
    measures: ClassVar[Sequence[str]] = (*ChoiceScenario.measures, "mean.contribution")
    conditions: ClassVar[Mapping[str, str]] = {
        "punishment": "players can pay to punish others after each round",
        "plain": "players cannot punish others",
    }

    agents: int = agents_option(4, 30, "Number of players.", least=2)
    tokens: int = Field(
        default=20, ge=1, le=1000, description="Number of tokens that each player gets in a round."
    )
    factor: float = Field(
        default=1.6, gt=0, le=100, description="Factor by which the pot is multiplied."
    )
    power: float = Field(
        default=3,
        gt=0,
        le=100,
        description="Number of tokens that a player loses for each token spent on its punishment.",
        json_schema_extra=only_under("punishment"),
    )
    most_fined: int = Field(
        default=5,
        ge=1,
        le=100,
        description="Maximum number of tokens that a player can spend to punish another player "
        "in a round.",
        json_schema_extra=only_under("punishment"),
    )

    @property
    def agent_names(self) -> Sequence[str]:
        return names(self.agents)

    @property
    def optimum(self) -> float:
        """All give everything, or nothing if the pot loses tokens, without any punishment."""
        return self.agents * self.tokens * self.rounds * max(1.0, self.factor)

    def prepared(self) -> None:
        """Check that all tokens fit into a chest."""
        super().prepared()
        most = max(self.tokens, self.most_fined) * self.agents
        if self.world == "minecraft" and most > MOST_IN_CHEST:
            raise UsageError(f"a chest holds {MOST_IN_CHEST} tokens: choose fewer tokens or agents")

    async def play(self, run: Run) -> None:
        """Play the rounds. In one condition, contributions are followed by punishment."""
        chests = await with_chests(run, [POT, *self.agent_names], self.tokens * self.agents)
        self.begin(run)
        rows: list[Entry] = []
        for number in range(1, self.rounds + 1):
            await chests.deal(dict.fromkeys(self.agent_names, self.tokens))
            answers = await ask_all(run, self.agent_names, partial(self.giving, rows=rows))
            put = await chests.put({name: {POT: answer.tokens} for name, answer in answers.items()})
            given = {name: own[POT] for name, own in put.items()}
            share = self.factor * sum(given.values()) / self.agents
            payoffs = {n: self.tokens - given.get(n, 0) + share for n in self.agent_names}
            fined = 0
            if run.condition == "punishment":
                fining = partial(self.fining, rows=rows, given=given)
                fines = in_chests(await ask_all(run, self.agent_names, fining))
                paid = {name: sum(fines.get(name, {}).values()) for name in self.agent_names}
                await chests.deal(paid)
                for player, own in (await chests.put(fines)).items():
                    for other, tokens in own.items():
                        payoffs[player] -= tokens
                        payoffs[other] -= self.power * tokens
                fined = sum(paid.values())
            rows.append(self.end_round(run, number, payoffs, given=given, fined=fined))
        shares = [sum(row["given"].values()) / (self.tokens * self.agents) for row in rows]
        self.end(run, rows, chests.seconds(), contribution=sum(shares) / len(shares))

    # --- Questions to players --------------------------------------------------------------------

    def rules(self, player: str) -> str:
        """Describe the rules of the game for a player."""
        return RULES.format(
            rounds=self.rounds,
            others=", ".join(name for name in self.agent_names if name != player),
            tokens=self.tokens,
            factor=self.factor,
            count=self.agents,
            punishment=PUNISHMENT.format(power=self.power) * (self.condition == "punishment"),
        )

    def giving(self, player: str, rows: Sequence[Entry]) -> Choice[Give]:
        """Return the question about a player's contribution."""
        text = f"{_history(rows)}\nRound {len(rows) + 1}: how many tokens do you give?"
        narrow = lambda: narrowed(Give, tokens=integer(0, self.tokens))  # noqa: E731
        return Choice(self.rules(player), text, Give, Giving(player, list(rows)), narrow)

    def fining(self, player: str, rows: Sequence[Entry], given: Mapping[str, int]) -> Choice[Fines]:
        """Return the question about whom a player punishes."""
        others = [name for name in self.agent_names if name != player]
        text = f"{_history(rows)}\nIn round {len(rows) + 1} they gave: {_in_words(given)}.\n"
        one = narrowed(Fine, player=one_of(others), tokens=integer(1, self.most_fined))
        narrow = lambda: narrowed(Fines, fines=each(one, len(others)))  # noqa: E731
        about = Fining(player, dict(given))
        return Choice(self.rules(player), text + "Whom do you punish?", Fines, about, narrow)

    def script(self, case: Case) -> Script:
        """Return scripted players who cooperate if others do, and who punish a player that gives
        less than half of what they give.
        """

        def answer(request: ChatRequest) -> Answer:
            about = request.about
            if isinstance(about, Fining):
                own = about.given.get(about.player, 0)
                low = [name for name, tokens in about.given.items() if 2 * tokens < own]
                return Fines(fines=[Fine(player=name, tokens=1) for name in low])
            assert isinstance(about, Giving)
            is_free_rider = about.player == self.agent_names[-1]
            if not about.rounds:
                return Give(tokens=0 if is_free_rider else self.tokens // 2)
            last = about.rounds[-1]
            mean = sum(last["given"].values()) / max(1, len(last["given"]))
            return Give(tokens=0 if is_free_rider and not last["fined"] else round(mean))

        return answer


def in_chests(answers: Mapping[str, Fines]) -> Moves:
    """Return the tokens that each player pays to punish others: player → punished → tokens."""
    paid = {player: dict[str, int]() for player in answers}
    for player, answer in answers.items():
        for fine in answer.fines:
            paid[player][fine.player] = paid[player].get(fine.player, 0) + fine.tokens
    return paid


def _history(rows: Sequence[Entry]) -> str:
    told = (f"Round {row['round']}: {_in_words(row['given'])} gave." for row in rows[-5:])
    return "\n".join(told) or "This is the first round."


def _in_words(given: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {tokens}" for name, tokens in given.items())
