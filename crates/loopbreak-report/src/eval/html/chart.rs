//! A chart of gain against harm as SVG: a line of points that belong together, and others next to it.

use std::fmt::Write as _;

use crate::markup::escape;

/// Size of the picture, and its margins.
const WIDTH: f64 = 680.0;
const HEIGHT: f64 = 360.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 24.0;
const TOP: f64 = 20.0;
const BOTTOM: f64 = 48.0;

/// The content of a chart.
pub(super) struct GainChart<'c> {
    pub(super) id: &'c str,
    pub(super) title: &'c str,
    pub(super) x: &'c str,
    pub(super) y: &'c str,
    /// The points on the line, in order.
    pub(super) line: Vec<ChartPoint>,
    /// Other points.
    pub(super) others: Vec<ChartPoint>,
}

/// A point.
pub(super) struct ChartPoint {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) label: String,
    /// The current settings.
    pub(super) now: bool,
}

impl GainChart<'_> {
    pub(super) fn draw(&self) -> String {
        let all = || self.line.iter().chain(&self.others);
        let (x_step, x_end) = scale(all().map(|point| point.x).fold(0.0, f64::max));
        let (y_step, y_end) = scale(all().map(|point| point.y).fold(0.0, f64::max));
        let across = |x: f64| LEFT + x / x_end * (WIDTH - LEFT - RIGHT);
        let up = |y: f64| HEIGHT - BOTTOM - y / y_end * (HEIGHT - TOP - BOTTOM);
        let (id, title) = (self.id, escape(self.title));
        let mut svg = format!(
            "<svg id=\"{id}\" class=\"chart\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" \
             aria-labelledby=\"{id}-title\"><title id=\"{id}-title\">{title}</title>\n"
        );
        for tick in ticks(x_step, x_end) {
            let (x, low, high) = (across(tick), HEIGHT - BOTTOM, TOP);
            let _ = write!(svg, "<path class=\"grid\" d=\"M{x:.1} {low:.1}V{high:.1}\"/>");
            let _ = write!(
                svg,
                "<text class=\"tick\" x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{tick}</text>",
                low + 16.0
            );
        }
        for tick in ticks(y_step, y_end) {
            let (y, left, right) = (up(tick), LEFT, WIDTH - RIGHT);
            let _ = write!(svg, "<path class=\"grid\" d=\"M{left:.1} {y:.1}H{right:.1}\"/>");
            let _ = write!(
                svg,
                "<text class=\"tick\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{tick}</text>",
                left - 8.0,
                y + 4.0
            );
        }
        let _ = write!(
            svg,
            "<text class=\"axis\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            (LEFT + WIDTH - RIGHT) / 2.0,
            HEIGHT - 8.0,
            escape(self.x)
        );
        let middle = (TOP + HEIGHT - BOTTOM) / 2.0;
        let _ = write!(
            svg,
            "<text class=\"axis\" transform=\"translate(16 {middle:.1}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
            escape(self.y)
        );
        let line: Vec<String> =
            self.line.iter().map(|point| format!("{:.1} {:.1}", across(point.x), up(point.y))).collect();
        if line.len() > 1 {
            let _ = write!(svg, "<path class=\"line\" d=\"M{}\"/>", line.join("L"));
        }
        let mut labels = ChartLabels::default();
        let marked = self.line.iter().map(|point| (point, true));
        for (point, own) in marked.chain(self.others.iter().map(|point| (point, false))) {
            let (x, y) = (across(point.x), up(point.y));
            let class = match (own, point.now) {
                (true, true) => "point now",
                (true, false) => "point",
                (false, _) => "point other",
            };
            let radius = if point.now { 6.0 } else { 4.0 };
            let told = format!(
                "{}: {} {}, {} {}",
                escape(&point.label),
                figure(point.x),
                escape(self.x),
                figure(point.y),
                escape(self.y)
            );
            let _ = write!(
                svg,
                "\n<circle class=\"{class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\"><title>{told}</title></circle>"
            );
            labels.add(x, y, &point.label);
        }
        labels.draw(&mut svg);
        svg + "\n</svg>\n"
    }
}

/// Labels of points: one label for points at the same place, and no overlapping labels.
#[derive(Default)]
struct ChartLabels(Vec<(f64, f64, String)>);

impl ChartLabels {
    fn add(&mut self, x: f64, y: f64, label: &str) {
        let same = self.0.iter_mut().find(|(a, b, _)| (a - x).abs() < 3.0 && (b - y).abs() < 3.0);
        if let Some((_, _, known)) = same {
            *known += ", ";
            *known += label;
        } else {
            self.0.push((x, y, label.to_owned()));
        }
    }

    /// Draws labels next to their points, moved down where they would overlap, and up again where that leads out of
    /// the picture.
    fn draw(mut self, svg: &mut String) {
        const LINE: f64 = 13.0;
        self.0.sort_by(|one, other| one.1.total_cmp(&other.1));
        let near = |one: f64, other: f64| (one - other).abs() < 150.0;
        let mut at: Vec<f64> = Vec::new();
        for (x, y, _) in &self.0 {
            let above =
                self.0.iter().zip(&at).filter(|(label, _)| near(label.0, *x)).map(|(_, at)| at + LINE);
            at.push(above.fold(y - 4.0, f64::max));
        }
        for index in (0..at.len()).rev() {
            let below = (index + 1..at.len()).filter(|other| near(self.0[*other].0, self.0[index].0));
            let highest = below.map(|other| at[other] - LINE).fold(HEIGHT - BOTTOM - 3.0, f64::min);
            at[index] = at[index].min(highest);
        }
        for ((x, _, label), at) in self.0.iter().zip(at) {
            let (anchor, shift) = if *x > WIDTH - 150.0 { ("end", -10.0) } else { ("start", 10.0) };
            let _ = write!(
                svg,
                "<text class=\"label\" x=\"{:.1}\" y=\"{at:.1}\" text-anchor=\"{anchor}\">{}</text>",
                x + shift,
                escape(label)
            );
        }
    }
}

/// Formats a number without unnecessary digits.
fn figure(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

/// Returns the distance of the ticks, and the end of the axis: about five ticks at 1, 2 or 5 times a power of ten.
fn scale(most: f64) -> (f64, f64) {
    if !(most > 0.0 && most.is_finite()) {
        return (1.0, 1.0);
    }
    let rough = most / 5.0;
    let power = 10_f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].into_iter().map(|times| times * power).find(|step| *step >= rough);
    // Counts have no halves.
    let step = step.unwrap_or(rough).max(1.0);
    (step, (most / step).ceil() * step)
}

fn ticks(step: f64, end: f64) -> impl Iterator<Item = f64> {
    (0..=(end / step).round() as u32).map(move |tick| f64::from(tick) * step)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eval_charts_put_no_name_on_another() {
        let mut labels = ChartLabels::default();
        for number in 0..6 {
            labels.add(64.0, 300.0 + f64::from(number) * 4.0, &format!("name {number}"));
        }
        labels.add(64.5, 300.5, "same");
        let mut svg = String::new();
        labels.draw(&mut svg);
        assert!(svg.contains(">name 0, same<"), "{svg}");
        let heights =
            svg.split(" y=\"").skip(1).filter_map(|rest| rest.split('"').next()?.parse::<f64>().ok());
        let heights: Vec<f64> = heights.collect();
        assert!(heights.windows(2).all(|two| two[1] - two[0] >= 13.0 - 0.11), "{heights:?}");
        assert!(heights.iter().all(|at| *at < HEIGHT - BOTTOM), "{heights:?}");
    }

    #[test]
    fn eval_charts_have_round_ticks() {
        assert_eq!(scale(0.0), (1.0, 1.0));
        assert_eq!(scale(3.0), (1.0, 3.0));
        assert_eq!(scale(97.0), (20.0, 100.0));
        assert_eq!(scale(1532.0), (500.0, 2000.0));
        assert_eq!(scale(f64::NAN), (1.0, 1.0));
        assert_eq!(ticks(20.0, 100.0).count(), 6);
    }
}
