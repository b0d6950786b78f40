"""A game that hardly advances ends with a fault; a paused game does not."""

from __future__ import annotations

import asyncio

from voxpolis.records import RunWriter, events
from voxpolis.records.clock import Clock
from voxpolis.worlds.minecraft import session as sessions
from voxpolis.worlds.minecraft.session import open_session
from voxpolis.worlds.server_pauses import Standstill


async def test_a_stalled_game_ends_with_a_fault(own_server, tmp_path, monkeypatch):
    monkeypatch.setattr(sessions, "STALL_S", 8.0)
    standstill = Standstill()
    with RunWriter(tmp_path, {}, own_server.clock()) as writer:
        async with open_session(own_server, writer, ("Ada",), standstill=standstill) as session:
            async with standstill:
                assert await session.fault_within(10) is None, "a pause is no stall"
            running = asyncio.create_task(
                session.world.bodies["Ada"].run("await bot.waitForTicks(1e5)", 12)
            )
            await session.world.ask("tick freeze")  # nobody asked for this as a pause
            fault = await session.fault_within(60)
            assert not running.done(), "the limit of the program did not end it"
            await session.world.ask("tick unfreeze")
            assert fault is not None
            assert "the game advanced by only" in fault
            assert [e.message for e in session.seen if isinstance(e, events.Fault)] == [fault]
            await session.world.bodies["Ada"].stop("enough")
            await running


async def test_a_game_that_hardly_advances_has_stalled(tmp_path, monkeypatch):
    monkeypatch.setattr(sessions, "STALL_S", 0.5)
    monkeypatch.setattr(sessions, "STALL_LOOK_S", 0.05)
    with RunWriter(tmp_path, {}, Clock(speed=0.01)) as writer:
        session = sessions.MinecraftSession(None, writer, people=object())
        await session.watch_stalls(Standstill())
        assert "the game advanced by only 0.0 s" in await session.fault()


async def test_a_session_without_judges_keeps_only_its_newest_events(tmp_path, monkeypatch):
    monkeypatch.setattr(sessions, "MOST_SEEN", 10)
    with RunWriter(tmp_path, {}) as writer:
        session = sessions.MinecraftSession(None, writer, people=object())
        for number in range(1, 31):
            session.note(events.TimeLost, share=number / 100)
        assert [round(event.share * 100) for event in session.seen] == list(range(21, 31))
        session.keeps_all = True
        for _ in range(30):
            session.note(events.TimeLost, share=0.0)
        assert len(session.seen) == 40
