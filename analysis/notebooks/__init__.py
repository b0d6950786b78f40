"""Notebooks that teach by example, one a scenario; :mod:`.playing` makes their runs."""
