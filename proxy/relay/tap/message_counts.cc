// Counts are found by the row of the codec, faults by their names.
#include "proxy/relay/tap/message_counts.h"

#include <algorithm>

namespace entente::relay {
namespace {

constexpr WallTime kSayEvery = 1'000'000'000;   // ns
constexpr std::size_t kSmallFrame = 64 * 1024;  // bytes; the memory of a larger one is freed when the next one comes

std::size_t side(wire::Way way) { return way == wire::Way::kToServer ? 0 : 1; }

}  // namespace

MessageCounts::MessageCounts(const wire::Game& game, std::size_t dialect)
    : game_(game),
      dialect_(dialect),
      codec_(game.codec(dialect)),
      each_(std::make_unique<Each[]>(2 * codec_->rows().size())) {}

Result<const wire::Row*> MessageCounts::decode(const wire::Frame& frame) {
  if (frame.way == wire::Way::kToClient && told_.row != nullptr && frame.lane == told_.frame.lane &&
      frame.stage == told_.frame.stage && same(frame.bytes, told_.bytes))
    return told_.row;
  ++decoded_;
  const auto row = codec_->decode(frame);
  if (row.ok() && frame.way == wire::Way::kToClient) {
    told_.frame = frame;
    if (told_.bytes.size() > kSmallFrame) told_.bytes = Buffer();  // frees its memory
    told_.bytes.assign(frame.bytes.begin(), frame.bytes.end());
    told_.frame.bytes = told_.bytes;
    told_.row = *row;
  }
  return row;
}

void MessageCounts::add(wire::Way way, const wire::Row& row, std::size_t bytes) {
  auto& each = each_[side(way) * codec_->rows().size() + place_of(row)];
  each.frames.add();
  each.bytes.add(bytes);
}

// decode() may return a row that lies outside of codec_->rows().
std::size_t MessageCounts::place_of(const wire::Row& row) {
  if (const auto known = places_.find(&row); known != places_.end()) return known->second;
  const auto rows = codec_->rows();
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const wire::Row& one) {
    return one.first_code == row.first_code && one.ways == row.ways && one.dialects == row.dialects &&
           std::string_view(one.name) == row.name;
  });
  assert(found != rows.end());
  return places_[&row] = static_cast<std::size_t>(found - rows.begin());
}

MessageCounts::Say MessageCounts::add(wire::Way way, const Fault& fault, WallTime at) {
  const std::lock_guard lock(faults_mutex_);
  const auto same = [&](const Seen& seen) {
    return seen.count.way == way && seen.count.what == fault.what && seen.count.field == fault.field;
  };
  auto found = std::find_if(faults_.begin(), faults_.end(), same);
  if (found == faults_.end())
    found = faults_.insert(found, Seen{{game_.name(), dialect_name(), way, fault.what, fault.field, 0}, 0, 0});
  ++found->count.count;
  const bool due = found->count.count == 1 || at >= found->said_at + kSayEvery;
  if (!due) return ++found->suppressed, Say{};
  found->said_at = at;
  return {true, std::exchange(found->suppressed, 0)};
}

// Only the counting thread writes, so it needs no lock to read.
bool MessageCounts::has_suppressed() const {
  return std::any_of(faults_.begin(), faults_.end(), [](const Seen& seen) { return seen.suppressed != 0; });
}

std::vector<FaultCount> MessageCounts::take_suppressed(WallTime now) {
  std::vector<FaultCount> due;
  const std::lock_guard lock(faults_mutex_);
  for (Seen& seen : faults_) {
    if (seen.suppressed == 0 || now < seen.said_at + kSayEvery) continue;
    seen.said_at = now;
    due.push_back(seen.count);
    due.back().count = std::exchange(seen.suppressed, 0);
  }
  return due;
}

void MessageCounts::snapshot(std::vector<MessageCount>& messages, std::vector<FaultCount>& faults) const {
  const auto rows = codec_->rows();
  for (const auto way : {wire::Way::kToServer, wire::Way::kToClient})
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto& each = each_[side(way) * rows.size() + i];
      if (each.frames.read() == 0) continue;
      messages.push_back({game_.name(), dialect_name(), way, rows[i].name, each.frames.read(), each.bytes.read()});
    }
  const std::lock_guard lock(faults_mutex_);
  for (const auto& seen : faults_) faults.push_back(seen.count);
}

}  // namespace entente::relay
