"""Event types, one class a kind.

An event is one line of ``events.jsonl``. Units are in the names; positions are blocks, as
``(x, y, z)``. A kind's fields may grow, never change meaning, without a new ``SCHEMA_VERSION``.
To add a kind, add its class to one of the modules here: all else is computed from the class.
"""

from records.events.base import *
from records.events.commons import *
from records.events.contract import *
from records.events.cooperation import *
from records.events.learning import *
from records.events.policy import *
from records.events.run import *
from records.events.society import *
from records.events.world import *
