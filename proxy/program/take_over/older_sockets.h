// The control sockets of processes that another one has taken over from, and that still have players: the path of the
// control socket, a dot, and the process id.
// Invariant: in a folder that others may write to, only sockets of our user and of root count.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "proxy/base/fault.h"

namespace entente {

struct OlderSocket {
  std::string path;
  int pid = 0;
};

std::string older_socket(const std::string& control_socket, int pid);

/// Why a control socket cannot be at this path: beside it, an older process must find room for one with its id.
std::optional<Error> objection_to_control_path(const std::string& path);

/// The sockets of this kind beside `control_socket`, the largest process id first; at most 64. Their processes may have
/// ended. `also`: a user whose sockets count, too.
std::vector<OlderSocket> older_sockets(const std::string& control_socket, std::optional<std::uint32_t> also = {});

/// What those processes say when they are asked.
struct OlderProcesses {
  /// One of them is there, or has not answered in time. False: nobody listens at any of the sockets.
  bool may_be_there = false;
  std::optional<std::size_t> sessions = 0;  ///< that are open there; nullopt: one has not answered in time
};

/// Asks them. Takes at most 0.3 s.
OlderProcesses older_processes(const std::string& control_socket);

/// Their processes, sessions, routes and servers, as a JSON list. Takes about 0.6 s at most, of which each has its share:
/// [{"process":4711,"list":[…],"routes":[…],"servers":[…]},{"process":4712,"silent":true}]
/// `silent`: it did not answer in time.
std::string older_as_json(const std::string& control_socket);

}  // namespace entente
