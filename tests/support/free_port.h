// Ports that a test must know before anybody listens there.
#pragma once

namespace entente::testing {

/// A port of loopback that is free for TCP and for UDP. It is below those from which Linux chooses (port 0), and other
/// tests get other ports until this process ends. So nobody takes it meanwhile.
int free_port(bool v6 = false);

}  // namespace entente::testing
