//! Failures that belong to healthy work: probing, parallel calls, a person's refusal, searches without a match,
//! flaky tests.

use crate::signals::{announced, assert_spared, edited, in_batch, ran, read, said, worked};
use crate::steps::failing;
use serde_json::{Value, json};

/// Returns a reading of a file that does not exist.
fn missing(path: &str) -> Value {
    failing("read_file", &json!({"path": path}), &format!("ENOENT: no such file or directory, open '{path}'"))
}

/// Probing for files that may not exist: three failures in a row, and something learned after them.
#[test]
fn probing_for_files_that_may_not_exist_is_healthy() {
    assert_spared([
        missing("jest.config.js"),
        missing("vitest.config.ts"),
        missing("karma.conf.js"),
        ran("ls", 0, "package.json  src  test"),
        read("package.json", 0),
        missing(".mocharc.yml"),
        missing(".mocharc.json"),
        missing("test/mocha.opts"),
        ran("ls test", 0, "run.js  cases"),
        read("test/run.js", 0),
        edited("test/run.js", "bail: true", "bail: false"),
        ran("node test/run.js", 0, "41 passed"),
    ]);
}

/// Probing with other ways between, each of which tells something.
#[test]
fn a_search_for_the_right_tool_is_healthy() {
    assert_spared([
        ran("docker compose version", 127, "bash: docker: command not found"),
        ran("podman --version", 127, "bash: podman: command not found"),
        ran("cat /etc/os-release", 0, "NAME=\"Alpine Linux\""),
        ran("apt-get install -y podman", 127, "bash: apt-get: command not found"),
        ran("apk add podman", 0, "OK: 301 MiB in 92 packages"),
        ran("podman --version", 0, "podman version 5.2.1"),
    ]);
}

/// Returns parallel calls of one message, of which the first fails and the others are cancelled.
fn cancelled_batch(batch: &str, start: usize) -> Vec<Value> {
    let first = ran(&format!("cat services/s{start}/config.toml"), 1, "cat: No such file or directory");
    let others = (1..6).map(|n| {
        let args = json!({"command": format!("cat services/s{}/config.toml", start + n)});
        failing("bash", &args, "Cancelled: a parallel tool call of this message failed")
    });
    [first].into_iter().chain(others).map(|record| in_batch(batch, record)).collect()
}

/// Parallel calls are one decision: one of them fails, and its siblings are cancelled.
#[test]
fn a_parallel_call_that_cancels_its_siblings_is_healthy() {
    let records = [
        cancelled_batch("msg-1", 0),
        vec![ran("ls services", 0, "s0  s1  s2  s3  s4  s5"), ran("ls services/s0", 0, "config.yaml")],
        cancelled_batch("msg-3", 6),
        (0..5)
            .map(|n| ran(&format!("cat services/s{n}/config.yaml"), 0, &format!("port: {}", 8_000 + n)))
            .collect(),
    ];
    assert_spared(records.concat());
}

/// A refusal of the user is the word of the user, three times and more.
#[test]
fn calls_that_the_user_denies_are_healthy() {
    let words = [
        "Let me rename the column.",
        "Then I keep the column and add a view.",
        "Then only a comment.",
        "A note in the docs.",
    ];
    let records = words.iter().enumerate().map(|(n, words)| {
        let args = json!({"file_path": "db/schema.sql", "old_string": "total int", "new_string": format!("total int -- {n}")});
        let text = "The user doesn't want to proceed with this tool use. The tool use was rejected.";
        let record = json!({"action": {"name": "Edit", "args": args}, "outcome": {"text": text, "error": true, "denied": "user"}});
        announced(record, words)
    });
    assert_spared(records.chain([said("All right, the schema stays. Shall I go on with the queries?")]));
}

/// The exit code 1 of a search says that nothing matches.
#[test]
fn searches_without_a_match_are_healthy() {
    let patterns =
        ["lodash", "moment(", "require('fs')", "console.warn", "@deprecated", "eval(", "innerHTML", "FIXME"];
    let records = patterns.map(|pattern| {
        let args = json!({"command": format!("grep -rn \"{pattern}\" src")});
        json!({"action": {"name": "bash", "args": args}, "outcome": {"text": "", "exit": 1}})
    });
    assert_spared(records);
    assert_spared(patterns.map(|pattern| ran(&format!("rg -l '{pattern}' src test"), 1, "")));
}

/// A flaky test is run three times, with other results.
#[test]
fn three_runs_of_a_flaky_test_are_healthy() {
    let fail = || ran("npx playwright test login", 1, "1 failed\n  login.spec.ts:14 shows the menu");
    let pass = || ran("npx playwright test login", 0, "1 passed (4.1s)");
    assert_spared([
        fail(),
        pass(),
        fail(),
        said("The test is flaky, so I look for a race."),
        read("login.spec.ts", 0),
    ]);
}

/// A check fails after each of a few fixes, with another failure each time.
#[test]
fn other_failures_after_each_fix_are_healthy() {
    let faults = [
        "unused import `Arc`",
        "mismatched types",
        "missing lifetime specifier",
        "cannot borrow `x`",
        "no method `len`",
    ];
    let records = faults.iter().enumerate().flat_map(|(n, fault)| {
        [
            ran("cargo check", 101, &format!("error: {fault}\n --> src/lib.rs:{}", 10 + n * 8)),
            edited("src/lib.rs", fault, "fixed"),
        ]
    });
    assert_spared(records);
}

/// A linter that reports the same rule at ever other places, while the places are fixed.
#[test]
fn the_same_rule_at_other_places_with_fixes_between_is_healthy() {
    let records = (0..8).flat_map(|n| {
        let path = format!("src/view{n}.ts");
        [
            ran(
                "npx eslint --max-warnings 0 src",
                1,
                &format!("{path}: error no-floating-promises\n{} problems", 8 - n),
            ),
            edited(&path, "save();", "await save();"),
        ]
    });
    assert_spared(records);
}

/// A word of failure in a command's output counts for nothing if the exit code is 0.
#[test]
fn noise_on_standard_error_with_exit_0_is_healthy() {
    let records = (0..8).map(|n| {
        let args = json!({"command": format!("./convert.sh img{n}.tif")});
        let text =
            format!("warning: error reading colour profile, failed to map, using default\nwrote img{n}.png");
        json!({"action": {"name": "bash", "args": args}, "outcome": {"text": text, "exit": 0}})
    });
    assert_spared(records);
}

/// A tool that is denied by the rules of the agent is left after two tries.
#[test]
fn a_denied_command_that_is_left_is_healthy() {
    let denied = |command: &str| {
        let outcome = json!({"text": "This command is not on the list of allowed commands.", "error": true, "denied": "policy"});
        json!({"action": {"name": "bash", "args": {"command": command}}, "outcome": outcome})
    };
    assert_spared([
        denied("rm -rf build"),
        denied("find build -delete"),
        worked(
            "write_file",
            &json!({"path": "clean.md", "content": "Please remove the folder build."}),
            "written",
        ),
        said("The folder cannot be removed from here, see clean.md."),
    ]);
}
