"""Addresses of the registry below `/api/`."""

from django.urls import path

from backend.registry import api, api_contents, api_modelscope, api_operator, api_packages
from backend.web.late_views import LateView

urlpatterns = [
    path("mcp/servers", api.Servers.as_view()),
    path("mcp/servers/test", api.UnsavedTest.as_view()),
    path("mcp/servers/import", api.ServerImport.as_view()),
    path("mcp/openapi", api.ApiDocuments.as_view()),
    path("mcp/find", api.ServerFind.as_view()),
    path("mcp/modelscope/find", api_modelscope.ModelScopeFind.as_view()),
    path("mcp/modelscope/read", api_modelscope.ModelScopeRead.as_view()),
    path("mcp/modelscope/deployed", api_modelscope.ModelScopeDeployed.as_view()),
    path("mcp/sign-in/begin", LateView("backend.registry.api_sign_in", "SignInBegin")),
    path("mcp/sign-in/return", LateView("backend.registry.api_sign_in", "SignInReturn")),
    path("mcp/servers/<str:server>", api.ServerDetail.as_view()),
    path("mcp/servers/<str:server>/test", api.ServerTest.as_view()),
    path("mcp/servers/<str:server>/package/look", api_packages.PackageLook.as_view()),
    path("mcp/servers/<str:server>/package/update", api_packages.PackageUpdate.as_view()),
    path("mcp/servers/<str:server>/modelscope", api_modelscope.ServerModelScope.as_view()),
    path("mcp/servers/<str:server>/credentials", api.ServerCredentials.as_view()),
    path("mcp/servers/<str:server>/sign-in", LateView("backend.registry.api_sign_in", "ServerSignIn")),
    path("mcp/servers/<str:server>/tools", api.ServerTools.as_view()),
    path("mcp/servers/<str:server>/tool-names", api.ServerToolNames.as_view()),
    path("mcp/servers/<str:server>/tools/<path:tool>/accept", api.ToolAccept.as_view()),
    path("mcp/servers/<str:server>/tools/<path:tool>", api.ServerTool.as_view()),
    path("mcp/servers/<str:server>/resources", api_contents.ServerResources.as_view()),
    path("mcp/servers/<str:server>/resources/read", api_contents.ResourceRead.as_view()),
    path("mcp/servers/<str:server>/prompts", api_contents.ServerPrompts.as_view()),
    path("mcp/servers/<str:server>/prompts/get", api_contents.PromptGet.as_view()),
    path("mcp/servers/<str:server>/contents/accept", api_contents.ContentsAccept.as_view()),
    path("mcp/servers/<str:server>/complete", api_contents.ArgumentComplete.as_view()),
    path("me/servers-off", api.ServersOff.as_view()),
    path("mcp/tool-names", api.ToolNames.as_view()),
    path("mcp/tools/call", api.ToolCall.as_view()),
    path("mcp/presets", api.Presets.as_view()),
    path("mcp/declarations", api.Declarations.as_view()),
    path("operator/programs", api_operator.Programs.as_view()),
    path("operator/programs/<str:key>/approve", api_operator.ProgramApprove.as_view()),
    path("operator/programs/<str:key>/reject", api_operator.ProgramReject.as_view()),
    path("mcp/declarations/<str:digest>/approve", api.DeclarationApprove.as_view()),
    path("mcp/declarations/<str:digest>/reject", api.DeclarationReject.as_view()),
    path("mcp/declarations/<str:digest>/package/look", api_packages.DeclaredPackageLook.as_view()),
    path("mcp/declarations/<str:digest>/package/update", api_packages.DeclaredPackageUpdate.as_view()),
]
