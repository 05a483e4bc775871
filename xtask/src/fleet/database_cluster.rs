//! A `PostgreSQL` server in a folder of its own. It ends with the thread that started it.

use std::ffi::OsStr;
use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::chore_failure::ChoreFailure;
use crate::process::works;

/// Longest time for a start or a stop.
const LONGEST: Duration = Duration::from_mins(1);
/// The folder with the versions that Debian installs.
const VERSIONS: &str = "/usr/lib/postgresql";
/// Users under which the server may run if this process is root, which `PostgreSQL` refuses.
const SERVER_USERS: [&str; 2] = ["postgres", "nobody"];
/// The role that owns the databases of the service. It has no other rights.
const ROLE: &str = "fleet";

/// The way in which a server is stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StopMode {
    /// Connections are closed.
    Fast,
    /// Without an orderly end, as in a crash: the next start recovers.
    Immediate,
}

/// A database server without a port: it listens on a socket in its folder. All its settings that concern durability are the defaults.
pub(super) struct DatabaseCluster {
    folder: PathBuf,
    programs: PathBuf,
    /// The user and group of the server, if they are not those of this process.
    user: Option<(u32, u32)>,
    process: Option<Child>,
}

impl DatabaseCluster {
    /// Creates a cluster in a new folder, and starts its server.
    pub(super) fn create(folder: &Path) -> Result<Self, ChoreFailure> {
        let failed = |error: std::io::Error| ChoreFailure::io("create the folder of a database", &error);
        fs::create_dir_all(folder).map_err(failed)?;
        let is_root = fs::metadata(folder).map_err(failed)?.uid() == 0;
        let user = if is_root { Some(server_user()?) } else { None };
        if let Some((user, group)) = user {
            chown(folder, Some(user), Some(group)).map_err(failed)?;
        }
        fs::set_permissions(folder, Permissions::from_mode(0o700)).map_err(failed)?;
        let mut cluster =
            DatabaseCluster { folder: folder.to_owned(), programs: programs()?, user, process: None };
        let mut create = cluster.command("initdb");
        create.args(["--no-sync", "--no-locale", "--encoding=UTF8", "--auth=trust", "--username=loopbreak"]);
        let output = create.arg("--pgdata").arg(cluster.data()).output();
        let output = output.map_err(|error| ChoreFailure::io("start initdb", &error))?;
        if !output.status.success() {
            let why = String::from_utf8_lossy(&output.stderr).trim().to_owned();
            return Err(ChoreFailure::Failed(format!("initdb failed: {why}")));
        }
        cluster.start()?;
        cluster.sql("postgres", &format!("CREATE ROLE {ROLE} LOGIN"))?;
        Ok(cluster)
    }

    /// Starts the server, and waits until it answers.
    pub(super) fn start(&mut self) -> Result<(), ChoreFailure> {
        let log = fs::OpenOptions::new().create(true).append(true).open(self.log());
        let log = log.map_err(|error| ChoreFailure::io("write the log of a database", &error))?;
        let mut command = self.command("postgres");
        command.arg("-D").arg(self.data()).arg("-k").arg(&self.folder);
        for setting in
            ["listen_addresses=", "max_connections=60", "shared_buffers=64MB", "max_wal_size=256MB"]
        {
            command.args(["-c", setting]);
        }
        let process = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log).spawn();
        self.process = Some(process.map_err(|error| ChoreFailure::io("start postgres", &error))?);
        let started = Instant::now();
        while !works(self.psql("postgres").args(["-c", "SELECT 1"])) {
            if !self.is_running() || started.elapsed() > LONGEST {
                let log = fs::read_to_string(self.log()).unwrap_or_default();
                let last: Vec<&str> = log.lines().rev().take(5).collect();
                return Err(ChoreFailure::Failed(format!(
                    "the database does not start: {}",
                    last.join(" | ")
                )));
            }
            sleep(Duration::from_millis(20));
        }
        Ok(())
    }

    /// Returns whether the server runs. It ends by itself if its disk is full.
    pub(super) fn is_running(&mut self) -> bool {
        self.process.as_mut().is_some_and(|process| matches!(process.try_wait(), Ok(None)))
    }

    /// Stops the server, and waits until it has ended.
    pub(super) fn stop(&mut self, mode: StopMode) {
        let Some(mut process) = self.process.take() else { return };
        let signal = match mode {
            StopMode::Fast => "-INT",
            StopMode::Immediate => "-QUIT",
        };
        let _ = Command::new("kill").args([signal, &process.id().to_string()]).status();
        let _ = process.wait();
    }

    /// Creates a database of the role.
    pub(super) fn create_database(&self, name: &str) -> Result<(), ChoreFailure> {
        self.sql("postgres", &format!("CREATE DATABASE {name} OWNER {ROLE}")).map(drop)
    }

    /// Returns the address of a database by the socket.
    pub(super) fn url(&self, database: &str) -> String {
        let socket = self.folder.display().to_string().replace('/', "%2F");
        format!("postgres://{ROLE}@{socket}/{database}")
    }

    /// Returns the address of a database by an address that leads to the socket of its server.
    pub(super) fn url_by(address: std::net::SocketAddr, database: &str) -> String {
        format!("postgres://{ROLE}@{address}/{database}?sslmode=disable")
    }

    /// Returns the path of the socket.
    pub(super) fn socket(&self) -> PathBuf {
        self.folder.join(".s.PGSQL.5432")
    }

    /// Runs SQL as the superuser, and returns what it printed.
    pub(super) fn sql(&self, database: &str, statements: &str) -> Result<String, ChoreFailure> {
        let output = self.psql(database).args(["-c", statements]).output();
        let output = output.map_err(|error| ChoreFailure::io("start psql", &error))?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
        if output.status.success() {
            Ok(text(&output.stdout))
        } else {
            Err(ChoreFailure::Failed(format!("psql failed: {}", text(&output.stderr))))
        }
    }

    /// Returns a command that runs SQL as the superuser.
    pub(super) fn psql(&self, database: &str) -> Command {
        let mut command = Command::new(self.programs.join("psql"));
        command.args(["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-U", "loopbreak", "-h"]);
        command.arg(&self.folder).args(["-d", database]).stdin(Stdio::null());
        command
    }

    fn data(&self) -> PathBuf {
        self.folder.join("data")
    }

    fn log(&self) -> PathBuf {
        self.folder.with_extension("log")
    }

    /// Returns a command that runs as the user of the server and ends with this thread.
    fn command(&self, program: &str) -> Command {
        let mut command = Command::new("setpriv");
        if let Some((user, group)) = self.user {
            command.arg(format!("--reuid={user}")).arg(format!("--regid={group}")).arg("--clear-groups");
        }
        command.args(["--pdeathsig=QUIT", "--"]).arg(self.programs.join(program)).current_dir("/");
        command
    }
}

impl Drop for DatabaseCluster {
    fn drop(&mut self) {
        self.stop(StopMode::Immediate);
    }
}

fn server_user() -> Result<(u32, u32), ChoreFailure> {
    let id = |option: &str, name: &str| {
        let output = Command::new("id").args([option, name]).output().ok()?;
        String::from_utf8_lossy(&output.stdout).trim().parse::<u32>().ok()
    };
    let mut users = SERVER_USERS.iter().filter_map(|name| Some((id("-u", name)?, id("-g", name)?)));
    users.next().ok_or_else(|| ChoreFailure::Failed("there is no user other than root".to_owned()))
}

/// Returns the folder with the programs of the latest version that is installed.
fn programs() -> Result<PathBuf, ChoreFailure> {
    let version =
        |path: &Path| path.file_name().and_then(OsStr::to_str).and_then(|name| name.parse::<u32>().ok());
    let versions = fs::read_dir(VERSIONS).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()));
    let latest = versions.filter(|path| version(path).is_some()).max_by_key(|path| version(path));
    let missing =
        || ChoreFailure::Failed("PostgreSQL is missing: `cargo xtask setup` installs it".to_owned());
    Ok(latest.ok_or_else(missing)?.join("bin"))
}
