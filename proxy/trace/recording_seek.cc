// Seeking: uses the chunks that the end of the file lists, or else finds them by reading the file.
#include <algorithm>

#include "proxy/trace/recording.h"

namespace entente::trace {
namespace {

using mcap::ChunkIndex, mcap::Reader;

bool has(const ChunkIndex& chunk, std::uint16_t channel) {
  return std::find(chunk.channels.begin(), chunk.channels.end(), channel) != chunk.channels.end();
}

bool has_any(const ChunkIndex& chunk, const std::vector<std::uint16_t>& channels) {
  return std::any_of(channels.begin(), channels.end(), [&](std::uint16_t channel) { return has(chunk, channel); });
}

/// The chunks of a file that does not list them, as far as it can be read.
std::vector<ChunkIndex> chunks_by_reading(Reader& reader) {
  std::vector<ChunkIndex> all;
  for (;;) {
    const auto message = reader.next();
    if (!message.ok() || *message == nullptr) return all;
    const auto [record, used] = reader.position();
    if (used == 0) continue;  // a message outside of chunks, and so none of ours
    if (all.empty() || all.back().offset != record) all.push_back({(*message)->log_time, 0, record, {}});
    ChunkIndex& chunk = all.back();
    chunk.start = std::min(chunk.start, (*message)->log_time);
    chunk.end = std::max(chunk.end, (*message)->log_time);
    if (!has(chunk, (*message)->channel)) chunk.channels.push_back((*message)->channel);
  }
}

}  // namespace

void Recording::learn() {
  if (chunks_) return;
  const auto here = reader_.position();
  reader_.learn_from_summary();
  chunks_ = reader_.chunks();
  const auto before = [](const ChunkIndex& a, const ChunkIndex& b) { return a.offset < b.offset; };
  const auto same = [](const ChunkIndex& a, const ChunkIndex& b) { return a.offset == b.offset; };
  std::sort(chunks_->begin(), chunks_->end(), before);
  // A hostile file may list one chunk a million times.
  chunks_->erase(std::unique(chunks_->begin(), chunks_->end(), same), chunks_->end());
  if (!chunks_->empty()) return;
  chunks_ = chunks_by_reading(reader_);
  reader_.go_to(here);
}

/// The channels with messages of this type whose metadata is `wanted`.
template <class Wanted>
std::vector<std::uint16_t> Recording::channels(const google::protobuf::Descriptor* type, Wanted&& wanted) const {
  std::vector<std::uint16_t> found;
  for (const auto& [id, channel] : reader_.definitions().channels()) {
    const auto* schema = reader_.definitions().schema(channel.schema);
    if (schema != nullptr && schema->name == type->full_name() && wanted(channel.metadata)) found.push_back(id);
  }
  return found;
}

/// The place before the last message of the channel in this chunk that is not later than `time`.
std::optional<Reader::Position> Recording::last_before(const ChunkIndex& chunk, std::uint16_t channel, WallTime time) {
  std::optional<Reader::Position> found;
  reader_.go_to({chunk.offset, 0});
  for (;;) {
    Reader::Position before = reader_.position();
    const auto message = reader_.next();
    if (!message.ok() || *message == nullptr || reader_.position().record != chunk.offset) return found;
    if ((*message)->channel == channel && (*message)->log_time <= time) found = before;
  }
}

Outcome<bool> Recording::go_to_world(std::uint32_t link, WallTime time) {
  learn();
  const auto named = std::pair<std::string, std::string>("link", std::to_string(link));
  const auto worlds = channels(Snapshot::descriptor(), [&](const mcap::StringMap& metadata) {
    return std::find(metadata.begin(), metadata.end(), named) != metadata.end();
  });
  for (auto chunk = chunks_->rbegin(); chunk != chunks_->rend(); ++chunk) {
    if (chunk->start > time || !has_any(*chunk, worlds)) continue;
    for (const std::uint16_t channel : worlds) {
      const auto found = last_before(*chunk, channel, time);
      if (!found) continue;
      reader_.go_to(*found);
      return true;
    }
  }
  reader_.go_to({mcap::kMagic.size(), 0});
  return false;
}

Outcome<const Geometry*> Recording::find_geometry(const std::string& hash) {
  if (!hash.empty() && found_.hash() == hash) return &found_;
  learn();
  const auto geometries = channels(Geometry::descriptor(), [](const auto&) { return true; });
  const auto here = reader_.position();
  const Geometry* found = nullptr;
  for (const ChunkIndex& chunk : *chunks_) {
    if (found != nullptr || !has_any(chunk, geometries)) continue;
    reader_.go_to({chunk.offset, 0});
    for (;;) {
      const auto message = reader_.next();
      if (!message.ok() || *message == nullptr || reader_.position().record != chunk.offset) break;
      const auto& id = (*message)->channel;
      if (std::find(geometries.begin(), geometries.end(), id) == geometries.end()) continue;
      if (!found_.ParseFromArray((*message)->data.data(), static_cast<int>((*message)->data.size()))) continue;
      if (found_.hash() == hash) found = &found_;
      if (found != nullptr) break;
    }
  }
  reader_.go_to(here);
  if (found == nullptr) found_.Clear();
  return found;
}

}  // namespace entente::trace
