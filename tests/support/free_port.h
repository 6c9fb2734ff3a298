// Ports that a test must know before anybody listens there.
#pragma once

namespace entente::testing {

/// A port of loopback that is free for TCP and for UDP. Linux gives it to nobody who asks for any port (unless its
/// ip_local_port_range was changed), and other tests get other ports until this process ends.
int free_port(bool v6 = false);

}  // namespace entente::testing
