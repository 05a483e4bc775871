//! A picture to share: what loops cost, and nothing about the work itself.

use std::fmt::Write as _;
use std::io::{self, Write};

use loopbreak_analysis::{Report, RunTotals};

use crate::markup::escape;
use crate::mode_note::mode_note;
use crate::number::{dollars, grouped, percent, plural, rough};
use crate::unread_items::unread_items;

const WIDTH: usize = 840;
const HEIGHT: usize = 440;
const MARGIN: usize = 48;

/// The colours, for light and dark pages.
const STYLE: &str = "\
svg { color-scheme: light dark; }
.paper { fill: #ffffff; stroke: #d0d7de; } .tile { fill: #f6f8fa; stroke: #d0d7de; }
text { font-family: system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif; fill: #1b1f24; }
.dim { fill: #57606a; } .wasted { fill: #b3261e; } .mark { fill: none; stroke: #b3261e; }
@media (prefers-color-scheme: dark) {
.paper { fill: #0d1117; stroke: #30363d; } .tile { fill: #161b22; stroke: #30363d; }
text { fill: #e6edf3; } .dim { fill: #9ea7b3; } .wasted { fill: #ff8078; } .mark { stroke: #ff8078; }
}
";

/// Writes the card as SVG. It has totals, and the name of one tool. No name of a run, no path and no text of a log is in it.
pub fn card(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(render(report).as_bytes())
}

fn render(report: &Report) -> String {
    let totals = &report.totals;
    let headline = headline(totals);
    let label = format!("{headline}, {}", scope(totals));
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{HEIGHT}\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" \
         aria-label=\"{}\">\n<style>\n{STYLE}</style>\n\
         <rect class=\"paper\" x=\"1\" y=\"1\" width=\"{}\" height=\"{}\" rx=\"16\" stroke-width=\"2\"/>\n",
        escape(&label),
        WIDTH - 2,
        HEIGHT - 2
    );
    // An arrow that runs in a circle.
    let (x, y) = (WIDTH - MARGIN - 30, 62);
    let _ = writeln!(
        svg,
        "<path class=\"mark\" stroke-width=\"6\" stroke-linecap=\"round\" stroke-linejoin=\"round\" d=\"M{} {}a26 26 0 1 1 -12 -18m2 -14v16h-16\"/>",
        x + 26,
        y
    );
    text(&mut svg, MARGIN, 78, 34, "bold", &headline);
    text(&mut svg, MARGIN, 116, 20, "dim", &scope(totals));
    let tiles = tiles(totals);
    let gap = 20;
    let tile_width = (WIDTH - 2 * MARGIN - gap * (tiles.len() - 1)) / tiles.len();
    for (index, (value, name, class)) in tiles.iter().enumerate() {
        let x = MARGIN + index * (tile_width + gap);
        let _ = writeln!(
            svg,
            "<rect class=\"tile\" x=\"{x}\" y=\"150\" width=\"{tile_width}\" height=\"130\" rx=\"10\"/>"
        );
        // A long figure is set smaller, so that it stays in its tile.
        let size = (34 * 6 / value.chars().count().max(6)).max(14);
        text(&mut svg, x + 18, 214, size, class, value);
        text(&mut svg, x + 18, 250, 17, "dim", name);
    }
    if let Some(longest) = &totals.longest_loop {
        let pattern = longest.pattern.as_str().replace('_', " ");
        let name = longest.tool.as_deref().unwrap_or(&pattern);
        text(&mut svg, MARGIN, 330, 24, "", &format!("Longest loop: {name} × {}", grouped(longest.steps)));
    }
    let counted = "Counted by loopbreak analyze, from the point where each run would have been stopped.";
    let caveats =
        mode_note(report.mode).map(str::to_owned).into_iter().chain(unread_items(totals.unread_items));
    let notes = [counted.to_owned()].into_iter().chain(caveats);
    // Upwards from the last line.
    for (index, note) in notes.enumerate() {
        text(&mut svg, MARGIN, HEIGHT - 30 - 24 * index, 16, "dim", &note);
    }
    svg += "</svg>\n";
    svg
}

fn text(svg: &mut String, x: usize, y: usize, size: usize, class: &str, text: &str) {
    let weight = if matches!(class, "bold" | "wasted" | "figure") { " font-weight=\"700\"" } else { "" };
    let _ = writeln!(
        svg,
        "<text class=\"{class}\" x=\"{x}\" y=\"{y}\" font-size=\"{size}\"{weight}>{}</text>",
        escape(text)
    );
}

/// The most telling figure that is known: money, tokens, or steps.
fn headline(totals: &RunTotals) -> String {
    if totals.ended == 0 {
        return match loops(totals) {
            0 => "No loops found".to_owned(),
            loops => format!("{} found, none worth a stop", plural(loops, "loop")),
        };
    }
    let money = totals.spending.after_ending_usd.filter(|cost| *cost >= 0.005).map(dollars);
    let tokens = totals.tokens_after_ending.filter(|tokens| *tokens > 0);
    let wasted = money
        .or_else(|| tokens.map(|tokens| format!("{} tokens", rough(tokens))))
        .unwrap_or_else(|| plural(totals.steps_after_ending, "step"));
    format!("{wasted} spent going in circles")
}

fn loops(totals: &RunTotals) -> u64 {
    totals.effects.totals().0
}

fn scope(totals: &RunTotals) -> String {
    format!("{} of AI agents, {}", plural(totals.runs, "run"), plural(totals.steps, "step"))
}

/// Returns value, name and class of each tile.
fn tiles(totals: &RunTotals) -> Vec<(String, String, &'static str)> {
    let found = loops(totals);
    let mut tiles = vec![
        (grouped(found), if found == 1 { "loop" } else { "loops" }.to_owned(), "figure"),
        (
            format!("{} %", percent(totals.steps_after_ending, totals.steps)),
            "of steps wasted".to_owned(),
            "wasted",
        ),
    ];
    if let Some(tokens) = totals.tokens_after_ending.filter(|tokens| *tokens > 0) {
        tiles.push((rough(tokens), "tokens wasted".to_owned(), "wasted"));
    }
    if let Some(cost) = totals.spending.after_ending_usd.filter(|cost| *cost > 0.0) {
        tiles.push((dollars(cost), "wasted".to_owned(), "wasted"));
    }
    tiles
}
