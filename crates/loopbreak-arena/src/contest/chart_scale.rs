//! Small pictures for the page of a contest: a mean as a dot, its interval as a line.

use std::fmt::Write as _;

use super::intervals::MeanInterval;

const WIDTH: f64 = 220.0;
/// Room for half a dot, or half a figure, at both ends.
const EDGE: f64 = 14.0;
/// The height of one dot with its line.
const LANE: f64 = 13.0;
/// About so many figures fit under an axis.
const TICKS: f64 = 5.0;

/// From what to what the pictures of a table go: the same for all of them, so that they can be compared.
#[derive(Clone, Copy, Debug)]
pub(super) struct ChartScale {
    low: f64,
    high: f64,
    step: f64,
}

impl ChartScale {
    /// Wide enough for all of these with their intervals, and for zero.
    pub(super) fn fitting<'m>(means: impl IntoIterator<Item = &'m MeanInterval>) -> Self {
        let reach = |(low, high): (f64, f64), mean: &MeanInterval| (low.min(mean.low), high.max(mean.high));
        let (low, high) = means.into_iter().fold((0.0, 0.0), reach);
        let step = step(high - low);
        // Where all are zero there is still a scale.
        let high = if high > low { high } else { low + 1.0 };
        ChartScale { low: (low / step).floor() * step, high: (high / step).ceil() * step, step }
    }

    fn x(&self, figure: f64) -> f64 {
        EDGE + (figure - self.low) / (self.high - self.low) * (WIDTH - 2.0 * EDGE)
    }

    fn ticks(&self) -> impl Iterator<Item = f64> {
        let count = ((self.high - self.low) / self.step).round() as u32;
        // Minus zero is zero.
        (0..=count).map(|tick| self.low + f64::from(tick) * self.step + 0.0)
    }

    /// The figures that stand above the pictures.
    pub(super) fn axis(&self) -> String {
        let mut out = format!("<svg class=\"dots\" viewBox=\"0 0 {WIDTH} 14\" aria-hidden=\"true\">");
        for tick in self.ticks() {
            let _ = write!(out, "<text x=\"{:.1}\" y=\"11\">{tick}</text>", self.x(tick));
        }
        out + "</svg>"
    }

    /// Dots below each other, each with its class and its interval. `told` says the same in words; it is markup already.
    pub(super) fn dots(&self, told: &str, dots: &[(&str, &MeanInterval)]) -> String {
        let height = LANE * dots.len() as f64 + 4.0;
        let mut out = format!(
            "<svg class=\"dots\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"{told}\">"
        );
        for tick in self.ticks() {
            let x = self.x(tick);
            let _ = write!(out, "<path class=\"grid\" d=\"M{x:.1} 0V{height}\"/>");
        }
        for (lane, (class, mean)) in dots.iter().enumerate() {
            let y = 2.0 + LANE * (lane as f64 + 0.5);
            let (low, at, high) = (self.x(mean.low), self.x(mean.mean), self.x(mean.high));
            let _ = write!(
                out,
                "<g class=\"{class}\"><path d=\"M{low:.1} {y}H{high:.1}M{low:.1} {}v6M{high:.1} {}v6\"/>\
                 <circle cx=\"{at:.1}\" cy=\"{y}\" r=\"4\"/></g>",
                y - 3.0,
                y - 3.0
            );
        }
        out + "</svg>"
    }
}

/// A distance between figures that people count in: 1, 2 or 5, and so many zeros.
fn step(range: f64) -> f64 {
    // Scores are whole points: nobody needs finer figures.
    let rough = (range / TICKS).max(1.0);
    let power = 10_f64.powf(rough.log10().floor());
    let factor = [1.0, 2.0, 5.0].into_iter().find(|factor| factor * power >= rough).unwrap_or(10.0);
    factor * power
}

#[cfg(test)]
mod tests {
    use super::*;

    fn about(low: f64, high: f64) -> MeanInterval {
        MeanInterval { mean: f64::midpoint(low, high), low, high }
    }

    #[test]
    fn a_scale_holds_all_figures_and_zero() {
        for (low, high, ticks) in [
            (0.0, 0.0, vec![0.0, 1.0]),
            (-0.5, 31.4, vec![-10.0, 0.0, 10.0, 20.0, 30.0, 40.0]),
            (3.0, 7.0, vec![0.0, 2.0, 4.0, 6.0, 8.0]),
            (-3.0, -1.0, vec![-3.0, -2.0, -1.0, 0.0]),
            (0.0, 100.0, vec![0.0, 20.0, 40.0, 60.0, 80.0, 100.0]),
        ] {
            let scale = ChartScale::fitting([&about(low, high)]);
            assert_eq!(scale.ticks().collect::<Vec<_>>(), ticks, "{low} to {high}");
            assert!(scale.x(low) >= EDGE - 1e-9 && scale.x(high) <= WIDTH - EDGE + 1e-9, "{scale:?}");
        }
    }

    #[test]
    fn a_dot_stands_where_its_figure_does() {
        let scale = ChartScale::fitting([&about(0.0, 10.0)]);
        let picture = scale.dots("5", &[("with", &about(0.0, 10.0))]);
        assert!(picture.contains("<circle cx=\"110.0\"") && picture.contains("M14.0 8.5H206.0"), "{picture}");
        assert!(scale.axis().contains(">10</text>"), "{}", scale.axis());
    }
}
