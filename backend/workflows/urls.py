"""Addresses of workflows and documents below `/api/`."""

from django.urls import path

from backend.workflows import api

urlpatterns = [
    path("workflows", api.Workflows.as_view()),
    path("workflows/import", api.Import.as_view()),
    path("workflow-templates", api.Templates.as_view()),
    path("workflows/<str:workflow>", api.WorkflowDetail.as_view()),
    path("workflows/<str:workflow>/duplicate", api.WorkflowDuplicate.as_view()),
    path("workflows/<str:workflow>/draft", api.Draft.as_view()),
    path("workflows/<str:workflow>/drafts", api.Drafts.as_view()),
    path("workflows/<str:workflow>/drafts/<int:revision>", api.DraftDetail.as_view()),
    path("workflows/<str:workflow>/drafts/<int:revision>/restore", api.DraftRestore.as_view()),
    path("workflows/<str:workflow>/validate", api.Validate.as_view()),
    path("workflows/<str:workflow>/publish", api.Publish.as_view()),
    path("workflows/<str:workflow>/versions", api.Versions.as_view()),
    path("workflows/<str:workflow>/versions/<int:number>", api.VersionDetail.as_view()),
    path("workflows/<str:workflow>/compare", api.Compare.as_view()),
    path("workflows/<str:workflow>/export", api.Export.as_view()),
    path("mcp/servers/<str:server>/workflows", api.ServerWorkflows.as_view()),
    path("node-types", api.NodeTypesView.as_view()),
    path("graph-schema", api.GraphSchema.as_view()),
]
