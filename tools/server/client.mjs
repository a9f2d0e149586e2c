// Uses the server over HTTP with the official TypeScript client: URL TOKEN ERA. Prints one line of JSON.
// ERA is `legacy` (a handshake, then a session) or `auto` (every request says what it speaks).
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const [url, token, era] = process.argv.slice(2);
const client = new Client({ name: 'a-client', version: '1' }, { versionNegotiation: { mode: era } });
const headers = { Authorization: `Bearer ${token}` };
const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
await client.connect(transport);
const { tools } = await client.listTools();
await client.callTool({ name: 'remember', arguments: { content: `the TypeScript client of the ${era} era was here` } });
const told = await client.callTool({ name: 'recall', arguments: { query: 'which client was here?' } });
const { resources } = await client.listResources();
const read = await client.readResource({ uri: resources[0].uri });
const { prompts } = await client.listPrompts();
const refused = await client.callTool({ name: 'no_such_tool', arguments: {} }).then((answer) => answer.isError === true, () => true);
console.log(JSON.stringify({
  protocol: transport.protocolVersion,
  tools: tools.map((tool) => tool.name),
  told: told.content.map((part) => part.text).join(' '),
  read: read.contents.map((part) => part.text).join(' '),
  prompts: prompts.length,
  refused,
}));
await transport.terminateSession();
await client.close();
