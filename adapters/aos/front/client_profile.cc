#include "adapters/aos/front/client_profile.h"

namespace entente::aos {

void ClientProfile::hear(const VersionResponse& version, core::FrontOut&) {
  const char letter = static_cast<char>(version.letter);
  const std::string program = letter == 'o' ? "OpenSpades" : letter == 'B' ? "BetterSpades" : std::string(1, letter);
  version_ = text_of(program) + ' ' + std::to_string(version.version[0]) + '.' + std::to_string(version.version[1]) +
             '.' + std::to_string(version.version[2]) + " (" + text_of(version.system.view()) + ')';
}

void ClientProfile::enter(const ExistingPlayer& player, const Sides& sides) {
  entered_ = true;
  wish_.set_name(text_of(player.name.view()));
  if (wish_.name().empty()) wish_.set_name("player");
  wish_.set_team(sides.team_of(player.team));
  wish_.set_role(is_side(player.team) ? words::PLAY : words::WATCH);
  wish_.set_kit(kit_of(std::min<std::uint8_t>(player.weapon, 2)));
  wish_.set_version(version_);
  wish_.set_body(words::Unit::MAN);
  colour_ = colour_of(player.colour);
}

void ClientProfile::leave() {
  entered_ = false;
  colour_ = 0;
}

}  // namespace entente::aos
