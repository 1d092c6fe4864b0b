"""Question classifier: our classifier, a port for each class."""

from __future__ import annotations

from backend.engine.document.graph import ID
from backend.engine.document.types import ERROR, Text
from backend.workflows.dify.context import Context, ref
from backend.workflows.dify.mapping import Left, Mapped, Mapping, Step, renamed
from backend.workflows.dify.reading import DifyNode, dict_in, dicts_in, text_in
from backend.workflows.report import listed, plural


def _ids(names: list[str]) -> list[str]:
    """The classes by their names where all of these can be ids, so that what is read is the name; else by number."""
    if all(ID.fullmatch(name) and name != ERROR for name in names) and len(set(names)) == len(names):
        return names
    return [f"class_{index}" for index in range(1, len(names) + 1)]


def convert(node: DifyNode, ctx: Context) -> Mapped:
    """The classes in their order."""
    classes = dicts_in(node.data, "classes")
    if not classes:
        raise Left("it has no classes", "没有任何类别")
    names = [text_in(item, "name") or text_in(item, "label") for item in classes]
    ids = _ids(names)
    if (ids != names and ctx.reads(node, "class_name")) or ctx.reads(node, "class_id"):
        class_ids = listed(ids)
        ctx.lines[node.id].note(
            f"its class is given as {class_ids} where it is read", f"读取其类别时得到的是 {class_ids}"
        )
    config = {
        **ctx.model(dict_in(node.data, "model"), ctx.lines[node.id]),
        "text": ref(node.data.get("query_variable_selector")),
        "classes": [{"id": id_, "description": name} for id_, name in zip(ids, names, strict=True)],
    }
    instruction = text_in(node.data, "instruction") or text_in(node.data, "instructions")
    if instruction.strip():
        config["instructions"] = f"{instruction.strip()}\n\n{{classes}}"
    handles = {text_in(item, "id") or id_: id_ for id_, item in zip(ids, classes, strict=True)}
    why = Text(plural(len(classes), "class", "classes"), f"{len(classes)} 个类别")
    return Mapped([Step("classifier", config)], why, handles)


QUESTION_CLASSIFIER = Mapping(convert, renamed({"class_name": "class", "class_id": "class", "usage": "usage"}))
