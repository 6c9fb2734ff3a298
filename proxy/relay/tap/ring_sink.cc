// The slow paths: what is done with large entries, and when the ring is full.
#include "proxy/relay/tap/ring_sink.h"

#include <algorithm>
#include <type_traits>

namespace entente::relay {
namespace {

static_assert(std::is_trivially_copyable_v<LinkInfo> && std::is_trivially_copyable_v<Gap>, "they go through a ring");

template <class T>
Bytes raw(const T& value) {
  return {reinterpret_cast<const std::uint8_t*>(&value),
          sizeof(T)};  // NOLINT(bugprone-sizeof-expression): T may be a pointer
}

}  // namespace

RingSink::RingSink(std::size_t ring_bytes, net::Waker& waker, const WordsWanted* wanted)
    : ring_(ring_bytes),
      waker_(waker),
      wanted_(wanted),
      spare_(ring_.capacity() / 8),
      shares_(ring_.capacity(), ring_.capacity() - spare_) {}

RingSink::~RingSink() {
  while (!ring_.empty()) {
    const Ring::Entry entry = ring_.front();
    Ring::Entry left = entry;
    const LargeBytes freed(left);
    ring_.pop(entry);
  }
}

RingSink::LargeBytes::LargeBytes(Ring::Entry& entry) {
  if ((entry.header.kind & kFlag) == 0) return;
  entry.header.kind = static_cast<std::uint8_t>(entry.header.kind & ~kFlag);
  bytes_.reset(from_raw<const Shared*>(entry.bytes));
  entry.bytes = **bytes_;
}

bool RingSink::put(const Ring::EntryHeader& header, Bytes bytes) {
  return bytes.size() <= kLarge ? ring_.push(header, bytes, spare_) : put_beside(header, bytes);
}

bool RingSink::put_beside(Ring::EntryHeader header, Bytes bytes) {
  LargeBytes::Shared shared = last_beside_.lock();
  if (shared == nullptr || !same(*shared, bytes)) {
    if (beside_bytes_.load(std::memory_order_relaxed) + bytes.size() > kMostBeside) return false;
    beside_bytes_.fetch_add(bytes.size(), std::memory_order_relaxed);
    shared = LargeBytes::Shared(new Buffer(bytes.begin(), bytes.end()), [this](const Buffer* read) {
      beside_bytes_.fetch_sub(read->size(), std::memory_order_relaxed);
      delete read;
    });
    last_beside_ = shared;
  }
  auto place = std::make_unique<const LargeBytes::Shared>(std::move(shared));
  header.kind = static_cast<std::uint8_t>(header.kind | LargeBytes::kFlag);
  if (!ring_.push(header, raw(place.get()), spare_)) return false;
  (void)place.release();  // the entry owns it now
  waker_.wake();
  return true;
}

void RingSink::opened(const LinkInfo& info, WallTime at) {
  if (deaf()) return;
  missed_closings_.reserve(++open_);
  shares_.opened(info.link, info.client);
  const Ring::EntryHeader header{.at = at, .link = info.link, .kind = kOpened};
  write_pending(at);
  if (!ring_.push(header, raw(info), 0)) dropped_.add();
  waker_.wake();  // the reader sleeps without limit while nothing is open
}

void RingSink::plays(LinkId link, WallTime at) {
  if (deaf()) return;
  write_pending(at);
  if (!ring_.push({.at = at, .link = link, .kind = kPlays}, {}, 0)) dropped_.add();
}

void RingSink::bytes(LinkId link, wire::Way way, wire::Lane lane, Bytes bytes, WallTime at) {
  const Ring::EntryHeader header{.at = at,
                                 .link = link,
                                 .kind = kBytes,
                                 .way = static_cast<std::uint8_t>(way),
                                 .lane = static_cast<std::uint8_t>(lane)};
  push(header, lane, bytes);
}

void RingSink::packet(LinkId link, wire::Way way, wire::EnetCarriage how, Bytes bytes, WallTime at) {
  const Ring::EntryHeader header{.at = at,
                                 .link = link,
                                 .kind = kPacket,
                                 .way = static_cast<std::uint8_t>(way),
                                 .lane = static_cast<std::uint8_t>(how.send),
                                 .channel = how.channel};
  push(header, how.lane(), bytes);
}

void RingSink::lab(LinkId link, LabMark mark, std::uint64_t held, WallTime at) {
  if (deaf()) return;
  LabNote about;
  std::memset(static_cast<void*>(&about), 0, sizeof about);  // its padding goes through the ring, too
  about.mark = mark;
  about.held = held;
  write_gaps_of(link, at, spare_);
  // It takes the spare space: if what it is about does not fit, that is told as a gap.
  if (!ring_.push({.at = at, .link = link, .kind = kLabNote}, raw(about), 0)) dropped_.add();
}

void RingSink::push(const Ring::EntryHeader& header, wire::Lane lane, Bytes bytes) {
  if (deaf()) return;
  const auto way = static_cast<wire::Way>(header.way);
  if (may_put(header.link, bytes.size()) && write_gaps_of(header.link, header.at, spare_) && put(header, bytes))
    write_pending(header.at);
  else
    miss(header.link, way, lane, bytes.size());
  if (ring_.more_than(2)) waker_.wake();
}

/// Whether the link's address has a share of the ring left.
bool RingSink::may_put(LinkId link, std::size_t bytes) {
  (void)ring_.more_than(4);  // looks again how far the reader is, if it is worth it
  const std::size_t size = sizeof(Ring::EntryHeader) + std::min(bytes, kLarge);
  return shares_.may_write(link, size, ring_.written(), ring_.read_before());
}

void RingSink::word(LinkId link, bool fact, Bytes word, WallTime at) {
  push_word({.at = at, .link = link, .kind = static_cast<std::uint8_t>(fact ? kFact : kIntent)}, word);
}

void RingSink::calls(LinkId link, Bytes calls, WallTime at) {
  push_word({.at = at, .link = link, .kind = kCalls}, calls);
}

void RingSink::world(LinkId link, Bytes world, WallTime at) {
  push_word({.at = at, .link = link, .kind = kWorld}, world);
}

bool RingSink::geometry(LinkId link, Bytes geometry, WallTime at) {
  return push_word({.at = at, .link = link, .kind = kGeometry}, geometry);
}

bool RingSink::push_word(const Ring::EntryHeader& header, Bytes word) {
  if (deaf()) return true;
  if (may_put(header.link, word.size()) && write_gaps_of(header.link, header.at, spare_) &&
      write_word_gap(header.at, spare_) && put(header, word)) {
    write_pending(header.at);
    return true;
  }
  dropped_.add();
  dropped_bytes_.add(word.size());
  word_gap_.link = word_gap_.words == 0 || word_gap_.link == header.link ? header.link : 0;
  ++word_gap_.words;
  word_gap_.bytes += word.size();
  owing_ = true;
  return false;
}

void RingSink::note(LinkId link, std::string_view text, WallTime at) {
  if (deaf()) return;
  write_pending(at);
  if (!ring_.push({.at = at, .link = link, .kind = kNote}, as_bytes(text), 0)) dropped_.add();
}

void RingSink::closed(LinkId link, std::string_view reason, WallTime at) {
  if (deaf()) return;
  if (open_ > 0) --open_;
  shares_.closed(link);
  const Ring::EntryHeader header{.at = at, .link = link, .kind = kClosed};
  // What is missing of the link comes before its end, which takes the spare space, too.
  const bool told = write_gaps_of(link, at, 0) && (word_gap_.link != link || write_word_gap(at, 0));
  if (told) write_pending(at);
  if (told && ring_.push(header, as_bytes(reason), 0)) return;
  missed_closings_.push_back(link);
  owing_ = true;
}

// Like bytes(), these leave space for openings and closings.

/// What is missing of the link, or of links that are not known, comes before its next entry.
bool RingSink::write_gaps_of(LinkId link, WallTime at, std::size_t spare) {
  if (!owing_) return true;
  for (const LinkId of : {LinkId{0}, link})
    for (auto its = gaps_.lower_bound(std::uint64_t{of} << 2U); its != gaps_.end() && its->second.link == of;
         its = gaps_.erase(its))
      if (!ring_.push({.at = at, .link = of, .kind = kGap}, raw(its->second), spare)) return false;
  return true;
}

bool RingSink::write_word_gap(WallTime at, std::size_t spare) {
  if (word_gap_.words == 0) return true;
  if (!ring_.push({.at = at, .link = word_gap_.link, .kind = kWordGap}, raw(word_gap_), spare)) return false;
  word_gap_ = {};
  return true;
}

/// The gaps and closings of all links take no more than half of the ring: those of a flood must not fill it, either.
bool RingSink::write_owed(WallTime at) {
  for (auto its = gaps_.begin(); its != gaps_.end(); its = gaps_.erase(its))
    if (ring_.more_than(2) || !ring_.push({.at = at, .link = its->second.link, .kind = kGap}, raw(its->second), spare_))
      return false;
  if (!write_word_gap(at, spare_)) return false;
  for (; !missed_closings_.empty(); missed_closings_.pop_back())
    if (ring_.more_than(2) || !ring_.push({.at = at, .link = missed_closings_.back(), .kind = kClosed}, {}, spare_))
      return false;
  owing_ = false;
  return true;
}

void RingSink::miss(LinkId link, wire::Way way, wire::Lane lane, std::size_t bytes) {
  dropped_.add();
  dropped_bytes_.add(bytes);
  owing_ = true;
  waker_.wake();
  const auto key = [&](LinkId of) {
    return std::uint64_t{of} << 2U | (way == wire::Way::kToClient ? 2U : 0U) |
           (lane == wire::Lane::kDatagram ? 1U : 0U);
  };
  if (gaps_.size() >= kMostGaps + 4 * open_ && !gaps_.contains(key(link))) {
    for (const auto& [number, gap] : gaps_) bytes += gap.bytes;
    gaps_.clear();
    link = 0;
  }
  Gap& gap = gaps_.try_emplace(key(link), Gap{link, way, lane, 0}).first->second;
  gap.bytes += bytes;
}

}  // namespace entente::relay
