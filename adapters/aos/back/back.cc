// The life of a back: what comes in is handed to its subject. See back.h.
#include "adapters/aos/back/back.h"

#include "adapters/aos/aos.h"
#include "adapters/aos/faces.h"
#include "adapters/aos/losses.h"
#include "proxy/core/untold.h"

namespace entente::aos {

using core::as;

namespace {

// Packets of a server that make no sense are left out; one that says nothing else is no server of this game.
constexpr int kMostMalformed = 50;

/// The packets that paint: World Update, and what takes its place in 0.80.
bool paints(const wire::Frame& frame, bool state_updates) {
  constexpr std::uint8_t kStateUpdate = 0, kWorldUpdate = 2;
  return !frame.bytes.empty() && (frame.bytes[0] == kWorldUpdate || (state_updates && frame.bytes[0] == kStateUpdate));
}

}  // namespace

BackSession::BackSession(const core::FaceOptions& options)
    : dialect_(options.dialect),
      auto_aim_(options.setting("aim") == "auto"),
      speech_(make_speech(options.dialect)),
      paints_(make_speech(options.dialect)),
      reader_(game(), options.dialect, wire::Way::kToClient) {}

void BackSession::opened(const core::Peer&, Outlet&) {}  // the server speaks first

void BackSession::receive(Lane lane, Bytes bytes, Outlet& out) {
  const auto fault = reader_.feed(lane, bytes, [&](const wire::Frame& frame) { return take(frame, out); });
  if (fault && !goodbye_) {
    goodbye_ = true;
    out.fail(*fault);
  }
}

bool BackSession::take(const wire::Frame& frame, Outlet& out) {
  const auto heard = (paints(frame, kDialects[dialect_].state_updates) ? paints_ : speech_)->read(frame);
  if (heard) {
    std::visit([&](const auto& message) { on(message, out); }, *heard->message);
  } else if (wire::unknown_code(heard.error())) {
    out.lose(loss::kUnknownDown);
  } else {
    out.lose(loss::kMalformed);
    if (++malformed_ > kMostMalformed) {
      goodbye_ = true;
      out.fail(heard.error());
    }
  }
  return !goodbye_;
}

void BackSession::hear(const core::Intent& intent, Outlet& out) {
  if (goodbye_) return;
  if (as<words::Leave>(intent) != nullptr) return part("the player left", out);
  if (intent.by != out.me()) return out.lose(loss::kNobody, intent);
  // Grenades, reloading and building are not shots, whatever word another game has for them.
  if (const auto* fire = as<words::Fire>(intent); fire != nullptr && fire->kind() == words::GRENADE)
    return throw_grenade(*fire, out);
  if (as<words::Eject>(intent) != nullptr) return reload(out);
  if (const auto* trigger = as<words::Trigger>(intent); trigger != nullptr && plays_itself())
    return hear_trigger(*trigger, out);
  if (const auto shooting = steering_.shooting(intent)) return wish_shot(*shooting, out);
  std::visit(core::Overloaded{
                 [&](const words::WantWorld&) {},  // it comes unasked
                 [&](const words::Enter& enter_wish) {
                   wish_ = enter_wish;
                   if (enter_wish.role() == words::WATCH) wants_spawn_ = true;
                   introduce(out);
                   enter(out);
                 },
                 [&](const words::Spawn&) {
                   wants_spawn_ = true;
                   enter(out);
                 },
                 [&](const words::Keys& keys) { hear_keys(keys, out); },
                 [&](const words::PoseClaim& claim) {
                   steering_.hear(intent);
                   hear_claim(claim, out);
                 },
                 [&](const words::Trigger&) {},  // let go
                 [&](const words::Reload&) { reload(out); },
                 [&](const words::Tool& tool) { hear_tool(tool.number(), out); },
                 [&](const words::HitClaim& claim) { hear_hit(claim, out); },
                 [&](const words::Edit& edit) { hear_edit(edit, out); },
                 [&](const words::Change& change) { hear_change(change, out); },
                 [&](const words::Say& say) { speak(say, out); },
                 [&](const auto&) {
                   if (!steering_.hear(intent)) return core::lose_untold<mapping>(intent, out);
                   own_.by_keys = false;
                 },
             },
             intent.kind);
  keep_alive(out);
}

void BackSession::tick(Outlet& out) {
  if (goodbye_) return;
  drive(out);
  tell_shots(out);
  speak_on(out);
  keep_alive(out);
}

/// The next tick: each step while our man is out there, soon while somebody shoots or a line waits.
void BackSession::keep_alive(Outlet& out) {
  constexpr core::Micros kSoon = 50 * core::kMillisecond;
  if (own_.alive) out.wake(own_.since + (own_.steps + 1) * core::kSecond / kStepsPerSecond);
  if (!lines_.empty()) out.wake(out.now() + kSoon);
}

void BackSession::closed(std::string_view why, Outlet& out) {
  if (goodbye_) return;
  goodbye_ = true;
  own_.alive = false;
  if (stage_ < Stage::kAtTheDoor) refuse(words::Refused::SERVER_GONE, why, out);
}

/// By ENet's disconnect: its data is a Reason.
void BackSession::dismissed(std::uint32_t code, std::string_view why, Outlet& out) {
  if (goodbye_) return;
  goodbye_ = true;
  own_.alive = false;
  const std::string text = why_dismissed(code, why, out);
  if (stage_ != Stage::kIn) return refuse(refusal_of(code), text, out);
  if (code == kServerGone) return;  // the room says why it ends
  words::Kicked kicked;
  kicked.set_text(text);
  out.say(std::move(kicked));
}

/// Servers say it by chat right before they kick.
std::string BackSession::why_dismissed(std::uint32_t code, std::string_view why, Outlet& out) const {
  switch (code) {
    case kBanned:
      return last_words_.why(out.now(), "banned");
    case kTooMany:
      return "too many players from this address";
    case kWrongVersion:
      return "the server speaks another version";
    case kFull:
      return "the server is full";
    case kServerGone:
      return "the server shuts down";
    case kKicked:
    case kCustom:
      return last_words_.why(out.now(), "kicked");
    case kBadName:
      return "the server does not take this name";
    default:
      return std::string(why);
  }
}

void BackSession::part(std::string_view why, Outlet& out) {
  goodbye_ = true;
  own_.alive = false;
  out.close(why);
}

core::Id BackSession::id_of(std::uint8_t number) const {
  const auto at = people_.find(number);
  return at != people_.end() ? at->second.player.id() : 0;
}

BackSession::Someone* BackSession::find(std::uint8_t number) {
  const auto at = people_.find(number);
  return at != people_.end() ? &at->second : nullptr;
}

std::unique_ptr<core::Back> make_back(const core::FaceOptions& options) {
  return std::make_unique<BackSession>(options);
}

}  // namespace entente::aos
