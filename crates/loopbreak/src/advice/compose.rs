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
    let own = settings.advice.texts.get(template.name).map(String::as_str);
    let shipped = match settings.advice.templates {
        TemplateSet::Neutral => template.neutral,
        TemplateSet::Zork => template.zork.unwrap_or(template.neutral),
    };
    fill(own.unwrap_or(shipped), values)
}

fn advice(
    template: &Template,
    detector: DetectorName,
    values: &TemplateValues,
    settings: &Settings,
) -> Option<Advice> {
    let text = text_of(template, values, settings);
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
    let mut values = values.clone();
    values.set("reason", reason_of(detector, pattern, &values));
    templates.iter().filter_map(|template| advice(template, detector, &values, settings)).collect()
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
    hints: &[ProposalHint],
    settings: &Settings,
) -> Vec<Advice> {
    let mut texts = Vec::new();
    for adjustment in adjustments.iter().filter(|adjustment| adjustment.enforced) {
        let mut values = TemplateValues::default();
        values.set("reason", &adjustment.reason).set("amount", format!("{:+}", adjustment.amount));
        texts.extend(advice(ADJUSTMENT, adjustment.detector, &values, settings));
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
    let mut values = values.clone();
    values.set("pattern", pattern);
    fill(reason, &values)
}
