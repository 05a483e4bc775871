//! The spellings of a model's name, from the one in the log to the plainest. Nothing here compares by similarity.

/// Regions with which Amazon Bedrock begins the names of inference profiles.
const REGIONS: [&str; 9] = ["us.", "eu.", "apac.", "ap.", "global.", "jp.", "au.", "ca.", "us-gov."];
/// Makers with which Amazon Bedrock begins the names of models.
const MAKERS: [&str; 13] = [
    "anthropic.",
    "meta.",
    "amazon.",
    "mistral.",
    "cohere.",
    "deepseek.",
    "openai.",
    "qwen.",
    "ai21.",
    "moonshotai.",
    "moonshot.",
    "minimax.",
    "zai.",
];

/// Returns the spellings under which a price is looked up, the most exact first: the name in lower case, the name without the
/// provider and the version of the provider, and that without a date.
pub(crate) fn spellings(name: &str) -> [String; 3] {
    let exact = lower_case(name);
    let plain = without_provider(&exact);
    let undated = without_date(&plain).to_owned();
    [exact, plain, undated]
}

/// Returns the name in lower case, without a note in brackets such as the `[1m]` of Claude Code.
fn lower_case(name: &str) -> String {
    let name = name.trim().to_ascii_lowercase();
    match name.strip_suffix(']').and_then(|rest| rest.rsplit_once('[')) {
        Some((name, _)) => name.to_owned(),
        None => name,
    }
}

/// Removes `openrouter/anthropic/`, `us.anthropic.`, `-v1:0` and `@default`, and writes `@20250929` as `-20250929`.
fn without_provider(name: &str) -> String {
    let mut plain = name.rsplit('/').next().unwrap_or(name);
    if let Some(rest) = REGIONS.iter().find_map(|region| plain.strip_prefix(region)) {
        plain = rest;
    }
    if let Some(rest) = MAKERS.iter().find_map(|maker| plain.strip_prefix(maker)) {
        plain = rest;
    }
    let plain = match plain.split_once('@') {
        Some((plain, "default" | "latest")) => plain.to_owned(),
        Some((plain, version)) => format!("{plain}-{version}"),
        None => without_version(plain).to_owned(),
    };
    // Some providers write the versions of Claude with a point.
    if plain.starts_with("claude") { plain.replace('.', "-") } else { plain }
}

/// Removes `-v1:0`, and `-v1` of Claude.
fn without_version(name: &str) -> &str {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let (rest, is_bedrock) = match name.rsplit_once(':') {
        Some((rest, number)) if is_number(number) => (rest, true),
        _ => (name, false),
    };
    match rest.rsplit_once("-v") {
        // Without its version, `claude-v2` would be any of them.
        Some((before, number))
            if is_number(number) && before.contains('-') && (is_bedrock || before.starts_with("claude-")) =>
        {
            before
        }
        _ => name,
    }
}

/// Removes `-20250929`, `-2025-09-29` and `-latest`.
fn without_date(name: &str) -> &str {
    if let Some(rest) = name.strip_suffix("-latest") {
        return rest;
    }
    let bytes = name.as_bytes();
    let ends_in = |shape: &[u8]| {
        bytes.len() > shape.len()
            && bytes[bytes.len() - shape.len()..].iter().zip(shape).all(|(byte, form)| match form {
                b'0' => byte.is_ascii_digit(),
                form => byte == form,
            })
    };
    let is_year = |from: usize| name.get(from..from + 2) == Some("20");
    for shape in ["-00000000", "-0000-00-00"] {
        let start = name.len().saturating_sub(shape.len());
        if ends_in(shape.as_bytes()) && is_year(start + 1) {
            return &name[..start];
        }
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_spellings_of_providers_lead_to_the_plain_name() {
        for name in [
            "claude-sonnet-4-5-20250929",
            "Claude-Sonnet-4-5-20250929[1m]",
            "anthropic/claude-sonnet-4-5-20250929",
            "openrouter/anthropic/claude-sonnet-4.5",
            "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
            "bedrock/global.anthropic.claude-sonnet-4-5-20250929-v1:0",
            "claude-sonnet-4-5@20250929",
            "vertex_ai/claude-sonnet-4-5@default",
            "claude-sonnet-4-5-latest",
        ] {
            assert_eq!(spellings(name)[2], "claude-sonnet-4-5", "{name}");
        }
        assert_eq!(spellings("anthropic.claude-opus-4-6-v1")[1], "claude-opus-4-6");
        assert_eq!(spellings("gpt-4o-2024-05-13")[1..], ["gpt-4o-2024-05-13", "gpt-4o"]);
        assert_eq!(spellings("models/gemini-2.5-pro")[1], "gemini-2.5-pro");
        assert_eq!(spellings("us.amazon.nova-pro-v1:0")[1], "nova-pro");
    }

    /// A number that is part of the name is neither a date nor a version.
    #[test]
    fn a_number_of_the_name_stays() {
        for name in [
            "gpt-4.1",
            "gpt-4-0613",
            "gpt-4-1106-preview",
            "qwen3-235b-a22b",
            "deepseek-v3",
            "llama3:8b",
            "o1",
            "claude-v2",
            "claude-v2:1",
            "phi:3",
            "",
        ] {
            assert_eq!(spellings(name), [name; 3], "{name}");
        }
        assert_eq!(spellings("x-99991231")[2], "x-99991231");
        assert_eq!(spellings("é-latest")[2], "é");
        assert_eq!(spellings("é20250101")[2], "é20250101");
    }
}
