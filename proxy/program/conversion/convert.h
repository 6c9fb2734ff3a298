// `entente convert`: converts a recorded file to an MCAP recording, to a .rec that bzfs replays, or to a .demo that
// aos_replay and ZeroSpades play.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "proxy/program/import/file.h"

namespace entente {

struct ConvertOptions {
  FileOptions input;
  std::string to;
  bool words = false;                 ///< make words from the frames, if the file has none
  bool foxglove = false;              ///< add topics for 3D panels and plots; makes words, too, if the file has none
  std::vector<std::string> set = {};  ///< settings of the games' backs: "key=value"
  std::uint32_t link = 0;             ///< of the session for a format that holds one; 0: the longest
  bool keeps_part = true;             ///< an .mcap that cannot be finished stays as TO.part, for `entente recover`
};

/// Why a new file lacks something; empty: it does not.
struct ConvertLosses {
  std::string damage;     ///< the rest of the input cannot be read
  std::string unwritten;  ///< some or all of the new file cannot be written, because the disk is full, for example
};

void declare_convert(CLI::App& app, ConvertOptions& options);
int run_convert(const ConvertOptions& options);
/// Returns the exit code. If it is interrupted, it leaves no file. `progress`: may be null. `losses`: is set for .mcap;
/// may be null.
int convert(const ConvertOptions& options, std::ostream& out, std::ostream& err, Progress* progress = nullptr,
            ConvertLosses* losses = nullptr);

}  // namespace entente
