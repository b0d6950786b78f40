"""The prompts of the institutions."""

from pathlib import Path

from voxpolis.bots.prompts import PromptFolder

_PROMPTS = PromptFolder(Path(__file__).parent)
render, messages = _PROMPTS.render, _PROMPTS.messages
