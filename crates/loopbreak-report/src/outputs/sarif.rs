//! SARIF 2.1.0 for code scanning and editors: rules are the detectors, results are the findings.

use std::fmt::Write as _;
use std::io::{self, Write};

use loopbreak::{DetectorName, Finding, Severity};
use serde::Serialize;
use serde::ser::{SerializeSeq as _, Serializer};
use serde_json::{Map, Value, json};

use super::visible_json::VisibleJson;
use crate::mode_note::mode_note;
use crate::unread_items::unread_items;
use loopbreak_analysis::{Report, RunReport, SeriesReport, for_each_run};

/// The schema of the format, which editors look up.
const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// The beginnings of the paragraphs of the guide that describe a rule.
const DESCRIPTIONS: [&str; 2] = ["**Catches** ", "**Does not catch** "];

/// Writes the report as a SARIF log.
pub fn sarif(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let rules: Vec<Value> = DetectorName::ALL.iter().map(|detector| rule(*detector)).collect();
    let version = env!("CARGO_PKG_VERSION");
    let tool = json!({
        "driver": {"name": "Loopbreak", "version": version, "semanticVersion": version, "rules": rules},
    });
    let mut invocation = json!({"executionSuccessful": true});
    let unread = unread_items(report.totals.unread_items);
    let caveats = unread.into_iter().chain(mode_note(report.mode).map(str::to_owned));
    let notes: Vec<Value> =
        caveats.map(|caveat| json!({"level": "warning", "message": {"text": caveat}})).collect();
    if !notes.is_empty() {
        invocation["toolExecutionNotifications"] = notes.into();
    }
    let invocations = [invocation];
    let run = SarifRun { column_kind: "unicodeCodePoints", invocations, results: SarifResults(report), tool };
    let log = SarifLog { schema: SCHEMA, runs: [run], version: "2.1.0" };
    serde_json::to_writer_pretty(VisibleJson::replaced(out), &log)?;
    out.write_all(b"\n")
}

/// A SARIF log. Its keys are in alphabetical order, like those of all its objects.
#[derive(Serialize)]
struct SarifLog<'r> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    runs: [SarifRun<'r>; 1],
    version: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifRun<'r> {
    column_kind: &'static str,
    invocations: [Value; 1],
    results: SarifResults<'r>,
    tool: Value,
}

/// All findings, created while they are written because there may be many.
struct SarifResults<'r>(&'r Report);

impl Serialize for SarifResults<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let SarifResults(report) = self;
        let mut results = serializer.serialize_seq(None)?;
        for_each_run(&*report.runs, |run| {
            let mut found = run.findings.iter().map(|found| of_run(run, &found.finding, found.line));
            found.try_for_each(|result| results.serialize_element(&result))
        })?;
        for series in &report.series {
            let mut found = series.findings.iter().map(|finding| of_series(series, finding));
            found.try_for_each(|result| results.serialize_element(&result))?;
        }
        results.end()
    }
}

fn rule(detector: DetectorName) -> Value {
    let guide = detector.docs().map_or_else(String::new, |docs| docs.guide);
    let paragraphs: Vec<&str> =
        guide.split("\n\n").filter(|text| DESCRIPTIONS.iter().any(|start| text.starts_with(start))).collect();
    let help = paragraphs.join("\n\n");
    json!({
        "id": detector.as_str(),
        "shortDescription": {"text": detector.summary()},
        "fullDescription": {"text": unmarked(paragraphs.first().unwrap_or(&detector.summary()))},
        "help": {"text": unmarked(&help), "markdown": help},
        "defaultConfiguration": {"level": "warning"},
    })
}

/// Removes the Markdown that the guide uses.
fn unmarked(text: &str) -> String {
    text.replace("**", "").replace('`', "")
}

fn of_run(run: &RunReport, finding: &Finding, line: Option<u64>) -> Value {
    let reason = run.reason_of(finding.turn, finding.detector, finding.pattern);
    let text = format!("{} (run {}, turn {})", sentence(&reason, finding), run.run, finding.turn);
    let mut location = json!({
        "logicalLocations": [{"name": run.run, "kind": "run", "fullyQualifiedName": format!("{}#{}", run.source, run.run)}],
    });
    if run.source != "-" {
        let mut place = json!({"artifactLocation": {"uri": uri(&run.source)}});
        if let Some(line) = line.filter(|line| *line > 0) {
            place["region"] = json!({"startLine": line});
        }
        location["physicalLocation"] = place;
    }
    let mut result = result(finding, &text, &location);
    result["partialFingerprints"] = json!({"run/v1": run.run});
    result["properties"]["run"] = json!(run.run);
    result
}

fn of_series(series: &SeriesReport, finding: &Finding) -> Value {
    let runs = series.runs.len();
    let text = format!(
        "{} ({}, {} attempts in {runs} runs)",
        sentence(finding.reason(), finding),
        series.key,
        series.attempts
    );
    let location = json!({"logicalLocations": [{"name": series.key, "kind": "series"}]});
    let mut result = result(finding, &text, &location);
    result["partialFingerprints"] = json!({"series/v1": series.key});
    result["properties"]["runs"] = json!(series.runs);
    result
}

/// Returns the reason. If it is only a pattern, its underscores become spaces.
fn sentence(reason: &str, finding: &Finding) -> String {
    if finding.pattern == *reason { reason.replace('_', " ") } else { reason.to_owned() }
}

fn result(finding: &Finding, text: &str, location: &Value) -> Value {
    let rule = DetectorName::ALL.iter().position(|detector| *detector == finding.detector);
    let level = match finding.severity {
        // Observed findings are for information.
        _ if !finding.enforced => "note",
        Severity::Warn => "warning",
        Severity::Hard => "error",
        _ => "note",
    };
    let mut properties = match serde_json::to_value(finding) {
        Ok(Value::Object(properties)) => properties,
        _ => Map::new(),
    };
    // These have their own fields.
    for key in ["detector", "loop"] {
        properties.remove(key);
    }
    json!({
        "ruleId": finding.detector.as_str(),
        "ruleIndex": rule,
        "level": level,
        "message": {"text": message(text)},
        "locations": [location],
        "fingerprints": {"loop/v1": finding.loop_id.to_string()},
        "properties": properties,
    })
}

/// Escapes a message, in which `{0}` would be an argument and `[text](target)` a link.
fn message(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['{', ']']) {
        out.push_str(&rest[..at]);
        let tail = &rest[at..];
        if let Some(after) = tail.strip_prefix("](") {
            out.push_str("\\](");
            rest = after;
            continue;
        }
        let digits = tail[1..].bytes().take_while(u8::is_ascii_digit).count();
        if tail.starts_with('{') && digits > 0 && tail[1 + digits..].starts_with('}') {
            _ = write!(out, "{{{}}}", &tail[..digits + 2]);
            rest = &tail[digits + 2..];
            continue;
        }
        out.push_str(&tail[..1]);
        rest = &tail[1..];
    }
    out.push_str(rest);
    out
}

/// Returns a path as a reference: relative as given, absolute as a `file:` address.
fn uri(path: &str) -> String {
    let path = if cfg!(windows) { path.replace('\\', "/") } else { path.to_owned() };
    let drive = cfg!(windows) && path.as_bytes().get(1) == Some(&b':');
    let mut out = String::new();
    if path.starts_with('/') {
        out.push_str("file://");
    } else if drive {
        out.push_str("file:///");
    }
    for (at, byte) in path.bytes().enumerate() {
        let plain = byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) || (drive && at == 1);
        if plain {
            out.push(char::from(byte));
        } else {
            _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_is_described_by_the_guide_of_its_detector() {
        for detector in DetectorName::ALL {
            let rule = rule(*detector);
            let help = rule["help"]["markdown"].as_str().unwrap();
            assert!(DESCRIPTIONS.iter().all(|start| help.contains(start)), "{detector}: {help}");
            let description = rule["fullDescription"]["text"].as_str().unwrap();
            assert!(description.starts_with("Catches ") && !description.contains('`'), "{detector}");
        }
    }

    #[test]
    fn a_log_makes_no_links_and_no_arguments() {
        assert_eq!(
            message("see [here](http://x) {0} {a} [1] {12}]"),
            "see [here\\](http://x) {{0}} {a} [1] {{12}}]"
        );
        assert_eq!(message("é{é]é"), "é{é]é");
    }

    #[test]
    fn paths_are_references() {
        assert_eq!(uri("logs/a b#1.jsonl"), "logs/a%20b%231.jsonl");
        assert_eq!(uri("/var/é:x"), "file:///var/%C3%A9%3Ax");
    }
}
