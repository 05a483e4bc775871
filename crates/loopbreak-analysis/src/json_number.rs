//! Numbers in JSON reports.

use serde::Serializer;

/// Writes a whole number without a fraction: a score of 40 is `40` in the log and `40` in the report. A binary format, in
/// which a reader cannot see the type of a number, gets the float.
pub fn plain<S: Serializer>(number: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    match whole(*number).filter(|_| serializer.is_human_readable()) {
        Some(whole) => serializer.serialize_i64(whole),
        None => serializer.serialize_f64(*number),
    }
}

/// Like [`plain`], with `null` for a missing number.
pub fn plain_option<S: Serializer>(number: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
    match number {
        Some(number) if serializer.is_human_readable() => plain(number, serializer),
        Some(number) => serializer.serialize_some(number),
        None => serializer.serialize_none(),
    }
}

/// Above this, not every whole number is a float.
const EXACT: f64 = 9_007_199_254_740_992.0;

fn whole(number: f64) -> Option<i64> {
    (number.fract() == 0.0 && number.abs() <= EXACT).then_some(number as i64)
}

/// Rounds money to millionths of a dollar, which removes the error of adding floats.
pub(crate) fn money(amount: f64) -> f64 {
    let rounded = (amount * 1e6).round() / 1e6;
    if rounded.is_finite() { rounded } else { amount }
}

/// Rounds a mean to millionths, which is more than anybody reads.
pub(crate) fn rounded_mean(mean: f64) -> f64 {
    money(mean)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_money_have_no_rounding_error() {
        assert_eq!(serde_json::to_string(&money(0.1 + 0.2)).unwrap(), "0.3");
    }
}
