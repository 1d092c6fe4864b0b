"""Addresses of the accounts room below /api/."""

from django.urls import path

from backend.accounts import api

urlpatterns = [
    path("me", api.MeView.as_view()),
    path("setup", api.SetupView.as_view()),
    path("teams", api.TeamsView.as_view()),
    path("teams/current", api.TeamView.as_view()),
    path("teams/members", api.MembersView.as_view()),
    path("tokens", api.TokensView.as_view()),
    path("tokens/<str:key>", api.TokenView.as_view()),
]
