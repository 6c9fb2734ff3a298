// Explains what is wrong with a message: connection, time, field and offset.
// Invariant: each kind of problem is explained once, and no peer's bytes reach the terminal unescaped.
#pragma once

#include <cstddef>
#include <ostream>
#include <set>
#include <string>
#include <string_view>

#include "adapters/wire/frame.h"
#include "proxy/base/bytes.h"
#include "proxy/base/time.h"

namespace entente {

/// A message with a problem.
struct MessageProblem {
  const char* what;          ///< "does not decode", …
  std::string_view message;  ///< its name, "" if it has none
  std::string_view why;
  std::string_view field;  ///< "" = none in particular
  std::size_t offset = 0;
  Bytes bytes;
};

/// The explanation of one message.
struct ProblemReport {
  std::string kind;
  std::string text;
};

class ProblemReporter {
 public:
  explicit ProblemReporter(std::ostream& err) : err_(err) {}

  ProblemReport explain(const MessageProblem& problem, std::string_view connection, wire::Way way,
                        WallTime since_start) const;
  /// Prints it if it is the first of its kind.
  void say(const ProblemReport& report);
  /// At the end: prints how many kinds were not explained.
  void finish();

 private:
  std::ostream& err_;
  std::set<std::string> kinds_;
  std::size_t suppressed_ = 0;
};

/// "12.345 s"
std::string seconds(WallTime nanoseconds);

/// The bytes around `offset` in hex, with that byte in brackets.
std::string hex_around(Bytes bytes, std::size_t offset);

}  // namespace entente
