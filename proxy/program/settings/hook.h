// A [[hook]] of the configuration: checked, and made ready with the files that it names.
// Invariant: what people are shown of a hook has no secret: of a URL, only the scheme, host and port.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "proxy/base/fault.h"
#include "proxy/base/time.h"
#include "proxy/net/web/http_client.h"
#include "proxy/program/settings/hook_template.h"
#include "proxy/relay/base/news.h"
#include "schema/config.pb.h"

namespace entente {

struct HookSettings {
  static constexpr std::size_t kMostHooks = 32;  ///< of a configuration

  std::string name;
  std::string url = {};                 ///< empty: a command
  std::optional<net::HttpUrl> at = {};  ///< the URL, taken apart
  bool put = false;
  std::vector<std::string> command = {};
  std::uint32_t kinds = 0;               ///< a bit for each NewsKind
  std::vector<std::string> routes = {};  ///< empty: all
  std::optional<HookTemplate> body = {};
  std::string secret = {}, token = {}, authorities = {};
  Millis time = 10'000, give_up = 600'000;
  bool addresses = false;
  std::string source = {};  ///< all of it, files too: two hooks are the same if their sources are

  bool wants(relay::NewsKind kind) const { return (kinds >> static_cast<unsigned>(kind) & 1U) != 0; }
  /// Where it sends, without secrets: "https://example.org:443", or the program.
  std::string target() const;
};

struct HookObjection {
  std::string key, why;
};
/// What is wrong with a hook. `reads`: whether to read the files that it names.
std::vector<HookObjection> objections_to(const config::Hook& hook, bool reads);
/// What an operator should know of it, such as that its requests are not encrypted; "": nothing.
std::string warning_about(const config::Hook& hook);

/// REQUIRES: there are no objections. An error: a file has changed meanwhile.
Outcome<HookSettings> hook_settings(const config::Hook& hook);
/// Of all hooks.
Outcome<std::vector<HookSettings>> hook_settings(const config::Config& config);

/// Whether a template may have {{name}}: the name of a field of an event, or of what each event has.
bool is_hook_value(std::string_view name);

}  // namespace entente
