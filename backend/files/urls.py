"""Addresses of the files room below /api/."""

from django.urls import path

from backend.files import api

urlpatterns = [
    path("files", api.FilesView.as_view()),
    path("files/<str:key>", api.FileView.as_view()),
]
