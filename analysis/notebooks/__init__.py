"""Tutorial notebooks, one per scenario. :mod:`.playing` makes their runs."""
