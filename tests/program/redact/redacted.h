// Runs `entente redact` and keeps its output.
#pragma once

#include <chrono>
#include <sstream>
#include <string>

#include "proxy/program/redact/redact.h"

namespace entente {

struct Redacted {
  int exit = 0;
  std::string out, err;
};

inline Redacted redacted(const RedactOptions& options) {
  std::ostringstream out, err;
  Progress none(nullptr, std::chrono::milliseconds(0));
  const int exit = redact(options, none, out, err);
  return {exit, out.str(), err.str()};
}

}  // namespace entente
