//! `drift`: other arguments, the same failure; the same question in other words.
//!
//! Catches: one tool that fails in the same way whatever it is given and whatever lies between (`same_failure`), and a
//! search that is only reworded (`rephrased`).
//! Must not catch: a batch over many files with equal replies, for a success may look like the last one; different
//! searches without a match; a failure after which something was changed; waiting.
//! From: complaints 13, 16, 18, 22.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Detector, Family, Scene, Sighting, Sightings};
use crate::config::{Checks, Mode};
use crate::fingerprint::Kind;
use crate::memory::{KEY_BYTES, Key, Ring, key_of, key_of_lower, key_of_parts};
use crate::verdict::Severity;

/// Other arguments, the same failure; the same question in other words.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DriftSettings {
    /// Whether it acts.
    pub mode: Mode,
    /// Warn at so many failures alike, or questions alike.
    #[schemars(range(min = 2, max = 1000))]
    pub warn_at: u32,
    /// Act at so many failures alike; 0 for never. Questions alike are only warned of.
    pub hard_at: u32,
    /// From this part of its words on, a question is the one before.
    #[schemars(range(min = 0.3, max = 1.0))]
    pub likeness: f64,
}

impl Default for DriftSettings {
    fn default() -> Self {
        DriftSettings { mode: Mode::Enforce, warn_at: 4, hard_at: 8, likeness: 0.6 }
    }
}

impl DriftSettings {
    pub(crate) fn check(&self, checks: &mut Checks) {
        checks.warns_first(self.warn_at, self.hard_at);
        checks.within("likeness", self.likeness, &(0.3..=1.0));
    }
}

/// The patterns of its findings.
pub(crate) const SAME_FAILURE: &str = "same_failure";
/// A question in other words.
pub(crate) const REPHRASED: &str = "rephrased";

/// How many kinds of failure are told apart at a time, and how many words of a question are kept.
const FAILURES: usize = 4;
const WORDS: usize = 24;
/// How many arguments of a question are looked at.
const VALUES: usize = 8;

/// The detector.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Drift {
    failures: Ring<Failure>,
    question: Question,
}

/// One way in which a tool fails.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Failure {
    key: Key,
    count: u32,
    since: u64,
}

/// The last question, and how many like it there were in a row.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Question {
    tool: Key,
    values: Vec<Key>,
    words: Vec<Key>,
    count: u32,
    since: u64,
}

impl Detector for Drift {
    type Settings = DriftSettings;

    fn bytes(&self, digits: usize) -> usize {
        140 + self.failures.len() * (60 + KEY_BYTES + digits)
            + (self.question.words.len() + self.question.values.len() + 1) * KEY_BYTES
            + digits
    }

    fn observe(&mut self, scene: &Scene<'_>, settings: &DriftSettings, out: &mut Sightings<'_>) {
        if scene.step.user.is_some() || scene.further {
            *self = Drift::default();
        }
        let Some(prints) = scene.prints else { return };
        if prints.effect {
            self.failures.clear();
        }
        if prints.kind == Kind::Wait || super::poll::is_spaced(scene) {
            return;
        }
        self.failure(scene, settings, out);
        if prints.kind == Kind::Search {
            self.question(scene, settings, out);
        } else {
            // Whoever did something with an answer asks a new question, even in the same words.
            self.question = Question::default();
        }
    }
}

impl Drift {
    fn failure(&mut self, scene: &Scene<'_>, settings: &DriftSettings, out: &mut Sightings<'_>) {
        let Some((prints, gist)) = scene.prints.and_then(|prints| Some((prints, prints.outcome?))) else {
            return;
        };
        if !prints.failed {
            return;
        }
        let key = key_of_parts(&[prints.tool, gist]);
        let known = self.failures.iter().find(|failure| failure.key == key).copied();
        let mut failure = known.unwrap_or(Failure { key, count: 0, since: scene.turn });
        self.failures.retain(|failure| failure.key != key);
        failure.count = failure.count.saturating_add(1);
        self.failures.push(failure, FAILURES);
        let severity = if settings.hard_at > 0 && failure.count >= settings.hard_at {
            Severity::Hard
        } else if failure.count >= settings.warn_at {
            Severity::Warn
        } else {
            return;
        };
        let evidence = out.sight(Sighting {
            pattern: SAME_FAILURE,
            family: Family::Action,
            identity: key_of_parts(&[key, 8]),
            since: failure.since,
            severity: Some(severity),
            stage: 0,
            count: failure.count,
            wish: None,
        });
        evidence.note("failures", failure.count);
        if let Some(action) = &scene.step.action {
            evidence.quote("action", &action.line());
        }
        if let Some(text) = scene.step.outcome.as_ref().and_then(|outcome| outcome.text.as_deref()) {
            evidence.quote("failure", text);
        }
    }

    fn question(&mut self, scene: &Scene<'_>, settings: &DriftSettings, out: &mut Sightings<'_>) {
        let (Some(prints), Some(action)) = (scene.prints, &scene.step.action) else { return };
        let mut texts = Vec::new();
        if let Some(Ok(args)) = action.args.as_ref().map(|args| serde_json::from_str(args.json())) {
            values(args, &mut texts);
        }
        let before = &self.question;
        // An argument that stays as it was (a folder, an option) is not what is asked.
        let asked = texts.iter().filter(|text| !before.values.contains(&key_of(text)));
        let asked = words(asked.map(String::as_str));
        let shared = asked.iter().filter(|word| before.words.contains(word)).count();
        let fewer = asked.len().min(before.words.len());
        let alike =
            before.tool == prints.tool && fewer >= 3 && shared as f64 >= settings.likeness * fewer as f64;
        let (count, since) =
            if alike { (before.count.saturating_add(1), before.since) } else { (1, scene.turn) };
        self.question = Question {
            tool: prints.tool,
            values: texts.iter().map(|text| key_of(text)).collect(),
            words: words(texts.iter().map(String::as_str)),
            count,
            since,
        };
        if count < settings.warn_at {
            return;
        }
        let evidence = out.sight(Sighting {
            pattern: REPHRASED,
            family: Family::Action,
            identity: key_of_parts(&[prints.tool, since, 9]),
            since,
            severity: Some(Severity::Warn),
            stage: 0,
            count,
            wish: None,
        });
        evidence.note("questions", count).quote("action", &action.line());
    }
}

/// The texts among the arguments of a question, without the names they stand under.
fn values(args: Value, into: &mut Vec<String>) {
    match args {
        Value::String(text) if into.len() < VALUES => into.push(text),
        Value::Array(all) => all.into_iter().for_each(|value| values(value, into)),
        Value::Object(all) => all.into_iter().for_each(|(_, value)| values(value, into)),
        _ => {}
    }
}

/// The words of a question, each once, in no order.
fn words<'t>(texts: impl Iterator<Item = &'t str>) -> Vec<Key> {
    let mut words: Vec<Key> = Vec::new();
    let all = texts.flat_map(|text| text.split(|c: char| !c.is_alphanumeric()));
    for word in all.filter(|word| word.len() > 2) {
        let key = key_of_lower(word);
        if words.len() < WORDS && !words.contains(&key) {
            words.push(key);
        }
    }
    words
}
