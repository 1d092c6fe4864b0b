"""A provider as the client needs it: an address, a key, times and prices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple


class Prices(NamedTuple):
    """Of a million tokens. `cached` = of input that the endpoint had read before, None = as other input."""

    input: float = 0.0
    output: float = 0.0
    cached: float | None = None


@dataclass(frozen=True, slots=True)
class EndpointConfig:
    """A provider, fully resolved. Times are in seconds; `prices` by model;
    `features` = {model: what it can do} and `contexts` = {model: tokens}, for models of which somebody said it."""

    slug: str
    base_url: str
    key: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    masks: tuple[str, ...] = ()
    typed_address: bool = False
    connect_s: float = 10.0
    first_token_s: float = 120.0
    idle_s: float = 60.0
    total_s: float = 600.0
    prices: Mapping[str, Prices] = field(default_factory=dict)
    features: Mapping[str, frozenset[str]] = field(default_factory=dict)
    contexts: Mapping[str, int] = field(default_factory=dict)
