//! All settings of a guard. Every option is declared once: name, default, documentation. The reference page,
//! the JSON schema and `loopbreak config explain` are generated from the declarations.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{
    AdviceSettings, AlertRule, AllowRule, Mode, ModelPrice, PolicySettings, Profile, ReportSettings,
    ServerSettings, SettingsChecks, SettingsProblem, ToolRule,
};
use crate::detectors::{Detector, DetectorName, DetectorSettings, for_each_detector};
use crate::fingerprint::ActionSettings;

macro_rules! declare_settings {
    ($(($folder:ident $name:ident $type:ident $settings:ident $scope:ident $position:literal $summary:literal $patterns:tt))*) => {
        /// All settings of a guard.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[serde(default, deny_unknown_fields)]
        pub struct Settings {
            /// Named set of defaults that all other settings start from.
            pub profile: Profile,
            /// `enforce` acts on findings, `observe` only reports them, `off` disables the guard.
            pub mode: Mode,
            $(#[doc = $summary] pub $folder: super::$settings,)*
            /// Classification of tools and commands.
            pub actions: ActionSettings,
            /// Interventions for findings, and the scores of proposals.
            pub policy: PolicySettings,
            /// The texts for the agent, the critic and the user.
            pub advice: AdviceSettings,
            /// Numbers that reports are computed with.
            pub report: ReportSettings,
            /// The service that hooks and the MCP server ask.
            pub server: ServerSettings,
            /// Prices of models by name, in US dollars per million tokens. They replace those of the table that Loopbreak
            /// contains.
            pub prices: BTreeMap<String, ModelPrice>,
            /// Actions that are never a loop.
            pub allow: Vec<AllowRule>,
            /// Declarations of tools, which decide instead of their names. The first one that matches counts.
            pub tool: Vec<ToolRule>,
            /// Rules by which `loopbreak serve` tells people about costs and new loops. They have no effect on any verdict.
            pub alert: Vec<AlertRule>,
        }

        impl Settings {
            /// Returns the defaults of a profile for every detector, and the plain defaults for everything else.
            pub(super) fn with_detector_defaults(profile: Profile) -> Self {
                let mut settings = Settings {
                    profile,
                    mode: Mode::Enforce,
                    $($folder: super::$settings::default(),)*
                    actions: ActionSettings::default(),
                    policy: PolicySettings::default(),
                    advice: AdviceSettings::default(),
                    report: ReportSettings::default(),
                    server: ServerSettings::default(),
                    prices: BTreeMap::new(),
                    allow: Vec::new(),
                    tool: Vec::new(),
                    alert: Vec::new(),
                };
                $(
                    settings.$folder.adjust_for(profile);
                    if profile == Profile::Documents && !crate::detectors::$folder::$type::IN_DOCUMENTS_PROFILE {
                        settings.$folder.mode = Mode::Off;
                    }
                )*
                settings
            }

            /// Returns whether a detector is enforced, only observes or is off: its own mode, restricted by
            /// the mode of the whole guard.
            pub fn mode_of(&self, detector: DetectorName) -> Mode {
                let own = match detector {
                    $(DetectorName::$name => self.$folder.mode,)*
                    DetectorName::Custom(_) => Mode::Enforce,
                };
                match (self.mode, own) {
                    (Mode::Off, _) | (_, Mode::Off) => Mode::Off,
                    (Mode::Observe, _) | (_, Mode::Observe) => Mode::Observe,
                    (Mode::Enforce, Mode::Enforce) => Mode::Enforce,
                }
            }

            /// Changes the mode of one detector. Detectors of the user have no settings here.
            #[must_use]
            pub fn with_mode(mut self, detector: DetectorName, mode: Mode) -> Self {
                match detector {
                    $(DetectorName::$name => self.$folder.mode = mode,)*
                    DetectorName::Custom(_) => {}
                }
                self
            }

            fn check_detectors(&self, checks: &mut SettingsChecks) {
                $(checks.table(stringify!($folder), |checks| self.$folder.check(checks));)*
            }
        }
    };
}

for_each_detector!(declare_settings);

impl Default for Settings {
    fn default() -> Self {
        Settings::from(Profile::default())
    }
}

impl Settings {
    /// Returns everything that is wrong with these settings. With `mode = "off"` nothing is: no other setting is used.
    pub fn problems(&self) -> Vec<SettingsProblem> {
        let mut checks = SettingsChecks::default();
        if self.mode == Mode::Off {
            return checks.into_problems();
        }
        self.check_detectors(&mut checks);
        checks.table("policy", |checks| self.policy.check(checks));
        checks.table("report", |checks| {
            checks.within("calls_per_step", self.report.calls_per_step, &(0..=1000));
        });
        for (model, price) in &self.prices {
            checks.table(&format!("prices.{model:?}"), |checks| price.check(checks));
        }
        checks.table("advice", |checks| crate::advice::check(&self.advice, checks));
        for (index, rule) in self.allow.iter().enumerate() {
            checks.that(rule.tool.is_some() || rule.args.is_some(), &format!("allow[{index}]"), || {
                (
                    "an allow rule without tool and args would allow everything".into(),
                    "name a tool, a pattern of its args, or both; to switch Loopbreak off, set mode = \"off\"".into(),
                )
            });
        }
        for (index, rule) in self.tool.iter().enumerate() {
            checks.that(!rule.name.is_empty(), &format!("tool[{index}]"), || {
                (
                    "a tool rule needs a name".into(),
                    "add the name of the tool, such as name = \"get_job\"".into(),
                )
            });
        }
        for (index, rule) in self.alert.iter().enumerate() {
            checks.table(&format!("alert[{index}]"), |checks| rule.check(&self.alert[..index], checks));
        }
        checks.into_problems()
    }
}
