//! `install.sh` against a server on the loopback address: with curl and wget, in every shell that is here.

#![expect(clippy::unwrap_used, reason = "a test that cannot begin has failed")]

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::release_archive::{archive, release_archive};
use crate::support::release_server::ReleaseServer;
use crate::support::{FinishedProgram, folder, root};

/// The platform that the simulated machine has.
const TARGET: &str = "x86_64-unknown-linux-musl";
const GNU_TARGET: &str = "x86_64-unknown-linux-gnu";

/// Programs that the script uses, beside those that a test chooses.
const PROGRAMS: [&str; 16] = [
    "sh",
    "tar",
    "gzip",
    "mktemp",
    "sed",
    "grep",
    "awk",
    "wc",
    "tr",
    "head",
    "cat",
    "chmod",
    "mv",
    "rm",
    "mkdir",
    "sha256sum",
];

/// A user with a home folder and a PATH of one folder, whose `uname` and `getconf` are scripts.
struct ScriptHome {
    folder: tempfile::TempDir,
    shell: PathBuf,
}

impl ScriptHome {
    /// Creates the user, with the program that downloads.
    fn new(shell: &Path, downloader: &str) -> Self {
        let home = ScriptHome { folder: folder(), shell: shell.to_owned() };
        fs::create_dir_all(home.path("bin")).unwrap();
        fs::create_dir_all(home.path("home")).unwrap();
        fs::create_dir_all(home.path("tmp")).unwrap();
        for program in PROGRAMS.iter().copied().chain([downloader]) {
            match find_program(program) {
                Some(path) => symlink(path, home.path("bin").join(program)).unwrap(),
                // macOS has another one.
                None if program == "sha256sum" => {
                    symlink(find_program("shasum").unwrap(), home.path("bin/shasum")).unwrap();
                }
                None => panic!("`{program}` is needed for this test: run `cargo xtask setup`"),
            }
        }
        home.write_script("uname", "case $1 in -s) echo Linux ;; -m) echo x86_64 ;; esac");
        home.write_script("getconf", "exit 1");
        home
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write_script(&self, name: &str, text: &str) {
        write_program(&self.path("bin").join(name), text);
    }

    fn installed(&self) -> PathBuf {
        self.path("home/.local/bin/loopbreak")
    }

    fn run(&self, args: &[&str]) -> FinishedProgram {
        let mut command = Command::new(&self.shell);
        command.arg(root().join("install.sh")).args(args).current_dir(self.path("home")).env_clear();
        command.env("PATH", self.path("bin")).env("HOME", self.path("home")).env("TMPDIR", self.path("tmp"));
        let output = command.output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        FinishedProgram { out: text(output.stdout), err: text(output.stderr), code: output.status.code() }
    }

    fn install(&self, server: &ReleaseServer, args: &[&str]) -> FinishedProgram {
        self.run(&[&["--base-url", &server.url("")], args].concat())
    }

    /// Runs the script, which must fail with this text, change nothing and leave nothing behind.
    fn refuse(&self, server: &ReleaseServer, args: &[&str], error: &str) {
        let before = self.files();
        let done = self.install(server, args);
        assert_eq!(done.code, Some(1), "{}{}", done.out, done.err);
        assert!(done.err.starts_with("install.sh: error: "), "{}", done.err);
        assert!(done.err.contains(error), "{error:?} in {}", done.err);
        assert_eq!(self.files(), before, "{error}");
    }

    /// Returns the content of all files of the user.
    fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut files = BTreeMap::new();
        let mut folders = vec![self.folder.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else if !path.starts_with(self.path("bin")) {
                    files.insert(path.clone(), fs::read(&path).unwrap());
                }
            }
        }
        files
    }
}

fn find_program(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|path| path.is_file())
}

fn write_program(path: &Path, text: &str) {
    fs::write(path, format!("#!/bin/sh\n{text}\n")).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// Returns the shells of this machine.
fn shells() -> Vec<PathBuf> {
    let shells: Vec<PathBuf> =
        ["dash", "bash", "sh", "ksh"].iter().filter_map(|shell| find_program(shell)).collect();
    assert!(shells.len() >= 2, "{shells:?}");
    shells
}

/// A user whose shell is `sh` and who has curl.
fn usual_home() -> ScriptHome {
    ScriptHome::new(&find_program("sh").unwrap(), "curl")
}

/// Returns a program that says which version it is.
fn stand_in(version: &str) -> Vec<u8> {
    format!("#!/bin/sh\necho loopbreak {version}\n").into_bytes()
}

/// Returns a server with the stand-in of this version, for this platform.
fn server_with(version: &str, targets: &[&str]) -> ReleaseServer {
    let mut server = ReleaseServer::start();
    for target in targets {
        let (name, bytes) = release_archive(version, target, &stand_in(version));
        server.add_archive("", &name, bytes);
    }
    server
}

#[test]
fn installs_updates_and_removes_the_program_in_every_shell_with_curl_and_wget() {
    for shell in shells() {
        for downloader in ["curl", "wget"] {
            let home = ScriptHome::new(&shell, downloader);
            let server = server_with("0.1.0", &[TARGET]);
            let done = home.install(&server, &[]);
            let context = format!("{} {downloader}: {}{}", shell.display(), done.out, done.err);
            assert_eq!((done.code, done.err.as_str()), (Some(0), ""), "{context}");
            let place = home.installed();
            assert!(
                done.out.contains(&format!("installed loopbreak 0.1.0 to {}\n", place.display())),
                "{context}"
            );
            assert!(done.out.contains(".local/bin is not on the PATH"), "{context}");
            assert_eq!(fs::metadata(&place).unwrap().permissions().mode() & 0o777, 0o755);

            let newer = server_with("0.2.0", &[TARGET]);
            let done = home.install(&newer, &[]);
            assert!(done.out.contains("installed loopbreak 0.2.0 to "), "{context}: {}", done.err);

            fs::write(home.path("home/.local/bin/other"), "kept").unwrap();
            fs::create_dir_all(home.path("home/.local/state/loopbreak")).unwrap();
            fs::write(home.path("home/.local/state/loopbreak/loopbreak.db"), "kept").unwrap();
            let mut expected = home.files();
            expected.remove(&place).unwrap();
            let done = home.run(&["--uninstall"]);
            assert_eq!(done.code, Some(0), "{context}: {}", done.err);
            assert!(done.out.contains("`loopbreak hook uninstall` removes"), "{}", done.out);
            assert_eq!(home.files(), expected, "{context}");
            assert_eq!(home.run(&["--uninstall"]).code, Some(1));
        }
    }
}

/// A real archive: the program of this build, which starts and answers.
#[test]
fn the_program_of_this_build_is_installed_and_starts() {
    let home = usual_home();
    let program = assert_cmd::cargo::cargo_bin!("loopbreak");
    let name = format!("loopbreak-{}-{TARGET}", env!("CARGO_PKG_VERSION"));
    let stage = folder();
    fs::create_dir(stage.path().join(&name)).unwrap();
    fs::copy(program, stage.path().join(&name).join("loopbreak")).unwrap();
    for (packer, args) in [("tar", ["-cf", "release.tar", &name]), ("gzip", ["-1", "-n", "release.tar"])] {
        assert!(Command::new(packer).args(args).current_dir(stage.path()).status().unwrap().success());
    }
    let mut server = ReleaseServer::start();
    let bytes = fs::read(stage.path().join("release.tar.gz")).unwrap();
    server.add_archive("", &format!("{name}.tar.gz"), bytes);
    let done = home.install(&server, &["--to", "a folder/bin"]);
    assert_eq!(done.code, Some(0), "{}", done.err);
    let installed = home.path("home/a folder/bin/loopbreak");
    assert!(fs::read(&installed).unwrap() == fs::read(program).unwrap());
    let output =
        Command::new(installed).args(["analyze", "examples/dam.jsonl", "-q"]).current_dir(root()).output();
    let output = output.unwrap();
    assert!(
        output.status.success() && String::from_utf8_lossy(&output.stdout).contains("1 run"),
        "{output:?}"
    );
}

#[test]
fn a_folder_on_the_path_and_another_program_before_it_are_noticed() {
    let home = usual_home();
    let server = server_with("0.1.0", &[TARGET]);
    let done = home.install(&server, &["--to", home.path("bin").to_str().unwrap()]);
    assert!(!done.out.contains("note:"), "{}", done.out);
}

#[test]
fn a_wrong_sum_and_a_damaged_archive_are_refused_and_the_old_program_stays() {
    let home = usual_home();
    assert_eq!(home.install(&server_with("0.1.0", &[TARGET]), &[]).code, Some(0));
    let (name, bytes) = release_archive("0.2.0", TARGET, &stand_in("0.2.0"));

    let mut changed = ReleaseServer::start();
    changed.add_archive("", &name, bytes.clone());
    changed.add_file(&name, release_archive("0.2.0", TARGET, b"#!/bin/sh\necho harm\n").1);
    home.refuse(&changed, &[], "the checksum of loopbreak-0.2.0-x86_64-unknown-linux-musl.tar.gz is wrong");

    let mut cut = ReleaseServer::start();
    cut.add_archive("", &name, bytes.clone());
    cut.add_file(&name, bytes[..bytes.len() / 2].to_vec());
    home.refuse(&cut, &[], "the checksum of ");

    // The sum fits: the release itself is damaged.
    let mut damaged = ReleaseServer::start();
    damaged.add_archive("", &name, bytes[..60].to_vec());
    home.refuse(&damaged, &[], "the archive is damaged");
    let mut empty = ReleaseServer::start();
    empty.add_archive(
        "",
        &name,
        archive(&[("loopbreak-0.2.0-x86_64-unknown-linux-musl/README.md", b'0', b"x")]),
    );
    home.refuse(&empty, &[], "the archive is damaged: cannot unpack ");

    let mut foreign = ReleaseServer::start();
    let (name, bytes) = release_archive("0.2.0", TARGET, b"\x7fELF of another machine");
    foreign.add_archive("", &name, bytes);
    home.refuse(&foreign, &[], "the program does not start here");
}

#[test]
fn names_and_links_in_an_archive_lead_nowhere() {
    let home = usual_home();
    fs::write(home.path("home/victim"), "untouched").unwrap();
    let name = format!("loopbreak-0.2.0-{TARGET}");
    let victim = home.path("home/victim");
    let program = format!("{name}/loopbreak");
    let harm: &[u8] = b"#!/bin/sh\necho loopbreak harm\n";
    let good = stand_in("0.2.0");
    let mut server = ReleaseServer::start();
    server.add_archive(
        "",
        &format!("{name}.tar.gz"),
        archive(&[
            ("../../home/victim", b'0', harm),
            ("../victim", b'0', harm),
            (victim.to_str().unwrap(), b'0', harm),
            (&format!("{name}/../../home/victim"), b'0', harm),
            (&program, b'0', &good),
        ]),
    );
    let done = home.install(&server, &[]);
    assert_eq!(done.code, Some(0), "{}", done.err);
    assert_eq!(fs::read_to_string(&victim).unwrap(), "untouched");
    assert_eq!(home.files().len(), 2, "{:?}", home.files().keys());

    // The program itself is a link to a file of the user.
    let mut server = ReleaseServer::start();
    let link = archive(&[(&program, b'2', victim.to_str().unwrap().as_bytes())]);
    server.add_archive("", &format!("{name}.tar.gz"), link);
    home.refuse(&server, &[], "the archive is damaged");
    assert_eq!(fs::read_to_string(&victim).unwrap(), "untouched");

    // The list names a path.
    let mut server = ReleaseServer::start();
    let sum = "0".repeat(64);
    server.add_file("SHA256SUMS", format!("{sum}  ../loopbreak-0.2.0-{TARGET}.tar.gz\n").into_bytes());
    home.refuse(&server, &[], "the release has no archive for x86_64-unknown-linux-musl");
}

#[test]
fn a_folder_that_cannot_be_written_is_named() {
    let home = usual_home();
    let server = server_with("0.1.0", &[TARGET]);
    fs::write(home.path("home/file"), "").unwrap();
    home.refuse(&server, &["--to", "file/bin"], "cannot create ");
    home.refuse(&server, &["--to", "file"], "cannot create ");
    fs::create_dir_all(home.path("home/taken/loopbreak")).unwrap();
    home.refuse(&server, &["--to", "taken"], "taken/loopbreak is a folder");
    // Root may write to any folder of a file system, but not here.
    if cfg!(target_os = "linux") {
        home.refuse(&server, &["--to", "/proc/self"], "cannot write to /proc/self");
    }
    let locked = home.path("home/locked");
    fs::create_dir(&locked).unwrap();
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o555)).unwrap();
    if fs::write(locked.join("probe"), "").is_err() {
        home.refuse(&server, &["--to", "locked"], "cannot write to ");
    }
}

#[test]
fn a_server_that_is_missing_or_fails_is_explained() {
    for downloader in ["curl", "wget"] {
        let home = ScriptHome::new(&find_program("sh").unwrap(), downloader);
        let empty = ReleaseServer::start();
        let missing =
            if downloader == "curl" { "there is no such file on the server" } else { "did not send" };
        home.refuse(&empty, &[], missing);
        home.refuse(&empty, &["--version", "9.9.9"], "/SHA256SUMS");

        let mut failing = ReleaseServer::start();
        failing.fail("SHA256SUMS");
        let status = if downloader == "curl" { "answered with status 500" } else { "did not send" };
        home.refuse(&failing, &[], status);

        let mut cut_off = server_with("0.1.0", &[TARGET]);
        cut_off.cut_off(&format!("loopbreak-0.1.0-{TARGET}.tar.gz"));
        home.refuse(&cut_off, &[], "cannot download ");

        let gone = ReleaseServer::start();
        let url = gone.url("");
        drop(gone);
        let done = home.run(&["--base-url", &url]);
        assert_eq!(done.code, Some(1));
        assert!(
            done.err.contains("cannot download ") && done.err.contains("check the network"),
            "{}",
            done.err
        );
        assert!(home.files().is_empty());
    }
    let home = ScriptHome::new(&find_program("sh").unwrap(), "env");
    home.refuse(&ReleaseServer::start(), &[], "neither `curl` nor `wget` was found");
    let done = usual_home().run(&[]);
    assert!(done.err.contains("no address to download from is known"), "{}", done.err);
}

#[test]
fn versions_are_chosen_in_both_layouts() {
    let home = usual_home();
    let mut server = ReleaseServer::start();
    for (folder, version) in [("releases/latest/download/", "0.3.0"), ("releases/download/v0.2.0/", "0.2.0")]
    {
        let (name, bytes) = release_archive(version, TARGET, &stand_in(version));
        server.add_archive(folder, &name, bytes);
    }
    for (args, version) in
        [(&[][..], "0.3.0"), (&["--version", "0.2.0"], "0.2.0"), (&["--version", "v0.2.0"], "0.2.0")]
    {
        let done = home.run(&[&["--base-url", &server.url("releases/")], args].concat());
        assert!(done.out.contains(&format!("installed loopbreak {version} to ")), "{}{}", done.out, done.err);
    }
    // A folder with the archives of several versions.
    let mut mirror = server_with("0.2.0", &[TARGET]);
    let (name, bytes) = release_archive("0.3.0", TARGET, &stand_in("0.3.0"));
    mirror.add_archive("", &name, bytes);
    home.refuse(&mirror, &[], "the server has several versions");
    assert!(home.install(&mirror, &["--version", "0.2.0"]).out.contains("installed loopbreak 0.2.0 to "));
    home.refuse(&mirror, &["--version", "0.4.0"], "in version 0.4.0");
}

#[test]
fn the_archive_fits_the_system_the_processor_and_the_c_library() {
    let arm = "aarch64-unknown-linux-musl";
    let server =
        server_with("0.1.0", &[TARGET, GNU_TARGET, arm, "aarch64-apple-darwin", "x86_64-apple-darwin"]);
    for (system, machine, libc, chosen) in [
        ("Linux", "x86_64", "echo glibc 2.36", GNU_TARGET),
        ("Linux", "amd64", "echo glibc 2.17", GNU_TARGET),
        ("Linux", "x86_64", "echo glibc 2.9", TARGET),
        ("Linux", "x86_64", "echo glibc 3.0", GNU_TARGET),
        ("Linux", "x86_64", "echo nothing known", TARGET),
        ("Linux", "x86_64", "exit 1", TARGET),
        // There is no archive for this processor and glibc.
        ("Linux", "aarch64", "echo glibc 2.36", arm),
        ("Darwin", "arm64", "exit 1", "aarch64-apple-darwin"),
        ("Darwin", "x86_64", "exit 1", "x86_64-apple-darwin"),
    ] {
        let home = usual_home();
        home.write_script("uname", &format!("case $1 in -s) echo {system} ;; -m) echo {machine} ;; esac"));
        home.write_script(
            "getconf",
            &format!("[ \"$1\" = GNU_LIBC_VERSION ] || {{ echo 64; exit; }}\n{libc}"),
        );
        let done = home.install(&server, &[]);
        let expected = format!("downloading loopbreak-0.1.0-{chosen}.tar.gz\n");
        assert!(done.out.contains(&expected), "{system} {machine} {libc}: {}{}", done.out, done.err);
    }
    let home = usual_home();
    home.write_script("sysctl", "echo 1");
    home.write_script("uname", "case $1 in -s) echo Darwin ;; -m) echo x86_64 ;; esac");
    assert!(home.install(&server, &[]).out.contains("aarch64-apple-darwin"));
    for (system, machine) in
        [("Linux", "riscv64"), ("Linux", "i686"), ("FreeBSD", "x86_64"), ("MINGW64_NT", "x86_64")]
    {
        let home = usual_home();
        home.write_script("uname", &format!("case $1 in -s) echo {system} ;; -m) echo {machine} ;; esac"));
        home.refuse(&server, &[], &format!("there is no archive for this platform: {system} on {machine}"));
        assert!(home.install(&server, &["--target", TARGET]).out.contains("installed loopbreak 0.1.0"));
    }
}

#[test]
fn wrong_usage_and_another_program_are_refused() {
    let home = usual_home();
    for args in [
        &["--bogus"][..],
        &["--to"],
        &["--to", ""],
        &["--version", "1/../2"],
        &["--target", "$(touch x)"],
        &["extra"],
    ] {
        let done = home.run(args);
        assert_eq!(done.code, Some(2), "{args:?}: {}{}", done.out, done.err);
        assert!(home.files().is_empty());
    }
    fs::create_dir_all(home.path("home/.local/bin")).unwrap();
    write_program(&home.installed(), "echo something else");
    let done = home.run(&["--uninstall"]);
    assert_eq!(done.code, Some(1), "{}", done.out);
    assert!(done.err.contains("is another program"), "{}", done.err);
    // A program that does not start any more can be removed.
    write_program(&home.installed(), "exit 1");
    assert_eq!(home.run(&["--uninstall"]).code, Some(0));
    assert!(home.run(&["--help"]).out.contains("--uninstall"));
}
