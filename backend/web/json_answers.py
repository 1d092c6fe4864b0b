"""JSON answers: as Django REST framework writes them, with times first, of which a page of a list holds 200."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from rest_framework.renderers import JSONRenderer
from rest_framework.utils.encoders import JSONEncoder


class AnswerEncoder(JSONEncoder):
    """What JSON has no word for, as text."""

    def default(self, obj: Any) -> Any:
        """A time in UTC ends with Z."""
        if type(obj) is not datetime:
            return super().default(obj)
        text = obj.isoformat()
        return text[:-6] + "Z" if text.endswith("+00:00") else text


class AnswerRenderer(JSONRenderer):
    """Answers of the API."""

    encoder_class = AnswerEncoder
