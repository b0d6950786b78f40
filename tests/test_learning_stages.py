"""The curriculum's stages are parts of all agent-steps."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from grid.learn.options import Options


@pytest.mark.parametrize("stages", [(-1, 1, 1), (0, 0, 0), (float("inf"), 0, 0)])
def test_stages_that_are_no_parts_are_refused(stages):
    with pytest.raises(ValidationError, match="stages are parts of all"):
        Options(algorithm="cl", stages=stages)
