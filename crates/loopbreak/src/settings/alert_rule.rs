//! Rules by which the service tells people.

use serde::{Deserialize, Serialize};

use super::{SettingsChecks, TimeSpan};

/// Longest name of a rule, in characters.
const NAME_LENGTH: usize = 64;

/// A rule by which `loopbreak serve` tells people.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct AlertRule {
    /// Name of the rule, by which people and the service recognise it. Each rule has another one.
    pub name: String,
    /// Condition: `cost_per_day`, `cost_per_minute`, `findings_per_hour` or `new_loop`.
    pub kind: AlertKind,
    /// Number that is reached: US dollars, or findings. `new_loop` has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 0.0)))]
    pub threshold: Option<f64>,
    /// Project that the rule is about. Without it, a number is that of all projects together, and a loop may be in any of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// Time after an alert in which `cost_per_minute` and `findings_per_hour` tell nothing again.
    pub quiet: TimeSpan,
    /// Address that gets the alert as JSON.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub webhook: Option<String>,
    /// Address of an incoming webhook of Slack.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slack: Option<String>,
    /// Address of a topic of ntfy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ntfy: Option<String>,
}

/// The condition of an alert.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum AlertKind {
    /// The cost since midnight UTC reaches the threshold. Told once a day.
    CostPerDay,
    /// The mean cost of a minute in the last ten minutes reaches the threshold. Told once each time that it rises to it.
    CostPerMinute,
    /// The number of findings in the last hour reaches the threshold. Told once each time that it rises to it.
    FindingsPerHour,
    /// A loop was found that the project has not had before, or one that was marked as fixed. Told once for each.
    #[default]
    NewLoop,
}

impl AlertKind {
    /// All kinds.
    pub const ALL: [AlertKind; 4] =
        [AlertKind::CostPerDay, AlertKind::CostPerMinute, AlertKind::FindingsPerHour, AlertKind::NewLoop];

    /// Returns the name in the configuration, in the store and in all output.
    pub fn as_str(self) -> &'static str {
        match self {
            AlertKind::CostPerDay => "cost_per_day",
            AlertKind::CostPerMinute => "cost_per_minute",
            AlertKind::FindingsPerHour => "findings_per_hour",
            AlertKind::NewLoop => "new_loop",
        }
    }
}

impl AlertRule {
    /// Returns the addresses by the names of their keys.
    pub fn addresses(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let addresses = [("webhook", &self.webhook), ("slack", &self.slack), ("ntfy", &self.ntfy)];
        addresses.into_iter().filter_map(|(name, address)| Some((name, address.as_deref()?)))
    }

    /// Checks a rule. The others before it have these names.
    pub(super) fn check(&self, before: &[AlertRule], checks: &mut SettingsChecks) {
        let is_name = (1..=NAME_LENGTH).contains(&self.name.chars().count())
            && !self.name.chars().any(char::is_control);
        checks.that(is_name, "name", || {
            (
                "an alert rule needs a name".into(),
                format!("add a name of at most {NAME_LENGTH} characters, such as name = \"expensive day\""),
            )
        });
        checks.that(before.iter().all(|other| other.name != self.name), "name", || {
            (
                format!("two alert rules have the name {:?}", self.name),
                "give each rule a name of its own".into(),
            )
        });
        let is_loop = self.kind == AlertKind::NewLoop;
        let is_number = self.threshold.is_some_and(|threshold| threshold.is_finite() && threshold > 0.0);
        checks.that(if is_loop { self.threshold.is_none() } else { is_number }, "threshold", || {
            if is_loop {
                ("a new loop has no threshold".into(), "remove it, or choose another kind".into())
            } else {
                let kind = self.kind.as_str();
                (format!("{kind} needs a threshold above 0"), "add one, such as threshold = 50.0".into())
            }
        });
        for (name, address) in self.addresses() {
            let is_url = address.starts_with("http://") || address.starts_with("https://");
            // The address may be a secret, so it is not shown.
            checks.that(is_url && !address.contains(char::is_whitespace), name, || {
                (format!("{name} is not an address"), "give one that begins with https:// or http://".into())
            });
        }
    }
}

impl Default for AlertRule {
    fn default() -> Self {
        AlertRule {
            name: String::new(),
            kind: AlertKind::default(),
            threshold: None,
            project: None,
            quiet: TimeSpan::from_minutes(60),
            webhook: None,
            slack: None,
            ntfy: None,
        }
    }
}
