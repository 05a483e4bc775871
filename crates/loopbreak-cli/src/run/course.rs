//! The loop: start the command, show its output to the guard, do what the guard says.

use std::fs::File;
use std::io;
use std::time::Duration;

use loopbreak::text::secret::mask;
use loopbreak::{
    Act, Audience, Config, DetectorName, Guard, Intervention, LoopId, Millis, Mode, Outcome, Step, Verdict,
};
use loopbreak_store::now;
use serde_json::json;

use super::args::RunArgs;
use super::child::{End, Ran, Start};
use super::ending::{self, Ending};
use super::escalate::{self, Choice};
use super::interrupt::Interrupts;
use super::iteration::Iteration;
use super::keep::{Event, Keeper, Kept, say};
use super::notify::Told;
use super::prompt::{Prompt, keeps_promise};
use super::scratchpad;
use super::trouble::Trouble;
use crate::error::UserError;
use crate::watch::Notice;

/// How many of the last iterations are told of.
const HISTORY: usize = 5;
/// The longest back-off.
const LONGEST: Duration = Duration::from_mins(10);
/// Words of the engine's own advice that already tells of the last iterations.
const TOLD: &str = "The last iterations:";

/// A run while it goes on.
#[derive(Debug)]
pub(super) struct Course<'a> {
    pub(super) args: &'a RunArgs,
    pub(super) config: Config,
    pub(super) prompt: Prompt<'a>,
    pub(super) told: Told,
    pub(super) interrupts: Interrupts,
    pub(super) keeper: Keeper,
    pub(super) guard: Guard,
    pub(super) kept: Kept,
    /// What a human said since the last iteration.
    pub(super) human: Option<String>,
}

/// Why the run ends, in a word and in words.
type Over = (Ending, String);

impl Course<'_> {
    /// Begins, or goes on.
    pub(super) fn begin(&mut self) {
        let session = self.keeper.session().to_owned();
        if self.guard.turn() == 0 {
            say(&format!("run {session}"));
            // Time counts from here, not from the end of the first iteration.
            self.guard.observe(&Step { refused: true, ..self.step() });
        } else {
            say(&format!("run {session} goes on after iteration {}", self.guard.turn()));
            // Whoever starts it again has looked at it.
            self.human = Some("started the run again".to_owned());
        }
        let detail = json!({"action": self.command()});
        self.keeper.write(&Event::new("start", detail), &self.guard, &mut self.kept);
    }

    /// Goes on until the end.
    pub(super) fn go(&mut self) -> Result<Over, UserError> {
        let mut troubles = 0;
        loop {
            let ran = self.start()?;
            let iteration = self.look(&ran);
            if ran.end == End::Interrupted {
                self.jot(&iteration, "interrupted");
                return Ok(interrupted());
            }
            let failed = matches!(ran.end, End::Exited(status) if !status.success());
            if let Some(trouble) = Trouble::of(&ran.out, &ran.err).filter(|_| failed) {
                troubles += 1;
                match self.back_off(trouble, troubles, &iteration) {
                    Some(over) => return Ok(over),
                    None => continue,
                }
            }
            troubles = 0;
            if let Some(over) = self.take(&ran, &iteration) {
                return Ok(over);
            }
            if let Some(over) = self.args.delay.and_then(|delay| self.sleep(delay)) {
                return Ok(over);
            }
        }
    }

    /// Runs the command once.
    fn start(&mut self) -> Result<Ran, UserError> {
        if let Err(why) = self.prompt.read() {
            say(&format!("warning: {why}"));
        }
        let number = self.guard.turn() + 1;
        let log = self.args.log_dir.as_ref().map(|folder| {
            let path = folder.join(format!("{}-{number:04}.log", self.keeper.session()));
            File::create(&path)
                .map_err(|error| UserError::failed(format!("--log-dir {}: {error}", path.display())))
        });
        let (words, input) = self.prompt.words(self.kept.advice.as_deref());
        let longest = [self.args.iteration_timeout, self.time_left()].into_iter().flatten().min();
        let start = Start { words: &words, input, longest, log: log.transpose()? };
        start.run(&self.interrupts).map_err(|error| {
            let message = format!("cannot start {:?}: {error}", self.args.command[0]);
            match error.kind() {
                io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied if number == 1 => {
                    UserError::usage(message)
                        .hint("the command comes after --, as a program and its arguments")
                }
                io::ErrorKind::ArgumentListTooLong => UserError::failed(message)
                    .hint("leave out {prompt}: then the prompt goes to standard input, however long it is"),
                _ => UserError::failed(message),
            }
        })
    }

    fn look(&self, ran: &Ran) -> Iteration {
        let told = [self.prompt.last(), self.kept.advice.as_deref().unwrap_or_default()];
        Iteration::new(self.guard.turn() + 1, ran, told)
    }

    /// Shows an iteration to the guard, and does what it says.
    fn take(&mut self, ran: &Ran, iteration: &Iteration) -> Option<Over> {
        let human = self.human.take();
        let outcome = Outcome { text: Some(iteration.outcome.as_str().into()), error: iteration.failed };
        let step = Step {
            outcome: Some(outcome),
            usage: iteration.usage,
            user: human.as_deref().map(Into::into),
            ..self.step()
        };
        let verdict = self.guard.observe(&step);
        self.keeper.note(&verdict, now());
        self.kept.history.push(iteration.line());
        let surplus = self.kept.history.len().saturating_sub(HISTORY);
        self.kept.history.drain(..surplus);
        self.kept.advice = self.advice(&verdict);
        let promise = self.args.completion_promise.as_deref();
        let kept = promise.is_some_and(|text| keeps_promise(&ran.out, text, self.prompt.last()));
        let over = if kept && !iteration.failed {
            Some((Ending::Complete, format!("the promise was kept in iteration {}", iteration.number)))
        } else {
            ending::call(&verdict, self.config.policy.on_loop)
                .and_then(|call| self.called(&call, &verdict, &step))
        };
        if over.is_none() {
            self.tell_user(iteration, &verdict);
        }
        let next = match (&over, &self.kept.advice) {
            (Some((ending, why)), _) => format!("{}: {why}", ending.as_str()),
            (None, Some(_)) => "try another approach".to_owned(),
            (None, None) => "go on".to_owned(),
        };
        self.record(iteration, &verdict);
        self.jot(iteration, &next);
        over
    }

    /// What whoever runs the program should know while it goes on: how near the limits are.
    fn tell_user(&self, iteration: &Iteration, verdict: &Verdict) {
        let near = |advice: &&loopbreak::Advice| {
            advice.audience == Audience::User && advice.detector == DetectorName::Budget
        };
        for advice in verdict.advice.iter().filter(near) {
            say(&advice.text);
        }
        if self.config.budget.max_cost > 0.0 && iteration.usage.is_none() && iteration.number == 1 {
            say("warning: the command does not tell what it costs, so that no limit of money can hold");
        }
    }

    /// A guard calls for an end. Nothing where a human lets the run go on.
    fn called(&mut self, call: &ending::Call, verdict: &Verdict, step: &Step<'_>) -> Option<Over> {
        let reason = call.act.reason.clone();
        let notice = self.notice(verdict, step, &call.act);
        for wrong in self.told.tell(&notice) {
            say(&format!("warning: {wrong}"));
        }
        if call.ending != Ending::Human {
            return Some((call.ending, reason));
        }
        anstream::eprintln!("\n{}\n", escalate::report(call, verdict, &self.kept.history));
        match escalate::ask(&self.interrupts) {
            Some(Choice::Continue(words)) => {
                let mut advice = self.kept.advice.take().unwrap_or_else(|| self.framed(&reason));
                advice.push_str("\n\nA human looked at this and says: try another approach.");
                if !words.is_empty() {
                    advice.push(' ');
                    advice.push_str(&words);
                }
                self.kept.advice = Some(advice);
                self.human = Some(if words.is_empty() { "try another approach".to_owned() } else { words });
                None
            }
            Some(Choice::Cancel) => Some((Ending::Loop, format!("{reason}; cancelled"))),
            Some(Choice::Review) => Some((Ending::Human, format!("{reason}; to be reviewed"))),
            None if self.interrupts.any() => Some(interrupted()),
            None => Some((Ending::Human, reason)),
        }
    }

    /// The command itself failed, whatever its work was: waits, and says whether it is of no use.
    fn back_off(&mut self, trouble: Trouble, times: u32, iteration: &Iteration) -> Option<Over> {
        let pause = self.args.backoff.saturating_mul(1 << (times - 1).min(16)).min(LONGEST);
        let why = format!("{}: {}", trouble.reason(), iteration.errors);
        let detail = json!({"action": why, "trouble": trouble.pattern(), "times": times});
        self.keeper.write(&Event::new("backoff", detail), &self.guard, &mut self.kept);
        if times > trouble.patience() {
            self.jot(iteration, "a human is needed");
            let act = Act {
                intervention: Intervention::Escalate,
                detector: DetectorName::Errors,
                pattern: trouble.pattern(),
                loop_id: LoopId(0),
                task: None,
                reason: why.clone(),
                acted: true,
            };
            let verdict = Verdict { turn: self.guard.turn(), ..Verdict::default() };
            let notice = self.notice(&verdict, &self.step(), &act);
            for wrong in self.told.tell(&notice) {
                say(&format!("warning: {wrong}"));
            }
            return Some((Ending::Human, why));
        }
        say(&format!("{why}; waiting {} s", pause.as_secs_f64()));
        self.jot(iteration, "wait, and try again");
        self.sleep(pause)
    }

    /// Sleeps, but not beyond the end of the run.
    fn sleep(&self, time: Duration) -> Option<Over> {
        let left = self.time_left();
        if self.interrupts.sleep(left.map_or(time, |left| left.min(time))) {
            return Some(interrupted());
        }
        left.filter(|left| *left <= time).map(|_| (Ending::Limit, "the time is over".to_owned()))
    }

    /// What is left of the longest time the run may take, where there is a limit.
    fn time_left(&self) -> Option<Duration> {
        let budget = &self.config.budget;
        let enforced = self.config.mode == Mode::Enforce && budget.mode == Mode::Enforce;
        let limit = Some(budget.max_runtime.millis).filter(|limit| enforced && *limit > 0)?;
        let passed = self.time().saturating_sub(self.kept.started).max(0);
        Some(Duration::from_millis(limit.saturating_sub(passed as u64)))
    }

    /// The time of the run, which stands still while nobody runs it.
    fn time(&self) -> i64 {
        now().saturating_sub(self.kept.paused)
    }

    fn step<'s>(&self) -> Step<'s> {
        Step { at: Some(Millis(self.time())), ..Step::default() }
    }

    fn notice(&self, verdict: &Verdict, step: &Step<'_>, act: &Act) -> Notice {
        Notice::new(self.keeper.session(), &self.command(), verdict.turn, step, verdict, act)
    }

    /// The command on one line, secrets masked.
    fn command(&self) -> String {
        crate::status::printable(&mask(&self.args.command.join(" ")))
    }

    /// What the agent is told next, with what went before.
    fn advice(&self, verdict: &Verdict) -> Option<String> {
        let mut texts: Vec<&str> = Vec::new();
        for advice in verdict.advice.iter().filter(|advice| advice.audience == Audience::Agent) {
            if !texts.contains(&advice.text.as_str()) {
                texts.push(&advice.text);
            }
        }
        (!texts.is_empty()).then(|| self.framed(&texts.join("\n\n")))
    }

    fn framed(&self, text: &str) -> String {
        let mut framed = format!("Loop guard, after iteration {}:\n\n{text}", self.guard.turn());
        if !text.contains(TOLD) {
            framed.push_str("\n\n");
            framed.push_str(TOLD);
            for line in &self.kept.history {
                framed.push_str("\n- ");
                framed.push_str(line);
            }
        }
        framed
    }

    /// Adds to the store.
    fn record(&mut self, iteration: &Iteration, verdict: &Verdict) {
        let mut detail = json!({
            "turn": verdict.turn, "action": iteration.line(), "status": iteration.status, "error": iteration.failed,
        });
        if !verdict.findings.is_empty() {
            detail["findings"] = serde_json::to_value(&verdict.findings).unwrap_or_default();
        }
        if let Some(advice) = &self.kept.advice {
            detail["answer"] = "advise".into();
            detail["text"] = advice.as_str().into();
        }
        let event = Event { verdict: Some(verdict), ..Event::new("step", detail) };
        self.keeper.write(&event, &self.guard, &mut self.kept);
    }

    /// Adds to the scratchpad.
    fn jot(&self, iteration: &Iteration, next: &str) {
        if let Some(path) = &self.args.scratchpad
            && let Err(why) = scratchpad::add(path, iteration, next)
        {
            say(&format!("warning: {why}"));
        }
    }

    /// Keeps the end, and waits for those who are told of it.
    pub(super) fn end(&mut self, what: &str, code: u8) {
        let detail = json!({"action": what, "code": code});
        let event = Event { ended: true, ..Event::new("end", detail) };
        self.keeper.write(&event, &self.guard, &mut self.kept);
        for wrong in self.told.finish() {
            say(&format!("warning: {wrong}"));
        }
    }
}

fn interrupted() -> Over {
    (Ending::Interrupted, "all processes of the command are ended".to_owned())
}
