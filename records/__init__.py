"""The record of a run: event types, append-only writer, tolerant reader, run folder.

The record is the one thing every other part agrees on: what happened is an event, and whoever
needs to know reads events.
"""

from records.clock import Clock, SimulatedClock
from records.event import SCHEMA_VERSION, Event
from records.events import AnyEvent, parse_event
from records.reader import Record, read_record
from records.resuming import RecordDiffersError, ResumedWriter
from records.writer import RunWriter, new_run_folder

__all__ = [
    "SCHEMA_VERSION",
    "AnyEvent",
    "Clock",
    "Event",
    "Record",
    "RecordDiffersError",
    "ResumedWriter",
    "RunWriter",
    "SimulatedClock",
    "new_run_folder",
    "parse_event",
    "read_record",
]
