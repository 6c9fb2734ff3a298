#include "proxy/core/tank/tank_flags.h"

namespace entente::core {
namespace {

constexpr std::size_t kMostFlags = 2'000;

}  // namespace

words::Token TankFlags::keep(words::Token token, std::uint8_t carrier) {
  if (token.state() == words::Token::CARRIED) token.set_carrier(players_.id_of(carrier));
  if (tokens_.size() < kMostFlags || tokens_.contains(token.id())) tokens_[token.id()] = token;
  return token;
}

std::string TankFlags::carried_by(Id player) const {
  for (const auto& [id, token] : tokens_)
    if (token.state() == words::Token::CARRIED && token.carrier() == player) return token.code();
  return {};
}

words::Team TankFlags::team_of(Id token) const {
  const auto at = tokens_.find(token);
  return at != tokens_.end() ? at->second.team() : words::TEAM_ANY;
}

bool TankFlags::is_unasked(const words::Token& token, Id wished) const {
  return state_.wish && !state_.client_decides() && token.id() != wished;
}

}  // namespace entente::core
