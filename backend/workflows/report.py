"""What an import says of a file: line by line what became of it, and what the document wants. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from backend.engine.document.types import Text

LineState = Literal["mapped", "changed", "choose", "left"]
FileKind = Literal["dify", "patchbay"]

NO_WORDS = Text("", "")
ORDER: tuple[LineState, ...] = ("choose", "left", "changed", "mapped")
"""What needs a person comes first."""


# -- what a team has, to be matched by name ------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class KnownTool:
    """A tool of one of the team's servers. `parameters` in the order of its schema; `required` and `texts` (those that
    take a text) among them."""

    server: str
    tool: str
    title: str = ""
    risk: str = "LOW"
    parameters: tuple[str, ...] = ()
    required: frozenset[str] = frozenset()
    texts: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class ModelName:
    """A model of one of the team's providers."""

    provider: str
    model: str


@dataclass(frozen=True, slots=True)
class TeamHas:
    """What the team of the person who imports has; `servers` = {name or slug, in small letters: slug}.

    `addresses` = {address without query and last slash, in small letters: slug}."""

    tools: tuple[KnownTool, ...] = ()
    models: tuple[ModelName, ...] = ()
    providers: frozenset[str] = frozenset()
    secrets: frozenset[str] = frozenset()
    servers: Mapping[str, str] = field(default_factory=dict)
    addresses: Mapping[str, str] = field(default_factory=dict)

    def tool(self, server: str, name: str) -> KnownTool | None:
        """The tool of this name of this server."""
        return next((known for known in self.tools if known.server == server and known.tool == name), None)

    def model(self, name: str) -> ModelName | None:
        """The first model of this name, whatever the case of its letters and the folder before it."""
        name_lower = name.lower()
        for known in self.models:
            if known.model.lower() == name_lower:
                return known
        return next((known for known in self.models if known.model.lower().rpartition("/")[2] == name_lower), None)


# -- what the person chose -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ToolAtServer:
    """A tool chosen in the place of something that has no counterpart."""

    server: str
    tool: str


@dataclass(frozen=True, slots=True)
class Choices:
    """Answers to what a report asks. A tool under a group's key counts for all alike, under a node's id for that one;
    None = leave a placeholder. `servers` and `secrets` = {name in the file: name here}."""

    tools: Mapping[str, ToolAtServer | None] = field(default_factory=dict)
    models: Mapping[str, ModelName] = field(default_factory=dict)
    servers: Mapping[str, str] = field(default_factory=dict)
    secrets: Mapping[str, str] = field(default_factory=dict)


# -- the report ----------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Line:
    """One node of the file. `origin` = its id there, `type` what it is there, `becomes` our type; `group` = the key
    under which it is asked for together with those alike."""

    origin: str
    title: str
    type: str
    node: str = ""
    becomes: str = ""
    state: LineState = "mapped"
    why: Text = NO_WORDS
    notes: list[Text] = field(default_factory=list)
    group: str = ""
    tells: bool = False  # its `why` is said first, whatever else there is

    def note(self, en: str, zh: str) -> None:
        """Say what differs; a line that was as it is becomes a changed one."""
        text = Text(en, zh)
        if text not in self.notes:
            self.notes.append(text)
        if self.state == "mapped":
            self.state = "changed"

    def reason(self) -> Text:
        """Why it became what it is, in one sentence."""
        if not self.notes:
            return self.why
        alone = (self.state == "changed" and not self.tells) or not self.why.en
        shown = self.notes if alone else [self.why, *self.notes]
        more = len(shown) - 3
        en = "; ".join(text.en for text in shown[:3]) + (f"; {more} more" if more > 0 else "")
        zh = "；".join(text.zh for text in shown[:3]) + (f"；另有 {more} 处" if more > 0 else "")
        return Text(en, zh)


@dataclass(slots=True)
class ToolWant:
    """Something that a tool has to be chosen for, and where it stands. `arguments` = names of what it is given."""

    key: str
    name: str
    kind: Literal["tool", "knowledge"]
    arguments: list[str] = field(default_factory=list)
    nodes: list[str] = field(default_factory=list)
    titles: list[str] = field(default_factory=list)
    chosen: ToolAtServer | None = None


@dataclass(slots=True)
class ModelWant:
    """A model that the file names, how often, and what it is here."""

    name: str
    count: int = 0
    match: ModelName | None = None


@dataclass(slots=True)
class NameWant:
    """A secret or a server that the file names; `match` = what is used here, "" where it is missing."""

    name: str
    match: str = ""
    note: Text = NO_WORDS


@dataclass(slots=True)
class HostWant:
    """A host that is called; one that comes out of an expression is not `fixed`."""

    host: str
    fixed: bool


@dataclass(slots=True)
class CodeWant:
    """A node with Python; `missing` = modules that its code imports and the sandbox has not."""

    node: str
    title: str
    source: str
    modules: list[str]
    missing: list[str]


@dataclass(slots=True)
class Wants:
    """What the document needs from the team, each by its name."""

    tools: dict[str, ToolWant] = field(default_factory=dict)
    models: dict[str, ModelWant] = field(default_factory=dict)
    secrets: dict[str, NameWant] = field(default_factory=dict)
    servers: dict[str, NameWant] = field(default_factory=dict)
    hosts: dict[str, HostWant] = field(default_factory=dict)
    code: list[CodeWant] = field(default_factory=list)


@dataclass(slots=True)
class Report:
    """What an import gives: `lines` as people read them, those that need them first."""

    kind: FileKind
    name: str = ""
    description: str = ""
    mode: str = ""
    version: str = ""
    edges: int = 0
    lines: list[Line] = field(default_factory=list)
    notes: list[Text] = field(default_factory=list)
    wants: Wants = field(default_factory=Wants)

    def sorted_lines(self) -> list[Line]:
        """The lines, those first that need a person."""
        return sorted(self.lines, key=lambda line: ORDER.index(line.state))

    def counts(self) -> dict[LineState, int]:
        """How many lines there are of each state."""
        return {state: sum(line.state == state for line in self.lines) for state in ORDER}


@dataclass(frozen=True, slots=True)
class Imported:
    """A document made of a file, and the report about it."""

    graph: dict[str, Any]
    report: Report


def plural(count: int, singular: str, many: str) -> str:
    """`1 input`, `3 inputs`."""
    return f"{count} {singular if count == 1 else many}"


def listed(names: Iterable[str], most: int = 3) -> str:
    """The first names, and how many more there are."""
    names = list(names)
    return ", ".join(names[:most]) + (f" … (+{len(names) - most})" if len(names) > most else "")
