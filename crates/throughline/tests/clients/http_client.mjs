// Uses the server over HTTP with the official TypeScript client: URL TOKEN. Prints one line of JSON.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [url, token] = process.argv.slice(2);
const client = new Client({ name: "a-client", version: "1" });
const headers = { Authorization: `Bearer ${token}` };
await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
const { tools } = await client.listTools();
await client.callTool({ name: "remember", arguments: { content: "the script client was here" } });
const told = await client.callTool({ name: "recall", arguments: { query: "which client was here?" } });
const text = told.content.map((part) => part.text).join(" ");
console.log(JSON.stringify({ tools: tools.map((tool) => tool.name), told: text }));
await client.close();
