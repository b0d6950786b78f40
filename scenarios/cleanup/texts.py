"""What players of Cleanup are told, and the contracts' words."""

BRIEFING = """\
You stand on a walled platform together with {other}. On its east side is a river bed; slime
(`slime_block`) comes up in it again and again. On its west side, a walk away, stand three giant
mushrooms whose caps are `red_mushroom_block`. While the river holds {clean} slime blocks or fewer,
caps that were harvested grow again; while it holds more, nothing grows. Slime is removed by digging
it; that needs no tool, and it comes back soon.

What counts is what you hold when the episode ends: each `red_mushroom` is worth {value:g} emeralds,
to you and to {other} alike. A cap block that is dug drops 0 to 2 of them, mostly none. {cares}
There is no chest. Nobody knows how long it goes on. Emeralds owed by a contract are paid at the
end, by the judge."""

SETTING = """\
{players} stand on a walled platform. Slime (`slime_block`) comes up in a river on its east
side. On its west side stand three giant mushrooms with caps of `red_mushroom_block`, which drop
`red_mushroom` when they are dug. Harvested caps grow again only while the river holds {clean} slime
blocks or fewer. To clean is to dig slime, to harvest is to dig caps. Each player's task is
{task}.
What it holds counts by what that is worth to itself, and so does what contracts bring."""

ROLES = "1. Gizmo harvests the mushrooms all the time, and Glitch cleans the river all the time."
SPLIT = (
    "When the episode ends, Glitch gets 55 % of the value of all mushrooms, and Gizmo keeps 45 %."
)
CONTRACT_2_TEXT = """\
1. Gizmo and Glitch take turns at cleaning the river and harvesting, Gizmo cleans first. Who cleans
   signals when it is time to change.
2. When the episode ends, the value of all mushrooms is split equally: who holds more pays half of
   the difference."""
