// The service manager that started the process: systemd. It receives the state of the process, and it may pass sockets
// that already listen (socket activation). Without a service manager, these functions do nothing.
#pragma once

#include <string>
#include <vector>

#include "proxy/base/time.h"
#include "proxy/net/address.h"
#include "proxy/net/fd.h"

namespace entente::net {

/// Sends assignments such as "READY=1" to the service manager, one per line, as sd_notify(3) does. False: there is no
/// service manager. May block.
bool tell_service_manager(const std::string& state);

/// The longest time between two "WATCHDOG=1" that the service manager allows. 0: it expects none.
Millis watchdog_time();

/// Whether this open descriptor leads to systemd's journal, as JOURNAL_STREAM says (systemd.exec(5)).
bool leads_to_journal(int fd);

/// Takes the passed socket that is bound to `at`: one that listens (TCP), or one for datagrams (UDP). Empty if there is
/// none, or if it was taken before. From any thread.
Fd take_passed_stream(const Address& at);
Fd take_passed_datagrams(const Address& at);
struct PassedLocal {
  Fd fd;
  bool removes = false;  ///< the taker must remove the socket from the file system in the end
};
/// As take_passed_stream(), for a listening Unix socket at `path`.
PassedLocal take_passed_local(const std::string& path);

/// Whether a socket that is bound to `at` was passed, and not taken yet. From any thread.
bool is_passed(const Address& at);

/// Adds a socket that another process of ours has passed (take_over/talk.h). `bound`: where it is bound, or will be; of
/// a Unix socket ignored. `removes`: as in PassedLocal. From any thread.
void add_passed(Fd fd, const Address& bound, bool removes = false);

/// What was passed and not taken, for people: "TCP 0.0.0.0:5154 (games)".
std::vector<std::string> passed_and_not_taken();
/// The same without what another process has passed.
std::vector<std::string> passed_by_manager_and_not_taken();
/// Closes the sockets that were passed and not taken.
void close_passed();

}  // namespace entente::net
