// `entente join`: makes one recording of several.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "proxy/base/fault.h"
#include "proxy/base/time.h"
#include "proxy/program/base/command.h"
#include "proxy/program/base/progress.h"

namespace entente {

struct JoinOptions {
  std::vector<std::string> files;
  std::string out;
};

void declare_join(CLI::App& app, JoinOptions& options);
int run_join(const JoinOptions& options);

struct Joined {
  WallTime length = 0;  ///< from the first file's beginning to the last one's end
  std::uint64_t frames = 0;
  std::vector<std::string> without_words = {};  ///< the files with frames only, if others have words
};

/// Writes the new file `out`. Nothing is left of it after an error.
Outcome<Joined> join_recordings(const std::vector<std::string>& files, const std::string& out, Progress& progress);

/// Prints what was written to `out`, errors to `err`. Returns an Exit.
int join(const JoinOptions& options, std::ostream& out, std::ostream& err);

}  // namespace entente
