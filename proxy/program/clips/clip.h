// `entente clip`: writes a part of a recording as a recording of its own.
#pragma once

#include <optional>
#include <ostream>
#include <string>

#include "proxy/program/base/progress.h"
#include "proxy/program/import/file.h"

namespace entente {

struct ClipOptions {
  FileOptions source;
  double from = 0;                ///< seconds from the file's start
  std::optional<double> to = {};  ///< seconds from the file's start, not included; none: the file's end
  std::string out;
};

void declare_clip(CLI::App& app, ClipOptions& options);
int run_clip(const ClipOptions& options);

/// Prints what was written to `out`, errors and remarks to `err`. If it is interrupted, it leaves no file. Returns an
/// Exit.
int clip(const ClipOptions& options, Progress& progress, std::ostream& out, std::ostream& err);

}  // namespace entente
