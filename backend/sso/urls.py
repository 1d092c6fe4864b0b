"""Addresses of the room `sso`, below /api/."""

from django.urls import path

from backend.sso import api

urlpatterns = [
    path("sso/start", api.StartView.as_view()),
    path("sso/callback", api.CallbackView.as_view()),
]
