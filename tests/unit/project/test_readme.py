"""A claim of the README is checked by a test or not made: which tests check which paragraph, and that they exist."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
CLAIMS = {
    "`make test-scaled`": [
        "tests/live/kills/test_storm.py::test_web_workers_redis_and_postgres_are_killed_again_and_again"
    ],
    "You need": [
        "tests/live/project/test_newcomer.py::test_make_run_starts_servers_by_npx",
        "tests/live/project/test_start.py::test_ctrl_c_ends_everything",
        "tests/unit/project/test_bootstrap.py::test_make_alone_lists_every_target",
    ],
    "The link": ["tests/e2e/test_first_run.py::test_the_first_link_leads_to_two_examples"],
    "Registry.": [
        "tests/e2e/test_registry.py::test_a_preset_becomes_a_server",
        "tests/e2e/test_registry.py::test_pasted_json_becomes_servers_without_showing_its_keys",
        "tests/e2e/test_registry.py::test_a_failed_test_says_where_why_and_what_to_do",
    ],
    "Canvas.": [
        "tests/e2e/test_build.py::test_from_nothing_to_a_run_with_the_mouse",
        "tests/e2e/test_build.py::test_every_edit_can_be_undone",
        "tests/e2e/test_build.py::test_copies_travel_as_text",
        "tests/e2e/test_to_here.py::test_a_lost_session_loses_no_work",
    ],
    "Runs.": [
        "tests/e2e/test_live.py::test_a_reload_in_mid_run_loses_nothing",
        "tests/e2e/test_editor.py::test_a_past_run_can_be_scrubbed",
        "tests/live/runs/test_crash.py::test_killed_again_and_again_every_run_ends_and_no_payment_happens_twice",
    ],
    "Models and agents.": [
        "tests/e2e/test_providers.py::test_a_provider_from_nothing_to_gone",
        "tests/e2e/test_agents.py::test_an_agent_from_nothing",
        "tests/e2e/test_agents.py::test_a_planner_asks_for_what_is_missing",
    ],
    "Again.": ["tests/e2e/test_again.py::test_a_failed_run_is_retried_and_forked"],
    "People.": [
        "tests/e2e/test_live.py::test_a_destructive_tool_asks_and_the_card_leads_to_the_question",
        "tests/e2e/test_live.py::test_the_inbox_answers_with_other_arguments",
    ],
    "Teams.": [
        "tests/e2e/test_people.py::test_invited_joined_removed_and_told_so",
        "tests/e2e/test_people.py::test_signing_in_with_a_second_factor",
    ],
    "One process or many.": [
        "tests/live/scaled/test_processes.py::test_runs_spread_over_the_workers",
        "tests/live/project/test_backup.py::test_waiting_runs_go_on_in_another_mode_and_back",
    ],
    "API.": ["tests/live/project/test_start.py::test_a_token_comes_before_the_first_start_too"],
    "English and Chinese": [
        "tests/e2e/test_accessibility.py::test_chinese_all_the_way",
        "tests/e2e/test_keys.py::test_the_help_lists_these_and_no_others",
    ],
}
"""How a paragraph begins, and what checks it. (What others can do is no claim about us, and says where it is from.)"""


def claims() -> list[str]:
    """The paragraphs of the README that claim something, from the commands to the comparison."""
    text = (ROOT / "README.md").read_text(encoding="utf-8").split("## Two commands")[1].split("## How it compares")[0]
    blocks = re.split(r"\n\n|\n(?=- )", re.sub(r"```.*?```", "", text, flags=re.DOTALL))
    plain = [block.strip().removeprefix("- ").replace("**", "") for block in blocks]
    return [block for block in plain if block and not block.startswith(("#", "|", "!", "<"))]


def test_every_claim_is_checked_by_tests() -> None:
    for claim in claims():
        assert any(claim.startswith(start) for start in CLAIMS), f"no test is named for: {claim}"


def test_every_entry_belongs_to_a_claim_and_its_tests_exist() -> None:
    for start, tests in CLAIMS.items():
        assert any(claim.startswith(start) for claim in claims()), f"the README no longer says: {start}"
        for test in tests:
            file, name = test.split("::")
            assert re.search(rf"^(async )?def {name}\(", (ROOT / file).read_text(encoding="utf-8"), re.MULTILINE), test
