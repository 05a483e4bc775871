//! The simple commands of a shell line: their words, and the files that their output goes to.

/// Deepest nesting of commands in commands that is followed.
const MAX_DEPTH: usize = 4;
/// Stands for a part of a word that only the shell knows.
pub(super) const UNKNOWN: char = '\u{0}';

/// A simple command of a shell line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ShellCommand {
    /// The words, without quotes.
    pub(super) words: Vec<String>,
    /// The files that output is redirected to, and whether it is appended.
    pub(super) outputs: Vec<(String, bool)>,
}

/// Splits a line into its simple commands, in the order in which they begin. Commands inside `$(…)` and backquotes are listed
/// too, and the bodies of here-documents are left out. The words are not expanded.
pub(super) fn split_commands(text: &str) -> Vec<ShellCommand> {
    let mut commands = Vec::new();
    ShellLineReader { text, at: 0, depth: 0, commands: &mut commands }.read();
    commands
}

struct ShellLineReader<'t, 'c> {
    text: &'t str,
    at: usize,
    depth: usize,
    commands: &'c mut Vec<ShellCommand>,
}

impl ShellLineReader<'_, '_> {
    fn read(&mut self) {
        let mut command = ShellCommand::default();
        let mut delimiters: Vec<String> = Vec::new();
        while let Some(letter) = self.peek() {
            match letter {
                '\n' => {
                    self.at += 1;
                    self.end(&mut command);
                    for delimiter in delimiters.drain(..) {
                        self.skip_here_document(&delimiter);
                    }
                }
                ' ' | '\t' | '\r' => self.at += 1,
                '#' => self.at += self.rest().find('\n').unwrap_or(self.rest().len()),
                '&' if self.rest().starts_with("&>") => {
                    self.at += 1;
                    self.read_redirection(&mut command, &mut delimiters);
                }
                ';' | '&' | '|' | '(' | ')' => {
                    self.at += 1;
                    self.end(&mut command);
                }
                '>' | '<' => self.read_redirection(&mut command, &mut delimiters),
                _ => {
                    let word = self.read_word();
                    let is_number = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
                    match (word.as_str(), self.peek()) {
                        // The number of a stream belongs to the redirection.
                        (_, Some('>' | '<')) if is_number => {}
                        ("{" | "}", _) => self.end(&mut command),
                        _ => command.words.push(word),
                    }
                }
            }
        }
        self.end(&mut command);
    }

    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn end(&mut self, command: &mut ShellCommand) {
        if *command != ShellCommand::default() {
            self.commands.push(std::mem::take(command));
        }
    }

    /// Reads a redirection and its target.
    fn read_redirection(&mut self, command: &mut ShellCommand, delimiters: &mut Vec<String>) {
        let operators = ["<<<", "<<-", "<<", "<>", ">>", ">|", ">&", "<&", ">", "<"];
        let operator =
            operators.into_iter().find(|operator| self.rest().starts_with(operator)).unwrap_or(">");
        self.at += operator.len();
        self.at += self.rest().len() - self.rest().trim_start_matches([' ', '\t']).len();
        let target = if self.peek().is_some_and(|letter| !"\n;|()<>".contains(letter)) {
            self.read_word()
        } else {
            String::new()
        };
        match operator {
            "<<" | "<<-" => delimiters.push(target),
            ">" | ">|" | "<>" => command.outputs.push((target, false)),
            ">>" => command.outputs.push((target, true)),
            // A stream, such as in `2>&1`, names no file.
            ">&" if !target.is_empty()
                && !target.starts_with(|letter: char| letter.is_ascii_digit() || letter == '-') =>
            {
                command.outputs.push((target, false));
            }
            _ => {}
        }
    }

    /// Reads a word up to the next blank or operator. Returns it without quotes.
    fn read_word(&mut self) -> String {
        let mut word = String::new();
        while let Some(letter) = self.peek() {
            match letter {
                ' ' | '\t' | '\r' | '\n' | ';' | '&' | '|' | '(' | ')' | '<' | '>' => break,
                '\'' => {
                    self.at += 1;
                    let end = self.rest().find('\'').unwrap_or(self.rest().len());
                    word.push_str(&self.rest()[..end]);
                    self.at = (self.at + end + 1).min(self.text.len());
                }
                '"' => {
                    self.at += 1;
                    self.read_double_quotes(&mut word);
                }
                _ => self.read_letter(letter, &mut word, false),
            }
        }
        word
    }

    fn read_double_quotes(&mut self, word: &mut String) {
        while let Some(letter) = self.peek() {
            if letter == '"' {
                self.at += 1;
                return;
            }
            self.read_letter(letter, word, true);
        }
    }

    /// Reads a letter that is not a quote, or what it introduces.
    fn read_letter(&mut self, letter: char, word: &mut String, is_quoted: bool) {
        self.at += letter.len_utf8();
        match letter {
            '\\' => {
                let Some(next) = self.peek() else { return };
                self.at += next.len_utf8();
                match next {
                    '\n' => {}
                    _ if is_quoted && !"$`\"\\".contains(next) => word.extend(['\\', next]),
                    _ => word.push(next),
                }
            }
            '$' if self.rest().starts_with('(') => {
                self.at += 1;
                self.read_inner(closing_parenthesis(self.rest()));
                word.push(UNKNOWN);
            }
            '`' => {
                self.read_inner(self.rest().find('`').unwrap_or(self.rest().len()));
                word.push(UNKNOWN);
            }
            _ => word.push(letter),
        }
    }

    /// Reads the commands up to a position, and skips the letter there.
    fn read_inner(&mut self, length: usize) {
        let inner = &self.text[self.at..self.at + length];
        if self.depth < MAX_DEPTH {
            ShellLineReader { text: inner, at: 0, depth: self.depth + 1, commands: self.commands }.read();
        }
        self.at = (self.at + length + 1).min(self.text.len());
    }

    fn skip_here_document(&mut self, delimiter: &str) {
        while !self.rest().is_empty() {
            let end = self.rest().find('\n').map_or(self.rest().len(), |end| end + 1);
            let is_last = self.rest()[..end].trim() == delimiter;
            self.at += end;
            if is_last {
                return;
            }
        }
    }
}

/// Returns the position of the parenthesis that closes one before the text. Quotes are not looked at.
fn closing_parenthesis(text: &str) -> usize {
    let mut depth = 0_usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' if depth == 0 => return at,
            b')' => depth -= 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<Vec<String>> {
        split_commands(text).into_iter().map(|command| command.words).collect()
    }

    #[test]
    fn a_line_is_split_into_commands_and_words() {
        assert_eq!(
            words("a 'b c' \"d $x\" && e\\ f;g|h"),
            [vec!["a", "b c", "d $x"], vec!["e f"], vec!["g"], vec!["h"]]
        );
        assert_eq!(words("a $(b c) `d`"), [vec!["b", "c"], vec!["d"], vec!["a", "\0", "\0"]]);
        assert_eq!(words("a # b > c\nd"), [["a"], ["d"]]);
        assert_eq!(words("if x; then y; fi"), [vec!["if", "x"], vec!["then", "y"], vec!["fi"]]);
    }

    #[test]
    fn redirections_name_their_files() {
        let outputs = |text: &str| {
            split_commands(text).into_iter().flat_map(|command| command.outputs).collect::<Vec<_>>()
        };
        for (text, file, appends) in [
            ("echo x > a", "a", false),
            ("echo x >a", "a", false),
            ("echo x >> 'a b'", "a b", true),
            ("x 2> a", "a", false),
            ("x &> a", "a", false),
            ("x >| a", "a", false),
            ("cat <<EOF > a\n> b\nEOF\n", "a", false),
            ("cat > a <<'EOF'\nloopbreak allow > b\nEOF", "a", false),
        ] {
            assert_eq!(outputs(text), [(file.to_owned(), appends)], "{text}");
        }
        for text in ["x 2>&1", "x < a", "x <<< a", "echo '> a'", "x >&2", "echo \"a > b\""] {
            assert_eq!(outputs(text), [], "{text}");
        }
    }

    #[test]
    fn no_line_makes_the_reader_panic_or_run_for_ever() {
        for text in
            ["'", "\"", "`", "$(", "<<", "<<A", "\\", ">", "a>", "((((", "$($($($($($(", "ä'ö", "&>", "2>"]
        {
            split_commands(text);
        }
        split_commands(&"$(".repeat(50_000));
        split_commands(&"<<A\n".repeat(2_000));
    }
}
