#include "proxy/program/log/log_options.h"

#include <google/protobuf/descriptor.h>
#include <CLI/CLI.hpp>

#include <vector>

#include "proxy/program/base/checked_option.h"

namespace entente {
namespace {

std::vector<std::string> names(const google::protobuf::EnumDescriptor& words) {
  std::vector<std::string> all;
  for (int i = 0; i < words.value_count(); ++i) all.push_back(words.value(i)->name());
  return all;
}

}  // namespace

void declare_log_options(CLI::App& app, LogOptions& options, bool configured) {
  const std::string unless = configured ? "as in CONFIG, or " : "";
  allow_only(app.add_option("--log-level", options.level, "Minimum level to log (default: " + unless + "info)"),
             names(*config::Log::Level_descriptor()));
  allow_only(app.add_option("--log-format", options.format,
                            "text, or json: one object per line (default: " + unless + "text)"),
             names(*config::Log::Format_descriptor()));
}

void apply(const LogOptions& options, config::Log& log) {
  config::Log::Level level{};
  config::Log::Format format{};
  if (config::Log::Level_Parse(options.level, &level)) log.set_level(level);
  if (config::Log::Format_Parse(options.format, &format)) log.set_format(format);
}

}  // namespace entente
