"""What all REST views share: the acting member, errors as the contract words them, lists by opaque cursor."""

from __future__ import annotations

import base64
import binascii
import logging
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import cache
from typing import Any, TypeVar

from django.core.exceptions import PermissionDenied, RequestDataTooBig
from django.core.exceptions import ValidationError as NotOfThisModel
from django.db.models import Model, Q, QuerySet
from django.http import Http404
from django.utils.translation import get_language_from_request
from rest_framework import exceptions
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import Serializer
from rest_framework.views import APIView

from backend.accounts.actor import Actor
from backend.accounts.auth import rate_limits
from backend.accounts.models import User
from backend.database.listing import Conditions, ListedRows
from backend.database.storage_errors import storage_problem
from backend.errors import (
    Forbidden,
    InternalError,
    NotFound,
    PatchbayError,
    RateLimited,
    TooLarge,
    Unauthenticated,
    ValidationFailed,
)
from backend.web.lookup import storable

log = logging.getLogger(__name__)

_ANY_JSON = frozenset({"", "*/*", "application/json"})


class OnlyJson(DefaultContentNegotiation):
    """DRF's choice of a renderer; where a client takes our JSON anyway, without working that out."""

    def select_renderer(self, request: Request, renderers: Any, format_suffix: str | None = None) -> Any:
        """(renderer, media type). Raises NotAcceptable."""
        names_one = "format" in request.META.get("QUERY_STRING", "")
        plain = request.META.get("HTTP_ACCEPT", "*/*") in _ANY_JSON and not names_one
        if plain and len(renderers) == 1 and renderers[0].media_type == "application/json" and not format_suffix:
            return renderers[0], "application/json"
        return super().select_renderer(request, renderers, format_suffix)


class ApiView(APIView):
    """A view of the API. `roles` maps a method to the least role: `{"POST": "admin"}`, `scopes` to a token's scope.

    `bound` = the methods that check which workflow it is about, and so are open to tokens bound to workflows.
    """

    roles: dict[str, str] = {}  # noqa: RUF012 - overridden as a whole by subclasses
    scopes: dict[str, str] = {}  # noqa: RUF012 - overridden as a whole by subclasses
    bound: tuple[str, ...] = ()
    content_negotiation_class = OnlyJson

    def perform_authentication(self, request: Request) -> None:
        """Find out who asks, and count it, whether or not it will be allowed. Raises RateLimited."""
        super().perform_authentication(request)
        if isinstance(request.auth, Actor):
            rate_limits.count_request(request.auth)
        elif isinstance(request.user, User):
            rate_limits.count_personal_request(request.user)

    @property
    def actor(self) -> Actor:
        """The acting member. Only called after the permission check."""
        auth = self.request.auth
        if not isinstance(auth, Actor):
            raise Unauthenticated
        return auth


def language_of(request: Any) -> str:
    """ "en" or "zh", by Accept-Language."""
    return "zh" if (get_language_from_request(request) or "en").startswith("zh") else "en"


def _flat(detail: Any, prefix: str = "") -> dict[str, list[str]]:
    """DRF's nested validation errors as `{"inputs.n": ["…"]}`."""
    if isinstance(detail, dict):
        out: dict[str, list[str]] = {}
        for key, inner in detail.items():
            name = str(key) if not prefix else f"{prefix}.{key}"
            out.update(_flat(inner, prefix if key == "non_field_errors" else name))
        return out
    if isinstance(detail, list) and any(isinstance(item, dict | list) for item in detail):
        out = {}
        for index, inner in enumerate(detail):
            out.update(_flat(inner, f"{prefix}.{index}" if prefix else str(index)))
        return out
    return {prefix: [str(item) for item in (detail if isinstance(detail, list) else [detail])]}


_WRONG_ORIGIN = re.compile(r"(Origin|Referer) checking failed - .+ does not match any trusted origins")
"""What Django's protection against requests from other sites says of one that names such a site."""


def not_from_our_page(reason: str) -> Forbidden:
    """What a write in a session is refused with: another site asks, or without our page's token (`reason`)."""
    return Forbidden(params={"reason": "origin" if _WRONG_ORIGIN.search(reason) else "csrf"})


def as_patchbay(error: Exception) -> PatchbayError | None:
    """The error of ours that says the same as one of the framework's; None for a defect."""
    match error:
        case PatchbayError():
            return error
        case exceptions.ValidationError():
            return ValidationFailed(fields=_flat(error.detail))
        case exceptions.ParseError():
            return ValidationFailed(fields={"": [str(error.detail)]})
        case exceptions.NotAuthenticated() | exceptions.AuthenticationFailed():
            return Unauthenticated()
        case exceptions.PermissionDenied() | PermissionDenied():
            return not_from_our_page(str(error)) if "CSRF" in str(error) else Forbidden()
        case exceptions.NotFound() | Http404():
            return NotFound()
        case exceptions.Throttled():
            return RateLimited(params={"retry_after": int(getattr(error, "wait", None) or 1)})
        case RequestDataTooBig():
            return TooLarge(params={"limit": "…"})
        case exceptions.APIException():
            failed = ValidationFailed(fields={"": [str(error.detail)]})
            failed.status = error.status_code  # type: ignore[misc]
            return failed
    return None


def error_body(error: PatchbayError, request: Any) -> dict[str, Any]:
    """The contract's error body, in the reader's language, with the id that the log has of this request."""
    request_id = request.META.get("HTTP_X_REQUEST_ID", "") if request is not None else ""
    return {**error.as_json(language_of(request)), "request_id": request_id}


def error_response(error: PatchbayError, request: Any) -> Response:
    """The contract's error body, with Retry-After where it says when."""
    response = Response(error_body(error, request), status=error.status)
    if "retry_after" in error.params:
        response["Retry-After"] = str(error.params["retry_after"])
    return response


def exception_handler(error: Exception, context: dict[str, Any]) -> Response:
    """Every exception of a view as the contract's error body; a defect is logged and says only INTERNAL."""
    known = as_patchbay(error)
    if known is None and (known := storage_problem(error)) is not None:
        log.warning("%s: %s", known.code, error)
    if known is None:
        auth = getattr(context.get("request"), "auth", None)
        team = auth.team.id if isinstance(auth, Actor) else ""
        view = type(context.get("view")).__name__
        log.exception("unhandled error in %s", view, exc_info=error, extra={"team": team})
        known = InternalError()
    response = error_response(known, context.get("request"))
    if known.status == 401:
        response["WWW-Authenticate"] = "Bearer"
    return response


def checked(serializer: Any) -> dict[str, Any]:
    """The serializer's validated data. Raises DRF's ValidationError."""
    serializer.is_valid(raise_exception=True)
    data: dict[str, Any] = dict(serializer.validated_data)
    return data


@cache
def _standing(serializer: type[Serializer[Any]]) -> Serializer[Any]:
    return serializer()


def checked_as(serializer: type[Serializer[Any]], data: Any) -> dict[str, Any]:
    """`checked` for what is asked very often: one standing serializer, whose fields keep nothing of what they check.

    A new one costs more than all of its checks, for it copies every field. Raises DRF's ValidationError.
    """
    values: dict[str, Any] = dict(_standing(serializer).run_validation(data))
    return values


M = TypeVar("M", bound=Model)


def page(
    request: Request,
    rows: QuerySet[M],
    shape: Callable[[M], Mapping[str, Any]],
    by: str = "created_at",
    default: int = 50,
) -> Response:
    """One page of `rows`, newest first by (`by`, id): `{results, next}` with `?cursor=&limit=` (50, at most 200)."""
    items, following = page_of(request, rows, by, default)
    return Response({"results": [shape(row) for row in items], "next": following})


def page_of(
    request: Request, rows: QuerySet[M], by: str = "created_at", default: int = 50
) -> tuple[list[M], str | None]:
    """The rows of one page, and the cursor of the page that follows: for answers that read more of all of them."""
    limit = whole_number(request, "limit", default, 1, 200)
    rows = rows.order_by(f"-{by}", "-pk")
    cursor = request.query_params.get("cursor")
    if cursor:
        moment, key = _place(cursor, rows.model)
        # the first clause is what an index begins at; an OR alone would be looked up twice and sorted
        rows = rows.filter(Q(**{f"{by}__lte": moment}), Q(**{f"{by}__lt": moment}) | Q(pk__lt=key))
    items = list(rows[: limit + 1])
    return items[:limit], cursor_after(items[limit - 1], by) if len(items) > limit else None


def page_listed(
    request: Request,
    rows: ListedRows[M],
    conditions: Conditions,
    by: str = "created_at",
    *,
    searched: bool = False,
) -> tuple[list[M], str | None]:
    """`page_of` for lists that are read by statements of their own; `by` = a column of the model."""
    limit = whole_number(request, "limit", 50, 1, 200)
    column, cursor = f"{rows.table}.{by}", request.query_params.get("cursor")
    if cursor:
        moment, key = _place(cursor, rows.model)
        conditions.add(f"{column} <= %s AND ({column} < %s OR {rows.key} < %s)", moment, moment, key)
    items = rows.read(conditions, f"{column} DESC, {rows.key} DESC", limit + 1, searched=searched)
    return items[:limit], cursor_after(items[limit - 1], by) if len(items) > limit else None


def page_listed_by_text(
    request: Request, rows: ListedRows[M], conditions: Conditions, sql: str, name: str
) -> tuple[list[M], str | None]:
    """`page_by_text` for them: in the order of (`sql`, id), which each row holds as `name` beside its columns."""
    limit = whole_number(request, "limit", 50, 1, 200)
    cursor = request.query_params.get("cursor")
    if cursor:
        text, key = _text_place(cursor)
        conditions.add(f"{sql} >= %s AND ({sql} > %s OR {rows.key} > %s)", text, text, key)
    items = rows.read(conditions, f"{sql}, {rows.key}", limit + 1)
    return items[:limit], _text_cursor(items[limit - 1], name) if len(items) > limit else None


def page_by_text(request: Request, rows: QuerySet[M], by: str, default: int = 50) -> tuple[list[M], str | None]:
    """`page_of` in the order of (`by`, id), where `by` is a text that an index holds in that order."""
    limit = whole_number(request, "limit", default, 1, 200)
    rows = rows.order_by(by, "pk")
    cursor = request.query_params.get("cursor")
    if cursor:
        text, key = _text_place(cursor)
        rows = rows.filter(Q(**{f"{by}__gte": text}), Q(**{f"{by}__gt": text}) | Q(pk__gt=key))
    items = list(rows[: limit + 1])
    if len(items) <= limit:
        return items, None
    return items[:limit], _text_cursor(items[limit - 1], by)


def _text_cursor(last: Model, by: str) -> str:
    return base64.urlsafe_b64encode(f"{getattr(last, by)}|{last.pk}".encode()).decode()


def _text_place(cursor: str) -> tuple[str, str]:
    """(text, key) of the row that a page ended with. Raises ValidationFailed for what is no cursor."""
    try:
        text, mark, key = base64.urlsafe_b64decode(cursor.encode()).decode().rpartition("|")
        if not mark or not storable(text) or not storable(key):
            raise ValueError(cursor)
        return text, key
    except (ValueError, binascii.Error):
        raise ValidationFailed(fields={"cursor": ["is not a cursor of this list"]}) from None


def cursor_after(last: Model, by: str = "created_at") -> str:
    """The `cursor` of the page that follows on a row."""
    return base64.urlsafe_b64encode(f"{getattr(last, by).isoformat()}|{last.pk}".encode()).decode()


def _place(cursor: str, model: type[Model]) -> tuple[datetime, Any]:
    """(time, key) of the row that a page ended with. Raises ValidationFailed for what is no cursor."""
    try:
        position, key = base64.urlsafe_b64decode(cursor.encode()).decode("ascii").split("|", 1)
        if not key.isprintable():
            raise ValueError(key)
        return datetime.fromisoformat(position).astimezone(UTC), model._meta.pk.to_python(key)
    except (ValueError, OverflowError, binascii.Error, NotOfThisModel):
        raise ValidationFailed(fields={"cursor": ["is not a cursor of this list"]}) from None


def whole_number(request: Request, name: str, default: int, least: int, most: int) -> int:
    """A query parameter as a number, cut to `most`. Raises ValidationFailed naming it."""
    text = request.query_params.get(name)
    if text is None:
        return default
    try:
        number = int(text)
    except ValueError:
        raise ValidationFailed(fields={name: ["must be a whole number"]}) from None
    if number < least:
        raise ValidationFailed(fields={name: [f"must be at least {least}"]})
    return min(number, most)
