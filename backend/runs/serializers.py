"""What requests about runs and questions may hold."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

_ANY = serializers.JSONField


class StartSerializer(serializers.Serializer[Any]):
    """What starts a run. `version` = a number or "draft"; absent = the published one. `wait` in seconds."""

    inputs = serializers.DictField(
        required=False,
        help_text='Checked against the start node\'s schema. A file is `{"$file": id}` of `POST /api/files`.',
    )
    version = serializers.JSONField(required=False, allow_null=True, help_text='A version\'s number, or "draft".')
    revision = serializers.IntegerField(
        required=False,
        allow_null=True,
        min_value=1,
        help_text="The draft's revision that is meant; another is refused.",
    )
    until = serializers.CharField(
        required=False,
        allow_null=True,
        max_length=63,
        help_text="A node of the draft: only it and what is upstream of it runs.",
    )
    outputs = serializers.DictField(
        required=False,
        allow_null=True,
        help_text="By node, what it gave: with `until`, that node runs alone and what it refers to is taken from here. "
        "By container around it, the values of its one round: `item` and `index`, or `loop` (`vars`, `last`, `index`).",
    )
    wait = serializers.FloatField(
        required=False, min_value=0, max_value=600, help_text="Seconds to wait for the run to end or to ask a person."
    )


class AnswerSerializer(serializers.Serializer[Any]):
    """An answer. `values` absent = as proposed."""

    action = serializers.ChoiceField(choices=["accept", "decline", "cancel", "retry", "skip", "fail"])
    values = _ANY(required=False, allow_null=True)
    reason = serializers.CharField(required=False, allow_blank=True, max_length=4000)
    remember = serializers.ChoiceField(required=False, choices=["once", "run", "tool", "arguments"])
