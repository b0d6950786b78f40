"""Shows a run as a web page, in a single file (:mod:`.build`) or live (:mod:`.watch`).

In both cases, :mod:`.encoder` converts events for the page. ``page/`` contains the code of the
page.
"""
