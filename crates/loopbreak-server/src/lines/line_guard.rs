//! Answers lines, one at a time.

use loopbreak::Settings;
use loopbreak_store::StoreUrl;
use serde_json::{Map, Value};

use super::line_answer::{AnswerContent, LineAnswer, LineErrorCode, RejectedLine};
use super::memory_runs::MemoryRuns;
use crate::mcp::protocol::input_limits::{check_name, check_task_id};
use crate::mcp::protocol::tool_arguments::read;
use crate::mcp::state::{ServerState, VisibleRuns};
use crate::mcp::tools::{ProposalInput, StepInput, check_proposal, check_step};
use crate::mcp::{McpOptions, ServeError};

/// Longest line that is accepted, in bytes.
pub const MAX_LINE_BYTES: usize = 4 * 1024 * 1024;
/// Run of steps that name none.
const DEFAULT_RUN: &str = "main";
/// Name of the stored runs in the store.
const SOURCE: &str = "guard";
/// Name of the object with the action in a question.
const WEIGH: &str = "weigh";

/// Guards runs whose steps arrive as lines of JSON.
#[derive(Debug)]
pub struct LineGuard {
    runs: LineRuns,
    lines: u64,
    worst: &'static str,
}

/// The runs of the lines.
#[derive(Debug)]
enum LineRuns {
    /// Any number of runs, kept in memory.
    Memory(MemoryRuns),
    /// One run, kept in the store.
    Stored {
        /// The store and the settings.
        state: Box<ServerState>,
        /// Name of the run.
        run: String,
    },
}

impl LineGuard {
    /// Creates a guard that keeps its runs in memory.
    pub fn in_memory(settings: &Settings) -> Result<Self, ServeError> {
        Ok(LineGuard::new(LineRuns::Memory(MemoryRuns::new(settings)?)))
    }

    /// Creates a guard for one run that is kept in a store, so that other processes can continue it. Each step is one
    /// transaction: processes that guard the same run at the same time lose nothing.
    ///
    /// `folder` is recorded as the folder of a new run.
    pub fn stored(
        settings: Settings,
        store: StoreUrl,
        folder: String,
        run: &str,
    ) -> Result<Self, ServeError> {
        let run = check_name("run name", run).map_err(|error| ServeError::Config(error.into_parts().0))?;
        let options = McpOptions { settings, store, folder, run: None };
        let state = Box::new(ServerState::open_as(SOURCE, options, VisibleRuns::All)?);
        Ok(LineGuard::new(LineRuns::Stored { state, run: run.to_owned() }))
    }

    fn new(runs: LineRuns) -> Self {
        LineGuard { runs, lines: 0, worst: "clear" }
    }

    /// Answers a line, with or without its end. Returns `None` if it is blank.
    pub fn answer(&mut self, line: &[u8]) -> Option<LineAnswer> {
        self.lines += 1;
        let line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line).trim_ascii();
        if line.is_empty() {
            return None;
        }
        let answered = if line.len() > MAX_LINE_BYTES { Err(too_long()) } else { self.try_answer(line) };
        let answer = answered.map_or_else(|rejected| rejected.at(self.lines), LineAnswer);
        if let Some(verdict) = answer.verdict() {
            self.worst = worse(self.worst, verdict);
        }
        Some(answer)
    }

    /// Answers a line that is too long to be read as a whole.
    pub(super) fn reject_long_line(&mut self) -> LineAnswer {
        self.lines += 1;
        too_long().at(self.lines)
    }

    /// Returns the worst verdict so far: `clear`, `warn` or `stop`.
    pub fn worst_verdict(&self) -> &'static str {
        self.worst
    }

    fn try_answer(&mut self, line: &[u8]) -> Result<AnswerContent, RejectedLine> {
        let not_json =
            |what: String| RejectedLine::new(LineErrorCode::NotJson, what, "Write one JSON object per line");
        let object = match serde_json::from_slice(line) {
            Ok(Value::Object(object)) => object,
            Ok(_) => return Err(not_json("The line is not a JSON object".to_owned())),
            Err(error) => {
                // A line has one line: its number says nothing.
                let error = error.to_string().replace(" at line 1 column ", " at column ");
                return Err(not_json(format!("The line is not JSON: {error}")));
            }
        };
        if object.contains_key(WEIGH) { self.weigh(object) } else { self.record(object) }
    }

    fn record(&mut self, object: Map<String, Value>) -> Result<AnswerContent, RejectedLine> {
        let invalid = RejectedLine::with_code(LineErrorCode::InvalidStep);
        let StepInput { run, step } = read(object).map_err(&invalid)?;
        check_step(&step).map_err(&invalid)?;
        if let Some(task) = &step.task {
            check_task_id(&task.id.as_text()).map_err(&invalid)?;
        }
        let run = self.run_of(run, LineErrorCode::InvalidStep)?;
        let output = match &mut self.runs {
            LineRuns::Memory(runs) => runs.record(&run, &step).map_err(invalid)?,
            LineRuns::Stored { state, .. } => {
                let input = StepInput { run: None, step };
                state.record_step(&run, &input).map_err(RejectedLine::with_code(LineErrorCode::Store))?
            }
        };
        Ok(AnswerContent::Verdict(Box::new(output)))
    }

    fn weigh(&mut self, mut object: Map<String, Value>) -> Result<AnswerContent, RejectedLine> {
        let rejected = |what: String, hint: &str| RejectedLine::new(LineErrorCode::InvalidWeigh, what, hint);
        let run = object.remove("run").unwrap_or_default();
        let Some(Value::Object(mut proposal)) = object.remove(WEIGH) else {
            return Err(rejected(
                "Invalid argument `weigh`: expected an object".to_owned(),
                "Write {\"weigh\":{\"action\":…}}",
            ));
        };
        if let Some(other) = object.keys().next() {
            let other = loopbreak::text::clip(other, 100);
            return Err(rejected(
                format!("Unknown argument `{other}` beside `weigh`"),
                "A question has the keys `weigh` and `run`; write the step on a line of its own",
            ));
        }
        if !run.is_null() {
            proposal.insert("run".to_owned(), run);
        }
        let invalid = RejectedLine::with_code(LineErrorCode::InvalidWeigh);
        let input: ProposalInput = read(proposal).map_err(&invalid)?;
        check_proposal(&input.proposal).map_err(&invalid)?;
        let run = self.run_of(input.run.clone(), LineErrorCode::InvalidWeigh)?;
        let output = match &mut self.runs {
            LineRuns::Memory(runs) => runs.weigh(&run, &input.proposal),
            LineRuns::Stored { state, .. } => {
                state.refresh();
                state.weigh_action(&run, &input).map_err(RejectedLine::with_code(LineErrorCode::Store))?
            }
        };
        Ok(AnswerContent::Ruling(Box::new(output)))
    }

    /// Returns the run of a line.
    fn run_of(&self, named: Option<String>, code: LineErrorCode) -> Result<String, RejectedLine> {
        let named = named.map(|name| check_name("run name", &name).map(str::to_owned)).transpose();
        let named = named.map_err(RejectedLine::with_code(code))?;
        match &self.runs {
            LineRuns::Memory(_) => Ok(named.unwrap_or_else(|| DEFAULT_RUN.to_owned())),
            LineRuns::Stored { run, .. } => match named {
                Some(named) if named != *run => Err(RejectedLine::new(
                    LineErrorCode::OtherRun,
                    format!("The line is of the run {named:?}, but only {run:?} is guarded here"),
                    "Leave out `run`, or start a guard for each run; nothing was recorded",
                )),
                _ => Ok(run.clone()),
            },
        }
    }
}

fn too_long() -> RejectedLine {
    RejectedLine::new(
        LineErrorCode::LineTooLong,
        format!("The line is too long; at most {MAX_LINE_BYTES} bytes are accepted"),
        "Shorten long texts such as outcomes: their beginning and end are enough",
    )
}

/// Returns the worse of two verdicts.
fn worse(one: &'static str, other: &'static str) -> &'static str {
    let rank = |verdict| ["clear", "warn", "stop"].iter().position(|known| *known == verdict);
    if rank(other) > rank(one) { other } else { one }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::MAX_RUNS;
    use super::*;

    fn answer(guard: &mut LineGuard, line: &Value) -> Value {
        serde_json::to_value(guard.answer(line.to_string().as_bytes()).unwrap()).unwrap()
    }

    fn failing(run: &str) -> Value {
        json!({"run": run, "action": "make", "outcome": {"text": "1 failed", "error": true}})
    }

    /// Steps of all kinds, some of them in loops.
    fn steps() -> Vec<Value> {
        (0..90)
            .map(|number| match number % 30 {
                0..=9 => json!({"at": 1000 * number, "action": {"name": "bash", "args": {"command": "make"}},
                                "outcome": {"text": "1 failed", "error": true}}),
                10 => json!({"at": 1000 * number, "user": "go on"}),
                11..=16 => json!({"at": 1000 * number,
                                  "task": {"id": "t", "status": "blocked", "blockers": ["no token"]}}),
                _ => json!({"at": 1000 * number, "say": format!("part {number}"), "action": format!("read {number}"),
                            "outcome": format!("text {number}"), "progress": true}),
            })
            .collect()
    }

    #[test]
    fn memory_and_store_give_the_same_answers() {
        let folder = tempfile::tempdir().unwrap();
        let mut memory = LineGuard::in_memory(&Settings::default()).unwrap();
        for step in steps() {
            // A new process for every step: only the store remembers the run.
            let store = folder.path().join("x.db").into();
            let mut stored = LineGuard::stored(Settings::default(), store, String::new(), "main").unwrap();
            let question = json!({"weigh": {"action": {"name": "bash", "args": {"command": "make"}}}});
            assert_eq!(answer(&mut stored, &question), answer(&mut memory, &question), "before {step}");
            assert_eq!(answer(&mut stored, &step), answer(&mut memory, &step), "{step}");
        }
        assert_eq!(memory.worst_verdict(), "stop");
    }

    #[test]
    fn runs_are_guarded_one_by_one() {
        let mut guard = LineGuard::in_memory(&Settings::default()).unwrap();
        let mut verdicts = Vec::new();
        for run in ["a", "b", "a", "b", "a"] {
            let answer = answer(&mut guard, &failing(run));
            verdicts.push(format!("{run}{} {}", answer["turn"], answer["verdict"].as_str().unwrap()));
        }
        assert_eq!(verdicts, ["a1 clear", "b1 clear", "a2 clear", "b2 clear", "a3 warn"]);
    }

    #[test]
    fn the_least_recently_used_run_is_forgotten_first() {
        let mut guard = LineGuard::in_memory(&Settings::default()).unwrap();
        for number in 0..MAX_RUNS {
            answer(&mut guard, &failing(&format!("r{number}")));
        }
        assert_eq!(answer(&mut guard, &failing("r0"))["turn"], 2);
        answer(&mut guard, &failing("new"));
        assert_eq!(answer(&mut guard, &failing("r0"))["turn"], 3);
        assert_eq!(answer(&mut guard, &failing("r1"))["turn"], 1, "it was forgotten");
    }

    #[test]
    fn a_line_that_cannot_be_used_is_answered_with_its_number() {
        let mut guard = LineGuard::in_memory(&Settings::default()).unwrap();
        assert!(guard.answer(b" \r\n").is_none());
        for (line, code, message) in [
            ("{", "not_json", "The line is not JSON: EOF while parsing an object at column 1"),
            ("[1]", "not_json", "The line is not a JSON object"),
            ("{}", "invalid_step", "The step is empty"),
            (r#"{"actoin":"x"}"#, "invalid_step", "Unknown argument `actoin`"),
            (r#"{"say":"x","run":""}"#, "invalid_step", "Invalid run name: use 1–200 bytes on one line"),
            (r#"{"task":{"id":""}}"#, "invalid_step", "Invalid task id: use 1–64 bytes on one line"),
            (r#"{"weigh":"make"}"#, "invalid_weigh", "Invalid argument `weigh`: expected an object"),
            (r#"{"weigh":{"action":""}}"#, "invalid_weigh", "The action has no name"),
            (
                r#"{"weigh":{"action":"x"},"say":"y"}"#,
                "invalid_weigh",
                "Unknown argument `say` beside `weigh`",
            ),
        ] {
            let answer = guard.answer(line.as_bytes()).unwrap();
            let error = answer.error().unwrap();
            assert_eq!(error.message, message, "{line}");
            let json = serde_json::to_value(&answer).unwrap();
            assert_eq!(json["error"]["code"], code, "{line}");
            assert!(!error.hint.is_empty() && !error.hint.contains("schema"), "{error:?}");
        }
        assert_eq!(guard.answer(&vec![b'x'; MAX_LINE_BYTES + 1]).unwrap().error().unwrap().line, 11);
        assert_eq!(answer(&mut guard, &failing("a"))["turn"], 1, "nothing was recorded before");
    }

    #[test]
    fn a_stored_run_takes_no_steps_of_others() {
        let folder = tempfile::tempdir().unwrap();
        let store: StoreUrl = folder.path().join("x.db").into();
        let mut guard =
            LineGuard::stored(Settings::default(), store.clone(), String::new(), " job ").unwrap();
        assert_eq!(answer(&mut guard, &failing("job"))["run"], "job");
        assert_eq!(answer(&mut guard, &failing("other"))["error"]["code"], "other_run");
        assert!(LineGuard::stored(Settings::default(), store, String::new(), " ").is_err());
    }
}
