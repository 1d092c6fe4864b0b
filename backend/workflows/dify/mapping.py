"""What a file of `nodes` says of one node type of Dify: what it becomes, and what its outputs are called here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from backend.engine.document.types import Text
from backend.workflows.report import NO_WORDS

if TYPE_CHECKING:
    from backend.workflows.dify.context import Context
    from backend.workflows.dify.reading import DifyNode


# -- values of a config that are settled when every node has become something --------------------------------


@dataclass(frozen=True, slots=True)
class Ref:
    """The value at a selector of Dify. `inside` = read inside the node's own frame; `maybe` = null where none is."""

    selector: tuple[str, ...]
    inside: bool = False
    maybe: bool = False


@dataclass(frozen=True, slots=True)
class Own:
    """A text of ours with expressions of ours, as it stands."""

    text: str


@dataclass(frozen=True, slots=True)
class Raw:
    """A value in which nothing is read."""

    value: Any


# -- what a node becomes -------------------------------------------------------------------------------------


@dataclass(slots=True)
class Step:
    """One node of ours. `suffix` tells it from the others that one node of Dify becomes; "" = the node itself."""

    type: str
    config: dict[str, Any]
    suffix: str = ""
    title: Text = NO_WORDS


@dataclass(slots=True)
class Mapped:
    """What a node becomes: `steps` one after the other. `handles` = {handle of Dify: port of the last step}.

    `closing` = nodes at the end of the frame that the node is, after all that is in it."""

    steps: list[Step]
    why: Text
    handles: dict[str, str] = field(default_factory=dict)
    closing: list[Step] = field(default_factory=list)


class Left(Exception):
    """A node has no counterpart; `why` says so."""

    def __init__(self, en: str, zh: str) -> None:
        self.why = Text(en, zh)
        super().__init__(en)


class ToChoose(Exception):
    """A tool has to be chosen for a node first."""

    def __init__(self, en: str, zh: str) -> None:
        self.why = Text(en, zh)
        super().__init__(en)


@dataclass(frozen=True, slots=True)
class Path:
    """Where an output of a node lies: in which of its steps, at which keys, through which filters.

    `note` = in what it differs, for the line of the node that reads it."""

    keys: tuple[str | int, ...]
    filters: tuple[str, ...] = ()
    step: str = ""
    note: Text = NO_WORDS


Convert = Callable[["DifyNode", "Context"], Mapped]
Outputs = Callable[["DifyNode", tuple[str, ...], "Context"], "Path | None"]


def same_names(node: DifyNode, keys: tuple[str, ...], ctx: Context) -> Path | None:
    """Outputs that keep their names."""
    return Path(keys) if keys else None


def renamed(names: dict[str, str]) -> Outputs:
    """Outputs with other names here; what is not among them has no counterpart."""

    def outputs(node: DifyNode, keys: tuple[str, ...], ctx: Context) -> Path | None:
        name = names.get(keys[0]) if keys else None
        return Path((name, *keys[1:])) if name else None

    return outputs


@dataclass(frozen=True, slots=True)
class Mapping:
    """A node type of Dify."""

    convert: Convert
    outputs: Outputs = same_names


def one_step(type_: str, config: dict[str, Any], why: Text) -> Mapped:
    """A node that becomes one node."""
    return Mapped([Step(type_, config)], why)
