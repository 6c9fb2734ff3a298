// The life of a front: what comes in is handed to its subject. See front.h.
#include "adapters/bzflag/front/front.h"

#include <charconv>

namespace entente::bzflag {
namespace {

constexpr core::Micros kHeaderDeadline = 2'500 * core::kMillisecond;  // bzfs.cxx:6165 at v2.4.26
/// Who may leave the header out waits for the greeting without it.
constexpr core::Micros kHeaderHope = 500 * core::kMillisecond;

/// The number of our client. By it a link request is known that comes from another port than the client's stream: two
/// clients of one address are told apart by what their ports are.
std::uint8_t number_for(std::string_view address) {
  unsigned port = 0;
  const std::string_view digits = address.substr(address.rfind(':') + 1);
  std::from_chars(digits.data(), digits.data() + digits.size(), port);
  return static_cast<std::uint8_t>(port % kMostPlayers);
}

}  // namespace

FrontSession::FrontSession(const core::FaceOptions& options)
    : dialect_(options.dialect), peer_(options.dialect, wire::Way::kToServer), speaks_(peer_.dialect()) {}

/// How long a header is waited for.
core::Micros FrontSession::header_patience() const {
  return speaks_.header == Header::kRequired ? kHeaderDeadline : kHeaderHope;
}

void FrontSession::opened(const core::Peer& peer, Outlet& out) {
  number_ = number_for(peer.address);
  opened_ = out.now();
  if (speaks_.header == Header::kNever) return greet(out);
  out.wake(opened_ + header_patience());
}

void FrontSession::receive(Lane lane, Bytes bytes, Outlet& out) {
  const auto take = [&](const Message& message, Lane) {
    if (stage_ == Stage::kHeader && !std::holds_alternative<ClientHeader>(message)) greet(out);  // it left it out
    std::visit([&](const auto& m) { on(m, out); }, message);
    return !gone_;
  };
  const auto unknown = [&] { out.lose("unknown message", "a code of no BZFlag we know"); };
  if (gone_) return;
  if (const auto fault = peer_.feed(lane, bytes, out.now(), take, unknown); fault && !gone_) {
    if (stage_ != Stage::kHeader) peer_.stream(out, SuperKill{});
    gone_ = true;
    out.fail(*fault);
  }
}

void FrontSession::hear(const core::Fact& fact, Outlet& out) {
  if (gone_) return;
  const bool always = core::as<words::Refused>(fact) != nullptr || core::as<words::Kicked>(fact) != nullptr ||
                      core::as<words::Ready>(fact) != nullptr || core::as<words::Waiting>(fact) != nullptr;
  retold_.hear(fact);
  if (stage_ == Stage::kIn || always) std::visit([&](const auto& word) { told(word, fact, out); }, fact.kind);
  if (stage_ != Stage::kIn) answer(out);
}

void FrontSession::tick(Outlet& out) {
  if (gone_) return;
  if (stage_ == Stage::kHeader) {
    if (out.now() < opened_ + header_patience()) return out.wake(opened_ + header_patience());
    if (speaks_.header == Header::kOptional) return greet(out);
    TooLate late;
    late.version.set(speaks_.version.substr(kMagicWord.size()));
    peer_.stream(out, late);
    gone_ = true;
    return out.close("the client sent no header");
  }
  answer(out);
  let_in(out);
  if (stage_ != Stage::kIn) return;
  send_scores(out);
  update_late(out);
  spare_own_tank(out);
  check_death(out);
  check_spawn(out);
  check_leash(out);
  look_about(out);
  ping(out);
}

void FrontSession::part(std::string_view why, Outlet& out) { goodbye(why, out); }

float FrontSession::clock(Outlet& out) const {
  return static_cast<float>(static_cast<double>(out.now() - opened_) / core::kSecond);
}

}  // namespace entente::bzflag
