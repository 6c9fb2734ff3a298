// `entente recover`: repairs a recording that was cut off or damaged.
#pragma once

#include <string>

#include "proxy/program/base/command.h"

namespace entente {

struct RecoverOptions {
  std::string file;
  std::string out;  ///< empty: FILE without .part, or FILE.recovered.mcap
};

void declare_recover(CLI::App& app, RecoverOptions& options);
int run_recover(const RecoverOptions& options);

}  // namespace entente
