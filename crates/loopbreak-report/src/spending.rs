//! Money in words, the same in every output.

use loopbreak_analysis::{RunSpending, TotalSpending};

use crate::number::{dollars, percent, rough};

/// Number of unpriced models that a sentence names.
const NAMED_MODELS: usize = 3;

/// Formats an amount. An estimate has a `~`.
pub(crate) fn amount(usd: f64, is_estimate: bool) -> String {
    let text = dollars(usd);
    format!("{}{text}", if is_estimate && !text.starts_with('<') { "~" } else { "" })
}

/// Describes what a run cost: `$1.20`, `~$1.20`, `~$1.20 (12 k tokens unpriced)`, `unpriced`. Nothing if the log has neither tokens
/// nor a cost.
pub(crate) fn run_cost(run: &RunSpending) -> Option<String> {
    let unpriced = run.unpriced_tokens;
    match run.spent_usd {
        Some(usd) if unpriced > 0 => Some(format!(
            "{} ({} tokens unpriced)",
            amount(usd, run.estimated_usd.is_some()),
            rough(unpriced)
        )),
        Some(usd) => Some(amount(usd, run.estimated_usd.is_some())),
        None => (unpriced > 0).then(|| "unpriced".to_owned()),
    }
}

/// Describes what the loops of a run cost, unless it is nothing.
pub(crate) fn loop_cost(run: &RunSpending) -> Option<String> {
    let usd = run.in_loops_usd.filter(|usd| *usd > 0.0)?;
    Some(format!("{} in loops", amount(usd, run.estimated_usd.is_some())))
}

/// Describes what all runs cost: `you spent ~$41.20, ~$12.30 of it in loops (30 %)`.
pub(crate) fn total_cost(all: &TotalSpending) -> Option<String> {
    let spent = all.spent_usd?;
    let is_estimate = all.estimated_usd.is_some();
    let mut text = format!("you spent {}", amount(spent, is_estimate));
    if let Some(in_loops) = all.in_loops_usd {
        let micros = |usd: f64| (usd * 1e6) as u64;
        let share = percent(micros(in_loops), micros(spent));
        text = format!("{text}, {} of it in loops ({share} %)", amount(in_loops, is_estimate));
    }
    Some(text)
}

/// Names the source of the prices, if anything is estimated.
pub(crate) fn price_source(all: &TotalSpending) -> Option<String> {
    let source = all.prices?;
    Some(format!("~ estimated with the list prices of {} ({})", source.package, source.date))
}

/// Says which tokens have no price: `unpriced: 1.2 M tokens of gpt-9 and 2 more models`.
pub(crate) fn unpriced(all: &TotalSpending) -> Option<String> {
    if all.unpriced_tokens == 0 {
        return None;
    }
    let mut names: Vec<&str> = all.unpriced_models.iter().map(|(model, _)| model.as_str()).collect();
    let has_nameless = names.contains(&"");
    names.retain(|name| !name.is_empty());
    let more = names.len().saturating_sub(NAMED_MODELS);
    let mut text =
        names.into_iter().take(NAMED_MODELS).map(loopbreak::text::printable).collect::<Vec<_>>().join(", ");
    if more > 0 {
        text = format!("{text} and {more} more model{}", if more == 1 { "" } else { "s" });
    }
    if has_nameless {
        text +=
            if text.is_empty() { "models that the log does not name" } else { ", and models without a name" };
    }
    Some(format!("unpriced: {} tokens of {text}", rough(all.unpriced_tokens)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_cost_is_not_zero_and_an_estimate_is_marked() {
        let run = |spent_usd, estimated_usd, unpriced_tokens| RunSpending {
            spent_usd,
            estimated_usd,
            unpriced_tokens,
            ..RunSpending::default()
        };
        assert_eq!(run_cost(&run(None, None, 0)), None);
        assert_eq!(run_cost(&run(None, None, 5)).as_deref(), Some("unpriced"));
        assert_eq!(run_cost(&run(Some(1.2), None, 0)).as_deref(), Some("$1.20"));
        assert_eq!(run_cost(&run(Some(0.0), None, 0)).as_deref(), Some("$0.00"), "the log says so");
        let mixed = run_cost(&run(Some(1.2), Some(0.2), 12_345));
        assert_eq!(mixed.as_deref(), Some("~$1.20 (12 k tokens unpriced)"));
    }

    #[test]
    fn the_total_names_the_share_of_loops_and_the_unpriced_models() {
        let all = TotalSpending {
            spent_usd: Some(40.0),
            estimated_usd: Some(4.0),
            in_loops_usd: Some(10.0),
            unpriced_tokens: 1_500_000,
            unpriced_models: [("gpt-99", 9), ("", 8), ("a", 7), ("b", 6), ("c", 5)]
                .map(|(model, tokens)| (model.to_owned(), tokens))
                .to_vec(),
            ..TotalSpending::default()
        };
        assert_eq!(total_cost(&all).as_deref(), Some("you spent ~$40.00, ~$10.00 of it in loops (25 %)"));
        let expected = "unpriced: 1.5 M tokens of gpt-99, a, b and 1 more model, and models without a name";
        assert_eq!(unpriced(&all).as_deref(), Some(expected));
        assert_eq!(
            (total_cost(&TotalSpending::default()), unpriced(&TotalSpending::default())),
            (None, None)
        );
    }
}
