# A server that says what a test wants, on a free port of this machine.
import asyncio
import contextlib
import json

GREETING = [{"you": {"player": 1, "contract": 1, "newest": 2}}, {"player": {"id": 1, "name": "t"}}, {"ready": {}}]
WELCOME = b"".join(json.dumps(fact).encode() + b"\n" for fact in GREETING)


class Server:
    """`serve(reader, writer, visit)` is called for each connection; `visit` counts them from 1."""

    def __init__(self, serve):
        self._serve, self.visits, self.errors = serve, 0, []

    async def _one(self, reader, writer):
        self.visits += 1
        try:
            await self._serve(reader, writer, self.visits)
        except (ConnectionError, asyncio.CancelledError):
            pass
        except Exception as error:
            self.errors.append(error)
        finally:
            with contextlib.suppress(ConnectionError):
                writer.close()

    async def __aenter__(self):
        self._server = await asyncio.start_server(self._one, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_):
        self._server.close()


def says(data, then=None):
    """Sends the bytes, then waits until the client closes."""
    async def serve(reader, writer, _visit):
        writer.write(data)
        await writer.drain()
        if then is not None:
            return await then(reader, writer)
        while await reader.read(65536):
            pass
    return serve
