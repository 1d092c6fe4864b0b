"""Selectors and `{{#node.name#}}` of Dify as expressions of ours."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from backend.engine.document.types import Text
from backend.workflows.dify.files import file_part
from backend.workflows.dify.mapping import Own, Path, Raw, Ref

if TYPE_CHECKING:
    from backend.workflows.dify.context import Context
    from backend.workflows.dify.reading import DifyNode
    from backend.workflows.report import Line

REFERENCE = re.compile(r"\{\{#\s*([^#{}]{1,400}?)\s*#\}\}")
NOTHING = "{{ vars.nothing | default(null) }}"
"""What stands where Dify refers to something that is not there: it is null and no error."""
OR_NULL = "default(null)"
"""The filter that gives null where nothing is."""
_WORD = re.compile(r"\w+")
_SYS = {
    "conversation_id": "sys.conversation_id",
    "user_id": "sys.user",
    "workflow_run_id": "sys.run_id",
    "workflow_id": "sys.workflow",
    "app_id": "sys.workflow",
    "timestamp": "sys.time",
}


def written(root: str, keys: tuple[str | int, ...] = (), filters: tuple[str, ...] = ()) -> str:
    """A path and its filters as they stand between braces."""
    text = root
    for key in keys[:60]:
        if isinstance(key, int):
            text += f"[{key}]"
        else:
            text += f".{key}" if _WORD.fullmatch(key) else f"[{json.dumps(key, ensure_ascii=False)}]"
    return " | ".join([text, *filters])


def expression(inside: str) -> str:
    """Between braces."""
    return "{{ " + inside + " }}"


def or_nothing(inside: str) -> str:
    """What stands between braces, null where nothing is there, as in Dify."""
    return inside if " | default(" in inside else f"{inside} | {OR_NULL}"


class References:
    """Resolves what one node refers to; what cannot be resolved is noted in its line.

    `inside` = as seen from inside the frame that the node is."""

    def __init__(self, ctx: Context, node: DifyNode, line: Line, *, inside: bool = False) -> None:
        self._ctx, self._node, self._line, self._inside = ctx, node, line, inside

    def resolved(self, value: Any) -> Any:
        """A value of a config with everything of Dify in it replaced."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Ref):
            path = self.path(value.selector, inside=value.inside)
            if path and value.maybe:
                path = or_nothing(path)
            return expression(path) if path else NOTHING
        if isinstance(value, Own):
            return value.text
        if isinstance(value, Raw):
            return value.value
        if isinstance(value, dict):
            return {key: self.resolved(inner) for key, inner in value.items()}
        return [self.resolved(inner) for inner in value] if isinstance(value, list) else value

    def text(self, text: str) -> str:
        """A text with its references as expressions; other double braces are kept as they are, as text."""
        if "{{" not in text:
            return text
        out: list[str] = []
        position = 0
        whole = REFERENCE.fullmatch(text.strip()) is not None
        for match in REFERENCE.finditer(text):
            before = text[position : match.start()]
            out.append(before.replace("{{", "\\{{").removesuffix("\\"))
            name, *filters = match[1].split("|")
            path = self.path(tuple(part.strip() for part in name.split(".")))
            out.append(expression(" | ".join([path, *filters])) if path else (NOTHING if whole else ""))
            position = match.end()
        out.append(text[position:].replace("{{", "\\{{"))
        return "".join(out).strip() if whole else "".join(out)

    def path(self, selector: tuple[str, ...], *, inside: bool = False) -> str | None:
        """The path that a selector means here; None where it means nothing, which is noted."""
        if len(selector) < 2 or not all(selector):
            self._missing(".".join(selector))
            return None
        root, keys = self._below_start(selector[0], selector[1:])
        special: dict[str, Callable[[tuple[str, ...]], str | None]] = {
            "sys": self._sys,
            "env": self._environment,
            "conversation": self._variable,
        }
        path = special[root](keys) if root in special else self._output(root, keys, inside)
        if path is None:
            self._missing(".".join(selector))
        return path

    def _below_start(self, root: str, keys: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
        """The first versions of the format name what the system gives as outputs of the start: `sys.query`."""
        whole = ".".join(keys)
        if root not in {start.id for start in self._ctx.starts} or not whole.startswith("sys."):
            return root, keys
        below = tuple(part for part in whole.split(".")[1:] if part)
        return ("sys", below) if below else (root, keys)

    def _missing(self, name: str) -> None:
        if not name:
            self._line.note("a reference is empty", "有一处引用为空")
        elif name == "sys.dialogue_count":
            self._line.note(
                f"messages are not counted here: {name} is empty, and comparing it with a number does not hold",
                f"这里不统计消息数：{name} 为空，与数字比较不成立",
            )
        elif name.startswith("env.") and name[4:] in self._ctx.secret_names:
            self._line.note(
                f"the secret {name[4:]} may stand only in headers and addresses",
                f"密钥 {name[4:]} 只能用于请求头和地址",
            )
        else:
            self._line.note(f"{name[:80]} does not exist here: empty", f"{name[:80]} 在这里不存在，留空")

    def _say(self, note: Text) -> None:
        if note.en:
            self._line.note(note.en, note.zh)

    def _sys(self, keys: tuple[str, ...]) -> str | None:
        if keys[0] in ("query", "files"):
            name, part = self._ctx.system_inputs.get(keys[0]), file_part(keys[1:])
            if not name or not self._ctx.start_id or part is None:
                return None
            self._say(part[1])
            return written(self._ctx.start_id, (name, *part[0]))
        known = _SYS.get(keys[0])
        return written(known, keys[1:]) if known else None

    def _environment(self, keys: tuple[str, ...]) -> str | None:
        return written("env", keys) if keys[0] in self._ctx.environment else None

    def _variable(self, keys: tuple[str, ...]) -> str | None:
        name = self._ctx.variables.get(keys[0])
        return written("vars", (name, *keys[1:])) if name else None

    def _output(self, root: str, keys: tuple[str, ...], inside: bool) -> str | None:
        other = self._ctx.app.nodes.get(root)
        if other is None or other.is_frame_start:
            return None
        around = [*([self._node.id] if inside or self._inside else []), *self._ctx.parents(self._node)]
        if root in around:
            return self._of_frame(other, keys, around)
        path = self._ctx.output_path(other, keys)
        if path is None:
            return None
        self._say(path.note)
        return written(self._ctx.id_of(other, path.step), path.keys, path.filters)

    def _of_frame(self, frame: DifyNode, keys: tuple[str, ...], around: list[str]) -> str | None:
        """What a frame gives to the nodes inside it: only the innermost of its kind can be named."""
        nearest = next(name for name in around if self._ctx.app.nodes[name].type == frame.type)
        if nearest != frame.id:
            return None
        if frame.type == "iteration":
            below = (OR_NULL,) if keys[1:] else ()  # items need not be alike
            return written(keys[0], keys[1:], below) if keys[0] in ("item", "index") else None
        if frame.type != "loop":
            return None
        name = self._ctx.loop_variables(frame).get(keys[0])
        if name:
            return written("loop.vars", (name, *keys[1:]))
        return "loop.index" if keys[0] == "index" else None


def default_filter(value: Any) -> str | None:
    """The filter that puts a plain value where there is none."""
    if value is None or isinstance(value, str | int | float | bool):
        return f"default({json.dumps(value, ensure_ascii=False)})"
    return None


__all__ = [
    "NOTHING",
    "OR_NULL",
    "REFERENCE",
    "Path",
    "References",
    "default_filter",
    "expression",
    "or_nothing",
    "written",
]
