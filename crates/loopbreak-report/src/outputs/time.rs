//! Points in time as RFC 3339, in UTC.

/// Milliseconds since 1970 as `2025-11-04T09:35:24.000Z`. Nothing for a time that four digits of a year cannot tell.
pub(super) fn rfc3339(millis: i64) -> Option<String> {
    let (days, rest) = (millis.div_euclid(86_400_000), millis.rem_euclid(86_400_000));
    let (year, month, day) = date(days);
    if !(0..=9999).contains(&year) {
        return None;
    }
    let (second, millis) = (rest / 1000, rest % 1000);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    Some(format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millis:03}Z"))
}

/// The date of a day since 1970, in the calendar of today. Counted in eras of 400 years that begin in March, so that
/// the day that is sometimes there comes last.
fn date(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (era * 400 + year + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;
    use loopbreak::Millis;

    #[test]
    fn what_is_written_reads_back() {
        for millis in [0, 1, -1, 1_762_248_924_000, 951_782_400_000, 951_868_799_999, -62_135_596_800_000] {
            let text = rfc3339(millis).unwrap();
            assert_eq!(Millis::parse(&text).unwrap().0, millis, "{text}");
        }
        assert_eq!(rfc3339(1_762_248_924_000).as_deref(), Some("2025-11-04T09:35:24.000Z"));
        assert_eq!(rfc3339(i64::MAX), None);
    }
}
