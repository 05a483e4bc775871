//! Secrets in command lines: `curl -u user:…`, `mysql -p…`, `vault login …`, `echo … | docker login --password-stdin`.

use std::ops::Range;

use super::secret_value::{
    is_blank, is_masked_in_part, is_path, is_placeholder, is_quote, looks_made, quoted,
};
use super::{FoundSecret, run};

/// The place of a secret in a command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SecretArgument {
    /// The word after a flag.
    After(&'static str),
    /// The rest of a flag.
    Attached(&'static str),
    /// The word after a flag or the rest of it, after the first `:` or `%`: `-u user:secret`.
    AfterUser(&'static str),
    /// The argument with this number after the words of the command. Flags are not counted.
    Argument(usize),
    /// The argument with this number, if this flag, alone or among others, is given.
    ArgumentWith(&'static str, usize),
    /// The part after `/` of the first argument.
    AfterSlash,
    /// The last argument, if the one before it names a secret.
    Setting,
}

use SecretArgument::{After, AfterSlash, AfterUser, Argument, ArgumentWith, Attached, Setting};

/// A command that takes a secret.
#[derive(Clone, Copy, Debug)]
pub(super) struct CommandShape {
    /// The words of the command. The first one may follow a path.
    pub(super) words: &'static [&'static str],
    pub(super) secrets: &'static [SecretArgument],
    /// A command line with `§` in place of each secret.
    #[cfg_attr(not(test), expect(dead_code, reason = "a test reads it"))]
    pub(super) example: &'static str,
    /// A command line without a secret.
    #[cfg_attr(not(test), expect(dead_code, reason = "a test reads it"))]
    pub(super) near_miss: &'static str,
}

const fn command(
    words: &'static [&'static str],
    secrets: &'static [SecretArgument],
    example: &'static str,
    near_miss: &'static str,
) -> CommandShape {
    CommandShape { words, secrets, example, near_miss }
}

/// All commands, sorted by the first byte of their name.
pub(super) const COMMAND_SHAPES: &[CommandShape] = &[
    command(&["7z"], &[Attached("-p")], "7z x -p§ a.7z", "7z x -pass a.7z"),
    command(
        &["ConvertTo-SecureString"],
        &[Argument(0)],
        "ConvertTo-SecureString § -AsPlainText",
        "ConvertTo-SecureString $x -Force",
    ),
    command(
        &["aws", "configure", "set"],
        &[Setting],
        "aws configure set aws_secret_access_key §",
        "aws configure set region eu-west-1",
    ),
    command(&["az", "login"], &[After("-p")], "az login -u bob -p §", "az login --identity"),
    command(
        &["curl"],
        &[
            AfterUser("-u"),
            AfterUser("--user"),
            AfterUser("-U"),
            AfterUser("--proxy-user"),
            After("-b"),
            After("--oauth2-bearer"),
        ],
        "curl -s -u bob:§ -b sid=§ https://x",
        "curl -u bob https://x -b jar.txt",
    ),
    command(
        &["docker", "login"],
        &[After("-p")],
        "docker login -u bob -p § registry",
        "docker run -p 8080:80 nginx1234",
    ),
    command(
        &["gh", "auth"],
        &[After("--with-token"), After("-t")],
        "gh auth login --with-token §",
        "gh auth status",
    ),
    command(
        &["gh", "secret", "set"],
        &[After("-b"), After("--body")],
        "gh secret set NAME --body §",
        "gh secret list",
    ),
    command(
        &["git", "config"],
        &[Setting],
        "git config --global github.token §",
        "git config user.name bob1234567",
    ),
    command(
        &["helm", "registry", "login"],
        &[After("-p")],
        "helm registry login -u bob -p § host",
        "helm registry login host",
    ),
    command(&["htpasswd"], &[ArgumentWith("b", 2)], "htpasswd -b file bob §", "htpasswd file bob"),
    command(&["http"], &[AfterUser("-a")], "http -a bob:§ host", "http GET host:8080"),
    command(&["ipmitool"], &[After("-P")], "ipmitool -U bob -P § power", "ipmitool power status"),
    command(&["ldapadd"], &[After("-w")], "ldapadd -x -w §", "ldapadd -x -W"),
    command(&["ldapmodify"], &[After("-w")], "ldapmodify -x -w §", "ldapmodify -x -W"),
    command(
        &["ldapsearch"],
        &[After("-w")],
        "ldapsearch -x -D cn=admin -w § uid=1",
        "ldapsearch -x -W -b dc=x",
    ),
    command(&["ldapwhoami"], &[After("-w")], "ldapwhoami -x -w §", "ldapwhoami -x"),
    command(&["mariadb"], &[Attached("-p")], "mariadb -u root -p§ x", "mariadb -u root -p x"),
    command(&["mongo"], &[After("-p")], "mongo -u bob -p § x", "mongo --port 27017"),
    command(&["mongodump"], &[After("-p")], "mongodump -u bob -p §", "mongodump --out x1"),
    command(&["mongosh"], &[After("-p")], "mongosh -u bob -p § x", "mongosh --eval 1"),
    command(
        &["mosquitto_pub"],
        &[After("-P")],
        "mosquitto_pub -u bob -P § -t x",
        "mosquitto_pub -p 1883 -t x",
    ),
    command(
        &["mosquitto_sub"],
        &[After("-P")],
        "mosquitto_sub -u bob -P § -t x",
        "mosquitto_sub -p 1883 -t x",
    ),
    command(&["mysql"], &[Attached("-p")], "mysql -u root -p§ db", "mysql -u root -p -P 3306 db"),
    command(&["mysqladmin"], &[Attached("-p")], "mysqladmin -p§ status", "mysqladmin -p status"),
    command(&["mysqldump"], &[Attached("-p")], "mysqldump -uroot -p§ db", "mysqldump -p db"),
    command(&["nmcli"], &[After("password")], "nmcli dev wifi connect x password §", "nmcli dev wifi list"),
    command(
        &["npm", "config", "set"],
        &[Setting],
        "npm config set //r/:_authToken §",
        "npm config set registry https://r1",
    ),
    command(&["oc", "login"], &[After("-p")], "oc login -u bob -p §", "oc login"),
    command(
        &["openssl"],
        &[After("-k"), After("-K")],
        "openssl enc -aes-256-cbc -k § -in a",
        "openssl x509 -in a.pem",
    ),
    command(&["podman", "login"], &[After("-p")], "podman login -u bob -p § host", "podman run -p 8080:80 x"),
    command(
        &["pulumi", "config", "set"],
        &[ArgumentWith("--secret", 1)],
        "pulumi config set --secret name §",
        "pulumi config set region x",
    ),
    command(
        &["redis-cli"],
        &[After("-a"), After("--pass")],
        "redis-cli -h db -a § PING",
        "redis-cli -p 6379 PING",
    ),
    command(&["sqlcmd"], &[After("-P")], "sqlcmd -S db -U sa -P §", "sqlcmd -S db -E"),
    command(&["sqlplus"], &[AfterSlash], "sqlplus bob/§@db", "sqlplus / as sysdba"),
    command(&["smbclient"], &[AfterUser("-U")], "smbclient //h/s -U bob%§", "smbclient -L host"),
    command(&["sshpass"], &[After("-p"), Attached("-p")], "sshpass -p § ssh h", "sshpass -e ssh h"),
    command(&["unzip"], &[After("-P")], "unzip -P § a.zip", "unzip -p a.zip x1"),
    command(&["vault", "login"], &[Argument(0)], "vault login §", "vault login -method=oidc"),
    command(&["wpa_passphrase"], &[Argument(1)], "wpa_passphrase net §", "wpa_passphrase net"),
    command(&["xfreerdp"], &[Attached("/p:")], "xfreerdp /u:bob /p:§ /v:h", "xfreerdp /v:h"),
    command(&["zip"], &[After("-P")], "zip -P § a.zip a", "zip -r a.zip b1"),
];

/// Commands that read a secret from standard input, with a flag that says so. Without a flag, the command always does.
const READERS: &[(&str, &str)] = &[
    ("chpasswd", ""),
    ("kinit", ""),
    ("passwd", "--stdin"),
    ("sudo", "-S"),
    ("", "--password-stdin"),
    ("", "--with-token"),
    ("", "--token-stdin"),
    ("", "--stdin-password"),
    ("", "--passphrase-fd"),
];

/// Most bytes of a command line that are read.
const LINE_BYTES: usize = 400;

/// Returns whether a command may begin with this byte.
pub(super) const fn may_begin(byte: u8) -> bool {
    let mut at = 0;
    while at < COMMAND_SHAPES.len() {
        if COMMAND_SHAPES[at].words[0].as_bytes()[0] == byte {
            return true;
        }
        at += 1;
    }
    matches!(byte, b'e' | b'p')
}

/// Returns whether the word at `at` is a command that takes a secret, followed by its arguments.
pub(super) fn is_command(bytes: &[u8], at: usize) -> bool {
    let name = command_name(bytes, at);
    bytes.get(at + name.len()).is_some_and(|&byte| is_blank(byte))
        && (matches!(name, b"echo" | b"printf")
            || COMMAND_SHAPES.iter().any(|shape| shape.words[0].as_bytes() == name))
}

fn command_name(bytes: &[u8], at: usize) -> &[u8] {
    &bytes[at..at + run(bytes, at, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))]
}

/// Returns the secrets in the command whose first word begins at `at`, in their order, and the end of the command.
pub(super) fn in_command(bytes: &[u8], at: usize) -> (Vec<FoundSecret>, usize) {
    let name = command_name(bytes, at);
    let shapes = COMMAND_SHAPES.iter().filter(|shape| shape.words[0].as_bytes() == name);
    let mut found: Vec<Range<usize>> = Vec::new();
    let line = CommandLine::at(bytes, at);
    for shape in shapes {
        let Some(rest) = line.after_words(bytes, shape.words) else { continue };
        for secret in shape.secrets {
            found.extend(line.find(bytes, rest, *secret));
        }
    }
    if matches!(name, b"echo" | b"printf") {
        if line.feeds_reader(bytes) {
            found.extend(
                line.words.iter().skip(1).filter(|word| !bytes[word.start..].starts_with(b"-")).cloned(),
            );
        }
    } else {
        found.extend(line.here_string(bytes));
    }
    found.sort_by_key(|range| range.start);
    found.dedup();
    let secret = |range: &Range<usize>| {
        bytes[range.clone()].iter().any(u8::is_ascii_alphanumeric) && !is_placeholder(bytes, range.start)
    };
    let found = found.into_iter().filter(secret);
    (found.map(|range| FoundSecret { rule: "command", range }).collect(), line.end)
}

/// The words of one command.
struct CommandLine {
    /// The words without their quotation marks.
    words: Vec<Range<usize>>,
    end: usize,
}

impl CommandLine {
    /// Reads the words from `at` to the end of the command: the end of the line, `;`, `|`, `&`, or a quote that was opened before.
    fn at(bytes: &[u8], at: usize) -> Self {
        let limit = bytes.len().min(at + LINE_BYTES);
        let (mut words, mut end) = (Vec::new(), at);
        loop {
            end += run(&bytes[..limit], end.min(limit), is_blank);
            // A line may continue after a backslash, in a text or in a JSON string.
            for continuation in [&b"\\\n"[..], b"\\\\\\n"] {
                if bytes[end.min(bytes.len())..].starts_with(continuation) {
                    end += continuation.len();
                    end += run(&bytes[..limit], end.min(limit), is_blank);
                }
            }
            if end >= limit || ends_command(bytes, end) {
                return CommandLine { words, end };
            }
            let escaped =
                usize::from(bytes[end] == b'\\' && bytes.get(end + 1).is_some_and(|&byte| is_quote(byte)));
            let word = if is_quote(bytes[end + escaped]) && (escaped == 1 || closes(bytes, end, limit)) {
                let start = end + escaped + 1;
                let content = quoted(bytes, start, bytes[start - 1], escaped == 1);
                end = (content.end + escaped + 1).min(bytes.len());
                content
            } else if is_quote(bytes[end]) {
                return CommandLine { words, end };
            } else {
                let start = end;
                while end < limit && !is_blank(bytes[end]) && !ends_command(bytes, end) {
                    // A part of the word may be quoted: `-p'…'`.
                    if is_quote(bytes[end]) {
                        if !closes(bytes, end, limit) {
                            break;
                        }
                        end = quoted(bytes, end + 1, bytes[end], false).end;
                    }
                    end += 1;
                }
                while end < bytes.len() && bytes[end] & 0xc0 == 0x80 {
                    end += 1;
                }
                if end == start {
                    return CommandLine { words, end };
                }
                start..end
            };
            words.push(word);
        }
    }

    /// Returns the index of the first word after those of the command. Flags may stand between them.
    fn after_words(&self, bytes: &[u8], wanted: &[&str]) -> Option<usize> {
        let mut at = 0;
        for word in wanted {
            while bytes.get(self.words.get(at)?.start) == Some(&b'-') {
                at += 1;
            }
            if &bytes[self.words[at].clone()] != word.as_bytes() {
                return None;
            }
            at += 1;
        }
        Some(at)
    }

    fn find(&self, bytes: &[u8], first: usize, secret: SecretArgument) -> Option<Range<usize>> {
        let text = |word: &Range<usize>| &bytes[word.clone()];
        let rest = &self.words[first..];
        let is_flag = |word: &Range<usize>| bytes.get(word.start) == Some(&b'-');
        let after = |flag: &str| {
            let at = rest.iter().position(|word| text(word) == flag.as_bytes())?;
            rest.get(at + 1).filter(|word| !is_flag(word)).cloned()
        };
        let attached = |flag: &str| {
            let word = rest.iter().find(|word| text(word).starts_with(flag.as_bytes()))?;
            let secret = word.start + flag.len()..word.end;
            (!secret.is_empty()).then_some(secret)
        };
        let argument = |number: usize| rest.iter().filter(|word| !is_flag(word)).nth(number).cloned();
        match secret {
            SecretArgument::After("-b") if text(&self.words[0]) == b"curl" => {
                after("-b").filter(|word| text(word).contains(&b'='))
            }
            SecretArgument::After(flag @ ("--with-token" | "-t")) => {
                after(flag).filter(|word| looks_made(text(word)))
            }
            SecretArgument::After(flag) => after(flag),
            // `-pass` is a word, `-pX7…` is a password. A name that only has letters may be either.
            SecretArgument::Attached("-p") => {
                attached("-p").filter(|secret| text(secret).iter().any(|byte| !byte.is_ascii_lowercase()))
            }
            SecretArgument::Attached(flag) => attached(flag),
            SecretArgument::AfterUser(flag) => {
                let short = flag.len() == 2;
                let whole = after(flag).or_else(|| attached(flag).filter(|_| short))?;
                let split = text(&whole).iter().position(|byte| matches!(byte, b':' | b'%'))?;
                Some(whole.start + split + 1..whole.end)
            }
            // A setting as a whole is not a secret: its value is, and it may be masked already.
            SecretArgument::Argument(number) => {
                argument(number).filter(|word| !text(word).contains(&b'=') && !is_masked_in_part(text(word)))
            }
            SecretArgument::ArgumentWith(flag, number) => {
                let long = flag.starts_with('-');
                let given = rest.iter().filter(|word| is_flag(word)).any(|word| {
                    let word = text(word);
                    if long {
                        word == flag.as_bytes()
                    } else {
                        !word.starts_with(b"--") && word.contains(&flag.as_bytes()[0])
                    }
                });
                // `-n` prints instead of writing a file, so the file is missing.
                let prints = !long && rest.iter().any(|word| is_flag(word) && text(word).contains(&b'n'));
                argument(number - usize::from(prints)).filter(|_| given)
            }
            SecretArgument::AfterSlash => {
                let whole = argument(0)?;
                let split = text(&whole).iter().position(|byte| *byte == b'/')?;
                let host = text(&whole).iter().rposition(|byte| *byte == b'@').unwrap_or(whole.len());
                (split > 0 && host > split).then(|| whole.start + split + 1..whole.start + host)
            }
            SecretArgument::Setting => {
                let [name, value] = rest.last_chunk::<2>()?;
                let named = super::secret_name::kind_of(text(name)).is_some();
                (named && !is_flag(value) && !is_path(text(value))).then(|| value.clone())
            }
        }
    }

    /// Returns whether the command is followed by a pipe into a command that reads a secret.
    fn feeds_reader(&self, bytes: &[u8]) -> bool {
        if bytes.get(self.end) != Some(&b'|') || bytes.get(self.end + 1) == Some(&b'|') {
            return false;
        }
        let start = self.end + 1 + run(bytes, self.end + 1, is_blank);
        start < bytes.len() && reads_secret(bytes, &CommandLine::at(bytes, start))
    }

    /// Returns the word after `<<<`, if the command reads a secret.
    fn here_string(&self, bytes: &[u8]) -> Option<Range<usize>> {
        let at = self.words.iter().position(|word| bytes[word.clone()].starts_with(b"<<<"))?;
        let sign = &self.words[at];
        let secret = if sign.len() > 3 { sign.start + 3..sign.end } else { self.words.get(at + 1)?.clone() };
        reads_secret(bytes, self).then_some(secret)
    }
}

fn reads_secret(bytes: &[u8], line: &CommandLine) -> bool {
    let has = |wanted: &str| line.words.iter().any(|word| &bytes[word.clone()] == wanted.as_bytes());
    READERS.iter().any(|(name, flag)| (name.is_empty() || has(name)) && (flag.is_empty() || has(flag)))
}

/// Returns whether a quote is closed before the line ends. Otherwise it closes one that was opened before the command.
fn closes(bytes: &[u8], at: usize, limit: usize) -> bool {
    let content = quoted(&bytes[..limit], at + 1, bytes[at], false);
    bytes.get(content.end) == Some(&bytes[at])
        && !content.is_empty()
        && bytes
            .get(content.end + 1)
            .is_none_or(|byte| byte.is_ascii_whitespace() || b";|&)\\\"'`}],".contains(byte))
        && bytes.get(at + 1) != Some(&b',')
        && bytes.get(at + 1) != Some(&b'}')
}

fn ends_command(bytes: &[u8], at: usize) -> bool {
    match bytes[at] {
        b'\n' | b'\r' | b';' | b'|' | b')' => true,
        b'&' => bytes.get(at + 1).is_none_or(|&next| next == b'&' || is_blank(next)),
        // The end of a line in a JSON string.
        b'\\' => matches!(bytes.get(at + 1), Some(b'n' | b'r')),
        _ => false,
    }
}
