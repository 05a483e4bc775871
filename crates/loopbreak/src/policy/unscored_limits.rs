//! Limits for proposals that no critic scored.
//!
//! A limit says which of the identical calls is one too many. Once that call is made, it can only be
//! reported. While it is proposed, it can be refused. So a proposed call counts like the calls that were
//! made.

use crate::settings::Settings;

/// Returns the settings for a proposal without a score. If the eighth identical call is a hard finding, the
/// eighth proposal is refused, after seven calls. If a warning and a hard finding would coincide, the limit
/// stays, because nothing is refused without a warning.
pub(crate) fn limits_for_unscored_proposal(settings: &Settings) -> Settings {
    let mut settings = settings.clone();
    settings.count_proposed_call();
    settings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proposed_call_counts_towards_the_limit_and_zero_stays_no_limit() {
        let mut settings = Settings::default();
        let limits = |settings: &Settings| (settings.cycle.hard_at, settings.recurrence.again_hard_at);
        assert_eq!(limits(&limits_for_unscored_proposal(&settings)), (7, 7));
        settings.cycle.hard_at = 5;
        settings.recurrence.again_hard_at = 0;
        assert_eq!(limits(&limits_for_unscored_proposal(&settings)), (5, 0), "the warning is at 4");
    }
}
