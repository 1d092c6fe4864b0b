"""REST of providers (`/api/providers…`): translates requests to services, trials and selectors."""

from __future__ import annotations

from django.db.models import QuerySet
from django.db.models.functions import Lower
from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from backend.accounts.actor import Actor
from backend.errors import ValidationFailed
from backend.providers import serializers as shape
from backend.providers import trials
from backend.providers.connections import drop_endpoint
from backend.providers.models import Provider
from backend.providers.presets import presets_json, presets_looked
from backend.providers.responses import (
    ProviderJson,
    ProviderListJson,
    ProviderModelListJson,
    ProviderPresetListJson,
    ProviderTestJson,
    provider_json,
)
from backend.providers.selectors import matching_providers, provider_for
from backend.providers.services import provider_create, provider_delete, provider_update
from backend.providers.user_credentials import PROVIDERS, required_slots
from backend.secrets.responses import OwnCredentialsJson
from backend.secrets.serializers import OwnKeysSerializer
from backend.secrets.user_credentials import Entered, credentials_of, own_json
from backend.web.remote_requests import answer
from backend.web.rest import ApiView, checked, language_of, page_by_text, page_of

SORTS = ("newest", "name")
_ADMIN = {"POST": "admin", "PATCH": "admin", "DELETE": "admin"}


def _shown(actor: Actor, provider: Provider, language: str) -> ProviderJson:
    return provider_json(provider, language, credentials_of(actor, provider.id).get(provider.id))


class Providers(ApiView):
    """All providers of the team."""

    roles = _ADMIN

    @extend_schema(
        operation_id="providers_list",
        responses=ProviderListJson,
        parameters=[
            OpenApiParameter("cursor", str),
            OpenApiParameter("limit", int),
            OpenApiParameter("q", str, description="Only providers with this in their name, slug or address."),
            OpenApiParameter("sort", str, enum=SORTS, description="newest (as without it) or name."),
        ],
    )
    def get(self, request: Request) -> Response:
        """List providers, newest first or by name."""
        language, mine = language_of(request), Entered(self.actor)
        sort = request.query_params.get("sort") or SORTS[0]
        if sort not in SORTS:
            raise ValidationFailed(fields={"sort": [f"must be one of {', '.join(SORTS)}"]})
        rows = matching_providers(self.actor, request.query_params.get("q") or "")
        items, following = self._page(request, rows, by_name=sort == "name")
        shown = [provider_json(row, language, PROVIDERS.entered(row, mine)) for row in items]
        return Response({"results": shown, "next": following})

    @staticmethod
    def _page(request: Request, rows: QuerySet[Provider], *, by_name: bool) -> tuple[list[Provider], str | None]:
        if by_name:
            return page_by_text(request, rows.annotate(by_name=Lower("name")), "by_name")
        return page_of(request, rows)

    @extend_schema(
        operation_id="providers_create",
        request=shape.NewProviderSerializer,
        responses={201: ProviderJson},
    )
    def post(self, request: Request) -> Response:
        """Add a provider. Connects to nothing."""
        provider = provider_create(self.actor, checked(shape.NewProviderSerializer(data=request.data)))
        return Response(_shown(self.actor, provider, language_of(request)), status=201)


class ProviderDetail(ApiView):
    """One provider."""

    roles = _ADMIN

    @extend_schema(operation_id="providers_get", responses=ProviderJson)
    def get(self, request: Request, provider: str) -> Response:
        """Show a provider."""
        return Response(_shown(self.actor, provider_for(self.actor, provider), language_of(request)))

    @extend_schema(operation_id="providers_update", request=shape.ProviderInputSerializer, responses=ProviderJson)
    def patch(self, request: Request, provider: str) -> Response:
        """Change a provider. A key that was given for another origin is dropped unless given again."""
        data = checked(shape.ProviderInputSerializer(data=request.data, partial=True))
        changed = provider_update(self.actor, provider, data)
        drop_endpoint(changed.id)
        return Response(_shown(self.actor, changed, language_of(request)))

    @extend_schema(operation_id="providers_delete", responses={204: None})
    def delete(self, request: Request, provider: str) -> Response:
        """Delete a provider."""
        drop_endpoint(provider_delete(self.actor, provider))
        return Response(status=204)


class ProviderCredentials(ApiView):
    """One's own credentials at a provider where each member uses their own."""

    roles = {"GET": "editor"}

    @extend_schema(operation_id="providers_own", responses=OwnCredentialsJson)
    def get(self, request: Request, provider: str) -> Response:
        """Which secrets you enter for yourself, and whether they are set."""
        item, mine = PROVIDERS.read_own(self.actor, provider)
        return Response(own_json(required_slots(item), mine))

    @extend_schema(operation_id="providers_own_enter", request=OwnKeysSerializer, responses=OwnCredentialsJson)
    def patch(self, request: Request, provider: str) -> Response:
        """Enter your own. Absent is unchanged, null or empty removes. Connections with what was there before end."""
        item, mine = PROVIDERS.enter_own(
            self.actor, provider, checked(OwnKeysSerializer(data=request.data, partial=True))
        )
        drop_endpoint(item.id, self.actor.user.id)
        return Response(own_json(required_slots(item), mine))

    @extend_schema(operation_id="providers_own_delete", responses={204: None})
    def delete(self, request: Request, provider: str) -> Response:
        """Delete your own. Your connections end."""
        drop_endpoint(PROVIDERS.delete_own(self.actor, provider).id, self.actor.user.id)
        return Response(status=204)


class ProviderTest(ApiView):
    """Test of a saved provider."""

    @extend_schema(operation_id="providers_test", request=shape.TestProviderSerializer, responses=ProviderTestJson)
    def post(self, request: Request, provider: str) -> HttpResponse:
        """Talk to the endpoint once and say how far it went, stage by stage. Costs a few tokens."""
        data = checked(shape.TestProviderSerializer(data=request.data))
        work = trials.provider_test(self.actor, provider, data.get("model", ""), language_of(request))
        return answer(request, self.actor, work)


class UnsavedProviderTest(ApiView):
    """Test of a provider that is not saved."""

    roles = _ADMIN

    @extend_schema(
        operation_id="providers_test_unsaved",
        request=shape.TrialProviderSerializer,
        responses=ProviderTestJson,
    )
    def post(self, request: Request) -> HttpResponse:
        """Talk once to what is sent; `provider` names a saved one that it is laid over."""
        data = checked(shape.TrialProviderSerializer(data=request.data))
        return answer(request, self.actor, trials.trial_test(self.actor, data, language_of(request)))


class ProviderModels(ApiView):
    """What an endpoint has."""

    roles = {"GET": "editor"}

    @extend_schema(operation_id="providers_models", responses=ProviderModelListJson)
    def get(self, request: Request, provider: str) -> HttpResponse:
        """Ask the endpoint for its models. Connects."""
        return answer(
            request,
            self.actor,
            trials.listed(self.actor, provider),
            lambda item: {"results": [model.as_json() for model in item], "next": None},
        )


class ProviderPresets(ApiView):
    """Ready providers."""

    @extend_schema(
        operation_id="provider_presets_list",
        responses=ProviderPresetListJson,
        parameters=[
            OpenApiParameter(
                "look",
                OpenApiTypes.BOOL,
                description="1 = see which model servers run on this machine (admins). Without it nothing connects.",
            )
        ],
    )
    def get(self, request: Request) -> HttpResponse:
        """List presets."""
        if request.query_params.get("look") in {"1", "true"}:
            return answer(request, self.actor, presets_looked(self.actor))
        return Response(presets_json())
