"""REST of named secrets: admins write them, members see names, hosts and hints."""

from __future__ import annotations

from typing import Any, TypedDict

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from backend.accounts.described import Timestamp
from backend.secrets import services
from backend.secrets.models import Secret
from backend.web.rest import ApiView, checked, page


class SecretJson(TypedDict):
    """A secret without its value."""

    name: str
    hint: str
    hosts: list[str]
    created_at: Timestamp
    updated_at: Timestamp


class SecretListJson(TypedDict):
    """Secrets, newest first."""

    results: list[SecretJson]
    next: str | None


class SecretChangeSerializer(serializers.Serializer[Any]):
    """A new value or new hosts."""

    value = serializers.CharField(required=False, max_length=65_536, trim_whitespace=False)
    hosts = serializers.ListField(
        child=serializers.RegexField(r"^[A-Za-z0-9._:*\[\]-]+$", max_length=253), required=False, max_length=100
    )


class SecretNewSerializer(SecretChangeSerializer):
    """A secret to keep."""

    name = serializers.RegexField(r"^[A-Za-z][A-Za-z0-9_-]{0,62}$")
    value = serializers.CharField(max_length=65_536, trim_whitespace=False)


def secret_shape(row: Secret) -> SecretJson:
    """A secret without its value."""
    return {
        "name": row.name,
        "hint": row.hint,
        "hosts": row.hosts,
        "created_at": row.created_at,
        "updated_at": row.updated_at,
    }


class SecretsView(ApiView):
    """The team's secrets."""

    roles = {"POST": "admin"}

    @extend_schema(operation_id="secrets", responses=SecretListJson)
    def get(self, request: Request) -> Response:
        """Names, hosts and hints."""
        return page(request, services.secrets_of(self.actor), secret_shape)

    @extend_schema(operation_id="secret_create", request=SecretNewSerializer, responses={201: SecretJson})
    def post(self, request: Request) -> Response:
        """Keep a secret."""
        data = checked(SecretNewSerializer(data=request.data))
        row = services.secret_create(self.actor, data["name"], data["value"], data.get("hosts", []))
        return Response(secret_shape(row), status=201)


class SecretView(ApiView):
    """One secret."""

    roles = {"PATCH": "admin", "DELETE": "admin"}

    @extend_schema(operation_id="secret_update", request=SecretChangeSerializer, responses=SecretJson)
    def patch(self, request: Request, name: str) -> Response:
        """Replace the value or the hosts."""
        changes = checked(SecretChangeSerializer(data=request.data))
        return Response(secret_shape(services.secret_update(self.actor, name, changes)))

    @extend_schema(operation_id="secret_delete", responses={204: None})
    def delete(self, request: Request, name: str) -> Response:
        """Delete the secret."""
        services.secret_delete(self.actor, name)
        return Response(status=204)
