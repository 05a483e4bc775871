//! Pictures of terminal output, as SVG: the README shows exactly what the program printed.

use std::fmt::Write as _;

const COLUMN: f64 = 8.4;
const LINE: usize = 20;
const MARGIN: usize = 18;

/// The appearance of a piece of a line.
#[derive(Clone, Copy, Default, PartialEq)]
struct SpanStyle {
    colour: Option<&'static str>,
    bold: bool,
    dim: bool,
}

/// Draws what a program printed, escape codes and all, under the command that printed it.
pub(crate) fn svg(command: &str, output: &str) -> String {
    let lines: Vec<String> = [format!("\u{1b}[1m$ {command}\u{1b}[0m")]
        .into_iter()
        .chain(output.lines().map(str::to_owned))
        .map(|line| line.trim_end().to_owned())
        .collect();
    let columns =
        lines.iter().map(|line| pieces(line).iter().map(|(_, text)| text.chars().count()).sum()).max();
    let width = (columns.unwrap_or(0_usize) as f64 * COLUMN).ceil() as usize + 2 * MARGIN;
    let height = lines.len() * LINE + 2 * MARGIN;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{}\">\n<rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"#16181d\"/>\n<g font-family=\"ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace\" font-size=\"14\" fill=\"#d8dee9\">\n",
        escaped(&format!("Output of {command}"))
    );
    for (index, line) in lines.iter().enumerate() {
        let y = MARGIN + index * LINE + 14;
        let mut column = 0;
        for (style, text) in pieces(line) {
            let x = MARGIN as f64 + column as f64 * COLUMN;
            let count = text.chars().count();
            column += count;
            if text.trim().is_empty() {
                continue;
            }
            let mut attributes = String::new();
            if let Some(colour) = style.colour {
                let _ = write!(attributes, " fill=\"{colour}\"");
            }
            if style.bold {
                attributes.push_str(" font-weight=\"bold\"");
            }
            if style.dim {
                attributes.push_str(" opacity=\"0.6\"");
            }
            // The length keeps columns apart whatever font the reader has. Chromium collapses blanks unless each element asks
            // to keep them; that its group does is not enough.
            let length = count as f64 * COLUMN;
            let _ = writeln!(
                svg,
                "<text xml:space=\"preserve\" x=\"{x:.1}\" y=\"{y}\" textLength=\"{length:.1}\" lengthAdjust=\"spacingAndGlyphs\"{attributes}>{}</text>",
                escaped(&text)
            );
        }
    }
    svg.push_str("</g>\n</svg>\n");
    svg
}

/// Splits a line into pieces of one style.
fn pieces(line: &str) -> Vec<(SpanStyle, String)> {
    let mut pieces = Vec::new();
    let mut style = SpanStyle::default();
    let mut rest = line;
    while let Some((text, after)) = rest.split_once("\u{1b}[") {
        if !text.is_empty() {
            pieces.push((style, text.to_owned()));
        }
        let Some((codes, after)) = after.split_once('m') else {
            return pieces;
        };
        for code in codes.split(';') {
            style = styled(style, code.parse().unwrap_or(0));
        }
        rest = after;
    }
    if !rest.is_empty() {
        pieces.push((style, rest.to_owned()));
    }
    pieces
}

fn styled(style: SpanStyle, code: u8) -> SpanStyle {
    let colour = match code {
        31 | 91 => "#ff6b6b",
        32 | 92 => "#8fd694",
        33 | 93 => "#f2c14e",
        34 | 94 => "#7aa2f7",
        35 | 95 => "#c792ea",
        36 | 96 => "#6fd3e0",
        30 | 90 => "#7a8294",
        37 | 97 => "#eceff4",
        _ => "",
    };
    match code {
        0 => SpanStyle::default(),
        1 => SpanStyle { bold: true, ..style },
        2 => SpanStyle { dim: true, ..style },
        22 => SpanStyle { bold: false, dim: false, ..style },
        39 => SpanStyle { colour: None, ..style },
        _ if colour.is_empty() => style,
        _ => SpanStyle { colour: Some(colour), ..style },
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_codes_become_styles() {
        let pieces = pieces("plain \u{1b}[1;31mred\u{1b}[0m end");
        let red = SpanStyle { colour: Some("#ff6b6b"), bold: true, dim: false };
        let plain = SpanStyle::default();
        assert_eq!(pieces.len(), 3);
        assert!(pieces[0] == (plain, "plain ".to_owned()));
        assert!(pieces[1] == (red, "red".to_owned()));
        assert!(pieces[2] == (plain, " end".to_owned()));
    }

    #[test]
    fn the_picture_holds_the_text_escaped() {
        let svg = svg("cmd", "a < b & c");
        assert!(svg.contains("a &lt; b &amp; c"));
        assert!(svg.contains("$ cmd"));
    }

    #[test]
    fn every_piece_keeps_its_blanks() {
        let svg = svg("cmd", "a   b\n\u{1b}[1mc    d\u{1b}[0m");
        assert_eq!(svg.matches("<text xml:space=\"preserve\" ").count(), 3);
        assert_eq!(svg.matches("<text").count(), 3);
    }
}
