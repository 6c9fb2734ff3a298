#include "proxy/program/settings/public_list.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "proxy/net/names/host_names.h"
#include "proxy/program/base/host_port.h"
#include "proxy/program/settings/token.h"

namespace entente {
namespace {

constexpr std::size_t kLongestTitle = 127;    // bytes
constexpr std::uint16_t kMasterPort = 32886;  // of Ace of Spades

/// Nobody has a client for Ace of Spades 0.80.
bool has_a_list(std::string_view url) {
  return url.starts_with("bzflag:") || (url.starts_with("aos:") && url.find("dialect=0.80") == url.npos);
}

/// Why something of this name cannot be in a list; "": it can.
std::string objection_to_name(const config::Config& config, const std::string& name) {
  bool known = false;
  for (const config::Route& route : config.route()) {
    if (route.name() != name) continue;
    if (has_a_list(route.listen())) return "";
    known = true;
  }
  for (const config::Arena& arena : config.arena()) {
    if (arena.name() != name) continue;
    if (std::any_of(arena.listen().begin(), arena.listen().end(), has_a_list)) return "";
    known = true;
  }
  return known ? "'" + name + "' has no listener for bzflag or for aos 0.75 or 0.76, and others have no list"
               : "no route and no arena has the name '" + name + "'";
}

struct Master {
  std::string host;
  std::uint16_t port;
};

Outcome<Master> parse_master(const std::string& text) {
  const auto split = split_host_port(text);
  if (!split) return split.error();
  if (const std::string why = net::objection_to_host(split->host); !why.empty()) return Error{why};
  if (split->port.empty()) return Master{std::string(split->host), kMasterPort};
  const auto port = parse_port(split->port);
  if (!port) return port.error();
  if (*port == 0) return Error{"port 0 is no port of a server"};
  return Master{std::string(split->host), *port};
}

bool is_title(const std::string& text) {
  return !text.empty() && text.size() <= kLongestTitle &&
         std::none_of(text.begin(), text.end(), [](unsigned char c) { return std::iscntrl(c) != 0; });
}

}  // namespace

std::vector<PublicListObjection> objections_to(const config::List& list, const config::Config& config, bool reads) {
  std::vector<PublicListObjection> all;
  if (const std::string why = objection_to_name(config, list.of()); !why.empty()) all.push_back({"of", why});
  if (!is_title(list.title()))
    all.push_back({"title", "expected 1 to " + std::to_string(kLongestTitle) + " bytes of text, without line ends"});
  const std::string& host = list.host().empty() ? config.public_host() : list.host();
  if (host.empty())
    all.push_back({"host", "players must be told where to connect: set host, or public_host"});
  else if (const std::string why = net::objection_to_host(host); !why.empty())
    all.push_back({"host", why});
  if (!list.bzflag().empty())
    if (const auto url = net::HttpUrl::parse(list.bzflag()); !url) all.push_back({"bzflag", url.error().text});
  if (!list.aos().empty())
    if (const auto master = parse_master(list.aos()); !master) all.push_back({"aos", master.error().text});
  if (reads && !list.key_file().empty())
    if (const auto key = read_token(list.key_file()); !key) all.push_back({"key_file", key.error().text});
  return all;
}

Outcome<std::vector<PublicListSettings>> public_list_settings(const config::Config& config) {
  std::vector<PublicListSettings> all;
  for (const config::List& list : config.list()) {
    PublicListSettings its{list.of(), list.title(), list.host().empty() ? config.public_host() : list.host()};
    its.bzflag_url = list.bzflag();
    if (!list.key_file().empty()) {
      auto key = read_token(list.key_file());
      if (!key) return Error{"list of '" + its.of + "': " + key.error().text};
      its.bzflag_key = std::move(*key);
    }
    if (auto master = parse_master(list.aos()); !list.aos().empty() && master) {
      its.aos_host = std::move(master->host);
      its.aos_port = master->port;
    }
    all.push_back(std::move(its));
  }
  return all;
}

}  // namespace entente
