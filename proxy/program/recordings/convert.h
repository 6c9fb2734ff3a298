// `entente convert`: a recorded file in, a recording out: ours (MCAP), or one that a bzfs replays (.rec).
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "proxy/program/import/file.h"

namespace entente {

struct ConvertOptions {
  FileOptions from;
  std::string to;
  bool words = false;                 ///< made anew from the frames, if it has none
  std::vector<std::string> set = {};  ///< settings of the games' backs: "key=value"
};

void declare_convert(CLI::App& app, ConvertOptions& options);
int run_convert(const ConvertOptions& options);
int convert(const ConvertOptions& options, std::ostream& out, std::ostream& err);

}  // namespace entente
