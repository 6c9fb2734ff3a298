// `entente archive`: makes files of the recordings of a fleet.
#pragma once

#include <string>

#include "proxy/program/base/command.h"

namespace entente {

struct ArchiveOptions {
  std::string config, into;
  double silence = 30;  ///< seconds
  bool once = false;
};

void declare_archive(CLI::App& app, ArchiveOptions& options);
int run_archive(const ArchiveOptions& options);

}  // namespace entente
