//! Adds the ids of stored runs to the script of a shell, where an argument is called `RUN`.

use loopbreak_store::{Store, StoreError};

/// Number of runs that are offered, the latest ones.
const OFFERED_RUNS: usize = 200;

const BASH: &str = r#"
# The ids of runs are in the store.
_loopbreak_with_runs() {
    _loopbreak "$@"
    local cur="${COMP_WORDS[COMP_CWORD]}" prev="${COMP_WORDS[COMP_CWORD-1]}" id
    case "${COMP_WORDS[1]-}:${prev}" in
        *:--reason | *:--color) return 0 ;;
        log:* | pause:* | resume:*) ;;
        # In place of the files that are offered for any other value.
        allow:--run | tasks:--run) COMPREPLY=() ;;
        *) return 0 ;;
    esac
    [[ "${cur}" == -* ]] && return 0
    # The words are not given to `compgen -W`, which would expand them.
    while IFS= read -r id; do
        [[ "${id}" == "${cur}"* ]] && COMPREPLY+=("${id}")
    done < <("${COMP_WORDS[0]}" completions --runs 2>/dev/null)
    return 0
}
"#;

const ZSH: &str = r#"
# The ids of runs are in the store.
_loopbreak_runs() {
    local -a ids
    ids=("${(@f)$(_call_program runs loopbreak completions --runs 2>/dev/null)}")
    # The words of a command begin with its name.
    [[ "${words[1]}" == log ]] && ids+=(last)
    compadd -V runs -a -- ids
}
"#;

const FISH: &str = r#"
# The ids of runs are in the store.
complete -c loopbreak -n "__fish_seen_subcommand_from log" -f -a last
complete -c loopbreak -n "__fish_seen_subcommand_from log pause resume" -f -k -a "(loopbreak completions --runs 2>/dev/null)"
complete -c loopbreak -n "__fish_seen_subcommand_from allow tasks" -l run -r -f -k -a "(loopbreak completions --runs 2>/dev/null)"
"#;

/// Renders the ids of stored runs, one per line, the latest first.
pub fn render_run_ids(store: &dyn Store) -> Result<String, StoreError> {
    let runs = store.runs(i64::MIN, OFFERED_RUNS)?;
    let mut lines = String::new();
    for run in runs.iter().filter(|run| run.agent.is_empty() && is_completable(&run.session)) {
        lines.extend([&run.session, "\n"]);
    }
    Ok(lines)
}

/// Returns whether an id means the same in every shell without quotes.
fn is_completable(id: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    (1..=100).contains(&id.len()) && !id.starts_with('-') && id.bytes().all(is_plain)
}

/// Adds the ids of runs to the script that clap generates for a shell. The scripts of other shells are left as they are.
pub fn add_run_completions(shell: &str, script: String) -> String {
    match shell {
        // The registration is at the end.
        "bash" => script
            .replace("complete -F _loopbreak -o", "complete -F _loopbreak_with_runs -o")
            .replacen("\nif [[ \"${BASH_VERSINFO", &format!("{BASH}\nif [[ \"${{BASH_VERSINFO"), 1),
        "zsh" => zsh(&script),
        "fish" => script + FISH,
        _ => script,
    }
}

/// Completes options with a `RUN` and arguments named `run`.
fn zsh(script: &str) -> String {
    let mut out = String::with_capacity(script.len() + ZSH.len());
    for line in script.split_inclusive('\n') {
        let is_argument = line.starts_with("':run -- ") || line.starts_with("'::run -- ");
        match line.rsplit_once(":_default'").or_else(|| line.rsplit_once(":(last)'")) {
            Some((before, after)) if is_argument || before.ends_with(":RUN") => {
                out.extend([before, ":_loopbreak_runs'", after]);
            }
            _ => out += line,
        }
    }
    // The function that completes a line is at the end, and calls this one.
    match out.rfind("\nif [ \"$funcstack[1]\"") {
        Some(end) => {
            out.insert_str(end, ZSH);
            out
        }
        None => out,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_that_a_shell_would_change_are_not_offered() {
        for id in ["5f2c", "ep-7", "a_b.c", "1f5b0e0a-1111-4222-8333-444455556666"] {
            assert!(is_completable(id), "{id}");
        }
        for id in ["", "-v", "a b", "$(id)", "a;b", "`x`", "é", "a\nb", &"x".repeat(101)] {
            assert!(!is_completable(id), "{id}");
        }
    }
}
