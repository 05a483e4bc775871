//! Builders that the tests share: settings from a patch, a run that is fed JSON, and access to verdicts.

#![allow(dead_code, reason = "each test binary uses its own part of the builders")]
#![allow(clippy::unwrap_used, reason = "a test that cannot be set up is to fail")]

use loopbreak::verdict::Advice;
use loopbreak::{
    Config, DetectorName, Finding, Guard, Intervention, Mode, Pattern, Profile, Proposal, Ruling, Settings,
    Severity, Step, Verdict, verdict::Audience,
};
use serde::Serialize;
use serde_json::{Value, json};

use crate::test_recording::TestRecording;

/// Returns the settings of a profile with some of them changed, each under its name in configuration files.
pub(crate) fn settings_of(profile: Profile, patch: Value) -> Settings {
    let mut all = serde_json::to_value(Settings::from(profile)).unwrap();
    merge(&mut all, patch);
    serde_json::from_value(all).unwrap()
}

/// Returns valid settings: those of a profile with some of them changed.
pub(crate) fn config_of(profile: Profile, patch: Value) -> Config {
    Config::new(settings_of(profile, patch)).unwrap()
}

/// Returns valid settings: the defaults with some of them changed.
pub(crate) fn config(patch: Value) -> Config {
    config_of(Profile::Auto, patch)
}

fn merge(into: &mut Value, patch: Value) {
    match (into, patch) {
        (Value::Object(into), Value::Object(patch)) => {
            for (key, value) in patch {
                merge(into.entry(key).or_insert(Value::Null), value);
            }
        }
        (into, patch) => *into = patch,
    }
}

/// Returns a step from JSON, as a log has it.
pub(crate) fn step(record: &Value) -> Step<'static> {
    Step::from_json(Box::leak(record.to_string().into_boxed_str())).unwrap()
}

/// Serializes a value.
pub(crate) fn written(value: &impl Serialize) -> Value {
    serde_json::to_value(value).unwrap()
}

/// A run with its guard and all its verdicts.
pub(crate) struct RunDriver {
    pub(crate) guard: Guard,
    pub(crate) verdicts: Vec<Verdict>,
    recording: Option<TestRecording>,
}

impl RunDriver {
    /// Starts a run with the default settings.
    pub(crate) fn new() -> Self {
        RunDriver::with(Config::default())
    }

    /// Starts a run with these settings.
    pub(crate) fn with(config: Config) -> Self {
        RunDriver {
            guard: Guard::new(config).for_run("r"),
            verdicts: Vec::new(),
            recording: TestRecording::start(),
        }
    }

    /// Starts a run with only these detectors enabled.
    pub(crate) fn only(on: &[DetectorName]) -> Self {
        let off = DetectorName::ALL.iter().filter(|detector| !on.contains(detector));
        let settings =
            off.fold(Settings::default(), |settings, detector| settings.with_mode(*detector, Mode::Off));
        RunDriver::with(Config::new(settings).unwrap())
    }

    /// Observes one step.
    pub(crate) fn see(&mut self, record: &Value) -> &Verdict {
        let verdict = self.guard.observe(&step(record));
        if let Some(recording) = &mut self.recording {
            recording.add(record, &verdict);
        }
        self.verdicts.push(verdict);
        self.verdicts.last().unwrap()
    }

    /// Observes the same step several times.
    pub(crate) fn repeat(&mut self, times: usize, record: &Value) -> &Verdict {
        for _ in 0..times {
            self.see(record);
        }
        self.verdicts.last().unwrap()
    }

    /// Walks through places by name.
    pub(crate) fn walk(&mut self, places: &[&str]) -> &Verdict {
        for place in places {
            self.see(&json!({"place": place}));
        }
        self.verdicts.last().unwrap()
    }

    /// Weighs a command.
    pub(crate) fn weigh(&self, command: &str, score: f64) -> Ruling {
        self.guard.weigh(&Proposal::new(command, score))
    }

    /// Returns all findings of one detector so far.
    pub(crate) fn findings(&self, detector: DetectorName) -> Vec<&Finding> {
        let all = self.verdicts.iter().flat_map(|verdict| &verdict.findings);
        all.filter(|finding| finding.detector == detector).collect()
    }

    /// Returns the turns at which one detector made a finding of this severity.
    pub(crate) fn turns(&self, detector: DetectorName, severity: Severity) -> Vec<u64> {
        let found = self.findings(detector).into_iter().filter(|finding| finding.severity == severity);
        found.map(|finding| finding.turn).collect()
    }

    /// Returns the turns at which the run was to be stopped.
    pub(crate) fn stops(&self) -> Vec<u64> {
        self.verdicts.iter().filter(|verdict| verdict.stop.is_some()).map(|verdict| verdict.turn).collect()
    }

    /// Returns all events of a name so far, as they are written to the log.
    pub(crate) fn events(&self, name: &str) -> Vec<Value> {
        let all = self.verdicts.iter().flat_map(|verdict| &verdict.events);
        all.filter(|event| event.name() == name).map(written).collect()
    }

    /// Returns every intervention of a detector so far, with its turn.
    pub(crate) fn decisions(&self, detector: DetectorName) -> Vec<(u64, Intervention)> {
        let all =
            self.verdicts.iter().flat_map(|verdict| verdict.decisions.iter().map(|act| (verdict.turn, act)));
        all.filter(|(_, act)| act.detector == detector).map(|(turn, act)| (turn, act.intervention)).collect()
    }
}

/// Returns the findings of one detector in one verdict: pattern and severity.
pub(crate) fn found(verdict: &Verdict, detector: DetectorName) -> Vec<(Pattern, Severity)> {
    let found = verdict.findings.iter().filter(|finding| finding.detector == detector);
    found.map(|finding| (finding.pattern, finding.severity)).collect()
}

/// Returns the texts for an audience about one detector's finding, joined.
pub(crate) fn text_for(advice: &[Advice], audience: Audience, detector: DetectorName) -> String {
    let texts = advice.iter().filter(|text| text.audience == audience && text.detector == detector);
    texts.map(|text| text.text.as_str()).collect::<Vec<_>>().join("\n---\n")
}

/// Returns the sorted keys of a written event.
pub(crate) fn keys(event: &Value) -> Vec<&str> {
    let mut keys: Vec<&str> = event.as_object().unwrap().keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

/// Returns whether two scores are equal up to rounding.
pub(crate) fn near(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-9
}

/// Returns a call and its reply.
pub(crate) fn call(name: &str, args: &Value, reply: &str) -> Value {
    json!({"action": {"name": name, "args": args}, "outcome": reply})
}

/// Returns a call that failed.
pub(crate) fn failing(name: &str, args: &Value, reply: &str) -> Value {
    json!({"action": {"name": name, "args": args}, "outcome": {"text": reply, "error": true}})
}

/// Returns a shell command and its output.
pub(crate) fn sh(command: &str, reply: &str) -> Value {
    call("bash", &json!({"command": command}), reply)
}

/// Plays these steps with the default settings.
pub(crate) fn played(records: impl IntoIterator<Item = Value>) -> RunDriver {
    let mut run = RunDriver::new();
    for record in records {
        run.see(&record);
    }
    run
}
