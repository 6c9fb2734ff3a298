// The life of a front: what comes in is handed to its subject. See front.h.
#include "adapters/aos/front/front.h"

#include <charconv>

#include "adapters/aos/aos.h"
#include "adapters/aos/faces.h"

namespace entente::aos {
namespace {

constexpr unsigned kRate = 20, kSlowestRate = 10, kFastestRate = 60;  // paintings a second

core::Micros paint_every(std::string_view rate) {
  unsigned value = kRate;
  if (!rate.empty()) std::from_chars(rate.data(), rate.data() + rate.size(), value);
  return core::kSecond / std::clamp(value, kSlowestRate, kFastestRate);
}

/// What there is no need to be told, or heard in any case.
template <class T>
constexpr bool kAlways =
    std::is_same_v<T, words::Refused> || std::is_same_v<T, words::Kicked> || std::is_same_v<T, words::World> ||
    std::is_same_v<T, words::WorldEdit> || std::is_same_v<T, words::Zone>;

}  // namespace

FrontSession::FrontSession(const core::FaceOptions& options)
    : dialect_(options.dialect),
      enters_first_(options.setting("first").empty() ? kDialects[options.dialect].state_updates
                                                     : options.setting("first") == "ban"),
      paint_every_(paint_every(options.setting("rate"))),
      speech_(make_speech(options.dialect)),
      reader_(game(), options.dialect, wire::Way::kToServer) {
  wish_.set_team(words::BLUE);
}

void FrontSession::opened(const core::Peer& peer, Outlet& out) {
  if (peer.connect_data != dialect().connect_data)
    return goodbye("the client speaks another version", kWrongVersion, out);
  out.say(words::WantWorld());  // so that the room looks for its server
  load(out);
}

void FrontSession::receive(Lane lane, Bytes bytes, Outlet& out) {
  if (gone_) return;
  std::optional<Fault> wrong;
  const auto take = [&](const wire::Frame& frame) {
    if (frame.bytes.empty()) return wrong = Fault{"empty packet", "", 0}, false;
    if (must_enter_first(frame.bytes[0], lane, out)) return false;
    const auto heard = speech_->read(frame);
    if (heard)
      std::visit([&](const auto& message) { on(message, out); }, *heard->message);
    else if (wire::unknown_code(heard.error()))
      out.lose("unknown packet", "an id of no Ace of Spades we know");
    else if (dialect().state_updates && frame.bytes[0] == 0)
      out.lose("StateUpdate", "a length that contradicts what it says");
    else
      wrong = heard.error();
    return !wrong && !gone_;
  };
  if (const auto framing = reader_.feed(lane, bytes, take)) wrong = framing;
  if (!wrong || gone_) return;
  gone_ = true;
  out.fail(*wrong);
}

void FrontSession::hear(const core::Fact& fact, Outlet& out) {
  if (gone_) return;
  retold_.hear(fact);
  std::visit(
      [&]<class T>(const T& word) {
        if (kAlways<T> || stage_ == Stage::kIn) told(word, fact, out);
      },
      fact.kind);
  if (gone_) return;
  if (stage_ == Stage::kWorld) load(out);
  if (stage_ == Stage::kIn) enter(out);
}

template <class T>
void FrontSession::told(const T& word, const core::Fact&, Outlet& out) {
  const std::string& name = word.GetDescriptor()->name();
  out.lose(name.c_str(), reason_of(name));  // a descriptor lives as long as the program
}

void FrontSession::tick(Outlet& out) {
  if (gone_) return;
  if (stage_ != Stage::kIn) return load(out);
  if (out.now() < paint_at_) return out.wake(paint_at_);
  paint_at_ = next_paint(out);
  ask_spawn(out);
  walk(out);
  check_leash(out);
  reach_for_tokens(out);
  fill_magazine(out);
  mind_guns(out);
  check_side(out);
  feel_mass(out);
  stop_shooting(out);
  listed_ = 0;
  recast(out);
  paint(out);
  out.wake(paint_at_);
}

/// All fronts of a room paint at the same moments: what they send goes out together.
core::Micros FrontSession::next_paint(const Outlet& out) const { return (out.now() / paint_every_ + 1) * paint_every_; }

void FrontSession::part(std::string_view why, Outlet& out) { goodbye(why, kServerGone, out); }

/// Whether the server is one of this game: what it says is then told as it is.
bool FrontSession::same_game(Outlet& out) const { return out.world().room().game() == "aos"; }

void FrontSession::send(const Message& message, Outlet& out, Lane lane) {
  bytes_.clear();
  speech_->write(message, wire::Way::kToClient, bytes_);
  out.send(lane, bytes_);
}

}  // namespace entente::aos
