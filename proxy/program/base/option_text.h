// What an option is, for pages and scripts that are made from the declared options.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace entente {

/// "-w", "--way"; empty for a positional option.
inline std::vector<std::string> option_names(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

inline bool is_help(const CLI::Option& option) { return option.check_lname("help"); }
inline bool takes_value(const CLI::Option& option) { return option.get_items_expected_max() > 0; }
inline bool takes_many(const CLI::Option& option) { return option.get_items_expected_max() > 1; }

/// The words that it takes, if it takes only some: its type is "a|b" (checked_option.h).
inline std::vector<std::string> option_choices(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  if (type.find('|') == std::string::npos) return {};
  std::vector<std::string> words;
  for (std::string_view left = type; !left.empty();) {
    const std::size_t end = left.find('|');
    words.emplace_back(left.substr(0, end));
    left.remove_prefix(end == std::string_view::npos ? left.size() : end + 1);
  }
  return words;
}

/// What follows its name: "FILE", "idle|wander|hunt", "" for a flag.
inline std::string option_value(const CLI::Option& option) { return takes_value(option) ? option.get_type_name() : ""; }

}  // namespace entente
