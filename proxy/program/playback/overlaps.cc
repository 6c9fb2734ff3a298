#include "proxy/program/playback/overlaps.h"

#include <algorithm>
#include <map>

#include "proxy/program/recordings/convert_sink.h"

namespace entente {
namespace {

/// When each connection was there. The datagrams of a connection belong to it.
class Times final : public ImportSink {
 public:
  struct Time {
    WallTime first = 0, last = 0;
    std::set<ConnectionId> ids = {};
  };

  explicit Times(const RecordedFile& file) : file_(file) {}

  const std::map<ConnectionId, Time>& all() const { return all_; }
  /// Whether players of some game see different things.
  bool hides() const { return hides_; }

  void opened(ConnectionId id, const ImportedConnection& connection, WallTime time) override {
    const auto game = file_.game_dialect_of(connection);
    hides_ = hides_ || (game && game->game->hides_units());
    const std::string stream = stream_name(connection.name);
    const auto belongs = stream == connection.name ? streams_.end() : streams_.find(stream);
    const ConnectionId owner = belongs == streams_.end() ? id : belongs->second;
    if (stream == connection.name) streams_[stream] = id;
    owners_[id] = owner;
    Time& one = all_.try_emplace(owner, Time{time, time}).first->second;
    one.ids.insert(id);
    saw(id, time);
  }
  void bytes(const Imported& piece) override { saw(piece.connection, piece.time); }
  void stream_gap(ConnectionId id, wire::Way, std::uint64_t, WallTime time) override { saw(id, time); }
  void half_closed(ConnectionId id, const ImportedClose& end) override { saw(id, end.time); }
  void connection_over(ConnectionId) override {}
  void remark(std::string_view) override {}

 private:
  void saw(ConnectionId id, WallTime time) {
    const auto owner = owners_.find(id);
    if (owner == owners_.end()) return;
    WallTime& last = all_[owner->second].last;
    last = std::max(last, time);
  }

  const RecordedFile& file_;
  bool hides_ = false;
  std::map<ConnectionId, ConnectionId> owners_;  // of datagrams their stream; otherwise itself
  std::map<std::string, ConnectionId> streams_;  // the last of this name
  std::map<ConnectionId, Time> all_;
};

}  // namespace

std::set<ConnectionId> overlapped(const RecordedFile& file) {
  Times times(file);
  if (!file.read(times) || times.hides()) return {};
  const Times::Time* longest = nullptr;
  for (const auto& [owner, one] : times.all())
    if (longest == nullptr || one.last - one.first > longest->last - longest->first) longest = &one;
  std::set<ConnectionId> within;
  for (const auto& [owner, one] : times.all())
    if (&one != longest && one.first >= longest->first && one.last <= longest->last)
      within.insert(one.ids.begin(), one.ids.end());
  return within;
}

}  // namespace entente
