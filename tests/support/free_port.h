// Ports that a test must know before a server listens there.
#pragma once

namespace entente::testing {

/// A port of loopback that is free for TCP and for UDP. It is not in Linux's ephemeral range (unless
/// ip_local_port_range was changed), and other tests get other ports until this process ends.
int free_port(bool v6 = false);

}  // namespace entente::testing
