"""What people of the taxed village can decide to do beside going, visiting and resting."""

from __future__ import annotations

from voxpolis.bots.agents.piano import NOTHING, PERCENT, Outcome, Task, Verb, announcement
from voxpolis.scenarios.taxation.knowledge import TAX, Payment, TaxAccount, season_of
from voxpolis.scenarios.taxation.population import JOBS, WORKPLACE
from voxpolis.worlds.society import CHEST, SocietyWorld

PAY_TEXT = (
    "you walk to the community chest and put that part of all you hold into it. The chest takes "
    "it while a tax season is open, which is for {window_s:g} s after the bell, and once in each. "
    "What is not paid by then is not collected later, and nothing is taken from you for it."
)
WORK_TEXT = (
    "you go to your workplace and do your job there. Each {work_s:g} s of work bring 1 piece: "
    "{makes}; other jobs make nothing. While a tax season is open, work brings nothing."
)


class Chest:
    """The community chest: it takes one payment a season from each, while the season is open."""

    def __init__(self, world: SocietyWorld) -> None:
        """Open the books of a world's chest."""
        self._world = world
        self.accounts: dict[str, TaxAccount] = {}

    def refusal(self, task: Task) -> str:
        """Return why a payment is not taken now; empty where it is."""
        season, now = season_of(task.standing), task.now()
        if season is None:
            return "no tax season has opened for you"
        if not season.is_open(now):
            return "no tax season is open, the chest takes nothing"
        if season.number in self.account(task.agent).seasons:
            return f"you have paid in season {season.number} already"
        return ""

    def account(self, name: str) -> TaxAccount:
        """Return what somebody has paid."""
        return self.accounts.get(name, TaxAccount())

    async def pay(self, task: Task) -> None:
        """Carry a share of what is held to the chest, or say why not."""
        reason, season, action = self.refusal(task), season_of(task.standing), task.action
        if reason or season is None:
            task.refuse(reason)
            return
        if not task.go_to(CHEST):
            return
        held = sum(task.body.inventory().values())
        paid = await self._world.deposit(task.agent, action.share)
        count = sum(paid.values())
        is_paid = bool(count or round(held * action.share) == 0)
        if task.action is action:  # the mind may have changed meanwhile
            if is_paid:
                task.finish(reconsider=True)
            else:
                task.fail("nothing got into the chest")
        if is_paid:
            share = count / held if held else action.share
            self._enter(task, Payment(season.number, share, task.now()))
        items = ", ".join(f"{count} {item}" for item, count in paid.items()) or "nothing"
        task.happened(f"I put {items} into the community chest in season {season.number}")

    def _enter(self, task: Task, payment: Payment) -> None:
        account = TaxAccount((*self.account(task.agent).payments, payment))
        self.accounts[task.agent] = account
        told = f"I paid {payment.share * 100:.1f} % in season {payment.season}"
        task.outcomes.append(Outcome(TAX, account, told))


def verbs(world: SocietyWorld, work_s: float, window_s: float) -> tuple[Verb, ...]:
    """Return the verbs PAY and WORK, as they are done in a world.

    Args:
        world: where people live.
        work_s: how long a piece of work takes.
        window_s: how long a tax season is open.
    """
    makes = ", ".join(f"a {job} makes {one.makes}" for job, one in JOBS.items())

    async def work(task: Task) -> None:
        if not task.go_to(WORKPLACE):
            return
        before = sum(task.body.inventory().values())
        if await world.work(task.agent):
            task.expect_items(before)

    return (
        Verb(
            "PAY",
            PERCENT,
            Chest(world).pay,
            announcement("(?:pay|paying|deposit)"),
            PAY_TEXT.format(window_s=window_s),
        ),
        Verb(
            "WORK",
            NOTHING,
            work,
            announcement("work"),
            WORK_TEXT.format(work_s=work_s, makes=makes),
        ),
    )
