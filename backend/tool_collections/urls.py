"""Addresses of collections, below /api/. Their views are loaded on first use."""

from __future__ import annotations

from django.urls import path

from backend.web.late_views import LateView


def _api(name: str) -> LateView:
    return LateView("backend.tool_collections.api", name)


urlpatterns = [
    path("collections", _api("CollectionsView")),
    path("collections/<str:key>", _api("CollectionView")),
    path("collections/<str:key>/tools", _api("EntriesView")),
    path("collections/<str:key>/tools/<str:entry>", _api("EntryView")),
    path("collections/<str:key>/contents", _api("ContentsView")),
    path("collections/<str:key>/contents/<str:content>", _api("ContentView")),
    path("collections/<str:key>/tokens", _api("CollectionTokensView")),
]
