// The commands of a running program's control socket: a table of words and their arguments.
// Law: an answer is "ok" and lines, or one line "error: why". It is text without control characters, whatever was
// asked and whatever players call themselves. proxy/README.md documents it for users.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "proxy/base/fault.h"

namespace entente {

class Control {
 public:
  /// Answers a command, given its arguments: lines, each with its end; or an error.
  using Run = std::function<Outcome<std::string>(std::string_view rest)>;

  /// `usage`: "kick LINK [why]". `about`: a sentence. Handlers are called on the asking thread, one at a time.
  void add(std::string usage, std::string about, Run run);

  /// The whole answer: "ok\n…" or "error: …\n".
  std::string answer(std::string_view line) const;

 private:
  struct Command {
    std::string name, usage, about;
    Run run;
  };
  std::string help() const;

  std::vector<Command> commands_;
};

/// A tab-separated field with foreign text, made harmless.
std::string control_field(std::string_view text);

}  // namespace entente
