//! Files and links that a cloned repository brings along.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::attack::attack_lab::{AttackLab, is_root};
use crate::attack::attack_rows::AttackRows;
use crate::chore_failure::ChoreFailure;
use crate::process::works;

/// Settings that would run a command if a shell read them.
const SETTINGS: &str = "{\"env\":{\"X\":\"$(touch ~/PWNED)\"}}\n";
/// The command that `hook install` writes.
const HOOK: &str = "loopbreak hook claude-code";
/// The file of the user that a link leads to.
const VICTIM: &str = "alias ll=ls\n";

/// F1: links under the names of temporary files.
pub(super) fn overwritten(lab: &AttackLab, rows: &mut AttackRows) -> Result<(), ChoreFailure> {
    let home = lab.home()?;
    home.write(".bashrc", VICTIM)?;
    home.write("origin/.claude/settings.json", SETTINGS)?;
    home.link("../../.bashrc", "origin/.claude/settings.json.part")?;
    let commit = "cd ../origin && git init -q && git add -A && \
                  git -c user.name=a -c user.email=a@example.invalid commit -qm a && git clone -q . ../clone";
    home.prepare(commit)?;
    if !home.path("clone/.claude/settings.json.part").is_symlink() {
        return Err(ChoreFailure::Failed("git has not cloned the link".to_owned()));
    }
    let end = home.loopbreak("hook install claude-code").folder(&home.path("clone")).run()?;
    home.shell("bash --rcfile ~/.bashrc -ic true")?;
    let is_kept = home.read(".bashrc") == VICTIM;
    let is_run = home.path("PWNED").exists();
    let is_link = home.path("clone/.claude/settings.json").is_symlink();
    let is_installed = home.read("clone/.claude/settings.json").contains(HOOK);
    rows.judge(
        "`hook install` in a clone with `settings.json.part -> ../../.bashrc`",
        end.code() == Some(0) && is_installed && is_kept && !is_run && !is_link,
        format_args!(
            "{}; .bashrc {}, command {}",
            end.describe(),
            if is_kept { "unchanged" } else { "overwritten" },
            if is_run { "run" } else { "not run" }
        ),
    );
    for (attack, name, line) in [
        (
            "`analyze --html` beside a planted `.part` link",
            "report.html",
            "analyze log.jsonl --html report.html",
        ),
        (
            "`tune --output` beside a planted `.part` link",
            "best.toml",
            "tune log.jsonl --budget 2 --output best.toml",
        ),
        ("`allow --save` beside a planted `.part` link", "loopbreak.toml", "allow last --save"),
    ] {
        let home = lab.home()?;
        home.write("victim", VICTIM)?;
        home.write("project/log.jsonl", a_log())?;
        home.loop_until_refused("session")?;
        for end in [".part", ".tmp"] {
            home.link("../victim", &format!("project/{name}{end}"))?;
        }
        let end = home.loopbreak(line).run()?;
        let written = home.path(&format!("project/{name}"));
        let is_file = fs::symlink_metadata(&written).is_ok_and(|metadata| metadata.is_file());
        let is_kept = home.read("victim") == VICTIM;
        rows.judge(
            attack,
            end.code() == Some(0) && is_file && is_kept,
            format_args!(
                "{}; {name} {}, victim {}",
                end.describe(),
                if is_file { "is a file" } else { "is not a file" },
                if is_kept { "unchanged" } else { "overwritten" }
            ),
        );
    }
    Ok(())
}

/// Returns a log of some runs with loops and without.
fn a_log() -> String {
    let mut log = String::new();
    for run in 0..12 {
        for turn in 0..30 {
            let outcome = if run % 2 == 0 { 0 } else { turn };
            // Writing to a text cannot fail.
            _ = writeln!(log, "{{\"run\":\"r{run}\",\"action\":\"a{outcome}\",\"outcome\":\"o{outcome}\"}}");
        }
    }
    log
}

/// F2: commands in settings files.
pub(super) fn run_by_doctor(lab: &AttackLab, rows: &mut AttackRows) -> Result<(), ChoreFailure> {
    let agents = [
        ("a repository's hook under `hook doctor claude-code`", "claude-code", ".claude", "Stop"),
        ("the same under `hook doctor gemini`", "gemini", ".gemini", "SessionEnd"),
    ];
    for (attack, agent, folder, event) in agents {
        let home = lab.home()?;
        // Written with the escapes of JSON, as a repository would.
        let line = format!("touch PWNED2; loopbreak hook {agent}");
        let escape = format!("loopbreak \\u001b]0;title\\u0007 hook {agent}");
        let settings = [line, escape]
            .map(|command| format!("{{\"hooks\":[{{\"type\":\"command\",\"command\":\"{command}\"}}]}}"));
        let settings = format!("{{\"hooks\":{{\"{event}\":[{}]}}}}", settings.join(","));
        home.write(&format!("project/{folder}/settings.json"), settings)?;
        let end = home.loopbreak(&format!("hook doctor {agent}")).env("CLICOLOR_FORCE", "1").run()?;
        let is_run = home.path("project/PWNED2").exists();
        let has_escape = [&end.out, &end.err].iter().any(|text| text.contains("\u{1b}]"));
        // A program that does not look at the hooks at all would pass too.
        let is_checked = end.out.contains(&format!("hook {agent}"));
        rows.judge(
            attack,
            is_checked && end.code().is_some() && !is_run && !has_escape && end.is_within(lab.seconds(30)),
            format_args!(
                "{}; command {}; {} on the terminal",
                end.describe(),
                if is_run { "run" } else { "not run" },
                if has_escape { "raw escape sequence" } else { "no escape sequence of it" }
            ),
        );
    }
    Ok(())
}

/// F3: private settings stay private.
pub(super) fn made_readable(lab: &AttackLab, rows: &mut AttackRows) -> Result<(), ChoreFailure> {
    let home = lab.home()?;
    home.write("project/.claude/settings.json", "{\"env\":{\"ANTHROPIC_API_KEY\":\"sk-ant-x\"}}\n")?;
    home.prepare("chmod 600 .claude/settings.json")?;
    let end = home.loopbreak("hook install claude-code").run()?;
    let backup = backup_of(&home.path("project/.claude"));
    let modes = [home.mode("project/.claude/settings.json"), home.mode(&format!("project/.claude/{backup}"))];
    rows.judge(
        "`hook install` with settings of mode 600",
        end.code() == Some(0) && !backup.is_empty() && modes == [0o600; 2],
        format_args!("{}; settings {:o}, backup {:o}", end.describe(), modes[0], modes[1]),
    );
    let attack = "`hook install` by root with settings of another user";
    if !is_root() {
        rows.not_tried(attack, "needs root");
        return Ok(());
    }
    let home = lab.home()?;
    home.write("project/.claude/settings.json", "{}\n")?;
    let settings = home.path("project/.claude/settings.json");
    if !works(Command::new("chown").arg("64321:64321").arg(&settings)) {
        return Err(ChoreFailure::Failed("cannot change the owner of a file".to_owned()));
    }
    let end = home.loopbreak("hook install claude-code").run()?;
    let owner = home.owner("project/.claude/settings.json");
    rows.judge(
        attack,
        end.code() == Some(0)
            && home.read("project/.claude/settings.json").contains(HOOK)
            && owner == Some(64321),
        format_args!("{}; owner {}", end.describe(), owner.map_or("gone".to_owned(), |id| id.to_string())),
    );
    Ok(())
}

/// Returns the name of the backup in a folder of settings.
fn backup_of(folder: &Path) -> String {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    names.find(|name| name.contains(".before-loopbreak-")).unwrap_or_default()
}
