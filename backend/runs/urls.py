"""Addresses of the runs room below /api/."""

from django.urls import path

from backend.runs import api, api_again, api_keep, api_outages, api_restored, api_spending, api_tests, api_usage

urlpatterns = [
    path("workflows/<str:workflow>/runs", api.StartView.as_view()),
    path("workflows/<str:workflow>/tests", api_tests.TestsView.as_view()),
    path("workflows/<str:workflow>/tests/<str:test>", api_tests.TestView.as_view()),
    path("workflows/<str:workflow>/tests/<str:test>/run", api_tests.TestRunView.as_view()),
    path("runs", api.RunsView.as_view()),
    path("runs/<str:key>", api.RunView.as_view()),
    path("runs/<str:key>/events", api.EventsView.as_view()),
    path("runs/<str:key>/keep", api_keep.KeepView.as_view()),
    path("runs/<str:key>/cancel", api.CancelView.as_view()),
    path("runs/<str:key>/pause", api.PauseView.as_view()),
    path("runs/<str:key>/resume", api.ResumeView.as_view()),
    path("runs/<str:key>/restored", api_restored.RestoredRunView.as_view()),
    path("runs/<str:key>/retry", api_again.RetryView.as_view()),
    path("runs/<str:key>/fork", api_again.ForkView.as_view()),
    path("restored-runs", api_restored.RestoredRunsView.as_view()),
    path("restored-runs/resume", api_restored.ResumeRestoredView.as_view()),
    path("queue", api_usage.QueueView.as_view()),
    path("spending", api_spending.SpendingView.as_view()),
    path("usage", api_usage.UsageView.as_view()),
    path("usage/storage", api_usage.StorageView.as_view()),
    path("interactions/groups", api_outages.OutagesView.as_view()),
    path("interactions/answers", api_outages.AnswersView.as_view()),
    path("interactions", api.InteractionsView.as_view()),
    path("interactions/<str:key>/answer", api.AnswerView.as_view()),
]
