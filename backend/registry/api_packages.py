"""REST for the packages that servers are started from: look for a newer version, accept one."""

from __future__ import annotations

from django.http import HttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from backend.registry.connecting.connections import drop_connections
from backend.registry.models import Declaration, Server
from backend.registry.programs.serializers import NewPackageSerializer
from backend.registry.responses import DeclarationJson, ServerJson, declaration_json, server_json
from backend.registry.selectors import declarations_of, servers_of
from backend.registry.servers import usage
from backend.registry.servers.package_updates import package_look, package_update
from backend.secrets.user_credentials import credentials_of
from backend.web.remote_requests import answer
from backend.web.rest import ApiView, checked, language_of


class PackageView(ApiView):
    """What a server is started from."""

    roles = {"POST": "admin"}

    def shown(self, request: Request, server: Server | Declaration) -> ServerJson | DeclarationJson:
        """The server as it is now."""
        if isinstance(server, Declaration):
            return declaration_json(declarations_of(self.actor).get(pk=server.pk))
        row, mine = servers_of(self.actor).get(id=server.id), credentials_of(self.actor, server.id)
        return server_json(row, language_of(request), usage.counts(self.actor.team.id, [row]), mine.get(server.id))


class PackageLook(PackageView):
    """A newer version."""

    @extend_schema(operation_id="servers_package_look", request=None, responses=ServerJson)
    def post(self, request: Request, server: str) -> HttpResponse:
        """Ask the registry of packages for a newer version. Changes nothing of what is started."""
        return answer(request, self.actor, package_look(self.actor, server), lambda row: self.shown(request, row))


class PackageUpdate(PackageView):
    """A version that is accepted."""

    @extend_schema(operation_id="servers_package_update", request=NewPackageSerializer, responses=ServerJson)
    def post(self, request: Request, server: str) -> HttpResponse:
        """Install the version that is offered and start it from now on. Grants for the server's tools end."""
        data = checked(NewPackageSerializer(data=request.data))

        def done(row: Server | Declaration) -> ServerJson | DeclarationJson:
            if isinstance(row, Server):
                drop_connections(row)
            return self.shown(request, row)

        return answer(request, self.actor, package_update(self.actor, server, data["version"]), done)


class DeclaredPackageLook(PackageView):
    """A newer version of what a declared server is started from."""

    @extend_schema(operation_id="declarations_package_look", request=None, responses=DeclarationJson)
    def post(self, request: Request, digest: str) -> HttpResponse:
        """Ask the registry of packages for a newer version. Changes nothing of what is started."""
        looking = package_look(self.actor, digest, declared=True)
        return answer(request, self.actor, looking, lambda row: self.shown(request, row))


class DeclaredPackageUpdate(PackageView):
    """A version that is accepted for a declared server."""

    @extend_schema(
        operation_id="declarations_package_update",
        request=NewPackageSerializer,
        responses=DeclarationJson,
    )
    def post(self, request: Request, digest: str) -> HttpResponse:
        """Install the version that is offered and start it from now on. What was approved of the document stays."""
        data = checked(NewPackageSerializer(data=request.data))
        updating = package_update(self.actor, digest, data["version"], declared=True)
        return answer(request, self.actor, updating, lambda row: self.shown(request, row))
