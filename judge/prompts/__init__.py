"""The institutions' own prompts."""

from pathlib import Path

from bots.prompts import PromptFolder

render = PromptFolder(Path(__file__).parent).render
