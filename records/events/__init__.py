"""The types of events, one class per kind of event.

An event is one line of ``events.jsonl``. The names of fields include their units. Positions are in
blocks, as ``(x, y, z)``. Fields may be added to a kind, but if the meaning of a field changes,
``SCHEMA_VERSION`` has to change. To add a kind, add a class to one of the modules here; all tables
of kinds are made from the classes.
"""

from voxpolis.records.events.base import *
from voxpolis.records.events.commons import *
from voxpolis.records.events.contract import *
from voxpolis.records.events.cooperation import *
from voxpolis.records.events.learning import *
from voxpolis.records.events.policy import *
from voxpolis.records.events.run import *
from voxpolis.records.events.society import *
from voxpolis.records.events.world import *
