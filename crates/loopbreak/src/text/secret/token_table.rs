//! Keys with a form of their own: a prefix that the vendor chose, and the letters that follow it.

use std::ops::Range;

use super::{FoundSecret, run};

/// The letters of a key after its prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenAlphabet {
    /// Letters and digits.
    Alphanumeric,
    /// Letters, digits, `-` and `_`.
    UrlSafe,
    /// As `UrlSafe`, and dots between the parts.
    Dotted,
    /// Capitals and digits.
    Capital,
    /// Hexadecimal digits in lower case.
    Hex,
}

impl TokenAlphabet {
    fn holds(self, byte: u8) -> bool {
        let word = byte.is_ascii_alphanumeric();
        match self {
            TokenAlphabet::Alphanumeric => word,
            TokenAlphabet::UrlSafe => word || matches!(byte, b'-' | b'_'),
            TokenAlphabet::Dotted => word || matches!(byte, b'-' | b'_' | b'.' | b'/' | b'+' | b'='),
            TokenAlphabet::Capital => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            TokenAlphabet::Hex => byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte),
        }
    }
}

/// One shape of a key.
#[derive(Clone, Copy, Debug)]
pub(super) struct TokenShape {
    /// The vendor or the kind of key.
    pub(super) name: &'static str,
    pub(super) prefix: &'static str,
    /// The least number of letters after the prefix.
    pub(super) least: usize,
    pub(super) alphabet: TokenAlphabet,
    /// Words with the same beginning that are no keys.
    #[cfg_attr(not(test), expect(dead_code, reason = "a test reads it"))]
    pub(super) near_misses: &'static [&'static str],
}

const fn shape(
    name: &'static str,
    prefix: &'static str,
    least: usize,
    alphabet: TokenAlphabet,
    near_misses: &'static [&'static str],
) -> TokenShape {
    TokenShape { name, prefix, least, alphabet, near_misses }
}

use TokenAlphabet::{Alphanumeric, Capital, Dotted, Hex, UrlSafe};

/// All shapes, sorted by prefix. A key has at least one digit after its prefix, unless it is 30 letters long: names of
/// packages, variables and functions rarely have both the prefix and a digit in the right place. A test makes an example
/// of each shape.
pub(super) const TOKEN_SHAPES: &[TokenShape] = &[
    shape("1password", "A3-", 30, UrlSafe, &["A3-paper"]),
    shape("aws", "ABIA", 16, Capital, &["ABIA is a word"]),
    shape("aws", "ACCA", 16, Capital, &["ACCA"]),
    shape("age", "AGE-SECRET-KEY-", 20, Capital, &["AGE-SECRET-KEY-", "AGE-SECRET-KEY-1..."]),
    shape("google", "AIza", 30, UrlSafe, &["AIza"]),
    shape("artifactory", "AKCp", 40, Alphanumeric, &["AKCp"]),
    shape("aws", "AKIA", 16, Capital, &["Akia is a word, AKIA too"]),
    shape("tencent", "AKID", 24, Alphanumeric, &["AKID"]),
    shape("aws", "ASIA", 16, Capital, &["ASIA PACIFIC"]),
    shape("atlassian", "ATATT3", 40, Dotted, &["ATATT3"]),
    shape("bitbucket", "ATBB", 24, Alphanumeric, &["ATBB"]),
    shape("atlassian", "ATCTT3", 40, Dotted, &["ATCTT3"]),
    shape("contentful", "CFPAT-", 30, UrlSafe, &["CFPAT-x"]),
    shape("facebook", "EAAC", 60, Alphanumeric, &["EAAC"]),
    shape("square", "EAAAE", 50, UrlSafe, &["EAAAE"]),
    shape("easypost", "EZAK", 50, Alphanumeric, &["EZAK"]),
    shape("flutterwave", "FLWSECK", 12, UrlSafe, &["FLWSECK"]),
    shape("google", "GOCSPX-", 20, UrlSafe, &["GOCSPX-"]),
    shape("heroku", "HRKU-", 30, UrlSafe, &["HRKU-"]),
    shape("alibaba", "LTAI", 16, Alphanumeric, &["LTAI"]),
    shape("new-relic", "NRAK-", 20, Alphanumeric, &["NRAK-"]),
    shape("new-relic", "NRII-", 20, UrlSafe, &["NRII-"]),
    shape("new-relic", "NRJS-", 16, Alphanumeric, &["NRJS-"]),
    shape("postman", "PMAK-", 30, UrlSafe, &["PMAK-1"]),
    shape("sendgrid", "SG.", 30, Dotted, &["SG.example", "SG. 22"]),
    shape("twilio", "SK", 32, Hex, &["SKIP", "SKU 1234"]),
    shape("hugging-face", "api_org_", 24, Alphanumeric, &["api_org_name"]),
    shape("crates-io", "cio", 32, Alphanumeric, &["cio"]),
    shape("databricks", "dapi", 32, Hex, &["dapic", "dapi"]),
    shape("docker", "dckr_oat_", 20, UrlSafe, &["dckr_oat_"]),
    shape("docker", "dckr_pat_", 20, UrlSafe, &["dckr_pat_"]),
    shape("digitalocean", "doo_v1_", 40, Hex, &["doo_v1_"]),
    shape("digitalocean", "dop_v1_", 40, Hex, &["dop_v1_"]),
    shape("digitalocean", "dor_v1_", 40, Hex, &["dor_v1_"]),
    shape("doppler", "dp.ct.", 30, Alphanumeric, &["dp.ct.x"]),
    shape("doppler", "dp.pt.", 30, Alphanumeric, &["dp.pt.x"]),
    shape("doppler", "dp.sa.", 30, Alphanumeric, &["dp.sa.x"]),
    shape("doppler", "dp.scim.", 30, Alphanumeric, &["dp.scim.x"]),
    shape("doppler", "dp.st.", 30, Dotted, &["dp.st.x"]),
    shape("dynatrace", "dt0c01.", 40, Dotted, &["dt0c01."]),
    shape("duffel", "duffel_live_", 30, UrlSafe, &["duffel_live_"]),
    shape("e2b", "e2b_", 30, Hex, &["e2b_sandbox"]),
    shape("figma", "figd_", 30, UrlSafe, &["figd_"]),
    shape("fly", "fm1_", 40, Dotted, &["fm1_"]),
    shape("fly", "fm2_", 40, Dotted, &["fm2_"]),
    shape("fly", "fo1_", 30, UrlSafe, &["fo1_"]),
    shape("github", "gho_", 16, Alphanumeric, &["gho_st"]),
    shape("github", "ghp_", 16, Alphanumeric, &["ghp_"]),
    shape("github", "ghr_", 16, Alphanumeric, &["ghr_"]),
    shape("github", "ghs_", 16, Alphanumeric, &["ghs_"]),
    shape("github", "ghu_", 16, Alphanumeric, &["ghu_"]),
    shape("github", "github_pat_", 16, UrlSafe, &["github_pat_", "github_pattern_matcher"]),
    shape("gitlab", "glagent-", 20, UrlSafe, &["glagent-x"]),
    shape("grafana", "glc_", 30, Dotted, &["glc_"]),
    shape("gitlab", "glcbt-", 16, UrlSafe, &["glcbt-"]),
    shape("gitlab", "gldt-", 16, UrlSafe, &["gldt-"]),
    shape("gitlab", "glft-", 16, UrlSafe, &["glft-"]),
    shape("gitlab", "glimt-", 16, UrlSafe, &["glimt-"]),
    shape("gitlab", "glpat-", 16, UrlSafe, &["glpat-"]),
    shape("gitlab", "glptt-", 16, UrlSafe, &["glptt-"]),
    shape("gitlab", "glrt-", 16, UrlSafe, &["glrt-"]),
    shape("grafana", "glsa_", 30, UrlSafe, &["glsa_"]),
    shape("gitlab", "glsoat-", 16, UrlSafe, &["glsoat-"]),
    shape("groq", "gsk_", 30, Alphanumeric, &["gsk_value"]),
    shape("hugging-face", "hf_", 20, Alphanumeric, &["hf_hub_download(repo_id)", "hf_transfer"]),
    shape("vault", "hvb.", 20, UrlSafe, &["hvb.x"]),
    shape("vault", "hvr.", 20, UrlSafe, &["hvr.x"]),
    shape("vault", "hvs.", 20, UrlSafe, &["hvs.x"]),
    shape("jina", "jina_", 40, Alphanumeric, &["jina_embeddings_v2_base_en"]),
    shape("mailgun", "key-", 32, Hex, &["key-value", "key-0"]),
    shape("linear", "lin_api_", 20, Alphanumeric, &["lin_api_key"]),
    shape("linear", "lin_oauth_", 20, Alphanumeric, &["lin_oauth_app"]),
    shape("langsmith", "lsv2_pt_", 30, UrlSafe, &["lsv2_pt_"]),
    shape("langsmith", "lsv2_sk_", 30, UrlSafe, &["lsv2_sk_"]),
    shape("npm", "npm_", 20, Alphanumeric, &["npm_config_registry npm_lifecycle_event"]),
    shape("notion", "ntn_", 30, Alphanumeric, &["ntn_"]),
    shape("nvidia", "nvapi-", 40, UrlSafe, &["nvapi-x"]),
    shape("1password", "ops_eyJ", 40, Dotted, &["ops_eyJ"]),
    shape("nuget", "oy2", 43, Alphanumeric, &["oy2"]),
    shape("posthog", "phx_", 40, Alphanumeric, &["phx_new"]),
    shape("perplexity", "pplx-", 40, Alphanumeric, &["pplx-api"]),
    shape("planetscale", "pscale_oauth_", 30, Dotted, &["pscale_oauth_"]),
    shape("planetscale", "pscale_pw_", 30, Dotted, &["pscale_pw_"]),
    shape("planetscale", "pscale_tkn_", 30, Dotted, &["pscale_tkn_"]),
    shape("pulumi", "pul-", 40, Hex, &["pul-pa"]),
    shape("pypi", "pypi-", 30, UrlSafe, &["pypi-server", "pypi-attestations"]),
    shape("replicate", "r8_", 30, Alphanumeric, &["r8_x"]),
    shape("resend", "re_", 28, UrlSafe, &["re_export", "re_run_all_the_failing_tests_once"]),
    shape("stripe", "rk_live_", 16, Alphanumeric, &["rk_live_"]),
    shape("stripe", "rk_test_", 16, Alphanumeric, &["rk_test_"]),
    shape("render", "rnd_", 26, Alphanumeric, &["rnd_state"]),
    shape("runpod", "rpa_", 30, Alphanumeric, &["rpa_x"]),
    shape("rubygems", "rubygems_", 40, Hex, &["rubygems_version"]),
    shape("supabase", "sb_secret_", 20, UrlSafe, &["sb_secret_key"]),
    shape("supabase", "sbp_", 40, Hex, &["sbp_x"]),
    shape("notion", "secret_", 40, Alphanumeric, &["secret_access_key_id", "secret_name"]),
    shape("sourcegraph", "sgp_", 40, UrlSafe, &["sgp_"]),
    shape("shopify", "shpat_", 32, Hex, &["shpat_"]),
    shape("shopify", "shpca_", 32, Hex, &["shpca_"]),
    shape("shopify", "shppa_", 32, Hex, &["shppa_"]),
    shape("shopify", "shpss_", 32, Hex, &["shpss_"]),
    shape("shippo", "shippo_live_", 40, Hex, &["shippo_live_"]),
    shape("openai", "sk-", 16, UrlSafe, &["sk-learn", "sk-estimator-html-doc-link"]),
    shape("stripe", "sk_live_", 16, Alphanumeric, &["sk_live_"]),
    shape("stripe", "sk_prod_", 16, Alphanumeric, &["sk_prod_"]),
    shape("stripe", "sk_test_", 16, Alphanumeric, &["sk_test_"]),
    shape("dropbox", "sl.", 120, UrlSafe, &["sl.x"]),
    shape("sentry", "sntrys_", 40, Dotted, &["sntrys_"]),
    shape("sentry", "sntryu_", 40, Hex, &["sntryu_"]),
    shape("square", "sq0atp-", 20, UrlSafe, &["sq0atp-"]),
    shape("square", "sq0csp-", 30, UrlSafe, &["sq0csp-"]),
    shape("typeform", "tfp_", 40, UrlSafe, &["tfp_"]),
    shape("tailscale", "tskey-", 16, UrlSafe, &["tskey-auth"]),
    shape("tavily", "tvly-", 24, UrlSafe, &["tvly-x"]),
    shape("stripe", "whsec_", 24, Dotted, &["whsec_"]),
    shape("xai", "xai-", 40, Alphanumeric, &["xai-org"]),
    shape("slack", "xapp-", 16, UrlSafe, &["xapp-x"]),
    shape("brevo", "xkeysib-", 40, UrlSafe, &["xkeysib-"]),
    shape("slack", "xoxa-", 10, UrlSafe, &["xoxa-"]),
    shape("slack", "xoxb-", 10, UrlSafe, &["xoxb-"]),
    shape("slack", "xoxc-", 10, UrlSafe, &["xoxc-"]),
    shape("slack", "xoxd-", 10, UrlSafe, &["xoxd-"]),
    shape("slack", "xoxe-", 10, UrlSafe, &["xoxe-"]),
    shape("slack", "xoxe.", 10, Dotted, &["xoxe."]),
    shape("slack", "xoxo-", 10, UrlSafe, &["xoxo-"]),
    shape("slack", "xoxp-", 10, UrlSafe, &["xoxp-"]),
    shape("slack", "xoxr-", 10, UrlSafe, &["xoxr-"]),
    shape("slack", "xoxs-", 10, UrlSafe, &["xoxs-"]),
    shape("google", "ya29.", 16, UrlSafe, &["ya29.x"]),
];

/// For each byte, the shapes whose prefix begins with it. Most words begin with none.
const BY_FIRST: [(u8, u8); 256] = {
    let mut ranges = [(0, 0); 256];
    let mut at = 0;
    while at < TOKEN_SHAPES.len() {
        let first = TOKEN_SHAPES[at].prefix.as_bytes()[0] as usize;
        if ranges[first].1 == 0 {
            ranges[first].0 = at as u8;
        }
        ranges[first].1 = at as u8 + 1;
        at += 1;
    }
    ranges
};

/// Returns whether a key may begin with this byte.
pub(super) const fn may_begin(byte: u8) -> bool {
    BY_FIRST[byte as usize].1 > 0
}

/// Returns the key that begins at `at`, if a word begins there.
pub(super) fn known_token(bytes: &[u8], at: usize) -> Option<FoundSecret> {
    /// Number of letters from which a key needs no digit.
    const LONG: usize = 30;
    let (first, end) = BY_FIRST[usize::from(bytes[at])];
    let shapes = &TOKEN_SHAPES[usize::from(first)..usize::from(end)];
    shapes.iter().find_map(|shape| {
        if !bytes[at..].starts_with(shape.prefix.as_bytes()) {
            return None;
        }
        let start = at + shape.prefix.len();
        let rest = &bytes[start..start + run(bytes, start, |byte| shape.alphabet.holds(byte))];
        let digits = rest.iter().filter(|byte| byte.is_ascii_digit()).count();
        // A key of words is the name of something.
        let is_name = digits == 0 && (rest.len() < LONG || rest.contains(&b'-') || rest.contains(&b'_'));
        if rest.len() < shape.least || is_name {
            return None;
        }
        // The rest of the word belongs to it.
        let end = start + trimmed(rest);
        let end = end + run(bytes, end, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
        Some(FoundSecret { rule: shape.name, range: at..end })
    })
}

/// Returns the length of a key without the full stop that ends its sentence.
fn trimmed(rest: &[u8]) -> usize {
    rest.iter().rposition(|byte| !matches!(byte, b'.' | b'/')).map_or(0, |last| last + 1)
}

/// Returns a key whose parts show what it is: a JSON web token, a key of Terraform, Azure, Mailchimp or Discord.
pub(super) fn parted_token(bytes: &[u8], at: usize) -> Option<FoundSecret> {
    let word = |start| run(bytes, start, |byte| TokenAlphabet::UrlSafe.holds(byte));
    let first = word(at);
    let found = |rule, end| Some(FoundSecret { rule, range: at..end });
    match bytes.get(at + first) {
        Some(b'.') if bytes[at..].starts_with(b"eyJ") => {
            web_token(bytes, at, first).and_then(|range| found("json-web-token", range.end))
        }
        Some(b'.') if first == 14 && bytes[at + first..].starts_with(b".atlasv1.") => {
            let start = at + first + ".atlasv1.".len();
            let rest = word(start);
            if rest >= 40 { found("terraform", start + rest) } else { None }
        }
        Some(b'.') if (23..=28).contains(&first) && matches!(bytes[at], b'M' | b'N' | b'O') => {
            let second = at + first + 1;
            let third = second + word(second) + 1;
            let rest = if bytes.get(third - 1) == Some(&b'.') { word(third) } else { 0 };
            if third - second == 7 && rest >= 27 { found("discord", third + rest) } else { None }
        }
        Some(b'~') if first == 5 && bytes[at + 3].is_ascii_digit() && bytes[at + 4] == b'Q' => {
            let start = at + first + 1;
            let rest =
                run(bytes, start, |byte| TokenAlphabet::UrlSafe.holds(byte) || matches!(byte, b'.' | b'~'));
            if rest >= 30 { found("azure", start + rest) } else { None }
        }
        _ if first >= 36 && bytes[at..at + first].get(32..35) == Some(b"-us") => {
            let (key, data_center) = (&bytes[at..at + 32], &bytes[at + 35..at + first]);
            let fits = key.iter().all(u8::is_ascii_hexdigit) && data_center.iter().all(u8::is_ascii_digit);
            if fits { found("mailchimp", at + first) } else { None }
        }
        _ => None,
    }
}

/// Returns a JSON web token: three base64 parts with dots between them. The signature may be empty or cut off.
fn web_token(bytes: &[u8], at: usize, header: usize) -> Option<Range<usize>> {
    const LEAST: usize = 5;
    let word = |start| run(bytes, start, |byte| TokenAlphabet::UrlSafe.holds(byte));
    let claims = at + header + 1;
    let signature = claims + word(claims) + 1;
    if header < LEAST || signature - claims <= LEAST || bytes.get(signature - 1) != Some(&b'.') {
        return None;
    }
    Some(at..signature + word(signature))
}

#[cfg(test)]
mod tests {
    use super::super::mask_secrets;
    use super::*;

    /// Makes a key of a shape. It is made here so that no scanner finds one in this file.
    pub(super) fn example(shape: &TokenShape) -> String {
        let letters: &str = match shape.alphabet {
            TokenAlphabet::Capital => "Q7ZK2XN5",
            TokenAlphabet::Hex => "3f9a0c7e",
            _ => "Zq9Xk2Lm",
        };
        let body: String = letters.chars().cycle().take(shape.least.max(36)).collect();
        format!("{}{body}", shape.prefix)
    }

    #[test]
    fn every_shape_of_a_key_is_masked_and_its_near_misses_stay() {
        for shape in TOKEN_SHAPES {
            let key = example(shape);
            for (before, after) in
                [("", ""), ("key ", " used"), ("(", ")"), ("a\\n", "\\n"), ("=", "."), ("https://", "@x/")]
            {
                let text = format!("{before}{key}{after}");
                assert_eq!(mask_secrets(&text), format!("{before}***{after}"), "{}: {text}", shape.name);
            }
            for near_miss in shape.near_misses {
                assert_eq!(mask_secrets(near_miss), *near_miss, "{}", shape.name);
            }
        }
    }

    #[test]
    fn shapes_are_sorted_by_the_first_byte_of_their_prefix() {
        assert!(TOKEN_SHAPES.is_sorted_by_key(|shape| shape.prefix.as_bytes()[0]));
        assert!(TOKEN_SHAPES.len() < usize::from(u8::MAX));
    }
}
