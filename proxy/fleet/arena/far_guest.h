// A player whose client is on another node, in the owner's room. Its front has no client: it says the intents that the
// node passes on. Facts for everybody do not go through it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "proxy/relay/sessions/guest.h"
#include "proxy/relay/sessions/shared_room.h"
#include "schema/fleet.pb.h"

namespace entente::fleet {

/// The description of a client that nodes send each other.
bus::FromNode::Open describe(const relay::LinkInfo& client);

class FarGuest final : public relay::Guest {
 public:
  static constexpr std::size_t kMostWaiting = 128;              ///< intents, while the player waits for its turn
  static constexpr std::size_t kMostWaitingBytes = 64U << 10U;  ///< of these intents
  static constexpr std::size_t kMostNodeBytes = 8U << 20U;      ///< of all players of a node who wait
  static constexpr std::size_t kMostNodeOthers = 4U << 20U;     ///< of these, except by Enter

  using Seated = std::function<void(core::Id seat)>;

  /// `room` and `node_bytes` outlive it. `node_bytes`: what the intents of all waiting players of the node
  /// take. `seated` is called when it has its seat; `closed`, when the room has closed it.
  FarGuest(relay::SharedRoom& room, const relay::LinkInfo& client, const Limits& limits, std::size_t& node_bytes,
           Seated seated, std::function<void()> closed);
  ~FarGuest() override;
  FarGuest(const FarGuest&) = delete;
  FarGuest& operator=(const FarGuest&) = delete;

  void begin() { room_.wait_for_seat(*this); }
  /// Queues an intent of the player; if there is no space, those before it are delivered first. False: it is dropped,
  /// because too many or too large ones wait. deliver() has the room count that, and tell the player once of each kind.
  bool want(core::Intent intent);
  /// Passes the queued intents to the room, unless they are held back. Has no effect while the player has no seat.
  void deliver();
  void hold_back(bool held) { held_ = held; }
  /// Replaces the limits.
  void limit(const Limits& limits) { limits_ = limits; }
  /// The player has left. REQUIRES: not during a call of the room.
  void leave(std::string_view why);

  bool is_over() const { return over_; }
  const std::string& why() const { return why_; }
  core::Id seat_id() const override { return seat_; }

  // Guest
  bool give_seat(core::Id seat) override;
  bool send(Lane, const SharedBytes&) override { return false; }  // its front sends nothing
  void flush() override {}
  std::size_t waiting() const override { return 0; }
  void close(std::string_view why, std::uint32_t code) override;
  void failed(const Fault&) override {}
  void spoke(const core::Intent&) override {}
  void turned_away(std::string_view) override {}
  std::optional<relay::Reason> wait_to_enter() override {
    queued_ = true;
    return std::nullopt;
  }
  void player_entered(const words::Player&) override {}
  const core::Peer& peer() const override { return peer_; }
  const Limits& limits() const override { return limits_; }
  const relay::LinkInfo& client() const override { return client_; }
  bool hears() const override { return false; }
  void end_seat(relay::Reason) override {}
  void take_turn() override;

 private:
  class Front;
  struct Refused {
    friend const char* name_of(const Refused& one) { return one.name; }
    const char* name;  // of its kind
    std::size_t times;
  };

  bool has_space(const core::Intent& intent, std::size_t bytes) const;
  void note_refused(const char* name);
  void speak(core::FrontOut& out);

  relay::SharedRoom& room_;
  const relay::LinkInfo client_;
  Limits limits_;
  std::size_t& node_bytes_;
  const core::Peer peer_;
  const Seated seated_;
  const std::function<void()> closed_;
  core::Id seat_ = 0;
  bool queued_ = true;  // for the seat, or to enter
  bool over_ = false;
  bool held_ = false;  // back
  std::string why_;
  std::vector<core::Intent> wants_;
  bool enters_ = false;           // wants_ has an Enter
  std::vector<Refused> refused_;  // by want(), and not counted yet: each kind once
  bool tells_ = false;            // the next speak() is about refused_
  // Of wants_, and at most of what the room keeps until the player may enter. Both are part of node_bytes_.
  std::size_t wants_bytes_ = 0, room_bytes_ = 0;
};

}  // namespace entente::fleet
