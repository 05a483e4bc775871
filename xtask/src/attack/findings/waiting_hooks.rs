//! Hooks that wait for a file or for a lock.

use std::fmt::Write as _;
use std::thread;
use std::time::Duration;

use crate::attack::attack_lab::AttackLab;
use crate::attack::attack_rows::AttackRows;
use crate::attack::limited_command::ProgramEnd;
use crate::chore_failure::ChoreFailure;
use crate::trial::StoreLock;

/// Returns whether a hook ended as it should, in its time.
fn is_good(lab: &AttackLab, end: &ProgramEnd) -> bool {
    end.code() == Some(0) && end.is_within(lab.hook_time())
}

/// F10: a transcript that is a pipe.
pub(super) fn blocking_transcript(lab: &AttackLab, rows: &mut AttackRows) -> Result<(), ChoreFailure> {
    let home = lab.home()?;
    home.prepare("mkfifo pipe")?;
    home.step("other", "PostToolUse")?;
    let mut event = home.event("blocked", "PostToolUse");
    event["transcript_path"] = home.path("project/pipe").display().to_string().into();
    let blocked = home.hook_command(&event).start()?;
    thread::sleep(Duration::from_millis(100));
    let other = home.step("other", "PostToolUse")?;
    let blocked = blocked.wait()?;
    let steps = [home.logged_steps("blocked")?, home.logged_steps("other")?];
    rows.judge(
        "a transcript that is a pipe, with a step of another session beside it",
        is_good(lab, &blocked) && is_good(lab, &other) && steps == [1, 2],
        format_args!(
            "{}; other session: {}; {} of 3 steps recorded",
            blocked.describe(),
            other.describe(),
            steps[0] + steps[1]
        ),
    );
    Ok(())
}

/// F11: a store that another program keeps locked.
pub(super) fn locked_store(lab: &AttackLab, rows: &mut AttackRows) -> Result<(), ChoreFailure> {
    let home = lab.home()?;
    home.loop_until_refused("session")?;
    let lock = StoreLock::take(&home.home, "BEGIN IMMEDIATE;")?;
    let (mut slowest, mut good, mut count) = (Duration::ZERO, 0, 0);
    for name in ["PostToolUse", "PreToolUse", "PostToolUse", "PreToolUse", "PostToolUse", "PreToolUse"] {
        let end = home.step("session", name)?;
        slowest = slowest.max(end.elapsed);
        good += usize::from(is_good(lab, &end));
        count += 1;
    }
    lock.release()?;
    let before = home.logged_steps("session")?;
    // Steps that wait are recorded by the next hooks.
    let (mut expected, mut after) = (before + count / 2, before);
    for _ in 0..5 {
        home.step("session", "PostToolUse")?;
        expected += 1;
        after = home.logged_steps("session")?;
        if after == expected {
            break;
        }
    }
    rows.judge(
        "six hooks while the store is locked",
        good == count && after == expected,
        format_args!(
            "{good} of {count} in time, slowest {:.2} s; {before} steps recorded before, {after} of {expected} after the lock",
            slowest.as_secs_f64()
        ),
    );
    Ok(())
}

/// F19: a transcript with thousands of rejected calls.
pub(super) fn long_transcript(lab: &AttackLab, rows: &mut AttackRows) -> Result<(), ChoreFailure> {
    let attacks = [
        ("a transcript with 8,000 rejected calls", 8_000),
        ("a transcript with 16,000 rejected calls", 16_000),
    ];
    for (attack, count) in attacks {
        let home = lab.home()?;
        let transcript = home.write("project/t.jsonl", "{}\n")?;
        let mut event = home.event("session", "PostToolUse");
        event["transcript_path"] = transcript.display().to_string().into();
        home.hook(&event)?;
        let mut lines = String::from("{}\n");
        for number in 0..count {
            // Writing to a text cannot fail.
            _ = writeln!(
                lines,
                "{{\"type\":\"user\",\"message\":{{\"role\":\"user\",\"content\":[{{\"type\":\"tool_result\",\
                 \"content\":\"<tool_use_error>bad</tool_use_error>\",\"is_error\":true,\"tool_use_id\":\"toolu_{number}x\"}}]}}}}"
            );
        }
        home.write("project/t.jsonl", lines)?;
        let mut ends = Vec::new();
        for _ in 0..3 {
            let mut event = home.event("session", "PostToolUse");
            event["transcript_path"] = transcript.display().to_string().into();
            let reading = home.hook_command(&event).start()?;
            ends.push(home.start_step("other")?.wait()?);
            ends.push(reading.wait()?);
        }
        let good = ends.iter().filter(|end| is_good(lab, end)).count();
        let slowest = ends.iter().map(|end| end.elapsed).max().unwrap_or_default();
        let steps = home.logged_steps("session")?;
        rows.judge(
            attack,
            good == ends.len() && steps >= 4,
            format_args!(
                "{good} of {} hooks in time, half of them of another session; slowest {:.2} s; {steps} steps recorded",
                ends.len(),
                slowest.as_secs_f64()
            ),
        );
    }
    Ok(())
}
