"""REST of runs: start, list, open, events, cancel, pause, resume, and the questions they ask."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from django.conf import settings
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpResponse
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from backend.accounts.actor import Actor
from backend.database.ids import new_id
from backend.errors import ValidationFailed
from backend.runs import responses, selectors, serializers
from backend.runs.interactions import outages, questions
from backend.runs.interactions.responses import InteractionJson, InteractionListJson, interaction_shape
from backend.runs.lifecycle import erasing
from backend.runs.live.hub import HUB
from backend.runs.live.run_waiters import WAITING, RunWaiter, WaitingResponse
from backend.runs.models import TERMINAL, Interaction, Run, RunState
from backend.runs.responses import (
    CallerListJson,
    EventListJson,
    RoundListJson,
    RunDetailJson,
    RunJson,
    RunListJson,
)
from backend.runs.rounds import STATES, begins_with, path_of, rounds_of
from backend.runs.starting import services, steering
from backend.runs.waits import waits_for_person
from backend.web.rest import ApiView, checked, checked_as, language_of, page, page_listed, whole_number
from backend.workflows.selectors import workflow_to_run

MOST_EVENTS = 1000
_PAGE = [OpenApiParameter("cursor", str), OpenApiParameter("limit", int)]


class StartView(ApiView):
    """Runs of one workflow."""

    bound = ("POST",)
    scopes = {"POST": "run"}

    @extend_schema(
        operation_id="runs_start",
        request=serializers.StartSerializer,
        responses={200: RunJson, 202: RunJson},
        parameters=[
            OpenApiParameter("Idempotency-Key", str, OpenApiParameter.HEADER, description="The same key, the same run.")
        ],
    )
    def post(self, request: Request, workflow: str) -> HttpResponse:
        """Start a run. 202 at once; with `wait` 200 when it ended or asks a person, 202 when the time is over.

        429 without a run where as many requests of this token wait as may wait at once.
        """
        workflow_row = workflow_to_run(self.actor, workflow)
        body = request.data if isinstance(request.data, dict) else {}
        if not isinstance(body.get("inputs", {}), dict):
            raise ValidationFailed(fields={"inputs": ["must be an object"]})
        data = checked_as(serializers.StartSerializer, request.data)
        seconds = float(data.get("wait") or 0)
        key = request.META.get("HTTP_IDEMPOTENCY_KEY", "")
        if len(key) > 200:
            raise ValidationFailed(fields={"Idempotency-Key": ["must have at most 200 characters"]})
        start = partial(
            services.start_run,
            self.actor,
            workflow_row,
            body.get("inputs"),
            data.get("version"),
            data.get("revision"),
            key or None,
            until=data.get("until"),
            outputs=data.get("outputs"),
        )
        if seconds <= 0:
            return Response(responses.run_whole(start()[0], language_of(request)), status=202)
        return _waiting(request, self.actor, start, seconds)


def _waiting(request: Request, actor: Actor, start: Callable[..., tuple[Run, bool]], seconds: float) -> HttpResponse:
    """Start a run and give the response that waits for it. Raises what `start` does, RateLimited."""
    who = actor.token.pk if actor.token is not None else actor.user.pk
    WAITING.enter(str(who), settings.PATCHBAY.waiting_per_token)
    run_id = new_id("run")
    wait = RunWaiter(HUB, run_id)
    HUB.add_wait(wait)

    def release() -> None:
        HUB.remove_wait(wait)
        WAITING.leave(str(who))

    try:
        run, new = start(run_id=run_id)
        if not new:
            HUB.move_wait(wait, run.pk)
            wait.notify()  # it may stand already
        response = WaitingResponse(wait, seconds, partial(_look, run, language_of(request)), release)
        on_loop = isinstance(request._request, ASGIRequest)
        if on_loop:
            response.complete_near()
    except BaseException:
        release()
        raise
    if not on_loop:
        response.complete_here()
    return response


def _look(run: Run, language: str, over: bool) -> tuple[int, bytes] | None:
    """(status, body) of the answer once the run stands, or the time is over."""
    services.reread(run)
    stands = _stands(run)
    if not stands and not over:
        return None
    return 200 if stands else 202, JSONRenderer().render(responses.run_whole(run, language))


def _stands(run: Run) -> bool:
    """Whether the run ended or waits for a person."""
    return run.state in TERMINAL or (run.state == RunState.WAITING and waits_for_person(run))


class RunsView(ApiView):
    """The team's runs."""

    bound = ("GET",)

    @extend_schema(
        operation_id="runs_list",
        responses=RunListJson,
        parameters=[
            *_PAGE,
            OpenApiParameter("workflow", str),
            OpenApiParameter("state", str, enum=RunState.values),
            OpenApiParameter("parent", str, description="Runs that this run started."),
            OpenApiParameter("caller", str, description="Runs that a program with this name started (`caller.name`)."),
        ],
    )
    def get(self, request: Request) -> Response:
        """The team's runs, newest first; large inputs and outputs as references.

        Runs that other runs started are listed with `parent` or `workflow` only.
        """
        state = request.query_params.get("state")
        if state and state not in RunState.values:
            raise ValidationFailed(fields={"state": [f"must be one of {', '.join(RunState.values)}"]})
        language = language_of(request)
        query = request.query_params
        conditions = selectors.matching_runs(
            self.actor, query.get("workflow"), state, query.get("parent"), query.get("caller")
        )
        items, following = page_listed(request, selectors.LISTED, conditions, "queued_at")
        return Response({"results": responses.run_shapes(items, language), "next": following})


class CallersView(ApiView):
    """The programs that started runs of the team."""

    @extend_schema(
        operation_id="runs_callers",
        responses=CallerListJson,
        parameters=[*_PAGE, OpenApiParameter("q", str, description="Names that hold it.")],
    )
    def get(self, request: Request) -> Response:
        """Names of tokens, clients and triggers as stored runs keep them, in order; `next` is the last one's."""
        limit = whole_number(request, "limit", 50, 1, 200)
        query = request.query_params
        names = selectors.caller_names(self.actor, query.get("q") or "", query.get("cursor") or "", limit + 1)
        shown = names[:limit]
        more = len(names) > limit
        return Response({"results": [{"name": name} for name in shown], "next": shown[-1] if more else None})


class RunView(ApiView):
    """One run."""

    bound = ("GET",)

    @extend_schema(operation_id="runs_get", responses=RunDetailJson)
    def get(self, request: Request, key: str) -> Response:
        """The run with its inputs and outputs in full, the snapshot of its graph and the latest runs that it started.

        All runs that it started: `GET /api/runs?parent={id}`.
        """
        return Response(responses.run_detail(selectors.run_for(self.actor, key), language_of(request)))

    @extend_schema(operation_id="runs_delete", responses={204: None})
    def delete(self, request: Request, key: str) -> Response:
        """Delete an ended run with everything of it: log, questions, files, retries and forks, tests saved from it.

        409 while it or a run made of it goes on, and for a run that another one started.
        """
        erasing.run_delete(self.actor, selectors.run_for(self.actor, key))
        return Response(status=204)


class EventsView(ApiView):
    """The log of a run."""

    bound = ("GET",)

    @extend_schema(
        operation_id="runs_events",
        responses=EventListJson,
        parameters=[
            OpenApiParameter("after", int),
            OpenApiParameter("limit", int),
            OpenApiParameter(
                "round", str, description="Only what happened in it: node:index, outermost first, by commas."
            ),
        ],
    )
    def get(self, request: Request, key: str) -> HttpResponse:
        """Events with `seq` above `after`, oldest first; put together from stored text, not parsed."""
        run = selectors.run_for(self.actor, key)
        after = whole_number(request, "after", 0, 0, 2**53)
        limit = whole_number(request, "limit", MOST_EVENTS, 1, MOST_EVENTS)
        round_path = path_of(request.query_params.get("round") or "", "round")
        language = language_of(request)
        events = (
            selectors.round_texts(run.pk, begins_with(round_path), after, limit + 1, language)
            if round_path
            else selectors.event_texts(run.pk, after, limit + 1, language)
        )
        following = events[limit - 1][0] if len(events) > limit else "null"
        body = ",".join(text for _, text in events[:limit])
        return HttpResponse(f'{{"results":[{body}],"next":{following}}}', content_type="application/json")


class RoundsView(ApiView):
    """The rounds of a frame of a run."""

    bound = ("GET",)

    @extend_schema(
        operation_id="runs_rounds",
        responses=RoundListJson,
        parameters=[
            OpenApiParameter("node", str, required=True, description="The iteration or loop."),
            OpenApiParameter("path", str, description="The rounds around it: node:index, outermost first, by commas."),
            OpenApiParameter("state", str, enum=STATES),
            OpenApiParameter("after", int, description="Only rounds with a higher number."),
            OpenApiParameter("limit", int),
        ],
    )
    def get(self, request: Request, key: str) -> Response:
        """One page of rounds in order, without what happened in them."""
        run, query = selectors.run_for(self.actor, key), request.query_params
        state = query.get("state")
        if state and state not in STATES:
            raise ValidationFailed(fields={"state": [f"must be one of {', '.join(STATES)}"]})
        after, limit = whole_number(request, "after", -1, -1, 2**31), whole_number(request, "limit", 50, 1, 200)
        rounds = rounds_of(run.pk, path_of(query.get("path") or "", "path"), query.get("node") or "")
        counts = {name: sum(item.state == name for item in rounds) for name in STATES}
        left = [item for item in rounds if item.index > after and (not state or item.state == state)]
        following = left[limit - 1].index if len(left) > limit else None
        return Response(
            {
                "results": [responses.round_shape(item) for item in left[:limit]],
                "next": following,
                "total": len(rounds),
                "states": counts,
            }
        )


class _RunActionView(ApiView):
    """An action on one run."""

    bound = ("POST",)
    scopes = {"POST": "run"}

    def done(self, request: Request, run: Run) -> Response:
        """The run as it stands after the action was accepted."""
        return Response(responses.run_whole(run, language_of(request)), status=202)


class CancelView(_RunActionView):
    """Ending a run."""

    @extend_schema(operation_id="runs_cancel", request=None, responses={202: RunJson})
    def post(self, request: Request, key: str) -> Response:
        """Cancel; 409 when the run has ended."""
        return self.done(request, steering.run_cancel(self.actor, selectors.run_for(self.actor, key)))


class PauseView(_RunActionView):
    """Letting a run rest."""

    @extend_schema(operation_id="runs_pause", request=None, responses={202: RunJson})
    def post(self, request: Request, key: str) -> Response:
        """Pause: what is in flight ends, nothing new begins; 409 when the run has ended or is paused."""
        return self.done(request, steering.run_pause(self.actor, selectors.run_for(self.actor, key)))


class ResumeView(_RunActionView):
    """Letting a run go on."""

    @extend_schema(operation_id="runs_resume", request=None, responses={202: RunJson})
    def post(self, request: Request, key: str) -> Response:
        """Go on after a pause; 409 when the run has ended."""
        return self.done(request, steering.run_resume(self.actor, selectors.run_for(self.actor, key)))


class InteractionsView(ApiView):
    """The team's inbox."""

    bound = ("GET",)

    @extend_schema(
        operation_id="interactions_list",
        responses=InteractionListJson,
        parameters=[
            *_PAGE,
            OpenApiParameter("state", str, enum=Interaction.State.values),
            OpenApiParameter("run", str),
            OpenApiParameter("id", str),
            OpenApiParameter("alone", bool, description="Without those that stand in a group."),
        ],
    )
    def get(self, request: Request) -> Response:
        """Questions, newest first."""
        state = request.query_params.get("state")
        if state and state not in Interaction.State.values:
            raise ValidationFailed(fields={"state": [f"must be one of {', '.join(Interaction.State.values)}"]})
        language = language_of(request)
        run, key = request.query_params.get("run"), request.query_params.get("id")
        rows = selectors.questions(self.actor, state, run, key)
        if not run and not key:
            rows = rows.exclude(kind="client")  # nobody but the client of the run can answer
        known: dict[str, Mapping[str, str]] = {}
        if request.query_params.get("alone") == "true":
            rows = rows.exclude(pk__in=outages.grouped(self.actor))
        return page(request, rows, lambda question: interaction_shape(question, language, known))


class AnswerView(ApiView):
    """Answering a question."""

    bound = ("POST",)
    scopes = {"POST": "answer"}

    @extend_schema(
        operation_id="interactions_answer",
        request=serializers.AnswerSerializer,
        responses=InteractionJson,
    )
    def post(self, request: Request, key: str) -> Response:
        """Answer once; 409 ALREADY_ANSWERED for the second, 400 leaves the question open.

        Where two people must approve, the first yes leaves it open too and stands in `approval.given`. 403
        APPROVAL_NEEDS_OTHERS where others must approve: for whoever started the run, and for one person's second yes.

        A token with the scope "answer" answers forms, missing parameters and what servers ask; the rest is for people
        who are signed in.
        """
        question = selectors.interaction_for(self.actor, key)
        answered = questions.answer(self.actor, question, checked(serializers.AnswerSerializer(data=request.data)))
        return Response(interaction_shape(answered, language_of(request)))
