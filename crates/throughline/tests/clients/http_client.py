"""Uses the server over HTTP with the official Python client: URL TOKEN. Prints one line of JSON."""

import asyncio
import inspect
import json
import sys

from mcp import ClientSession
from mcp.client import streamable_http

connect = getattr(streamable_http, "streamable_http_client", None) or streamable_http.streamablehttp_client


def with_token(token):
    """The token, in the way that this version of the client takes it."""
    headers = {"Authorization": f"Bearer {token}"}
    if "headers" in inspect.signature(connect).parameters:
        return {"headers": headers}
    try:
        import httpx2 as httpx
    except ImportError:
        import httpx
    return {"http_client": httpx.AsyncClient(headers=headers)}


async def main(url, token):
    async with connect(url, **with_token(token)) as streams:
        async with ClientSession(streams[0], streams[1]) as session:
            await session.initialize()
            tools = await session.list_tools()
            await session.call_tool("remember", {"content": "the python client was here"})
            told = await session.call_tool("recall", {"query": "which client was here?"})
            text = " ".join(part.text for part in told.content)
            print(json.dumps({"tools": [tool.name for tool in tools.tools], "told": text}))


asyncio.run(main(*sys.argv[1:]))
