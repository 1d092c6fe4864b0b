"""Addresses of the runs room below /api/."""

from django.urls import path

from backend.runs import api
from backend.runs.interactions import api_outages
from backend.runs.lifecycle import api_restored
from backend.runs.reports import api_spending, api_usage
from backend.runs.rerun import api_rerun, api_save_as_workflow, api_tests

urlpatterns = [
    path("workflows/<str:workflow>/runs", api.StartView.as_view()),
    path("workflows/<str:workflow>/tests", api_tests.TestsView.as_view()),
    path("workflows/<str:workflow>/tests/<str:test>", api_tests.TestView.as_view()),
    path("workflows/<str:workflow>/tests/<str:test>/run", api_tests.TestRunView.as_view()),
    path("runs", api.RunsView.as_view()),
    path("run-callers", api.CallersView.as_view()),
    path("runs/<str:key>", api.RunView.as_view()),
    path("runs/<str:key>/events", api.EventsView.as_view()),
    path("runs/<str:key>/rounds", api.RoundsView.as_view()),
    path("runs/<str:key>/keep", api_save_as_workflow.KeepView.as_view()),
    path("runs/<str:key>/cancel", api.CancelView.as_view()),
    path("runs/<str:key>/pause", api.PauseView.as_view()),
    path("runs/<str:key>/resume", api.ResumeView.as_view()),
    path("runs/<str:key>/restored", api_restored.RestoredRunView.as_view()),
    path("runs/<str:key>/retry", api_rerun.RetryView.as_view()),
    path("runs/<str:key>/fork", api_rerun.ForkView.as_view()),
    path("restored-runs", api_restored.RestoredRunsView.as_view()),
    path("restored-runs/resume", api_restored.ResumeRestoredView.as_view()),
    path("queue", api_usage.QueueView.as_view()),
    path("spending", api_spending.SpendingView.as_view()),
    path("usage", api_usage.UsageView.as_view()),
    path("usage/storage", api_usage.StorageView.as_view()),
    path("mcp/servers/<str:server>/calls", api_usage.ServerCallsView.as_view()),
    path("interactions/groups", api_outages.OutagesView.as_view()),
    path("interactions/answers", api_outages.AnswersView.as_view()),
    path("interactions", api.InteractionsView.as_view()),
    path("interactions/<str:key>/answer", api.AnswerView.as_view()),
]
