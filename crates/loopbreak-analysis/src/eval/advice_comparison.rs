//! Two sets of texts for the same findings. Texts do not change the verdicts of a replay, so a person has to judge them.

use std::collections::HashMap;

use loopbreak::verdict::Audience;
use loopbreak::{Config, DetectorName, Guard, Pattern, Step, Verdict};
use serde::Serialize;

use super::share_estimate::round;
use crate::logs::StepObserver;

/// Two sets of texts, compared.
#[derive(Clone, Debug, Serialize)]
pub struct AdviceComparison {
    /// Name and version of this format.
    pub schema: &'static str,
    /// The lengths of the texts of each set.
    pub sets: [TextLengths; 2],
    /// The texts for the first finding of each pattern, in the order in which they were found.
    pub patterns: Vec<AdvicePair>,
}

/// The lengths of all texts of a set that the runs would have got, in characters.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct TextLengths {
    /// The name of the set.
    pub name: String,
    /// Number of texts.
    pub texts: u64,
    /// Mean length.
    pub mean_length: Option<f64>,
    /// Length of the longest text.
    pub longest: u64,
    #[serde(skip)]
    characters: u64,
}

/// The texts of both sets for the same finding.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AdvicePair {
    /// The detector.
    pub detector: DetectorName,
    /// The pattern.
    pub pattern: Pattern,
    /// The reader.
    pub audience: Audience,
    /// Number of findings with these texts.
    pub findings: u64,
    /// The log of the first finding.
    pub source: String,
    /// The run of the first finding.
    pub run: String,
    /// The turn of the first finding.
    pub turn: u64,
    /// The texts for the first finding. A set may have none.
    pub texts: [Option<String>; 2],
}

/// Collects the texts for the runs of one log. The verdicts that it is shown have the texts of the first set.
#[derive(Debug)]
pub struct AdviceObserver {
    other: Config,
    guards: HashMap<String, Guard>,
    lengths: [TextLengths; 2],
    pairs: Vec<AdvicePair>,
}

impl AdviceObserver {
    /// Creates an observer that compares with the texts of these settings.
    pub fn new(other: Config) -> Self {
        let (guards, lengths) = (HashMap::new(), <[TextLengths; 2]>::default());
        AdviceObserver { other, guards, lengths, pairs: Vec::new() }
    }
}

impl StepObserver for AdviceObserver {
    fn observe(&mut self, run: &str, step: &Step<'_>, verdict: &Verdict) {
        if !self.guards.contains_key(run) {
            self.guards.insert(run.to_owned(), Guard::new(self.other.clone()).for_run(run));
        }
        let Some(guard) = self.guards.get_mut(run) else { return };
        let both = [verdict, &guard.observe(step)];
        for (lengths, verdict) in self.lengths.iter_mut().zip(both) {
            verdict.advice.iter().for_each(|advice| lengths.add(&advice.text));
        }
        for finding in &verdict.findings {
            // A text names its detector, not its finding.
            if verdict.findings.iter().filter(|other| other.detector == finding.detector).count() > 1 {
                continue;
            }
            for audience in Audience::ALL {
                let texts = both.map(|verdict| text_for(verdict, finding.detector, *audience));
                if texts.iter().any(Option::is_some) {
                    let (detector, pattern) = (finding.detector, finding.pattern);
                    let (source, run, turn) = (String::new(), run.to_owned(), verdict.turn);
                    let audience = *audience;
                    let pair =
                        AdvicePair { detector, pattern, audience, findings: 1, source, run, turn, texts };
                    add(&mut self.pairs, pair);
                }
            }
        }
    }
}

impl AdviceComparison {
    /// Creates a comparison of two sets with these names.
    pub fn new(names: [&str; 2]) -> Self {
        let sets = names.map(|name| TextLengths { name: name.to_owned(), ..TextLengths::default() });
        AdviceComparison { schema: "loopbreak.eval.advice/1", sets, patterns: Vec::new() }
    }

    /// Adds the texts of a log.
    pub fn add(&mut self, source: &str, log: AdviceObserver) {
        for (sum, lengths) in self.sets.iter_mut().zip(log.lengths) {
            sum.merge(&lengths);
        }
        for pair in log.pairs {
            add(&mut self.patterns, AdvicePair { source: source.to_owned(), ..pair });
        }
    }
}

impl TextLengths {
    fn add(&mut self, text: &str) {
        let length = text.chars().count() as u64;
        self.merge(&TextLengths { texts: 1, longest: length, characters: length, ..TextLengths::default() });
    }

    fn merge(&mut self, other: &TextLengths) {
        self.texts += other.texts;
        self.longest = self.longest.max(other.longest);
        self.characters += other.characters;
        self.mean_length = (self.texts > 0).then(|| round(self.characters as f64 / self.texts as f64));
    }
}

/// Adds a pair, or its findings if the kind is known.
fn add(pairs: &mut Vec<AdvicePair>, pair: AdvicePair) {
    let kind = |pair: &AdvicePair| (pair.detector, pair.pattern, pair.audience);
    match pairs.iter_mut().find(|known| kind(known) == kind(&pair)) {
        Some(known) => known.findings += pair.findings,
        None => pairs.push(pair),
    }
}

/// Returns the texts of a detector for a reader, as one.
fn text_for(verdict: &Verdict, detector: DetectorName, audience: Audience) -> Option<String> {
    let meant =
        verdict.advice.iter().filter(|advice| advice.detector == detector && advice.audience == audience);
    let texts: Vec<&str> = meant.map(|advice| advice.text.as_str()).collect();
    (!texts.is_empty()).then(|| texts.join(" "))
}

#[cfg(test)]
mod tests {
    use loopbreak::Settings;

    use super::*;

    #[test]
    fn eval_advice_pairs_the_texts_for_one_finding() {
        let texts = |text: &str| {
            let mut settings = Settings::default();
            for template in loopbreak::advice::TEMPLATES {
                settings.advice.texts.insert(template.name.to_owned(), text.to_owned());
            }
            Config::new(settings).unwrap()
        };
        let mut first = Guard::new(texts("Stop."));
        let mut observer = AdviceObserver::new(texts("Go on."));
        let step = Step::from_json(r#"{"action":{"name":"ls"},"outcome":"a"}"#).unwrap();
        for _ in 0..6 {
            let verdict = first.observe(&step);
            observer.observe("r", &step, &verdict);
        }
        let mut found = AdviceComparison::new(["a", "b"]);
        found.add("x.jsonl", observer);
        let pair = &found.patterns[0];
        assert_eq!((pair.run.as_str(), pair.source.as_str()), ("r", "x.jsonl"));
        assert_eq!(pair.texts, [Some("Stop.".to_owned()), Some("Go on.".to_owned())]);
        assert_eq!((found.sets[0].mean_length, found.sets[1].longest), (Some(5.0), 6));
        assert_eq!(found.sets[0].texts, found.sets[1].texts);
    }
}
