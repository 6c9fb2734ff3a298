#include "adapters/aos/public_list.h"

#include <algorithm>
#include <string_view>

#include "adapters/aos/wire/conversions.h"
#include "adapters/aos/wire/dialect.h"
#include "proxy/base/text.h"

namespace entente::aos {
namespace {

constexpr std::size_t kMostName = 31, kMostMode = 7, kMostMap = 20;  // bytes

std::uint8_t small(std::uint32_t count) { return static_cast<std::uint8_t>(std::min(count, 255U)); }

/// In ASCII, which every code page has, with a NUL.
void add_text(std::string_view text, std::size_t most, Buffer& to) {
  const std::string plain = ascii(text).substr(0, most);
  to.insert(to.end(), plain.begin(), plain.end());
  to.push_back(0);
}

}  // namespace

bool has_list(std::size_t dialect) { return (kOld >> dialect & 1U) != 0; }

Buffer packet_to_add(const PublicServer& server) {
  Buffer packet{server.most_players == 0 ? kMostPlayers : small(server.most_players),
                static_cast<std::uint8_t>(server.port & 0xffU), static_cast<std::uint8_t>(server.port >> 8U)};
  add_text(server.name, kMostName, packet);
  add_text(server.mode, kMostMode, packet);
  add_text(server.map, kMostMap, packet);
  return packet;
}

Buffer packet_of_count(std::uint32_t players) { return {small(players)}; }

}  // namespace entente::aos
