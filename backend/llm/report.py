"""What a test of an endpoint says (`connection_test` makes it): its stages, and what was found."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from backend.errors import PatchbayError
from backend.llm.types import JsonLike

if TYPE_CHECKING:
    from backend.llm.listing import ListedModel

STAGES = ("url", "dns", "tcp", "tls", "http", "auth", "models", "chat", "stream", "tools")


@dataclass(slots=True)
class CheckStep:
    """One stage: `ok` None = not reached, not needed or not offered (`note` says which); `error` why it failed."""

    name: str
    ok: bool | None = None
    ms: float = 0.0
    detail: JsonLike = None
    note: str = ""
    error: PatchbayError | None = None


@dataclass(slots=True)
class EndpointReport:
    """All that a test found. `ok` = the endpoint can be used; `model` = the one that was tried, "" for none."""

    ok: bool
    stages: list[CheckStep]
    model: str = ""
    models: list[ListedModel] = field(default_factory=list)
    features: list[str] = field(default_factory=list)
    ms: float = 0.0

    @property
    def failed(self) -> CheckStep | None:
        """The first stage that failed."""
        return next((stage for stage in self.stages if stage.ok is False), None)
