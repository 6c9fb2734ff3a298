#include "proxy/program/serve/arena.h"

#include <google/protobuf/descriptor.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>

#include "adapters/registry.h"
#include "proxy/program/base/misuse.h"
#include "proxy/program/config/config.h"
#include "proxy/program/config/config_comment.h"
#include "proxy/program/config/config_reader.h"
#include "proxy/program/serve/serve.h"
#include "proxy/program/settings/arena_rules.h"
#include "proxy/program/settings/route.h"
#include "proxy/program/settings/rule_files.h"

namespace entente {
namespace {

using google::protobuf::FieldDescriptor;

/// Programs that train take as many steps as they can.
void lift_rates(config::Limits& limits) {
  limits.set_bytes_per_second(0);
  limits.set_messages_per_second(0);
  limits.set_address_bytes_per_second(0);
  limits.set_address_messages_per_second(0);
}

int arena_error(const std::string& what) { return usage_error("entente arena", what); }

std::string flag_of(std::string key) {
  std::replace(key.begin(), key.end(), '_', '-');
  return "--" + key;
}

/// "N", "FILE", "TIME", "TEXT", "free_for_all|teams|flags"
std::string type_of(const FieldDescriptor& field) {
  if (const auto* words = field.enum_type()) {
    std::string all;
    for (int i = 0; i < words->value_count(); ++i) all += (i != 0 ? "|" : "") + words->value(i)->name();
    return all;
  }
  switch (field.number()) {
    case config::Arena::kRecordFieldNumber:
    case config::Arena::kFromFieldNumber:
      return "FILE";
    case config::Arena::kAtFieldNumber:
      return "TIME";
    default:
      return field.cpp_type() == FieldDescriptor::CPPTYPE_STRING ? "TEXT" : "N";
  }
}

/// " (80 to 800 metres, default: 400)"
std::string facts_of(const FieldDescriptor& field) {
  const config::Rule& rule = field.options().GetExtension(config::rule);
  std::string facts;
  if (rule.has_max() && rule.max() != std::numeric_limits<std::uint32_t>::max())
    facts = std::to_string(rule.min()) + " to " + std::to_string(rule.max()) + " " + rule.unit() + ", ";
  return rule.preset().empty() ? "" : " (" + facts + "default: " + rule.preset() + ")";
}

void declare_key(CLI::App& app, config::Arena& arena, const FieldDescriptor& field) {
  std::string about = config_sentence(field);
  if (about.ends_with('.')) about.pop_back();  // as in the help of other options
  if (field.cpp_type() == FieldDescriptor::CPPTYPE_BOOL) {
    app.add_flag_function(
        flag_of(field.name()), [&arena, &field](std::int64_t) { set_key(arena, field, "true"); }, about);
    return;
  }
  app.add_option_function<std::string>(
         flag_of(field.name()), [&arena, &field](const std::string& text) { set_key(arena, field, text); },
         about + facts_of(field))
      ->check([&field](const std::string& text) {
        config::Arena scratch;
        return set_key(scratch, field, text);
      })
      ->type_name(type_of(field));
}

}  // namespace

void declare_arena(CLI::App& app, ArenaCommandOptions& options) {
  app.add_option("--listen", options.listen,
                 "Address to listen on: game://address:port?dialect=name (port 0: any free port). May be repeated. "
                 "native+ws://address:port?dialect=json also serves a web page to watch and play, http://address:port/")
      ->type_name("URL")
      ->required()
      ->allow_extra_args(false);
  app.add_option("--rules", options.rules, "File with a rule in Lua (proxy/manual/rules.md). May be repeated")
      ->type_name("FILE")
      ->allow_extra_args(false);
  const auto& kind = *config::Arena::descriptor();
  for (int i = 0; i < kind.field_count(); ++i) {
    const bool is_of_fleet = kind.field(i)->number() == config::Arena::kFleetFieldNumber;  // not for this command
    if (!kind.field(i)->is_repeated() && !is_of_fleet) declare_key(app, options.arena, *kind.field(i));
  }
  declare_control_options(app, options.control);
  declare_log_options(app, options.log);
}

int run_arena(const ArenaCommandOptions& options) {
  for (const std::string& url : options.listen)
    if (const auto end = parse_shared_listen(url, games()); !end) return arena_error("--listen " + end.error().text);
  config::Config config;
  config::Arena& arena = *config.add_arena() = options.arena;
  arena.mutable_listen()->Assign(options.listen.begin(), options.listen.end());
  arena.mutable_rules()->Assign(options.rules.begin(), options.rules.end());
  if (const auto rules = read_rules(arena.rules()); !rules) return arena_error("--rules " + rules.error().text);
  set_defaults(config);
  if (arena.lockstep()) lift_rates(*config.mutable_limits());
  if (const auto wrongs = objections_to(arena); !wrongs.empty())
    return arena_error(flag_of(wrongs.front().key) + " " + wrongs.front().why);
  apply(options.log, *config.mutable_log());
  apply(options.control, config);
  return serve({std::move(config), {}});
}

}  // namespace entente
