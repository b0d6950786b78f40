"""Event types, one class per kind.

An event is one line of ``events.jsonl``. Field names include their units; positions are blocks, as
``(x, y, z)``. Fields may be added to a kind; changing the meaning of a field needs a new
``SCHEMA_VERSION``. To add a kind, add its class to one of the modules here: everything else is
derived from the class.
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
