#include "proxy/program/rules/labels.h"

#include <fstream>
#include <set>
#include <utility>

namespace entente {
namespace {

constexpr std::size_t kMostBytes = std::size_t{64} << 20U;

std::vector<std::string> columns_of(const std::string& line) {
  std::vector<std::string> columns;
  std::size_t begin = 0;
  while (true) {
    const std::size_t end = line.find('\t', begin);
    columns.push_back(line.substr(begin, end - begin));
    if (end == line.npos) return columns;
    begin = end + 1;
  }
}

Outcome<Label> label_of(const std::string& line, std::string where) {
  const std::vector<std::string> columns = columns_of(line);
  if (columns.size() < 3)
    return Error{where + ": three columns with tabs between them are expected: recording, player, honest or cheat"};
  const bool cheats = columns[2] == "cheat";
  if (!cheats && columns[2] != "honest") return Error{where + ": '" + columns[2] + "' is neither honest nor cheat"};
  const bool has_kind = columns.size() > 3 && !columns[3].empty();
  if (columns.size() > 4 || (has_kind && !cheats)) return Error{where + ": there are too many columns"};
  return Label{std::move(where), columns[0], columns[1], cheats, !cheats ? "" : has_kind ? columns[3] : "cheat"};
}

}  // namespace

Outcome<std::vector<Label>> read_labels(const std::string& path) {
  std::ifstream file(path);
  if (!file) return Error{path + ": cannot be read"};
  std::vector<Label> labels;
  std::set<std::pair<std::string, std::string>> known;
  std::size_t bytes = 0;
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    bytes += line.size() + 1;
    if (bytes > kMostBytes) return Error{path + ": it has more than 64 MiB"};
    if (line.ends_with('\r')) line.pop_back();
    if (line.empty() || line.starts_with('#')) continue;
    auto label = label_of(line, path + ":" + std::to_string(number));
    if (!label) return label.error();
    if (!known.emplace(label->recording, label->player).second)
      return Error{label->where + ": '" + label->player + "' of " + label->recording + " has a label already"};
    labels.push_back(std::move(*label));
  }
  if (file.bad()) return Error{path + ": cannot be read"};
  if (labels.empty()) return Error{path + ": there are no labels in it"};
  return labels;
}

}  // namespace entente
