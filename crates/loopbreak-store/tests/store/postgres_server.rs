//! A PostgreSQL server for a test, in a folder of its own. It ends with the test, also if the test panics.

use std::ffi::OsStr;
use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

/// Longest time for a start or a stop.
const LONGEST: Duration = Duration::from_mins(1);
/// Users under which the server may run if the test runs as root, which PostgreSQL refuses.
const SERVER_USERS: [&str; 2] = ["postgres", "nobody"];

/// A server without a port: it listens on a socket in its folder.
pub(crate) struct PostgresServer {
    folder: tempfile::TempDir,
    programs: PathBuf,
    /// The user and group of the server, if they are not those of the test.
    user: Option<(u32, u32)>,
    process: Option<Child>,
}

impl PostgresServer {
    /// Creates a database cluster and starts the server.
    pub(crate) fn start() -> Self {
        let folder = tempfile::Builder::new().prefix("lb-pg-").tempdir().unwrap();
        let user = (fs::metadata(folder.path()).unwrap().uid() == 0).then(server_user);
        if let Some((user, group)) = user {
            chown(folder.path(), Some(user), Some(group)).unwrap();
        }
        fs::set_permissions(folder.path(), Permissions::from_mode(0o700)).unwrap();
        let mut server = PostgresServer { folder, programs: programs(), user, process: None };
        let created = server
            .command("initdb")
            .args(["--no-sync", "--no-locale", "--encoding=UTF8", "--auth=trust", "--username=loopbreak"])
            .arg("--pgdata")
            .arg(server.data())
            .output()
            .unwrap();
        assert!(created.status.success(), "{}", String::from_utf8_lossy(&created.stderr));
        server.start_again();
        server
    }

    /// Starts the server after it was stopped.
    pub(crate) fn start_again(&mut self) {
        let mut command = self.command("postgres");
        command.arg("-D").arg(self.data()).arg("-k").arg(self.folder.path());
        for setting in [
            "listen_addresses=",
            "shared_buffers=16MB",
            "max_connections=60",
            "fsync=off",
            "full_page_writes=off",
            "log_min_messages=fatal",
        ] {
            command.args(["-c", setting]);
        }
        let process =
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        self.process = Some(process);
        let started = Instant::now();
        while self.connect("postgres").is_err() {
            let ended = self.process.as_mut().unwrap().try_wait().unwrap();
            assert!(ended.is_none(), "the server ended: {ended:?}");
            assert!(started.elapsed() < LONGEST, "the server does not answer");
            sleep(Duration::from_millis(20));
        }
    }

    /// Kills the server and all its connections, as a crash does.
    pub(crate) fn crash(&mut self) {
        self.end(Signal::SIGQUIT);
    }

    /// Stops everything that serves a database, so that nothing is answered, or lets it continue.
    pub(crate) fn pause(&self, database: &str, is_paused: bool) {
        static PAUSED: std::sync::Mutex<Vec<i32>> = std::sync::Mutex::new(Vec::new());
        let mut paused = PAUSED.lock().unwrap();
        if is_paused {
            let sql = "SELECT pid FROM pg_stat_activity WHERE datname = $1";
            let sessions = self.connect("postgres").unwrap().query(sql, &[&database]).unwrap();
            paused.extend(sessions.iter().map(|row| row.get::<_, i32>(0)));
            paused.push(self.process.as_ref().unwrap().id().cast_signed());
        }
        let signal = if is_paused { Signal::SIGSTOP } else { Signal::SIGCONT };
        for process in paused.iter() {
            kill(Pid::from_raw(*process), signal).unwrap();
        }
        if !is_paused {
            paused.clear();
        }
    }

    fn end(&mut self, signal: Signal) {
        if let Some(mut process) = self.process.take() {
            let _ = kill(Pid::from_raw(process.id().cast_signed()), signal);
            let _ = process.wait();
        }
    }

    /// Creates a database for a role that may do nothing else, and returns its address.
    pub(crate) fn create_database(&self, name: &str) -> String {
        let mut client = self.connect("postgres").unwrap();
        client.batch_execute(&format!("CREATE ROLE {name} LOGIN")).unwrap();
        client.batch_execute(&format!("CREATE DATABASE {name} OWNER {name}")).unwrap();
        self.address(name, name)
    }

    /// Returns the address of a database for a role.
    pub(crate) fn address(&self, role: &str, database: &str) -> String {
        let socket = self.folder.path().display().to_string().replace('/', "%2F");
        format!("postgres://{role}@{socket}/{database}")
    }

    /// Connects as the superuser.
    pub(crate) fn connect(&self, database: &str) -> Result<postgres::Client, postgres::Error> {
        postgres::Client::connect(&self.address("loopbreak", database), postgres::NoTls)
    }

    /// Starts a PgBouncer in session mode in front of the server, and returns it with the address of a database through it.
    pub(crate) fn start_bouncer(&self, role: &str, database: &str) -> (PgBouncer, String) {
        let folder = self.folder.path();
        let socket_folder = folder.join("bouncer");
        fs::create_dir(&socket_folder).unwrap();
        let settings = format!(
            "[databases]\n* = host={server}\n[pgbouncer]\npool_mode = session\nlisten_addr =\n\
             unix_socket_dir = {socket}\nlisten_port = 6432\nauth_type = trust\nauth_file = {socket}/users\n\
             max_client_conn = 50\ndefault_pool_size = 10\n",
            server = folder.display(),
            socket = socket_folder.display(),
        );
        fs::write(socket_folder.join("users"), format!("\"{role}\" \"\"\n")).unwrap();
        let file = socket_folder.join("pgbouncer.ini");
        fs::write(&file, settings).unwrap();
        if let Some((user, group)) = self.user {
            for path in [&socket_folder, &file, &socket_folder.join("users")] {
                chown(path, Some(user), Some(group)).unwrap();
            }
        }
        let program =
            ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer"].into_iter().find(|path| Path::new(path).exists());
        let program =
            program.unwrap_or_else(|| panic!("PgBouncer is missing: `cargo xtask setup` installs it"));
        let mut command = self.command(program);
        command.arg("--quiet").arg(file).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut bouncer = PgBouncer(command.spawn().unwrap());
        let socket = socket_folder.display().to_string().replace('/', "%2F");
        let address = format!("postgres://{role}@{socket}:6432/{database}");
        let started = Instant::now();
        while postgres::Client::connect(&address, postgres::NoTls).is_err() {
            assert!(bouncer.0.try_wait().unwrap().is_none(), "PgBouncer ended");
            assert!(started.elapsed() < LONGEST, "PgBouncer does not answer");
            sleep(Duration::from_millis(20));
        }
        (bouncer, address)
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// Returns a command that runs as the user of the server and ends with this thread.
    fn command(&self, program: &str) -> Command {
        let program = self.programs.join(program);
        let mut command = Command::new("setpriv");
        if let Some((user, group)) = self.user {
            command.arg(format!("--reuid={user}")).arg(format!("--regid={group}")).arg("--clear-groups");
        }
        command.args(["--pdeathsig=QUIT", "--"]).arg(program).current_dir("/");
        command
    }
}

impl Drop for PostgresServer {
    fn drop(&mut self) {
        self.end(Signal::SIGQUIT);
    }
}

/// A PgBouncer that ends with the test.
pub(crate) struct PgBouncer(Child);

impl Drop for PgBouncer {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn server_user() -> (u32, u32) {
    let id = |option: &str, name: &str| {
        let output = Command::new("id").args([option, name]).output().ok()?;
        String::from_utf8_lossy(&output.stdout).trim().parse::<u32>().ok()
    };
    let users = SERVER_USERS.iter().filter_map(|name| Some((id("-u", name)?, id("-g", name)?)));
    users.into_iter().next().unwrap_or_else(|| panic!("a user other than root"))
}

/// Returns the folder with the programs of the latest version that is installed.
fn programs() -> PathBuf {
    let version =
        |path: &Path| path.file_name().and_then(OsStr::to_str).and_then(|name| name.parse::<u32>().ok());
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten();
    let folders =
        versions.filter_map(|entry| Some(entry.ok()?.path())).filter(|path| version(path).is_some());
    let latest = folders.max_by_key(|path| version(path));
    latest.unwrap_or_else(|| panic!("PostgreSQL is missing: `cargo xtask setup` installs it")).join("bin")
}
