//! MCP over HTTP: the handler that standard input and output use, behind the library's transport.
//!
//! Who may connect is the server's business: it checks token, host and origin before anything comes here.

use std::convert::Infallible;
use std::fmt;
use std::sync::Arc;

use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};

use crate::server::Server;
use crate::worker::Worker;

/// HTTP service: answers the requests of MCP clients, of either era of the protocol.
#[derive(Clone)]
pub struct HttpService {
    service: StreamableHttpService<Server, LocalSessionManager>,
    end: Arc<dyn Fn() + Send + Sync>,
}

impl HttpService {
    /// Makes a service that hands its work to `worker`; a request has so many bytes at most.
    pub fn new(worker: Worker, body_bytes_max: usize) -> Self {
        let config = StreamableHttpServerConfig::default()
            .disable_allowed_hosts()
            .with_max_request_body_bytes(body_bytes_max);
        let token = config.cancellation_token.clone();
        let server = move || Ok(Server::new(worker.clone()));
        let service =
            StreamableHttpService::new(server, Arc::new(LocalSessionManager::default()), config);
        Self { service, end: Arc::new(move || token.cancel()) }
    }

    /// Answers one request.
    pub async fn handle<B>(&self, request: http::Request<B>) -> http::Response<AnswerBody>
    where
        B: http_body::Body + Send + 'static,
        B::Error: fmt::Display,
    {
        self.service.handle(request).await
    }

    /// Ends every session.
    pub fn end(&self) {
        (self.end)();
    }
}

/// The body of an answer: whole, or a stream of events.
pub type AnswerBody = http_body_util::combinators::BoxBody<bytes::Bytes, Infallible>;

impl fmt::Debug for HttpService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HttpService")
    }
}
