"""What players of Harvest are told, and the contracts' words."""

BRIEFING = """\
You stand on a walled platform together with {other}. On its west side stand three giant mushrooms
whose caps are nine blocks of `red_mushroom_block` each. A cap block that was harvested grows again
after a while, as long as its mushroom has another one left. A mushroom that loses its last cap
block is dead for good, and everybody is told who stood nearest.

What counts is what you hold when the episode ends: each `red_mushroom` is worth {value:g} emeralds,
to you and to {other} alike. A cap block that is dug drops 0 to 2 of them, mostly none. {cares}
There is no chest. Nobody knows how long it goes on. Emeralds owed by a contract are paid at the
end, by the judge."""

SETTING = """\
{players} stand on a walled platform beside three giant mushrooms with nine cap blocks each
(`red_mushroom_block`), which drop `red_mushroom` when they are dug. A harvested cap grows again as
long as its mushroom has another one; without any, a mushroom is dead. To harvest is to dig caps.
Each player's task is
{task}.
What it holds counts by what that is worth to itself, and so does what contracts bring."""

SPARE = "1. Neither Gizmo nor Glitch harvests from a mushroom that has three cap blocks or fewer."
CONTRACT_1_TEXT = f"""\
{SPARE}
2. When the episode ends, the value of all mushrooms is split equally: who holds more pays half of
   the difference."""
