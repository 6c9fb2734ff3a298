// The commands of a running program's control socket: a table of words and their arguments.
// Law: an answer is "ok" and lines, or one line "error: why"; to a line that begins with "--json" it is JSON. It is
// text without control characters, whatever was asked and whatever players call themselves. An order, which changes
// something, is logged with the process that gave it. proxy/README.md documents the commands for users.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "proxy/net/local_acceptor.h"
#include "proxy/program/control/reply.h"

namespace entente {

class Control {
 public:
  /// Answers a command, given its arguments: lines, each with its end; or an error.
  using Run = std::function<Reply(std::string_view rest)>;

  /// Adds a question, which changes nothing. `usage`: "find NAME". `about`: a sentence. Handlers are called on the
  /// asking thread, one at a time.
  void add(std::string usage, std::string about, Run run);
  /// Adds an order: each is logged.
  void add_order(std::string usage, std::string about, Run run);

  /// The whole answer. `by`: who asks.
  std::string answer(std::string_view line, const net::LocalPeer& by = {}) const;

 private:
  struct Command {
    std::string name, usage, about;
    Run run;
    bool order;
  };
  Reply reply(std::string_view line, const net::LocalPeer& by) const;
  Reply help() const;

  std::vector<Command> commands_;
};

}  // namespace entente
