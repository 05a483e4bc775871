//! Files without an end.

use crate::attack::attack_lab::AttackLab;
use crate::attack::attack_rows::AttackRows;
use crate::attack::limited_command::MEGABYTE;
use crate::chore_failure::ChoreFailure;

/// Memory of a program that reads no more than it has to.
const MEMORY: u64 = 200 * MEGABYTE;

/// F24: `/dev/zero` wherever a file is named, and behind a link of a repository.
pub(super) fn named_and_linked(lab: &AttackLab, rows: &mut AttackRows) -> Result<(), ChoreFailure> {
    let attacks = [
        ("`run --prompt-file /dev/zero`", "run --max-iterations 1 --prompt-file /dev/zero -- cat"),
        ("`play /dev/zero`", "play /dev/zero"),
        ("`run --roadmap /dev/zero`", "run --max-iterations 1 --roadmap /dev/zero -- true"),
        ("`mcp --token-file /dev/zero`", "mcp --http 127.0.0.1:0 --token-file /dev/zero"),
        ("`hook install` with a settings file that links to /dev/zero", "hook install claude-code"),
    ];
    for (attack, line) in attacks {
        let home = lab.home()?;
        home.create_folder("project/.claude")?;
        home.link("/dev/zero", "project/.claude/settings.json")?;
        let end = home.loopbreak(line).run()?;
        rows.judge(
            attack,
            end.code().is_some_and(|code| code != 0) && end.is_within(lab.seconds(5)) && end.peak < MEMORY,
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
