//! Names of files in running text, as they are written, without line and column.

use super::words::{core, is_one_of};

/// A file named in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FileMention<'a> {
    pub(super) path: &'a str,
    /// Whether a line number follows: a place in the code, not just a name.
    pub(super) located: bool,
}

const EXTENSIONS: [&str; 108] = [
    "rs", "ts", "tsx", "js", "jsx", "mjs", "cjs", "mts", "cts", "go", "py", "pyi", "pyx", "ipynb", "java",
    "kt", "kts", "scala", "groovy", "rb", "erb", "rake", "php", "c", "h", "cc", "cpp", "cxx", "hpp", "hh",
    "hxx", "m", "mm", "swift", "cs", "csproj", "fs", "fsx", "vb", "lua", "pl", "pm", "r", "jl", "ex", "exs",
    "erl", "hrl", "hs", "ml", "mli", "clj", "cljs", "cljc", "edn", "dart", "zig", "nim", "v", "sv", "vhd",
    "sql", "sh", "bash", "zsh", "fish", "ps1", "bat", "html", "htm", "css", "scss", "sass", "less", "vue",
    "svelte", "astro", "json", "jsonl", "json5", "yaml", "yml", "toml", "ini", "cfg", "conf", "xml", "proto",
    "graphql", "gql", "md", "mdx", "rst", "txt", "tex", "csv", "tsv", "lock", "gradle", "cmake", "tf", "hcl",
    "nix", "sol", "wat", "asm", "prisma", "feature",
];

/// Files without an extension that everybody knows.
const NAMES: [&str; 7] = ["Makefile", "Dockerfile", "Justfile", "Gemfile", "Rakefile", ".gitignore", ".env"];

/// Products that are called like a file.
const PRODUCTS: [&str; 8] =
    ["Node.js", "Next.js", "Vue.js", "Three.js", "Express.js", "Nuxt.js", "D3.js", "Chart.js"];

/// The file that the word `raw` names, if it names one.
pub(super) fn file_in(raw: &str) -> Option<FileMention<'_>> {
    let raw = raw.trim_start_matches(['(', '[', '{', '"', '\'', '`', '<', '*', '“', '‘', ',']);
    let raw = raw.strip_prefix("file://").unwrap_or(raw);
    if raw.contains("://") {
        return None;
    }
    let raw = in_parentheses(raw).unwrap_or(raw);
    // From the third byte on: `C:\` is a drive.
    let colon = raw.match_indices(':').map(|(at, _)| at).find(|&at| at >= 2);
    let bracket = raw.match_indices('(').map(|(at, _)| at).find(|&at| digit_at(raw, at + 1));
    let end = colon.unwrap_or(raw.len()).min(bracket.unwrap_or(raw.len()));
    let located = digit_at(raw, end + 1) || raw[end..].starts_with(":line");
    let path = raw[..end].trim_end_matches(|char: char| !char.is_alphanumeric() && char != '_');
    is_file(path).then_some(FileMention { path, located })
}

/// What a stack frame such as `Main.run(Main.java:5)` has between its parentheses.
fn in_parentheses(raw: &str) -> Option<&str> {
    let open = raw.rfind('(').filter(|&at| !digit_at(raw, at + 1))?;
    let closed = raw.trim_end_matches([',', ';', ':', '.', '"', '\'', '`']).ends_with(')');
    closed.then(|| raw[open + 1..].trim_start_matches(['"', '\'', '`']))
}

fn digit_at(raw: &str, at: usize) -> bool {
    raw.as_bytes().get(at).is_some_and(u8::is_ascii_digit)
}

fn is_file(path: &str) -> bool {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    if NAMES.contains(&name) {
        return true;
    }
    let Some((stem, extension)) = name.rsplit_once('.') else { return false };
    stem.contains(|char: char| char.is_alphabetic() || char == '_')
        && is_one_of(extension, &EXTENSIONS)
        && !PRODUCTS.contains(&core(path))
}

/// Whether `path` belongs to a library or a runtime: where an error surfaces, not where it is made.
pub(super) fn is_foreign(path: &str) -> bool {
    const FOREIGN: [&str; 10] = [
        "node_modules/",
        "node:",
        "site-packages/",
        "/usr/lib/",
        "/usr/local/go/",
        "/usr/local/lib/",
        "/rustc/",
        ".cargo/registry/",
        "/lib/python3",
        "go/pkg/mod/",
    ];
    FOREIGN.iter().any(|part| path.contains(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_kept_as_written_without_its_line() {
        for (raw, path, located) in [
            ("auth.ts", "auth.ts", false),
            ("auth.ts:45", "auth.ts", true),
            ("(/app/src/auth.js:45:17)", "/app/src/auth.js", true),
            ("src/a.ts(10,5):", "src/a.ts", true),
            ("Main.run(Main.java:5)", "Main.java", true),
            ("tests/test_a.py::test_x", "tests/test_a.py", false),
            ("`C:\\app\\x.py:3`,", "C:\\app\\x.py", true),
            ("app/(group)/[id].tsx.", "app/(group)/[id].tsx", false),
            ("file:///app/x.mjs:3:4", "/app/x.mjs", true),
            ("./Makefile", "./Makefile", false),
            ("fs.read(\"a.ts\")", "a.ts", false),
        ] {
            assert_eq!(file_in(raw), Some(FileMention { path, located }), "{raw}");
        }
    }

    #[test]
    fn other_words_with_dots_are_no_files() {
        for raw in [
            "user.profile",
            "e.g.",
            "Node.js",
            "https://a.b/c.js",
            "response.json()",
            "console.log(x)",
            "1.5",
            ".c",
            "example.com",
            "0.12s",
            "...",
            "",
            "é.",
            "(",
        ] {
            assert_eq!(file_in(raw), None, "{raw}");
        }
    }
}
