//! Histograms as drawings.

use std::fmt::Write as _;

use crate::markup::escape;

const WIDTH: usize = 420;
const HEIGHT: usize = 90;
/// Room for the labels below the columns.
const LABELS: usize = 16;

/// A group of columns side by side: the label below it, and a class, a count and a description for each column.
pub(super) struct ColumnGroup {
    pub(super) label: String,
    pub(super) columns: Vec<(&'static str, u64, String)>,
}

/// Draws columns. A count above 0 is at least a pixel high.
pub(super) fn histogram(out: &mut String, name: &str, groups: &[ColumnGroup]) {
    let counts = groups.iter().flat_map(|group| &group.columns).map(|(_, count, _)| *count);
    let most = counts.max().unwrap_or(0).max(1) as f64;
    let group_width = WIDTH as f64 / groups.len().max(1) as f64;
    let _ = write!(
        out,
        "<svg class=\"histogram\" role=\"img\" aria-label=\"{}\" viewBox=\"0 0 {WIDTH} {}\" width=\"{WIDTH}\" height=\"{}\">",
        escape(name),
        HEIGHT + LABELS,
        HEIGHT + LABELS
    );
    for (index, group) in groups.iter().enumerate() {
        let left = index as f64 * group_width;
        let width = (group_width - 3.0) / group.columns.len().max(1) as f64;
        for (at, (class, count, title)) in group.columns.iter().enumerate() {
            let share = *count as f64 / most * HEIGHT as f64;
            let height = if *count > 0 { share.max(1.0) } else { 0.0 };
            let _ = write!(
                out,
                "<rect class=\"{class}\" x=\"{:.1}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"{height:.1}\"><title>{}</title></rect>",
                left + at as f64 * width,
                HEIGHT as f64 - height,
                escape(title)
            );
        }
        let _ = write!(out, "<text x=\"{left:.1}\" y=\"{}\">{}</text>", HEIGHT + 12, escape(&group.label));
    }
    *out += "</svg>\n";
}
