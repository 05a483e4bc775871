//! Raw inserts of the rows of a store into tables like its own, with the same durability, by the program of the database.

use std::fs::{self, File};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Instant;

use super::step_batches::BATCH;
use crate::chore_failure::ChoreFailure;
use crate::fleet::database_cluster::DatabaseCluster;
use crate::fleet::fleet_lab::FleetLab;
use crate::fleet::served_instance::InstancePlan;
use crate::process::stdout_of;

/// Most rows that are inserted.
const MAX_ROWS: usize = 20_000;
/// The columns of an entry.
const COLUMNS: &str = "project, run, seq, at, kind, key, verdict, notable, input, answer";

/// A script that inserts rows in batches, each in a transaction of its own.
pub(super) struct RawInserts {
    script: PathBuf,
    rows: usize,
    folder: PathBuf,
    /// The tables, without rows.
    tables: String,
}

impl RawInserts {
    /// Copies the rows of the store of a server.
    pub(super) fn prepare(
        lab: &FleetLab,
        plan: &InstancePlan,
        cluster: Option<&DatabaseCluster>,
    ) -> Result<Self, ChoreFailure> {
        let failed = |error: std::io::Error| ChoreFailure::io("write the rows of a store", &error);
        let folder = lab.new_folder("raw");
        fs::create_dir_all(&folder).map_err(failed)?;
        let (rows, tables) = match cluster {
            None => sqlite_rows(plan)?,
            Some(cluster) => (postgres_rows(cluster)?, POSTGRES_TABLES.to_owned()),
        };
        let rows: Vec<&str> = rows.lines().filter(|line| line.starts_with('(')).collect();
        if rows.is_empty() {
            return Err(ChoreFailure::Failed("the store has no rows".to_owned()));
        }
        let insert = |rows: &[&str]| {
            format!("BEGIN;\nINSERT INTO entries (id, {COLUMNS}) VALUES {};\nCOMMIT;\n", rows.join(",\n"))
        };
        let mut text = match cluster {
            // The settings of the connection that writes.
            None => ".output /dev/null\nPRAGMA synchronous = FULL;\nPRAGMA cache_size = -16000;\n".to_owned(),
            Some(_) => String::new(),
        };
        text.extend(rows.chunks(BATCH).map(insert));
        let script = folder.join("rows.sql");
        fs::write(&script, text).map_err(failed)?;
        Ok(RawInserts { script, rows: rows.len(), folder, tables })
    }

    /// Inserts the rows into new tables, and returns the number of rows per second.
    pub(super) fn run(&self, cluster: Option<&DatabaseCluster>) -> Result<f64, ChoreFailure> {
        let failed = |error: std::io::Error| ChoreFailure::io("insert rows", &error);
        let mut command = match cluster {
            None => {
                let file = self.folder.join("raw.db");
                for end in ["", "-wal", "-shm"] {
                    let _ = fs::remove_file(format!("{}{end}", file.display()));
                }
                stdout_of(
                    Command::new("sqlite3")
                        .arg(&file)
                        .arg(format!("PRAGMA journal_mode = WAL;\n{}", self.tables)),
                )?;
                let mut command = Command::new("sqlite3");
                command.args(["-batch", "-bail"]).arg(&file).stdin(File::open(&self.script).map_err(failed)?);
                command
            }
            Some(cluster) => {
                cluster.sql("postgres", "DROP DATABASE IF EXISTS raw")?;
                cluster.create_database("raw")?;
                cluster.sql("raw", &self.tables)?;
                let mut command = cluster.psql("raw");
                command.arg("-f").arg(&self.script);
                command
            }
        };
        let started = Instant::now();
        let status = command.stdout(Stdio::null()).status().map_err(failed)?;
        let seconds = started.elapsed().as_secs_f64();
        if !status.success() {
            return Err(ChoreFailure::Failed(format!("the rows could not be inserted ({status})")));
        }
        Ok(self.rows as f64 / seconds)
    }
}

/// Returns the rows of a file as values, one per line, and the statements that made their tables.
fn sqlite_rows(plan: &InstancePlan) -> Result<(String, String), ChoreFailure> {
    let ask = |sql: &str| {
        let printed = stdout_of(Command::new("sqlite3").args(["-readonly", &plan.store, sql]))?;
        Ok::<_, ChoreFailure>(String::from_utf8_lossy(&printed).into_owned())
    };
    let quoted: Vec<String> = COLUMNS.split(", ").map(|column| format!("quote({column})")).collect();
    let rows = ask(&format!(
        "SELECT '(' || id || ',' || {} || ')' FROM entries ORDER BY id LIMIT {MAX_ROWS}",
        quoted.join(" || ',' || ")
    ))?;
    let tables = ask("SELECT sql || ';' FROM sqlite_schema WHERE tbl_name = 'entries' AND sql IS NOT NULL")?;
    Ok((rows, tables))
}

/// Returns the rows of a database as values, one per line.
fn postgres_rows(cluster: &DatabaseCluster) -> Result<String, ChoreFailure> {
    let literals: Vec<String> =
        COLUMNS.split(", ").map(|column| format!("quote_nullable({column})")).collect();
    let sql = format!(
        "SELECT '(' || id || ',' || {} || ')' FROM entries ORDER BY id LIMIT {MAX_ROWS}",
        literals.join(" || ',' || ")
    );
    cluster.sql("service", &sql)
}

/// The entries of a day, with their indexes, and the keys of steps.
const POSTGRES_TABLES: &str = "CREATE TABLE entries (id BIGINT NOT NULL, project BIGINT NOT NULL, run BIGINT, seq BIGINT NOT NULL, \
     at BIGINT NOT NULL, kind TEXT NOT NULL, key TEXT, verdict SMALLINT NOT NULL, notable BOOLEAN NOT NULL, input TEXT NOT NULL, \
     answer TEXT NOT NULL); \
     CREATE INDEX entries_by_id ON entries (id); CREATE INDEX entries_by_run ON entries (run, seq); \
     CREATE INDEX notable_entries ON entries (project, id) WHERE notable; \
     CREATE UNIQUE INDEX entries_by_key ON entries (run, key)";
