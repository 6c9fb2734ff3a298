// The definitions of an MCAP file: schemas, channels and metadata.
// Invariant: an id has one meaning in the whole file, and all definitions together stay within a limit.
#pragma once

#include <map>
#include <vector>

#include "proxy/trace/mcap.h"

namespace entente::trace::mcap {

class Definitions {
 public:
  /// `limit`: bytes of all records together, as they lie in the file. What exceeds it is a fault.
  explicit Definitions(std::uint64_t limit) : left_(limit) {}

  /// Adds a schema, channel or metadata record. Repeating a record is allowed; another record with the same id is a
  /// fault.
  Result<Done> take(Op op, Bytes content);
  /// Takes the memory for a metadata record of this length from the limit. False: it is above.
  bool hold_metadata(std::uint64_t length) { return length <= left_ && hold(length * kMapFactor); }

  /// Null if unknown. Here and below: valid as long as this object.
  const Channel* channel(std::uint16_t id) const {
    const auto found = channels_.find(id);
    return found == channels_.end() ? nullptr : &found->second;
  }
  /// Null if unknown, and for id 0, which means no schema.
  const Schema* schema(std::uint16_t id) const {
    const auto found = schemas_.find(id);
    return found == schemas_.end() ? nullptr : &found->second;
  }

  const std::map<std::uint16_t, Schema>& schemas() const { return schemas_; }
  const std::map<std::uint16_t, Channel>& channels() const { return channels_; }
  const std::vector<Metadata>& metadata() const { return metadata_; }

 private:
  Result<Done> take_schema(Bytes content);
  Result<Done> take_channel(Bytes content);
  Result<Done> take_metadata(Bytes content);
  bool hold(std::uint64_t size);

  static constexpr std::uint64_t kMapFactor = 9;  // a map of empty strings takes nine times its bytes

  std::map<std::uint16_t, Schema> schemas_;
  std::map<std::uint16_t, Channel> channels_;
  std::vector<Metadata> metadata_;
  std::uint64_t left_;
};

}  // namespace entente::trace::mcap
