"""REST of collections: what is in them, what clients see of it, and tokens that open nothing else."""

from __future__ import annotations

from django.http import HttpResponse
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from backend.accounts.api.serializers import token_shape
from backend.accounts.responses import TokenJson, TokenListJson
from backend.tool_collections import contents, selectors, serializers, services
from backend.tool_collections.responses import (
    CollectionContentJson,
    CollectionDetailJson,
    CollectionListJson,
    CollectionToolJson,
    collections_json,
    content_json,
    detail_json,
    entry_json,
)
from backend.web.remote_requests import answer
from backend.web.rest import ApiView, checked, language_of, page, page_of

_PAGE = [OpenApiParameter("cursor", str), OpenApiParameter("limit", int)]


class CollectionsView(ApiView):
    """The team's collections."""

    @extend_schema(
        operation_id="collections_list",
        responses=CollectionListJson,
        parameters=[
            *_PAGE,
            OpenApiParameter("server", str, description="Only those with a tool of this server, by its id or slug."),
        ],
    )
    def get(self, request: Request) -> Response:
        """List the collections, newest first."""
        server = request.query_params.get("server") or None
        rows, following = page_of(request, selectors.collections_of(self.actor, server))
        return Response({"results": collections_json(self.actor, rows), "next": following})

    @extend_schema(
        operation_id="collections_create",
        request=serializers.CollectionNewSerializer,
        responses={201: CollectionDetailJson},
    )
    def post(self, request: Request) -> Response:
        """Make an empty collection, with an address of its own. 409 where the slug is taken."""
        data = checked(serializers.CollectionNewSerializer(data=request.data))
        row = services.collection_create(self.actor, data)
        return Response(detail_json(self.actor, row, language_of(request)), status=201)


class CollectionView(ApiView):
    """One collection."""

    @extend_schema(operation_id="collections_get", responses=CollectionDetailJson)
    def get(self, request: Request, key: str) -> Response:
        """Show a collection with what is in it and its latest calls."""
        row = selectors.collection_for(self.actor, key)
        return Response(detail_json(self.actor, row, language_of(request)))

    @extend_schema(
        operation_id="collections_update",
        request=serializers.CollectionPatchSerializer,
        responses=CollectionDetailJson,
    )
    def patch(self, request: Request, key: str) -> Response:
        """Rename, describe, switch on or off, or move it to another address."""
        changes = checked(serializers.CollectionPatchSerializer(data=request.data, partial=True))
        row = services.collection_update(self.actor, key, changes)
        return Response(detail_json(self.actor, row, language_of(request)))

    @extend_schema(operation_id="collections_delete", responses={204: None})
    def delete(self, request: Request, key: str) -> Response:
        """Delete a collection and end its tokens; the runs of its tools stay."""
        services.collection_delete(self.actor, key)
        return Response(status=204)


class EntriesView(ApiView):
    """What is in a collection."""

    @extend_schema(
        operation_id="collections_add",
        request=serializers.CollectionToolNewSerializer,
        responses={201: CollectionToolJson},
    )
    def post(self, request: Request, key: str) -> Response:
        """Put in a tool of a server or a published workflow. 409 where another has the name."""
        data = checked(serializers.CollectionToolNewSerializer(data=request.data))
        _, entry = services.entry_add(self.actor, key, data)
        return Response(entry_json(entry, language_of(request)), status=201)


class EntryView(ApiView):
    """One tool of a collection."""

    @extend_schema(
        operation_id="collections_edit", request=serializers.CollectionToolPatchSerializer, responses=CollectionToolJson
    )
    def patch(self, request: Request, key: str, entry: str) -> Response:
        """Change the name and description that clients see; the original stays as it is pinned."""
        changes = checked(serializers.CollectionToolPatchSerializer(data=request.data, partial=True))
        _, row = services.entry_update(self.actor, key, entry, changes)
        return Response(entry_json(row, language_of(request)))

    @extend_schema(operation_id="collections_remove", responses={204: None})
    def delete(self, request: Request, key: str, entry: str) -> Response:
        """Take it out; what it did stays among the runs."""
        services.entry_remove(self.actor, key, entry)
        return Response(status=204)


class ContentsView(ApiView):
    """What a collection offers besides tools."""

    @extend_schema(
        operation_id="collections_content_add",
        request=serializers.CollectionContentNewSerializer,
        responses={201: CollectionContentJson},
    )
    def post(self, request: Request, key: str) -> HttpResponse:
        """Put in a resource, a template or a prompt. Asks the server for its list. 409 where another has the name."""
        data = checked(serializers.CollectionContentNewSerializer(data=request.data))
        return answer(request, self.actor, contents.content_add(self.actor, key, data), content_json, status=201)


class ContentView(ApiView):
    """One resource, template or prompt in a collection."""

    @extend_schema(
        operation_id="collections_content_edit",
        request=serializers.CollectionContentPatchSerializer,
        responses=CollectionContentJson,
    )
    def patch(self, request: Request, key: str, content: str) -> Response:
        """Change the name and description that clients see."""
        changes = checked(serializers.CollectionContentPatchSerializer(data=request.data, partial=True))
        return Response(content_json(contents.content_update(self.actor, key, content, changes)))

    @extend_schema(operation_id="collections_content_remove", responses={204: None})
    def delete(self, request: Request, key: str, content: str) -> Response:
        """Take it out; its readings stay among the runs."""
        contents.content_remove(self.actor, key, content)
        return Response(status=204)


class CollectionTokensView(ApiView):
    """The tokens of a collection. They end at `DELETE /api/tokens/{id}`."""

    scopes = {"POST": "run"}  # what it may is what such a token may

    @extend_schema(operation_id="collections_tokens", responses=TokenListJson, parameters=_PAGE)
    def get(self, request: Request, key: str) -> Response:
        """One's own tokens of the collection, for admins all of them, without their text."""
        row = selectors.collection_for(self.actor, key)
        return page(request, selectors.tokens_of(self.actor, row), token_shape)

    @extend_schema(
        operation_id="collections_token_create",
        request=serializers.CollectionTokenSerializer,
        responses={201: TokenJson},
    )
    def post(self, request: Request, key: str) -> Response:
        """Make a token that opens this collection and nothing else; its text is in this answer and never again."""
        data = checked(serializers.CollectionTokenSerializer(data=request.data))
        created = services.collection_token(self.actor, key, data)
        return Response(token_shape(*created), status=201)
