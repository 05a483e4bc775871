//! Legacy names of options: the keys of `[tool.zorkgpt.loop_break]`. Four of them are also accepted in `[task]`.

/// A legacy key.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct LegacyKey {
    /// The key as it is written in the file.
    pub name: &'static str,
    /// The options it sets.
    pub options: &'static [&'static str],
    /// Application of its value to the options.
    pub meaning: LegacyMeaning,
}

/// Application of a legacy key's value to its options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LegacyMeaning {
    /// The options take the value.
    Value,
    /// `false` sets the modes to `off`; `true` leaves them unchanged.
    Switch,
}

const fn value(name: &'static str, options: &'static [&'static str]) -> LegacyKey {
    LegacyKey { name, options, meaning: LegacyMeaning::Value }
}

const fn switch(name: &'static str, options: &'static [&'static str]) -> LegacyKey {
    LegacyKey { name, options, meaning: LegacyMeaning::Switch }
}

/// All legacy keys.
pub const LEGACY_KEYS: &[LegacyKey] = &[
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

/// Returns the legacy key with this name.
pub(crate) fn legacy_key(name: &str) -> Option<&'static LegacyKey> {
    LEGACY_KEYS.iter().find(|key| key.name == name)
}

/// Returns the legacy keys that set an option.
pub(crate) fn legacy_keys_of(option: &str) -> impl Iterator<Item = &'static LegacyKey> {
    LEGACY_KEYS.iter().filter(move |key| key.options.contains(&option))
}

/// Returns the option that a legacy key sets if it is used in this table of options.
pub(crate) fn alias(table: &str, key: &str) -> Option<&'static str> {
    aliases(table).find(|(name, _)| *name == key).map(|(_, option)| option)
}

/// Returns the legacy keys that are accepted in this table of options, each with its option.
pub(crate) fn aliases(table: &str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let task = table == "task";
    LEGACY_KEYS
        .iter()
        .filter(move |key| task && key.options[0].starts_with("task."))
        .map(|key| (key.name, key.options[0]))
}

#[cfg(test)]
mod tests {
    use loopbreak::Settings;

    use super::*;
    use crate::find_option;

    #[test]
    fn every_legacy_key_sets_options_that_exist() {
        for key in LEGACY_KEYS {
            assert!(!key.options.is_empty());
            for option in key.options {
                assert!(find_option(option).is_some(), "{}: {option}", key.name);
            }
        }
    }

    #[test]
    fn the_aliases_in_the_task_table_are_those_that_serde_accepts() {
        for (name, option) in aliases("task") {
            let value = if name == "enableAutoUnblock" { "true" } else { "7" };
            let text = format!("[task]\n{name} = {value}");
            toml::from_str::<Settings>(&text).unwrap_or_else(|error| panic!("{option}: {error}"));
        }
        assert_eq!(aliases("task").count(), 4);
        assert_eq!(alias("stagnation", "maxAttempts"), None);
    }
}
