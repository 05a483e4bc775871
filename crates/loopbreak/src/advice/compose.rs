//! Selection of the texts for a finding, a recovery or a ruling.

use super::fill::fill;
use super::shared_templates::{ADJUSTMENT, CUSTOM, ESCALATION, REFUSED_REPEAT};
use super::{Template, TemplateValues};
use crate::detectors::{DetectorName, Pattern};
use crate::policy::TaskRecovery;
use crate::settings::{Settings, TemplateSet};
use crate::verdict::{Advice, Intervention, ProposalHint, ScoreAdjustment};

/// Fills in a template: the text of the user, or that of the chosen set.
pub(crate) fn text_of(template: &Template, values: &TemplateValues, settings: &Settings) -> String {
    text_with(template, &|name| values.get(name), settings)
}

/// Fills in a template as [`text_of`] does, with values from a function.
fn text_with<'v>(
    template: &Template,
    value_of: &dyn Fn(&str) -> Option<&'v str>,
    settings: &Settings,
) -> String {
    let own = settings.advice.texts.get(template.name).map(String::as_str);
    let shipped = match settings.advice.templates {
        TemplateSet::Neutral => template.neutral,
        TemplateSet::Zork => template.zork.unwrap_or(template.neutral),
    };
    fill(own.unwrap_or(shipped), value_of)
}

fn advice<'v>(
    template: &Template,
    detector: DetectorName,
    value_of: &dyn Fn(&str) -> Option<&'v str>,
    settings: &Settings,
) -> Option<Advice> {
    let text = text_with(template, value_of, settings);
    (!text.is_empty()).then_some(Advice { audience: template.audience, detector, text })
}

/// Returns the texts for a finding.
pub(crate) fn of_finding(
    detector: DetectorName,
    pattern: Pattern,
    intervention: Option<Intervention>,
    values: &TemplateValues,
    settings: &Settings,
) -> Vec<Advice> {
    let Some(intervention) = intervention else { return Vec::new() };
    let templates: &[&Template] = match (pattern, detector.texts()) {
        (Pattern::RefusedRepeat, _) => &[REFUSED_REPEAT],
        (_, Some(texts)) => (texts.advice)(pattern, intervention),
        (_, None) if intervention.ends_run() => &[CUSTOM, ESCALATION],
        (_, None) => &[CUSTOM],
    };
    let reason = reason_of(detector, pattern, values);
    let value_of = |name: &str| match name {
        "reason" => Some(reason.as_str()).filter(|reason| !reason.is_empty()),
        _ => values.get(name),
    };
    templates.iter().filter_map(|template| advice(template, detector, &value_of, settings)).collect()
}

/// Returns the texts for the recovery of a task.
pub(crate) fn of_recovery(recovery: &TaskRecovery) -> Vec<Advice> {
    let audience = match recovery.intervention {
        Intervention::Escalate => crate::verdict::Audience::User,
        _ => crate::verdict::Audience::Agent,
    };
    // The first entry is the record. The last one is the text.
    let text = recovery.context.last().map(|entry| entry.content.clone());
    text.map(|text| Advice { audience, detector: DetectorName::Task, text }).into_iter().collect()
}

/// Returns the texts for a ruling: the reasons of the score changes, and the hints.
pub(crate) fn of_ruling(
    adjustments: &[ScoreAdjustment],
    words: &[String],
    hints: &[ProposalHint],
    settings: &Settings,
) -> Vec<Advice> {
    let mut texts = Vec::new();
    for (adjustment, words) in adjustments.iter().zip(words).filter(|(adjustment, _)| adjustment.enforced) {
        let amount = signed(adjustment.amount);
        let value_of = |name: &str| match name {
            "reason" => Some(adjustment.reason.as_str()).filter(|reason| !reason.is_empty()),
            "amount" => Some(amount.as_str()),
            "adjustment" => Some(words.as_str()),
            _ => None,
        };
        texts.extend(advice(ADJUSTMENT, adjustment.detector, &value_of, settings));
    }
    for hint in hints {
        texts.extend(of_finding(
            hint.detector,
            hint.pattern,
            Some(Intervention::Hint),
            &TemplateValues::from(&hint.evidence),
            settings,
        ));
    }
    texts
}

/// Returns the reason of a finding, in one sentence without a full stop.
pub(crate) fn reason_of(detector: DetectorName, pattern: Pattern, values: &TemplateValues) -> String {
    let reason = match (pattern, detector.texts()) {
        (Pattern::RefusedReturn | Pattern::RefusedRepeat, _) | (_, None) => "{reason}",
        (_, Some(texts)) => (texts.reason)(pattern, values),
    };
    let pattern = pattern.to_string();
    fill(reason, &|name| if name == "pattern" { Some(pattern.as_str()) } else { values.get(name) })
}

/// Formats an amount with its sign, as `{:+}` does. Amounts with at most three decimals, which nearly all are, are formatted
/// as whole numbers, because that takes a fraction of the time.
pub(crate) fn signed(amount: f64) -> String {
    let thousandths = (amount * 1000.0).round();
    if thousandths.abs() >= 1e9 || (thousandths / 1000.0).to_bits() != amount.to_bits() {
        return format!("{amount:+}");
    }
    let mut text = String::with_capacity(12);
    text.push(if amount.is_sign_negative() { '-' } else { '+' });
    let thousandths = thousandths.abs() as u64;
    let (whole, mut rest) = (thousandths / 1000, thousandths % 1000);
    if whole < 10 {
        text.push(char::from(b'0' + whole as u8));
    } else {
        text.push_str(&whole.to_string());
    }
    let mut point = ".";
    while rest > 0 {
        text.push_str(point);
        text.push(char::from(b'0' + (rest / 100) as u8));
        (rest, point) = (rest % 100 * 10, "");
    }
    text
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::signed;

    proptest! {
        #[test]
        fn amounts_are_formatted_as_by_the_standard_library(thousandths in -2_000_000_i64..2_000_000, any: f64) {
            for amount in [thousandths as f64 / 1000.0, any, 0.0, -0.0, -0.3, 0.05, 12.0] {
                prop_assert_eq!(signed(amount), format!("{amount:+}"));
            }
        }
    }
}
