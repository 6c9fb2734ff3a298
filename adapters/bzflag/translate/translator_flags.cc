// Flags of other dialects: letters that changed their meaning, numbers, and flags that a dialect does not have.
// Invariant: a flag that a dialect does not have is sent as one that does nothing to its carrier. See
// dialect_translator.h.
#include "adapters/bzflag/translate/dialect_translator.h"
#include "adapters/bzflag/wire/flag_effects.h"

namespace entente::bzflag {
namespace {

constexpr std::string_view kQuickTurn = "QT", kAgility = "A";
/// Flags that exist from 2.0 on.
constexpr std::string_view kLateFlags[] = {"A", "BY", "FO", "NJ", "RC", "RO", "TR", "WG"};
constexpr std::string_view kUseless = "US", kIdentify = "ID";

/// By their numbers on the page, which are those of 1.7 (global.h:169 at v1.7g2).
constexpr std::string_view kNumberedFlags[] = {"",   "R*", "G*", "B*", "P*", "V",  "QT", "OO", "F",  "MG", "GM", "L",
                                               "R",  "SB", "IB", "ST", "T",  "N",  "SH", "SR", "SW", "PZ", "G",  "JP",
                                               "ID", "CL", "CB", "O",  "LT", "RT", "M",  "B",  "JM", "WA"};

bool any(std::span<const std::string_view> flags, std::string_view code) {
  return std::find(flags.begin(), flags.end(), code) != flags.end();
}

/// The number of a flag. A flag without a number gets that of Identify, which only informs.
std::uint16_t number_of(std::string_view code) {
  const auto at =
      std::find(std::begin(kNumberedFlags), std::end(kNumberedFlags), any(kNumberedFlags, code) ? code : kIdentify);
  return static_cast<std::uint16_t>(at - std::begin(kNumberedFlags));
}

}  // namespace

void DialectTranslator::to_peer(FlagKind& flag) const {
  const auto code = flag.letters.view();
  if (dialect_.flag_numbers)
    flag.number = number_of(code);
  else if (effect_of(code).code != code || (!dialect_.late_flags && any(kLateFlags, code)))
    flag.letters.set(kUseless);
  else if (!dialect_.late_flags && code == kQuickTurn)
    flag.letters.set(kAgility);
}

/// Letters are copied up to the NUL: old memory follows it in an empty flag.
void DialectTranslator::from_peer(FlagKind& flag) const {
  if (dialect_.flag_numbers)
    flag.letters.set(flag.number < std::size(kNumberedFlags) ? kNumberedFlags[flag.number] : "");
  else if (!dialect_.late_flags && flag.letters.view() == kAgility)
    flag.letters.set(kQuickTurn);
  else
    flag.letters.set(std::string(flag.letters.view()));
}

std::string DialectTranslator::echo(std::string_view flag) const {
  if (plain_) return std::string(flag);
  FlagKind kind = flag_kind(flag);
  to_peer(kind);
  from_peer(kind);
  return code_of(kind);
}

// -- Flags of shots, for dialects whose deaths do not name them ------------------------------------------------------

void DialectTranslator::remember(const ShotBegin& begin) {
  if (dialect_.death_flag) return;
  shots_[next_shot_] = {begin.player.byte, begin.shot, begin.flag};
  next_shot_ = (next_shot_ + 1) % shots_.size();
}

FlagKind DialectTranslator::flag_of_shot(std::uint8_t player, std::uint16_t shot) const {
  for (std::size_t i = 0; i < shots_.size(); ++i) {  // newest first, because numbers are reused
    const KnownShot& one = shots_[(next_shot_ + shots_.size() - 1 - i) % shots_.size()];
    if (one.player == player && one.shot == shot) return one.flag;
  }
  return {};
}

}  // namespace entente::bzflag
