"""Addresses of the secrets room below /api/."""

from django.urls import path

from backend.secrets import api

urlpatterns = [
    path("secrets", api.SecretsView.as_view()),
    path("secrets/<str:name>", api.SecretView.as_view()),
]
