// An option that takes one of a few words. `--help` shows them: "--log-format text|json".
#pragma once

#include <string>
#include <vector>

#include "proxy/program/command.h"

namespace entente {

inline CLI::Option* allow_only(CLI::Option* option, const std::vector<std::string>& words) {
  std::string shown;
  for (const std::string& word : words) shown += (shown.empty() ? "" : "|") + word;
  return option->check(CLI::IsMember(words).description(""))->type_name(shown);
}

}  // namespace entente
