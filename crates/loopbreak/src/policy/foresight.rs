//! The measure for a proposal that nobody scored: not how often its call was made, but how often it would have been.
//!
//! A limit says which of the equal calls is one too many. Once it is made, it can only be told of; while it is proposed, it
//! can be refused. So the call that is proposed counts with those that were made.

use crate::settings::Settings;

/// The settings by which detectors judge such a proposal: what is hard by the eighth equal call is hard for the eighth,
/// after seven were made. Where to warn and to act would fall together, the limit stays: nothing is refused unwarned.
pub(crate) fn foreseen(settings: &Settings) -> Settings {
    let mut settings = settings.clone();
    let nearer = |warn_at: u32, hard_at: &mut u32| {
        if *hard_at > warn_at + 1 {
            *hard_at -= 1;
        }
    };
    nearer(settings.cycle.warn_at, &mut settings.cycle.hard_at);
    let recurrence = &mut settings.recurrence;
    nearer(recurrence.again_warn_at, &mut recurrence.again_hard_at);
    settings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_nearer_by_the_call_that_is_proposed_and_never_is_stays_never() {
        let mut settings = Settings::default();
        let limits = |settings: &Settings| (settings.cycle.hard_at, settings.recurrence.again_hard_at);
        assert_eq!(limits(&foreseen(&settings)), (7, 7));
        settings.cycle.hard_at = 5;
        settings.recurrence.again_hard_at = 0;
        assert_eq!(limits(&foreseen(&settings)), (5, 0), "warned of at 4");
    }
}
