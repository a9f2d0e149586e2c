//! Server: answers the requests of the protocol by handing them to the worker. It knows no
//! transport.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Poll;

use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestMethod,
    CompleteRequestParams, CompleteResult, CustomRequest, CustomResult, ErrorCode,
    GetPromptRequestMethod, GetPromptRequestParams, GetPromptResponse, Implementation, JsonObject,
    ListPromptsRequestMethod, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult,
    ListToolsResult, PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse,
    ReadResourceResult, ResourceUpdatedNotification, ResourceUpdatedNotificationParam,
    ServerCapabilities, ServerConfig, SubscribeRequestMethod, SubscribeRequestParams,
    SubscriptionFilter, Tool, UnsubscribeRequestParams,
};
use rmcp::service::{RequestContext, RoleServer, SubscriptionContext};
use rmcp::{ErrorData, ServerHandler};
use serde_json::Value;
use throughline_core::text;
use tokio::sync::watch;

use crate::answer::ToolFailure;
use crate::desk::Desk;
use crate::worker::Worker;
use crate::{Profile, catalog, files, graph, prompts, resources, tools};

/// Milliseconds for which lists may be kept: they change with the program only.
const LISTS_MS: u64 = 3_600_000;
/// Letters of what a client calls itself.
const CLIENT_CHARS: usize = 40;

/// Server: memory as an MCP server, for one client.
#[derive(Debug, Clone)]
pub struct Server {
    worker: Worker,
    /// A client of the older era wants to hear when the graph changes.
    subscribed: Arc<AtomicBool>,
    /// Tells those of the later era.
    changes: Arc<watch::Sender<()>>,
}

impl Server {
    /// Makes a server that hands its work to `worker`.
    pub fn new(worker: Worker) -> Self {
        Self { worker, subscribed: Arc::default(), changes: Arc::new(watch::Sender::new(())) }
    }

    fn tools(&self) -> Vec<Tool> {
        match self.worker.profile() {
            Profile::Throughline => catalog::tools(),
            Profile::ServerMemory => graph::tools(),
            Profile::MemoryTool => vec![files::tool()],
        }
    }

    fn is_own(&self) -> bool {
        self.worker.profile() == Profile::Throughline
    }

    pub(crate) fn is_graph(&self) -> bool {
        self.worker.profile() == Profile::ServerMemory
    }

    /// Calls one of our own tools.
    async fn call_own(
        &self,
        name: String,
        arguments: Option<JsonObject>,
        context: &RequestContext<RoleServer>,
    ) -> Answered<CallToolResult> {
        let (asked, client) = (name.clone(), client_of(context));
        let call = move |desk: &mut Desk| {
            desk.asked_by(client);
            tools::call(desk, &asked, arguments)
        };
        let told = self.worker.ask(call).await?;
        let Some(told) = told else { return Err(self.no_tool(&name)) };
        Ok(told.map_or_else(CallToolResult::from, CallToolResult::from))
    }

    /// Calls one of the official memory server's.
    async fn call_graph(
        &self,
        name: String,
        arguments: Option<JsonObject>,
        context: &RequestContext<RoleServer>,
    ) -> Answered<CallToolResult> {
        let (changes, client) = (graph::changes(&name), client_of(context));
        let call = move |desk: &mut Desk| {
            desk.asked_by(client);
            let told = graph::call(desk, &name, arguments);
            let entities = told.structured_content.as_ref().map(|data| &data["entities"]);
            let is_empty = |found: &Value| found.as_array().is_none_or(Vec::is_empty);
            if !changes && !entities.is_none_or(is_empty) {
                desk.tell_text(&name, &text_of(&told));
            }
            told
        };
        let told = self.worker.ask(call).await?;
        if changes && told.is_error.is_none() {
            self.changes.send_replace(());
            if self.subscribed.load(Ordering::Relaxed) {
                let changed = ResourceUpdatedNotificationParam::new(graph::GRAPH);
                context.peer.notify_resource_updated(changed).await.ok();
            }
        }
        Ok(told)
    }

    fn no_tool(&self, name: &str) -> ErrorData {
        let names: Vec<String> = self.tools().iter().map(|tool| tool.name.to_string()).collect();
        let message = format!("unknown tool {name:?} (choose: {})", names.join(", "));
        ErrorData::invalid_params(message, None)
    }
}

type Answered<T> = Result<T, ErrorData>;

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        if self.is_graph() {
            return graph::wire::info();
        }
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .enable_prompts()
            .build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("throughline", env!("CARGO_PKG_VERSION")))
            .with_instructions(catalog::INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Answered<ListToolsResult> {
        let mut list = ListToolsResult::with_all_items(self.tools());
        // Clients of the older era are not told how long it holds.
        if context.protocol_version().is_some_and(|version| !version.has_initialize()) {
            list.ttl_ms = Some(LISTS_MS);
            list.cache_scope = Some(CacheScope::Public);
        }
        Ok(list)
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.tools().into_iter().find(|tool| tool.name == name)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Answered<CallToolResponse> {
        let CallToolRequestParams { name, arguments, .. } = request;
        let name = name.into_owned();
        let result = match self.worker.profile() {
            Profile::Throughline => self.call_own(name, arguments, &context).await?,
            Profile::ServerMemory => self.call_graph(name, arguments, &context).await?,
            Profile::MemoryTool if name == "memory" => {
                let client = client_of(&context);
                let looks = arguments.as_ref().and_then(|given| given.get("command"));
                let looks = looks.is_some_and(|command| command == "view");
                let call = move |desk: &mut Desk| {
                    desk.asked_by(client);
                    let told = files::call(desk, arguments);
                    if looks {
                        desk.tell_text("memory view", &text_of(&told));
                    }
                    told
                };
                self.worker.ask(call).await?
            }
            Profile::MemoryTool => return Err(self.no_tool(&name)),
        };
        Ok(result.into())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Answered<ListResourcesResult> {
        Ok(ListResourcesResult::with_all_items(match self.worker.profile() {
            Profile::Throughline => resources::listed(),
            Profile::ServerMemory => vec![graph::resource()],
            Profile::MemoryTool => Vec::new(),
        }))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Answered<ListResourceTemplatesResult> {
        let templates = if self.is_own() { resources::templates() } else { Vec::new() };
        Ok(ListResourceTemplatesResult::with_all_items(templates))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Answered<ReadResourceResponse> {
        let (uri, profile) = (request.uri.clone(), self.worker.profile());
        let client = client_of(&context);
        let read = move |desk: &mut Desk| {
            desk.asked_by(client);
            match profile {
                Profile::Throughline => resources::read(desk, &uri),
                Profile::ServerMemory if uri == graph::GRAPH => graph::read(desk).map(Some),
                Profile::ServerMemory | Profile::MemoryTool => Ok(None),
            }
        };
        match self.worker.ask(read).await?.map_err(broken)? {
            Some(contents) => Ok(ReadResourceResult::new(vec![contents]).into()),
            None if self.is_own() => {
                // The library makes this the code of the client's era.
                let message = format!("there is no resource {}", request.uri);
                let data = serde_json::json!({ "uri": request.uri });
                Err(ErrorData::resource_not_found(message, Some(data)))
            }
            None => Err(graph::wire::no_resource(&request.uri)),
        }
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Answered<()> {
        if !self.is_graph() {
            return Err(ErrorData::method_not_found::<SubscribeRequestMethod>());
        }
        if request.uri == graph::GRAPH {
            self.subscribed.store(true, Ordering::Relaxed);
        }
        Ok(())
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Answered<()> {
        if request.uri == graph::GRAPH {
            self.subscribed.store(false, Ordering::Relaxed);
        }
        Ok(())
    }

    fn accepted_subscription_filter(
        &self,
        wanted: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        let mut accepted = SubscriptionFilter::new();
        let graph = |uris: &Vec<String>| uris.iter().any(|uri| uri == graph::GRAPH);
        if wanted.resource_subscriptions.as_ref().is_some_and(graph) {
            accepted.resource_subscriptions = Some(vec![graph::GRAPH.to_owned()]);
        }
        self.is_graph().then_some(accepted)
    }

    async fn listen(&self, context: SubscriptionContext) -> Answered<()> {
        let mut changes = self.changes.subscribe();
        let mut left = pin!(context.cancelled());
        loop {
            let changed = {
                let mut changed = pin!(changes.changed());
                let either = poll_fn(|task| match left.as_mut().poll(task) {
                    Poll::Ready(()) => Poll::Ready(false),
                    Poll::Pending => changed.as_mut().poll(task).map(|change| change.is_ok()),
                });
                either.await
            };
            let changed = changed.then(|| ResourceUpdatedNotificationParam::new(graph::GRAPH));
            let Some(changed) = changed else { return Ok(()) };
            let told = ResourceUpdatedNotification::new(changed);
            if context.sink().send(told.into()).await.is_err() {
                return Ok(());
            }
        }
    }

    async fn complete(
        &self,
        _: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Answered<CompleteResult> {
        if self.is_graph() {
            return Err(ErrorData::method_not_found::<CompleteRequestMethod>());
        }
        Ok(CompleteResult::default())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Answered<ListPromptsResult> {
        if !self.is_own() {
            return Err(ErrorData::method_not_found::<ListPromptsRequestMethod>());
        }
        Ok(ListPromptsResult::with_all_items(prompts::listed()))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Answered<GetPromptResponse> {
        if !self.is_own() {
            return Err(ErrorData::method_not_found::<GetPromptRequestMethod>());
        }
        let name = request.name.clone();
        let client = client_of(&context);
        let asked = move |desk: &mut Desk| {
            desk.asked_by(client);
            prompts::get(desk, &request.name, request.arguments.as_ref())
        };
        match self.worker.ask(asked).await? {
            Some(prompt) => Ok(prompt.map_err(broken)?.into()),
            None => {
                let message = format!("unknown prompt {name:?} (choose: brief, recap)");
                Err(ErrorData::invalid_params(message, None))
            }
        }
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Answered<CustomResult> {
        // A method that is known and came here has parameters that cannot be read.
        if self.is_graph()
            && let Some(error) = graph::wire::unreadable(&request)
        {
            return Err(error);
        }
        let known = ["tools/call", "resources/read", "prompts/get", "tools/list", "initialize"];
        // Who says by itself which protocol it speaks does not shake hands.
        let gone = request.method == "initialize" && context.meta.protocol_version().is_some();
        if known.contains(&request.method.as_str()) && !gone {
            let message = format!("the parameters of {} cannot be read", request.method);
            return Err(ErrorData::invalid_params(message, None));
        }
        let message = format!("there is no method {}", request.method);
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None))
    }
}

/// What the client calls itself.
fn client_of(context: &RequestContext<RoleServer>) -> Option<String> {
    let name = context.client_info()?.name;
    Some(text::headline(&name, CLIENT_CHARS)).filter(|name| !name.is_empty())
}

/// The words of an answer, if it is one.
fn text_of(told: &CallToolResult) -> String {
    if told.is_error == Some(true) {
        return String::new();
    }
    let texts = told.content.iter().filter_map(|block| block.as_text());
    texts.map(|block| block.text.as_str()).collect::<Vec<_>>().join("\n")
}

/// A failure where the protocol has no room for an explanation beside the answer.
fn broken(failure: ToolFailure) -> ErrorData {
    let mut message = failure.message;
    if let Some(hint) = failure.hint {
        message.push_str(&format!("; {hint}"));
    }
    match failure.code {
        "bad_input" | "not_found" => ErrorData::invalid_params(message, None),
        _ => ErrorData::internal_error(message, None),
    }
}
