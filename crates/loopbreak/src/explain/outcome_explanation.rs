//! The outcome of a step, as the detectors see it.

use serde::Serialize;

use crate::facts::{ActionResult, ResultReason};
use crate::name_enum::name_enum;

/// The outcome of a step, as the detectors see it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct OutcomeExplanation {
    /// The result of the action.
    pub result: ActionResult,
    /// The sign that decided about the result.
    pub reason: ResultReason,
    /// The text that is compared; absent if the step has no action, or its outcome no text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compared: Option<String>,
    /// Origin of the compared text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub form: Option<OutcomeForm>,
    /// The parts of the text that were masked, because they change by themselves: the first ones.
    pub masked: Vec<String>,
    /// The fields of a JSON reply that were left out for the same reason: the first ones.
    pub left_out: Vec<String>,
    /// Fingerprint of the outcome, if it has a compared text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<String>,
}

name_enum! {
    /// Form in which an outcome is compared.
    "form of an outcome" pub enum OutcomeForm {
        /// The whole text, with volatile parts masked.
        Whole = "whole",
        /// Beginning, end and length of a long text, with volatile parts masked.
        Ends = "ends",
        /// A JSON reply without the fields that change by themselves.
        Json = "json",
        /// The beginning of a failure, without quotations, line numbers and volatile parts.
        Failure = "failure",
        /// The text as it is: little else than volatile parts would be left.
        Unmasked = "unmasked",
    }
}

impl OutcomeForm {
    /// Returns the form as part of a sentence.
    pub const fn description(self) -> &'static str {
        match self {
            OutcomeForm::Whole => "the whole text",
            OutcomeForm::Ends => "beginning, end and length of a long text",
            OutcomeForm::Json => "the fields of a JSON reply",
            OutcomeForm::Failure => "the beginning of the failure, without quotations and line numbers",
            OutcomeForm::Unmasked => "the text as it is, because little else than masks would be left",
        }
    }
}

/// The signature of an output, as the detector `signature` makes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct SignatureExplanation {
    /// The signature.
    pub text: String,
    /// The part of the output that it is made of: `error`, `failed_tests`, `change`, `search` or `first_words`.
    pub kind: &'static str,
    /// True if the detector compares it. By default it compares only the outputs of whole iterations, which have no
    /// action.
    pub compared: bool,
}
