"""Hostile programs that are drawn: what is begun and left, an end of some kind, wrapped at random.

``tests/data/attacks.yaml`` has what somebody thought of; this has what nobody did. The suite plays
the first few; ``DRAWN_PROGRAMS=500 python -m pytest -n 0 tests/test_drawn_programs.py`` plays more.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

#: Each begins something that must be over when the program is.
BEGUN = (
    "bot.setControlState('{control}', true)",
    "bot.setControlState('{control}', true); bot.setControlState('jump', true)",
    "setInterval(() => console.log('ESCAPED ' + Date.now()), {ms})",
    "setInterval(() => {{ bot.swingArm('right'); bot.setControlState('{control}', true) }}, {ms})",
    "setTimeout(function again() {{ setTimeout(again, {ms}); bot.look({turn}, 0) }}, 0)",
    "for (let i = 0; i < {many}; i++) setTimeout(() => {{ throw new Error('late') }}, i)",
    "bot.on('{event}', () => console.log('ESCAPED'))",
    "bot.on('{event}', () => {{ throw new Error('heard') }})",
    "bot.on('physicsTick', () => bot.setControlState('{control}', true))",
    "for (let i = 0; i < {many}; i++) bot.once('{event}', () => {{}})",
    "bot.pathfinder.setGoal(new GoalNear({x}, 151, {z}, 1), {dynamic})",
    "bot.pathfinder.goto(new GoalBlock({x}, 151, {z})).catch(() => {{}})",
    "goTo(bot, {{ x: {x}, y: 151, z: {z} }}).catch(() => {{}})",
    "exploreUntil(bot, {{ x: 1, y: 0, z: 0 }}, 60, () => false).catch(() => {{}})",
    "mineBlock(bot, 'obsidian', {many}).catch(() => {{}})",
    "bot.dig(bot.blockAt(new Vec3({x}, 150, {z})), true).catch(() => {{}})",
    "bot.openContainer(bot.blockAt(new Vec3(0, 151, 3))).catch(() => {{}})",
    "bot.activateBlock(bot.blockAt(new Vec3(0, 151, 3))).catch(() => {{}})",
    "bot.openChest(bot.blockAt(new Vec3(0, 151, 3))).then((c) => c.deposit(1, null, 1))",
    "bot.waitForTicks({many}).then(() => {{ for (;;) bot.setControlState('jump', true) }})",
    "waitSignal(bot, null, null, 'never').catch(() => {{}})",
    "for (let i = 0; i < {many}; i++) waitSignal(bot, null, null, 's' + i).catch(() => {{}})",
    "for (let i = 0; i < {many}; i++) sendSignal(bot, 'Cleo', 'noise' + i).catch(() => {{}})",
    "for (let i = 0; i < {many}; i++) console.log('x'.repeat({many}))",
    "for (let i = 0; i < {many}; i++) Promise.reject(new Error('nobody catches'))",
    "globalThis.left = 'ESCAPED'; globalThis.bot.left = 'ESCAPED'",
    "Object.prototype.left = 1; Array.prototype.map = () => 7; Promise.prototype.then = null",
    "Vec3.prototype.offset = null; Date.now = () => 5; JSON.parse = eval",
    "globalThis.setTimeout = globalThis.console = globalThis.goTo = undefined",
    "Object.defineProperty(globalThis, 'mcData', {{ get() {{ for (;;); }} }})",
    "(async () => {{ for await (const _ of (async function* () {{ for (;;) yield 1 }})()) ; }})()",
    "(async () => {{ for (;;) await bot.waitForTicks(1) }})()",
    "(async () => {{ for (;;) await null }})()",
    "bot.equip(1, 'hand').catch(() => {{}}); bot.activateItem(); bot.attack({{ id: 1 }})",
)
#: How a program ends, or would go on for ever.
ENDS = (
    "",
    "return",
    "throw new Error('end')",
    "throw null",
    "throw {{ get message() {{ for (;;); }} }}",
    "await Promise.reject(new Proxy({{}}, {{ get() {{ throw 1 }} }}))",
    "await new Promise(() => {{}})",
    "for (;;);",
    "for (;;) await null",
    "for (;;) await bot.waitForTicks(1)",
    "for (;;) {{ try {{ for (;;); }} finally {{ continue }} }}",
    "for (;;) {{ try {{ await bot.waitForTicks(1) }} catch {{}} }}",
    "'x'.repeat(2 ** 28).repeat(4)",
    "const kept = []; for (;;) kept.push(new Array(1e5).fill(kept.length))",
    "new Uint8Array(1e10)",
    "new Array(5e6).fill('b').map((x, i) => x + i).sort().join()",
    "/^(a+)+$/.test('a'.repeat(60) + '!')",
    "const deep = () => deep() + deep(); deep()",
    "let big = 3n; for (;;) big *= big",
    "JSON.stringify(Array.from({{ length: 2000 }}, () => new Array(2000).fill('y')))",
    "const spread = () => Promise.resolve().then(spread).then(spread); await spread()",
    "for (let i = 0; i < {many}; i++) bot.blockAt(bot.entity.position)",
)
#: What a piece of a program may be put into.
WRAPS = (
    "{piece}",
    "try {{ {piece} }} catch {{}}",
    "try {{ {piece} }} finally {{ bot.setControlState('sneak', true) }}",
    "setTimeout(async () => {{ {piece} }}, {ms})",
    "Promise.resolve().then(async () => {{ {piece} }})",
    "(async () => {{ await bot.waitForTicks(2); {piece} }})()",
    "await (async () => {{ {piece} }})().catch(() => {{}})",
    "bot.once('physicsTick', async () => {{ {piece} }})",
    "for (let turn = 0; turn < 3; turn++) {{ {piece} }}",
)
CONTROLS = ("forward", "back", "left", "right", "jump", "sprint", "sneak")
EVENTS = ("physicsTick", "move", "chat", "entityMoved", "health", "windowOpen", "blockUpdate")


def program(seed: int) -> str:
    """A program of one to five pieces, each in up to two wraps; the same for the same seed."""
    rng = random.Random(seed)
    pieces = [_wrapped(rng, BEGUN) for _ in range(rng.randint(1, 4))]
    pieces.append(_wrapped(rng, ENDS) if rng.random() < 0.5 else _filled(rng, ENDS))
    if rng.random() < 0.3:
        pieces.insert(0, "await bot.waitForTicks(1)")
    return ";\n".join(pieces)


def _wrapped(rng: random.Random, kinds: Sequence[str]) -> str:
    piece = _filled(rng, kinds)
    for _ in range(rng.randint(0, 2)):
        piece = rng.choice(WRAPS).format(piece=piece, ms=rng.choice((0, 1, 50)))
    return piece


def _filled(rng: random.Random, kinds: Sequence[str]) -> str:
    return rng.choice(kinds).format(
        control=rng.choice(CONTROLS),
        event=rng.choice(EVENTS),
        ms=rng.choice((0, 1, 7, 50, 400)),
        many=rng.choice((1, 20, 300, 5000)),
        turn=round(rng.uniform(-4, 4), 2),
        dynamic=rng.choice(("true", "false")),
        x=rng.randint(-9, 9),
        z=rng.randint(-9, 9),
    )
