//! Compares what is stored with what was acknowledged, and with what a server says that had no fault.

use std::net::SocketAddr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use serde_json::Value;

use super::fleet_lab::FleetLab;
use super::run_script::RunScript;
use super::run_traffic::SentRun;
use super::served_instance::owner_connection;
use crate::chore_failure::ChoreFailure;

/// Number of threads that read and compare.
const READERS: usize = 4;
/// Number of steps of a page, and of a request to the other server.
const PAGE: usize = 200;
/// Longest time for an answer. Nothing is broken any more.
const PATIENCE: Duration = Duration::from_mins(1);

/// The result of a comparison.
#[derive(Debug, Default)]
pub(super) struct StepAudit {
    /// Number of steps that were acknowledged.
    pub(super) acknowledged: usize,
    /// Number of steps that are stored.
    pub(super) stored: usize,
    /// Acknowledged steps that are not stored.
    pub(super) lost: usize,
    /// Steps that are stored more than once.
    pub(super) twice: usize,
    /// Runs whose steps are not in their order, or whose numbers have gaps.
    pub(super) disordered: usize,
    /// Steps whose verdict is another one than without the fault, or than the client was told.
    pub(super) different: usize,
    pub(super) broken: Vec<String>,
}

impl StepAudit {
    /// Compares the runs that a server has stored. Nothing may be sent meanwhile.
    pub(super) fn from_stored(
        lab: &FleetLab,
        runs: &[SentRun],
        server: SocketAddr,
    ) -> Result<Self, ChoreFailure> {
        let mut other = lab.sqlite_plan(lab.new_folder("reference")).start()?;
        let reference = other.address()?;
        let (next, audit) = (AtomicUsize::new(0), Mutex::new(Ok(StepAudit::default())));
        thread::scope(|scope| {
            for _ in 0..READERS {
                scope.spawn(|| {
                    while let Some(run) = runs.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let compared = compare(run, server, reference);
                        let Ok(mut audit) = audit.lock() else { return };
                        match (&mut *audit, compared) {
                            (Ok(audit), Ok(compared)) => audit.add(compared),
                            (Ok(_), Err(error)) => *audit = Err(error.about(&run.script.name)),
                            (Err(_), _) => return,
                        }
                    }
                });
            }
        });
        audit.into_inner().unwrap_or_else(|_| Err(ChoreFailure::Failed("a comparison panicked".to_owned())))
    }

    fn add(&mut self, other: StepAudit) {
        self.acknowledged += other.acknowledged;
        self.stored += other.stored;
        self.lost += other.lost;
        self.twice += other.twice;
        self.disordered += other.disordered;
        self.different += other.different;
        self.broken.extend(other.broken);
    }

    /// Describes the result.
    pub(super) fn describe(&self) -> String {
        let StepAudit { acknowledged, lost, twice, disordered, different, .. } = self;
        format!(
            "{acknowledged} steps acknowledged: {lost} lost, {twice} twice, {disordered} runs out of order, {different} other verdicts"
        )
    }
}

fn compare(run: &SentRun, server: SocketAddr, reference: SocketAddr) -> Result<StepAudit, ChoreFailure> {
    let stored = stored_steps(&run.script.name, server)?;
    let expected = expected_answers(&run.script, stored.len(), reference)?;
    Ok(judge(run, &stored, &expected))
}

/// Compares the steps of a run: those that are stored, as pairs of number within the run and entry, and the answers of the other
/// server.
fn judge(run: &SentRun, stored: &[Value], expected: &[Value]) -> StepAudit {
    let mut audit =
        StepAudit { acknowledged: run.answers.len(), stored: stored.len(), ..StepAudit::default() };
    let numbers: Vec<Option<usize>> =
        stored.iter().map(|entry| RunScript::number_of(&entry["input"])).collect();
    let mut times = vec![0_usize; run.script.steps];
    for number in numbers.iter().flatten() {
        if let Some(times) = times.get_mut(*number) {
            *times += 1;
        }
    }
    audit.lost = times.iter().take(run.answers.len()).filter(|times| **times == 0).count();
    audit.twice = times.iter().filter(|times| **times > 1).count();
    let is_ordered = stored.iter().zip(1_u64..).all(|(entry, seq)| entry["seq"].as_u64() == Some(seq))
        && numbers.iter().copied().eq((0..stored.len()).map(Some));
    audit.disordered = usize::from(!is_ordered);
    for ((number, entry), expected) in stored.iter().enumerate().zip(expected) {
        let told = run.answers.get(number);
        if entry["answer"] != *expected || told.is_some_and(|told| told != expected) {
            audit.different += 1;
            if audit.broken.len() < 2 {
                let told = told.unwrap_or(&Value::Null);
                let text = format!("told {told}, stored {}, expected {expected}", entry["answer"]);
                audit.broken.push(format!("{} step {number}: {text}", run.script.name));
            }
        }
    }
    let StepAudit { lost, twice, disordered, .. } = audit;
    if lost + twice + disordered > 0 {
        let order: Vec<String> = stored
            .iter()
            .zip(&numbers)
            .map(|(entry, number)| format!("{}:{number:?}", entry["seq"]))
            .collect();
        audit.broken.push(format!(
            "{}: {} acknowledged, {lost} lost, {twice} twice; stored {}",
            run.script.name,
            run.answers.len(),
            order.join(" ")
        ));
    }
    audit
}

/// Returns the entries of a run, in their order. A run of which nothing is stored has none.
fn stored_steps(run: &str, server: SocketAddr) -> Result<Vec<Value>, ChoreFailure> {
    let mut connection = owner_connection(server, PATIENCE);
    let (mut entries, mut cursor) = (Vec::new(), String::new());
    loop {
        let path = format!("/v1/runs/{run}/steps?limit={PAGE}{cursor}");
        let reply = connection.send("GET", &path, "");
        let reply = reply.map_err(|error| ChoreFailure::io("read the steps of a run", &error))?;
        if reply.status == 404 {
            return Ok(entries);
        }
        let mut page: Value = serde_json::from_str(&reply.body).unwrap_or_default();
        let Some(steps) = page["entries"].as_array_mut().filter(|_| reply.status == 200) else {
            return Err(ChoreFailure::Failed(format!("{path}: status {}: {}", reply.status, reply.body)));
        };
        entries.append(steps);
        match page["next"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return Ok(entries),
        }
    }
}

/// Returns the answers of a server without faults to the first steps of a run.
fn expected_answers(
    script: &RunScript,
    count: usize,
    server: SocketAddr,
) -> Result<Vec<Value>, ChoreFailure> {
    let mut connection = owner_connection(server, PATIENCE);
    let mut answers = Vec::with_capacity(count);
    while answers.len() < count.min(script.steps) {
        let steps = script.steps(answers.len()..count.min(script.steps).min(answers.len() + PAGE));
        let reply = connection.post_steps(&steps);
        let reply = reply.map_err(|error| ChoreFailure::io("ask the server without faults", &error))?;
        match serde_json::from_str(&reply.body) {
            Ok(Value::Array(more)) if reply.status == 200 && !more.is_empty() => answers.extend(more),
            _ if reply.status == 429 => thread::sleep(Duration::from_millis(200)),
            _ => {
                let text = format!("the server without faults: status {}: {}", reply.status, reply.body);
                return Err(ChoreFailure::Failed(text));
            }
        }
    }
    Ok(answers)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn entry(seq: usize, number: usize, turn: usize) -> Value {
        json!({"seq": seq, "input": {"usage": {"input_tokens": 1000 + number}}, "answer": {"turn": turn}})
    }

    /// Judges a run of four steps, three of which were acknowledged.
    fn judged(stored: &[Value]) -> (usize, usize, usize, usize) {
        let mut run = SentRun::example(RunScript::new("a", 0, 1, (4, 4)));
        run.answers = (1..=3).map(|turn| json!({"turn": turn})).collect();
        let expected: Vec<Value> = (1..=4).map(|turn| json!({"turn": turn})).collect();
        let audit = judge(&run, stored, &expected);
        let is_broken = audit.lost + audit.twice + audit.disordered + audit.different > 0;
        assert_eq!(is_broken, !audit.broken.is_empty(), "{audit:?}");
        (audit.lost, audit.twice, audit.disordered, audit.different)
    }

    #[test]
    fn lost_doubled_disordered_and_different_steps_are_seen() {
        let good: Vec<Value> = (0..3).map(|number| entry(number + 1, number, number + 1)).collect();
        assert_eq!(judged(&good), (0, 0, 0, 0));
        let with_open = [good.clone(), vec![entry(4, 3, 4)]].concat();
        assert_eq!(judged(&with_open), (0, 0, 0, 0), "a step that was not acknowledged may be stored");
        assert_eq!(judged(&good[..2]), (1, 0, 0, 0));
        let twice = [good.clone(), vec![entry(4, 2, 4)]].concat();
        assert_eq!(judged(&twice), (0, 1, 1, 0));
        let swapped = [entry(1, 1, 1), entry(2, 0, 2), entry(3, 2, 3)];
        assert_eq!(judged(&swapped), (0, 0, 1, 0));
        let other = [entry(1, 0, 1), entry(2, 1, 9), entry(3, 2, 3)];
        assert_eq!(judged(&other), (0, 0, 0, 1));
    }
}
