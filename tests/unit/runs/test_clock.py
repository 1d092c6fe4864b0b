"""A machine's clock that jumps is believed once it goes on being where it jumped to."""

from __future__ import annotations

import time

import pytest

from backend.database import clock
from backend.database.clock import BELIEVED_S, MachineClock

NOON = 1_000_000.0


class Machine:
    """Both clocks of a machine; `wrong` = seconds that somebody set one of them ahead."""

    def __init__(self) -> None:
        self.passed, self.wrong = 0.0, 0.0

    def wall(self) -> float:
        return NOON + self.passed + self.wrong

    def steady(self) -> float:
        return self.passed


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Machine:
    machine = Machine()
    monkeypatch.setattr(time, "time", machine.wall)
    monkeypatch.setattr(clock, "steady", machine.steady)
    return machine


@pytest.mark.parametrize("jump", [3600.0, -3600.0])
def test_a_jump_is_believed_once_it_has_lasted(machine: Machine, jump: float) -> None:
    known = MachineClock()
    assert known.now() == NOON
    machine.wrong, machine.passed = jump, 5.0
    assert known.now() == NOON + 5
    machine.passed += BELIEVED_S - 1
    assert known.now() == NOON + machine.passed
    machine.passed += 1
    assert known.now() == NOON + machine.passed + jump


def test_a_clock_that_came_back_was_right(machine: Machine) -> None:
    known = MachineClock()
    known.now()
    for _ in range(3):
        machine.wrong = 3600.0
        machine.passed += BELIEVED_S - 1
        assert known.now() == NOON + machine.passed
        machine.wrong = 0.0
        machine.passed += 1
        assert known.now() == NOON + machine.passed


def test_small_steps_are_followed_at_once(machine: Machine) -> None:
    known = MachineClock()
    known.now()
    machine.wrong, machine.passed = 0.5, 10.0
    assert known.now() == NOON + 10.5
