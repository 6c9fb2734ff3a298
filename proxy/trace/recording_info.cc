#include "proxy/trace/recording_info.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>

#include <algorithm>
#include <charconv>

#include "proxy/base/text.h"
#include "proxy/trace/file.h"
#include "proxy/trace/reader.h"
#include "schema/game.pb.h"
#include "schema/snapshot.pb.h"

namespace entente::trace {
namespace {

using google::protobuf::internal::WireFormatLite;

/// Calls `take(number, bytes)` for each field that is a message or a text: a look at a word without parsing all of it.
template <class Take>
void each_part(Bytes message, Take&& take) {
  google::protobuf::io::CodedInputStream in(message.data(), static_cast<int>(message.size()));
  while (const std::uint32_t tag = in.ReadTag()) {
    if (WireFormatLite::GetTagWireType(tag) != WireFormatLite::WIRETYPE_LENGTH_DELIMITED) {
      if (!WireFormatLite::SkipField(&in, tag)) return;
      continue;
    }
    std::uint32_t length = 0;
    if (!in.ReadVarint32(&length)) return;
    const auto at = static_cast<std::size_t>(in.CurrentPosition());
    if (length > message.size() - at) return;
    take(WireFormatLite::GetTagFieldNumber(tag), message.subspan(at, length));
    if (!in.Skip(static_cast<int>(length))) return;
  }
}

template <class Message>
std::optional<Message> parsed(Bytes bytes) {
  Message message;
  if (!message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return std::nullopt;
  return message;
}

constexpr std::size_t kMostSides = 100'000;   // players of all links, whose team is known
constexpr std::size_t kMostLinks = 100'000;   // that are open at once
constexpr std::size_t kMostCounters = 2'000;  // of those links. A counter takes about 8 KiB
constexpr std::size_t kMostGames = 100, kMostServers = 10'000;

std::string cut(std::string_view text) {
  return std::string(whole_characters(text, RecordingInfoBuilder::kLongestText));
}

std::string joined(const std::set<std::string>& all) {
  std::string out;
  for (const std::string& one : all) out += (out.empty() ? "" : "\n") + one;
  return out;
}

std::set<std::string> parted(std::string_view text) {
  std::set<std::string> all;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    all.emplace(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return all;
}

}  // namespace

mcap::StringMap to_map(const RecordingInfo& info) {
  mcap::StringMap map = {
      {"games", joined(info.games)}, {"servers", joined(info.servers)}, {"players", joined(info.players)}};
  if (info.more_players) map.emplace_back("more_players", "yes");
  if (info.kills) map.emplace_back("kills", std::to_string(*info.kills));
  return map;
}

RecordingInfo info_of(const mcap::StringMap& map) {
  RecordingInfo info;
  for (const auto& [key, value] : map) {
    if (key == "games") info.games = parted(value);
    if (key == "servers") info.servers = parted(value);
    if (key == "players") info.players = parted(value);
    if (key == "more_players") info.more_players = true;
    std::uint64_t kills = 0;
    if (key == "kills" && std::from_chars(value.data(), value.data() + value.size(), kills).ec == std::errc{})
      info.kills = kills;
  }
  return info;
}

void RecordingInfoBuilder::opened(const Opened& opened) {
  const std::string server = cut(opened.server()), game = cut(opened.game()), dialect = cut(opened.dialect());
  if (info_.games.size() < kMostGames) info_.games.insert(game + (dialect.empty() ? "" : " ") + dialect);
  const bool has_server = !server.empty() && !server.ends_with(":0");
  if (has_server && info_.servers.size() < kMostServers) info_.servers.insert(server);
  Link link{server, game, dialect, kills_.message ? std::string(kills_.message(game)) : ""};
  tells_kills_ |= !link.kill_message.empty();
  forget(opened.link());
  if (links_.size() < kMostLinks) links_[opened.link()] = std::move(link);
}

void RecordingInfoBuilder::forget(std::uint32_t link) {
  const auto at = links_.find(link);
  if (at == links_.end()) return;
  counters_ -= at->second.counter ? 1 : 0;
  links_.erase(at);
}

void RecordingInfoBuilder::closed(std::uint32_t link) {
  const auto open = links_.find(link);
  const auto leader = leaders_.find(open != links_.end() ? open->second.server : "");
  if (leader != leaders_.end() && leader->second == link) leaders_.erase(leader);
  forget(link);
  if (const auto at = sides_.find(link); at != sides_.end()) {
    known_sides_ -= at->second.size();
    sides_.erase(at);
  }
}

void RecordingInfoBuilder::player(std::string_view name) {
  std::string clean_name = clean(whole_characters(name, kLongestName));
  if (clean_name.empty()) return;
  if (info_.players.size() < kMostPlayers)
    info_.players.insert(std::move(clean_name));
  else
    info_.more_players |= !info_.players.contains(clean_name);
}

/// A server reports a kill to each of its clients. Only the link that reported the first kill counts while it is open.
bool RecordingInfoBuilder::leads(std::uint32_t link, const std::string& server) {
  return leaders_.try_emplace(server, link).first->second == link;
}

/// A link gets its counter with its first frame. Without one, the kill of a team mate counts too.
bool RecordingInfoBuilder::counts(Link& link, std::string_view name, Bytes bytes) {
  if (!link.counter && kills_.counter && counters_ < kMostCounters) {
    link.counter = kills_.counter(link.game, link.dialect);
    counters_ += link.counter ? 1 : 0;
  }
  if (link.counter) return link.counter(name, bytes);
  return name == link.kill_message && kills_.counts(link.game, link.dialect, bytes);
}

void RecordingInfoBuilder::frame(std::uint32_t link, Way way, std::string_view name, Bytes bytes) {
  if (way != TO_CLIENT || name.empty() || has_words_) return;
  const auto at = links_.find(link);
  if (at == links_.end() || at->second.kill_message.empty()) return;
  if (counts(at->second, name, bytes) && leads(link, at->second.server)) ++kills_in_frames_;
}

/// Remembers a player's team, because the kill of a team mate is none, as in `entente stats`.
void RecordingInfoBuilder::side(std::uint32_t link, const words::Player& player) {
  const auto of_link = sides_.find(link);
  const bool known = of_link != sides_.end() && of_link->second.contains(player.id());
  if (!known && known_sides_ == kMostSides) return;
  known_sides_ += known ? 0 : 1;
  sides_[link][player.id()] = player.team();
}

void RecordingInfoBuilder::fact(std::uint32_t link, Bytes fact) {
  if (!std::exchange(has_words_, true)) leaders_.clear();  // of frames
  each_part(fact, [&](int number, Bytes part) {
    if (number == words::Fact::kPlayerFieldNumber) {
      if (const auto player = parsed<words::Player>(part)) this->player(player->name()), side(link, *player);
    } else if (number == words::Fact::kDiedFieldNumber) {
      if (const auto died = parsed<words::Died>(part)) death(link, *died);
    }
  });
}

void RecordingInfoBuilder::death(std::uint32_t link, const words::Died& died) {
  if (died.killer() == 0 || died.killer() == died.player() || died.why() == words::BY_CAPTURE) return;
  static const std::map<std::uint32_t, words::Team> kNone;
  const auto of_link = sides_.find(link);
  const auto& sides = of_link != sides_.end() ? of_link->second : kNone;
  const auto victim = sides.find(died.player()), killer = sides.find(died.killer());
  const bool mates = victim != sides.end() && killer != sides.end() && victim->second == killer->second &&
                     victim->second != words::TEAM_ANY && victim->second != words::ROGUE;
  const auto at = links_.find(link);
  if (!mates && leads(link, at != links_.end() ? at->second.server : "")) ++kills_in_words_;
}

void RecordingInfoBuilder::intent(Bytes intent) {
  each_part(intent, [&](int number, Bytes part) {
    if (number != words::Intent::kEnterFieldNumber) return;
    if (const auto enter = parsed<words::Enter>(part)) player(enter->name());
  });
}

void RecordingInfoBuilder::world(const Snapshot& world) {
  for (const words::Fact& fact : world.facts())
    if (fact.has_player()) player(fact.player().name()), side(world.link(), fact.player());
}

RecordingInfo RecordingInfoBuilder::info() const {
  RecordingInfo info = info_;
  if (has_words_ || tells_kills_) info.kills = has_words_ ? kills_in_words_ : kills_in_frames_;
  return info;
}

Outcome<std::optional<RecordingEnd>> read_end(const std::string& path) {
  const auto file = FileSource::open(path);
  if (!file) return file.error();
  mcap::Reader reader(**file);
  reader.learn_from_summary();
  if (!reader.statistics()) return std::optional<RecordingEnd>();
  RecordingEnd end{reader.statistics()->start, reader.statistics()->end, reader.statistics()->messages, {}};
  for (const mcap::Metadata& one : reader.summary_metadata())
    if (one.name == kRecordingInfo) end.info = info_of(one.values);
  return std::optional(std::move(end));
}

}  // namespace entente::trace
