//! Starts the service, and ends it in order.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use loopbreak::Settings;
use loopbreak_store::now;
use loopbreak_store::service::ServiceStore;
use tokio::runtime::Builder;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::alerts::AlertTasks;
use super::api::{
    CallerAccess, GateOptions, RateLimits, ServiceApi, ServiceGate, random_text, service_router,
};
use super::guards::{GuardPool, PoolOptions};
use super::service_tls::ServiceTls;
use crate::http::{
    BearerToken, BodyBudget, BoundPort, OpenConnections, TlsFiles, accept_connections, connection_limit,
    wait_for_shutdown,
};
use crate::mcp::{ServeEnd, ServeError};
use crate::otlp::TelemetryIntake;

/// Time that clients have to leave when the server ends.
const SHUTDOWN_TIME: Duration = Duration::from_secs(3);
/// Time between two looks for runs that are too old.
const PRUNE_TIME: Duration = Duration::from_mins(10);
/// Number of runs that are deleted at once, so that writers do not wait for long.
const PRUNED_RUNS: usize = 50;

/// Settings of the service.
#[derive(Debug)]
pub struct ServiceOptions {
    /// Address to listen on.
    pub address: SocketAddr,
    /// Address on which OTLP over gRPC is taken, if it is.
    pub grpc: Option<SocketAddr>,
    /// The store.
    pub store: Arc<dyn ServiceStore>,
    /// Settings of the guards.
    pub settings: Settings,
    /// The token of the owner, who may do everything in all projects. Without one, everybody who reaches the address is the
    /// owner. Required if other machines can reach the address.
    pub token: Option<BearerToken>,
    /// The files with which the server speaks TLS itself, on all of its ports.
    pub tls: Option<TlsFiles>,
    /// A proxy in front of the server has TLS. Without it or a certificate, an address that other machines can reach is refused.
    pub behind_proxy: bool,
    /// Further host names that clients may use.
    pub hosts: Vec<String>,
    /// Origins of web pages that may use the server.
    pub origins: Vec<String>,
    /// Time after which runs are deleted, `None` for never.
    pub keep: Option<Duration>,
    /// Number of steps and requests per second and token.
    pub rate: u32,
    /// Largest number of runs in memory.
    pub max_guards: usize,
    /// Largest number of steps that wait; more are refused.
    pub max_queued: usize,
    /// True if several servers use the store. Each then has a name of its own, and a run of one that was cut off is free after a
    /// while. A server that has the store for itself takes its runs back at once.
    pub shares_store: bool,
}

impl ServiceOptions {
    /// Creates the options of a server on one machine.
    pub fn new(address: SocketAddr, store: Arc<dyn ServiceStore>, settings: Settings) -> Self {
        ServiceOptions {
            address,
            grpc: None,
            store,
            settings,
            token: None,
            tls: None,
            behind_proxy: false,
            hosts: Vec::new(),
            origins: Vec::new(),
            keep: Some(Duration::from_hours(24 * 90)),
            rate: 2000,
            max_guards: 4096,
            max_queued: 4000,
            shares_store: false,
        }
    }
}

/// A server that has started.
#[derive(Clone, Debug)]
pub struct StartedService {
    /// Its address, with the actual port.
    pub address: SocketAddr,
    /// The address of OTLP over gRPC, with the actual port.
    pub grpc: Option<SocketAddr>,
    names: AddressNames,
    access: CallerAccess,
}

/// Parts of an address of the server in front of its port.
#[derive(Clone, Debug)]
struct AddressNames {
    scheme: &'static str,
    /// First of the host names that the owner named.
    name: Option<String>,
}

impl StartedService {
    /// Returns the address of the server as a URL. With TLS, it has the host name of the owner if there is one: a certificate is
    /// rarely one for a number.
    pub fn url(&self) -> String {
        self.names.url(self.address)
    }

    /// Returns the address of OTLP over gRPC as a URL.
    pub fn grpc_url(&self) -> Option<String> {
        self.grpc.map(|address| self.names.url(address))
    }

    /// Returns an address that lets one browser in as the owner, once and within five minutes.
    pub fn browser_url(&self) -> Option<String> {
        let code = self.access.make_code().ok()?;
        Some(format!("{}/?code={code}", self.url()))
    }
}

impl AddressNames {
    fn url(&self, address: SocketAddr) -> String {
        match &self.name {
            Some(name) if self.scheme == "https" => format!("https://{name}:{}", address.port()),
            _ => format!("{}://{address}", self.scheme),
        }
    }
}

/// Takes the lock of a store in a file, which one server has for itself. It is free again when the file is closed.
pub fn lock_store_file(path: &Path) -> Result<std::fs::File, ServeError> {
    let mut name = path.as_os_str().to_owned();
    name.push(".lock");
    let failed = |error: std::io::Error| ServeError::StoreLock { path: path.display().to_string(), error };
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(false);
    let file = loopbreak_store::open_private_file(Path::new(&name), &mut options).map_err(failed)?;
    file.try_lock().map_err(|error| failed(error.into()))?;
    Ok(file)
}

/// Serves until the program is asked to end. Calls `ready` when the server listens.
pub fn serve_service(
    options: ServiceOptions,
    ready: impl FnOnce(&StartedService),
) -> Result<ServeEnd, ServeError> {
    let addresses = [Some(options.address), options.grpc];
    if let Some(address) = addresses.into_iter().flatten().find(|address| !address.ip().is_loopback()) {
        if options.token.is_none() {
            return Err(ServeError::NeedsToken(address));
        }
        if !options.behind_proxy && options.tls.is_none() {
            return Err(ServeError::NeedsTls(address));
        }
    }
    let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.map_err(ServeError::Runtime)?;
    let random = || random_text().map_err(|error| ServeError::Connection(error.to_string()));
    let pool = GuardPool::start(
        &options.store,
        &PoolOptions {
            settings: options.settings.clone(),
            owner: if options.shares_store { random()? } else { "only".to_owned() },
            lease: Duration::from_secs(20),
            idle: Duration::from_mins(5),
            max_runs: options.max_guards,
            max_queued: options.max_queued,
            shards: std::thread::available_parallelism().map_or(2, usize::from).clamp(2, 8),
        },
    )?;
    let alerts = AlertTasks::start(&options.store, &options.settings.alert)?;
    let served = runtime.block_on(listen(options, pool.clone(), ready));
    drop(alerts);
    pool.end();
    runtime.shutdown_background();
    served
}

async fn listen(
    options: ServiceOptions,
    pool: GuardPool,
    ready: impl FnOnce(&StartedService),
) -> Result<ServeEnd, ServeError> {
    let address = options.address;
    let has_tls = options.tls.is_some();
    let tls = ServiceTls::read(options.tls)?;
    let port = tls.bind(address, b"http/1.1").await?;
    let store = Arc::clone(&options.store);
    let access = CallerAccess::new(Arc::clone(&store), options.token, has_tls);
    let limits = RateLimits::new(options.rate);
    let telemetry = TelemetryIntake::new(pool.clone());
    let api = ServiceApi {
        pool,
        store: Arc::clone(&store),
        access: access.clone(),
        limits: limits.clone(),
        telemetry: telemetry.clone(),
    };
    let bodies = BodyBudget::default();
    let grpc = GrpcPort::bind(options.grpc, &tls, &api, &bodies).await?;
    let names =
        AddressNames { scheme: if has_tls { "https" } else { "http" }, name: options.hosts.first().cloned() };
    let own = [address.ip().to_string()];
    let local = ["localhost", "127.0.0.1", "::1"].map(str::to_owned);
    let hosts = local.into_iter().chain(own).chain(options.hosts);
    let hosts = hosts.map(|host| host.to_ascii_lowercase()).collect();
    let gate = ServiceGate {
        options: Arc::new(GateOptions { hosts, origins: options.origins, has_tls }),
        access: access.clone(),
        limits,
        bodies,
        router: service_router(api),
    };
    let end = CancellationToken::new();
    // Both ports share the files that the program may open.
    let connections = OpenConnections::new(connection_limit());
    let grpc_address = grpc.as_ref().map(|grpc| grpc.port.address);
    let renewed = tls.renew();
    ready(&StartedService { address: port.address, grpc: grpc_address, names, access });
    let (mut tasks, mut call_tasks) = (JoinSet::new(), JoinSet::new());
    let why = tokio::select! {
        () = accept_connections(&port, &gate, &connections, &end, &mut tasks) => ServeEnd::Done,
        () = accept_calls(grpc.as_ref(), &connections, &end, &mut call_tasks) => ServeEnd::Done,
        why = wait_for_shutdown() => why,
        never = prune(store, options.keep) => match never {},
        never = renewed => match never {},
    };
    drop((port, grpc));
    end.cancel();
    // A client that keeps a stream open for longer is cut off.
    let ended =
        async { while tasks.join_next().await.is_some() || call_tasks.join_next().await.is_some() {} };
    let _ = tokio::time::timeout(SHUTDOWN_TIME, ended).await;
    telemetry.flush().await;
    Ok(why)
}

/// The port of gRPC.
struct GrpcPort {
    port: BoundPort,
    #[cfg(feature = "grpc")]
    server: crate::otlp::GrpcServer,
}

impl GrpcPort {
    /// Takes the port, if one is wanted.
    async fn bind(
        address: Option<SocketAddr>,
        tls: &ServiceTls,
        api: &ServiceApi,
        bodies: &BodyBudget,
    ) -> Result<Option<Self>, ServeError> {
        let Some(address) = address else { return Ok(None) };
        let port = tls.bind(address, b"h2").await?;
        #[cfg(feature = "grpc")]
        {
            let router = super::api::telemetry_grpc_router(api, bodies.clone());
            Ok(Some(GrpcPort { port, server: crate::otlp::GrpcServer::new(router) }))
        }
        #[cfg(not(feature = "grpc"))]
        {
            drop((port, api, bodies));
            let error = std::io::Error::other("this program was built without gRPC");
            Err(ServeError::Listen { address, error })
        }
    }
}

/// Serves gRPC until the server ends, or waits for ever without a port for it.
async fn accept_calls(
    grpc: Option<&GrpcPort>,
    connections: &OpenConnections,
    end: &CancellationToken,
    tasks: &mut JoinSet<()>,
) {
    let Some(grpc) = grpc else { return std::future::pending().await };
    #[cfg(feature = "grpc")]
    accept_connections(&grpc.port, &grpc.server, connections, end, tasks).await;
    #[cfg(not(feature = "grpc"))]
    let _ = (grpc, connections, end, tasks);
}

/// Deletes old runs from time to time.
async fn prune(store: Arc<dyn ServiceStore>, keep: Option<Duration>) -> std::convert::Infallible {
    let Some(keep) = keep else { return std::future::pending().await };
    loop {
        loop {
            let before = now().saturating_sub(i64::try_from(keep.as_millis()).unwrap_or(i64::MAX));
            let store = Arc::clone(&store);
            let pruned = tokio::task::spawn_blocking(move || store.prune(before, PRUNED_RUNS)).await;
            // If the store fails, the next look finds the same runs.
            match pruned {
                Ok(Ok(count)) if count == PRUNED_RUNS as u64 => {
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
                _ => break,
            }
        }
        tokio::time::sleep(PRUNE_TIME).await;
    }
}
