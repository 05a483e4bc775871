//! Pauses of stored runs.

use std::path::Path;

use loopbreak_process::{
    GroupRefusal, ResumeResult, RunSignal, SignalError, SignalSender, paused_runs, refresh_pauses,
};
use loopbreak_store::{
    AgentPause, AgentProcess, NoteEvent, RunChange, RunEvent, RunKey, RunState, StatusSummary, Store, now,
    open,
};

use crate::detached_process::{DetachedProcess, state_of, wait_for};

const SENDER: SignalSender<'static> =
    SignalSender { name: "watch", reason: "no progress, token sk-ant-api03-AAAAAAAAAAAAAAAAAAAAAAAAAAAA" };

fn store_with(folder: &Path, process: Option<AgentProcess>) -> Box<dyn Store> {
    let mut store = open(&folder.join("x.db").into()).unwrap();
    let key = RunKey { source: "claude-code".to_owned(), session: "s1".to_owned(), agent: String::new() };
    let state = RunState { process, ..RunState::default() };
    let event = RunEvent::Start(NoteEvent { action: "started".to_owned() });
    let transaction = store.begin(&key, "/project", now()).unwrap();
    transaction.commit(RunChange { state: Some(state.into_json().unwrap()), ..event.into() }).unwrap();
    store
}

#[test]
fn a_pause_is_stored_shown_and_ended_by_another_process() {
    let folder = tempfile::tempdir().unwrap();
    let agent = DetachedProcess::start(folder.path(), "sleep 1000");
    let mut store = store_with(folder.path(), Some(agent.agent()));
    let signal = RunSignal::select(&*store, store.find("s1").unwrap()).unwrap();
    signal.pause(&mut *store, SENDER).unwrap();
    assert_eq!(state_of(agent.pid), 'T');
    assert!(matches!(signal.pause(&mut *store, SENDER), Err(SignalError::AlreadyPaused)));
    drop(store);

    let mut store = open(&folder.path().join("x.db").into()).unwrap();
    let paused = paused_runs(&*store).unwrap();
    assert_eq!((paused.len(), paused[0].1.by.as_str()), (1, "watch"));
    assert!(paused[0].1.reason.starts_with("no progress") && !paused[0].1.reason.contains("AAAAAAAA"));
    let mut summary = StatusSummary::load(&*store, true, now(), &|_| {}).unwrap();
    refresh_pauses(&mut summary.runs);
    assert!(summary.runs[0].paused.is_some());
    let signal = RunSignal::new(paused[0].0.clone());
    assert_eq!(signal.resume(&mut *store, SENDER).unwrap(), Some(ResumeResult::Runs));
    wait_for(|| state_of(agent.pid) == 'S');
    assert!(matches!(signal.resume(&mut *store, SENDER), Err(SignalError::NotPaused)));
    let kinds: Vec<String> =
        store.events(signal.run()).unwrap().iter().map(|stored| stored.event.kind().to_owned()).collect();
    assert_eq!(kinds, ["start", "paused", "resumed"]);
    signal.terminate(&mut *store, SENDER).unwrap();
    wait_for(|| state_of(agent.pid) == 'Z');
}

#[test]
fn the_pause_of_an_agent_that_ended_or_continued_is_forgotten() {
    let folder = tempfile::tempdir().unwrap();
    let agent = DetachedProcess::start(folder.path(), "sleep 1000");
    let mut store = store_with(folder.path(), Some(agent.agent()));
    let signal = RunSignal::select(&*store, store.find("s1").unwrap()).unwrap();
    signal.pause(&mut *store, SENDER).unwrap();
    let continued = std::process::Command::new("kill").args(["-CONT", &agent.pid.to_string()]).status();
    assert!(continued.unwrap().success());
    wait_for(|| state_of(agent.pid) == 'S');
    assert!(paused_runs(&*store).unwrap().is_empty());
    assert_eq!(signal.resume(&mut *store, SENDER).unwrap(), None);

    signal.pause(&mut *store, SENDER).unwrap();
    let pid = agent.pid;
    drop(agent);
    wait_for(|| state_of(pid) == 'Z');
    let error = signal.resume(&mut *store, SENDER).unwrap_err();
    assert!(matches!(error, SignalError::Refused(GroupRefusal::Ended { .. })), "{error}");
    assert!(matches!(signal.resume(&mut *store, SENDER), Err(SignalError::NotPaused)));
}

#[test]
fn a_run_without_a_known_process_is_not_paused() {
    let folder = tempfile::tempdir().unwrap();
    let store = store_with(folder.path(), None);
    let error = RunSignal::select(&*store, store.find("s1").unwrap()).unwrap_err();
    assert!(matches!(error, SignalError::UnknownProcess));
    assert!(error.hint().unwrap().contains("loopbreak hook install"));
}

/// The number of a paused agent that has ended can be that of a program which its user stopped. It must not be continued.
#[test]
fn a_stopped_process_that_has_the_number_of_a_paused_agent_by_chance_is_not_continued() {
    let folder = tempfile::tempdir().unwrap();
    let other = DetachedProcess::start(folder.path(), "sleep 1000");
    assert!(
        std::process::Command::new("kill")
            .args(["-STOP", &other.pid.to_string()])
            .status()
            .unwrap()
            .success()
    );
    wait_for(|| state_of(other.pid) == 'T');
    let agent = AgentProcess { start: other.agent().start - 1, ..other.agent() };
    let mut store = store_with(folder.path(), Some(agent.clone()));
    let key = RunKey { source: "claude-code".to_owned(), session: "s1".to_owned(), agent: String::new() };
    let pause = AgentPause { at: now(), by: "watch".to_owned(), reason: String::new() };
    let state = RunState { process: Some(agent), pause: Some(pause), ..RunState::default() };
    let transaction = store.begin(&key, "/project", now()).unwrap();
    let change = RunChange { state: Some(state.into_json().unwrap()), ..RunChange::default() };
    transaction.commit(change).unwrap();

    let signal = RunSignal::select(&*store, store.find("s1").unwrap()).unwrap();
    let error = signal.resume(&mut *store, SENDER).unwrap_err();
    assert!(matches!(error, SignalError::Refused(GroupRefusal::Reused { .. })), "{error}");
    let error = signal.terminate(&mut *store, SENDER).unwrap_err();
    assert!(matches!(error, SignalError::Refused(GroupRefusal::Reused { .. })), "{error}");
    assert_eq!(state_of(other.pid), 'T', "it is still as its user left it");
    assert!(
        matches!(signal.resume(&mut *store, SENDER), Err(SignalError::NotPaused)),
        "the pause is forgotten"
    );
}
