"""What each role asks of which model: names, temperatures, lengths."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, Field, field_validator

from bots.models.model import ChatRequest

DEFAULT_MODEL = "gpt-4o"
#: What models are asked for, in all scenarios.
ROLES = (
    *("action", "critic", "judge", "negotiator", "compiler", "planner"),
    *("curriculum", "questions", "answer", "describe"),
    *("decide", "talk", "social", "goal", "plan", "reflect"),
    *("feedback", "amendments", "ballot"),
)


class RoleSettings(BaseModel):
    """What one role does differently; None leaves what the role asks for itself."""

    model_config = ConfigDict(extra="forbid")

    model: str | None = Field(default=None, min_length=1)
    temperature: float | None = Field(default=None, ge=0, le=2)
    max_tokens: int | None = Field(default=None, ge=1)


class ModelSettings(BaseModel):
    """The model for all roles, and what single roles (``judge``, ``action``, …) do differently."""

    model_config = ConfigDict(extra="forbid")

    model: str = Field(default=DEFAULT_MODEL, min_length=1)
    roles: dict[str, RoleSettings] = {}

    @field_validator("roles")
    @classmethod
    def _known(cls, roles: dict[str, RoleSettings]) -> dict[str, RoleSettings]:
        for role in roles:
            if role not in ROLES:
                raise ValueError(f"there is no role {role!r}; there are: {', '.join(ROLES)}")
        return roles

    def request(self, asked: ChatRequest) -> ModelCall:
        """Return the model and the parameters that a request is sent with, by its role."""
        own = self.roles.get(asked.role, RoleSettings())
        return ModelCall(
            own.model or self.model,
            asked.temperature if own.temperature is None else own.temperature,
            asked.max_tokens if own.max_tokens is None else own.max_tokens,
        )


@dataclass(frozen=True)
class ModelCall:
    """A model's name and the parameters of one call."""

    model: str
    temperature: float
    max_tokens: int
