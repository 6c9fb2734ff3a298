#include "proxy/program/reproduce/comparison.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>

#include "proxy/program/settings/secrets.h"

namespace entente {
namespace {

std::string undecoded_text(Bytes bytes) {
  constexpr std::size_t kMost = 64;
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text = std::to_string(bytes.size()) + " bytes that do not decode:";
  for (const std::uint8_t byte : bytes.first(std::min(bytes.size(), kMost)))
    text += {' ', kDigits[byte >> 4U], kDigits[byte & 15U]};
  return text + (bytes.size() > kMost ? " …" : "");
}

std::string_view name_of(std::string_view line) { return line.substr(0, line.find(' ')); }

std::optional<double> field_number(const std::string& value) {
  double number = 0;
  const char* const end = value.data() + value.size();
  const auto [stop, error] = std::from_chars(value.data(), end, number);
  return error == std::errc{} && stop == end && std::isfinite(number) ? std::optional(number) : std::nullopt;
}

bool has_fraction(const std::string& value) { return value.find_first_of(".e") != std::string::npos; }

/// Whether `after` is later by the age, in milliseconds (32 bits) or microseconds.
bool is_older(const std::string& before, const std::string& after, core::Micros age) {
  std::uint64_t was = 0, is = 0;
  const auto read = [](const std::string& text, std::uint64_t& into) {
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), into);
    return error == std::errc{} && stop == text.data() + text.size();
  };
  if (age == 0 || !read(before, was) || !read(after, is)) return false;
  return is - was == age ||
         static_cast<std::uint32_t>(is - was) == static_cast<std::uint32_t>(age / core::kMillisecond);
}

bool is_rounded(const wire::Shown& before, const wire::Shown& after, core::Micros age) {
  constexpr double kMost = 1e-6;
  if (before.path != after.path) return false;
  if (before.value == after.value || is_older(before.value, after.value, age)) return true;
  if (!has_fraction(before.value) && !has_fraction(after.value)) return false;
  const auto was = field_number(before.value), is = field_number(after.value);
  return was && is && std::abs(*was - *is) <= kMost * std::max({1.0, std::abs(*was), std::abs(*is)});
}

}  // namespace

std::string frame_text(wire::Codec& codec, const wire::Frame& frame, std::string_view name,
                       std::vector<wire::Shown>* fields) {
  for (const auto stage : {frame.stage, wire::Stage::kPlay, wire::Stage::kGreeting}) {
    const auto row = codec.decode({frame.way, frame.lane, stage, frame.bytes});
    if (!row.ok() || (!name.empty() && (*row)->name != name)) continue;
    std::string line;
    print(**row, codec, line);
    if (fields != nullptr) *fields = show(codec);
    return line;
  }
  return undecoded_text(frame.bytes);
}

Comparison::Comparison(RecordedLink& link, wire::Way way, core::Micros age)
    : link_(link),
      way_(way),
      age_(age),
      secrets_(way == wire::Way::kToServer ? secrets_of(*link.game_dialect()->game) : std::vector<wire::Secret>()),
      codec_(link.game_dialect()->game->codec(link.game_dialect()->dialect)),
      dissector_(*link.game_dialect()->game, link.game_dialect()->dialect) {}

void Comparison::said(Lane lane, Bytes bytes, WallTime time) {
  now_ = time;
  lane == Lane::kStream ? dissector_.stream(way_, bytes, *this) : dissector_.datagram(way_, bytes, *this);
}

void Comparison::frame(const wire::Frame& frame) {
  said_.push_back({now_, frame.lane, frame.stage, Buffer(frame.bytes.begin(), frame.bytes.end())});
}

void Comparison::raw(wire::Way, Lane lane, Bytes bytes, const Fault*) {
  said_.push_back({now_, lane, wire::Stage::kPlay, Buffer(bytes.begin(), bytes.end())});
}

bool Comparison::equals(const RecordedFrame& expected, const SentFrame& got) {
  if (expected.lane != got.lane) return false;
  if (same(expected.view(), got.bytes)) return true;
  if (secrets_.empty() || expected.bytes.size() != got.bytes.size()) return false;
  const auto row = codec_->decode({way_, got.lane, got.stage, got.bytes});
  if (!row.ok() || !wire::blank_secrets(**row, *codec_, secrets_)) return false;
  Buffer blanked;
  codec_->encode(blanked);
  return same(expected.view(), blanked);
}

/// Whether the two are the same but for the last digits of numbers, and for the age of the room.
bool Comparison::rounds(const RecordedFrame& expected, const SentFrame& got) {
  std::vector<wire::Shown> before, after;
  if (expected.lane != got.lane || name_of(line_of(expected, before)) != name_of(line_of(got, after))) return false;
  return !before.empty() && std::equal(before.begin(), before.end(), after.begin(), after.end(),
                                       [this](const auto& was, const auto& is) { return is_rounded(was, is, age_); });
}

std::optional<FrameDifference> Comparison::compare_until(WallTime time) {
  std::optional<FrameDifference> first;
  for (;;) {
    const RecordedFrame* const expected = link_.next_frame(way_);
    WallTime next = time;
    if (expected != nullptr) next = std::min(next, expected->time);
    if (!said_.empty()) next = std::min(next, said_.front().time);
    if (next >= time) return first;
    settle_group(next, first);
  }
}

/// Everything of one time. What is alike at the start and at the end of the two is equal; what is left in between is
/// compared in its order.
void Comparison::settle_group(WallTime time, std::optional<FrameDifference>& first) {
  std::vector<RecordedFrame> expected;
  std::vector<SentFrame> got;
  while (link_.next_frame(way_) != nullptr && link_.next_frame(way_)->time <= time)
    expected.push_back(link_.take(way_));
  for (; !said_.empty() && said_.front().time <= time; said_.pop_front()) got.push_back(std::move(said_.front()));
  const std::size_t both = std::min(expected.size(), got.size());
  const auto are_alike = [&](const RecordedFrame& was, const SentFrame& is) {
    if (equals(was, is)) return ++frames_.equal, true;
    if (rounds(was, is)) return ++frames_.rounded, true;
    return false;
  };
  std::size_t begin = 0, end = 0;
  while (begin < both && are_alike(expected[begin], got[begin])) ++begin;
  while (end < both - begin && are_alike(expected[expected.size() - 1 - end], got[got.size() - 1 - end])) ++end;
  const std::size_t expected_left = expected.size() - end, got_left = got.size() - end;
  for (std::size_t at = begin; at < std::max(expected_left, got_left); ++at) {
    const RecordedFrame* const was = at < expected_left ? &expected[at] : nullptr;
    const SentFrame* const is = at < got_left ? &got[at] : nullptr;
    if (was != nullptr && is != nullptr && are_alike(*was, *is)) continue;
    if (frames_.different() == 0) first = difference(time, was, is);
    ++(was == nullptr ? frames_.extra : is == nullptr ? frames_.missing : frames_.changed);
  }
}

FrameDifference Comparison::difference(WallTime time, const RecordedFrame* expected, const SentFrame* got) {
  FrameDifference found{time, link_.id(), way_, {}, {}, {}};
  std::vector<wire::Shown> before, after;
  if (expected != nullptr) found.expected = line_of(*expected, before);
  if (got != nullptr) found.got = line_of(*got, after);
  if (!before.empty() && !after.empty() && name_of(found.expected) == name_of(found.got))
    found.fields = wire::diff(before, after);
  return found;
}

std::string Comparison::line_of(const wire::Frame& frame, std::string_view name, std::vector<wire::Shown>& fields) {
  return frame_text(*codec_, frame, name, &fields) + (frame.lane == Lane::kDatagram ? " (datagram)" : "");
}

}  // namespace entente
