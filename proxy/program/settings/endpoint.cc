#include "proxy/program/settings/endpoint.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <set>
#include <utility>
#include <vector>

#include "adapters/registry.h"
#include "proxy/program/base/host_port.h"
#include "proxy/program/base/suggest.h"
#include "proxy/program/settings/url_options.h"

namespace entente {
namespace {

constexpr std::string_view kShape = "an endpoint looks like bzflag://127.0.0.1:5154?dialect=2.4";

struct Parts {
  std::string_view scheme, path, query;
  HostPort at;
};

std::string quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

Error malformed(std::string_view url, std::string_view why) {
  return {quoted(url) + ": " + std::string(why) + "; " + std::string(kShape)};
}

// Removes and returns the part of `text` before `mark`, and removes the mark; all of `text` if it has no such mark.
std::string_view take_until(std::string_view& text, std::string_view mark) {
  const std::size_t at = text.find(mark);
  const std::string_view before = text.substr(0, at);
  text = at == std::string_view::npos ? std::string_view{} : text.substr(at + mark.size());
  return before;
}

Outcome<Parts> split(std::string_view url) {
  Parts parts;
  std::string_view left = url;
  if (left.find("://") == std::string_view::npos) return malformed(url, "it has no '://'");
  parts.scheme = take_until(left, "://");
  std::string_view where = take_until(left, "?");
  parts.query = left;
  const std::size_t slash = std::min(where.find('/'), where.size());
  parts.path = where.substr(slash);
  where = where.substr(0, slash);
  const auto at = split_host_port(where);
  if (!at) return malformed(url, at.error().text);
  parts.at = *at;
  return parts;
}

Outcome<const wire::Game*> game_of(std::string_view name, std::span<const wire::Game* const> known) {
  std::vector<std::string_view> names;
  for (const wire::Game* game : known) {
    if (game->name() == name) return game;
    names.push_back(game->name());
  }
  return Error{unknown_name("game", name, names)};
}

/// Parses the carrier: "ogar+wss" is ogar by WebSocket and TLS. Sets `game` to the variant that uses this carrier.
Outcome<std::optional<WebSocketSettings>> web_of(std::string_view carrier, std::string_view path,
                                                 const wire::Game*& game) {
  using None = std::optional<WebSocketSettings>;
  const std::string name(game->name());
  const bool web = carrier == "ws" || carrier == "wss";
  const bool only_web = game->over_web() == game;
  if (only_web && !web)
    return Error{name + " uses WebSocket: write " + name + "+ws:// or, for TLS, " + name + "+wss://"};
  if (game->over_web() == nullptr && !carrier.empty())
    return Error{name + " does not use WebSocket: write " + name + "://"};
  if (!web && !carrier.empty())
    return Error{name + " uses TCP or WebSocket: write " + name + "://, " + name + "+ws:// or " + name + "+wss://"};
  if (path == "/") path = {};
  if (!web && !path.empty()) return Error{"only '?' may follow the port; " + std::string(kShape)};
  if (!web) return None{};
  game = game->over_web();
  WebSocketSettings end;
  end.tls = carrier == "wss";
  end.path = path;
  return None{end};
}

/// The settings of this game's front (to listen) or back (to a server).
std::span<const core::Setting> settings_of(const wire::Game& game, std::optional<EndpointRole> role) {
  if (!role) return {};
  const core::Faces& faces = faces_of(game);
  return *role == EndpointRole::kListen ? faces.front_settings : faces.back_settings;
}

Error unknown_parameter(std::string_view key, std::optional<EndpointRole> role, const wire::Game& game) {
  std::vector<std::string_view> known;
  for (const UrlOption& option : url_options())
    if (option.fits(game) && belongs(option, role)) known.emplace_back(option.name);
  for (const core::Setting& one : settings_of(game, role)) known.emplace_back(one.name);
  return Error{unknown_name("parameter", key, known)};
}

Outcome<Done> read_option(const UrlOption& option, std::string_view value, std::optional<EndpointRole> role,
                          Endpoint& to) {
  if (!belongs(option, role))
    return Error{quoted(option.name) + " belongs in " +
                 (option.role == EndpointRole::kListen ? "the URL to listen on" : "the server's URL")};
  if (auto wrong = objection({option.name, "", option.values}, value)) return *wrong;
  return option.set(value, to);
}

Outcome<Done> read_setting(std::string_view key, std::string_view value, std::optional<EndpointRole> role,
                           Endpoint& to) {
  const auto settings = settings_of(*to.game, role);
  const auto setting = std::find_if(settings.begin(), settings.end(), [&](const auto& one) { return one.name == key; });
  if (setting == settings.end()) return unknown_parameter(key, role, *to.game);
  if (auto wrong = objection(*setting, value)) return *wrong;
  to.settings.emplace(key, value);
  return Done{};
}

Outcome<Done> read_parameters(std::string_view query, std::optional<EndpointRole> role, Endpoint& to) {
  std::set<std::string_view> seen;
  while (!query.empty()) {
    std::string_view value = take_until(query, "&");
    const std::string_view key = take_until(value, "=");
    const UrlOption* option = find_url_option(key, *to.game);
    const bool again = !seen.insert(key).second && (option == nullptr || !option->many);
    if (again) return Error{quoted(key) + " is given twice"};
    const auto read = option != nullptr ? read_option(*option, value, role, to) : read_setting(key, value, role, to);
    if (!read) return read.error();
  }
  return Done{};
}

}  // namespace

Outcome<Endpoint> parse_endpoint(std::string_view url, std::span<const wire::Game* const> known,
                                 std::optional<EndpointRole> role) {
  const auto parts = split(url);
  if (!parts) return parts.error();
  const auto at_fault = [url](const Error& error) { return Error{quoted(url) + ": " + error.text}; };

  std::string_view carrier = parts->scheme;
  const auto game = game_of(take_until(carrier, "+"), known);
  if (!game) return at_fault(game.error());
  const wire::Game* travels = *game;
  const auto web = web_of(carrier, parts->path, travels);
  if (!web) return at_fault(web.error());
  Endpoint endpoint{travels, {}, std::string(parts->at.host), travels->default_port(), *web};

  if (!parts->at.port.empty()) {
    const auto port = parse_port(parts->at.port);
    if (!port) return at_fault(port.error());
    endpoint.port = *port;
  }
  if (const auto read = read_parameters(parts->query, role, endpoint); !read) return at_fault(read.error());
  return endpoint;
}

Settings with_found(Settings settings, std::span<const core::Setting> known) {
  for (const core::Setting& one : known) {
    if (one.values.find == nullptr || settings.contains(one.name)) continue;
    if (std::string found = one.values.find(); !found.empty()) settings.emplace(one.name, std::move(found));
  }
  return settings;
}

std::optional<Error> objection(const core::Setting& setting, std::string_view value) {
  const auto wrong = [&](const std::string& why) { return Error{quoted(setting.name) + ": " + why}; };
  const core::Setting::Values& may_be = setting.values;
  if (std::string_view left = may_be.words; !left.empty()) {
    std::vector<std::string_view> words;
    while (!left.empty()) words.push_back(take_until(left, "|"));
    if (std::ranges::find(words, value) != words.end()) return std::nullopt;
    return wrong(expected_one_of(words, value));
  }
  if (may_be.most != 0) {
    int number = may_be.least - 1;
    const auto [end, failed] = std::from_chars(value.data(), value.data() + value.size(), number);
    const bool whole = failed == std::errc{} && end == value.data() + value.size();
    if (whole && number >= may_be.least && number <= may_be.most) return std::nullopt;
    return wrong(expected_integer(may_be.least, may_be.most, "", quoted(value)));
  }
  std::error_code ignored;  // as good as not there
  if (may_be.folder && !std::filesystem::is_directory(value, ignored))
    return wrong("expected an existing folder, got " + quoted(value));
  return std::nullopt;
}

}  // namespace entente
