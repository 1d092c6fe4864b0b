"""What the API of runs takes and gives, as OpenAPI describes it."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from backend.runs.models import Interaction, RunState
from backend.tools.approvers import RULES

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
    wait = serializers.FloatField(
        required=False, min_value=0, max_value=600, help_text="Seconds to wait for the run to end or to ask a person."
    )


class WaitingSerializer(serializers.Serializer[Any]):
    """What a run waits for."""

    kind = serializers.ChoiceField(choices=["person", "timer", "child", "pause"])
    interaction = serializers.CharField(required=False)
    until = serializers.DateTimeField(required=False)
    run = serializers.CharField(required=False, help_text="The child run that is waited for.")
    restored_from = serializers.DateTimeField(
        required=False,
        help_text="With `pause`: the run was restored from a backup of this time and has not gone on since.",
    )
    was_paused = serializers.BooleanField(required=False, help_text="Somebody had paused it before that backup.")


class UsageSerializer(serializers.Serializer[Any]):
    """What a run used, its child runs that ended included. `seconds` = time in which it was being worked on."""

    input_tokens = serializers.IntegerField()
    output_tokens = serializers.IntegerField()
    cost = serializers.FloatField()
    tool_calls = serializers.IntegerField()
    seconds = serializers.FloatField()


class RunErrorSerializer(serializers.Serializer[Any]):
    """Why a run failed."""

    code = serializers.CharField()
    message = serializers.CharField()
    hint = serializers.CharField()
    node = serializers.CharField(allow_null=True)
    detail = _ANY(allow_null=True)


class RunSerializer(serializers.Serializer[Any]):
    """One execution of a workflow. `outputs` is {} before the end."""

    id = serializers.CharField()
    workflow = serializers.CharField()
    workflow_name = serializers.CharField()
    version = serializers.IntegerField(allow_null=True, help_text="null = a draft")
    draft_revision = serializers.IntegerField(allow_null=True)
    state = serializers.ChoiceField(choices=RunState.choices)
    inputs = serializers.DictField()
    outputs = serializers.DictField()
    error = RunErrorSerializer(allow_null=True)
    usage = UsageSerializer()
    waiting = WaitingSerializer(many=True)
    trigger = serializers.CharField()
    started_by = serializers.CharField(allow_null=True, help_text="E-mail.")
    parent_run = serializers.CharField(allow_null=True, help_text="The run whose step started this one.")
    root_run = serializers.CharField(allow_null=True, help_text="The outermost run above this one.")
    origin_run = serializers.CharField(allow_null=True, help_text="The run that this one is a retry or fork of.")
    origin_step = serializers.CharField(allow_null=True, help_text="The step of it from which this one runs anew.")
    origin_node = serializers.CharField(allow_null=True, help_text="That step's node.")
    copied_seq = serializers.IntegerField(help_text="Events 2 to this one were taken over from it; 0 = none.")
    queued_at = serializers.DateTimeField()
    started_at = serializers.DateTimeField(allow_null=True)
    finished_at = serializers.DateTimeField(allow_null=True)
    last_seq = serializers.IntegerField()


class ChildRunSerializer(serializers.Serializer[Any]):
    """A run that a step of another run started; `STEP_LOG` and `TOOL_REQUEST` of that step name it as `data.run`."""

    id = serializers.CharField()
    workflow = serializers.CharField()
    workflow_name = serializers.CharField()
    version = serializers.IntegerField(allow_null=True)
    state = serializers.ChoiceField(choices=RunState.choices)
    error = RunErrorSerializer(allow_null=True)
    usage = UsageSerializer()
    waiting = WaitingSerializer(many=True)
    queued_at = serializers.DateTimeField()
    started_at = serializers.DateTimeField(allow_null=True)
    finished_at = serializers.DateTimeField(allow_null=True)


class RunDetailSerializer(RunSerializer):
    """A run as opened, with the snapshot of the graph that it executes and the runs that it started."""

    graph = serializers.DictField()
    children = ChildRunSerializer(many=True, help_text="The latest 50 of the runs that it started, oldest first.")
    children_count = serializers.IntegerField(help_text="How many runs it started.")
    children_next = serializers.CharField(
        allow_null=True,
        help_text="`cursor` of `GET /api/runs?parent={id}`, which goes on with the earlier ones, newest first; null = "
        "`children` are all.",
    )


class RunListSerializer(serializers.Serializer[Any]):
    """One page of runs, newest first."""

    results = RunSerializer(many=True)
    next = serializers.CharField(allow_null=True)


class FrameSerializer(serializers.Serializer[Any]):
    """A frame around a step: which round of which iteration or loop."""

    node = serializers.CharField()
    index = serializers.IntegerField()


class EventSerializer(serializers.Serializer[Any]):
    """One line of a run's log; `seq` from 1 without gaps. `data` by `type`.

    Sentences in `data` are in the reader's language (Accept-Language; over the websocket the subscription's
    `language`): `message` and `hint` of STEP_ERROR and FLOW_FAILED beside their `code` and `params`, and the
    `risk.reasons` of STEP_WAITING_FOR_START beside `risk.codes` = [{code, params}].
    """

    run = serializers.CharField()
    seq = serializers.IntegerField()
    ts = serializers.DateTimeField()
    type = serializers.CharField()
    node = serializers.CharField(allow_null=True)
    path = FrameSerializer(many=True)
    step = serializers.CharField(allow_null=True)
    data = serializers.DictField()  # type: ignore[assignment]


class EventListSerializer(serializers.Serializer[Any]):
    """Events after `after`; `next` is the `after` of the following page, null at the end of what there is."""

    results = EventSerializer(many=True)
    next = serializers.IntegerField(allow_null=True)


class RiskTextSerializer(serializers.Serializer[Any]):
    """How dangerous a call is, and why."""

    level = serializers.ChoiceField(choices=["LOW", "MEDIUM", "HIGH"])
    reasons = serializers.ListField(child=serializers.CharField())


class AnswerSerializer(serializers.Serializer[Any]):
    """An answer. `values` absent = as proposed."""

    action = serializers.ChoiceField(choices=["accept", "decline", "cancel", "retry", "skip", "fail"])
    values = _ANY(required=False, allow_null=True)
    reason = serializers.CharField(required=False, allow_blank=True, max_length=4000)
    remember = serializers.ChoiceField(required=False, choices=["once", "run", "tool", "arguments"])


class RecordSerializer(serializers.Serializer[Any]):
    """A call that a run's journal holds."""

    node = serializers.CharField()
    path = FrameSerializer(many=True, help_text="Rounds around the node, outermost first.")
    attempt = serializers.IntegerField()
    key = serializers.CharField(help_text="Its name within the step.")
    tool = _ANY(allow_null=True, help_text="`{server, name}` of a tool call.")
    arguments = _ANY(allow_null=True, help_text="Of a tool call, where they are not large.")
    at = serializers.DateTimeField(allow_null=True)
    ended = serializers.BooleanField(help_text="Whether its result was stored.")
    error = serializers.CharField(allow_null=True, help_text="Code of the error that it ended with.")
    version = serializers.CharField(
        allow_null=True, help_text="The version of Patchbay that wrote it; null: one that did not say."
    )


class AskedSerializer(serializers.Serializer[Any]):
    """What a step asked for that the journal does not hold."""

    key = serializers.CharField(allow_blank=True, help_text="Empty: the step was about to end.")
    target = serializers.CharField()


class MismatchSerializer(serializers.Serializer[Any]):
    """What the journal holds, and what was asked for instead."""

    recorded = RecordSerializer(many=True)
    more = serializers.IntegerField(help_text="Records that are not shown.")
    asked = AskedSerializer(allow_null=True, help_text="Null: the same name was called otherwise.")


class StartedSerializer(serializers.Serializer[Any]):
    """Who started the outermost run, how and when."""

    by = serializers.CharField(allow_null=True)
    trigger = serializers.CharField()
    at = serializers.DateTimeField()


class DefinitionChangeSerializer(serializers.Serializer[Any]):
    """How a tool's definition differs from the accepted one: its risk by either, the lines that went (`-…`) and came
    (`+…`); `@` stands where lines are left out."""

    since = serializers.CharField(allow_blank=True)
    before = serializers.ChoiceField(choices=["LOW", "MEDIUM", "HIGH"])
    after = serializers.ChoiceField(choices=["LOW", "MEDIUM", "HIGH"])
    lines = serializers.ListField(child=serializers.CharField(allow_blank=True))


class ReadSerializer(serializers.Serializer[Any]):
    """A tool's result that the model had read before it chose the call."""

    server = serializers.CharField(allow_blank=True)
    tool = serializers.CharField()
    characters = serializers.IntegerField()
    excerpt = serializers.CharField(allow_blank=True)


class EvidenceSerializer(serializers.Serializer[Any]):
    """What a person should know of a call besides its arguments."""

    definition = DefinitionChangeSerializer(allow_null=True)
    read = ReadSerializer(many=True)


class GivenApprovalSerializer(serializers.Serializer[Any]):
    """A person's yes."""

    by = serializers.CharField(allow_null=True, help_text="E-mail; null for a person who is gone.")
    at = serializers.DateTimeField()
    changed = serializers.BooleanField(help_text="Whether it is for other values than were proposed.")
    values = _ANY(allow_null=True, help_text="Those values, where they were changed.")
    remember = serializers.ChoiceField(choices=["once", "run", "tool", "arguments"])


class AgreementSerializer(serializers.Serializer[Any]):
    """Who must approve. A yes to other values than those of the yes before it begins anew."""

    rule = serializers.ChoiceField(choices=list(RULES), help_text="The stricter of tool, node and workflow.")
    needed = serializers.IntegerField(help_text="How many people must say yes.")
    given = GivenApprovalSerializer(many=True)
    able = serializers.ListField(
        child=serializers.CharField(),
        help_text="While it is open and not anyone may: whose yes can still count, by e-mail.",
    )


class InteractionSerializer(serializers.Serializer[Any]):
    """A question that a run asks a person."""

    id = serializers.CharField()
    run = serializers.CharField()
    root_run = serializers.CharField()
    workflow = serializers.CharField()
    workflow_name = serializers.CharField()
    root_workflow_name = serializers.CharField(help_text="Of the outermost run, which people started.")
    node = serializers.CharField(allow_null=True)
    node_title = serializers.CharField(allow_null=True, help_text="What the node is called in the run's graph.")
    step = serializers.CharField(allow_null=True)
    kind = serializers.ChoiceField(
        choices=["approval", "params", "form", "elicitation", "recovery", "budget", "server", "mismatch"]
    )
    title = serializers.CharField()
    cause = serializers.ChoiceField(
        choices=["outcome", "failure"],
        allow_null=True,
        help_text="Of a recovery: `outcome` = nobody knows how the call ended; `failure` = Patchbay itself failed at "
        "the step again and again.",
    )
    message = serializers.CharField(allow_blank=True)
    tool = _ANY(allow_null=True)
    risk = RiskTextSerializer(allow_null=True)
    schema = _ANY(allow_null=True)
    proposal = _ANY(allow_null=True)
    called_at = serializers.DateTimeField(
        allow_null=True, help_text="Of a recovery or mismatch: when the call began that nobody knows the outcome of."
    )
    mismatch = MismatchSerializer(allow_null=True, help_text="Of a mismatch: its evidence.")
    started = StartedSerializer()
    evidence = EvidenceSerializer()
    approval = AgreementSerializer()
    assignees = serializers.ListField(child=serializers.CharField())
    expires_at = serializers.DateTimeField(allow_null=True)
    on_expire = serializers.ChoiceField(choices=["decline", "fail"], allow_null=True)
    state = serializers.ChoiceField(choices=Interaction.State.choices)
    answer = AnswerSerializer(allow_null=True)
    answered_by = serializers.CharField(allow_null=True)
    answered_at = serializers.DateTimeField(allow_null=True)
    created_at = serializers.DateTimeField()


class InteractionListSerializer(serializers.Serializer[Any]):
    """One page of questions, newest first."""

    results = InteractionSerializer(many=True)
    next = serializers.CharField(allow_null=True)
