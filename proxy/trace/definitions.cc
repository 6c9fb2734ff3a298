// One id, one meaning.
#include "proxy/trace/definitions.h"

namespace entente::trace::mcap {
namespace {

constexpr std::size_t kEach = 128;  // a map's node and the strings' heads, so that a million empty records count too
constexpr Fault kTooMany = {"more schemas, channels and metadata than the reader's limit"};

}  // namespace

bool Definitions::hold(std::uint64_t size) {
  if (size + kEach > left_) return false;
  left_ -= size + kEach;
  return true;
}

Result<Done> Definitions::take(Op op, Bytes content) {
  if (op == Op::kSchema) return take_schema(content);
  if (op == Op::kChannel) return take_channel(content);
  assert(op == Op::kMetadata);
  return take_metadata(content);
}

Result<Done> Definitions::take_schema(Bytes content) {
  auto parsed = parse_schema(content);
  if (!parsed.ok()) return parsed.error();
  if (parsed->id == 0) return Done{};  // "invalid and should be ignored by readers"
  if (const auto* known = schema(parsed->id)) {
    if (*known == *parsed) return Done{};
    return Fault{"the schema of this id was another one before", "id"};
  }
  if (!hold(content.size())) return kTooMany;
  schemas_.emplace(parsed->id, std::move(*parsed));
  return Done{};
}

Result<Done> Definitions::take_channel(Bytes content) {
  auto parsed = parse_channel(content);
  if (!parsed.ok()) return parsed.error();
  if (const auto* known = channel(parsed->id)) {
    if (*known == *parsed) return Done{};
    return Fault{"the channel of this id was another one before", "id"};
  }
  if (parsed->schema != 0 && !schema(parsed->schema)) return Fault{"no schema of this id came before", "schema_id", 2};
  if (!hold(content.size())) return kTooMany;
  channels_.emplace(parsed->id, std::move(*parsed));
  return Done{};
}

Result<Done> Definitions::take_metadata(Bytes content) {
  if (!hold_metadata(content.size())) return kTooMany;
  auto parsed = parse_metadata(content);
  if (!parsed.ok()) return parsed.error();
  metadata_.push_back(std::move(*parsed));
  return Done{};
}

}  // namespace entente::trace::mcap
