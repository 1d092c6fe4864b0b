"""Question classifier: our classifier, a port for each class."""

from __future__ import annotations

from backend.engine.document.types import Text
from backend.workflows.dify.context import Context, ref
from backend.workflows.dify.mapping import Left, Mapped, Mapping, Step, renamed
from backend.workflows.dify.reading import DifyNode, dict_in, dicts_in, text_in
from backend.workflows.report import plural


def convert(node: DifyNode, ctx: Context) -> Mapped:
    """The classes in their order."""
    classes = dicts_in(node.data, "classes")
    if not classes:
        raise Left("it has no classes", "没有任何类别")
    ids = [f"class_{index}" for index in range(1, len(classes) + 1)]
    config = {
        **ctx.model(dict_in(node.data, "model"), ctx.lines[node.id]),
        "text": ref(node.data.get("query_variable_selector")),
        "classes": [
            {"id": id_, "description": text_in(item, "name") or text_in(item, "label")}
            for id_, item in zip(ids, classes, strict=True)
        ],
    }
    instruction = text_in(node.data, "instruction") or text_in(node.data, "instructions")
    if instruction.strip():
        config["instructions"] = f"{instruction.strip()}\n\n{{classes}}"
    handles = {text_in(item, "id") or id_: id_ for id_, item in zip(ids, classes, strict=True)}
    why = Text(plural(len(classes), "class", "classes"), f"{len(classes)} 个类别")
    return Mapped([Step("classifier", config)], why, handles)


QUESTION_CLASSIFIER = Mapping(convert, renamed({"class_name": "class", "class_id": "class", "usage": "usage"}))
