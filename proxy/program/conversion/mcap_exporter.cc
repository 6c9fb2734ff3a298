#include "proxy/program/conversion/mcap_exporter.h"

#include <algorithm>
#include <utility>

#include "proxy/relay/base/reason.h"
#include "proxy/relay/tap/to_trace.h"

namespace entente {

using wire::Lane, wire::Way;

/// Its number in the recording. What is one connection in the file may be several there, one after another.
std::uint32_t McapExporter::link(ConnectionId id) {
  const auto [at, anew] = links_.try_emplace(id, last_link_ + 1);
  if (anew) ++last_link_;
  return at->second;
}

void McapExporter::begin(ConnectionId id, const ImportedConnection& connection, const GameDialect& game_dialect,
                         WallTime time) {
  trace::Opened opened;
  opened.set_link(link(id));
  opened.set_game(std::string(game_dialect.game->name()));
  opened.set_dialect(std::string(game_dialect.game->dialects()[game_dialect.dialect].name));
  if (!connection.unnamed) opened.set_client(connection.name);
  opened.set_server(connection.server.empty() ? connection.recorded_server : connection.server);
  opened.set_continues(connection.continues);
  opened.set_before(connection.before);
  opened.set_client_sent(connection.client_sent);
  opened.set_server_sent(connection.server_sent);
  recorder_.opened(last_ = std::max(last_, time), opened);
  codec_of_[id] = &codecs_.of(game_dialect);
  if (what_.words != nullptr) what_.words->begin(id, link(id), connection, game_dialect, time);
}

void McapExporter::frame(ConnectionId id, const wire::Frame& frame, WallTime time) {
  last_ = time;
  wire::Codec* const codec = codec_of_.at(id);
  if (!codec->decode(frame).ok()) ++undecoded_;
  if (what_.frames) {
    const wire::Row* row = codec->find(frame);
    put(id, frame, row != nullptr ? row->name : "", false, time);
  }
  if (what_.words != nullptr) what_.words->frame(id, frame, time);
}

void McapExporter::raw(ConnectionId id, Way way, Lane lane, Bytes bytes, WallTime time) {
  last_ = ends() ? std::max(last_, time) : time;
  if (what_.frames) put(id, {way, lane, {}, bytes}, "", true, last_);
  if (what_.words != nullptr && lane == Lane::kStream && !ends()) what_.words->lose(id, time);
}

void McapExporter::frame_kept(ConnectionId id, const wire::Frame& frame, WallTime time) {
  const wire::Row* const row = codec_of_.at(id)->find(frame);
  if (what_.frames) put(id, frame, row != nullptr ? row->name : "", false, time);
}

void McapExporter::put(ConnectionId id, const wire::Frame& frame, std::string_view name, bool raw, WallTime time) {
  trace::FrameView view{link(id), relay::to_trace(frame.way), relay::to_trace(frame.lane), frame.bytes, name, raw};
  if (carriage()) view.delivery = relay::to_trace(carriage()->send), view.channel = carriage()->channel;
  view.seconds = seconds();
  view.lab = lab().first;
  view.held_us = lab().second;
  view.missing = std::exchange(missing_, {});
  recorder_.frame(time, view);
  recorder_.tick(time);
}

void McapExporter::frame_gap(ConnectionId id, Way, std::uint64_t messages, std::uint64_t bytes, WallTime time) {
  missing_ = {messages, bytes};
  if (what_.words != nullptr) what_.words->lose(id, time);
}

void McapExporter::side_closed(ConnectionId id, const ImportedClose& end) {
  if (of_recording_ && !end.reason.empty())
    reasons_[id] = end.reason;
  else if (end.by && !reasons_.contains(id))
    reasons_[id] = relay::text(*end.by == Way::kToServer ? relay::Reason::kClientLeft : relay::Reason::kServerLeft);
  last_ = end.time;
  if (what_.words != nullptr && end.by) what_.words->ended(id, *end.by, end.time);
}

void McapExporter::connection_finished(ConnectionId id) {
  if (what_.words != nullptr) what_.words->gone(id);
  if (what_.scenes != nullptr) what_.scenes->closed(link(id), last_);
  recorder_.closed(last_, link(id), reasons_[id]);
  codec_of_.erase(id);
  reasons_.erase(id);
  links_.erase(id);
}

void McapExporter::word(ConnectionId id, const words::Intent* intent, const words::Fact* fact, WallTime time) {
  const google::protobuf::MessageLite& word =
      fact != nullptr ? static_cast<const google::protobuf::MessageLite&>(*fact) : *intent;
  start(id, time);
  written_.resize(word.ByteSizeLong());
  word.SerializeWithCachedSizesToArray(written_.data());
  if (what_.scenes != nullptr && fact != nullptr) what_.scenes->fact(link(id), *fact, time);
  recorder_.word(last_ = time, link(id), fact != nullptr ? trace::WordKind::kFact : trace::WordKind::kIntent, written_);
}

void McapExporter::world(ConnectionId id, const trace::Snapshot& world, WallTime time) {
  start(id, time);
  trace::Snapshot ours = world;
  ours.set_link(link(id));
  if (what_.scenes != nullptr) what_.scenes->world(link(id), ours, time);
  recorder_.world(last_ = time, ours);
}

void McapExporter::geometry(const trace::Geometry& geometry, WallTime) {
  if (what_.scenes != nullptr) what_.scenes->geometry(geometry);
  recorder_.geometry(geometry);
}

void McapExporter::remark(std::string_view text) { recorder_.note(last_, 0, text); }

void McapExporter::note(const ImportedNote& note) {
  const auto at = note.connection ? links_.find(*note.connection) : links_.end();
  last_ = std::max(last_, note.time);
  recorder_.note(last_, at != links_.end() ? at->second : 0, note.text, note.bytes_lost);
}

}  // namespace entente
