// What only bridges have: words, worlds, calls, and the geometry that worlds name. A geometry is kept until a chunk
// that has it is on the disk: a world whose geometry is in no chunk would be of no use.
#include "proxy/trace/recorder.h"

#include <google/protobuf/io/coded_stream.h>

#include <algorithm>

#include "proxy/trace/schemas.h"
#include "schema/game.pb.h"
#include "schema/snapshot.pb.h"

namespace entente::trace {
namespace {

constexpr std::uint16_t kFirstOtherSchema = 9;  // after those of our own topics
constexpr std::uint16_t kLastChannel = 65'000;  // of other programs' topics; messages of more are not recorded
constexpr std::size_t kMostGeometries = 4096, kMostKept = 128U << 20U;  // in a file; bytes that are not yet written

}  // namespace

struct Recorder::TopicAbout {
  const char* topic;
  std::uint16_t schema;
  const google::protobuf::Descriptor* (*type)();
};

/// The schema ids follow those that every recording has.
const Recorder::TopicAbout& Recorder::about(Topic topic) {
  static const TopicAbout all[] = {{"/intent", 4, words::Intent::descriptor},
                                   {"/fact", 5, words::Fact::descriptor},
                                   {"/world", 6, Snapshot::descriptor},
                                   {"/geometry", 7, Geometry::descriptor},
                                   {"/calls", 8, Calls::descriptor}};
  return all[static_cast<std::size_t>(topic)];
}

/// The link follows the word, as its last field: a message of protobuf is its fields, in any order.
void Recorder::word(WallTime time, std::uint32_t link, WordKind kind, Bytes word) {
  static_assert(int{words::Intent::kLinkFieldNumber} == int{words::Fact::kLinkFieldNumber});
  std::array<std::uint8_t, 8> field{words::Fact::kLinkFieldNumber << 3U};
  const auto* end = google::protobuf::io::CodedOutputStream::WriteVarint32ToArray(link, field.data() + 1);
  const auto size = static_cast<std::size_t>(end - field.data());
  put_any(time, kind == WordKind::kIntent ? Topic::kIntent : Topic::kFact, word, Bytes(field).first(size));
}

void Recorder::calls(WallTime time, Bytes calls) { put_any(time, Topic::kCalls, calls); }

/// Writes a message of two parts.
void Recorder::put_any(WallTime time, Topic topic, Bytes message, Bytes more) {
  const Amount amount{0, message.size()};
  const std::uint16_t channel = channel_of(time, topic);
  if (channel == 0) return lose(amount);
  in_chunk_ += amount;
  put(channel, time, {message, more});
  end_chunk_if_due(time);
}

void Recorder::world(WallTime time, const Snapshot& world) {
  const Amount amount{0, world.ByteSizeLong()};
  const std::uint16_t channel = channel_of(time, Topic::kWorld);
  if (channel == 0) return lose(amount);
  if (!world.geometry().empty()) {
    const auto entry = geometries_.find(world.geometry());
    if (entry == geometries_.end())
      return note(time, world.link(), "a world is not recorded: its geometry is not known", amount.bytes);
    if (!put_geometry(time, entry->first, entry->second)) return lose(amount);
  }
  in_chunk_ += amount;
  put(channel, time, world);
  end_chunk_if_due(time);
}

void Recorder::geometry(const Geometry& geometry) {
  const std::size_t bytes = geometry.ByteSizeLong();
  if (geometries_.size() >= kMostGeometries || kept_ + bytes > kMostKept) return;
  const auto [at, anew] = geometries_.try_emplace(geometry.hash());
  if (!anew) return;
  at->second.geometry.resize(bytes);
  geometry.SerializeWithCachedSizesToArray(at->second.geometry.data());
  kept_ += bytes;
}

/// False: it cannot be written now.
bool Recorder::put_geometry(WallTime time, const std::string& hash, GeometryEntry& entry) {
  if (entry.state != GeometryEntry::State::kWaiting) return true;
  const std::uint16_t channel = channel_of(time, Topic::kGeometry);
  if (channel == 0) return false;
  put(channel, time, {Bytes(entry.geometry)});
  entry.state = GeometryEntry::State::kInChunk;
  geometries_in_chunk_.push_back(hash);
  return true;
}

void Recorder::settle_geometries(bool were_written) {
  for (const std::string& hash : geometries_in_chunk_) {
    GeometryEntry& entry = geometries_.at(hash);
    entry.state = were_written ? GeometryEntry::State::kWritten : GeometryEntry::State::kWaiting;
    if (!were_written) continue;
    kept_ -= entry.geometry.size();
    entry.geometry = Buffer();
  }
  geometries_in_chunk_.clear();
}

/// The channel of this topic. 0: nothing can be written now.
std::uint16_t Recorder::channel_of(WallTime time, Topic topic) {
  if (!ready(time)) return 0;
  std::uint16_t& channel = channels_[static_cast<std::size_t>(topic)];
  if (channel != 0) return channel;
  const auto defined = define(topic);
  return defined.ok() ? channel = last_channel_ = *defined : cannot_define(time, defined.error());
}

std::uint16_t Recorder::cannot_define(WallTime time, const Error& why) {
  end_chunk(time);  // the open chunk itself may fit on the disk
  if (!failing_) failed(time, why);
  return 0;
}

/// Defines a schema and its channel. A relay's recording has none of these.
Outcome<std::uint16_t> Recorder::define(Topic topic) {
  const TopicAbout& what = about(topic);
  if (auto done = writer_->define(protobuf_schema(what.schema, *what.type())); !done.ok()) return done.error();
  const auto id = static_cast<std::uint16_t>(last_channel_ + 1U);
  if (auto done = writer_->define(mcap::Channel{id, what.schema, what.topic, "protobuf", {}}); !done.ok())
    return done.error();
  sequences_.resize(id + 1U);
  return id;
}

void Recorder::other(WallTime time, const OtherTopic& topic, const google::protobuf::MessageLite& message) {
  const Amount amount{0, message.ByteSizeLong()};
  const std::uint16_t channel = channel_of(time, topic);
  if (channel == 0) return lose(amount);
  in_chunk_ += amount;
  put(channel, time, message);
  end_chunk_if_due(time);
}

std::uint16_t Recorder::channel_of(WallTime time, const OtherTopic& topic) {
  if (!ready(time)) return 0;
  const auto known = others_.find(topic.name);
  if (known != others_.end()) return known->second;
  if (last_channel_ >= kLastChannel) return lack_channels(time), std::uint16_t{0};
  const auto defined = define(topic);
  if (defined.ok()) return others_[topic.name] = last_channel_ = *defined;
  return cannot_define(time, defined.error());
}

Outcome<std::uint16_t> Recorder::define(const OtherTopic& topic) {
  const auto at = std::find(other_types_.begin(), other_types_.end(), topic.type);
  const auto schema = static_cast<std::uint16_t>(kFirstOtherSchema + (at - other_types_.begin()));
  if (at == other_types_.end()) {
    if (auto done = writer_->define(protobuf_schema(schema, *topic.type)); !done.ok()) return done.error();
    other_types_.push_back(topic.type);
  }
  const auto id = static_cast<std::uint16_t>(last_channel_ + 1U);
  if (auto done = writer_->define(mcap::Channel{id, schema, topic.name, "protobuf", topic.metadata}); !done.ok())
    return done.error();
  sequences_.resize(id + 1U);
  return id;
}

/// Reports the first time with a note; later losses are counted at the end of the file.
void Recorder::lack_channels(WallTime time) {
  if (std::exchange(lacks_channels_, true)) return;
  why_ = "the file has no more channels";
  note(time, 0, "messages of further topics are not recorded: " + why_ + "; begin another one");
}

}  // namespace entente::trace
