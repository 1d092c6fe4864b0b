"""The names and descriptions of the workflows that come along, in the language of whoever reads them.

A workflow knows which template it was made from (`Workflow.example`); one that somebody made is shown as it stands,
whatever it is called. So is what somebody wrote in an example's place, and so are the documents, which are a team's own
from the beginning.
"""

from __future__ import annotations

from functools import cache

from django.db.models import Q

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


def meaning(wanted: str) -> Q:
    """Examples with these words in their name or description in either language."""
    stored = [
        key for key, text in _texts().items() if any(wanted.lower() in each.lower() for each in (text.en, text.zh))
    ]
    examples, texts = {example for example, _ in stored}, {text for _, text in stored}
    return Q(example__in=examples) & (Q(name__in=texts) | Q(description__in=texts))
