//! Many turns in few words.

use std::fmt::Write as _;

/// Maximum number of ranges.
const RANGES: usize = 8;

/// Renders turns that follow each other at equal distances as ranges: `60–100, 150–180 (every 10)`. The distance is the
/// smallest one between two of them.
pub(crate) fn turn_ranges(turns: &[u64], dash: &str) -> String {
    let gaps = turns.windows(2).map(|pair| pair[1].saturating_sub(pair[0]));
    let step = gaps.filter(|gap| *gap > 0).min();
    let follows = |before: &u64, next: &u64| Some(next.saturating_sub(*before)) == step;
    let ranges: Vec<&[u64]> = turns.chunk_by(follows).collect();
    let shown = ranges.iter().take(RANGES).map(|range| match range {
        [first, .., last] => format!("{first}{dash}{last}"),
        range => range.iter().map(u64::to_string).collect(),
    });
    let mut text = shown.collect::<Vec<_>>().join(", ");
    if ranges.len() > RANGES {
        let _ = write!(text, ", {} more", ranges.len() - RANGES);
    }
    if let Some(step) = step.filter(|step| *step > 1 && ranges.iter().any(|range| range.len() > 1)) {
        let _ = write!(text, " (every {step})");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_distances_become_ranges() {
        let checks = [60, 70, 80, 90, 100, 150, 160, 170, 180, 230];
        assert_eq!(turn_ranges(&checks, "–"), "60–100, 150–180, 230 (every 10)");
        assert_eq!(turn_ranges(&[43, 58, 62], "-"), "43, 58-62 (every 4)");
        assert_eq!((turn_ranges(&[7], "-"), turn_ranges(&[], "-")), ("7".into(), String::new()));
        assert_eq!(turn_ranges(&[1, 2, 3, 9], "-"), "1-3, 9");
        let apart: Vec<u64> = (0..20).flat_map(|part| [part * 100, part * 100 + 10]).collect();
        assert!(turn_ranges(&apart, "-").ends_with("700-710, 12 more (every 10)"));
    }
}
