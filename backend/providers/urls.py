"""Addresses of providers below `/api/`."""

from django.urls import path

from backend.providers import api

urlpatterns = [
    path("providers", api.Providers.as_view()),
    path("providers/test", api.UnsavedProviderTest.as_view()),
    path("providers/<str:provider>", api.ProviderDetail.as_view()),
    path("providers/<str:provider>/credentials", api.ProviderCredentials.as_view()),
    path("providers/<str:provider>/test", api.ProviderTest.as_view()),
    path("providers/<str:provider>/models", api.ProviderModels.as_view()),
    path("provider-presets", api.ProviderPresets.as_view()),
]
