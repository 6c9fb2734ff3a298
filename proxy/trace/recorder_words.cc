// What only bridges have: words, worlds, and the geometry that worlds name. A geometry is kept until a chunk that has
// it is on the disk: a world whose geometry is in no chunk would be of no use.
#include "proxy/trace/recorder.h"
#include "proxy/trace/schemas.h"
#include "schema/snapshot.pb.h"

namespace entente::trace {
namespace {

constexpr std::uint16_t kLastChannel = 65'000;  // more links than this allows: their words are not recorded
constexpr std::size_t kMostGeometries = 4096, kMostKept = 128U << 20U;  // in a file; bytes that are not yet written

}  // namespace

struct Recorder::TopicAbout {
  const char* topic;
  std::uint16_t schema;
  const google::protobuf::Descriptor* (*type)();
};

/// Ids of schemas go on behind those that every recording has.
const Recorder::TopicAbout& Recorder::about(Topic topic) {
  static const TopicAbout all[] = {{"/intent", 4, words::Intent::descriptor},
                                   {"/fact", 5, words::Fact::descriptor},
                                   {"/world", 6, Snapshot::descriptor},
                                   {"/geometry", 7, Geometry::descriptor}};
  return all[static_cast<std::size_t>(topic)];
}

void Recorder::word(WallTime time, std::uint32_t link, Word kind, Bytes word) {
  if (!ready(time)) return void(unsaid_.bytes += word.size());
  const std::uint16_t channel = channel_of(kind == Word::kIntent ? Topic::kIntent : Topic::kFact, link);
  if (channel == 0) return lack_channel(time, word.size());
  put(channel, time, word);
  end_chunk_if_due(time);
}

void Recorder::world(WallTime time, const Snapshot& world) {
  if (!ready(time)) return void(unsaid_.bytes += world.ByteSizeLong());
  const std::uint16_t channel = channel_of(Topic::kWorld, world.link());
  if (channel == 0) return lack_channel(time, world.ByteSizeLong());
  if (world.geometry().empty() || put_geometry(time, world.geometry()))
    put(channel, time, world);
  else
    put_note(time, world.link(), "a world is not recorded: its geometry is not known", world.ByteSizeLong());
  end_chunk_if_due(time);
}

/// A word that there is no channel for. The first is said where it is missing, the rest when the file ends.
void Recorder::lack_channel(WallTime time, std::size_t bytes) {
  if (std::exchange(lacks_channels_, true)) return void(unsaid_.bytes += bytes);
  if (why_.empty()) why_ = "the file has no more channels";
  note(time, 0, "words and worlds of further links are not recorded: " + why_ + "; begin another one", bytes);
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

/// False: there is none of this hash.
bool Recorder::put_geometry(WallTime time, const std::string& hash) {
  const auto at = geometries_.find(hash);
  if (at == geometries_.end()) return false;
  if (at->second.state != Place::State::kWaiting) return true;
  const std::uint16_t channel = channel_of(Topic::kGeometry, 0);
  if (channel == 0) return false;
  put(channel, time, Bytes(at->second.geometry));
  at->second.state = Place::State::kInChunk;
  geometries_in_chunk_.push_back(hash);
  return true;
}

void Recorder::settle_geometries(bool were_written) {
  for (const std::string& hash : geometries_in_chunk_) {
    Place& place = geometries_.at(hash);
    place.state = were_written ? Place::State::kWritten : Place::State::kWaiting;
    if (!were_written) continue;
    kept_ -= place.geometry.size();
    place.geometry = Buffer();
  }
  geometries_in_chunk_.clear();
}

/// 0 if there is none and none can be had.
std::uint16_t Recorder::channel_of(Topic topic, std::uint32_t link) {
  const auto known = channels_.find({link, topic});
  if (known != channels_.end()) return known->second;
  if (last_channel_ >= kLastChannel || !define(topic)) return 0;
  const auto id = static_cast<std::uint16_t>(last_channel_ + 1U);
  mcap::Channel channel{id, about(topic).schema, about(topic).topic, "protobuf", {}};
  if (link != 0) channel.metadata = {{"link", std::to_string(link)}};
  if (!writer_.define(channel).ok()) return 0;
  sequences_.resize(id + 1U);
  channels_[{link, topic}] = id;
  return last_channel_ = id;
}

/// The schema, once; a relay's recording has none of them.
bool Recorder::define(Topic topic) {
  const auto bit = 1U << static_cast<unsigned>(topic);
  if ((defined_ & bit) != 0) return true;
  if (!writer_.define(protobuf_schema(about(topic).schema, *about(topic).type())).ok()) return false;
  defined_ |= bit;
  return true;
}

void Recorder::forget_channels(std::uint32_t link) {
  for (const Topic topic : {Topic::kIntent, Topic::kFact, Topic::kWorld}) {
    const auto known = channels_.find({link, topic});
    if (known == channels_.end()) continue;
    writer_.retire(known->second);
    channels_.erase(known);
  }
}

}  // namespace entente::trace
