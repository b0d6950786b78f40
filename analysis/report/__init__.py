"""A run as a page: a single file (:mod:`.build`), or live (:mod:`.watch`).

:mod:`.encoder` converts events for the page in both cases; ``page/`` contains the page's code.
"""
