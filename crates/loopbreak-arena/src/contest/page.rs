//! Renders a contest as one HTML page: no network, no script, light and dark mode, printable.

use std::fmt::Write as _;

use loopbreak_report::markup::{END, HtmlPage, escape, row, section};

use super::chart_scale::ChartScale;
use super::contest_report::{AblationRow, ContestReport, PlayerRow};
use super::intervals::{MeanInterval, ShareInterval};

const STYLE: &str = include_str!("page.css");

/// Explanations of the columns.
const MEASURES: [(&str, &str); 9] = [
    ("without", "The same games with Loopbreak in observe mode: the player makes the same moves as alone."),
    ("obeys", "Probability with which a player follows advice. Without Loopbreak there is no advice."),
    (
        "wasted",
        "Turns after the last progress, which is a point or an objective. A game that ends early, by a stop or by a death, has \
         fewer of them.",
    ),
    (
        "loops left",
        "Loops that were left within 10 turns after they were detected, and not resumed within 20. A loop whose game ended \
         within these 10 turns is not counted, so stopped games have fewer loops.",
    ),
    ("ended", "Games stopped by Loopbreak."),
    ("falsely", "Stopped games that would still have scored, as the same game without stops did."),
    ("points lost", "Points lost by such stops, averaged over all games."),
    (
        "penalized",
        "Proposals to continue a detected loop, although there was an alternative, whose score was lowered.",
    ),
    (
        "died",
        "Games in which the player died. A player that is sent elsewhere may die there, which also shortens the game.",
    ),
];

/// Renders the page.
pub fn render_page(report: &ContestReport) -> String {
    let mut out = format!(
        "<header>\n<h1>Games with Loopbreak, and without</h1>\n\
         <p>{} of each player, the first with seed {}, {} turns at most.</p>\n</header>\n<main>\n",
        games(report.episodes),
        report.seed,
        report.max_turns
    );
    targets(&mut out, report);
    let scale = ChartScale::fitting(report.rows.iter().flat_map(|row| [&row.score_without, &row.score]));
    players(&mut out, "stuck", "Players that get stuck", &scale, report.rows.iter().filter(|row| row.stuck));
    players(&mut out, "others", "Players that do not", &scale, report.rows.iter().filter(|row| !row.stuck));
    ablations(&mut out, &report.ablations);
    measures(&mut out);
    out += "</main>\n";
    HtmlPage { title: "Loopbreak contest", style: STYLE, script: None, body: &out }.write()
}

fn games(count: u32) -> String {
    if count == 1 { "1 game".to_owned() } else { format!("{count} games") }
}

/// Formats a value with one digit. Rounding never gives minus zero.
fn number(figure: f64) -> String {
    format!("{:.1}", (figure * 10.0).round() / 10.0 + 0.0)
}

fn mean(mean: &MeanInterval) -> String {
    format!("{} <small>{} to {}</small>", number(mean.mean), number(mean.low), number(mean.high))
}

/// Formats a difference with its sign.
fn change(mean: &MeanInterval) -> String {
    let signed = |figure: f64| format!("{:+.1}", (figure * 10.0).round() / 10.0 + 0.0);
    format!("{} <small>{} to {}</small>", signed(mean.mean), signed(mean.low), signed(mean.high))
}

fn share(share: &ShareInterval) -> String {
    let percent = |share: f64| format!("{:.0}", 100.0 * share);
    share.share.map_or_else(
        || "–".to_owned(),
        |it| format!("{} % <small>{} to {} %</small>", percent(it), percent(share.low), percent(share.high)),
    )
}

/// Renders two values in a cell, in the order and colours of the dots next to them.
fn pair(without: &str, with: &str) -> String {
    format!("<span class=\"before\">{without}</span><span class=\"after\">{with}</span>")
}

fn targets(out: &mut String, report: &ContestReport) {
    let text = "The targets of Loopbreak, and the values measured in these games.";
    section(out, "targets", "Targets", text, &["target", "seen", ""]);
    for target in &report.targets {
        let (class, met) = match target.met {
            Some(true) => ("met", "met"),
            Some(false) => ("missed", "missed"),
            None => ("none", "not measured"),
        };
        let met = format!("<span class=\"{class}\">{met}</span>");
        row(out, target.target, &[escape(&target.seen), met]);
    }
    *out += END;
}

fn players<'r>(
    out: &mut String,
    id: &str,
    title: &str,
    scale: &ChartScale,
    rows: impl Iterator<Item = &'r PlayerRow>,
) {
    let mut rows = rows.peekable();
    if rows.peek().is_none() {
        return;
    }
    let text = "<span class=\"key\"></span> without Loopbreak, <span class=\"key own\"></span> with it: the mean score \
                at the end with its 95 % interval. Of two figures in a cell, the upper one is without and the lower one \
                with it; small figures are 95 % intervals.";
    let score = format!("score{}", scale.axis());
    let columns = [
        "player",
        "obeys",
        &score,
        "score",
        "gain",
        "turns",
        "wasted",
        "loops left",
        "ended",
        "falsely",
        "points lost",
        "penalized",
        "won",
        "died",
    ];
    section(out, id, title, text, &columns);
    for one in rows {
        let label = format!(
            "score {} without Loopbreak, {} with it",
            number(one.score_without.mean),
            number(one.score.mean)
        );
        let cells = [
            one.obedience.to_string(),
            scale.dots(&label, &[("without", &one.score_without), ("with", &one.score)]),
            pair(&mean(&one.score_without), &mean(&one.score)),
            change(&one.gain),
            pair(&number(one.turns_without.mean), &number(one.turns.mean)),
            pair(&mean(&one.wasted_without), &mean(&one.wasted)),
            pair(&share(&one.broken_without), &share(&one.broken)),
            share(&one.stops),
            share(&one.false_stops),
            mean(&one.destroyed),
            share(&one.penalized),
            pair(&one.won_without.to_string(), &one.won.to_string()),
            pair(&one.died_without.to_string(), &one.died.to_string()),
        ];
        row(out, one.player, &cells);
    }
    *out += END;
}

fn ablations(out: &mut String, ablations: &[AblationRow]) {
    if ablations.is_empty() {
        return;
    }
    let text = "The same games with one part of Loopbreak removed at a time. The difference shows the effect of the part.";
    let scale = ChartScale::fitting(ablations.iter().map(|one| &one.stuck_score));
    let score = format!("score of stuck players{}", scale.axis());
    let columns = ["removed part", &score, "", "their turns", "loops left", "score of others", "ended"];
    section(out, "parts", "Part by part", text, &columns);
    for one in ablations {
        let label = format!("score {}", number(one.stuck_score.mean));
        let cells = [
            scale.dots(&label, &[("with", &one.stuck_score)]),
            mean(&one.stuck_score),
            mean(&one.stuck_turns),
            share(&one.broken),
            mean(&one.healthy_score),
            share(&one.healthy_stops),
        ];
        row(out, one.without.unwrap_or("(nothing)"), &cells);
    }
    *out += END;
}

fn measures(out: &mut String) {
    *out += "<section id=\"measures\" aria-labelledby=\"measures-h\">\n<h2 id=\"measures-h\">How it is measured</h2>\n<dl>\n";
    for (name, text) in MEASURES {
        let _ = writeln!(out, "<dt>{name}</dt><dd>{text}</dd>");
    }
    *out += "</dl>\n</section>\n";
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contest::{ContestPlan, ContestTarget, EnginePart, GameContest};
    use crate::episode::EpisodeRules;
    use crate::player::PlayerKind;
    use loopbreak::{Config, Profile};

    fn report(players: Vec<PlayerKind>, ablate: bool) -> ContestReport {
        let contest = GameContest {
            story: crate::stories::spillway(),
            rules: EpisodeRules { max_turns: 40, ..EpisodeRules::default() },
            seed: 1,
            episodes: 2,
        };
        let plan =
            ContestPlan { players, obedience: vec![0.0, 0.5], config: Config::from(Profile::Game), ablate };
        ContestReport::play(&contest, &plan, &|| {}).unwrap()
    }

    /// Checks that every element is closed, in order.
    fn assert_balanced(page: &str) {
        let mut open = Vec::new();
        // Angle brackets in texts are escaped, and the style contains none.
        for tag in page.split('<').skip(1) {
            let tag = tag.split_once('>').unwrap_or_else(|| panic!("a tag is left open: {tag}")).0;
            let name = tag.split_whitespace().next().unwrap_or_default();
            match name.strip_prefix('/') {
                Some(name) => assert_eq!(open.pop(), Some(name), "</{name}> closes another"),
                None if tag.ends_with('/') || ["!doctype", "meta"].contains(&name) => {}
                None => open.push(name),
            }
        }
        assert!(open.is_empty(), "{open:?}");
    }

    #[test]
    fn the_page_has_one_row_per_player_and_obedience_and_one_per_part() {
        let page = render_page(&report(vec![PlayerKind::Camper, PlayerKind::Explorer], true));
        assert_balanced(&page);
        assert!(page.contains(">died<") && page.contains("<dt>died</dt>"), "{page}");
        for name in ["camper", "explorer"] {
            let head = format!("<th scope=\"row\">{name}</th>");
            assert_eq!(page.matches(&head).count(), 2, "{name}");
        }
        for part in EnginePart::ALL {
            assert!(page.contains(&format!("<th scope=\"row\">{}</th>", part.as_str())), "{part:?}");
        }
        // Two dots per player and obedience, one for the complete settings, one per part.
        assert_eq!(page.matches("<circle").count(), 2 * 4 + 1 + EnginePart::ALL.len());
        assert!(!page.contains("NaN") && !page.contains("inf"), "{page}");
    }

    #[test]
    fn sections_without_rows_are_omitted() {
        let page = render_page(&report(vec![PlayerKind::Wanderer], false));
        assert_balanced(&page);
        assert!(page.contains("id=\"others\"") && page.contains("not measured"));
        assert!(!page.contains("id=\"stuck\"") && !page.contains("id=\"parts\""));
    }

    #[test]
    fn the_page_loads_nothing_and_escapes_all_texts() {
        let mut report = report(vec![PlayerKind::Camper], false);
        let seen = "<script src=x>alert('1')</script> & \"more\"".to_owned();
        report.targets.push(ContestTarget { target: "a < b", seen, met: Some(false) });
        let page = render_page(&report);
        assert_balanced(&page);
        assert!(page.contains("a &lt; b") && page.contains("&lt;script src=x&gt;alert(&#39;1&#39;)"));
        for word in ["<script", "://", "<link", "<img", "url(", "@import"] {
            assert!(!page.contains(word), "{word}");
        }
        assert!(page.contains("default-src 'none'") && page.contains("prefers-color-scheme: dark"));
        assert!(page.contains("@media print") && page.contains("<span class=\"missed\">missed</span>"));
    }

    #[test]
    fn rounding_never_gives_minus_zero() {
        let near = MeanInterval { mean: -0.01, low: -0.04, high: 0.02 };
        assert_eq!(change(&near), "+0.0 <small>+0.0 to +0.0</small>");
        assert_eq!(number(-0.04), "0.0");
    }
}
