//! The server of a scripted model.

use std::io::{self, BufReader};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use serde_json::{Value, json};

use super::http_reply::HttpReply;
use super::http_request::HttpRequest;
use super::model_protocol::ModelEndpoint;
use super::{ModelExchange, ModelRequest, ModelScript};

/// The longest time that a connection may be silent.
const SILENCE: Duration = Duration::from_secs(30);

/// A model that answers on a free port of the loopback address until it is dropped.
///
/// ```
/// use loopbreak_hooks::scripted_model::{ModelAnswer, ModelRequest, ScriptedServer};
///
/// let model = ScriptedServer::start(|_: &ModelRequest| ModelAnswer::say("Done."))?;
/// assert!(model.url().starts_with("http://127.0.0.1:"));
/// assert!(model.exchanges().is_empty());
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct ScriptedServer {
    address: SocketAddr,
    is_over: Arc<AtomicBool>,
    exchanges: Arc<Mutex<Vec<ModelExchange>>>,
    server: Option<JoinHandle<()>>,
}

/// The script and its log, shared by all connections.
struct SharedScript {
    script: Mutex<Box<dyn ModelScript>>,
    exchanges: Arc<Mutex<Vec<ModelExchange>>>,
}

impl ScriptedServer {
    /// Starts the server.
    pub fn start(script: impl ModelScript + 'static) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        let is_over = Arc::new(AtomicBool::new(false));
        let exchanges = Arc::new(Mutex::new(Vec::new()));
        let state = Arc::new(SharedScript {
            script: Mutex::new(Box::new(script)),
            exchanges: Arc::clone(&exchanges),
        });
        let stops = Arc::clone(&is_over);
        let server = thread::Builder::new().name("scripted-model".to_owned()).spawn(move || {
            for connection in listener.incoming() {
                if stops.load(Ordering::Relaxed) {
                    return;
                }
                let (Ok(connection), state) = (connection, Arc::clone(&state)) else { continue };
                // An agent that breaks off a request does not affect the others.
                thread::spawn(move || _ = state.serve(&connection));
            }
        })?;
        Ok(ScriptedServer { address, is_over, exchanges, server: Some(server) })
    }

    /// Returns the address, without a path and without a slash at its end.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Returns the requests so far with their answers. Requests that count tokens are not among them.
    pub fn exchanges(&self) -> Vec<ModelExchange> {
        lock(&self.exchanges).clone()
    }

    /// Returns the number of requests so far.
    pub fn request_count(&self) -> usize {
        lock(&self.exchanges).len()
    }
}

impl Drop for ScriptedServer {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        // The server waits for a connection: this one makes it look.
        if TcpStream::connect(self.address).is_ok()
            && let Some(server) = self.server.take()
        {
            _ = server.join();
        }
    }
}

impl SharedScript {
    fn serve(&self, connection: &TcpStream) -> io::Result<()> {
        connection.set_read_timeout(Some(SILENCE))?;
        connection.set_write_timeout(Some(SILENCE))?;
        let mut writer = connection;
        let Some(request) = HttpRequest::read(&mut BufReader::new(connection), &mut writer)? else {
            return Ok(());
        };
        self.reply(&request).write(&mut writer)
    }

    fn reply(&self, request: &HttpRequest) -> HttpReply {
        let HttpRequest { method, path, body } = request;
        match ModelEndpoint::find(path).filter(|_| method == "POST") {
            Some(ModelEndpoint::Answer(protocol)) => {
                let body: Value = serde_json::from_slice(body).unwrap_or_default();
                let conversation = protocol.parse(&body);
                let request = ModelRequest { protocol, path: path.clone(), body, conversation };
                let mut script = lock(&self.script);
                let answer = script.answer(&request);
                let mut exchanges = lock(&self.exchanges);
                let reply = protocol.render(path, &request.body, &answer, exchanges.len());
                exchanges.push(ModelExchange { request, answer });
                reply
            }
            // About what the body has: four bytes are a token.
            Some(ModelEndpoint::TokenCount(protocol)) => protocol.render_token_count(body.len() as u64 / 4),
            // Some agents look whether there is a server at all.
            None if path == "/" => HttpReply::Json(json!({})),
            None => HttpReply::NotFound,
        }
    }
}

/// A script that panicked has answered nothing; the log before it is valid.
fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
