//! The prices of one model, and what a usage costs by them.

use loopbreak::Usage;
use loopbreak::settings::ModelPrice;

/// Prices in US dollars per million tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TokenPrice {
    /// Prices of ordinary calls.
    pub rates: TokenRates,
    /// Prices of calls with more input tokens than this; of several, the first that applies.
    long: [Option<(u64, TokenRates)>; 2],
}

/// Prices of each kind of tokens, in US dollars per million.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TokenRates {
    /// Input that is neither read from a cache nor written to it.
    pub input: Option<f64>,
    /// Output.
    pub output: Option<f64>,
    /// Input that is read from a cache.
    pub cache_read: Option<f64>,
    /// Input that is written to a cache.
    pub cache_write: Option<f64>,
    /// Input that is written to a cache, which keeps it for an hour.
    pub cache_write_1h: Option<f64>,
}

impl TokenPrice {
    /// Parses the columns of the table after the name. The last one holds the prices of long calls, with the highest limit first.
    pub(super) fn parse(columns: &str) -> Option<Self> {
        let (rates, long) = columns.rsplit_once('\t')?;
        let mut price = TokenPrice { rates: TokenRates::parse(rates.split('\t'))?, long: [None; 2] };
        for (place, tier) in price.long.iter_mut().zip(long.split(' ').filter(|tier| !tier.is_empty())) {
            let (limit, rates) = tier.split_once(':')?;
            *place = Some((limit.parse().ok()?, TokenRates::parse(rates.split(':'))?));
        }
        Some(price)
    }

    /// Replaces the prices that a user has set. Those of long calls and of long-lived caches are then not used, because they
    /// belong to the price that was replaced.
    pub(super) fn replace(self, own: &ModelPrice) -> Self {
        let rates = self.rates;
        TokenPrice {
            rates: TokenRates {
                input: own.input.or(rates.input),
                output: own.output.or(rates.output),
                // The discount is one of the price that it belongs to.
                cache_read: own.cache_read.or(rates.cache_read.filter(|_| own.input.is_none())),
                cache_write: own.cache_write.or(rates.cache_write.filter(|_| own.input.is_none())),
                cache_write_1h: None,
            },
            long: [None; 2],
        }
    }

    /// Returns the cost of a usage in US dollars, or `None` if it has no tokens or one of their prices is unknown.
    pub fn cost(&self, usage: &Usage) -> Option<f64> {
        if usage.input_tokens.is_none() && usage.output_tokens.is_none() {
            return None;
        }
        let input = usage.input_tokens.unwrap_or(0);
        let rates = self
            .long
            .iter()
            .flatten()
            .find(|(limit, _)| input > *limit)
            .map_or(&self.rates, |(_, rates)| rates);
        // The parts cannot be more than the whole, whatever a log says.
        let read = usage.cache_read_tokens.unwrap_or(0).min(input);
        let written = usage.cache_write_tokens.unwrap_or(0).min(input - read);
        let written_1h = usage.cache_write_1h_tokens.unwrap_or(0).min(written);
        let write = rates.cache_write.or(rates.input);
        let parts = [
            (input - read - written, rates.input),
            (read, rates.cache_read.or(rates.input)),
            (written - written_1h, write),
            (written_1h, rates.cache_write_1h.or(write)),
            (usage.output_tokens.unwrap_or(0), rates.output),
        ];
        parts
            .into_iter()
            .filter(|(tokens, _)| *tokens > 0)
            .try_fold(0.0, |sum, (tokens, price)| Some(sum + tokens as f64 * price? / 1e6))
    }
}

impl TokenRates {
    fn parse<'t>(mut columns: impl Iterator<Item = &'t str>) -> Option<Self> {
        let mut next = || match columns.next()? {
            "-" => Some(None),
            number => number.parse().ok().map(Some),
        };
        Some(TokenRates {
            input: next()?,
            output: next()?,
            cache_read: next()?,
            cache_write: next()?,
            cache_write_1h: next()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRICE: &str = "3\t15\t0.3\t3.75\t6\t200000:6:22.5:0.6:7.5:12";

    fn usage(input: u64, output: u64, read: u64, written: u64, hour: u64) -> Usage {
        let some = |tokens: u64| Some(tokens).filter(|tokens| *tokens > 0);
        Usage {
            input_tokens: Some(input),
            output_tokens: Some(output),
            cache_read_tokens: some(read),
            cache_write_tokens: some(written),
            cache_write_1h_tokens: some(hour),
            cost_usd: None,
        }
    }

    fn cost(usage: &Usage) -> Option<f64> {
        TokenPrice::parse(PRICE).unwrap().cost(usage).map(|cost| (cost * 1e6).round() / 1e6)
    }

    #[test]
    fn every_kind_of_token_has_its_price() {
        assert_eq!(cost(&usage(100_000, 0, 0, 0, 0)), Some(0.3));
        assert_eq!(cost(&usage(0, 100_000, 0, 0, 0)), Some(1.5));
        assert_eq!(cost(&usage(100_000, 0, 100_000, 0, 0)), Some(0.03));
        assert_eq!(cost(&usage(100_000, 0, 0, 100_000, 0)), Some(0.375));
        assert_eq!(cost(&usage(100_000, 0, 0, 100_000, 100_000)), Some(0.6));
        assert_eq!(cost(&usage(100_000, 1_000, 50_000, 20_000, 10_000)), Some(0.2175));
    }

    #[test]
    fn a_long_call_has_another_price() {
        assert_eq!(cost(&usage(200_000, 0, 0, 0, 0)), Some(0.6));
        assert_eq!(cost(&usage(200_001, 0, 200_001, 0, 0)), Some(0.120_001));
        assert_eq!(cost(&usage(1_000_000, 100_000, 0, 0, 0)), Some(8.25));
    }

    #[test]
    fn parts_that_exceed_the_whole_are_cut_and_nothing_overflows() {
        assert_eq!(cost(&usage(100, 0, 1_000, 1_000, 1_000)), Some(0.000_03));
        assert!(cost(&usage(u64::MAX, u64::MAX, u64::MAX, u64::MAX, u64::MAX)).unwrap().is_finite());
        assert_eq!(cost(&Usage { cache_read_tokens: Some(5), ..Usage::default() }), None);
    }

    #[test]
    fn a_missing_price_makes_the_cost_unknown_only_if_it_is_needed() {
        let price = TokenPrice::parse("-\t15\t-\t-\t-\t").unwrap();
        assert_eq!(price.cost(&usage(0, 1_000_000, 0, 0, 0)), Some(15.0));
        assert_eq!(price.cost(&usage(1, 1_000_000, 0, 0, 0)), None);
        let plain = TokenPrice::parse("3\t15\t-\t-\t-\t").unwrap();
        assert_eq!(
            plain.cost(&usage(1_000_000, 0, 500_000, 500_000, 500_000)),
            Some(3.0),
            "no discount is known"
        );
    }

    #[test]
    fn a_price_of_the_user_replaces_that_of_the_table() {
        let table = TokenPrice::parse(PRICE).unwrap();
        let own = table.replace(&ModelPrice { output: Some(1.0), ..ModelPrice::default() });
        assert_eq!(own.cost(&usage(1_000_000, 1_000_000, 0, 0, 0)), Some(4.0));
        assert_eq!(own.cost(&usage(1_000_000, 0, 1_000_000, 0, 0)), Some(0.3));
        let own = table.replace(&ModelPrice { input: Some(1.0), ..ModelPrice::default() });
        assert_eq!(
            own.cost(&usage(1_000_000, 0, 1_000_000, 0, 0)),
            Some(1.0),
            "the discount was one of another price"
        );
    }

    #[test]
    fn broken_columns_are_no_price() {
        for text in [
            "",
            "3",
            "3\t15\t0.3\t3.75\t",
            "3\tx\t-\t-\t-\t",
            "3\t15\t-\t-\t-\t200000",
            "3\t15\t-\t-\t-\t2:1:2",
        ] {
            assert_eq!(TokenPrice::parse(text), None, "{text:?}");
        }
    }
}
