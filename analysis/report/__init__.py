"""A run as a page: one file to keep (:mod:`.build`), or followed while it lasts (:mod:`.watch`).

:mod:`.encoder` turns events into what the page shows, and both use it; ``page/`` is the page.
"""
