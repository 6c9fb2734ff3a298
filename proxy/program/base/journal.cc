#include "proxy/program/base/journal.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>

#include "proxy/net/service_manager.h"

namespace entente {

void print_error(std::string_view lines) {
  const char* const priority = net::leads_to_journal(STDERR_FILENO) ? "<3>" : "";
  std::string all;
  while (true) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    all.append(priority).append(lines.substr(0, end)).append("\n");
    if (end == lines.size()) break;
    lines.remove_prefix(end + 1);
  }
  std::fwrite(all.data(), 1, all.size(), stderr);
}

}  // namespace entente
