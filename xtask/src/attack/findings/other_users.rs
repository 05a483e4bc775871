//! Another user of the machine. Only root can become one, without an account and without changing anything.

use std::path::Path;

use serde_json::json;

use crate::attack::attack_lab::{AttackHome, AttackLab, is_root};
use crate::attack::attack_rows::AttackRows;
use crate::attack::http_client::{HttpServer, INITIALIZE};
use crate::attack::limited_command::ProgramEnd;
use crate::chore_failure::ChoreFailure;

/// A word in the recorded call.
const PRIVATE: &str = "private-word-5512";

/// Records a step of a session that only its user may read.
fn record_private(home: &AttackHome<'_>) -> Result<(), ChoreFailure> {
    let mut event = home.event("private", "PostToolUse");
    event["tool_input"]["command"] = format!("echo {PRIVATE}").into();
    home.hook(&event)?;
    let log = home.loopbreak("log private").run()?;
    if log.out.contains(PRIVATE) {
        return Ok(());
    }
    Err(ChoreFailure::Failed(format!("the step is not in the log: {}", log.err)))
}

/// Runs a shell as the other user.
fn as_other(home: &AttackHome<'_>, line: &str) -> Result<ProgramEnd, ChoreFailure> {
    home.command(Path::new("sh")).folder(Path::new("/")).args(["-c", line]).by_other_user().run()
}

/// F9: the server answers nobody without the token.
pub(super) fn over_http(lab: &AttackLab, rows: &mut AttackRows) -> Result<(), ChoreFailure> {
    let home = lab.home()?;
    record_private(&home)?;
    let server = HttpServer::start(&home, "", |command| command)?;
    let attack = "another user asks the server, with its address only";
    if is_root() {
        let url = format!("http://{}/mcp", server.address);
        let body = INITIALIZE.replace('"', "\\\"");
        let ask = format!(
            "curl -s -m 20 -w '\\n%{{http_code}}' -H 'Content-Type: application/json' \
             -H 'Accept: application/json, text/event-stream' -d \"{body}\" {url}"
        );
        let end = as_other(&home, &ask)?;
        let code = end.out.lines().last().unwrap_or_default();
        rows.judge(
            attack,
            end.code() == Some(0) && code == "401" && !end.out.contains("serverInfo"),
            format_args!("status {code}"),
        );
        let token = home.home.store().with_file_name("mcp-token");
        let end = as_other(&home, &format!("cat '{}'", token.display()))?;
        rows.judge(
            "another user reads the file of the token",
            token.is_file() && end.code() == Some(1) && !end.out.contains(&server.token),
            format_args!("{}", end.err.rsplit(": ").next().unwrap_or_default()),
        );
    } else {
        rows.not_tried(attack, "needs root, to become another user");
    }
    let failed = |error: std::io::Error| ChoreFailure::io("talk to the server", &error);
    let mut client = server.client(lab.seconds(20)).map_err(failed)?;
    client.initialize().map_err(failed)?;
    let mut answers = String::new();
    for uri in ["loopbreak://runs/private/events", "loopbreak://runs/p/events"] {
        let answer = client.request("resources/read", &json!({"uri": uri})).map_err(failed)?;
        answers += &answer.body;
    }
    rows.judge(
        "a client with the token reads the session of a hook",
        !answers.contains(PRIVATE) && answers.contains("error"),
        if answers.contains(PRIVATE) { "gets its events" } else { "gets an error" },
    );
    Ok(())
}

/// F22: the files of the store are private, also in a folder that others may enter.
pub(super) fn in_files(lab: &AttackLab, rows: &mut AttackRows) -> Result<(), ChoreFailure> {
    let home = lab.home()?;
    home.prepare("mkdir -m 755 -p \"$XDG_STATE_HOME/loopbreak\"; chmod 755 \"$XDG_STATE_HOME\" \"$XDG_STATE_HOME/loopbreak\"")?;
    record_private(&home)?;
    // A step that cannot be handled leaves a line in the log of hooks.
    home.hook_command(&json!({})).input("{\"hook_event_name\": 7").run()?;
    let find =
        home.shell("find \"$XDG_STATE_HOME\" -type f -perm /077; echo; find \"$XDG_STATE_HOME\" -type f")?;
    let (open, all) = find.out.split_once("\n\n").unwrap_or(("", &find.out));
    let (open, all) = (open.trim(), all.trim().lines().count());
    rows.judge(
        "files of the store in a folder of mode 755",
        all >= 2 && open.is_empty(),
        format_args!("{all} files, readable for others: {}", if open.is_empty() { "none" } else { open }),
    );
    let attack = "another user reads the store";
    if is_root() {
        let end = as_other(&home, &format!("cat '{}'*", home.home.store().display()))?;
        rows.judge(
            attack,
            end.code() == Some(1) && !end.out.contains(PRIVATE) && end.out.is_empty(),
            end.err.lines().next().and_then(|line| line.rsplit(": ").next()).unwrap_or_default(),
        );
    } else {
        rows.not_tried(attack, "needs root, to become another user");
    }
    let home = lab.home()?;
    let end = home.shell("umask 022; exec \"$LB\" run --prompt x --max-iterations 2 --log-dir logs --scratchpad pad.md -- echo it")?;
    let find = home.shell("find logs pad.md -type f -perm /077; echo; find logs pad.md -type f")?;
    let (open, all) = find.out.split_once("\n\n").unwrap_or(("", &find.out));
    let (open, all) = (open.trim(), all.trim().lines().count());
    rows.judge(
        "files of `run --log-dir` and `--scratchpad`",
        all >= 2 && open.is_empty(),
        format_args!(
            "{}; {all} files, readable for others: {}",
            end.describe(),
            if open.is_empty() { "none" } else { open }
        ),
    );
    Ok(())
}
