#include "proxy/fleet/arena/edge_annex.h"

#include <utility>

#include "proxy/fleet/arena/far_guest.h"
#include "proxy/relay/sessions/shared_room.h"

namespace entente::fleet {
namespace {

class EdgeAnnex final : public relay::Annex, private net::Ticker::User, private net::Alarm::User {
 public:
  EdgeAnnex(FleetArena arena, std::shared_ptr<Mirror*> mirror, relay::SharedRoom& room, net::Loop& loop)
      : arena_(std::move(arena)),
        mirror_(std::move(mirror)),
        room_(room),
        loop_(loop),
        from_(arena_.names.from(arena_.arena, arena_.node)),
        line_(*arena_.bus, loop),
        ticker_(loop, *this, kStep),
        alarm_(loop, *this) {
    line_.subscribe(arena_.names.facts(arena_.arena), [this](const BusMessage& message) {
      heard([&](Mirror& its) { return its.hear_facts(message.bytes); });
    });
    line_.subscribe(arena_.names.to(arena_.arena, arena_.node), [this](const BusMessage& message) {
      heard([&](Mirror& its) { return its.hear_private(message.bytes); });
    });
    line_.on_state([this](bool connected) { (*mirror_)->set_line(connected); });
  }

  void told(const core::Fact&) override {}
  void announced(core::Id seat, std::string_view text) override { mirror().announced(seat, text); }
  void turn_ends() override {
    const std::uint64_t now = loop_.nanos();
    if (now >= sent_at_ + kGatherNanos) return send(false);
    if (!std::exchange(waits_, true)) alarm_.set(sent_at_ + kGatherNanos);
  }

 private:
  static constexpr Millis kStep = 100;

  Mirror& mirror() const { return **mirror_; }

  template <class Give>
  void heard(Give give) {
    if (room_.over()) return;
    const bool stepped = !mirror().lacks_world();
    const std::uint64_t epoch = mirror().epoch(), snapshots = mirror().snapshots();
    bool used = false;
    room_.order([&](core::Back&) { used = give(mirror()); });
    if (used)
      heard_at_ = loop_.now();
    else
      ++arena_.counts->refused;
    if (stepped && mirror().lacks_world()) ++arena_.counts->gaps;
    arena_.counts->snapshots += mirror().snapshots() - snapshots;  // if this node owns the arena, its room counts, too
    // Requests the world at once after the first missed message, and from each later owner. The first owner needs no
    // extra request: those sent before it was known were for any owner.
    const bool is_next = epoch != 0 && mirror().epoch() != epoch;
    if (mirror().lacks_world() && (is_next || loop_.now() >= asked_at_ + kNodeBeat)) send(true);
  }

  void tick(Millis now) override {
    if (room_.over()) return;
    if (heard_at_ != 0 && now >= heard_at_ + kOwnerLost) {
      heard_at_ = 0;
      room_.order([this](core::Back&) { mirror().lose_owner(); });
    }
    look_for_owner(now);
    if (mirror().has_lost()) room_.order([](core::Back&) {});
    if (now < asked_at_ + kNodeBeat) return;
    mirror().close_missing([this](core::Id seat) { return room_.is_seated(seat); });
    send(true);
  }

  void look_for_owner(Millis now) {
    const bool owned = heard_at_ != 0 || !mirror().lacks_world();
    if (owned) owned_at_ = now;
    if (owned == !ownerless_ || (!owned && now < owned_at_ + kOwnerless)) return;
    ownerless_ = !owned;
    if (arena_.told) arena_.told(owned);
    if (owned) return;  // the mirror tells the players itself
    room_.order([this](core::Back&) {
      mirror().tell_away(text(&relay::Texts::server_away, "the arena is away; waiting for it"),
                         text(&relay::Texts::server_back, "back in the arena"));
    });
  }

  std::string text(std::string relay::Texts::*which, const char* otherwise) const {
    return arena_.texts != nullptr ? arena_.texts->text(which, otherwise) : otherwise;
  }

  void rang() override {
    waits_ = false;
    send(false);
  }

  void send(bool always) {
    if (always) asked_at_ = loop_.now();
    sent_at_ = loop_.nanos();
    for (const std::string& message : mirror().take(always))
      if (!line_.publish(from_, as_bytes(message))) mirror().unsent(message);
  }

  const FleetArena arena_;
  const std::shared_ptr<Mirror*> mirror_;
  relay::SharedRoom& room_;
  net::Loop& loop_;
  const std::string from_;
  BusLine line_;
  net::Ticker ticker_;
  net::Alarm alarm_;
  Millis heard_at_ = 0, asked_at_ = 0, owned_at_ = loop_.now();
  bool ownerless_ = false;  // arena_.told was called with false last
  std::uint64_t sent_at_ = 0;
  bool waits_ = false;
};

}  // namespace

void lead_to_owner(const FleetArena& arena, relay::SharedRoomOptions& room) {
  // The annex is made before the back, and ends before it.
  struct Both {
    std::shared_ptr<Mirror*> mirror = std::make_shared<Mirror*>(nullptr);
    relay::SharedRoom* room = nullptr;
  };
  const auto both = std::make_shared<Both>();
  room.annex = [arena, both](relay::SharedRoom& its, net::Loop& loop) -> std::unique_ptr<relay::Annex> {
    both->room = &its;
    return std::make_unique<EdgeAnnex>(arena, both->mirror, its, loop);
  };
  room.back = [run = arena.run, both] {
    auto mirror = std::make_unique<Mirror>(run, [both](core::Id seat) {
      const relay::LinkInfo* client = both->room->client_of(seat);
      return client != nullptr ? describe(*client) : bus::FromNode::Open();
    });
    *both->mirror = mirror.get();
    return mirror;
  };
}

}  // namespace entente::fleet
