//! The action of a step, as the detectors see it.

use serde::Serialize;

use super::LeftOutArgument;
use crate::name_enum::name_enum;

/// The action of a step, as the detectors see it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ActionExplanation {
    /// Name of the tool, or the whole command if there are no arguments.
    pub name: String,
    /// The arguments that are compared, as JSON in the order of their names; absent if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub args: Option<String>,
    /// The action as the log spells it, if that differs from name and arguments.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spelled: Option<String>,
    /// The arguments that are not compared.
    pub left_out: Vec<LeftOutArgument>,
    /// Kind of the action: `edit`, `read`, `run`, `search`, `wait`, `page`, `move`, `say` or `other`.
    pub kind: &'static str,
    /// Origin of the kind.
    pub kind_from: KindSource,
    /// The reason why the step counts as waiting, if it does.
    pub waits: Option<WaitReason>,
    /// True if every call has a side effect outside, such as a sent message.
    pub mutates: bool,
    /// True if the step made a change that no earlier step made.
    pub changes: bool,
    /// True if a rule of the user allows the action, so that no detector judges it.
    pub allowed: bool,
    /// The possible targets. For a shell command, the one that a failure names counts.
    pub targets: Vec<String>,
    /// Origin of the targets, if there are any.
    pub targets_from: Option<TargetSource>,
    /// Fingerprint of the action.
    pub fingerprint: String,
}

name_enum! {
    /// Origin of the kind of an action.
    "origin of a kind" pub enum KindSource {
        /// The log names the kind.
        Log = "log",
        /// A rule `[[tool]]` of the settings declares it.
        Settings = "settings",
        /// The table of tool names and commands, `[actions]` in the settings.
        Table = "table",
    }
}

name_enum! {
    /// Reason why a step counts as waiting.
    "reason to wait" pub enum WaitReason {
        /// The kind of the action is `wait`.
        Kind = "kind",
        /// The call gives a running program no input.
        NoInput = "no_input",
        /// A service that the agent has no influence on was not available.
        Unavailable = "unavailable",
        /// The call was made before, and its reply says that a job is not done.
        Unfinished = "unfinished",
    }
}

impl WaitReason {
    /// Returns the reason as part of a sentence.
    pub const fn description(self) -> &'static str {
        match self {
            WaitReason::Kind => "its kind is wait",
            WaitReason::NoInput => "it gives a running program no input",
            WaitReason::Unavailable => "a service was not available",
            WaitReason::Unfinished => "it was made before, and its reply says that a job is not done",
        }
    }
}

name_enum! {
    /// Origin of the target of an action.
    "origin of a target" pub enum TargetSource {
        /// The log names the target.
        Log = "log",
        /// An argument that names a file, a folder or an address.
        Argument = "argument",
        /// The words of a shell command. The one that a failure names counts.
        Command = "command",
        /// The object of a command in natural language.
        Words = "words",
    }
}
