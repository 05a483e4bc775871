//! The documents' own names for options: one table, read in `[tool.zorkgpt.loop_break]`, and for tasks in ours too.

/// A key that one of the five documents names.
#[derive(Clone, Copy, Debug)]
pub struct DocumentsKey {
    /// The key.
    pub name: &'static str,
    /// The options it stands for.
    pub options: &'static [&'static str],
    /// What its value means for them.
    pub meaning: Meaning,
}

/// What the value of a documents' key means for our options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// It is their value.
    Value,
    /// `false` sets the modes to `off`; `true` leaves them as they are.
    Switch,
}

const fn value(name: &'static str, options: &'static [&'static str]) -> DocumentsKey {
    DocumentsKey { name, options, meaning: Meaning::Value }
}

const fn switch(name: &'static str, options: &'static [&'static str]) -> DocumentsKey {
    DocumentsKey { name, options, meaning: Meaning::Switch }
}

/// Every key that the documents name.
pub const DOCUMENTS_KEYS: &[DocumentsKey] = &[
    switch("enable_velocity_detection", &["mode"]),
    value("max_turns_stuck", &["stagnation.max_turns"]),
    value("stuck_check_interval", &["stagnation.check_interval"]),
    value("stuck_warning_threshold", &["stagnation.warn_at"]),
    value("enable_stuck_warnings", &["stagnation.warnings"]),
    value("enable_objective_based_progress", &["stagnation.objectives"]),
    switch("enable_location_penalty", &["revisit.mode"]),
    value("location_revisit_penalty", &["revisit.penalty"]),
    value("location_revisit_window", &["revisit.window"]),
    switch("enable_exploration_hints", &["novelty.mode"]),
    value("action_novelty_window", &["novelty.window"]),
    switch("enable_loop_detection", &["oscillation.mode", "camping.mode"]),
    value("oscillation_return_penalty", &["oscillation.return_penalty"]),
    value("oscillation_exploration_bonus", &["oscillation.exploration_bonus"]),
    value("camping_return_penalty", &["camping.return_penalty"]),
    value("camping_threshold", &["camping.threshold"]),
    value("camping_window", &["camping.window"]),
    value("maxAttempts", &["task.max_attempts"]),
    value("attemptWindow", &["task.attempt_window"]),
    value("enableAutoUnblock", &["task.auto_unblock"]),
    value("maxAttemptsBeforeForceNext", &["task.force_next_after"]),
    value("max_turns_per_episode", &["budget.max_iterations"]),
    value("max_iterations", &["budget.max_iterations"]),
    value("max_runtime", &["budget.max_runtime"]),
    value("consecutive_errors", &["errors.hard_at", "errors.warn_at"]),
];

/// A documents' key by its name.
pub(crate) fn documents_key(name: &str) -> Option<&'static DocumentsKey> {
    DOCUMENTS_KEYS.iter().find(|key| key.name == name)
}

/// The documents' keys for one of our options.
pub(crate) fn documents_keys_of(option: &str) -> impl Iterator<Item = &'static DocumentsKey> {
    DOCUMENTS_KEYS.iter().filter(move |key| key.options.contains(&option))
}

/// The option that a key in our `[task]` table means when it is written as the documents write it.
pub(crate) fn alias(table: &str, key: &str) -> Option<&'static str> {
    aliases(table).find(|(name, _)| *name == key).map(|(_, option)| option)
}

/// The documents' names that our own tables know too, with the options they mean.
pub(crate) fn aliases(table: &str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let task = table == "task";
    DOCUMENTS_KEYS
        .iter()
        .filter(move |key| task && key.options[0].starts_with("task."))
        .map(|key| (key.name, key.options[0]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Settings, find_option};

    #[test]
    fn every_documents_key_stands_for_options_that_exist() {
        for key in DOCUMENTS_KEYS {
            assert!(!key.options.is_empty());
            for option in key.options {
                assert!(find_option(option).is_some(), "{}: {option}", key.name);
            }
        }
    }

    #[test]
    fn the_names_known_in_our_task_table_are_those_that_serde_knows() {
        for (name, option) in aliases("task") {
            let value = if name == "enableAutoUnblock" { "true" } else { "7" };
            let text = format!("[task]\n{name} = {value}");
            toml::from_str::<Settings>(&text).unwrap_or_else(|error| panic!("{option}: {error}"));
        }
        assert_eq!(aliases("task").count(), 4);
        assert_eq!(alias("stagnation", "maxAttempts"), None);
    }
}
