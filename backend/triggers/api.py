"""REST of triggers and their deliveries."""

from __future__ import annotations

from django.db.models import F
from django.http import StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from backend.runs.responses import RunJson, run_whole
from backend.triggers import selectors, serializers, services
from backend.triggers.exporting import exported
from backend.triggers.responses import (
    DeliveryListJson,
    NewTriggerJson,
    TriggerJson,
    TriggerListJson,
    delivery_shapes,
    new_trigger_json,
    shape,
    shapes,
    with_last,
)
from backend.web.rest import ApiView, checked, language_of, page_of
from backend.web.streams import LINES, file_of
from backend.workflows.selectors import workflow_for

_PAGE = [OpenApiParameter("cursor", str), OpenApiParameter("limit", int)]


class TriggersView(ApiView):
    """The team's triggers."""

    @extend_schema(operation_id="triggers_list", responses=TriggerListJson, parameters=_PAGE)
    def get(self, request: Request) -> Response:
        """All triggers of the team, newest first, with a schedule's next times and what each did last."""
        rows, following = page_of(request, with_last(selectors.triggers_of(self.actor)))
        return Response({"results": shapes(rows), "next": following})


class WorkflowTriggersView(ApiView):
    """The triggers of a workflow."""

    @extend_schema(operation_id="workflow_triggers_list", responses=TriggerListJson, parameters=_PAGE)
    def get(self, request: Request, workflow: str) -> Response:
        """The triggers of one workflow, newest first."""
        row = workflow_for(self.actor, workflow)
        rows, following = page_of(request, with_last(selectors.triggers_of_workflow(self.actor, row)))
        return Response({"results": shapes(rows), "next": following})

    @extend_schema(
        operation_id="triggers_create", request=serializers.NewTriggerSerializer, responses={201: NewTriggerJson}
    )
    def post(self, request: Request, workflow: str) -> Response:
        """Make a trigger; of a webhook the address is in this answer only. Webhooks are made by admins.

        409 where the team has as many as it may have.
        """
        row = workflow_for(self.actor, workflow)
        data = checked(serializers.NewTriggerSerializer(data=request.data))
        created = services.trigger_create(self.actor, row, data["kind"], data["name"], data["enabled"], data["config"])
        return Response(new_trigger_json(created), status=201)


class TriggerView(ApiView):
    """One trigger."""

    @extend_schema(operation_id="triggers_get", responses=TriggerJson)
    def get(self, request: Request, key: str) -> Response:
        """The trigger."""
        return Response(shape(selectors.trigger_for(self.actor, key)))

    @extend_schema(operation_id="triggers_update", request=serializers.TriggerChangesSerializer, responses=TriggerJson)
    def patch(self, request: Request, key: str) -> Response:
        """Change it, or switch it on or off. Its runs go in the name of whoever switched it on or changed it last."""
        row = selectors.trigger_for(self.actor, key)
        data = checked(serializers.TriggerChangesSerializer(data=request.data))
        return Response(shape(services.trigger_update(self.actor, row, data)))

    @extend_schema(operation_id="triggers_delete", responses={204: None})
    def delete(self, request: Request, key: str) -> Response:
        """Delete it with its deliveries; its runs stay."""
        services.trigger_delete(self.actor, selectors.trigger_for(self.actor, key))
        return Response(status=204)


class RotateView(ApiView):
    """A webhook's address."""

    roles = {"POST": "admin"}

    @extend_schema(operation_id="triggers_rotate", request=None, responses=NewTriggerJson)
    def post(self, request: Request, key: str) -> Response:
        """Replace the address; it is in this answer only, and the one before ends at once. 409 for other kinds."""
        return Response(new_trigger_json(services.trigger_rotate(self.actor, selectors.trigger_for(self.actor, key))))


class TryView(ApiView):
    """Trying a trigger on the draft."""

    scopes = {"POST": "run"}

    @extend_schema(operation_id="triggers_test", request=serializers.TestTriggerSerializer, responses={202: RunJson})
    def post(self, request: Request, key: str) -> Response:
        """Run the draft, in your name, for a delivery, a request of your own, or a sample."""
        trigger = selectors.trigger_for(self.actor, key)
        data = checked(serializers.TestTriggerSerializer(data=request.data))
        delivery = selectors.delivery_for(trigger, data["delivery"]) if "delivery" in data else None
        run = services.trigger_test(self.actor, trigger, delivery, data.get("request"))
        return Response(run_whole(run, language_of(request)), status=202)


class DeliveriesView(ApiView):
    """What a trigger did."""

    @extend_schema(operation_id="triggers_deliveries", responses=DeliveryListJson, parameters=_PAGE)
    def get(self, request: Request, key: str) -> Response:
        """Its deliveries, newest first, masked, with their runs."""
        trigger = selectors.trigger_for(self.actor, key)
        rows = selectors.deliveries_of(trigger).annotate(size=F("blob__size"))
        deliveries, following = page_of(request, rows)
        return Response({"results": delivery_shapes(deliveries, language_of(request)), "next": following})


class DeliveriesExportView(ApiView):
    """What a trigger did, as a file."""

    @extend_schema(operation_id="triggers_deliveries_export", responses={(200, LINES): OpenApiTypes.STR})
    def get(self, request: Request, key: str) -> StreamingHttpResponse:
        """All its deliveries as lines of JSON, newest first: as in the list, and all that came, masked.

        A text of what came ends after 100,000 characters.
        """
        trigger = selectors.trigger_for(self.actor, key)
        return file_of(
            exported(trigger, language_of(request)), f"deliveries-{trigger.pk}.jsonl", "application/x-ndjson"
        )


class ReplayView(ApiView):
    """Delivering again."""

    scopes = {"POST": "run"}

    @extend_schema(operation_id="triggers_replay", request=None, responses={202: RunJson})
    def post(self, request: Request, key: str, delivery: str) -> Response:
        """Start another run of the published version for what came then, under a new key. 409 where it is off."""
        trigger = selectors.trigger_for(self.actor, key)
        run = services.delivery_replay(self.actor, trigger, selectors.delivery_for(trigger, delivery))
        return Response(run_whole(run, language_of(request)), status=202)
