"""What people of the taxed village can decide to do beside going, visiting and resting."""

from __future__ import annotations

from bots.agents.piano import NOTHING, SHARE, Task, Verb, announcement
from scenarios.taxation.population import WORKPLACE
from worlds.society import CHEST, SocietyWorld


def verbs(world: SocietyWorld) -> tuple[Verb, ...]:
    """Return the verbs PAY and WORK, as they are done in a world."""

    async def pay(task: Task) -> None:
        if not task.go_to(CHEST):
            return
        action = task.action
        paid = await world.deposit(task.agent, action.share)
        if task.action is action:  # the mind may have changed meanwhile
            task.finish(reconsider=True)
        items = ", ".join(f"{count} {item}" for item, count in paid.items()) or "nothing"
        task.happened(f"I put {items} into the community chest")

    async def work(task: Task) -> None:
        if not task.go_to(WORKPLACE):
            return
        before = sum(task.body.inventory().values())
        if await world.work(task.agent):
            task.expect_items(before)

    return (
        Verb(
            "PAY",
            SHARE,
            pay,
            announcement("(?:pay|paying|deposit)"),
            "PAY carries that share of all you hold to the community chest.",
        ),
        Verb("WORK", NOTHING, work, announcement("work"), "WORK is your job, at your workplace."),
    )
