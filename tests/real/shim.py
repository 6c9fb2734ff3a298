# A shim for either side of the relay: a listener that forwards bytes unchanged and keeps them.
# Invariant: it knows no game and none of our code; the bytes that it kept prove that the relay did not change them.
import asyncio
import socket
import threading


class Talk:
    """One TCP connection: its bytes in both directions."""

    def __init__(self):
        self.to_server, self.to_client = bytearray(), bytearray()

    def bytes(self):
        return bytes(self.to_server), bytes(self.to_client)


class Flow:
    """The datagrams of one client address, in both directions."""

    def __init__(self):
        self.to_server, self.to_client = [], []

    def bytes(self):
        return self.to_server, self.to_client


class Shim:
    """REQUIRES: `to_port` listens on loopback. `port` is the shim's port, for TCP and UDP; `talks` has an entry for each
    connection, `flows` one for each address that sent datagrams."""

    def __init__(self, to_port):
        self.to_port, self.port, self.talks, self.flows = to_port, None, [], []
        self._ready, self._loop = threading.Event(), asyncio.new_event_loop()
        self._upstreams = {}
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        self._ready.wait(10)

    def kill(self):
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)

    def _run(self):
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._listen())
        self._ready.set()
        self._loop.run_forever()
        tasks = asyncio.all_tasks(self._loop)
        for task in tasks:
            task.cancel()
        self._loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))

    async def _listen(self):
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        self._below, _ = await self._loop.create_datagram_endpoint(
            lambda: _Datagrams(self._from_client), local_addr=("127.0.0.1", self.port))

    # TCP
    async def _serve(self, client_reader, client_writer):
        talk = Talk()
        self.talks.append(talk)
        try:
            server_reader, server_writer = await asyncio.open_connection("127.0.0.1", self.to_port)
        except OSError:
            client_writer.close()
            return
        try:
            await asyncio.gather(_pump(client_reader, server_writer, talk.to_server),
                                 _pump(server_reader, client_writer, talk.to_client))
        except asyncio.CancelledError:
            pass  # the shim was killed
        client_writer.close()
        server_writer.close()

    # UDP: one upstream socket a client address
    def _from_client(self, data, address):
        if address not in self._upstreams:
            upstream, flow = _upstream_socket(self.to_port), Flow()
            self.flows.append(flow)
            self._upstreams[address] = upstream, flow
            self._loop.add_reader(upstream, self._from_server, upstream, address, flow)
        upstream, flow = self._upstreams[address]
        flow.to_server.append(data)
        upstream.send(data)

    def _from_server(self, upstream, address, flow):
        try:
            data = upstream.recv(65536)
        except OSError:
            return
        flow.to_client.append(data)
        self._below.sendto(data, address)


class _Datagrams(asyncio.DatagramProtocol):
    def __init__(self, heard):
        self.datagram_received = heard


def _upstream_socket(to_port):
    # bzfs 2.4 links no UDP port whose low byte is 0..3 (it reads the port with its bytes swapped).
    while True:
        upstream = socket.socket(type=socket.SOCK_DGRAM)
        upstream.bind(("127.0.0.1", 0))
        if upstream.getsockname()[1] & 0xFF > 3:
            upstream.setblocking(False)
            upstream.connect(("127.0.0.1", to_port))
            return upstream
        upstream.close()


async def _pump(reader, writer, kept):
    try:
        while data := await reader.read(65536):
            kept += data
            writer.write(data)
            await writer.drain()
        if writer.can_write_eof():
            writer.write_eof()
    except OSError:
        writer.close()


def untouched(before, after):
    """Whether every TCP connection on one side of the relay has a twin on the other side, with the same bytes in both directions.
    Returns (connections, bytes), or a sentence that names the difference."""
    left = sorted(talk.bytes() for talk in before.talks)
    right = sorted(talk.bytes() for talk in after.talks)
    if len(left) != len(right):
        return f"{len(left)} connections before the relay, {len(right)} behind it"
    for a, b in zip(left, right):
        for way, x, y in (("to the server", a[0], b[0]), ("to the client", a[1], b[1])):
            if x != y:
                at = next((i for i, (p, q) in enumerate(zip(x, y)) if p != q), min(len(x), len(y)))
                return f"bytes {way} differ at offset {at} ({len(x)} before the relay, {len(y)} behind it)"
    return len(left), sum(len(a) + len(b) for a, b in left)
