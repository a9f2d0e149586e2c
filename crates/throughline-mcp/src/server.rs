//! The server: what the protocol asks, handed to the worker. It knows no transport.

use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, CustomRequest,
    CustomResult, ErrorCode, GetPromptRequestParams, GetPromptResponse, Implementation,
    ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult,
    ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{RequestContext, RoleServer};
use rmcp::{ErrorData, ServerHandler};

use crate::answer::Failure;
use crate::worker::Worker;
use crate::{catalog, prompts, resources, tools};

/// Milliseconds for which lists may be kept: they change with the program only.
const LISTS_MS: u64 = 3_600_000;

/// Memory as an MCP server, for one client or many.
#[derive(Debug, Clone)]
pub struct Server {
    worker: Worker,
}

impl Server {
    /// A server that has its work done by a worker.
    pub fn new(worker: Worker) -> Self {
        Self { worker }
    }
}

type Answered<T> = Result<T, ErrorData>;

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
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
        _: RequestContext<RoleServer>,
    ) -> Answered<ListToolsResult> {
        let mut list = ListToolsResult::with_all_items(catalog::tools());
        list.ttl_ms = Some(LISTS_MS);
        list.cache_scope = Some(CacheScope::Public);
        Ok(list)
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        catalog::tools().into_iter().find(|tool| tool.name == name)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Answered<CallToolResponse> {
        let CallToolRequestParams { name, arguments, .. } = request;
        let asked = name.clone();
        let told = self.worker.ask(move |desk| tools::call(desk, &asked, arguments)).await?;
        let Some(told) = told else {
            let names: Vec<String> =
                catalog::tools().iter().map(|tool| tool.name.to_string()).collect();
            let message = format!("there is no tool {name}; there are {}", names.join(", "));
            return Err(ErrorData::invalid_params(message, None));
        };
        Ok(told.map_or_else(CallToolResult::from, CallToolResult::from).into())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Answered<ListResourcesResult> {
        Ok(ListResourcesResult::with_all_items(resources::listed()))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Answered<ListResourceTemplatesResult> {
        Ok(ListResourceTemplatesResult::with_all_items(resources::templates()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Answered<ReadResourceResponse> {
        let uri = request.uri.clone();
        let found = self.worker.ask(move |desk| resources::read(desk, &uri)).await?;
        match found.map_err(broken)? {
            Some(contents) => Ok(ReadResourceResult::new(vec![contents]).into()),
            // The library makes this the code of the client's era.
            None => {
                let message = format!("there is no resource {}", request.uri);
                let data = serde_json::json!({ "uri": request.uri });
                Err(ErrorData::resource_not_found(message, Some(data)))
            }
        }
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Answered<ListPromptsResult> {
        Ok(ListPromptsResult::with_all_items(prompts::listed()))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Answered<GetPromptResponse> {
        let name = request.name.clone();
        let asked =
            move |desk: &mut _| prompts::get(desk, &request.name, request.arguments.as_ref());
        match self.worker.ask(asked).await? {
            Some(prompt) => Ok(prompt.map_err(broken)?.into()),
            None => {
                let message = format!("there is no prompt {name}; there are brief and recap");
                Err(ErrorData::invalid_params(message, None))
            }
        }
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Answered<CustomResult> {
        // A method that is known and came here has parameters that cannot be read.
        let known = ["tools/call", "resources/read", "prompts/get", "tools/list", "initialize"];
        if known.contains(&request.method.as_str()) {
            let message = format!("the parameters of {} cannot be read", request.method);
            return Err(ErrorData::invalid_params(message, None));
        }
        let message = format!("there is no method {}", request.method);
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None))
    }
}

/// A failure where the protocol has no room for an explanation beside the answer.
fn broken(failure: Failure) -> ErrorData {
    let mut message = failure.message;
    if let Some(hint) = failure.hint {
        message.push_str(&format!("; {hint}"));
    }
    match failure.code {
        "bad_input" | "not_found" => ErrorData::invalid_params(message, None),
        _ => ErrorData::internal_error(message, None),
    }
}
