#include "proxy/program/rules/rules.h"

#include <CLI/CLI.hpp>

#include <iostream>

#include "proxy/program/base/screen_text.h"
#include "proxy/program/settings/rule_files.h"
#include "proxy/rules/reference.h"

namespace entente {

void declare_rules(CLI::App& app, RulesOptions& options) {
  app.add_option("FILE", options.files, "Files or folders to check, as for the key `rules` of a route or an arena")
      ->type_name("FILE");
  app.add_flag("--types", options.types, "Print the types of rules, for editors with LuaLS");
  app.add_flag("--reference", options.reference, "Print the reference of rules, as Markdown");
}

int run_rules(const RulesOptions& options) { return rules_command(options, std::cout, std::cerr); }

int rules_command(const RulesOptions& options, std::ostream& out, std::ostream& err) {
  const int wanted = int{options.types} + int{options.reference} + int{!options.files.empty()};
  if (wanted != 1) {
    err << "entente rules: expected files to check, or --types, or --reference\n";
    return kUsage;
  }
  if (options.types) out << rules::editor_types();
  if (options.reference) out << rules::reference();
  bool fine = true;
  const auto fails = [&](const Error& error) {
    fine = false;
    err << screen_text(error.text) << '\n';
  };
  for (const std::string& path : options.files) {
    const auto files = rule_files_at(path);
    if (!files) fails(files.error());
    for (const std::string& file : files ? *files : std::vector<std::string>()) {
      if (const auto rule = read_rule(file); !rule)
        fails(rule.error());
      else
        out << screen_text(file) << ": fine\n";
    }
  }
  return fine && out.flush() ? kOk : kFailed;
}

}  // namespace entente
