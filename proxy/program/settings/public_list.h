// A [[list]] of the configuration: a route or an arena that announces itself where its games' players look for servers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "proxy/base/fault.h"
#include "proxy/net/web/http_client.h"
#include "schema/config.pb.h"

namespace entente {

struct PublicListSettings {
  static constexpr std::size_t kMostLists = 64;  ///< of a configuration

  std::string of;     ///< a route or an arena, by name
  std::string title;  ///< what players read
  std::string host;   ///< where they connect; empty: the list takes the address from which we come
  std::string bzflag_url = {}, bzflag_key = {};
  std::string aos_host = {};
  std::uint16_t aos_port = 0;

  bool operator==(const PublicListSettings&) const = default;
  /// Whether a listener has the same entry in the same list. Title and key may differ.
  bool has_same_entry(const PublicListSettings& other) const {
    return of == other.of && host == other.host && bzflag_url == other.bzflag_url && aos_host == other.aos_host &&
           aos_port == other.aos_port;
  }
};

struct PublicListObjection {
  std::string key, why;
};
/// `config`: all of it. `reads`: whether to read the file with the key.
std::vector<PublicListObjection> objections_to(const config::List& list, const config::Config& config, bool reads);

/// REQUIRES: there are no objections. An error: a file has changed meanwhile.
Outcome<std::vector<PublicListSettings>> public_list_settings(const config::Config& config);

}  // namespace entente
