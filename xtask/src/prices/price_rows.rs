//! The rows of the table: one per plain name, and one per name of a provider whose price is another one.

use std::collections::{BTreeMap, BTreeSet};

use super::listed_price::ListedPrice;
use super::model_name::spellings;

/// Providers that made the models they sell. Their price is the one of the plain name.
const MAKERS: [&str; 21] = [
    "anthropic",
    "openai",
    "text-completion-openai",
    "gemini",
    "vertex_ai-language-models",
    "xai",
    "deepseek",
    "mistral",
    "codestral",
    "text-completion-codestral",
    "moonshot",
    "zai",
    "dashscope",
    "minimax",
    "cohere",
    "cohere_chat",
    "ai21",
    "amazon_nova",
    "meta_llama",
    "morph",
    "tencent",
];

/// Models by name, each with its provider and its columns.
#[derive(Default)]
pub(super) struct PriceRows {
    listed: BTreeMap<String, (String, String)>,
}

impl PriceRows {
    /// Adds the models of a list that are not known yet.
    pub(super) fn add(&mut self, list: &str) -> Result<(), serde_json::Error> {
        let models: BTreeMap<String, serde_json::Value> = serde_json::from_str(list)?;
        for (name, model) in models {
            let Ok(model) = serde_json::from_value::<ListedPrice>(model) else { continue };
            let [exact, ..] = spellings(&name);
            let is_name = !exact.is_empty()
                && exact != "sample_spec"
                && exact.bytes().all(|byte| byte.is_ascii_graphic());
            if let Some(columns) = model.columns().filter(|_| is_name && !exact.starts_with('#')) {
                self.listed.entry(exact).or_insert((model.provider, columns));
            }
        }
        Ok(())
    }

    /// Returns the rows.
    pub(super) fn finish(self) -> BTreeMap<String, String> {
        let mut rows = BTreeMap::new();
        // The price of the maker, then one on which all sellers agree.
        let is_maker = |provider: &str| MAKERS.contains(&provider);
        for by_maker in [true, false] {
            for spelling in [1, 2] {
                let mut agreed: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
                for (name, (provider, columns)) in &self.listed {
                    if is_maker(provider) || !by_maker {
                        agreed.entry(spellings(name)[spelling].clone()).or_default().insert(columns);
                    }
                }
                for (name, columns) in agreed {
                    let maker_own =
                        self.listed.get(&name).filter(|(provider, _)| by_maker && is_maker(provider));
                    let only = columns.first().filter(|_| columns.len() == 1).copied();
                    let columns = maker_own.map(|(_, columns)| columns.as_str()).or(only);
                    if let Some(columns) = columns.filter(|_| !name.is_empty()) {
                        rows.entry(name).or_insert_with(|| columns.to_owned());
                    }
                }
            }
        }
        for (name, (_, columns)) in self.listed {
            let known = spellings(&name).iter().skip(1).find_map(|plain| rows.get(plain));
            if known != Some(&columns) {
                rows.insert(name, columns);
            }
        }
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(models: &[(&str, &str, f64)]) -> Vec<String> {
        let list: BTreeMap<&str, serde_json::Value> = models
            .iter()
            .map(|(name, provider, price)| {
                let model = serde_json::json!({"litellm_provider": provider, "mode": "chat",
                    "input_cost_per_token": price / 1e6, "output_cost_per_token": price / 1e6});
                (*name, model)
            })
            .collect();
        let mut rows = PriceRows::default();
        rows.add(&serde_json::to_string(&list).unwrap()).unwrap();
        let row =
            |(name, columns): (String, String)| format!("{name} {}", columns.split('\t').next().unwrap());
        rows.finish().into_iter().map(row).collect()
    }

    #[test]
    fn the_maker_decides_about_the_plain_name_and_a_seller_about_its_own() {
        let found =
            rows(&[("gpt-9", "openai", 1.0), ("azure/gpt-9", "azure", 1.0), ("host/gpt-9", "host", 2.0)]);
        assert_eq!(found, ["gpt-9 1", "host/gpt-9 2"]);
    }

    #[test]
    fn a_plain_name_whose_sellers_disagree_has_no_price() {
        assert_eq!(rows(&[("a/llama-9", "a", 1.0), ("b/llama-9", "b", 2.0)]), ["a/llama-9 1", "b/llama-9 2"]);
        assert_eq!(rows(&[("a/llama-9", "a", 1.0), ("b/llama-9", "b", 1.0)]), ["llama-9 1"]);
    }

    #[test]
    fn a_name_without_a_date_has_a_price_only_if_all_dates_agree() {
        let same = rows(&[("gpt-9-2026-01-01", "openai", 1.0), ("gpt-9-2026-02-02", "openai", 1.0)]);
        assert!(same.contains(&"gpt-9 1".to_owned()), "{same:?}");
        let other = rows(&[("gpt-9-2026-01-01", "openai", 1.0), ("gpt-9-2026-02-02", "openai", 3.0)]);
        assert!(!other.iter().any(|row| row.starts_with("gpt-9 ")), "{other:?}");
        let own = rows(&[("gpt-9", "openai", 2.0), ("gpt-9-2026-02-02", "openai", 3.0)]);
        assert_eq!(own, ["gpt-9 2", "gpt-9-2026-02-02 3"]);
    }
}
