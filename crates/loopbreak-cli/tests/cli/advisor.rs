//! `loopbreak run --advisor`: a second opinion on a loop.

#![cfg(unix)]

use std::fs;
use std::path::Path;

use crate::support::roadmaps::{program, run_roadmap, write_agent, write_roadmap};
use crate::support::{FinishedProgram, done, folder};

/// Runs an agent that always prints the same text and keeps its prompts.
fn run_stuck_agent(folder: &Path, advisor: &str, args: &[&str]) -> FinishedProgram {
    let body = "N=$(cat count 2>/dev/null || echo 0); N=$((N+1)); echo $N > count; cat > prompt-$N; \
                echo 'Fixed auth.ts - added null check'";
    done(
        program(folder)
            .args([
                "run",
                "--prompt",
                "fix it; the key is sk-abcdefghijklmnopqrstuvwxyz123456",
                "--advisor",
                advisor,
            ])
            .args(args)
            .args(["--", "sh", "-c", body]),
    )
}

fn file(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).unwrap_or_default()
}

#[test]
fn the_advisors_answer_goes_into_the_next_prompt_and_it_is_asked_once_per_level() {
    let folder = folder();
    let advisor = "sh -c 'echo asked >> asked; cat > question; echo The token is stale: renew it.'";
    let done = run_stuck_agent(folder.path(), advisor, &["--on-loop", "advise", "--max-iterations", "6"]);
    assert_eq!(done.code, Some(11), "{}", done.err);
    let third = file(folder.path(), "prompt-3");
    assert!(third.contains("A second opinion") && third.contains("The token is stale: renew it."), "{third}");
    assert!(!file(folder.path(), "prompt-2").contains("stale"));
    let question = file(folder.path(), "question");
    for part in ["Root cause", "Blind spot", "Alternative", "added null check", "fix it; the key is"] {
        assert!(question.contains(part), "{part}: {question}");
    }
    assert!(!question.contains("sk-abcdef"), "secrets are masked: {question}");
    // Asked at the second and third identical output. The next level comes only when the loop is twice as
    // long.
    let asked = file(folder.path(), "asked").lines().count();
    assert!((2..=3).contains(&asked), "{asked}");
    assert!(!done.out.contains("stale"), "what it says is no output of the agent: {}", done.out);
}

#[test]
fn the_run_continues_if_the_advisor_fails() {
    for (advisor, why) in [
        ("./no-such-advisor", "cannot start"),
        ("sh -c 'echo half an answer; exit 4'", "exit status: 4"),
        ("sh -c 'sleep 600'", "no answer within 0.3 s"),
        ("true", "the answer is empty"),
    ] {
        let folder = folder();
        // Only for the one that must time out: on a busy machine the others may need this long to start.
        let timeout = ["--advisor-timeout", "0.3"];
        let done = run_stuck_agent(folder.path(), advisor, if why.contains("0.3") { &timeout } else { &[] });
        assert_eq!(done.code, Some(10), "{advisor}: {}", done.err);
        assert!(done.err.contains(why), "{advisor}: {}", done.err);
        let third = file(folder.path(), "prompt-3");
        assert!(third.contains("Loop guard") && !third.contains("second opinion"), "{advisor}: {third}");
    }
    let folder = folder();
    assert_eq!(run_stuck_agent(folder.path(), "it's open", &[]).code, Some(2));
}

#[test]
fn a_long_answer_is_cut() {
    let folder = folder();
    let done = run_stuck_agent(folder.path(), "sh -c 'yes word | head -c 3000000'", &[]);
    assert_eq!(done.code, Some(10), "{}", done.err);
    let third = file(folder.path(), "prompt-3");
    assert!(third.contains("second opinion") && third.len() < 8 * 1024, "{} bytes", third.len());
}

#[test]
fn the_advisor_is_asked_about_an_open_task() {
    let folder = folder();
    write_roadmap(folder.path(), &[("a", &[])]);
    write_agent(
        folder.path(),
        r#"cp prompt.txt prompt-$N; say no '{"status":"blocked","blockers":["no network"]}'"#,
    );
    let done = run_roadmap(folder.path(), &["--advisor", "sh -c 'cat > question; echo Ask the vault.'"]);
    assert_eq!(done.code, Some(13), "{}", done.err);
    assert!(
        file(folder.path(), "prompt-4").contains("Ask the vault."),
        "{}",
        file(folder.path(), "prompt-4")
    );
    assert!(!file(folder.path(), "prompt-5").contains("Ask the vault."));
    assert!(file(folder.path(), "question").contains("met the same blockers in 3 attempts"));
}
