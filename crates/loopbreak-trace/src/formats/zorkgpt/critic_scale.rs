//! The scale of the critic of ZorkGPT.

/// Converts a score of the critic, from -1 to 1, to that of steps, from 0 to 1.
pub(super) fn rescaled_score(score: f64) -> f64 {
    // Rounded, because logs have few decimals: -0.8 is 0.1 and not 0.09999999999999998.
    const DECIMALS: f64 = 1e6;
    (f64::midpoint(score, 1.0).clamp(0.0, 1.0) * DECIMALS).round() / DECIMALS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::float_cmp, reason = "the result is rounded")]
    fn scores_from_minus_1_to_1_become_scores_from_0_to_1() {
        for (logged, score) in
            [(-1.0, 0.0), (-0.8, 0.1), (-0.16, 0.42), (0.0, 0.5), (0.3, 0.65), (1.0, 1.0), (7.0, 1.0)]
        {
            assert_eq!(rescaled_score(logged), score, "{logged}");
        }
    }
}
