//! The server as its client hears it: where it stands in for another, in that one's words. This goes
//! around the handler, for the library has no names for some of them.

use std::borrow::Cow;

use rmcp::model::{ClientNotification, ClientRequest, ProtocolVersion, ServerConfig, ServerResult};
use rmcp::service::{NotificationContext, RequestContext, RoleServer, Service};
use rmcp::{ErrorData, ServerHandler};

use crate::graph::wire;
use crate::server::Server;

/// A server with the voice of its profile.
#[derive(Debug)]
pub(crate) struct Voiced(pub(crate) Server);

impl Service<RoleServer> for Voiced {
    async fn handle_request(
        &self,
        request: ClientRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<ServerResult, ErrorData> {
        let answer = self.0.handle_request(request, context).await;
        if self.0.is_graph() { wire::dressed(answer) } else { answer }
    }

    async fn handle_notification(
        &self,
        notification: ClientNotification,
        context: NotificationContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.0.handle_notification(notification, context).await
    }

    fn get_info(&self) -> ServerConfig {
        ServerHandler::get_info(&self.0)
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        ServerHandler::supported_protocol_versions(&self.0)
    }
}
