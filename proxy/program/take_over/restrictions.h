// The bans, and the networks that operators allow or deny, that a process hands over to the one that takes over from
// it. The new process asks for them on a connection of its own, between `given` and `taken` (take_over.h): until then,
// the old one may learn more of them. An older program does not know the question.
// Invariant: an answer fits into kLongestLocalAnswer. What has no room is counted: servers' bans first.
#pragma once

#include <string>
#include <vector>

#include "proxy/base/fault.h"
#include "proxy/relay/admission/bans.h"
#include "proxy/relay/admission/listed_networks.h"
#include "schema/fleet.pb.h"

namespace entente {

constexpr const char* kAskForRestrictions = "restrictions for a take-over";

struct Restrictions {
  std::vector<relay::Ban> bans;
  std::vector<relay::ListedNetwork> listed;
  std::vector<bus::SharedBan> shared;  ///< changes that the fleet's bucket may lack
  /// The ban file that may lack changes, because it could not be written; "": none. Then `bans` and `listed` have all
  /// of the operators.
  std::string stale_file = {};
};

struct RestrictionsAnswer {
  std::string bytes;
  std::size_t left_out = 0;
};

/// `most`: bytes of the answer.
RestrictionsAnswer answer_with(const Restrictions& known, std::size_t most);
/// Of an answer. An error if it is none.
Outcome<Restrictions> restrictions_of(const std::string& answer);

}  // namespace entente
