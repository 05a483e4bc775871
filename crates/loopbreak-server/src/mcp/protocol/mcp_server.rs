//! The server as the protocol sees it: its description, its tools and resources, and the run that a call is about.

use std::sync::Arc;

use hyper::http::request::Parts;
use loopbreak::Settings;
use loopbreak_store::StoreUrl;
use rmcp::handler::server::router::tool::ToolRouter;
use rmcp::handler::server::tool::{IntoCallToolResult as _, ToolCallContext};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, Implementation, ListResourceTemplatesResult,
    ListResourcesResult, PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse,
    ReadResourceResult, ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler, tool_handler};

use super::{ToolError, input_limits, resources, tool_schemas};
use crate::mcp::state::{CallQueue, ConnectionRuns, ServerState};

/// Header in which clients of older protocol versions name their session.
const SESSION_HEADER: &str = "mcp-session-id";

/// Options of a server.
#[derive(Clone, Debug)]
pub struct McpOptions {
    /// Settings of all guards.
    pub settings: Settings,
    /// Address of the store.
    pub store: StoreUrl,
    /// Folder that is recorded for new runs.
    pub folder: String,
    /// Run of calls that name none. Without it, each connection has its own run.
    pub run: Option<String>,
}

/// Run of a call that names none.
#[derive(Clone, Debug)]
pub(crate) enum OwnRun {
    /// The run with this name.
    Named(String),
    /// The run of the client's session, if it has one.
    OfSession,
}

impl OwnRun {
    /// Returns the run of a connection with a single client: the given one, or a new one.
    pub(crate) fn of_connection(options: &McpOptions) -> Self {
        let new = || format!("mcp-{:x}-{}", loopbreak_store::now(), std::process::id());
        OwnRun::Named(options.run.clone().unwrap_or_else(new))
    }
}

/// A connection. Clones share everything. When the last one is dropped, the runs of the connection end.
#[derive(Clone, Debug)]
pub(crate) struct McpServer {
    pub(crate) queue: CallQueue,
    connection: Arc<ConnectionRuns>,
    own: OwnRun,
    router: ToolRouter<McpServer>,
}

impl McpServer {
    pub(crate) fn new(queue: CallQueue, connection: ConnectionRuns, own: OwnRun) -> Self {
        let router = tool_schemas::compact(McpServer::router());
        McpServer { queue, connection: Arc::new(connection), own, router }
    }

    /// Returns a new connection to the same server.
    pub(crate) fn connect(&self) -> Self {
        McpServer { connection: Arc::new(self.connection.connect()), ..self.clone() }
    }

    /// Carries out a call that records something in a run. The run ends with the connection. A client without a session has
    /// no connection: each of its requests stands alone, and its runs have no end.
    pub(crate) async fn record<T: Send + 'static>(
        &self,
        run: String,
        context: &RequestContext<RoleServer>,
        call: impl FnOnce(&mut ServerState, &str) -> Result<T, ToolError> + Send + 'static,
    ) -> Result<T, ToolError> {
        let is_over_http = context.extensions.get::<Parts>().is_some();
        let is_connected = !is_over_http || session_in(context).is_some();
        let connection = is_connected.then(|| Arc::clone(&self.connection));
        let record = move |state: &mut ServerState| {
            let answer = call(state, &run)?;
            if let Some(connection) = connection {
                connection.add(state, &run);
            }
            Ok(answer)
        };
        self.queue.run(record).await
    }

    /// Returns the run that a call is about.
    pub(crate) fn run(
        &self,
        named: Option<&str>,
        context: &RequestContext<RoleServer>,
    ) -> Result<String, ToolError> {
        if let Some(run) = named {
            return input_limits::check_name("run name", run).map(str::to_owned);
        }
        if let OwnRun::Named(run) = &self.own {
            return Ok(run.clone());
        }
        match session_in(context) {
            Some(session) => Ok(format!("mcp-{}", input_limits::check_name("session name", session)?)),
            None => Err(ToolError::new(
                "The call names no run, and this connection has no run of its own",
                "Set `run` to any name, the same for all calls about one job",
            )),
        }
    }
}

/// Returns the HTTP session of a request.
fn session_in(context: &RequestContext<RoleServer>) -> Option<&str> {
    context.extensions.get::<Parts>()?.headers.get(SESSION_HEADER)?.to_str().ok()
}

#[tool_handler(router = self.router)]
impl ServerHandler for McpServer {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_resources().build();
        let mut server = Implementation::from_build_env();
        "loopbreak".clone_into(&mut server.name);
        env!("CARGO_PKG_VERSION").clone_into(&mut server.version);
        server.title = Some("Loopbreak".to_owned());
        ServerConfig::new(capabilities).with_server_info(server).with_instructions(
            "A guard that detects when you are stuck in a loop. Call record_step after each action with the action and \
             its outcome, and follow the advice in the answer. Call weigh_action before you repeat an action. If you \
             work through tasks: plan_next returns the next task, call record_attempt after each attempt, and \
             apply_recovery when the answer says that the task is looping.",
        )
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        self.connection.touch();
        if let Err(error) = request.arguments.as_ref().map_or(Ok(()), input_limits::check_size) {
            return error.into_call_tool_result();
        }
        self.router.call(ToolCallContext::new(self, request, context)).await
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let all = self.queue.run(|state| resources::list(state)).await;
        all.map(ListResourcesResult::with_all_items)
            .map_err(|error| ErrorData::internal_error(error.text(), None))
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
        let read = self.queue.run(move |state| resources::read(state, &uri)).await;
        match read {
            Ok(contents) => Ok(ReadResourceResult::new(vec![contents]).into()),
            Err(error) => Err(ErrorData::resource_not_found(error.text(), None)),
        }
    }
}
