//! Time comes from outside: the arena reads no clock.

use loopbreak::Millis;

/// Says what time it is.
pub type Clock<'c> = Box<dyn FnMut() -> Millis + 'c>;

/// A clock that begins at some time and goes on by so many milliseconds whenever it is looked at.
pub fn ticking(start: Millis, step: i64) -> Clock<'static> {
    let mut now = start.0;
    Box::new(move || {
        now = now.saturating_add(step);
        Millis(now)
    })
}

/// The time as logs have it: `2025-11-04T09:35:24.120Z`.
pub(super) fn written(time: Millis) -> String {
    let (days, millis) = (time.0.div_euclid(86_400_000), time.0.rem_euclid(86_400_000));
    let (year, month, day) = date(days);
    let (hour, minute, second) = (millis / 3_600_000, millis / 60_000 % 60, millis / 1000 % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{:03}Z", millis % 1000)
}

/// Year, month and day of a day counted from 1970-01-01. Years are counted from March, so that a leap day ends them.
fn date(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day = days.rem_euclid(146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let in_month = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (era * 400 + year + i64::from(month <= 2), month, in_month)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_as_they_are_read() {
        for text in [
            "1970-01-01T00:00:00.000Z",
            "2000-02-29T23:59:59.999Z",
            "2025-11-04T09:35:24.120Z",
            "2100-03-01T00:00:00.000Z",
            "1969-12-31T23:00:00.500Z",
        ] {
            assert_eq!(written(Millis::parse(text).unwrap()), text);
        }
    }

    #[test]
    fn a_ticking_clock_goes_on_evenly() {
        let mut clock = ticking(Millis(1000), 250);
        assert_eq!([clock(), clock()], [Millis(1250), Millis(1500)]);
    }
}
