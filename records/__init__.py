"""The record of a run: its events, how they are written, and how they are read.

All other packages depend on this package. Everything that happens in a run is an event, and all
analyses read events.
"""

from voxpolis import as_room

as_room(__name__)

from voxpolis.records.clock import Clock, SimulatedClock
from voxpolis.records.events import SCHEMA_VERSION, Event, parse_event
from voxpolis.records.reader import Record, RunReader, read_record
from voxpolis.records.resuming import RecordDiffersError, ResumedWriter
from voxpolis.records.runs import find_runs, left_out, names_of
from voxpolis.records.writer import RunWriter, new_run_folder

__all__ = [
    "SCHEMA_VERSION",
    "Clock",
    "Event",
    "Record",
    "RecordDiffersError",
    "ResumedWriter",
    "RunReader",
    "RunWriter",
    "SimulatedClock",
    "find_runs",
    "left_out",
    "names_of",
    "new_run_folder",
    "parse_event",
    "read_record",
]
