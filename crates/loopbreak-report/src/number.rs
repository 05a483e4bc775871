//! Formatting of figures.

use loopbreak_analysis::eval::ShareEstimate;

/// Formats a number with separators: `1234` as `1,234`.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Formats a count with its noun: `1 step`, `2 steps`.
pub fn plural(count: u64, noun: &str) -> String {
    format!("{} {noun}{}", grouped(count), if count == 1 { "" } else { "s" })
}

/// Formats a large number with about two digits: `1.2 k`, `3.4 M`.
pub(crate) fn rough(number: u64) -> String {
    let (unit, name) = match number {
        0..10_000 => return grouped(number),
        10_000..1_000_000 => (1e3, "k"),
        1_000_000..1_000_000_000 => (1e6, "M"),
        _ => (1e9, "G"),
    };
    let value = number as f64 / unit;
    if value < 10.0 { format!("{value:.1} {name}") } else { format!("{value:.0} {name}") }
}

/// Formats a score with at most three digits after the point.
pub(crate) fn score(score: f64) -> String {
    let text = format!("{score:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Formats a duration in milliseconds with one unit: `90 s`, `4 min`, `3 h`, `5 days`.
pub fn render_duration(millis: i64) -> String {
    let seconds = millis.max(0) / 1000;
    match seconds {
        0..120 => format!("{seconds} s"),
        120..7200 => format!("{} min", seconds / 60),
        7200..172_800 => format!("{} h", seconds / 3600),
        _ => format!("{} days", seconds / 86_400),
    }
}

/// Formats a cost in US dollars: `$0.40`, `$0.0012`.
pub fn render_cost(usd: f64) -> String {
    dollars(usd)
}

/// Formats money.
pub(crate) fn dollars(amount: f64) -> String {
    match amount {
        // A little is not nothing.
        tiny if tiny > 0.0 && tiny < 0.000_05 => "<$0.0001".to_owned(),
        small if small > 0.0 && small < 0.01 => format!("${small:.4}"),
        amount => format!("${amount:.2}"),
    }
}

/// Formats a number of model calls. Returns nothing if a step is one call: then the number of steps says the same.
pub(crate) fn model_calls(calls: u64, steps: u64) -> Option<String> {
    (calls != steps).then(|| plural(calls, "model call"))
}

/// Returns a sum over runs of which some do not know their part, and a note about those. A sum that no run knows is not zero
/// but unknown.
pub(crate) fn partly_known(sum: String, unknown: u64, runs: u64) -> (String, String) {
    match unknown {
        0 => (sum, String::new()),
        unknown if unknown >= runs => ("unknown".to_owned(), String::new()),
        unknown => (sum, format!(", unknown in {}", plural(unknown, "run"))),
    }
}

/// Returns a share in whole percents, never 100 for less than all and never 0 for more than none.
pub(crate) fn percent(part: u64, whole: u64) -> u64 {
    if whole == 0 || part >= whole {
        return if part == 0 { 0 } else { 100 };
    }
    let rounded = (part as f64 / whole as f64 * 100.0).round() as u64;
    if part == 0 { 0 } else { rounded.clamp(1, 99) }
}

/// Formats a share with its interval: `67 % (21–94)`.
pub(crate) fn share(share: &ShareEstimate, dash: &str) -> String {
    let rounded = |part: f64| (part * 100.0).round();
    // Never 100 for less than all, nor 0 for more than none.
    let value = match share.value {
        some if some > 0.0 && some < 1.0 => rounded(some).clamp(1.0, 99.0),
        value => rounded(value),
    };
    format!("{value} % ({}{dash}{})", rounded(share.low), rounded(share.high))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tokens may be known where the cost is not; a report must not call that free.
    #[test]
    fn a_sum_that_no_run_knows_is_unknown_and_not_zero() {
        let of = |unknown, runs| partly_known(dollars(0.0), unknown, runs);
        assert_eq!(of(0, 0), ("$0.00".to_owned(), String::new()));
        assert_eq!(of(2, 2), ("unknown".to_owned(), String::new()));
        assert_eq!(of(1, 3), ("$0.00".to_owned(), ", unknown in 1 run".to_owned()));
    }

    #[test]
    fn figures_read_well() {
        assert_eq!(
            (grouped(7), grouped(1234), grouped(1_234_567)),
            ("7".into(), "1,234".into(), "1,234,567".into())
        );
        assert_eq!(
            (rough(9_999), rough(56_789), rough(1_250_000)),
            ("9,999".into(), "57 k".into(), "1.2 M".into())
        );
        assert_eq!(
            (score(40.0), score(-0.25), score(0.12345)),
            ("40".into(), "-0.25".into(), "0.123".into())
        );
        assert_eq!(
            (dollars(2.046), dollars(0.0012), dollars(0.0), dollars(0.000_01)),
            ("$2.05".into(), "$0.0012".into(), "$0.00".into(), "<$0.0001".into())
        );
        assert_eq!((percent(191, 341), percent(1, 1000), percent(999, 1000), percent(0, 0)), (56, 1, 99, 0));
    }
}
