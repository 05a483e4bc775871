//! A coding agent that is stuck: `examples/coding.jsonl`.
//!
//! The agent repairs one of two failing tests, then changes one line back and forth, runs the other test again and again, and
//! never looks at the file that is wrong: `tests/conftest.py`, whose clock is an hour ahead. Project, texts and figures are made
//! up here; no model wrote them. The file has to come out the same on every machine: no clock, no system randomness.

use serde::Serialize;
use serde_json::{Value, json};

use crate::split_mix::SplitMix;

const RUN: &str = "flaky-login";
const TEST: &str = "pytest -q tests/test_login.py";
/// Number of steps after the first reruns.
const RERUNS: u32 = 92;
/// 14:02:11, the start of the run, in seconds of its day.
const START: u32 = (14 * 60 + 2) * 60 + 11;

/// The two versions of the line that the agent cannot decide about.
const UTC: &str = "self.started = datetime.utcnow()";
const LOCAL: &str = "self.started = datetime.now()";

/// The remarks of the agent about its changes of the line, in turns.
const DOUBTS: [&str; 6] = [
    "The clock of the test may be local time. I will use local time in both places.",
    "That changes nothing, so it has to be UTC after all.",
    "Perhaps the first version was right. Back to local time.",
    "Still 3600 seconds, which is an hour: a time zone. UTC again.",
    "I will take that back and try local time once more.",
    "This should be UTC.",
];

const TESTS_FILE: &str = r#"import pytest

from app.session import Session


def test_login_rejects_empty_password(client):
    assert client.login("ada", "").status == 401


def test_session_expires(client, clock):
    session = client.login("ada", "correct horse")
    clock.advance(minutes=30)
    assert session.seconds_left(clock.now()) == 0
"#;

const LOGIN_FILE: &str = r#"def login(request):
    user = find_user(request.form["user"])
    if not check_password(user, request.form["password"]):
        return error(401)
    return Session.start(user)
"#;

const SESSION_FILE: &str = r"class Session:
    LIFETIME = timedelta(minutes=30)

    def seconds_left(self, now):
        return max(0, int((self.started + self.LIFETIME - now).total_seconds()))
";

const CLOCK_FILE: &str = r"from datetime import datetime


def now():
    return datetime.utcnow()
";

/// A line of the file. The order of the fields is the order of the keys in the step record.
#[derive(Debug, Serialize)]
struct CodingStep {
    run: &'static str,
    turn: u32,
    at: String,
    action: CodingAction,
    outcome: CodingOutcome,
    #[serde(skip_serializing_if = "Option::is_none")]
    say: Option<&'static str>,
    usage: CodingUsage,
}

#[derive(Debug, Serialize)]
struct CodingAction {
    name: &'static str,
    args: Value,
}

#[derive(Debug, Serialize)]
struct CodingOutcome {
    text: String,
    error: bool,
    /// The exit code of a command.
    #[serde(skip_serializing_if = "Option::is_none")]
    exit: Option<u8>,
}

#[derive(Debug, Serialize)]
struct CodingUsage {
    input_tokens: u32,
    output_tokens: u32,
    cost_usd: f64,
}

/// Renders the whole file, one object per line.
pub(crate) fn jsonl() -> Result<String, String> {
    let mut file = String::new();
    for step in session() {
        let line = serde_json::to_string(&step).map_err(|error| format!("turn {}: {error}", step.turn))?;
        file.push_str(&line);
        file.push('\n');
    }
    Ok(file)
}

fn session() -> Vec<CodingStep> {
    let mut agent = CodingAgent { seconds: START, is_utc: true, dice: SplitMix(62), steps: Vec::new() };
    agent.repair_the_first_test();
    agent.look_into_the_second();
    for doubt in 0..DOUBTS.len() {
        agent.change_the_line(doubt);
        agent.test(None);
    }
    agent.test(Some("The test may be flaky. I will run it again."));
    for number in 0..RERUNS {
        let round = (number / 6) as usize;
        match number % 6 {
            0 => agent.test(Some("Running the test again.")),
            2 => agent.test(Some("It may depend on the order of the tests. Again.")),
            3 => agent.read(Some("I will look at the session once more."), "app/session.py", SESSION_FILE),
            4 => agent.change_the_line(round),
            _ => agent.test(None),
        }
    }
    agent.steps
}

/// The agent in its project.
struct CodingAgent {
    seconds: u32,
    /// The version of the line in the file.
    is_utc: bool,
    dice: SplitMix,
    steps: Vec<CodingStep>,
}

impl CodingAgent {
    fn repair_the_first_test(&mut self) {
        let first = "I will start with the state of the repository and the failing tests.";
        self.run(Some(first), "git status --short", "", 0);
        let failed = "FAILED tests/test_login.py::test_login_rejects_empty_password - KeyError: 'password'\n\
                      FAILED tests/test_login.py::test_session_expires - assert 3600 == 0\n2 failed, 61 passed in 6.81s";
        self.run(None, "pytest -q", failed, 1);
        self.read(Some("Two tests fail. I will read them first."), "tests/test_login.py", TESTS_FILE);
        self.read(None, "app/login.py", LOGIN_FILE);
        let change = (r#"request.form["password"]"#, r#"request.form.get("password", "")"#);
        let why = "An empty field is left out of the form, so the key is missing.";
        self.edit(Some(why), "app/login.py", change);
        self.test(None);
    }

    fn look_into_the_second(&mut self) {
        self.read(Some("One of the two is repaired. Now the expiry."), "app/session.py", SESSION_FILE);
        let found = format!(
            "app/session.py:14:        {LOCAL}\napp/session.py:21:        return max(0, int((self.started + \
                             self.LIFETIME - now).total_seconds()))"
        );
        self.act(None, "Grep", json!({"pattern": "started", "path": "app"}), found, None);
        self.read(None, "app/clock.py", CLOCK_FILE);
        let log = "c41d0aa Count the lifetime of a session in seconds\n77b0e1f Add sessions";
        self.run(None, "git log --oneline -5 -- app/session.py app/clock.py", log, 0);
        let why = "`started` is local time and `now` is UTC. I will use the same clock for both.";
        self.edit(Some(why), "app/session.py", (LOCAL, UTC));
        self.test(None);
        let failed = "tests/test_login.py::test_session_expires FAILED\nE       assert 3600 == 0\n\
                      E        +  where 3600 = seconds_left(FakeDatetime(2025, 11, 3, 9, 30))\n1 failed in 0.31s";
        self.run(None, "pytest -q tests/test_login.py::test_session_expires -vv", failed, 1);
    }

    /// Changes the line to its other version.
    fn change_the_line(&mut self, doubt: usize) {
        let change = if self.is_utc { (UTC, LOCAL) } else { (LOCAL, UTC) };
        self.is_utc = !self.is_utc;
        self.edit(Some(DOUBTS[doubt % DOUBTS.len()]), "app/session.py", change);
    }

    /// Runs the test, which fails every time. Only its duration differs.
    fn test(&mut self, say: Option<&'static str>) {
        let output = format!(
            "tests/test_login.py:48: AssertionError\n    def test_session_expires(client, clock):\n        session = \
             client.login(\"ada\", \"correct horse\")\n        clock.advance(minutes=30)\n>       assert \
             session.seconds_left(clock.now()) == 0\nE       assert 3600 == 0\nFAILED \
             tests/test_login.py::test_session_expires - assert 3600 == 0\n1 failed, 11 passed in 0.{}s",
            43 + self.dice.below(20)
        );
        self.run(say, TEST, &output, 1);
    }

    fn run(&mut self, say: Option<&'static str>, command: &str, output: &str, exit: u8) {
        self.act(say, "Bash", json!({"command": command}), output.to_owned(), Some(exit));
    }

    fn read(&mut self, say: Option<&'static str>, file: &str, content: &str) {
        self.act(say, "Read", json!({"file_path": file}), content.to_owned(), None);
    }

    fn edit(&mut self, say: Option<&'static str>, file: &str, (old, new): (&str, &str)) {
        let args = json!({"file_path": file, "old_string": old, "new_string": new});
        self.act(say, "Edit", args, format!("The file {file} has been updated."), None);
    }

    /// Writes down one step.
    fn act(
        &mut self,
        say: Option<&'static str>,
        name: &'static str,
        args: Value,
        text: String,
        exit: Option<u8>,
    ) {
        let turn = self.steps.len() as u32 + 1;
        let at = self.seconds;
        self.seconds += 9 + self.dice.below(14);
        // The prompt grows with every step. Three and fifteen dollars a million tokens.
        let input_tokens = 14_000 + 310 * turn + self.dice.below(200);
        let output_tokens = 90 + self.dice.below(160);
        let cost_usd = f64::from(3 * input_tokens + 15 * output_tokens) / 1e6;
        self.steps.push(CodingStep {
            run: RUN,
            turn,
            at: format!("2025-11-03T{:02}:{:02}:{:02}Z", at / 3600, at / 60 % 60, at % 60),
            action: CodingAction { name, args },
            outcome: CodingOutcome { text, error: exit.is_some_and(|exit| exit != 0), exit },
            say,
            usage: CodingUsage { input_tokens, output_tokens, cost_usd },
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Number of steps before the line is changed back for the first time.
    const HEALTHY: usize = 13;

    #[test]
    fn the_healthy_part_does_nothing_twice_but_run_the_test() {
        let steps = session();
        let calls: Vec<String> = steps[..HEALTHY]
            .iter()
            .map(|step| format!("{} {}", step.action.name, step.action.args))
            .collect();
        for (index, call) in calls.iter().enumerate() {
            assert!(call.contains(TEST) || !calls[..index].contains(call), "{call}");
        }
    }

    #[test]
    fn the_stuck_part_changes_one_line_back_and_forth_and_every_test_of_it_fails() {
        let steps = session();
        let stuck = &steps[HEALTHY..];
        let edits: Vec<&Value> = stuck
            .iter()
            .filter(|step| step.action.name == "Edit")
            .map(|step| &step.action.args["new_string"])
            .collect();
        assert!(edits.len() > 15);
        assert!(edits.windows(2).all(|two| two[0] != two[1]), "each edit undoes the one before");
        let tests: Vec<_> = stuck.iter().filter(|step| step.action.name == "Bash").collect();
        assert!(
            tests.len() > 50 && tests.iter().all(|step| step.outcome.error && step.outcome.exit == Some(1))
        );
    }

    #[test]
    fn the_file_that_is_wrong_is_never_read() {
        assert!(!jsonl().unwrap().contains("conftest"));
    }

    #[test]
    fn the_run_is_the_same_every_time_and_its_steps_are_in_order() {
        assert_eq!(jsonl().unwrap(), jsonl().unwrap());
        let steps = session();
        assert!(steps.is_sorted_by(|a, b| a.turn < b.turn && a.at < b.at));
        assert_eq!((steps.len(), steps[0].at.as_str()), (118, "2025-11-03T14:02:11Z"));
    }
}
