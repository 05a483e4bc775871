//! The JSON form of a state: one flat object. Its keys never change, so that every version reads the states of the
//! others.

use loopbreak::Snapshot;
use loopbreak::agent::AgentMemory;
use loopbreak::series::SeriesState;
use loopbreak::settings::AllowRule;
use serde::{Deserialize, Serialize};

use super::hook_state::RefusalCount;
use super::snapshot_json;
use super::{
    AgentPause, AgentProcess, EventMemory, HookState, KnownLoop, RunState, RunnerState, StoredGuard,
    TaskSeries, TranscriptCost, TranscriptOffset, WarnedLoop,
};

/// A state as it is stored.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct StateRecord {
    #[serde(with = "snapshot_json")]
    guard: Option<Snapshot>,
    turn: u64,
    loops: Vec<KnownLoop>,
    refusals: Vec<RefusalCount>,
    advised: Vec<u64>,
    asked: Vec<String>,
    mark: Option<TranscriptOffset>,
    calls: Vec<String>,
    allowed: Vec<AllowRule>,
    nudged: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    series: Option<SeriesState>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    own_times: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    runner: Option<RunnerState>,
    #[serde(skip_serializing_if = "Option::is_none")]
    holdout: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    warned: Option<WarnedLoop>,
    #[serde(skip_serializing_if = "EventMemory::is_empty")]
    events: EventMemory,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    recorded: Vec<u64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notices: Vec<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    costs: Option<TranscriptCost>,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent: Option<AgentMemory>,
    #[serde(skip_serializing_if = "Option::is_none")]
    process: Option<AgentProcess>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pause: Option<AgentPause>,
}

impl From<StateRecord> for RunState {
    fn from(record: StateRecord) -> Self {
        RunState {
            guard: StoredGuard {
                snapshot: record.guard,
                turn: record.turn,
                loops: record.loops,
                holdout: record.holdout,
                warned: record.warned,
            },
            hook: HookState {
                refusals: record.refusals,
                advised: record.advised,
                asked: record.asked,
                transcript: record.mark,
                calls: record.calls,
                allowed: record.allowed,
                nudged: record.nudged,
                events: record.events,
                recorded: record.recorded,
                notices: record.notices,
                costs: record.costs,
            },
            runner: record.runner,
            series: TaskSeries { attempts: record.series, foreign_clock: record.own_times },
            agent: record.agent,
            process: record.process,
            pause: record.pause,
        }
    }
}

impl From<RunState> for StateRecord {
    fn from(state: RunState) -> Self {
        let RunState { guard, hook, runner, series, agent, process, pause } = state;
        StateRecord {
            guard: guard.snapshot,
            turn: guard.turn,
            loops: guard.loops,
            refusals: hook.refusals,
            advised: hook.advised,
            asked: hook.asked,
            mark: hook.transcript,
            calls: hook.calls,
            allowed: hook.allowed,
            nudged: hook.nudged,
            events: hook.events,
            recorded: hook.recorded,
            notices: hook.notices,
            costs: hook.costs,
            series: series.attempts,
            own_times: series.foreign_clock,
            runner,
            holdout: guard.holdout,
            warned: guard.warned,
            agent,
            process,
            pause,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// States as version 0.1 of Loopbreak wrote them, without guards.
    const STATES: [&str; 3] = [
        r#"{"guard":null,"turn":7,"loops":[{"loop":"0123456789abcdef","detector":"cycle","pattern":"cycle","severity":"warn","since":2,"attemptCount":5,"lastAttempt":9,"turn":7,"action":"Bash {}","outcome":"ok","intervention":"warn","reason":"why"}],"refusals":[{"id":"a","count":2,"turn":6}],"advised":[3,6],"asked":["toolu_1"],"mark":{"path":"/t.jsonl","at":12},"calls":["toolu_1"],"allowed":[{"tool":"Bash","args":null}],"nudged":true}"#,
        r#"{"guard":null,"turn":0,"loops":[],"refusals":[],"advised":[],"asked":[],"mark":null,"calls":[],"allowed":[],"nudged":false,"own_times":true}"#,
        r#"{"guard":null,"turn":1,"loops":[],"refusals":[],"advised":[],"asked":[],"mark":null,"calls":[],"allowed":[],"nudged":false,"runner":{"command":"c","prompt":"p","started":1,"paused":2,"at":3,"history":["one"],"advice":null,"asked":[]}}"#,
    ];

    #[test]
    fn states_of_the_first_release_are_read_and_written_without_a_change() {
        for json in STATES {
            let state = RunState::parse(Some(json), |error| panic!("{error}"));
            assert_eq!(state.into_json().unwrap(), json);
        }
    }

    #[test]
    fn an_unreadable_state_is_replaced_with_a_warning() {
        let mut warning = String::new();
        let state = RunState::parse(Some("{\"turn\":"), |text| warning = text.to_owned());
        assert_eq!(state.guard.turn, 0);
        assert!(warning.starts_with("cannot read the state of this run"), "{warning}");
    }
}
