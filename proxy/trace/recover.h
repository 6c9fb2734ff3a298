// Makes a recording whole that was not closed, or that was damaged: all that proves to be right goes into a new file.
// Law: the input is only read; the output has its name only when it is whole.
#pragma once

#include <string>
#include <vector>

#include "proxy/trace/reader.h"

namespace entente::trace {

struct Damage {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;  ///< passed over
  std::string what;
};

struct Recovered {
  std::uint64_t messages = 0;
  std::uint64_t chunks = 0;
  std::uint64_t attachments_left_out = 0;
  std::uint64_t damages = 0;     ///< how many
  std::uint64_t bytes_lost = 0;  ///< passed over in all
  std::vector<Damage> first;     ///< the first kDamagesTold of them
  bool was_whole = false;        ///< there was nothing to do

  static constexpr std::size_t kDamagesTold = 32;
};

/// Writes OUT from IN, which may be OUT.part. Fails if OUT exists, and if nothing of IN can be read.
Outcome<Recovered> recover(const std::string& in, const std::string& out, mcap::Limits limits = {});
Outcome<Recovered> recover(Source& in, Sink& out, mcap::Limits limits = {});

}  // namespace entente::trace
