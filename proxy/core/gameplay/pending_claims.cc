#include "proxy/core/gameplay/pending_claims.h"

#include <utility>

#include "proxy/core/drops.h"

namespace entente::core {
namespace {

/// Null: the player is not told.
const char* claim_text(Claim claim) {
  switch (claim) {
    case Claim::kEnter:
      return "the server has not answered the request to play";
    case Claim::kSpawn:
      return "the server has not put you into play; it is asked again";
    case Claim::kDeath:
      return "the server has not confirmed your death; you count as dead";
    case Claim::kFire:
      return "the server ignores your shots";
    case Claim::kGrab:
      return nullptr;
    case Claim::kFlag:
      return "the server has not changed who carries the flag";
    case Claim::kPause:
      return "the server has not answered the request to pause or to go on";
    case Claim::kAutopilot:
      return "the server has not answered about the autopilot";
    case Claim::kChange:
      return "the server has not changed your name, team or weapon";
    case Claim::kEdit:
      return "the server has not changed the block";
    case Claim::kReload:
      return "the server has not answered that you reload";
    case Claim::kSplit:
      return "the server has not split your cell or ejected mass";
  }
  return nullptr;
}

void count_claim(Claim claim, BackOut& out) {
  switch (claim) {
    case Claim::kEnter:
      return out.drop(drops::kUnanswered, words::Enter());
    case Claim::kSpawn:
      return out.drop(drops::kUnanswered, words::Spawn());
    case Claim::kDeath:
      return out.drop(drops::kUnanswered, words::DeathClaim());
    case Claim::kFire:
      return out.drop(drops::kUnanswered, words::Fire());
    case Claim::kGrab:
    case Claim::kFlag:
      return out.drop(drops::kUnanswered, words::TokenWish());
    case Claim::kPause:
      return out.drop(drops::kUnanswered, words::Pause());
    case Claim::kAutopilot:
      return out.drop(drops::kUnanswered, words::Autopilot());
    case Claim::kChange:
      return out.drop(drops::kUnanswered, words::Change());
    case Claim::kEdit:
      return out.drop(drops::kUnanswered, words::Edit());
    case Claim::kReload:
      return out.drop(drops::kUnanswered, words::Reload());
    case Claim::kSplit:
      return out.drop(drops::kUnanswered, words::Split());
  }
}

}  // namespace

void PendingClaims::begin(Claim claim, Micros patience, BackOut& out) {
  Pending& one = at(claim);
  if (one.until == 0) one.until = out.now() + patience;
  out.wake(one.until);
}

void PendingClaims::end_life() {
  for (const Claim claim :
       {Claim::kFire, Claim::kGrab, Claim::kFlag, Claim::kPause, Claim::kEdit, Claim::kReload, Claim::kSplit})
    at(claim).until = 0;
  answered(Claim::kDeath);
}

void PendingClaims::tell_unanswered(Claim claim, BackOut& out) {
  count_claim(claim, out);
  const char* text = claim_text(claim);
  if (text == nullptr || std::exchange(at(claim).told, true) || out.me() == 0) return;
  words::Notice notice;
  notice.set_level(words::Notice::WARNING);
  notice.set_text(text);
  out.say({out.me(), std::move(notice)});
}

}  // namespace entente::core
