//! Programs and addresses that do not answer, and how long others wait for them.

use std::net::TcpListener;

use super::killed_runner::{processes_with, wait_until};
use crate::attack::attack_lab::AttackLab;
use crate::attack::attack_rows::AttackRows;
use crate::attack::limited_command::MEGABYTE;
use crate::chore_failure::ChoreFailure;

/// Memory for a world that never ends its line.
const WORLD_MEMORY: u64 = 200 * MEGABYTE;

/// Worlds of `play` that do not answer.
pub(super) fn worlds(lab: &AttackLab, rows: &mut AttackRows) -> Result<(), ChoreFailure> {
    for (attack, world) in [
        ("`play --world` with a program that never answers", "sleep 3600"),
        ("`play --world` with a program that never ends its line", "cat /dev/zero"),
    ] {
        let home = lab.home()?;
        let end = home.loopbreak("play --max-turns 3 --plain --world").args([world]).run()?;
        rows.judge(
            attack,
            end.code().is_some_and(|code| code != 0)
                && end.is_within(lab.seconds(30))
                && end.peak < WORLD_MEMORY,
            format_args!(
                "{}, {}: {}",
                end.describe(),
                end.memory(),
                end.err.lines().next().unwrap_or_default()
            ),
        );
    }
    Ok(())
}

/// Notifications and commands at the end of `run`.
pub(super) fn notifications(lab: &AttackLab, rows: &mut AttackRows) -> Result<(), ChoreFailure> {
    let home = lab.home()?;
    // It accepts connections, as the kernel does that for it, and never answers.
    let listener = TcpListener::bind("127.0.0.1:0")
        .and_then(|listener| listener.local_addr().map(|address| (listener, address)));
    let (listener, address) = listener.map_err(|error| ChoreFailure::io("listen", &error))?;
    let line = format!("run --prompt x --max-iterations 1 --notify http://{address}/ -- echo it");
    let end = home.loopbreak(&line).run()?;
    drop(listener);
    rows.judge(
        "`run --notify` to an address that never answers",
        end.code() == Some(11) && end.is_within(lab.seconds(12)),
        end.describe(),
    );
    let home = lab.home()?;
    let script = home.write("hang.sh", "echo started > started\nsleep 3600 & wait\n")?;
    let exec = format!("sh {}", script.display());
    let end = home.loopbreak("run --prompt x --max-iterations 1 --exec").args([&exec]);
    let end = end.args(["--", "echo", "it"]).run()?;
    let is_started = home.path("project/started").exists();
    let is_gone = wait_until(lab.seconds(3), || processes_with(&script) == 0);
    rows.judge(
        "`run --exec` with a command that hangs",
        end.code() == Some(11) && end.is_within(lab.seconds(12)) && is_started && is_gone,
        format_args!("{}; the command is {}", end.describe(), if is_gone { "ended" } else { "left running" }),
    );
    Ok(())
}
