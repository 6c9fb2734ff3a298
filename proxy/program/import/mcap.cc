#include "proxy/program/import/mcap.h"
#include "proxy/program/import/input.h"

#include <charconv>
#include <map>

#include "proxy/relay/base/reason.h"
#include "proxy/trace/lab.h"
#include "proxy/trace/recorder.h"

namespace entente {
namespace {

using wire::Lane, wire::Way;

/// Who ended it, by the words that a relay records.
std::optional<Way> ended_by(std::string_view reason) {
  using relay::Reason;
  const auto is = [&](Reason one) { return reason == relay::text(one); };
  if (is(Reason::kClientLeft) || is(Reason::kClientReset)) return Way::kToServer;
  if (is(Reason::kServerLeft) || is(Reason::kServerReset)) return Way::kToClient;
  return std::nullopt;
}

std::optional<wire::EnetCarriage> carriage_of(const trace::Frame& frame) {
  const auto by = [&](wire::EnetDelivery send) {
    return wire::EnetCarriage{static_cast<std::uint8_t>(frame.channel()), send};
  };
  switch (frame.delivery()) {
    case trace::RELIABLE:
      return by(wire::EnetDelivery::kReliable);
    case trace::UNRELIABLE:
      return by(wire::EnetDelivery::kUnreliable);
    case trace::UNSEQUENCED:
      return by(wire::EnetDelivery::kUnsequenced);
    default:
      return std::nullopt;
  }
}

class McapImport {
 public:
  explicit McapImport(ImportSink& sink) : sink_(sink) {}

  Outcome<Done> run(trace::Recording& recording) {
    auto done = read(recording);
    std::map<ConnectionId, std::uint32_t> open;
    for (const auto& [link, id] : links_) open[id] = link;
    for (const auto& [id, link] : open) sink_.connection_over(id);
    return done;
  }

 private:
  Outcome<Done> read(trace::Recording& recording) {
    while (!sink_.enough()) {
      const auto event = recording.next();
      if (!event && recording.cut_off() && sink_.wait_for_more()) {
        if (const auto changed = recording.read_on(); !changed) return changed.error();
        continue;
      }
      if (!event) return damage_of(recording, event.error());
      if (*event == nullptr) break;
      if (!std::exchange(begun_, true)) sink_.begins((*event)->time);
      take(**event);
      sink_.read_to(recording.progress().whole);
      if (links_.size() > kMostConnections)
        return Error{recording.file().name() + ": more than 65536 connections at once"};
    }
    for (const trace::mcap::Metadata& about : recording.file().definitions().metadata()) tell(about);
    return Done{};
  }

  /// What the file says of itself: that it lacks something.
  void tell(const trace::mcap::Metadata& about) {
    if (about.name != trace::kNotRecorded) return;
    std::string text = "the recording lacks";
    std::uint64_t lost = 0;
    for (const auto& [key, value] : about.values) {
      text += " " + key + "=" + value;
      if (key == "bytes") (void)std::from_chars(value.data(), value.data() + value.size(), lost);
    }
    if (lost == 0) return sink_.remark(text);
    sink_.note({std::nullopt, 0, text, lost, last_});
  }

  void take(const trace::Recording::Event& event) {
    if (event.opened != nullptr) open(*event.opened, event.time);
    if (event.frame != nullptr) frame(*event.frame, event.time);
    if (event.closed != nullptr) close(*event.closed, event.time);
    if (event.note != nullptr) note(*event.note, event.time);
    last_ = event.time;
    if (event.word)
      sink_.word(connection(event.word->link, event.time), event.word->intent, event.word->fact, event.time);
    if (event.world != nullptr) sink_.world(connection(event.world->link(), event.time), *event.world, event.time);
    if (event.geometry != nullptr) sink_.geometry(*event.geometry, event.time);
  }

  static std::string name_of(std::uint32_t link) { return "link " + std::to_string(link); }
  /// An arena and a bot have no address; older recordings have 0.0.0.0:0.
  static bool unknown(const std::string& address) { return address.empty() || address == "0.0.0.0:0"; }

  /// The link's connection. A recording that lost its beginning has frames of links that it does not open.
  ConnectionId connection(std::uint32_t link, const ImportedConnection& about, WallTime time) {
    const auto [at, anew] = links_.try_emplace(link, opened_);
    if (!anew) return at->second;
    sink_.opened(opened_, about, time);
    return opened_++;
  }
  ConnectionId connection(std::uint32_t link, WallTime time) { return connection(link, {name_of(link), "", ""}, time); }

  void open(const trace::Opened& opened, WallTime time) {
    const bool unnamed = unknown(opened.client());
    connection(opened.link(),
               {unnamed ? name_of(opened.link()) : opened.client(), opened.game(), opened.dialect(), "",
                unknown(opened.server()) ? "" : opened.server(), opened.continues(), opened.before(),
                opened.client_sent(), opened.server_sent(), unnamed, opened.link()},
               time);
  }

  void frame(const trace::Frame& frame, WallTime time) {
    const ConnectionId id = connection(frame.link(), time);
    const Way way = frame.way() == trace::TO_CLIENT ? Way::kToClient : Way::kToServer;
    const Lane lane = frame.lane() == trace::DATAGRAM ? Lane::kDatagram : Lane::kStream;
    if (frame.frames_missing() != 0) sink_.message_gap(id, way, frame.frames_missing(), frame.bytes_missing(), time);
    Imported piece{id, way, lane, time, as_bytes(frame.data()), carriage_of(frame)};
    if (frame.has_seconds()) piece.seconds = frame.seconds();
    piece.lab = frame.lab();
    piece.held_us = frame.held_us();
    trace::was_passed_on(frame) ? sink_.bytes(piece) : sink_.kept(piece);
  }

  void close(const trace::Closed& closed, WallTime time) {
    const ConnectionId id = connection(closed.link(), time);
    sink_.half_closed(id, {ended_by(closed.reason()), std::nullopt, closed.reason(), time});
    sink_.connection_over(id);
    links_.erase(closed.link());
  }

  void note(const trace::Note& note, WallTime time) {
    const auto open = links_.find(note.link());
    const auto connection = open != links_.end() ? std::optional(open->second) : std::nullopt;
    sink_.note({connection, note.link(), note.text(), note.bytes_lost(), time});
  }

  ImportSink& sink_;
  std::map<std::uint32_t, ConnectionId> links_;  // that are open
  ConnectionId opened_ = 0;
  WallTime last_ = 0;
  bool begun_ = false;
};

}  // namespace

Outcome<Done> import_mcap(trace::Recording& recording, ImportSink& sink) { return McapImport(sink).run(recording); }

}  // namespace entente
