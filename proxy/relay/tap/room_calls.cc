#include "proxy/relay/tap/room_calls.h"

#include "proxy/rules/words.h"

namespace entente::relay {
namespace {

// How much is collected before it is told.
constexpr int kMostCalls = 512;
constexpr core::Micros kLongest = core::kSecond;

}  // namespace

void RoomCalls::begin(TapSink* tap, LinkId link, const trace::RoomBegan& began) {
  if (tap == nullptr || !tap->wants_words()) return;
  tap_ = tap;
  generation_ = tap->recording_generation();
  calls_.set_link(link);
  *other(0).mutable_began() = began;
}

void RoomCalls::add(trace::Call call, core::Micros at) {
  if (on()) push(call, static_cast<std::uint64_t>(at - std::exchange(last_, at)));
}

void RoomCalls::push(trace::Call call, std::uint64_t number) {
  constexpr std::uint64_t kKinds = 16;
  calls_.add_calls(number * kKinds + static_cast<std::uint64_t>(call));
}

trace::Detail& RoomCalls::other(core::Micros at) {
  add(trace::DETAIL, at);
  return *calls_.add_details();
}

void RoomCalls::told_waiting(core::Id end, std::size_t bytes) {
  if (!on() || bytes == 0) return;
  if (end == core::kNextBackId) return push(trace::NEXT_WAITS, bytes);
  push(end == core::kBackId ? trace::SERVER_WAITS : trace::CLIENT_WAITS, bytes);
}

void RoomCalls::answered(bool answer) {
  if (on()) other(last_).set_answered(answer);
}

void RoomCalls::closed(core::Id end, std::string_view why, std::uint32_t code) {
  if (!on()) return;
  trace::Closing& closing = *other(last_).mutable_closed();
  closing.set_server(end == core::kBackId);
  closing.set_why(std::string(why));
  closing.set_code(code);
}

/// Without secrets: who makes the call again has the intent that was said, with its secrets as they were recorded.
void RoomCalls::ruled(std::uint32_t nth, const core::Intent* changed) {
  if (!on()) return;
  trace::Ruling& ruling = *other(last_).mutable_ruled();
  ruling.set_nth(nth);
  ruling.set_dropped(changed == nullptr);
  if (changed == nullptr) return;
  core::Intent shown = *changed;
  rules::clear_hidden(shown);
  Buffer bytes;
  core::write(shown, bytes);
  ruling.set_changed(std::string(as_text(bytes)));
}

void RoomCalls::end_call(core::Micros at, WallTime wall) {
  if (!on()) return;
  const bool moves = tap_->recording_generation() != generation_;
  if (moves || calls_.calls_size() >= kMostCalls || at >= flushed_ + kLongest) {
    flush(wall);
    flushed_ = at;
  }
  if (moves || !tap_->wants_words()) tap_ = nullptr;
}

void RoomCalls::flush(WallTime wall) {
  if (!on() || calls_.calls_size() == 0) return;
  calls_.set_number(calls_.number() + 1);
  written_.resize(calls_.ByteSizeLong());
  calls_.SerializeWithCachedSizesToArray(written_.data());
  tap_->calls(calls_.link(), written_, wall);
  calls_.clear_calls();
  calls_.clear_details();
}

trace::Peer to_trace(const core::Peer& peer) {
  trace::Peer told;
  told.set_address(peer.address);
  told.set_connect_data(peer.connect_data);
  told.set_path(peer.path);
  return told;
}

}  // namespace entente::relay
