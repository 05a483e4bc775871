//! The option that names the store of the service, for the commands that open it.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use loopbreak_store::service::{ServiceStore, ServiceStoreUrl, open_service_store};
use loopbreak_store::{create_parent_folder, default_path, now};

use crate::error::UserError;

/// Name of the store, in the folder of the store of the hooks.
const STORE_FILE: &str = "service.db";

/// The store of the service.
#[derive(Debug, Clone, Args)]
pub(crate) struct ServiceStoreOption {
    /// The store of the service [default: service.db in the state folder of the user]
    #[arg(long, value_name = "URL")]
    pub(crate) store: Option<ServiceStoreUrl>,
}

/// Opens the store of the service for a command beside the server.
pub(crate) fn open_service(option: &ServiceStoreOption) -> Result<Arc<dyn ServiceStore>, UserError> {
    Ok(open_service_store(&store_url(option)?, now())?)
}

/// Returns the address of the store, or that of the file in the state folder.
pub(crate) fn store_url(option: &ServiceStoreOption) -> Result<ServiceStoreUrl, UserError> {
    match &option.store {
        Some(url) => Ok(url.clone()),
        None => Ok(ServiceStoreUrl::from(state_file(STORE_FILE)?.as_path())),
    }
}

/// Returns the path of a file in the state folder, and creates the folder.
pub(crate) fn state_file(name: &str) -> Result<PathBuf, UserError> {
    let store = default_path(|name| std::env::var_os(name)).ok_or_else(|| {
        UserError::failed("no folder found for the store").hint("set XDG_STATE_HOME or HOME, or use --store")
    })?;
    create_parent_folder(&store)?;
    Ok(store.with_file_name(name))
}
