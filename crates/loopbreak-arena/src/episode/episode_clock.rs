//! Time comes from outside: the arena reads no clock.

use loopbreak::EpochMillis;

/// Says what time it is.
pub type EpisodeClock<'c> = Box<dyn FnMut() -> EpochMillis + 'c>;

/// A clock that begins at some time and goes on by so many milliseconds whenever it is looked at.
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
    fn a_ticking_clock_goes_on_evenly() {
        let mut clock = ticking_clock(EpochMillis(1000), 250);
        assert_eq!([clock(), clock()], [EpochMillis(1250), EpochMillis(1500)]);
    }
}
