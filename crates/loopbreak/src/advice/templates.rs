//! All texts, in two sets: plain words for any agent, and the words of the documents about the Zork player.

use crate::verdict::Audience;

/// A text with places to fill in.
#[derive(Clone, Copy, Debug)]
pub struct Template {
    /// Its name, under which a user's own text replaces it.
    pub name: &'static str,
    /// For whom it is.
    pub audience: Audience,
    /// The values it can show.
    pub values: &'static [&'static str],
    /// In plain words.
    pub neutral: &'static str,
    /// In the words of the documents, where they have any.
    pub zork: Option<&'static str>,
}

/// A template by its name.
pub(crate) fn template(name: &str) -> Option<&'static Template> {
    TEMPLATES.iter().find(|template| template.name == name)
}

const STAGNATION: &[&str] = &[
    "turn",
    "since",
    "turns_stuck",
    "turns_left",
    "urgency",
    "score",
    "objectives",
    "exits",
    "loops",
    "max_turns_stuck",
    "last_score_change_turn",
    "last_objective_completion_turn",
    "repeated",
    "reason",
];
const PLACES: &[&str] = &[
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
    "action",
    "base_score",
    "penalty",
    "reason",
];
const OUTPUTS: &[&str] =
    &["turn", "since", "count", "signature", "similarity", "like_turn", "output", "history", "reason"];
const CALLS: &[&str] = &[
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
    "action",
    "outcome",
    "reason",
];
const SPEECH: &[&str] =
    &["turn", "since", "count", "rounds", "words", "bytes", "unit", "times", "message", "reason"];
const IDLENESS: &[&str] =
    &["turn", "since", "count", "edits", "messages", "message", "action", "outcome", "reason"];
const RUNS: &[&str] = &["count", "runs", "seconds", "prompt", "last_run", "ended_with", "reason"];
const TASKS: &[&str] = &["task", "attempts", "pattern", "blockers", "reason"];
const LIMITS: &[&str] = &["turn", "since", "count", "used", "limit", "errors", "last_error", "reason"];
const RULINGS: &[&str] = &["reason", "amount", "action", "last_turn", "exits"];

/// Every text that Loopbreak can say.
pub const TEMPLATES: &[Template] = &[
    Template {
        name: "stagnation",
        audience: Audience::Agent,
        values: STAGNATION,
        neutral: "[{urgency}] No progress for {turns_stuck} turns.
The score stands at {score}.
{?objectives}The run ends in {turns_left} turns unless the score changes or an objective is completed.
{!objectives}The run ends in {turns_left} turns unless there is progress.

Open objectives:
{objectives}

Loops seen lately:
{loops}

Suggestions:
- Work on another open objective, or on another part of the problem.
- Do something that has not been tried here.
- \"{repeated}\" was done before.
- Exits not tried yet: {exits}",
        zork: Some("⚠️ WARNING: No progress for {turns_stuck} turns!
{?objectives}You will DIE in {turns_left} turns unless you increase your score or complete an objective.
{!objectives}You will DIE in {turns_left} turns unless you increase your score.

CURRENT OBJECTIVES:
{objectives}

LOOPS SEEN:
{loops}

SUGGESTIONS:
{?objectives}- Try working on the objectives listed above
{?objectives}- Prioritize actions that might increase your score
{?repeated}- You have tried this action recently with no progress.
- Unexplored directions: {exits}"),
    },
    Template {
        name: "stagnation_stop",
        audience: Audience::User,
        values: STAGNATION,
        neutral: "Stopped: no progress for {turns_stuck} turns, since turn {since} (limit {max_turns_stuck}).
The score stood at {score}.

Loops seen lately:
{loops}",
        zork: Some("Terminating episode: no progress for {turns_stuck} turns (score stuck at {score})"),
    },
    Template {
        name: "oscillation",
        audience: Audience::Agent,
        values: PLACES,
        neutral: "You have been going to and fro between two places: {pattern_names}.
Exits not tried yet: {exits}",
        zork: Some("⚠️ Oscillation Pattern: {pattern_names}
Unexplored directions: {exits}"),
    },
    Template {
        name: "oscillation_critic",
        audience: Audience::Critic,
        values: PLACES,
        neutral: "The agent goes to and fro between two places: {pattern_names}.",
        zork: Some("⚠️ Oscillation Pattern: {pattern_names}"),
    },
    Template {
        name: "camping",
        audience: Audience::Agent,
        values: PLACES,
        neutral: "{visit_count} of the last {window_size} turns went by at {camped_location_name}.
Exits not tried yet: {exits}",
        zork: Some("⚠️ Location Camping: {camped_location_name} ({visit_count} visits in {window_size} turns)
Unexplored directions: {exits}"),
    },
    Template {
        name: "camping_critic",
        audience: Audience::Critic,
        values: PLACES,
        neutral: "The agent spent {visit_count} of the last {window_size} turns at {camped_location_name}.",
        zork: Some("⚠️ Location Camping: {camped_location_name} ({visit_count} visits in {window_size} turns)"),
    },
    Template {
        name: "revisit",
        audience: Audience::Critic,
        values: PLACES,
        neutral: "The agent is back at {location_name}, {recent_visits} turns of the last few were spent there.",
        zork: None,
    },
    Template {
        name: "refused",
        audience: Audience::Agent,
        values: PLACES,
        neutral: "\"{action}\" {reason}: it was scored {base_score} and loses {penalty}. Choose something else.",
        zork: None,
    },
    Template {
        name: "repeated_action",
        audience: Audience::Agent,
        values: RULINGS,
        neutral: "\"{action}\" was done before, at turn {last_turn}.",
        zork: Some("You have tried this action recently with no progress."),
    },
    Template {
        name: "unexplored_exits",
        audience: Audience::Agent,
        values: RULINGS,
        neutral: "Exits not tried yet: {exits}",
        zork: Some("Unexplored directions: {exits}"),
    },
    Template {
        name: "adjustment",
        audience: Audience::Critic,
        values: RULINGS,
        neutral: "The score was adjusted by {amount}: the action {reason}.",
        zork: Some("[Loop Detection Override: {amount} ({reason})]"),
    },
    Template {
        name: "repeated_output",
        audience: Audience::Agent,
        values: OUTPUTS,
        neutral: "The last outputs are alike since turn {since} ({reason}). What was tried does not work: try another approach.

The last iterations:
{history}",
        zork: None,
    },
    Template {
        name: "repeated_calls",
        audience: Audience::Agent,
        values: CALLS,
        neutral: "Since turn {since}: {reason}.
The outcome has not changed and will not change by itself. Say what is known, and go on in another way.",
        zork: None,
    },
    Template {
        name: "failing_target",
        audience: Audience::Agent,
        values: CALLS,
        neutral: "Since turn {since}, {failures} tries at {target} have failed, in whatever way. The last one: {failure}
Find out why it fails, or leave it and go on elsewhere.",
        zork: None,
    },
    Template {
        name: "refused_repeat",
        audience: Audience::Agent,
        values: CALLS,
        neutral: "\"{action}\" is refused: it {reason}. Choose something else.",
        zork: None,
    },
    Template {
        name: "chant",
        audience: Audience::Agent,
        values: SPEECH,
        neutral: "Since turn {since}: {reason}.
Stop here. Say in one sentence what is still to be done, then do it.",
        zork: None,
    },
    Template {
        name: "noop",
        audience: Audience::Agent,
        values: IDLENESS,
        neutral: "Since turn {since}: {reason}.
Nothing has changed since then. Look at what is really there, then do something that changes it, or say that the work is done.",
        zork: None,
    },
    Template {
        name: "restart",
        audience: Audience::User,
        values: RUNS,
        neutral: "{reason}
The last one was {last_run}.
It ended with: {ended_with}
To start it once more will not help: look why the runs end.",
        zork: None,
    },
    Template {
        name: "escalation",
        audience: Audience::User,
        values: OUTPUTS,
        neutral: "Loop detected: {reason}
Signature: {signature}

The last iterations:
{history}

Options:
1. Continue with another approach: the agent is told to try a new strategy.
2. Review: look why the same thing keeps failing.
3. Cancel: stop the task.",
        zork: Some("## Loop Detected

**Pattern**: {reason}
**Signature**: `{signature}`

**Iteration history**:
{history}

**Options**:
1. **Continue with different approach** - Agent will be instructed to try new strategy
2. **Review and debug** - Examine why same fix keeps failing
3. **Cancel** - Stop task"),
    },
    Template {
        name: "task_recovery",
        audience: Audience::User,
        values: TASKS,
        neutral: "{pattern}: {reason}.",
        zork: None,
    },
    Template {
        name: "task_force_next",
        audience: Audience::Agent,
        values: TASKS,
        neutral: "Task {task} is closed after {attempts} attempts ({reason}). Leave it and take the next task of the plan.",
        zork: Some("LOOP DETECTED: Task {task} completed after {attempts} attempts.
DO NOT revisit this task. SELECT NEXT TASK from roadmap using plan_next()."),
    },
    Template {
        name: "task_unblock",
        audience: Audience::Agent,
        values: TASKS,
        neutral: "Task {task} met the same blockers in {attempts} attempts: {blockers}.
For this task and these blockers only, you may remove or go around them: change the design, leave out a dependency
that is not there, put a stand-in in its place. Write down what you left out, finish the task, and go on.",
        zork: Some("UNBLOCK AUTHORITY GRANTED: Task {task} blocked by [{blockers}] after {attempts} attempts.

You have FULL AUTHORITY to:
1. Remove or work around these blockers
2. Make necessary architectural changes
3. Skip unavailable dependencies temporarily
4. Create stub implementations if needed
5. Document blockers as technical debt for later

COMPLETE the task by any means necessary, then mark it done and move on."),
    },
    Template {
        name: "task_escalate",
        audience: Audience::User,
        values: TASKS,
        neutral: "Task {task} needs a human after {attempts} attempts: {reason}.
Options: continue with another approach, review, or cancel.",
        zork: Some("ESCALATION: Loop detected on task {task} after {attempts} attempts.
Human intervention required.
Reason: {reason}"),
    },
    Template {
        name: "budget",
        audience: Audience::User,
        values: LIMITS,
        neutral: "{reason}.",
        zork: None,
    },
    Template {
        name: "errors",
        audience: Audience::Agent,
        values: LIMITS,
        neutral: "{errors} errors in a row since turn {since}. The last one: {last_error}
Find out what they have in common before going on.",
        zork: None,
    },
];
