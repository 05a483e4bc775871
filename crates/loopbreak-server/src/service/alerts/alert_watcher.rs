//! Compares what is stored with the rules. Several servers may do that over one database: the store keeps each alert once.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use loopbreak::detectors::SharedSpending;
use loopbreak::settings::{AlertKind, AlertRule};
use loopbreak_store::StoreError;
use loopbreak_store::service::{
    IssueState, LoopOrder, LoopQuery, NewAlert, OPEN_ALERT, RaisedAlert, ServiceStore,
};

use super::alert_text::{loop_alert, number_alert};

/// Milliseconds of a day.
const DAY_MS: i64 = 24 * 60 * 60 * 1000;
/// Number of loops that are looked at in one comparison.
const MOST_LOOPS: usize = 500;
/// Number of stored alerts that are remembered, so that the store is not asked again.
const MOST_KNOWN: usize = 10_000;

/// Finds the conditions of rules.
#[derive(Debug)]
pub(super) struct AlertWatcher {
    store: Arc<dyn ServiceStore>,
    rules: Vec<AlertRule>,
    /// Time since which each rule is known. Loops from before it are not new.
    since: BTreeMap<String, i64>,
    /// Rules, projects and keys of alerts that are stored.
    known: BTreeSet<(String, String, String)>,
    /// Rules whose number is known to be below the threshold, with the end of the last alert stored.
    below: BTreeSet<String>,
}

impl AlertWatcher {
    pub(super) fn new(store: Arc<dyn ServiceStore>, rules: Vec<AlertRule>) -> Self {
        AlertWatcher { store, rules, since: BTreeMap::new(), known: BTreeSet::new(), below: BTreeSet::new() }
    }

    /// Stores the alerts whose condition is true.
    pub(super) fn compare(&mut self, now: i64) -> Result<(), StoreError> {
        for rule in self.rules.clone() {
            match rule.kind {
                AlertKind::NewLoop => self.compare_loops(&rule, now)?,
                _ => self.compare_number(&rule, now)?,
            }
        }
        Ok(())
    }

    fn compare_number(&mut self, rule: &AlertRule, now: i64) -> Result<(), StoreError> {
        let spent = self.store.spending(rule.project.as_deref(), now)?;
        let value = match rule.kind {
            AlertKind::CostPerDay => spent.shared.day,
            AlertKind::CostPerMinute => spent.shared.recent / SharedSpending::RATE_MINUTES as f64,
            _ => spent.findings as f64,
        };
        let is_reached = rule.threshold.is_some_and(|threshold| value >= threshold);
        if rule.kind == AlertKind::CostPerDay {
            let key = format!("day:{}", now.div_euclid(DAY_MS));
            return if is_reached { self.raise(&number_alert(rule, &key, value, now)) } else { Ok(()) };
        }
        if is_reached {
            self.below.remove(&rule.name);
            return self.raise(&number_alert(rule, OPEN_ALERT, value, now));
        }
        if self.below.insert(rule.name.clone()) {
            let project = rule.project.as_deref().unwrap_or_default();
            self.known.remove(&(rule.name.clone(), project.to_owned(), OPEN_ALERT.to_owned()));
            let ended = self.store.end_alert(&rule.name, project, now);
            if ended.is_err() {
                self.below.remove(&rule.name);
            }
            ended?;
        }
        Ok(())
    }

    fn compare_loops(&mut self, rule: &AlertRule, now: i64) -> Result<(), StoreError> {
        let since = if let Some(since) = self.since.get(&rule.name) {
            *since
        } else {
            let since = self.store.alert_rule_since(&rule.name, now)?;
            self.since.insert(rule.name.clone(), since);
            since
        };
        let loops = self.store.loops(&LoopQuery {
            project: rule.project.clone(),
            // Those that were allowed or muted are known to people.
            state: Some(IssueState::Open),
            opened_since: Some(since.max(now.saturating_sub(DAY_MS))),
            order: LoopOrder::LastSeen,
            limit: MOST_LOOPS,
            ..LoopQuery::default()
        })?;
        // The oldest first, so that they are told in their order.
        for known in loops.iter().rev().filter(|known| known.count > 0) {
            self.raise(&loop_alert(rule, known, now))?;
        }
        Ok(())
    }

    fn raise(&mut self, alert: &NewAlert) -> Result<(), StoreError> {
        let name = (alert.rule.clone(), alert.project.clone(), alert.key.clone());
        if self.known.contains(&name) {
            return Ok(());
        }
        if self.store.raise_alert(alert)? != RaisedAlert::TooSoon {
            if self.known.len() >= MOST_KNOWN {
                self.known.clear();
            }
            self.known.insert(name);
        }
        Ok(())
    }
}
