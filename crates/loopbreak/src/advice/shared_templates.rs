//! Templates that several detectors use, and the values that they can show.

use super::Template;
use crate::verdict::Audience;

/// Values of templates about places.
pub(crate) const PLACE_VALUES: &[&str] = &[
    "turn",
    "since",
    "count",
    "exits",
    "objectives",
    "loops",
    "pattern_names",
    "camped_location_name",
    "visit_count",
    "window_size",
    "location_name",
    "recent_visits",
    "visits",
    "reach",
    "action",
    "base_score",
    "penalty",
    "reason",
];

/// Values of templates about calls.
pub(crate) const CALL_VALUES: &[&str] = &[
    "turn",
    "since",
    "count",
    "period",
    "rounds",
    "repeats",
    "window",
    "first_turn",
    "failures",
    "failure",
    "target",
    "questions",
    "polls",
    "times",
    "calls",
    "argument",
    "turns",
    "action",
    "outcome",
    "message",
    "reason",
];

/// Values of templates about outputs.
pub(crate) const OUTPUT_VALUES: &[&str] = &[
    "turn",
    "since",
    "count",
    "signature",
    "signature_kind",
    "same_error",
    "same_change",
    "similarity",
    "like_turn",
    "output",
    "history",
    "reason",
];

/// Values of templates about limits and errors.
pub(crate) const LIMIT_VALUES: &[&str] =
    &["turn", "since", "count", "used", "limit", "errors", "last_error", "action", "reason"];

/// Values of templates about proposals.
pub(crate) const RULING_VALUES: &[&str] = &["reason", "amount", "adjustment", "action", "last_turn", "exits"];

/// The templates that do not belong to a single detector.
pub(super) const SHARED_TEMPLATES: &[&Template] = &[REFUSED, REFUSED_REPEAT, ADJUSTMENT, ESCALATION, CUSTOM];

pub(crate) const REFUSED: &Template = &Template {
    name: "refused",
    audience: Audience::Agent,
    values: PLACE_VALUES,
    neutral: r#""{action}" {reason}: its score of {base_score} changes by {penalty}. Choose a different action."#,
    zork: None,
    hook: None,
};

pub(crate) const REFUSED_REPEAT: &Template = &Template {
    name: "refused_repeat",
    audience: Audience::Agent,
    values: CALL_VALUES,
    neutral: r#""{action}" is refused: it {reason}. Choose a different action."#,
    zork: None,
    hook: Some(r#"Loop guard: "{action}" was refused: it {reason}."#),
};

pub(crate) const ADJUSTMENT: &Template = &Template {
    name: "adjustment",
    audience: Audience::Critic,
    values: RULING_VALUES,
    neutral: "The score was changed by {amount}: the action {reason}.",
    zork: Some("[Loop Detection Override: {adjustment}]"),
    hook: None,
};

pub(crate) const REPEATED_OUTPUT: &Template = &Template {
    name: "repeated_output",
    audience: Audience::Agent,
    values: OUTPUT_VALUES,
    neutral: "The outputs have repeated since turn {since} ({reason}). The current approach does not work. Try a different one.
{?same_error}The same failure returns. Find its root cause before you change anything else.
{?same_change}The same change was made before. Context is missing: read what the change depends on, and write down what you know and \
what you tried before you continue.

Last iterations:
{history}",
    zork: None,
    hook: None,
};

pub(crate) const REPEATED_CALLS: &Template = &Template {
    name: "repeated_calls",
    audience: Audience::Agent,
    values: CALL_VALUES,
    neutral: "Since turn {since}: {reason}.
The tool answered: {outcome}
The tool failed with: {failure}
{?outcome}You have this result now, and the same call adds nothing to it. Write down what follows from it. Then take the next \
step that changes something: an edit, other input, or the answer with what is still missing.
{?failure}The same approach fails for the same reason. Remove the cause or choose another way. If neither is possible, report the \
error as your result.
{!outcome}{!failure}Nothing shows that these calls have an effect. Check the state in another way, or continue with the next part \
of the task.",
    zork: None,
    hook: Some(
        "Loop guard: since turn {since}: {reason}.
The tool answered: {outcome}
The tool failed with: {failure}
Nothing that could change it happened in between.",
    ),
};

pub(crate) const ESCALATION: &Template = &Template {
    name: "escalation",
    audience: Audience::User,
    values: OUTPUT_VALUES,
    neutral: "Loop detected: {reason}
Signature: {signature}

Last iterations:
{history}

Options:
1. Continue with another approach: the agent is told to try a new strategy.
2. Review: find out why the same thing keeps failing.
3. Cancel: stop the task.",
    zork: Some(
        "## Loop Detected

**Pattern**: {reason}
**Signature**: `{signature}`

**Iteration history**:
{history}

**Options**:
1. **Continue with different approach** - Agent will be instructed to try new strategy
2. **Review and debug** - Examine why same fix keeps failing
3. **Cancel** - Stop task",
    ),
    // A hook can show a text, but has no way to let the user choose.
    hook: Some(
        "Loop detected: {reason}
Signature: {signature}

Last iterations:
{history}

Tell the agent to try another approach, or stop it. `loopbreak log last` shows what happened, and `loopbreak allow last` lets a \
refused call pass.",
    ),
};

pub(crate) const CUSTOM: &Template = &Template {
    name: "custom",
    audience: Audience::Agent,
    values: &["turn", "since", "count", "reason"],
    neutral: "Since turn {since}: {reason}.
Try a different approach.",
    zork: None,
    hook: Some("Loop guard: since turn {since}: {reason}."),
};
