"""One call of a model behind a real local endpoint."""

from __future__ import annotations

from typing import Any

from voxpolis.bots.models import ModelSettings
from voxpolis.bots.models.openai_model import OpenAIModel

ASK: dict[str, Any] = {"role": "action", "agent": "Gizmo", "temperature": 0.1, "max_tokens": 50}
MESSAGES = [{"role": "user", "content": "Hello?"}]


def model(url: str, **options: Any) -> OpenAIModel:
    """A client of an endpoint that asks once, unless options say otherwise."""
    options = {"timeout_s": 20, "max_retries": 0, **options}
    return OpenAIModel(ModelSettings(model="some-model"), base_url=url, api_key="secret", **options)
