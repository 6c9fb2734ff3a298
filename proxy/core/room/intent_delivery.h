// The intents of a room on their way from its fronts to its back. A part of Room.
// Invariant: the back hears each player's intents once, in the order in which they were said, from an Enter that the
// host admits. An intent that it does not hear is counted, or answered by the room; only an Enter that is taken back by
// a Leave before the host has admitted it is not. In a shared room, what a player says together with its Enter waits
// until the facts that answer the Enter are in the world, so that the host knows the player (Host::passes). What was
// collected does not wait, nor does a Leave that comes right after the Enter.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "proxy/core/chat.h"
#include "proxy/core/word.h"

namespace entente::core {

class Room;
class Seat;

class IntentDelivery {
 public:
  IntentDelivery(Room& room, const ChatRules& rules) : room_(room), chat_(rules) {}

  /// A front says the intent now.
  void queue(Intent&& intent);
  /// Intents that the host has collected. REQUIRES: none wait.
  void queue_collected(std::vector<Intent> intents);
  /// The host admits this seat: its intents wait no longer.
  void admit(Seat& seat);
  std::size_t waiting() const { return waiting_.size() + held_.size(); }
  void clear() {
    waiting_.clear();
    held_.clear();
    collected_ = 0;
  }
  /// Delivers all that wait, but not what is said meanwhile.
  void deliver();
  /// The player leaves before the host has admitted it: counts what waits for that, apart from its Enter, and forgets
  /// it.
  void drop_unadmitted(Seat& seat);
  /// Counts what `member` did not pass on. A player who waits for what becomes of it is told, once of each line and
  /// word.
  void count_drop(Id member, const MappingLine& line, const char* word, std::uint64_t times = 1);
  /// The room does not ask its host to dial.
  void need_no_dial() { dialled_ = true; }
  /// The player has left.
  void forget(Id player) { chat_.forget(player); }

 private:
  void deliver(Intent& intent);
  void hold_or_deliver(Intent& intent, Seat& seat);
  void deliver_to_back(Intent& intent, Seat& seat);
  bool awaits_entry(Intent& intent, Seat& seat);
  bool is_of_rule(Intent& intent);
  void resume(const Intent& intent);
  void dial_once();
  void learn_known_world();
  void make_way(const Intent& enter);
  void notify(const Seat& seat, std::string text, std::uint32_t cause);
  void refuse_number(const Intent& intent, Seat& seat, const std::string& field);
  void refuse(const Intent& intent, Seat& seat, const MappingLine& line, std::string why);

  Room& room_;
  Chat chat_;
  bool dialled_ = false;
  const Intent* heard_ = nullptr;  // the one that the back hears now
  std::vector<Intent> waiting_, delivering_;
  std::vector<Intent> held_;   // said after their player's Enter in its round; delivered in later rounds
  std::uint64_t round_ = 0;    // number of calls of deliver()
  std::size_t collected_ = 0;  // so many of those that are delivered next were collected by the host
};

}  // namespace entente::core
