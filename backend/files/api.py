"""REST of files: upload one, read one or a blob that an event refers to. Nothing is ever shown as a page."""

from __future__ import annotations

import re
from typing import Any, TypedDict
from urllib.parse import quote

from django.core.files.uploadedfile import UploadedFile
from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from backend.errors import ValidationFailed
from backend.files import services
from backend.web.rest import ApiView

_SHOWN = {"image/png", "image/jpeg", "image/gif", "image/webp", "audio/mpeg", "audio/wav", "audio/ogg"}


class UploadSerializer(serializers.Serializer[Any]):
    """A file to keep (multipart)."""

    file = serializers.FileField()


class FileValueJson(TypedDict):
    """A file that is kept. In a value it stands as `{"$file": id, name, mime, size}`."""

    id: str
    name: str
    mime: str
    size: int


def _named(name: str) -> str:
    """The name as headers carry it: in ASCII for all clients, and whole for those that know RFC 6266."""
    safe = re.sub(r"[^A-Za-z0-9._-]", "_", name)
    return f'filename="{safe}"' + ("" if safe == name else f"; filename*=UTF-8''{quote(name, safe='')}")


class FilesView(ApiView):
    """The team's files."""

    bound = ("POST",)
    scopes = {"POST": "run"}
    parser_classes = (MultiPartParser,)

    @extend_schema(operation_id="file_create", request=UploadSerializer, responses={201: FileValueJson})
    def post(self, request: Request) -> Response:
        """Keep one file."""
        upload = request.FILES.get("file")
        if not isinstance(upload, UploadedFile):
            raise ValidationFailed(fields={"file": ["This field is required."]})
        name = upload.name or "file"
        row = services.file_create(self.actor, name, services.mime_of(name, upload.content_type), upload.read())
        return Response({"id": row.id, "name": row.name, "mime": row.mime, "size": row.blob.size}, status=201)


class FileView(ApiView):
    """One file, or one blob."""

    bound = ("GET",)

    @extend_schema(operation_id="file", responses={(200, "application/octet-stream"): OpenApiTypes.BINARY})
    def get(self, request: Request, key: str) -> HttpResponse:
        """The bytes. Images and sound keep their type; all else is a download."""
        data, mime, name = services.file_for(self.actor, key)
        shown = mime if mime in _SHOWN or mime == "application/json" else "application/octet-stream"
        response = HttpResponse(data, content_type=shown)
        response["Content-Disposition"] = f"{'inline' if mime in _SHOWN else 'attachment'}; {_named(name)}"
        response["Content-Security-Policy"] = "default-src 'none'; sandbox"
        response["Cache-Control"] = "private, max-age=31536000, immutable"
        return response
