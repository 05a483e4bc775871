//! The settings that were found as a configuration file, with their origin.

use std::fmt::Write as _;

use loopbreak::{Config, Settings};
use loopbreak_analysis::tune::{OutcomeTotals, TuneResult, shown};

/// Number of log names in the settings file.
const MAX_SOURCES: usize = 10;

/// Renders the settings that were found as a configuration file, with a comment about the search. `sources`
/// are the names of the logs of all runs and `data` is the fingerprint of the runs.
pub fn settings_file<'s>(
    search: &TuneResult,
    config: &Config,
    sources: impl IntoIterator<Item = &'s str>,
    data: &str,
) -> String {
    let choice = &search.choice;
    let mut text = String::from("# Loopbreak configuration found by `loopbreak tune`.\n#\n");
    let mut line = |words: String| {
        let words: String = words.chars().map(|char| if char.is_control() { '?' } else { char }).collect();
        let _ = writeln!(text, "# {words}");
    };
    line(format!(
        "Data: {} runs, {} steps (fingerprint {data}), read from",
        search.looked_at.runs, search.looked_at.steps
    ));
    for source in first_sources(sources) {
        line(format!("  {source}"));
    }
    if let (Some(positive), Some(positives)) = (&search.looked_at.positive, search.looked_at.positives) {
        line(format!("Labels: {positives} positive runs ({positive})"));
    }
    if let Some(only) = &search.looked_at.only {
        line(format!("Only runs with {only}"));
    }
    line(format!(
        "Search: {} settings tried, seed {}, {} folds by run",
        search.trials, search.seed, choice.folds
    ));
    line(format!("Before:        {}", figures(&choice.now)));
    line(format!(
        "Found:         {}  (on the runs it was chosen with: too optimistic)",
        figures(&choice.in_sample)
    ));
    line(format!(
        "Held out:      {}  (chosen the same way, on held-out runs)",
        figures(&choice.cross_validated)
    ));
    if !choice.holds {
        line("On held-out runs, this is no better than the previous settings.".to_owned());
    }
    for (option, value) in &choice.best.changes {
        line(format!("Changed: {option} = {}", shown(*value)));
    }
    if choice.best.changes.is_empty() {
        line("Changed: nothing; no trial is better.".to_owned());
    }
    text.push('\n');
    text + &toml::to_string(&differences(config)).unwrap_or_default()
}

/// Returns the first names without duplicates, and the number of the others.
fn first_sources<'s>(sources: impl IntoIterator<Item = &'s str>) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for source in sources {
        if !names.iter().any(|name| name == source) {
            names.push(source.to_owned());
        }
    }
    let more = names.len().saturating_sub(MAX_SOURCES);
    names.truncate(MAX_SOURCES);
    if more > 0 {
        names.push(format!("and {more} more"));
    }
    names
}

fn figures(figures: &OutcomeTotals) -> String {
    let mut text = String::new();
    if let (Some(counts), Some(f_half)) = (&figures.warned, figures.f_half()) {
        let _ = write!(
            text,
            "{} of {} positive runs warned, {} of {} others, F0.5 {f_half:.2}; ",
            counts.tp,
            counts.tp + counts.missed,
            counts.fp,
            counts.fp + counts.tn
        );
    }
    let _ = write!(text, "{} steps saved, runs with progress lost: {}", figures.saved, figures.destroyed);
    if figures.unknown > 0 {
        let _ = write!(text, " (unknown in {})", figures.unknown);
    }
    text
}

/// Returns the profile, and every option that differs from it.
fn differences(config: &Config) -> toml::Table {
    let table = |settings: &Settings| toml::Table::try_from(settings).unwrap_or_default();
    let (own, default) = (table(config), table(&Settings::from(config.profile)));
    let mut differences = different(&own, &default);
    if let Some(profile) = own.get("profile") {
        differences.insert("profile".to_owned(), profile.clone());
    }
    differences
}

fn different(own: &toml::Table, default: &toml::Table) -> toml::Table {
    let mut differences = toml::Table::new();
    for (name, value) in own {
        match (value, default.get(name)) {
            (toml::Value::Table(own), Some(toml::Value::Table(default))) => {
                let inner = different(own, default);
                if !inner.is_empty() {
                    differences.insert(name.clone(), toml::Value::Table(inner));
                }
            }
            (value, default) if default != Some(value) => {
                differences.insert(name.clone(), value.clone());
            }
            _ => {}
        }
    }
    differences
}

#[cfg(test)]
mod tests {
    use loopbreak::{Mode, Profile};
    use loopbreak_config::{ConfigLayers, ConfigSource};

    use super::*;

    #[test]
    fn tune_names_the_first_logs_once_and_counts_the_others() {
        assert_eq!(first_sources(["b", "a", "b"]), ["b", "a"]);
        let many: Vec<String> = (0..12).map(|number| number.to_string()).collect();
        let named = first_sources(many.iter().map(String::as_str));
        assert_eq!((named.len(), named.last().map(String::as_str)), (11, Some("and 2 more")));
    }

    #[test]
    fn tune_writes_what_reads_back_as_the_same_settings() {
        for profile in Profile::ALL.iter().copied() {
            let mut settings = Settings::from(profile);
            settings.cycle.warn_at = 5;
            settings.drift.likeness = 0.7;
            settings.camping.mode = Mode::Observe;
            let config = Config::new(settings).unwrap();
            let text = toml::to_string(&differences(&config)).unwrap();
            let loaded =
                ConfigLayers::default().file(ConfigSource::new("loopbreak.toml", text.as_str())).load();
            let loaded = loaded.unwrap_or_else(|error| panic!("{error}\n{text}"));
            assert_eq!(*loaded.config, *config, "{text}");
        }
    }
}
