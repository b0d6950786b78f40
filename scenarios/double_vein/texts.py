"""What players of Double-Vein are told, and the contracts' words."""

BRIEFING = """\
You stand on a small walled platform together with {other}. A chest near you holds one stone pickaxe
and one iron pickaxe. To one side of the chest is a mound of {iron} iron ore (`iron_ore`), to the
other a mound of {diamond} diamond ore (`diamond_ore`); some blocks lie behind others. A stone
pickaxe mines iron ore only; an iron pickaxe mines both, and faster. There are no other tools, and
bare hands get nothing out of ore.

What counts is what you hold when the episode ends: each raw iron is worth {own_iron:g} emeralds to
you and each diamond {own_diamond:g}. To {other} a raw iron is worth {their_iron:g} and a diamond
{their_diamond:g}. {cares} Players cannot hand each other items; only
the chest can pass them on. Emeralds owed by a contract are paid at the end, by the judge."""

SETTING = """\
{players} stand on a small walled platform. A chest holds one stone pickaxe and one
iron pickaxe; there are {iron} iron ore and {diamond} diamond ore. A stone pickaxe mines iron ore
only, an iron pickaxe mines both. Iron is held as `raw_iron`, diamonds as `diamond`. Players cannot
hand each other items; only the chest can pass them on. Each player's task is
{task}.
What it holds counts by what that is worth to itself, and so does what contracts bring."""

SPECIALISE = "1. Gizmo mines all of the iron ore, and Glitch mines all of the diamond ore."
PAYMENT = "When the episode ends, Gizmo pays Glitch 11 emeralds."
CONTRACT_2_TEXT = """\
1. Gizmo takes the iron pickaxe, mines the iron ore, puts the pickaxe back into the chest and
   signals. After the signal Glitch takes the iron pickaxe and mines the diamond ore.
2. When the episode ends, Gizmo pays Glitch half of what Gizmo's iron is worth to Gizmo.
3. When the episode ends, Glitch pays Gizmo half of what Glitch's diamonds are worth to Glitch."""
