"""Addresses of the triggers room: below /api/, `hook` at /hooks/{token}, `page_doors` at /p/{link}.

Their views are loaded on first use.
"""

from __future__ import annotations

from django.urls import path

from backend.web.late_views import LateView


def _api(name: str) -> LateView:
    return LateView("backend.triggers.api", name)


def _chat(name: str) -> LateView:
    return LateView("backend.triggers.chat.api", name)


def _page(name: str) -> LateView:
    return LateView("backend.triggers.page.api", name)


hook = LateView("backend.triggers.webhook.door", "HookView")
page_doors = [
    path("about", LateView("backend.triggers.page.door", "AboutView")),
    path("runs", LateView("backend.triggers.page.door", "VisitsView")),
    path("runs/<str:key>", LateView("backend.triggers.page.door", "VisitView")),
    path("conversations/<str:key>", LateView("backend.triggers.page.door", "TalkView")),
    path("conversations/<str:key>/export", LateView("backend.triggers.page.door", "TalkExportView")),
]

urlpatterns = [
    path("workflows/<str:workflow>/triggers", _api("WorkflowTriggersView")),
    path("triggers", _api("TriggersView")),
    path("triggers/<str:key>", _api("TriggerView")),
    path("triggers/<str:key>/rotate", _api("RotateView")),
    path("triggers/<str:key>/test", _api("TryView")),
    path("triggers/<str:key>/chat", _chat("ChatView")),
    path("triggers/<str:key>/conversations", _page("TalksView")),
    path("triggers/<str:key>/page", _page("MembersPageView")),
    path("triggers/<str:key>/page/runs", _page("MembersVisitsView")),
    path("triggers/<str:key>/page/runs/<str:visit>", _page("MembersVisitView")),
    path("triggers/<str:key>/page/conversations/<str:talk>", _page("MembersTalkView")),
    path("triggers/<str:key>/page/conversations/<str:talk>/export", _page("MembersTalkExportView")),
    path("conversations", _chat("ConversationsView")),
    path("conversations/<str:key>", _chat("ConversationView")),
    path("conversations/<str:key>/export", _chat("ConversationExportView")),
    path("triggers/<str:key>/deliveries", _api("DeliveriesView")),
    path("triggers/<str:key>/deliveries/export", _api("DeliveriesExportView")),
    path("triggers/<str:key>/deliveries/<str:delivery>/replay", _api("ReplayView")),
]
