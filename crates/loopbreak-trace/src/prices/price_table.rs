//! The table of prices that Loopbreak contains, with the prices of the user over it.

use std::collections::BTreeMap;

use loopbreak::settings::{ModelPrice, Settings};

use super::model_name::spellings;
use super::token_price::TokenPrice;

/// Lines that begin with `#` say where the prices are from. The others are sorted by name: `cargo xtask prices` writes them.
const TABLE: &str = include_str!("../../data/prices.tsv");

/// The source of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PriceSource {
    /// The day on which the prices were taken, such as `2026-11-18`.
    pub date: &'static str,
    /// The package and its version, such as `litellm 1.109.1`.
    pub package: &'static str,
}

impl PriceSource {
    /// Returns the source of the table.
    pub fn current() -> Self {
        let head = |key: &str| {
            let mut lines = TABLE.lines().take_while(|line| line.starts_with('#'));
            lines
                .find_map(|line| line.strip_prefix("# ")?.strip_prefix(key)?.strip_prefix(": "))
                .unwrap_or_default()
        };
        PriceSource { date: head("date"), package: head("source") }
    }
}

/// Prices of models: those of the user, then those of the table.
#[derive(Clone, Debug, Default)]
pub struct PriceTable {
    own: BTreeMap<String, ModelPrice>,
}

impl PriceTable {
    /// Creates the table with the prices of the user.
    pub fn new(settings: &Settings) -> Self {
        let own = settings.prices.iter();
        PriceTable { own: own.map(|(name, price)| (spellings(name)[0].clone(), *price)).collect() }
    }

    /// Returns the table that Loopbreak contains, as text.
    pub fn text() -> &'static str {
        TABLE
    }

    /// Returns the price of a model. A model that has none is unpriced, whatever the names of others are.
    pub fn price(&self, model: &str) -> Option<TokenPrice> {
        let spellings = spellings(model);
        let listed = spellings.iter().find_map(|name| find(name));
        match spellings.iter().find_map(|name| self.own.get(name)) {
            Some(own) => Some(listed.unwrap_or_default().replace(own)),
            None => listed,
        }
    }
}

/// Finds a model in the table, which is searched as text: a report needs few of its lines.
fn find(name: &str) -> Option<TokenPrice> {
    if name.is_empty() || name.contains(['\t', '\n', '#']) {
        return None;
    }
    let (mut low, mut high) = (0, TABLE.len());
    while low < high {
        let middle = TABLE.floor_char_boundary(low + (high - low) / 2);
        let start = TABLE[low..middle].rfind('\n').map_or(low, |at| low + at + 1);
        let end = TABLE[start..].find('\n').map_or(TABLE.len(), |at| start + at);
        let line = &TABLE[start..end];
        let (found, columns) = line.split_once('\t').unwrap_or((line, ""));
        match found.cmp(name) {
            std::cmp::Ordering::Equal => return TokenPrice::parse(columns),
            std::cmp::Ordering::Less => low = end + 1,
            std::cmp::Ordering::Greater => high = start,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use loopbreak::Usage;

    use super::*;
    use crate::prices::model_name::spellings;

    fn rows() -> Vec<(&'static str, TokenPrice)> {
        let rows = TABLE.lines().filter(|line| !line.starts_with('#'));
        rows.map(|line| {
            let (name, columns) = line.split_once('\t').unwrap();
            (name, TokenPrice::parse(columns).unwrap_or_else(|| panic!("{line}")))
        })
        .collect()
    }

    #[test]
    fn the_table_is_sorted_plausible_and_found_line_by_line() {
        let rows = rows();
        assert!(rows.len() > 500, "{} rows", rows.len());
        assert!(rows.is_sorted_by(|(one, _), (other, _)| one < other));
        for (name, price) in rows {
            assert_eq!(find(name), Some(price), "{name}");
            assert_eq!(PriceTable::default().price(name), Some(price), "{name}");
            let rates = price.rates;
            let all = [rates.input, rates.output, rates.cache_read, rates.cache_write, rates.cache_write_1h];
            let is_plausible = |rate: f64| rate.is_finite() && (0.0..=1_000.0).contains(&rate);
            assert!(all.into_iter().flatten().all(is_plausible), "{name} {all:?}");
            assert!(rates.input.is_some() && rates.output.is_some(), "{name}");
            assert_eq!(spellings(name)[0], name);
        }
    }

    #[test]
    fn the_source_has_a_day_and_a_version() {
        let PriceSource { date, package } = PriceSource::current();
        let day = loopbreak::step::EpochMillis::parse(date).unwrap();
        assert!(day.0 > 1_760_000_000_000 && date.len() == 10, "{date}");
        assert!(
            package.starts_with("litellm ") && package.ends_with(|end: char| end.is_ascii_digit()),
            "{package}"
        );
    }

    /// Anthropic's documentation gives these ratios for all models: reading a tenth, writing five quarters, for an hour twice.
    #[test]
    fn the_cache_prices_of_claude_have_the_documented_ratios() {
        for model in ["claude-opus-4-6", "claude-sonnet-4-5", "claude-haiku-4-5-20251001"] {
            let rates = PriceTable::default().price(model).unwrap().rates;
            let ratio = |rate: Option<f64>| (rate.unwrap() / rates.input.unwrap() * 100.0).round();
            let ratios = (ratio(rates.cache_read), ratio(rates.cache_write), ratio(rates.cache_write_1h));
            assert_eq!(ratios, (10.0, 125.0, 200.0), "{model}");
        }
    }

    #[test]
    fn the_spellings_of_one_model_have_one_price() {
        let table = PriceTable::default();
        let price = table.price("claude-sonnet-4-5-20250929").unwrap().rates;
        for name in [
            "claude-sonnet-4-5",
            "anthropic/claude-sonnet-4.5",
            "openrouter/anthropic/claude-sonnet-4-5",
            "claude-sonnet-4-5@20250929",
            "claude-sonnet-4-5[1m]",
            "CLAUDE-SONNET-4-5",
        ] {
            assert_eq!(table.price(name).map(|price| price.rates), Some(price), "{name}");
        }
    }

    /// The sums of three logs of SWE-agent, which state their tokens and their cost. Two name no model: they were made with the
    /// model that SWE-agent calls `gpt4`. In the first, a part of the input was cheaper.
    #[test]
    fn the_estimate_agrees_with_the_cost_that_swe_agent_states() {
        for (model, input, output, stated) in [
            ("gpt-4o", 7_141, 243, 0.01952),
            ("gpt-4-1106-preview", 52_861, 326, 0.53839),
            ("gpt-4-1106-preview", 122_612, 1_369, 1.26719),
        ] {
            let usage = Usage { input_tokens: Some(input), output_tokens: Some(output), ..Usage::default() };
            let estimated = PriceTable::default().price(model).and_then(|price| price.cost(&usage)).unwrap();
            assert!((estimated / stated - 1.0).abs() < 0.05, "{model}: {estimated} of {stated}");
        }
    }

    #[test]
    fn an_unknown_model_has_no_price() {
        for name in [
            "",
            "gpt",
            "claude",
            "claude-sonnet",
            "claude-opus-99",
            "claude-sonnet-4-5-mine",
            "sonnet",
            "scripted",
            "# date",
            "\t",
            "gpt-4o\nx",
            "\u{1F980}",
            "zzzz",
            "!",
            "<synthetic>",
        ] {
            assert_eq!(PriceTable::default().price(name), None, "{name:?}");
        }
    }

    #[test]
    fn the_prices_of_the_user_come_first_under_each_spelling() {
        let own = ModelPrice { input: Some(1.0), output: Some(2.0), ..ModelPrice::default() };
        let mut settings = Settings::default();
        settings.prices.insert("Claude-Sonnet-4-5".to_owned(), own);
        settings.prices.insert("lab/mine".to_owned(), own);
        let table = PriceTable::new(&settings);
        let usage =
            Usage { input_tokens: Some(1_000_000), output_tokens: Some(1_000_000), ..Usage::default() };
        for name in ["claude-sonnet-4-5-20250929", "us.anthropic.claude-sonnet-4-5-20250929-v1:0", "lab/mine"]
        {
            assert_eq!(table.price(name).and_then(|price| price.cost(&usage)), Some(3.0), "{name}");
        }
        assert_eq!(table.price("mine"), None, "the user named the provider");
    }
}
