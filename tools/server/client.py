"""Uses the server over HTTP with the official Python client: URL TOKEN ERA. Prints one line of JSON.

ERA is `legacy` (a handshake, then a session) or `auto` (every request says what it speaks).
"""

import asyncio
import json
import sys

import httpx2 as httpx
from mcp import Client
from mcp.client.streamable_http import streamable_http_client


async def main(url, token, era):
    http = httpx.AsyncClient(headers={"Authorization": f"Bearer {token}"})
    async with Client(streamable_http_client(url, http_client=http), mode=era) as client:
        tools = await client.list_tools()
        await client.call_tool("remember", {"content": f"the Python client of the {era} era was here"})
        told = await client.call_tool("recall", {"query": "which client was here?"})
        resources = await client.list_resources()
        read = await client.read_resource(resources.resources[0].uri)
        prompts = await client.list_prompts()
        refused = False
        try:
            await client.call_tool("no_such_tool", {})
        except Exception:
            refused = True
        print(json.dumps({
            "protocol": client.protocol_version,
            "tools": [tool.name for tool in tools.tools],
            "told": " ".join(part.text for part in told.content),
            "read": " ".join(part.text for part in read.contents),
            "prompts": len(prompts.prompts),
            "refused": refused,
        }))


asyncio.run(main(*sys.argv[1:]))
