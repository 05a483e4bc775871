//! Sessions with real agents that `cargo xtask agents --record` has recorded, replayed with the times of their events.

#![expect(clippy::unwrap_used, reason = "a recording that cannot be read has failed")]
#![expect(clippy::print_stderr, reason = "the warnings of a hook explain why its test fails")]

use std::cell::Cell;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use loopbreak::Settings;
use loopbreak_analysis::{AnalyzeOptions, InputStatistics, LogAnalyzer};
use loopbreak_hooks::{HookAgent, HookEnvironment, answer};
use loopbreak_store::{StoreUrl, open};
use serde_json::Value;

/// The folder of a session, as the recorder writes it.
const SESSION_FOLDER: &str = "/session";

/// A recorded session.
struct RecordedSession {
    /// The name, such as `claude-2.1.325/failing-call`.
    name: String,
    agent: &'static dyn HookAgent,
    events: Vec<RecordedHookEvent>,
    logs: Vec<PathBuf>,
}

/// An event with the answer that the agent got.
struct RecordedHookEvent {
    at: i64,
    /// The number of lines that the transcript had.
    lines: usize,
    event: Value,
    answer: Value,
}

/// A finding: detector, pattern, severity.
type FindingName = (String, String, String);

fn recordings() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recorded")
}

fn files_in(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

fn json_lines(path: &Path) -> Vec<Value> {
    fs::read_to_string(path).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Returns the agent of a folder such as `codex-code-0.166.0`.
fn agent_of(folder: &str) -> &'static dyn HookAgent {
    let name = folder.rsplit_once('-').unwrap().0;
    match name {
        "claude" => "claude-code",
        "codex-code" => "codex",
        other => other,
    }
    .parse()
    .unwrap()
}

fn sessions() -> Vec<RecordedSession> {
    let mut sessions = Vec::new();
    for folder in files_in(&recordings()).into_iter().filter(|path| path.is_dir()) {
        let agent = folder.file_name().unwrap().to_str().unwrap();
        let files = files_in(&folder);
        for hooks in &files {
            let Some(part) = hooks.file_name().unwrap().to_str().unwrap().strip_suffix(".hooks.jsonl") else {
                continue;
            };
            let log = format!("{part}.log");
            let is_log = |path: &&PathBuf| path.file_name().unwrap().to_str().unwrap().starts_with(&log);
            let events = json_lines(hooks).into_iter().map(|line| RecordedHookEvent {
                at: line["at"].as_i64().unwrap(),
                lines: usize::try_from(line["lines"].as_u64().unwrap_or_default()).unwrap(),
                event: line["event"].clone(),
                answer: line["answer"].clone(),
            });
            sessions.push(RecordedSession {
                name: format!("{agent}/{part}"),
                agent: agent_of(agent),
                events: events.collect(),
                logs: files.iter().filter(is_log).cloned().collect(),
            });
        }
    }
    assert!(!sessions.is_empty());
    sessions
}

/// Returns the kind of an answer, in the form of any agent.
fn answer_kind(answer: &Value) -> &'static str {
    let specific = &answer["hookSpecificOutput"];
    let decision = specific["permissionDecision"].as_str().or(answer["decision"].as_str());
    match decision {
        _ if answer["continue"] == false => "stop",
        Some("deny") => "deny",
        Some("ask") => "ask",
        Some("block") => "continue",
        _ if specific["additionalContext"].is_string() => "advise",
        _ if answer["systemMessage"].is_string() => "message",
        _ => "nothing",
    }
}

/// The store of a session after its events have been answered.
struct ReplayedSession {
    folder: tempfile::TempDir,
    answers: Vec<Value>,
}

impl ReplayedSession {
    /// Answers all events at their times. The transcript grows as it did.
    fn new(session: &RecordedSession, agent: Option<&dyn HookAgent>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (clock, failures) = (Cell::new(0), Cell::new(0));
        let environment = HookEnvironment {
            parent_run: None,
            connect: None,
            store: Some(folder.path().join("loopbreak.db")),
            disabled: false,
            limit: None,
            clock: &|| clock.get(),
            user_config: None,
            find_agent: None,
            load_settings: &|_| Ok(Settings::default().into()),
            warn: &|text| {
                failures.set(failures.get() + 1);
                eprintln!("{}: {text}", session.name);
            },
        };
        let place = folder.path().to_str().unwrap();
        let log = session.logs.first().map(|log| fs::read_to_string(log).unwrap()).unwrap_or_default();
        let answers = session.events.iter().map(|recorded| {
            clock.set(recorded.at);
            if let Some(path) = recorded.event["transcript_path"].as_str().filter(|_| recorded.lines > 0) {
                let path = PathBuf::from(path.replace(SESSION_FOLDER, place));
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                let lines: String = log.lines().take(recorded.lines).flat_map(|line| [line, "\n"]).collect();
                fs::write(path, lines).unwrap();
            }
            let event = recorded.event.to_string().replace(SESSION_FOLDER, place);
            let answer = answer(agent, event.as_bytes(), &environment);
            answer.map_or(Value::Null, |answer| serde_json::from_str(&answer).unwrap())
        });
        let answers = answers.collect();
        assert_eq!(failures.get(), 0, "{}", session.name);
        ReplayedSession { folder, answers }
    }

    fn kinds(&self) -> Vec<&'static str> {
        self.answers.iter().map(answer_kind).collect()
    }

    /// Returns the findings of all runs of the session.
    fn findings(&self) -> BTreeSet<FindingName> {
        let url = StoreUrl::from(self.folder.path().join("loopbreak.db"));
        let store = open(&url).unwrap();
        let mut findings = BTreeSet::new();
        for run in store.runs(0, 100).unwrap() {
            for stored in store.events(&run).unwrap() {
                let verdict = stored.event.verdict();
                findings.extend(verdict.into_iter().flat_map(|verdict| &verdict.findings).map(finding_name));
            }
        }
        findings
    }
}

fn finding_name(finding: &Value) -> FindingName {
    let text = |key: &str| finding[key].as_str().unwrap().to_owned();
    (text("detector"), text("pattern"), text("severity"))
}

/// Compares two results of every session, and lists all sessions for which they differ.
fn assert_equal_in_all<T: PartialEq + std::fmt::Debug>(compare: impl Fn(&RecordedSession) -> (T, T)) {
    let mut differences = Vec::new();
    for session in sessions() {
        let (found, expected) = compare(&session);
        if found != expected {
            differences.push(format!("{}:\n  found {found:?}\n  expected {expected:?}", session.name));
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

#[test]
fn the_answers_to_recorded_events_are_the_recorded_answers() {
    assert_equal_in_all(|session| {
        let mut recorded: Vec<_> = session.events.iter().map(|event| answer_kind(&event.answer)).collect();
        let mut found = ReplayedSession::new(session, Some(session.agent)).kinds();
        if session.name.ends_with("/parallel") {
            // Hooks of parallel calls overtake each other.
            recorded.sort_unstable();
            found.sort_unstable();
        }
        (found, recorded)
    });
}

/// Returns the findings of `analyze` on the logs of a session.
fn findings_of_logs(session: &RecordedSession) -> BTreeSet<FindingName> {
    let logs = LogAnalyzer::new(AnalyzeOptions::default()).run(&session.logs);
    let report = logs.into_report(&InputStatistics::default()).unwrap();
    let report = serde_json::to_value(report).unwrap();
    let runs = report["runs"].as_array().unwrap();
    runs.iter().flat_map(|run| run["findings"].as_array().unwrap()).map(finding_name).collect()
}

/// Sessions whose log says more or less than the agent tells its hooks, with the reason. All others have the same findings live
/// and in a replay.
const DIFFERENT_LOGS: [(&str, &str); 10] = [
    (
        "claude-2.1.325/other-hook",
        "the agent ends its turn after the eighth continuation, and reports no event after it",
    ),
    ("opencode-1.18.33/parallel", "the plugin is not told which calls belong to one message"),
    ("qwen-0.24.4/parallel", "the first message ends before the hooks know that the agent reports its end"),
    (
        "claude-2.1.325/parallel",
        "the first message ends before the hooks know that the agent reports its end",
    ),
    ("codex-0.166.0/parallel", "hooks are not told which calls belong to one message"),
    ("codex-code-0.166.0/parallel", "hooks are not told which calls belong to one message"),
    ("gemini-0.61.0/other-hook", "the log has no prompt at which the session was stopped"),
    ("gemini-0.61.0/parallel", "hooks are not told which calls belong to one message"),
    ("gemini-0.61.0/subagent", "hooks are not told which agent makes a call"),
    ("gemini-0.61.0/unknown-tool", "hooks are not told about calls of unknown tools"),
];

#[test]
fn the_log_of_a_session_has_the_findings_that_its_hooks_had() {
    let reason = |session: &RecordedSession| DIFFERENT_LOGS.iter().find(|(name, _)| *name == session.name);
    assert_equal_in_all(|session| {
        if session.logs.is_empty() {
            // The logs of this agent are not read.
            return (BTreeSet::new(), BTreeSet::new());
        }
        let live = ReplayedSession::new(session, Some(session.agent)).findings();
        let logged = findings_of_logs(session);
        match reason(session) {
            None => (logged, live),
            // An entry of the list that no longer holds has to go.
            Some(_) if logged == live => (logged, BTreeSet::new()),
            Some(_) => (BTreeSet::new(), BTreeSet::new()),
        }
    });
}

#[test]
fn the_agent_of_recorded_events_is_found_without_its_name() {
    // The commands and plugins of these agents name them.
    let named = ["opencode", "pi", "copilot", "cline", "openhands"];
    for session in sessions().iter().filter(|session| !named.contains(&session.agent.name())) {
        let (found, given) =
            (ReplayedSession::new(session, None), ReplayedSession::new(session, Some(session.agent)));
        assert_eq!(found.kinds(), given.kinds(), "{}", session.name);
    }
}

/// Events that hooks are installed for, but that the agent does not report without a terminal.
const UNREPORTED: [(&str, &str); 1] = [("qwen", "SessionEnd")];

#[test]
fn every_kind_of_event_of_every_agent_that_was_run_is_recorded() {
    let sessions = sessions();
    let agents: BTreeSet<&str> = sessions.iter().map(|session| session.agent.name()).collect();
    let mut wrong = Vec::new();
    for agent in agents {
        let own = sessions.iter().filter(|session| session.agent.name() == agent);
        let recorded: BTreeSet<&str> = own
            .flat_map(|session| &session.events)
            .filter_map(|recorded| {
                // OpenHands has another name for the key.
                recorded.event["hook_event_name"].as_str().or(recorded.event["event_type"].as_str())
            })
            .collect();
        let installed: &dyn HookAgent = agent.parse().unwrap();
        // A plugin reports some of the events of Claude Code.
        let is_reported =
            |event: &str| installed.plugin().is_none_or(|plugin| plugin.contains(&format!("\"{event}\"")));
        for (event, _) in installed.events().iter().filter(|(event, _)| is_reported(event)) {
            if recorded.contains(event) == UNREPORTED.contains(&(agent, event)) {
                wrong.push((agent, event));
            }
        }
    }
    assert!(wrong.is_empty(), "neither recorded nor in the list of unreported events, or both: {wrong:?}");
}
