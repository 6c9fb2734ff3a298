// What a running program can be asked: a table of commands, each a word and what follows it on its line.
// Law: an answer is "ok" and lines, or one line "error: why"; whatever was asked, and whoever a player says that he is,
// an answer is text without control characters. proxy/README.md describes it for those who ask.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "proxy/base/fault.h"

namespace entente {

class Control {
 public:
  /// To what followed the command: lines, each with its end; or why not.
  using Run = std::function<Outcome<std::string>(std::string_view rest)>;

  /// `usage`: "kick LINK [why]". `about`: a sentence. All are called on whatever thread asks, one at a time.
  void add(std::string usage, std::string about, Run run);

  /// Whole: "ok\n…" or "error: …\n".
  std::string answer(std::string_view line) const;

 private:
  struct Command {
    std::string name, usage, about;
    Run run;
  };
  std::string help() const;

  std::vector<Command> commands_;
};

/// A field of a line whose fields are divided by tabs: what somebody else wrote, made harmless.
std::string control_field(std::string_view text);

}  // namespace entente
