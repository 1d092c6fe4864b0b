"""What the mappings of all node types share while one app is made into a document."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

from backend.engine.document.types import Text
from backend.secrets.names import is_secret_name
from backend.workflows.dify.mapping import Mapped, Mapping, Path, Ref, ToChoose
from backend.workflows.dify.names import Names, name_of
from backend.workflows.dify.reading import DifyApp, DifyNode, dict_in, dicts_in, number_in, selector_of, text_in
from backend.workflows.dify.references import REFERENCE, default_filter
from backend.workflows.report import (
    Choices,
    HostWant,
    KnownTool,
    Line,
    ModelWant,
    NameWant,
    Report,
    TeamHas,
    ToolAtServer,
    ToolWant,
)

STARTS = frozenset({"start", "trigger-webhook", "trigger-schedule", "trigger-plugin"})
_PARAMS = frozenset({"temperature", "top_p", "max_tokens", "seed", "stop", "presence_penalty", "frequency_penalty"})
_WINDOW = 50
"""Rounds kept where Dify keeps as many as the model takes."""
_NUMBERS = frozenset({"number", "integer", "float"})
_FRAMES = frozenset({"iteration", "loop"})


class Context:
    """One import: the app, what the team has, what the person chose, and what was settled so far."""

    DECLARED = Text("declared in the document; an admin approves it", "已在文档中声明，由管理员批准")

    def __init__(
        self,
        app: DifyApp,
        report: Report,
        mappings: dict[str, Mapping],
        types: frozenset[str],
        team: TeamHas,
        choices: Choices,
        language: str = "en",
    ) -> None:
        self.app, self.report, self.types, self.team, self.choices = app, report, types, team, choices
        self.mappings, self.language = mappings, language
        self.lines: dict[str, Line] = {}
        self.outcomes: dict[str, Mapped | None] = {}  # None = a placeholder
        self._names, self._ids = Names(), dict[tuple[str, str], str]()
        self._loops: dict[str, dict[str, str]] = {}
        self.starts = [node for node in app.nodes.values() if node.type in STARTS]
        self.system_inputs = self._system_inputs()
        self.start_id = self.id_of(self.starts[0]) if self.starts else self._names.give("start", "start")
        self.declared: dict[str, dict[str, Any]] = {}
        self.environment: dict[str, Any] = {}
        self.secret_names: dict[str, str] = {}
        self._read_environment()
        names = Names()
        self.variables = {
            name: names.give(name, "variable") for item in app.conversation if (name := text_in(item, "name"))
        }

    # -- names -----------------------------------------------------------------------------------------------

    def words(self, en: str, zh: str) -> str:
        """Words that stand in the document, in its language."""
        return Text(en, zh).in_(self.language)

    def id_of(self, node: DifyNode, suffix: str = "") -> str:
        """Our id of a node, or of a further step of it."""
        if node in self.starts and node is not self.starts[0]:
            node = self.starts[0]
        key = (node.id, suffix)
        if key not in self._ids:
            preferred = f"{self.id_of(node)}_{suffix}" if suffix else node.title or node.type
            self._ids[key] = self._names.give(preferred, name_of(node.type, "step"))
        return self._ids[key]

    def free_id(self, preferred: str) -> str:
        """A new id."""
        return self._names.give(preferred, "step")

    def parents(self, node: DifyNode) -> list[str]:
        """The frames around a node, innermost first."""
        around: list[str] = []
        parent = node.parent
        while parent is not None and parent not in around:
            around.append(parent)
            parent = self.app.nodes[parent].parent
        return around

    def frame_of(self, node: DifyNode) -> DifyNode | None:
        """The frame that a node stands in here."""
        parent = self.app.nodes.get(node.parent or "")
        return parent if parent is not None and parent.type in _FRAMES else None

    def children(self, frame: DifyNode) -> list[DifyNode]:
        """The nodes inside a frame, without the mark of its beginning."""
        return [node for node in self.app.nodes.values() if node.parent == frame.id and not node.is_frame_start]

    def loop_variables(self, loop: DifyNode) -> dict[str, str]:
        """{label of a loop's variable: our name}."""
        if loop.id not in self._loops:
            names = Names()
            names.taken.add("leave")
            self._loops[loop.id] = {
                label: names.give(label, "value")
                for item in dicts_in(loop.data, "loop_variables")
                if (label := text_in(item, "label"))
            }
        return self._loops[loop.id]

    # -- outputs ---------------------------------------------------------------------------------------------

    def output_path(self, node: DifyNode, keys: tuple[str, ...]) -> Path | None:
        """Where an output of another node lies."""
        strategy = text_in(node.data, "error_strategy")
        if strategy and keys[0] in ("error_message", "error_type"):
            return Path(("error", "message" if keys[0] == "error_message" else "code"), ("default(null)",))
        outcome = self.outcomes.get(node.id)
        if outcome is None and node not in self.starts[1:]:  # those are joined with the first, under our names
            return Path(keys)
        path = self.mappings[node.type].outputs(node, keys, self)
        if path is None or strategy != "default-value":
            return path
        for item in dicts_in(node.data, "default_value"):
            if text_in(item, "key") == keys[0] and (fallback := default_filter(item.get("value"))):
                return Path(path.keys, (*path.filters, fallback), path.step)
        return path

    def reads(self, node: DifyNode, output: str) -> bool:
        """Whether some node of the app refers to an output of this one."""
        return any(_names(other.data, node.id, output) for other in self.app.nodes.values())

    def is_number(self, selector: tuple[str, ...]) -> bool:
        """Whether the app says that a number stands at a selector."""
        if len(selector) != 2:
            return False
        root, name = selector
        if root == "conversation":
            return any(
                text_in(item, "name") == name and text_in(item, "value_type") in _NUMBERS
                for item in self.app.conversation
            )
        node = self.app.nodes.get(root)
        if node is not None and node.type == "start":
            fields = dicts_in(node.data, "variables")
            return any(text_in(item, "variable") == name and text_in(item, "type") == "number" for item in fields)
        return node is not None and text_in(dict_in(dict_in(node.data, "outputs"), name), "type") in _NUMBERS

    # -- what a run is asked for -----------------------------------------------------------------------------

    def _system_inputs(self) -> dict[str, str]:
        """{name below sys: input of our start}."""
        inputs = {"query": "text"} if self.app.mode == "chatflow" else {}
        upload = dict_in(self.app.features, "file_upload")
        older = dict_in(upload, "image")  # before there were files of other kinds
        uploads = upload.get("enabled") is True or older.get("enabled") is True
        if (uploads and self.app.mode == "chatflow") or any(
            _names(node.data, "sys", "files") for node in self.app.nodes.values()
        ):
            inputs["files"] = "files"
        return inputs

    def input_name(self, name: str) -> str:
        """What an input of Dify's start is called here: the words of a chat keep their names."""
        return f"{name}_2" if name in self.system_inputs.values() else name

    def _read_environment(self) -> None:
        for item in self.app.environment:
            name = text_in(item, "name")
            if not name:
                continue
            if text_in(item, "value_type") == "secret" or is_secret_name(name):
                self.secret_names[name] = name_of(name, "secret")
            else:
                self.environment[name] = item.get("value")
        for name in self.secret_names:
            self.secret(name)

    # -- what is wanted --------------------------------------------------------------------------------------

    def secret(self, preferred: str) -> str:
        """`${secret:name}`, noted among what the document wants."""
        name = name_of(preferred, "secret")
        known = self.choices.secrets.get(name) or (name if name in self.team.secrets else "")
        self.report.wants.secrets.setdefault(name, NameWant(name, known if known in self.team.secrets else ""))
        return f"${{secret:{known or name}}}"

    def with_secrets(self, text: str) -> str:
        """A text in which secrets of the environment are named as ours are."""
        return REFERENCE.sub(
            lambda match: (
                self.secret(match[1][4:])
                if match[1].startswith("env.") and match[1][4:] in self.secret_names
                else match[0]
            ),
            text,
        )

    def host(self, url: str) -> str:
        """Note the host of an address; gives it where it is fixed."""
        rest = url.partition("://")[2] or url
        authority = rest.partition("/")[0] if "{{" not in rest.partition("/")[0] else rest.split("/")[0]
        if "{{" in url.partition("/")[0] or "{{" in authority:
            self.report.wants.hosts.setdefault(authority[:120], HostWant(authority[:120], False))
            return ""
        try:
            host = urlsplit(url if "://" in url else f"https://{url}").hostname or ""
        except ValueError:
            host = ""
        if host:
            self.report.wants.hosts.setdefault(host, HostWant(host, True))
        return host

    def model(self, data: dict[str, Any], line: Line) -> dict[str, Any]:
        """`provider`, `model` and `params` of a node with a model."""
        name = text_in(data, "name") or text_in(data, "model") or "?"
        want = self.report.wants.models.setdefault(name, ModelWant(name))
        want.count += 1
        want.match = self.choices.models.get(name) or self.team.model(name)
        parameters = dict_in(data, "completion_params")
        params = {key: value for key, value in parameters.items() if key in _PARAMS and value is not None}
        left = sorted(key for key in parameters if key not in _PARAMS)
        if left:
            line.note(f"parameters left out: {', '.join(left[:4])}", f"未带入的参数：{'、'.join(left[:4])}")
        if want.match is None:
            line.note("its model is yours to choose", "模型由您选择")
            return {"provider": "", "model": name, "params": params}
        return {"provider": want.match.provider, "model": want.match.model, "params": params}

    def tool(self, node: DifyNode, want: ToolWant, line: Line) -> KnownTool:
        """The tool that was chosen in a node's place. Raises ToChoose where none was."""
        want = self.report.wants.tools.setdefault(want.key, want)
        want.nodes.append(node.id)
        want.titles.append(node.title or want.name)
        line.group = want.key
        answered = node.id in self.choices.tools or want.key in self.choices.tools
        chosen = self.choices.tools.get(node.id, self.choices.tools.get(want.key))
        if answered and chosen is None:
            raise ToChoose("left as a placeholder", "保留为占位节点")
        known = self.team.tool(chosen.server, chosen.tool) if chosen else None
        if chosen is not None and known is None:
            known = KnownTool(chosen.server, chosen.tool)
        if known is None:
            raise ToChoose("", "")
        if node.id not in self.choices.tools:
            want.chosen = ToolAtServer(known.server, known.tool)
        return known


def _names(value: Any, root: str, key: str) -> bool:
    """Whether something in a node's settings names `root.key`."""
    if isinstance(value, str):
        return f"#{root}.{key}" in value
    if isinstance(value, dict):
        return any(_names(inner, root, key) for inner in value.values())
    return isinstance(value, list) and (value[:2] == [root, key] or any(_names(inner, root, key) for inner in value))


# -- helpers of mappings -------------------------------------------------------------------------------------


def ref(value: Any) -> Any:
    """A selector as a reference; a text as it is."""
    selector = selector_of(value)
    return Ref(selector) if selector else Ref(()) if isinstance(value, list | type(None)) else value


def window_of(memory: dict[str, Any]) -> dict[str, int]:
    """How much of a conversation our agent keeps where Dify's memory says this."""
    window = dict_in(memory, "window")
    rounds = int(number_in(window, "size")) if window.get("enabled") is True else _WINDOW
    return {"window": min(max(rounds, 0), 1000)}


def mentions(text: str) -> Iterator[str]:
    """What a text refers to."""
    for match in re.finditer(REFERENCE, text):
        yield match[1]


def inputs_of(data: dict[str, Any], key: str = "variables") -> dict[str, Any]:
    """`[{variable, value_selector}]` as values by name."""
    return {
        name: ref(item.get("value_selector")) for item in dicts_in(data, key) if (name := text_in(item, "variable"))
    }
