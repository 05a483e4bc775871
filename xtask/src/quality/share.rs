//! Shares with their 95 % Wilson intervals, as text.

/// The 97.5th percentile of the normal distribution.
const Z: f64 = 1.959_963_984_540_054;

/// Returns the 95 % Wilson interval of a share, or `None` without a whole.
pub(super) fn wilson_interval(part: u64, whole: u64) -> Option<(f64, f64)> {
    if whole == 0 {
        return None;
    }
    let (count, share, squared) = (whole as f64, part as f64 / whole as f64, Z * Z);
    let middle = (share + squared / (2.0 * count)) / (1.0 + squared / count);
    let spread = Z / (1.0 + squared / count)
        * (share * (1.0 - share) / count + squared / (4.0 * count * count)).sqrt();
    let low = if part == 0 { 0.0 } else { (middle - spread).max(0.0) };
    let high = if part == whole { 1.0 } else { (middle + spread).min(1.0) };
    Some((low, high))
}

/// Renders a share, such as `67 % (21–94)`, or a dash without a whole.
pub(super) fn percent(part: u64, whole: u64) -> String {
    let Some((low, high)) = wilson_interval(part, whole) else { return "–".to_owned() };
    let share = part as f64 / whole as f64;
    format!("{:.0} % ({:.0}–{:.0})", share * 100.0, low * 100.0, high * 100.0)
}

/// Renders a share with its counts, such as `2 of 3, 67 % (21–94)`.
pub(super) fn counted(part: u64, whole: u64) -> String {
    if whole == 0 {
        return "–".to_owned();
    }
    format!("{part} of {whole}, {}", percent(part, whole))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_those_of_the_formula() {
        let rounded = |part, whole| {
            wilson_interval(part, whole)
                .map(|(low, high)| ((low * 1e4).round() as u64, (high * 1e4).round() as u64))
        };
        // Computed by hand: 2 of 3, and the well-known 8 of 10.
        assert_eq!(rounded(2, 3), Some((2077, 9385)));
        assert_eq!(rounded(8, 10), Some((4902, 9433)));
        assert_eq!(rounded(0, 4), Some((0, 4899)));
        assert_eq!(rounded(4, 4), Some((5101, 10_000)));
        assert_eq!(rounded(0, 0), None);
    }

    #[test]
    fn shares_are_shown_with_counts_and_intervals() {
        assert_eq!(counted(2, 3), "2 of 3, 67 % (21–94)");
        assert_eq!(counted(0, 0), "–");
        assert_eq!(percent(0, 4), "0 % (0–49)");
        assert_eq!(percent(1, 0), "–");
    }
}
