#include "proxy/fleet/arena/owner_annex.h"

#include <utility>

#include "proxy/relay/sessions/shared_room.h"

namespace entente::fleet {
namespace {

class OwnerAnnex final : public relay::Annex {
 public:
  OwnerAnnex(const FleetArena& arena, std::uint64_t epoch, OwnedUntil until, RefereeSlot referee,
             const SavedSeats& seats, HandOver hand_over, relay::SharedRoom& room, net::Loop& loop)
      : arena_(arena),
        line_(*arena.bus, loop),
        side_(make_owner_side(arena, epoch, std::move(until), std::move(referee), seats, post(std::move(hand_over)),
                              room, loop)) {
    line_.subscribe(arena.names.from(arena.arena, "*"), [this](const BusMessage& message) {
      side_->read(message.subject.substr(message.subject.rfind('.') + 1), message.bytes);
    });
  }

  void told(const core::Fact& fact) override { side_->told(fact); }
  void turn_ends() override { side_->turn_ends(); }
  void room_ends(relay::Reason reason) override { side_->room_ends(reason); }

 private:
  OwnerPost post(HandOver hand_over) {
    return {[this](const std::string& subject, Bytes bytes) { line_.publish(subject, bytes); },
            [this](Bytes saved) {
              line_.store(arena_.names.saved_arena(arena_.arena), saved, "",
                          [this](const Outcome<std::uint64_t>& outcome) { stored(outcome); });
            },
            std::move(hand_over)};
  }

  void stored(const Outcome<std::uint64_t>& outcome) {
    if (outcome || !line_.connected()) {
      if (outcome && std::exchange(fails_, false) && arena_.stores) arena_.stores("");
      return side_->stored(outcome.ok());
    }
    if (!std::exchange(fails_, true) && arena_.stores) arena_.stores(outcome.error().text);
    // Perhaps NATS has lost the stream.
    line_.open_stream(saved_arenas(arena_.names, arena_.replicas),
                      [this](const Outcome<std::uint64_t>&) { side_->stored(false); });
  }

  const FleetArena arena_;
  BusLine line_;
  bool fails_ = false;
  const std::unique_ptr<OwnerSide> side_;
};

}  // namespace

void own(const FleetArena& arena, std::uint64_t epoch, OwnedUntil until, core::Arena place,
         std::optional<ReadArena> before, HandOver hand_over, relay::SharedRoomOptions& room) {
  SavedSeats seats;
  if (before) {
    place.in_play = std::move(before->in_play);
    place.starts = std::move(before->starts);
    seats = std::move(before->seats);
  }
  // The annex is made before the back, and ends before it.
  const auto referee = std::make_shared<core::Referee*>(nullptr);
  room.annex = [arena, epoch, until = std::move(until), referee, seats = std::move(seats),
                hand_over = std::move(hand_over)](relay::SharedRoom& its,
                                                  net::Loop& loop) -> std::unique_ptr<relay::Annex> {
    return std::make_unique<OwnerAnnex>(arena, epoch, until, referee, seats, hand_over, its, loop);
  };
  room.back = [place = std::move(place), referee] {
    auto back = std::make_unique<core::Referee>(place);
    *referee = back.get();
    return back;
  };
}

}  // namespace entente::fleet
