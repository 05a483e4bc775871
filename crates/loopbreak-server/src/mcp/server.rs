//! The server as the protocol sees it: what it is, which tools and resources it has, and whose run a call is about.

use axum::http::request::Parts;
use loopbreak::Settings;
use loopbreak_store::{StoreError, StoreUrl};
use rmcp::handler::server::router::tool::ToolRouter;
use rmcp::handler::server::tool::{IntoCallToolResult as _, ToolCallContext};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, Implementation, ListResourceTemplatesResult,
    ListResourcesResult, PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse,
    ReadResourceResult, ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler, tool_handler};

use super::desk::Desk;
use super::fault::Fault;
use super::{limits, resources, schemas};

/// The header with which a client of older versions of the protocol names its session.
const SESSION: &str = "mcp-session-id";

/// What a server works with.
#[derive(Clone, Debug)]
pub struct Options {
    /// The settings of all guards.
    pub settings: Settings,
    /// The store.
    pub store: StoreUrl,
    /// The folder that runs are said to work in.
    pub folder: String,
    /// The run of calls that name none. Without it, each connection has one of its own.
    pub run: Option<String>,
}

/// Why a server cannot be started, or had to end.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The store cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The settings are not valid.
    #[error("the settings are not valid: {0}")]
    Config(String),
    /// The system gives no thread.
    #[error("cannot start a thread: {0}")]
    Thread(std::io::Error),
    /// The thread that has the store ended before it began.
    #[error("the store could not be opened")]
    Gone,
    /// The runtime cannot be started.
    #[error("cannot wait for connections: {0}")]
    Runtime(std::io::Error),
    /// The address cannot be listened on.
    #[error("cannot listen on {address}: {error}")]
    Listen {
        /// The address.
        address: std::net::SocketAddr,
        /// Why.
        error: std::io::Error,
    },
    /// Others could reach the server without saying who they are.
    #[error("{0} can be reached from other machines, so a token is needed")]
    NeedsToken(std::net::SocketAddr),
    /// The connection failed.
    #[error("the connection failed: {0}")]
    Connection(String),
}

/// Why a server is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Its client left, or it was asked to end.
    Done,
    /// Somebody pressed Ctrl-C.
    Interrupted,
}

/// The run of a call that names none.
#[derive(Clone, Debug)]
pub(crate) enum OwnRun {
    /// This one.
    Named(String),
    /// That of the session of the client, where it has one.
    OfSession,
}

/// One connection. Clones share all there is.
#[derive(Clone, Debug)]
pub(crate) struct Server {
    pub(crate) desk: Desk,
    own: OwnRun,
    router: ToolRouter<Server>,
}

impl Server {
    pub(crate) fn new(desk: Desk, own: OwnRun) -> Self {
        Server { desk, own, router: schemas::standard(Server::router()) }
    }

    /// The run that a call is about.
    pub(crate) fn run(
        &self,
        named: Option<&str>,
        context: &RequestContext<RoleServer>,
    ) -> Result<String, Fault> {
        if let Some(run) = named {
            return limits::name("run", run).map(str::to_owned);
        }
        if let OwnRun::Named(run) = &self.own {
            return Ok(run.clone());
        }
        let headers = context.extensions.get::<Parts>().map(|parts| &parts.headers);
        let session =
            headers.and_then(|headers| headers.get(SESSION)).and_then(|session| session.to_str().ok());
        match session {
            Some(session) => Ok(format!("mcp-{}", limits::name("session", session)?)),
            None => Err(Fault::new(
                "the call names no run, and this connection has none of its own",
                "Give `run`: any name, the same for all calls about one job",
            )),
        }
    }
}

#[tool_handler(router = self.router)]
impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_resources().build();
        let mut server = Implementation::from_build_env();
        "loopbreak".clone_into(&mut server.name);
        env!("CARGO_PKG_VERSION").clone_into(&mut server.version);
        server.title = Some("Loopbreak".to_owned());
        ServerConfig::new(capabilities).with_server_info(server).with_instructions(
            "A guard against going round in circles. Call record_step after each action with what was done and what \
             came of it, and follow the advice in the answer. Call weigh_action before an action that you have tried \
             before. If you work through tasks: plan_next says which comes next, record_attempt is called after each \
             attempt, and apply_recovery when its answer says that the task is looping.",
        )
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if let Err(fault) = request.arguments.as_ref().map_or(Ok(()), limits::check) {
            return fault.into_call_tool_result();
        }
        self.router.call(ToolCallContext::new(self, request, context)).await
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let all = self.desk.ask(|place| resources::list(place)).await;
        all.map(ListResourcesResult::with_all_items)
            .map_err(|fault| ErrorData::internal_error(fault.text(), None))
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(resources::templates()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = request.uri;
        let read = self.desk.ask(move |place| resources::read(place, &uri)).await;
        match read {
            Ok(contents) => Ok(ReadResourceResult::new(vec![contents]).into()),
            Err(fault) => Err(ErrorData::resource_not_found(fault.text(), None)),
        }
    }
}
