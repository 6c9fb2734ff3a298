#include "proxy/core/tank/tank_flags.h"

namespace entente::core {
namespace {

constexpr std::size_t kMostFlags = 2'000;

}  // namespace

words::Token TankFlags::keep(words::Token token, std::uint8_t carrier) {
  if (token.state() == words::Token::CARRIED) token.set_carrier(players_.id_of(carrier));
  if (flags_.size() < kMostFlags || flags_.contains(token.id())) flags_[token.id()] = {token, carrier};
  return token;
}

void TankFlags::tell_carried(std::uint8_t carrier, BackOut& out) {
  const Id player = players_.id_of(carrier);
  for (auto& [id, flag] : flags_) {
    const bool carried = flag.token.state() == words::Token::CARRIED && flag.carrier == carrier;
    if (!carried || flag.token.carrier() == player) continue;
    flag.token.set_carrier(player);
    out.say(flag.token);
  }
}

std::string TankFlags::carried_by(Id player) const {
  for (const auto& [id, flag] : flags_)
    if (flag.token.state() == words::Token::CARRIED && flag.token.carrier() == player) return flag.token.code();
  return {};
}

words::Team TankFlags::team_of(Id token) const {
  const auto at = flags_.find(token);
  return at != flags_.end() ? at->second.token.team() : words::TEAM_ANY;
}

bool TankFlags::is_unasked(const words::Token& token, Id wished) const {
  return state_.wish && !state_.client_decides() && token.id() != wished;
}

}  // namespace entente::core
