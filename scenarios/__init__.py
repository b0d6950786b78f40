"""The scenarios. Each is a package or module that can be run (``python -m
scenarios.double_vein``).
"""

from voxpolis import as_room, front

as_room(__name__)
front.play_typed_module(__name__)
