#include "proxy/program/settings/rule_files.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

namespace entente {

Outcome<rules::RuleFile> read_rule(const std::string& path) {
  std::error_code unknown;
  const auto status = std::filesystem::status(path, unknown);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    return Error{path + " is not a file"};  // reading a pipe would wait for its writer
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) return Error{path + " cannot be read: " + std::strerror(errno)};
  std::string source(rules::Limits{}.source + 1, '\0');
  file.read(source.data(), static_cast<std::streamsize>(source.size()));
  source.resize(static_cast<std::size_t>(file.gcount()));
  return rules::check_rule(std::filesystem::path(path).filename().string(), std::move(source));
}

Outcome<std::vector<std::string>> rule_files_at(const std::string& path) {
  std::error_code unreadable;
  if (!std::filesystem::is_directory(path, unreadable)) return std::vector<std::string>{path};
  std::vector<std::string> files;
  for (const auto& one : std::filesystem::directory_iterator(path, unreadable))
    if (one.path().extension() == ".lua") files.push_back(one.path().string());
  std::sort(files.begin(), files.end());
  if (files.empty()) return Error{path + " has no .lua files"};
  return files;
}

Outcome<std::shared_ptr<const rules::RuleSet>> read_rules(
    const google::protobuf::RepeatedPtrField<std::string>& paths) {
  auto set = std::make_shared<rules::RuleSet>();
  for (const std::string& path : paths) {
    auto rule = read_rule(path);
    if (!rule) return rule.error();
    const auto same = [&](const rules::RuleFile& one) { return one.name == rule->name; };
    if (std::any_of(set->begin(), set->end(), same)) return Error{"two rules are called " + rule->name};
    set->push_back(std::move(*rule));
  }
  return std::shared_ptr<const rules::RuleSet>(std::move(set));
}

}  // namespace entente
