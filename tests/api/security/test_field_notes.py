"""What went wrong elsewhere: every advisory and case that we know of, and the tests that say it cannot happen here.

`CASES` names each once, with the tests that hold it, or says why it does not apply. A test that is renamed or deleted
fails here. Below stand tests of cases that have no better place.
"""

from __future__ import annotations

import ast
import functools
import re
from pathlib import Path
from typing import Any

import pytest

from backend.accounts.teams import invitations, services
from backend.errors import McpPolicyDenied, NetworkBlocked, NotFound
from backend.net.rules import NetworkRules
from backend.nodes import node_types
from backend.runs.models import Run
from backend.tools.processes import Program, Reaper
from backend.tools.servers import PoolKey, ServerConfig, StdioRules
from tests.api.security.seeded import GRAPH, SeededTeam
from tests.instance import scaled
from tests.people import Person

pytestmark = pytest.mark.skipif(scaled(), reason="nothing here depends on the mode")

ROOT = Path(__file__).resolve().parents[3]
HERE = "tests/api/security/test_field_notes.py"
DOORS = "tests/api/isolation/test_doors.py"
WEB = "tests/api/security/test_web.py"
OPERATOR = "tests/api/registry/test_operator.py"
SIGN_IN = "tests/api/registry/test_server_sign_in.py"
OUTBOUND = "tests/api/security/test_outbound.py"

CASES: dict[str, list[str] | str] = {
    "CVE-2025-3248 (Langflow: validating code ran it)": [
        "tests/api/workflows/test_never_by_surprise.py::test_documents_and_configurations_touch_nothing",
        f"{HERE}::test_no_code_of_ours_evaluates_text",
        f"{DOORS}::test_every_door_has_a_row",
        f"{DOORS}::test_the_signed_out",
    ],
    "CVE-2026-33017, GHSA-vwmf-pq79-vjvx (Langflow: the caller sent the graph)": [
        f"{HERE}::test_whoever_starts_a_run_sends_no_graph",
        f"{HERE}::test_whoever_only_reads_starts_nothing",
        f"{DOORS}::test_a_fork_with_a_document_needs_run_and_edit",
        "tests/properties/test_fuzz.py::test_any_document_is_valid_or_says_why",
    ],
    "JSON Schema bombs (ours: 3 KB of allOf over $ref held the event loop for hours)": [
        "tests/api/workflows/test_costly_schemas.py::test_a_draft_that_names_a_tool_with_a_bomb_is_saved",
        "tests/api/workflows/test_costly_schemas.py::test_inputs_that_cannot_be_checked_are_not_let_through",
        "tests/live/servers/test_stdio.py::test_hostile_schemas_spoil_their_own_tools_only",
        "tests/live/servers/test_third_party.py::test_schemas_of_real_servers_stay_far_below_the_bound_of_their_cost",
        "tests/unit/tools/test_schema_cost.py::test_a_schema_of_the_wrong_form_has_a_reason",
        "tests/properties/test_fuzz.py::test_any_schema_is_used_or_refused",
    ],
    "lists of lists in variables (ours: five nodes came to 1.6 GB, and the resumed run starved the start)": [
        "tests/api/runs/test_run_budgets.py::test_lists_of_lists_end_at_the_node_that_makes_too_much",
        "tests/api/runs/test_run_budgets.py::test_a_text_read_into_many_things_is_refused_before_it_is_read",
        "tests/api/runs/test_run_budgets.py::test_a_run_that_holds_too_much_ends_whatever_its_nodes_do_about_errors",
        "tests/api/runs/test_run_budgets.py::test_a_run_that_computes_too_long_ends",
        "tests/properties/test_fuzz.py::test_any_expression_is_rendered_or_refused",
    ],
    "one malformed thing costs only itself (ours: tool, answer, line, entry of a configuration)": [
        "tests/live/servers/test_stdio.py::test_hostile_schemas_spoil_their_own_tools_only",
        "tests/live/servers/test_greeting.py::test_a_misshapen_tool_is_listed_with_its_reason_and_costs_nothing_else",
        "tests/live/servers/test_stdio.py::test_unparsed_output_is_shown",
        "tests/live/servers/test_http.py::test_a_bad_answer_to_one_call_leaves_the_connection_and_its_other_calls",
        "tests/api/registry/test_import.py::test_what_cannot_be_taken_says_why_and_the_rest_is_taken",
        "tests/api/runs/test_malformed_streams.py::test_an_event_of_wrong_types_costs_only_itself",
        "tests/api/runs/test_malformed_streams.py::test_half_a_letter_costs_only_itself",
        "tests/api/runs/test_malformed_streams.py::test_an_event_that_cannot_be_read_ends_its_run_with_a_code",
        "tests/api/runs/test_malformed_streams.py::test_a_line_without_end_ends_its_run_with_a_code",
        "tests/api/runs/test_run_budgets.py::test_what_a_step_cannot_have_costs_only_that_step",
    ],
    "rewritten audit rows (ours: who could write to the database could change the trail unseen)": [
        "tests/api/accounts/test_audit_chain.py::test_a_row_that_was_changed_is_named",
        "tests/api/accounts/test_audit_chain.py::test_a_row_that_was_removed_is_named_with_its_link_or_without",
        "tests/api/accounts/test_audit_chain.py::test_swapped_rows_are_named",
        "tests/api/accounts/test_audit_chain.py::test_a_row_that_was_put_in_between_is_named",
        "tests/api/accounts/test_audit_chain.py::test_a_cut_off_end_is_named",
        "tests/api/accounts/test_audit_chain.py::test_a_chain_that_was_made_anew_is_found_by_what_was_noted_elsewhere",
        "tests/api/accounts/test_audit_chain.py::test_what_is_erased_leaves_no_salt_and_the_chain_verifies",
        "tests/api/accounts/test_audit_chain.py::test_old_rows_leave_from_the_front_and_the_rest_verifies",
        "tests/live/project/test_audit_chain.py::test_a_chain_of_sqlite_verifies_in_postgres_where_it_was_restored",
    ],
    "secrets in the clear in pasted configurations (ours: docker -e, addresses, the audit export)": [
        "tests/unit/secrets/test_detector.py::test_only_the_secret_part_is_hidden",
        "tests/unit/secrets/test_detector.py::test_precision_on_real_configurations",
        "tests/api/registry/test_plain_secrets.py::test_what_was_in_the_clear_is_nowhere_and_servers_get_what_they_got",
        "tests/live/project/test_start.py::test_secrets_in_the_clear_are_moved_after_a_copy",
        "tests/live/scaled/test_plain_secrets.py::test_rows_from_before_are_moved_and_servers_get_what_they_got",
    ],
    "CVE-2025-34291 (Langflow: CORS, cookies, no CSRF)": [
        f"{WEB}::test_no_other_origin_is_let_in",
        f"{WEB}::test_no_address_takes_a_write_of_a_session_without_our_token",
        f"{WEB}::test_the_cookies_of_a_session",
        "tests/api/runs/test_websocket.py::test_a_wrong_origin_is_refused_at_the_handshake",
    ],
    "CVE-2026-55255, GHSA-qrpv-q767-xqq2 (Langflow: one of two look-ups skipped the owner)": [
        f"{DOORS}::test_strangers",
        f"{DOORS}::test_ids_of_others_in_bodies",
        "tests/api/runs/test_websocket.py::test_foreign_topics_do_not_exist",
    ],
    "CVE-2026-55423 (Langflow: signing out left things behind)": [f"{WEB}::test_signing_out_leaves_nothing_behind"],
    "auto_login (Langflow: whoever reaches the port is admin)": [
        "tests/api/accounts/test_setup.py::test_without_a_sign_in_the_api_answers_401",
        "tests/api/accounts/test_setup.py::test_a_link_works_once",
    ],
    "CVE-2025-59528, GHSA-3gcm-f6qx-ff7p (Flowise: a configuration was run as JavaScript)": [
        f"{HERE}::test_a_configuration_is_data",
        "tests/api/registry/test_import.py::test_what_is_no_configuration_is_refused",
    ],
    "CVE-2026-40933, GHSA-c9gw-hvqq-f33r (Flowise: opening the canvas started programs)": [
        "tests/api/workflows/test_never_by_surprise.py::test_documents_and_configurations_touch_nothing"
    ],
    "CVE-2026-56274 and npx -c (Flowise: a list of forbidden flags)": [
        "tests/unit/tools/test_pieces.py::test_the_allow_list_of_commands_is_taken_letter_by_letter",
        "tests/unit/tools/test_command_lines.py::test_code_in_a_line_or_from_an_address_asks_the_operator",
        f"{OPERATOR}::test_where_commands_are_listed_what_goes_beyond_the_list_asks_even_with_one_team",
    ],
    "One team's admin started `python steal.py` as a connection test, unseen (ours)": [
        f"{OPERATOR}::test_an_unsaved_test_starts_nothing_before_an_operator_said_yes",
        f"{OPERATOR}::test_a_saved_server_waits_and_any_change_waits_anew",
        f"{OPERATOR}::test_only_an_operator_hears_of_programs_and_decides",
        f"{DOORS}::test_the_operators_doors",
        f"{DOORS}::test_an_operator_reads_no_teams_content",
    ],
    "700 sockets with one token, 600 half requests (ours: nothing counted them)": [
        "tests/live/project/test_idle.py::test_a_token_and_a_person_hold_so_many_sockets_and_no_more",
        "tests/live/project/test_idle.py::test_half_open_connections_give_way_and_others_are_answered",
    ],
    "a key beside the data it opens (ours: a copy of the data directory held every secret)": [
        "tests/live/project/test_keys_outside.py::test_nothing_of_the_keys_lies_in_the_data_directory",
        "tests/live/project/test_keys_outside.py::test_a_place_without_keys_stops_the_start_instead_of_making_new_ones",
    ],
    "a package that runs what its arguments name (ours: npx supergateway, mcp-proxy, pnpx, debugpy -c passed)": [
        "tests/unit/tools/test_command_lines.py::test_code_in_a_line_or_from_an_address_asks_the_operator",
        "tests/unit/tools/test_command_lines.py::test_files_of_teams_are_not_started_and_a_folder_elsewhere_asks",
    ],
    "a new version of a package runs by itself (ours: npx and uvx took the newest at every start)": [
        "tests/live/servers/test_packages.py::test_a_new_version_is_used_once_somebody_accepts_it",
        "tests/live/servers/test_packages.py::"
        "test_a_declared_server_goes_on_with_its_version_until_somebody_accepts_a_newer_one",
        "tests/live/servers/test_packages.py::test_a_version_whose_files_changed_is_not_installed",
        f"{OPERATOR}::test_a_new_version_of_an_approved_program_asks_the_operator",
    ],
    "OPENSSL_CONF, GCONV_PATH, _JAVA_OPTIONS and the like (ours: a list of forbidden variables)": [
        "tests/unit/tools/test_command_lines.py::"
        "test_what_loaders_and_libraries_read_asks_and_so_does_what_nobody_thought_of",
        f"{OPERATOR}::test_what_members_enter_themselves_is_never_a_loaders_variable",
    ],
    "bash -c, variables, docker flags (Langflow: checked at the door only)": [
        f"{HERE}::test_the_list_of_commands_holds_where_the_program_is_started",
        "tests/unit/tools/test_pieces.py::test_where_commands_are_listed_a_server_says_not_where_code_comes_from",
    ],
    "GHSA-f6hc-c5jr-878p, CVE-2025-58434 (Flowise: no token matched no token)": [
        f"{HERE}::test_an_absent_token_opens_nothing"
    ],
    "CVE-2026-21858 (n8n: a request described its own files)": [
        "tests/api/runs/test_given_files.py::test_a_file_says_itself_what_it_is",
        "tests/api/runs/test_given_files.py::test_what_is_no_file_of_the_team_is_named",
    ],
    "CVE-2025-68613, CVE-2026-1470, CVE-2026-25049, CVE-2026-27577 (n8n: expressions were JavaScript)": [
        "tests/properties/test_expressions.py::test_no_path_reaches_inside_a_host_object",
        "tests/properties/test_expressions.py::test_values_are_never_evaluated",
        "tests/properties/test_expressions.py::test_nothing_grows_beyond_its_bounds",
    ],
    "CVE-2026-27495, CVE-2026-49444, GHSA-9pq8-m8gp-4p53 (n8n: the code runner was escaped)": [
        f"{HERE}::test_one_node_runs_code_and_one_asks_addresses",
        "tests/unit/sandbox/test_code.py::test_a_class_of_python_leads_nowhere",
        "tests/unit/sandbox/test_code.py::test_there_are_no_files",
        "tests/unit/sandbox/test_code.py::test_other_modules_are_named_with_their_line",
        "tests/unit/sandbox/test_code.py::test_nothing_of_one_call_is_there_in_the_next",
    ],
    "CVE-2026-21877, CVE-2026-27497, CVE-2026-27498 (n8n: side doors to execution)": [
        f"{HERE}::test_programs_are_started_in_one_place"
    ],
    "a server that reads what its host may read (key, database, homes, environments)": [
        "tests/live/security/test_box.py::test_it_is_held",
        "tests/live/security/test_box.py::test_what_is_preloaded_runs_inside_only",
        "tests/live/security/test_box.py::test_nothing_stays_behind",
    ],
    "CVE-2026-41949, CVE-2026-41950, CVE-2026-41947 (Dify: files of others)": [
        "tests/api/files/test_files.py::test_a_strangers_file_does_not_exist",
        f"{DOORS}::test_strangers",
    ],
    "CVE-2025-56520 (Dify: fetching a file fetched inner addresses)": [
        f"{HERE}::test_there_is_one_way_out",
        f"{OUTBOUND}::test_a_run_meets_the_same_wall",
    ],
    "CVE-2026-44430 (official registry: forms of addresses that a filter missed)": [
        f"{OUTBOUND}::test_no_spelling_gets_through",
        f"{OUTBOUND}::test_rebinding_only_what_was_checked_is_connected_to",
    ],
    "CVE-2026-42449, CVE-2026-39974 (n8n-mcp: mapped addresses, keys that went along)": [
        f"{OUTBOUND}::test_no_spelling_gets_through",
        "tests/unit/net/test_client.py::test_a_redirect_to_another_origin_is_not_followed_and_gets_no_credentials",
        "tests/api/registry/test_servers.py::test_a_key_does_not_follow_to_another_origin",
        "tests/api/providers/test_trials.py::test_the_key_of_a_saved_one_does_not_go_elsewhere",
    ],
    "CVE-2025-49596 (MCP Inspector: no sign-in on localhost, rebinding)": [
        f"{WEB}::test_a_host_that_is_not_ours_is_refused",
        "tests/api/runs/test_websocket.py::test_nobody_is_refused_at_the_handshake",
    ],
    "CVE-2025-66416 (MCP SDK: servers without protection against rebinding)": [
        # nothing is served at /mcp
        "tests/api/project/test_page.py::test_what_programs_ask_for_is_never_answered_with_the_page"
    ],
    "CVE-2025-6514 (mcp-remote: an address from a server reached a shell)": [
        "tests/live/servers/test_questions.py::test_an_address_that_is_none_is_not_shown_to_anybody"
    ],
    "confused deputy, token passthrough, mix-up (MCP specification)": [
        f"{SIGN_IN}::test_a_client_that_was_entered_is_used_and_never_given_to_another_authority",
        f"{SIGN_IN}::test_what_goes_wrong_on_the_way_back_is_told_with_its_stage",
        f"{SIGN_IN}::test_a_state_of_another_browser_is_refused_and_stays_good_in_its_own",
        f"{SIGN_IN}::test_a_test_of_another_address_does_not_take_the_token_there",
        "tests/api/oauth/test_signing_in.py::test_a_token_of_another_audience_is_none",
        "tests/api/oauth/test_signing_in.py::test_a_page_of_another_site_decides_nothing",
    ],
    "state handle hijacking (MCP specification)": [
        "tests/api/runs/test_interactions.py::test_who_may_answer",
        "tests/api/runs/test_interactions.py::test_a_second_answer_is_409",
    ],
    "a program approves what a model asked for (a token answered every question)": [
        "tests/api/runs/test_who_answers.py::test_no_program_approves",
        "tests/api/runs/test_who_answers.py::test_no_program_confirms_its_own_call",
    ],
    "a hundred wrong passwords locked the owner out; one code of an app signed in twice": [
        f"{WEB}::test_wrong_passwords_from_everywhere_lock_nobody_out",
        "tests/api/accounts/test_person.py::test_a_code_counts_once_the_one_of_the_set_up_too",
        "tests/api/accounts/test_person.py::test_a_new_password_asks_the_old_one_and_ends_other_sessions",
    ],
    "any address of a private network named the client; a proxy was believed about names": [
        "tests/unit/project/test_compose.py::test_the_entrance_alone_says_who_asks",
        "tests/unit/net/test_client.py::test_the_operators_proxy_is_used_and_private_hosts_stay_blocked",
    ],
    "approving one's own run (ours: whoever started a payment could say yes to it)": [
        "tests/api/runs/test_approvers.py::test_whoever_started_the_run_may_not_approve_it",
        "tests/api/runs/test_approvers.py::test_two_people_approve_and_the_first_yes_is_shown",
        "tests/api/runs/test_approvers.py::test_no_token_counts_as_one_of_them",
        "tests/api/runs/test_approvers.py::test_a_grant_takes_the_same_people",
        "tests/api/runs/test_approvers.py::test_nobody_calls_such_a_tool_directly",
        "tests/live/runs/test_crash.py::test_the_first_of_two_yes_survives_the_kill_and_is_still_not_enough",
        "tests/live/kills/test_two_people.py::test_killed_while_the_second_says_yes",
    ],
    "characters that turn a text around (ours: agent, U+202E, gnp.exe was read as agentexe.png where one decides)": [
        "tests/e2e/test_hidden_characters.py::test_an_approval_shows_what_turns_its_text_around",
    ],
    "sign-in through a provider: forged, replayed and foreign answers, people it no longer knows": [
        "tests/live/accounts/test_sso.py::test_a_token_that_is_not_right_signs_nobody_in",
        "tests/live/accounts/test_sso.py::test_an_answer_that_is_not_ours",
        "tests/live/accounts/test_sso.py::test_an_answer_is_good_once_and_in_its_own_browser",
        "tests/live/accounts/test_sso.py::test_losing_the_group_ends_sessions_and_tokens",
        "tests/live/accounts/test_sso.py::test_without_the_provider_the_owner_signs_in_still",
        "tests/api/isolation/test_ways_in.py::test_no_way_in_leads_into_another_team",
        "tests/api/isolation/test_ways_in.py::test_no_way_in_makes_an_operator",
    ],
    "passkeys: replayed, malformed and unverified answers, a way around the second factor": [
        "tests/api/accounts/test_passkeys.py::test_an_answer_is_good_once_and_in_its_own_browser",
        "tests/api/accounts/test_passkeys.py::test_malformed_answers",
        "tests/api/accounts/test_passkeys.py::test_beside_one_the_password_alone_is_not_enough",
        "tests/api/accounts/test_factor_demands.py::test_members_without_one_set_it_up_before_anything_else",
    ],
    "a stolen token (ours: one opened every workflow from everywhere, and outlived the password)": [
        "tests/api/accounts/test_token_bounds.py::test_a_token_of_one_workflow_says_so_and_reaches_no_other",
        "tests/api/accounts/test_token_bounds.py::test_networks",
        "tests/api/accounts/test_token_bounds.py::test_after_its_end_it_says_so",
        "tests/api/isolation/test_bound_tokens.py::test_another_workflow_does_not_open",
        "tests/api/accounts/test_person.py::test_tokens_are_kept_where_that_is_chosen",
    ],
    "tool poisoning, shadowing, rug pull, CVE-2025-54136": [
        "tests/api/registry/test_live_servers.py::test_a_changed_definition_asks_until_it_is_accepted",
        "tests/api/registry/test_live_servers.py::test_a_changed_definition_never_lowers_what_is_asked",
        "tests/unit/tools/test_gate_in_runs.py::test_an_approval_for_the_tool_is_one_for_what_the_document_wrote",
        "tests/unit/agents/test_loop.py::test_a_question_says_what_tools_had_told_the_model_before_it_chose",
        "tests/api/registry/test_live_servers.py::test_hostile_definitions_are_kept_cleaned",
        "tests/unit/tools/test_pieces.py::test_exposed_names_of_odd_tools_do_not_collide",
        "tests/unit/tools/test_gate.py::test_policy_and_risk_decide",
    ],
    "GitHub MCP data theft (private data, a stranger's text and a way out in one run)": [
        # runs carry no taint: a call that a model chose and that is not LOW risk asks a person, who sees its arguments
        # and what the model had read before it chose
        "tests/unit/tools/test_gate.py::test_policy_and_risk_decide",
        "tests/unit/agents/test_loop.py::test_a_question_says_what_tools_had_told_the_model_before_it_chose",
    ],
    "GHSA-wvr4-3wq4-gpc5, GHSA-g53w-w6mj-hrpp (gateways: open unless two variables were set)": [
        "tests/live/project/test_start.py::test_a_wrong_key_is_refused",
        "tests/api/security/test_keys.py::test_a_key_that_is_too_easy_is_refused",
        f"{DOORS}::test_the_signed_out",
    ],
    "imported community flows (n8n: code that posts credentials out)": [
        "tests/api/workflows/test_workflows.py::test_a_declared_server_waits_for_an_admin",
        "tests/unit/sandbox/test_code.py::test_there_is_no_environment",
        "tests/api/runs/test_http.py::test_a_secret_goes_to_no_other_host",
        "tests/api/runs/test_http.py::test_a_host_out_of_an_expression_is_asked_for",
    ],
    "key loss (Flowise #3087, Sim)": [
        "tests/api/security/test_keys.py::test_a_rotation_reaches_every_place",
        "tests/api/security/test_keys.py::test_a_rotation_is_safe_to_repeat_and_to_leave_half_done",
    ],
    "secrets in traces (Sim, n8n)": [
        "tests/live/security/test_secrets.py::test_no_secret_stands_anywhere",
        "tests/unit/net/test_masking.py::test_every_spelling_is_hidden",
        "tests/unit/net/test_masking.py::test_a_secret_of_several_lines_is_hidden_line_by_line",
    ],
}


@functools.cache
def names_in(path: str) -> frozenset[str]:
    """The names of a file's tests."""
    tree = ast.parse((ROOT / path).read_text())
    matches = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    return frozenset(node.name for node in matches)


@pytest.mark.parametrize("case", CASES)
def test_every_case_is_held_by_tests_that_are_there(case: str) -> None:
    held = CASES[case]
    if isinstance(held, str):
        assert len(held) > 40  # says why
        return
    assert held
    for item in held:
        path, _, name = item.partition("::")
        assert name in names_in(path), item


def test_every_advisory_stands_there_once() -> None:
    ids = re.findall(r"(?:CVE-\d{4}-\d+|GHSA(?:-\w{4}){3})", " ".join(CASES))
    assert len(CASES) >= 30 and len(ids) == len(set(ids)) >= 30


@functools.cache
def sources() -> list[tuple[str, ast.Module]]:
    """Every file of ours."""
    files = sorted((ROOT / "backend").rglob("*.py"))
    return [(str(file.relative_to(ROOT)), ast.parse(file.read_text())) for file in files]


def called(tree: ast.Module) -> set[str]:
    """What is called: `eval`, `os.system`."""
    return {ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}


def test_no_code_of_ours_evaluates_text() -> None:
    evaluating = {"eval", "exec", "compile", "pickle.loads", "pickle.load", "marshal.loads", "yaml.load", "os.system"}
    assert [(path, bad) for path, tree in sources() if (bad := called(tree) & evaluating)] == []


def test_programs_are_started_in_one_place() -> None:
    starting = (
        "subprocess.",
        "asyncio.create_subprocess",
        "os.exec",
        "os.spawn",
        "os.popen",
        "os.fork",
        "os.posix_spawn",
    )
    matches = {path for path, tree in sources() if any(name.startswith(starting) for name in called(tree))}
    own = {"backend/project/kill_demo.py"}  # starts Patchbay itself, from a terminal
    own.add("backend/project/keys.py")  # the command that prints the keys, at the start
    own.add("backend/sandbox/pool.py")  # starts our own interpreter on a module of ours; nothing of it is configured
    own |= {
        f"backend/tools/box/{name}.py" for name in ("finding", "groups")
    }  # try what the machine gives, with a shell
    own.add("backend/tools/box/launcher.py")  # becomes the program that `processes` starts it for
    assert matches - own == {"backend/tools/processes.py"}
    shells = [
        path
        for path, tree in sources()
        for node in ast.walk(tree)
        if isinstance(node, ast.keyword) and node.arg == "shell"
    ]
    assert shells == []


def test_there_is_one_way_out() -> None:
    """Lint holds it for calls; this holds it for whole libraries, whoever switched lint off."""
    clients = {"requests", "httpx", "aiohttp", "urllib3", "urllib.request", "http.client", "websockets"}
    matches = set()
    for path, tree in sources():
        for node in ast.walk(tree):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            if clients & set(names):
                matches.add(path)
    # The exporters of OpenTelemetry want a session of `requests`; the one they are given sends by the guarded client.
    assert matches <= {"backend/project/kill_demo.py", "backend/telemetry/exporting.py"}


def test_one_node_runs_code_and_one_asks_addresses() -> None:
    """Where another comes, its row above needs tests of its sandbox and of the wall around addresses."""
    types = {item["type"] for item in node_types().describe("en")}
    assert types & {"code", "http", "python", "javascript", "shell"} == {"code", "http"}


def test_whoever_starts_a_run_sends_no_graph(alice: Person) -> None:
    plain = {name: value for name, value in GRAPH.items() if name != "mcp_servers"}
    created = alice.api.post("/api/workflows/import", {"graph": plain}).data["workflow"]["id"]
    assert alice.api.post(f"/api/workflows/{created}/publish").status == 201
    evil = {"schema": 1, "nodes": [{"id": "start", "type": "start", "v": 1, "config": {"inputs": {}}}], "edges": []}
    bodies = [{"inputs": {}}, {"inputs": {}, "graph": evil, "document": evil, "data": evil}]
    replies = [alice.api.post(f"/api/workflows/{created}/runs", body) for body in bodies]
    assert [reply.status for reply in replies] == [202, 202]
    one, other = (Run.objects.get(pk=reply.data["id"]) for reply in replies)
    assert one.version == other.version == 1 and one.graph_id == other.graph_id  # equal graphs are stored once


def test_whoever_only_reads_starts_nothing(vera: Person, seeded: SeededTeam) -> None:
    at = f"/api/workflows/{seeded.names['workflows']}/runs"
    assert vera.api.post(at, {"inputs": {}, "version": "draft"}).status == 403


@pytest.mark.parametrize(
    "config",
    [
        "({x:(function(){require('fs').writeFileSync('/tmp/patchbay-was-here','')})()})",
        "{{ ().__class__.__base__.__subclasses__() }}",
        "__import__('os').system('touch /tmp/patchbay-was-here')",
        {"mcpServers": {"x": {"command": {"$function": "touch"}}}},
        {"mcpServers": {"x": {"url": ["http://127.0.0.1/"]}}},
    ],
)
def test_a_configuration_is_data(alice: Person, config: Any) -> None:
    reply = alice.api.post("/api/mcp/servers/import", {"config": config})
    assert reply.status == 400 or (reply.data["created"] == [] and reply.data["skipped"])
    assert not Path("/tmp/patchbay-was-here").exists()


async def test_the_list_of_commands_holds_where_the_program_is_started(tmp_path: Path) -> None:
    """However a configuration came to be: nobody asks here who wrote it."""
    mark, reaper = tmp_path / "was-here", Reaper()
    key = PoolKey("team", "server")
    for rules in (
        StdioRules(allowed=False, home_root=tmp_path),
        StdioRules(allowed=True, commands=("uvx",), home_root=tmp_path),
        StdioRules(allowed=True, commands=("touch elsewhere",), home_root=tmp_path),
    ):
        with pytest.raises(McpPolicyDenied):
            await Program.start(ServerConfig(key, "s", "stdio", command="touch", args=(str(mark),)), rules, reaper)
    preloaded = ServerConfig(key, "s", "stdio", command="touch", args=(str(mark),), env={"LD_PRELOAD": "/tmp/x.so"})
    with pytest.raises(McpPolicyDenied):
        rules = StdioRules(allowed=True, commands=("touch",), home_root=tmp_path)
        await Program.start(preloaded, rules, reaper)
    assert not mark.exists()


@pytest.mark.django_db
@pytest.mark.parametrize("token", ["", "null", "None", "undefined", "0", "\x00"])
def test_an_absent_token_opens_nothing(alice: Person, token: str) -> None:
    with pytest.raises(NotFound):
        services.link_find(token)
    with pytest.raises(NotFound):
        invitations.invitation_find(token)
    nobody = Person(alice.user, alice.team, type(alice.api)(token), token)
    assert nobody.api.get("/api/me").status == 401


@pytest.mark.parametrize(
    "rules", [NetworkRules(), NetworkRules(allow=("127.0.0.1",), own_ports=(9,))], ids=["private", "our own"]
)
def test_the_way_to_a_collector_is_guarded_too(rules: NetworkRules) -> None:
    from backend.telemetry.exporting import Way

    with Way("traces", "http://127.0.0.1:9/v1/traces", {}, 5, "none", rules).options["session"] as session:
        for url in ("http://127.0.0.1:9/v1/traces", "https://127.0.0.1:9/v1/traces"):
            with pytest.raises(OSError, match="NETWORK_BLOCKED") as refused:
                session.post(url, data=b"spans")
            assert isinstance(refused.value.__cause__, NetworkBlocked)
