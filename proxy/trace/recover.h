// Repairs a recording that was not completed or is damaged: everything that is proven right goes into a new file.
// Invariant: the input is only read; the output gets its name only when it is complete.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "proxy/trace/reader.h"

namespace entente::trace {

struct Damage {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;  ///< skipped
  std::string what;
};

struct Recovered {
  std::uint64_t messages = 0;
  std::uint64_t chunks = 0;
  std::uint64_t attachments_left_out = 0;
  std::uint64_t damages = 0;     ///< number of damaged places
  std::uint64_t bytes_lost = 0;  ///< skipped in total
  std::vector<Damage> first;     ///< the first kDamagesTold of them
  bool was_whole = false;        ///< the input was not damaged

  static constexpr std::size_t kDamagesTold = 32;
};

/// Writes OUT from IN, which may be OUT.part. Fails if OUT exists, or if nothing of IN can be read; also as soon as
/// `interrupted` (may be null) returns true. Nothing is left of OUT then. `name`: of IN, for messages; "": its path.
Outcome<Recovered> recover(const std::string& in, const std::string& out, const std::function<bool()>& interrupted = {},
                           const std::string& name = {});
Outcome<Recovered> recover(Source& in, Sink& out, mcap::Limits limits = {},
                           const std::function<bool()>& interrupted = {});

}  // namespace entente::trace
