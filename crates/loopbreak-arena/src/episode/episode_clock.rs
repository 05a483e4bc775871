//! The clock of an episode, which is passed in: the arena does not read the system clock.

use loopbreak::step::EpochMillis;

/// Returns the current time.
pub type EpisodeClock<'c> = Box<dyn FnMut() -> EpochMillis + 'c>;

/// Creates a clock that starts at `start` and advances by `step` milliseconds each time it is read.
pub fn ticking_clock(start: EpochMillis, step: i64) -> EpisodeClock<'static> {
    let mut now = start.0;
    Box::new(move || {
        now = now.saturating_add(step);
        EpochMillis(now)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ticking_clock_advances_evenly() {
        let mut clock = ticking_clock(EpochMillis(1000), 250);
        assert_eq!([clock(), clock()], [EpochMillis(1250), EpochMillis(1500)]);
    }
}
