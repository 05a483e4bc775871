//! The surroundings that all parts share.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::database_cluster::DatabaseCluster;
use super::fleet_arguments::FleetExtent;
use super::served_instance::InstancePlan;
use super::store_kind::StoreKind;
use crate::chore_failure::ChoreFailure;

/// Time between two messages about the progress of a part.
const PROGRESS: Duration = Duration::from_secs(10);

/// The surroundings that all parts share.
pub(super) struct FleetLab {
    pub(super) program: PathBuf,
    pub(super) seed: u64,
    pub(super) extent: FleetExtent,
    pub(super) stores: Vec<StoreKind>,
    /// True if progress is printed.
    pub(super) is_talkative: bool,
    folder: PathBuf,
    folders: AtomicU64,
}

/// A message about the progress of a part from time to time.
pub(super) struct ProgressNote {
    told: Instant,
    is_talkative: bool,
}

impl FleetLab {
    /// Creates the folder of all parts.
    pub(super) fn open(
        program: PathBuf,
        seed: u64,
        extent: FleetExtent,
        stores: Vec<StoreKind>,
    ) -> Result<Self, ChoreFailure> {
        static LABS: AtomicU64 = AtomicU64::new(0);
        let number = LABS.fetch_add(1, Ordering::Relaxed);
        let folder = env::temp_dir().join(format!("loopbreak-fleet-{}-{number}", std::process::id()));
        fs::create_dir_all(&folder)
            .map_err(|error| ChoreFailure::io("create a folder for the parts", &error))?;
        Ok(FleetLab { program, seed, extent, stores, is_talkative: true, folder, folders: AtomicU64::new(0) })
    }

    /// Returns the path of a folder that does not exist yet.
    pub(super) fn new_folder(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}-{}", self.folders.fetch_add(1, Ordering::Relaxed)))
    }

    /// Creates a database server in a folder of its own.
    pub(super) fn new_cluster(&self) -> Result<DatabaseCluster, ChoreFailure> {
        DatabaseCluster::create(&self.new_folder("pg"))
    }

    /// Returns the plan of a server on a store of its own, with the database server that it needs.
    pub(super) fn new_service(
        &self,
        store: StoreKind,
    ) -> Result<(InstancePlan, Option<DatabaseCluster>), ChoreFailure> {
        let home = self.new_folder("home");
        match store {
            StoreKind::Sqlite => Ok((self.sqlite_plan(home), None)),
            StoreKind::Postgres => {
                let cluster = self.new_cluster()?;
                cluster.create_database("service")?;
                Ok((InstancePlan::new(&self.program, home, cluster.url("service")), Some(cluster)))
            }
        }
    }

    /// Returns the plan of a server whose store is a file in its folder.
    pub(super) fn sqlite_plan(&self, home: PathBuf) -> InstancePlan {
        let store = home.join("service.db").display().to_string();
        InstancePlan::new(&self.program, home, store)
    }

    /// Returns a note that tells about the progress of a part.
    pub(super) fn progress(&self) -> ProgressNote {
        ProgressNote { told: Instant::now(), is_talkative: self.is_talkative }
    }

    /// Returns the program that is tried.
    pub(super) fn program(&self) -> &Path {
        &self.program
    }
}

impl ProgressNote {
    /// Tells something, if it is time.
    pub(super) fn tell(&mut self, text: impl FnOnce() -> String) {
        if self.is_talkative && self.told.elapsed() >= PROGRESS {
            self.told = Instant::now();
            eprintln!("xtask: fleet:   {}", text());
        }
    }
}

impl Drop for FleetLab {
    fn drop(&mut self) {
        // Nothing depends on it. A variable keeps the logs of a part that failed.
        if env::var_os("LOOPBREAK_KEEP_FLEET").is_none() {
            let _ = fs::remove_dir_all(&self.folder);
        }
    }
}
