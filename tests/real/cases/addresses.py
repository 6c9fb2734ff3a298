# Real addresses: a server behind a relay distinguishes its players by address, and limits and bans each separately.
import re
import socket
import threading

from aos import PIQUESERVER, start_piqueserver
from aos_player import Player
from bzflag import Bzadmin, start_bzfs
from stage import check, wait_until


class Balancer:
    """A load balancer: sends a PROXY header of version 1 for `client`, then forwards the bytes."""

    def __init__(self, client, port):
        self._header, self._to = f"PROXY TCP4 {client} 198.51.100.1 40000 5154\r\n".encode(), port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self):
        while True:
            try:
                client = self._listener.accept()[0]
            except OSError:
                return
            server = socket.create_connection(("127.0.0.1", self._to))
            server.sendall(self._header)
            for one, other in ((client, server), (server, client)):
                threading.Thread(target=self._pass_on, args=(one, other), daemon=True).start()

    @staticmethod
    def _pass_on(one, other):
        try:
            while data := one.recv(65536):
                other.sendall(data)
            other.shutdown(socket.SHUT_WR)
        except OSError:
            other.close()

    def close(self):
        self._listener.close()


def listed(stage, control):
    """The address that the server sees for each client address."""
    code, text = stage.run("ctl", "--socket", control, "list")
    check(code == 0, f"ctl list says {text!r}")
    head, *rows = [line.split("\t") for line in text.strip().splitlines() if "\t" in line]
    return {row[head.index("client")].rsplit(":", 1)[0]: row[head.index("source")] for row in rows}


def bzfs_bans_one_of_two(stage):
    """Stock bzfs behind a relay with source=loopback, two bzadmin behind load balancers: /playerlist shows different addresses; /ban bans only one of them, and it cannot join again"""
    bzfs, port = start_bzfs(stage, "-password", "sesame")
    control = stage.path("control.sock")
    relay = stage.start("relay", [stage.entente, "proxy", "--listen", "bzflag://127.0.0.1:0?dialect=2.4&proxy_protocol=127.0.0.0/8",
                                  "--to", f"bzflag://127.0.0.1:{port}?dialect=2.4&source=loopback", "--control", control])
    listening = int(relay.wait_for(r"^listening bzflag 2\.4 127\.0\.0\.1:(\d+)").group(1))
    balancers = {ip: Balancer(ip, listening) for ip in ("192.0.2.7", "192.0.2.8", "192.0.2.9")}
    admin = Bzadmin(stage, "admin", port).joined()
    admin.says("/password sesame")
    admin.run.wait_for("You are now an administrator")
    anna = Bzadmin(stage, "anna", balancers["192.0.2.7"].port).joined()
    bob = Bzadmin(stage, "bob", balancers["192.0.2.8"].port).joined()
    seen = listed(stage, control)
    check(set(seen) == {"192.0.2.7", "192.0.2.8"} and len(set(seen.values())) == 2, f"ctl list shows {seen}")
    check(all(ip.startswith("127.") and ip != "127.0.0.1" for ip in seen.values()), f"ctl list shows {seen}")
    admin.says("/playerlist")
    for name, ip in (("anna", seen["192.0.2.7"]), ("bob", seen["192.0.2.8"])):
        admin.run.wait_for(rf"\[\d+\]{name}\s*: {re.escape(ip)}")
    admin.says(f"/ban {seen['192.0.2.7']} 10 be nice")
    wait_until(lambda: not anna.run.alive(), 20, "the banned one plays on")
    bob.says("still here")
    admin.run.wait_for("bob: still here")
    again = Bzadmin(stage, "anna2", balancers["192.0.2.7"].port)
    wait_until(lambda: not again.run.alive(), 20, "the banned one came in again")
    carl = Bzadmin(stage, "carl", balancers["192.0.2.9"].port).joined()
    for one in (bob, carl, admin):
        check(one.quits() == 0, f"{one.callsign} did not leave with exit code 0")
    check(relay.stop() == 0, "the relay did not end with exit code 0")
    for balancer in balancers.values():
        balancer.close()
    return f"anna as {seen['192.0.2.7']}, bob as {seen['192.0.2.8']}; anna banned and kept out, bob and carl play"


def piqueserver_limits_and_bans_one_of_two(stage):
    """piqueserver 1.4.1, which accepts one connection per address, behind a relay with source=loopback: players from two addresses play, a second one from the same address is refused; the ban of one does not affect the other"""
    _, port = start_piqueserver(stage, max_connections_per_ip=1)
    control = stage.path("control.sock")
    relay = stage.start("relay", [stage.entente, "proxy", "--listen", "aos://127.0.0.1:0?dialect=0.75",
                                  "--to", f"aos://127.0.0.1:{port}?dialect=0.75&source=loopback", "--control", control])
    listening = int(relay.wait_for(r"^listening aos 0\.75 127\.0\.0\.1:(\d+)").group(1))

    def comes(name, at):
        return stage.keep(Player(listening, name, at=at))

    anna, bob = comes("anna", "127.0.0.7").joins(), comes("bob", "127.0.0.8").joins(team=1)
    second = comes("anna2", "127.0.0.7")
    wait_until(lambda: second.parting is not None, 30, "a second player of one address came in")
    seen = listed(stage, control)
    check(set(seen) == {"127.0.0.7", "127.0.0.8"} and len(set(seen.values())) == 2, f"ctl list shows {seen}")
    bob.logs_in(PIQUESERVER)
    bob.says(f"/banip {seen['127.0.0.7']} 60 unloved")
    wait_until(lambda: anna.parting is not None, 20, "the banned one plays on")
    again = comes("anna3", "127.0.0.7")
    wait_until(lambda: again.parting is not None, 30, "the banned one came in again")
    bob.says("still here")
    bob.hears("still here")
    carl = comes("carl", "127.0.0.9").joins()
    for one in (bob, carl):
        one.leaves()
    check(relay.stop() == 0, "the relay did not end with exit code 0")
    return (f"anna as {seen['127.0.0.7']}, bob as {seen['127.0.0.8']}; a second anna sent away with {second.parting}, "
            f"anna banned with {anna.parting}, kept out with {again.parting}; bob and carl play")


CASES = {"real_addresses": bzfs_bans_one_of_two}
REAL_CASES = {"real_addresses_piqueserver": piqueserver_limits_and_bans_one_of_two}
