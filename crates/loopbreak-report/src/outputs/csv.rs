//! One line per run, as in RFC 4180.

use std::fmt::Display;
use std::io::{self, Write};

use loopbreak::step::EpochMillis;
use loopbreak::text::is_invisible;

use super::verdict_reason::VerdictReason;
use loopbreak_analysis::{Report, RunReport};

/// Name, meaning and value of a column.
pub type CsvColumn = (&'static str, &'static str, fn(&RunReport) -> CsvCell);

/// The content of a cell.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CsvCell {
    /// Text, which may come from a log.
    Text(String),
    /// A figure or a fixed word.
    Plain(String),
    /// Unknown.
    Empty,
}

/// All columns in order. New ones are added at the end, none is renamed.
pub const COLUMNS: &[CsvColumn] = &[
    ("run", "the id of the run, or the name of its file", |run| text(Some(&run.run))),
    ("source", "the file it was read from, `-` for standard input", |run| text(Some(&run.source))),
    ("format", "the format of the log", |run| text(Some(run.format))),
    ("verdict", "`clear`, `warn` or `stop`", |run| plain(Some(run.verdict.as_str()))),
    ("steps", "number of turns", |run| plain(Some(run.steps))),
    ("started", "time of the first record, RFC 3339 in UTC", |run| {
        plain(run.started.and_then(|at| EpochMillis(at).rfc3339()))
    }),
    ("ended", "time of the last record", |run| plain(run.ended.and_then(|at| EpochMillis(at).rfc3339()))),
    ("reason", "reason for the verdict, in one sentence", |run| {
        text(VerdictReason::from_run(run).map(|why| why.reason).as_deref())
    }),
    ("first_warning_turn", "turn of the first finding at `warn` or above", |run| {
        plain(run.first_warning.as_ref().map(|it| it.turn))
    }),
    ("first_warning_detector", "detector of that finding", |run| {
        plain(run.first_warning.as_ref().map(|it| it.detector))
    }),
    ("first_warning_pattern", "pattern of that finding", |run| {
        plain(run.first_warning.as_ref().map(|it| it.pattern))
    }),
    ("first_stop_turn", "turn of the first hard finding", |run| {
        plain(run.first_stop.as_ref().map(|it| it.turn))
    }),
    ("first_stop_detector", "detector of that finding", |run| {
        plain(run.first_stop.as_ref().map(|it| it.detector))
    }),
    ("first_stop_pattern", "pattern of that finding", |run| {
        plain(run.first_stop.as_ref().map(|it| it.pattern))
    }),
    ("first_stop_intervention", "intervention of that finding", |run| {
        plain(run.first_stop.as_ref().and_then(|it| it.intervention).map(loopbreak::Intervention::as_str))
    }),
    ("ending_turn", "turn at which the run would have ended or been handed to a human", |run| {
        plain(run.ending.as_ref().map(|it| it.turn))
    }),
    ("ending_pattern", "pattern of that ending", |run| plain(run.ending.as_ref().map(|it| it.pattern))),
    ("ending_intervention", "`stop` or `escalate`", |run| {
        plain(run.ending.as_ref().map(|it| it.intervention.as_str()))
    }),
    ("steps_after_ending", "turns after that, which would have been saved", |run| {
        plain(Some(run.steps_after_ending))
    }),
    ("progress_after_ending", "`true` if progress would have been lost; empty if unknown", |run| {
        plain(run.progress_after_ending)
    }),
    ("tokens", "input and output tokens", |run| plain(run.tokens)),
    ("cost_usd", "US dollars", |run| plain(run.cost_usd)),
    ("tokens_after_ending", "tokens after the ending", |run| plain(run.tokens_after_ending)),
    ("cost_after_ending_usd", "US dollars after the ending", |run| plain(run.cost_after_ending_usd)),
    ("score_first", "the first score", |run| plain(run.score.map(|score| score.first))),
    ("score_last", "the last score", |run| plain(run.score.map(|score| score.last))),
    ("score_max", "the highest score", |run| plain(run.score.map(|score| score.max))),
    ("warnings_given", "number of warnings for the agent", |run| plain(Some(run.warnings_given))),
    ("findings", "number of findings, including hints", |run| plain(Some(run.findings.len()))),
    ("refused", "number of refused proposals, which are not turns", |run| plain(Some(run.refused))),
    ("unread_items", "number of items of its file that could not be read; empty if there are none", |run| {
        plain(run.unread_items)
    }),
    ("llm_calls_saved", "model calls that the turns after the ending stand for", |run| {
        plain(Some(run.llm_calls_saved))
    }),
    ("penalized_proposals", "number of proposals whose score would have been lowered", |run| {
        plain(Some(run.penalized_proposals))
    }),
    ("rejected_proposals", "number of proposals that would have been refused", |run| {
        plain(Some(run.rejected_proposals))
    }),
    ("checks_past_limit", "number of checks at which there had been no progress for too long", |run| {
        plain(Some(run.checkpoints.len()))
    }),
    ("objectives_completed", "number of different objectives that were completed", |run| {
        plain(Some(run.objectives_completed))
    }),
    ("spent_usd", "what the run cost in US dollars, by the log or else by the prices of its models", |run| {
        plain(run.spending.spent_usd)
    }),
    ("estimated_usd", "the part of it that is computed from prices", |run| plain(run.spending.estimated_usd)),
    ("in_loops_usd", "the part of it that was spent in loops", |run| plain(run.spending.in_loops_usd)),
    ("spent_after_ending_usd", "the part of it after the ending", |run| plain(run.spending.after_ending_usd)),
    (
        "unpriced_tokens",
        "tokens without a cost in the log and without a price; empty if there are none",
        |run| plain(Some(run.spending.unpriced_tokens).filter(|tokens| *tokens > 0)),
    ),
    ("models", "the models, separated by blanks", |run| {
        text(Some(run.models.join(" ")).filter(|names| !names.is_empty()).as_deref())
    }),
    ("project", "the folder of the project, if the log names it", |run| text(run.about.project.as_deref())),
    ("prompt", "the first words of the prompt, without secrets", |run| text(run.about.prompt.as_deref())),
    ("steps_in_loops", "number of turns in loops that the agent would have been warned about", |run| {
        plain(Some(run.spending.steps_in_loops))
    }),
    ("tokens_in_loops", "tokens of these turns; empty if there are none", |run| {
        plain(Some(run.spending.tokens_in_loops).filter(|tokens| *tokens > 0))
    }),
];

fn text(text: Option<&str>) -> CsvCell {
    text.map_or(CsvCell::Empty, |text| CsvCell::Text(text.to_owned()))
}

fn plain(value: Option<impl Display>) -> CsvCell {
    value.map_or(CsvCell::Empty, |value| CsvCell::Plain(value.to_string()))
}

/// Writes the runs as a table with a header. Lines end with CR LF.
pub fn csv(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let mut text = String::new();
    line(&mut text, COLUMNS.iter().map(|(name, ..)| CsvCell::Plain((*name).to_owned())));
    out.write_all(text.as_bytes())?;
    report.runs.each(&mut |run| {
        text.clear();
        line(&mut text, COLUMNS.iter().map(|(.., read)| read(run)));
        out.write_all(text.as_bytes())
    })
}

fn line(out: &mut String, cells: impl Iterator<Item = CsvCell>) {
    for (index, cell) in cells.enumerate() {
        if index > 0 {
            out.push(',');
        }
        match cell {
            CsvCell::Text(text) => quoted(out, &harmless(&text)),
            CsvCell::Plain(text) => quoted(out, &text),
            CsvCell::Empty => {}
        }
    }
    out.push_str("\r\n");
}

/// Escapes text so that no spreadsheet takes it for a formula: `=HYPERLINK(…)` in a log must not run for the
/// reader of the table. The apostrophe marks it as text.
fn harmless(text: &str) -> String {
    // NUL ends a cell for some readers, and an escape moves the cursor of a terminal.
    let shown = |char: char| if is_invisible(char) && !"\t\r\n".contains(char) { '\u{FFFD}' } else { char };
    let text: String = text.chars().map(shown).collect();
    // Some of them ignore leading blanks and characters without width.
    let is_ignored =
        |char: char| char.is_whitespace() || matches!(char, '\u{FFFD}' | '\u{FE0E}' | '\u{FE0F}');
    if text.trim_start_matches(is_ignored).starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠'])
        || text.starts_with(['\t', '\r', '\n'])
    {
        format!("'{text}")
    } else {
        text
    }
}

fn quoted(out: &mut String, cell: &str) {
    let needs = |char| matches!(char, ',' | '"' | '\r' | '\n' | ';' | '\t');
    if !cell.contains(needs) && cell.trim() == cell {
        out.push_str(cell);
        return;
    }
    out.push('"');
    out.push_str(&cell.replace('"', "\"\""));
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(cells: &[&str]) -> String {
        let mut out = String::new();
        line(&mut out, cells.iter().map(|cell| CsvCell::Text((*cell).to_owned())));
        out
    }

    #[test]
    fn cells_are_quoted_where_they_have_to_be() {
        assert_eq!(
            written(&["a", "b,c", "say \"no\"", "two\nlines", " x"]),
            "a,\"b,c\",\"say \"\"no\"\"\",\"two\nlines\",\" x\"\r\n"
        );
    }

    #[test]
    fn a_text_of_a_log_is_not_read_as_a_formula() {
        for (text, safe) in [
            ("=1+1", "'=1+1"),
            ("+A1", "'+A1"),
            ("-A1", "'-A1"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("-", "'-"),
            ("\t=1", "\"'\t=1\""),
            ("  =1", "'  =1"),
            ("a=1", "a=1"),
            ("\u{200b}=1", "'\u{FFFD}=1"),
            ("\u{feff}\u{202e}@x", "'\u{FFFD}\u{FFFD}@x"),
            ("\u{fe0f}=1", "'\u{fe0f}=1"),
            ("a\u{202e}b", "a\u{FFFD}b"),
        ] {
            assert_eq!(written(&[text]), format!("{safe}\r\n"), "{text:?}");
        }
    }

    #[test]
    fn a_negative_figure_stays_a_figure() {
        let mut out = String::new();
        line(&mut out, [plain(Some(-5.5)), plain(None::<u64>)].into_iter());
        assert_eq!(out, "-5.5,\r\n");
    }
}
