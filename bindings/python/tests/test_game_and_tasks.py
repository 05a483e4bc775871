"""Guards of games, and the detector of tasks."""

from __future__ import annotations

from loopbreak.game import GameGuard
from loopbreak.tasks import TaskDetector


def test_going_back_and_forth_lowers_the_score_of_the_critic() -> None:
    guard = GameGuard(run="e1")
    rooms = [{"id": 20, "name": "Dam"}, {"id": 15, "name": "Lobby"}]
    critic: list[str] = []
    for turn in range(14):
        room = rooms[turn % 2]
        after = guard.after("north" if turn % 2 else "south", place=room, score=40, critic_score=0.6)
        critic += after.for_critic
    ruling = guard.adjust("south", 0.6)
    assert ruling.score < 0.6 and not ruling.accepted and ruling.adjustments
    assert guard.adjust("open the door", 0.6).accepted
    assert any("Dam" in text for text in critic)
    assert guard.adjust("plugh", 0.9, destination=20).score < 0.9


def test_a_game_without_progress_ends_with_a_warning_before() -> None:
    guard = GameGuard(run="e1")
    warned = None
    for turn in range(1, 200):
        after = guard.after(f"examine thing {turn}", score=0, active_objectives=["open the dam"])
        if after.for_agent and warned is None:
            warned = turn
        if after.ended:
            break
    assert after.ended == "stuck_no_progress" and warned is not None and warned < turn
    assert any(event["event_type"] for event in after.events)


def test_objectives_and_scores_are_progress() -> None:
    guard = GameGuard(run="e1")
    assert not guard.after("look", score=0, active_objectives=["a"]).progress
    assert guard.after("take lamp", score=5).progress
    assert guard.after("open", score=5, completed_objectives=["a"]).progress
    restored = GameGuard.restore(guard.snapshot())
    assert restored.guard.turn == 3
    for turn in range(60):
        after = guard.after(f"go {turn}", score=5 * turn)
    assert after.ended is None


def test_a_blocked_task_gets_authority_once_and_then_a_human() -> None:
    detector = TaskDetector()
    actions = []
    at = 1_760_825_000_000
    for number in range(6):
        assert detector.record("T3.4.3", "blocked", blockers=["the design system is not available"], at=at + number)
        if detector.check("T3.4.3", at + number).is_looping:
            recovery = detector.recover("T3.4.3", "run", at + number)
            actions.append((number + 1, recovery.action))
            assert recovery and recovery.reason and (recovery.context or recovery.for_user)
    assert actions == [(3, "unblock_authority"), (6, "escalate")]
    again = TaskDetector.restore(detector.snapshot())
    assert again.status() == detector.status()


def test_work_that_grows_is_no_loop() -> None:
    detector = TaskDetector()
    for number in range(10):
        detector.record("T1", "in_progress", work=[f"file {number}"])
        assert not detector.check("T1")
    assert not detector.record("T1"), "nothing was attempted"
    assert not detector.recover("T1")
    detector.clear("T1")
    assert detector.status()["T1"]["attemptCount"] == 0
