#include "proxy/program/conversion/session_times.h"

#include <algorithm>
#include <map>

#include "proxy/program/conversion/convert_sink.h"

namespace entente {
namespace {

class SessionTimer final : public ImportSink {
 public:
  explicit SessionTimer(const RecordedFile& file) : file_(file) {}

  SessionTimes found;

  void opened(ConnectionId id, const ImportedConnection& connection, WallTime time) override {
    const auto game = file_.game_dialect_of(connection);
    found.hides = found.hides || (game && game->game->hides_units());
    const std::string stream = stream_name(connection.name);
    const auto belongs = stream == connection.name ? streams_.end() : streams_.find(stream);
    const std::size_t session = belongs == streams_.end() ? found.all.size() : belongs->second;
    if (session == found.all.size()) {
      const std::uint32_t link = connection.link != 0 ? connection.link : id + 1;
      found.all.push_back({connection.name, link, connection.continues, time, time});
    }
    if (stream == connection.name) streams_[stream] = session;
    sessions_[id] = session;
    found.all[session].ids.insert(id);
    saw(id, time);
  }
  void bytes(const Imported& piece) override { saw(piece.connection, piece.time); }
  void stream_gap(ConnectionId id, wire::Way, std::uint64_t, WallTime time) override { saw(id, time); }
  void half_closed(ConnectionId id, const ImportedClose& end) override { saw(id, end.time); }
  void connection_over(ConnectionId) override {}
  void remark(std::string_view) override {}

 private:
  void saw(ConnectionId id, WallTime time) {
    const auto session = sessions_.find(id);
    if (session == sessions_.end()) return;
    WallTime& last = found.all[session->second].last;
    last = std::max(last, time);
  }

  const RecordedFile& file_;
  std::map<ConnectionId, std::size_t> sessions_;
  std::map<std::string, std::size_t> streams_;  // the last of this name
};

}  // namespace

SessionTimes session_times(const RecordedFile& file) {
  SessionTimer timer(file);
  timer.found.whole = file.read(timer).ok();
  return std::move(timer.found);
}

}  // namespace entente
