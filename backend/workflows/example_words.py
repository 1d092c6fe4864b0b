"""The names and descriptions of the workflows that come along, in the language of whoever reads them.

A workflow knows which template it was made from (`Workflow.example`); one that somebody made is shown as it stands,
whatever it is called. So is what somebody wrote in an example's place, and so are the documents, which are a team's own
from the beginning.
"""

from __future__ import annotations

from functools import cache

from backend.database.listing import marks
from backend.engine.document.types import Text
from backend.workflows.templates import TEMPLATES


@cache
def _texts() -> dict[tuple[str, str], Text]:
    texts = [(template.id, text) for template in TEMPLATES for text in (template.name, template.description)]
    return {(example, written): text for example, text in texts for written in (text.en, text.zh)}


def workflow_text(text: str, example: str, language: str) -> str:
    """The name or description of a workflow made from the template `example` ("" = from none).

    The template's own, in whichever language it was stored, comes in the reader's; any other text as it is.
    """
    known = _texts().get((example, text)) if example else None
    return known.in_(language) if known else text


def meaning(search: str) -> tuple[str, list[str]]:
    """Examples with these words in their name or description in either language, as SQL and its values; "" = none."""
    stored = [
        key for key, text in _texts().items() if any(search.lower() in each.lower() for each in (text.en, text.zh))
    ]
    if not stored:
        return "", []
    examples, texts = sorted({example for example, _ in stored}), sorted({text for _, text in stored})
    of, among = marks(examples), marks(texts)
    sql = f"(example IN ({of}) AND (workflows_workflow.name IN ({among}) OR description IN ({among})))"
    return sql, [*examples, *texts, *texts]
