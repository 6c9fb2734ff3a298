// Seeking: uses the chunks that the end of the file lists, or else finds them by reading the file.
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>

#include <algorithm>
#include <limits>
#include <set>

#include "proxy/trace/recording.h"

namespace entente::trace {
namespace {

using mcap::ChunkIndex, mcap::Reader;

bool may_have_any(const ChunkIndex& chunk, const std::vector<bool>& channels) {
  return chunk.channels.empty() ||
         std::any_of(chunk.channels.begin(), chunk.channels.end(), [&](std::uint16_t id) { return channels[id]; });
}

/// The link of a Snapshot, whose other fields are not read.
std::uint32_t link_of(Bytes snapshot) {
  using google::protobuf::internal::WireFormatLite;
  google::protobuf::io::CodedInputStream in(snapshot.data(), static_cast<int>(snapshot.size()));
  constexpr auto kLink = WireFormatLite::MakeTag(Snapshot::kLinkFieldNumber, WireFormatLite::WIRETYPE_VARINT);
  std::uint32_t link = 0;
  while (const std::uint32_t tag = in.ReadTag()) {
    if (tag == kLink) return in.ReadVarint32(&link) ? link : 0;
    if (!WireFormatLite::SkipField(&in, tag)) return 0;
  }
  return 0;
}

/// The chunks of a file that does not list them, as far as it can be read.
std::vector<ChunkIndex> chunks_by_reading(Reader& reader) {
  std::vector<ChunkIndex> all;
  std::set<std::uint16_t> channels;  // of the last chunk
  for (;;) {
    const auto message = reader.next();
    if (!message.ok() || *message == nullptr) return all;
    const auto [record, used] = reader.position();
    if (used == 0) continue;  // a message outside of chunks, and so none of ours
    if (all.empty() || all.back().offset != record) {
      all.push_back({(*message)->log_time, record, {}});
      channels.clear();
    }
    ChunkIndex& chunk = all.back();
    chunk.start = std::min(chunk.start, (*message)->log_time);
    if (channels.insert((*message)->channel).second) chunk.channels.push_back((*message)->channel);
  }
}

}  // namespace

void Recording::learn() {
  if (chunks_) return;
  const auto here = reader_.position();
  reader_.learn_from_summary();
  chunks_ = reader_.chunks();
  if (!chunks_->empty()) return;
  chunks_ = chunks_by_reading(reader_);
  reader_.go_to(here);
}

/// For each channel id, whether the channel has messages of this type and metadata that is `wanted`.
template <class Wanted>
std::vector<bool> Recording::channels(const google::protobuf::Descriptor* type, Wanted&& wanted) const {
  std::vector<bool> found(std::numeric_limits<std::uint16_t>::max() + std::size_t{1});
  for (const auto& [id, channel] : reader_.definitions().channels()) {
    const auto* schema = reader_.definitions().schema(channel.schema);
    if (schema != nullptr && schema->name == type->full_name() && wanted(channel.metadata)) found[id] = true;
  }
  return found;
}

/// The place before the last world of this link in this chunk that is not later than `time`.
std::optional<Reader::Position> Recording::last_world(const ChunkIndex& chunk, const std::vector<bool>& channels,
                                                      std::uint32_t link, WallTime time) {
  std::optional<Reader::Position> found;
  reader_.go_to({chunk.offset, 0});
  for (;;) {
    Reader::Position before = reader_.position();
    const auto message = reader_.next();
    if (!message.ok() || *message == nullptr || reader_.position().record != chunk.offset) return found;
    if ((*message)->log_time > time || !channels[(*message)->channel]) continue;
    if (link_of((*message)->data) == link) found = before;
  }
}

Outcome<bool> Recording::go_to_world(std::uint32_t link, WallTime time) {
  learn();
  parts_ = 0;
  const std::string own = std::to_string(link);
  const auto worlds = channels(Snapshot::descriptor(), [&](const mcap::StringMap& metadata) {
    // Older files have a channel for each link.
    return std::all_of(metadata.begin(), metadata.end(),
                       [&](const auto& about) { return about.first != "link" || about.second == own; });
  });
  for (auto chunk = chunks_->rbegin(); chunk != chunks_->rend(); ++chunk) {
    if (chunk->start > time || !may_have_any(*chunk, worlds)) continue;
    const auto found = last_world(*chunk, worlds, link, time);
    if (!found) continue;
    reader_.go_to(*found);
    return true;
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
    if (found != nullptr || !may_have_any(chunk, geometries)) continue;
    reader_.go_to({chunk.offset, 0});
    for (;;) {
      const auto message = reader_.next();
      if (!message.ok() || *message == nullptr || reader_.position().record != chunk.offset) break;
      if (!geometries[(*message)->channel]) continue;
      if (!fill(found_, (*message)->data)) continue;
      if (found_.hash() == hash) found = &found_;
      if (found != nullptr) break;
    }
  }
  reader_.go_to(here);
  if (found == nullptr) found_.Clear();
  return found;
}

}  // namespace entente::trace
