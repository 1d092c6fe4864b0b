"""What an app has beside its steps and our document has not: said once for the whole file. Pure."""

from __future__ import annotations

from backend.engine.document.types import Text
from backend.workflows.dify.reading import DifyApp, text_in
from backend.workflows.report import plural


def left_outside(app: DifyApp) -> list[Text]:
    """The notes on it, in the order in which a person meets what they speak of."""
    notes: list[Text] = []
    if app.mode == "chatflow":
        if text_in(app.features, "opening_statement").strip():
            notes.append(
                Text(
                    "Its opening statement is left out: enter it as the greeting of a chat trigger.",
                    "开场白未带入：请填写为聊天触发器的欢迎语。",
                )
            )
        questions = app.features.get("suggested_questions")
        count = (
            sum(isinstance(text, str) and bool(text.strip()) for text in questions)
            if isinstance(questions, list)
            else 0
        )
        if count:
            count_words = plural(count, "suggested question is", "suggested questions are")
            notes.append(Text(f"{count_words} left out.", f"{count} 个建议问题未带入。"))
    count = sum(bool(text_in(node.data, "desc").strip()) for node in app.nodes.values())
    if count:
        steps = "The description of 1 step is" if count == 1 else f"The descriptions of {count} steps are"
        notes.append(
            Text(
                f"{steps} left out: a note on the canvas can say the same.",
                f"{count} 个步骤的说明未带入：可写成画布上的便签。",
            )
        )
    return notes
