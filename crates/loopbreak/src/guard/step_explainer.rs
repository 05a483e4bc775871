//! Shows the facts about steps that the detectors would get.

use std::borrow::Cow;

use super::GuardState;
use super::observe::ObservedFacts;
use crate::detectors::signature::explain_signature;
use crate::explain::{
    ActionExplanation, BatchExplanation, KindSource, OutcomeExplanation, StepAuthor, StepExplanation,
    TargetSource, WaitReason,
};
use crate::facts::{ActionResult, ResultReason, canonical_action, is_outage};
use crate::fingerprint::{ActionKind, ComparedCall, ComparedOutcome, StepFingerprints};
use crate::memory::HashKey;
use crate::settings::Config;
use crate::step::{Action, Outcome, Step};
use crate::text::{clip_masked, mask_secrets};

/// Length limit of a text in an explanation, in bytes.
const TEXT_BYTES: usize = 1000;
/// Length limit of a name, in bytes.
const NAME_BYTES: usize = 200;

/// Explains the steps of one run in their order. Like a guard, it remembers what later steps depend on: whether the log marks
/// failures, the calls made before, the changes so far. Its memory is bounded.
#[derive(Clone, Debug)]
pub struct StepExplainer {
    config: Config,
    state: GuardState,
}

impl StepExplainer {
    /// Creates an explainer for a new run. The tables and rules of these settings count, their mode does not.
    pub fn new(config: Config) -> Self {
        StepExplainer { config, state: GuardState::default() }
    }

    /// Explains the next step of the run.
    pub fn explain(&mut self, step: &Step<'_>) -> StepExplanation {
        let last_time = self.state.now;
        let (turn, renumbered) = self.state.count(step);
        let passed = last_time.zip(step.at).map(|(last, at)| at.0.saturating_sub(last).max(0));
        let canonical = step.action.as_ref().and_then(canonical_action);
        let action = canonical.as_ref().or(step.action.as_ref());
        let facts = self.state.gather_facts(step, action, turn, passed, None, &self.config);
        let prints = facts.prints.as_ref();
        let author = match (facts.origin.user, facts.origin.harness) {
            (true, _) => StepAuthor::User,
            (false, Some(_)) => StepAuthor::Harness,
            (false, None) => StepAuthor::Agent,
        };
        let batch = step.batch.as_ref().map(|batch| {
            let part = facts.attempt;
            BatchExplanation::new(name(&batch.as_text()), part.repeats_call, part.repeats_failure)
        });
        let outcome = step.outcome.as_ref();
        StepExplanation {
            run: Some(&*self.state.run).filter(|run| !run.is_empty()).map(name),
            turn,
            renumbered,
            agent: name(facts.agent),
            author,
            harness: facts.origin.harness,
            refused: step.refused,
            further: facts.further,
            batch,
            action: action.zip(prints).map(|(action, prints)| self.action(action, prints, &facts)),
            outcome: outcome.map(|outcome| self.outcome(outcome, action, prints)),
            fingerprint: prints.map(|prints| digits(prints.pair)),
            signature: explain_signature(step, self.config.signature.scope, |signature| {
                clip_masked(signature, TEXT_BYTES).into_owned()
            }),
        }
    }

    fn action(
        &self,
        action: &Action<'_>,
        prints: &StepFingerprints<'_>,
        facts: &ObservedFacts<'_>,
    ) -> ActionExplanation {
        let tables = self.config.tables();
        let class = tables.classify(action);
        let from_table = tables.actions.classify(action).kind == class.kind;
        let json = action.args.as_ref().map_or("", |args| args.json());
        let call = ComparedCall::from_args(json, tables.volatile_names(action));
        let waits = (prints.kind == ActionKind::Wait).then(|| match class.kind {
            _ if prints.unavailable => WaitReason::Unavailable,
            ActionKind::Wait => WaitReason::Kind,
            _ if tables.actions.waits(action, class.kind, class.runs, None) => WaitReason::NoInput,
            _ => WaitReason::Unfinished,
        });
        let aim = tables.actions.aim(action, prints.kind);
        let targets_from = aim.as_ref().filter(|aim| !aim.targets.is_empty()).map(|aim| {
            if action.target.as_deref().is_some_and(|target| !target.trim().is_empty()) {
                TargetSource::Log
            } else if aim.to_be_named {
                TargetSource::Command
            } else if aim.spoken {
                TargetSource::Words
            } else {
                TargetSource::Argument
            }
        });
        let logged = facts.step.action.as_ref().filter(|_| {
            // The action was brought into the common form.
            !facts.step.action.as_ref().is_some_and(|logged| std::ptr::eq(logged, action))
        });
        ActionExplanation {
            name: text(&action.name),
            args: Some(text(&call.args)).filter(|args| !args.is_empty()),
            spelled: logged.map(|logged| text(&logged.line())),
            left_out: call.left_out,
            kind: class.kind.as_str(),
            kind_from: match action.kind {
                _ if !from_table => KindSource::Settings,
                Some(_) => KindSource::Log,
                None => KindSource::Table,
            },
            waits,
            mutates: prints.mutates,
            changes: prints.effect,
            allowed: facts.allowed,
            targets: aim
                .map_or_else(Vec::new, |aim| aim.targets.iter().map(|target| name(&target.text)).collect()),
            targets_from,
            fingerprint: digits(prints.call),
        }
    }

    fn outcome(
        &self,
        outcome: &Outcome<'_>,
        action: Option<&Action<'_>>,
        prints: Option<&StepFingerprints<'_>>,
    ) -> OutcomeExplanation {
        let judged = prints.and_then(|prints| Some((result_of(prints), prints.reason?)));
        let (result, reason) = judged.unwrap_or_else(|| result_without_action(outcome));
        let mut explanation = OutcomeExplanation {
            result,
            reason,
            compared: None,
            form: None,
            masked: Vec::new(),
            left_out: Vec::new(),
            fingerprint: prints.and_then(|prints| prints.outcome).map(digits),
        };
        if let (Some(action), Some(_), Some(text)) =
            (action, &explanation.fingerprint, outcome.text.as_deref())
        {
            // No secret may be left in the parts, so they are masked in the whole text.
            let text = mask_secrets(text);
            let compared = if result == ActionResult::Success {
                ComparedOutcome::of_success(&text, self.config.tables().volatile_names(action))
            } else {
                ComparedOutcome::of_failure(&text)
            };
            explanation.compared = Some(crate::text::clip(&compared.text, TEXT_BYTES).to_owned());
            explanation.form = Some(compared.form);
            explanation.masked = compared.masked.iter().map(|part| name(part)).collect();
            explanation.left_out = compared.left_out.iter().map(|field| name(field)).collect();
        }
        explanation
    }
}

fn result_of(prints: &StepFingerprints<'_>) -> ActionResult {
    match (prints.failed, prints.unavailable) {
        (true, _) => ActionResult::Failure,
        (_, true) => ActionResult::Unavailable,
        _ => ActionResult::Success,
    }
}

/// Returns the result of a step without an action, and the sign that decided about it. Only marks count.
fn result_without_action(outcome: &Outcome<'_>) -> (ActionResult, ResultReason) {
    let reason = match (outcome.error, outcome.exit) {
        (Some(true), _) => ResultReason::ErrorFlag,
        (_, Some(exit)) if exit != 0 => ResultReason::ExitCode,
        (Some(false), _) => ResultReason::SuccessFlag,
        (None, Some(_)) => ResultReason::ExitZero,
        (None, None) => ResultReason::WithoutAction,
    };
    let result = match reason.is_failure() {
        _ if is_outage(outcome) => ActionResult::Unavailable,
        true => ActionResult::Failure,
        false => ActionResult::Success,
    };
    (result, reason)
}

fn digits(key: HashKey) -> String {
    format!("{:012x}", key.0)
}

fn text(text: &str) -> String {
    clip_masked(text, TEXT_BYTES).into_owned()
}

fn name(text: &str) -> String {
    let name: Cow<'_, str> = clip_masked(text, NAME_BYTES);
    name.into_owned()
}
