#include "proxy/fleet/arena/owner_annex.h"

#include <utility>

#include "proxy/relay/sessions/shared_room.h"

namespace entente::fleet {
namespace {

class OwnerAnnex final : public relay::Annex {
 public:
  OwnerAnnex(const FleetArena& arena, std::uint64_t epoch, OwnedUntil until, RefereeSlot referee,
             const SavedSeats& seats, HandOver hand_over, relay::SharedRoom& room, net::Loop& loop)
      : line_(*arena.bus, loop),
        stored_at_(arena.names.saved_arena(arena.arena)),
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
              line_.store(stored_at_, saved, "",
                          [this](const Outcome<std::uint64_t>& stored) { side_->stored(stored.ok()); });
            },
            std::move(hand_over)};
  }

  BusLine line_;
  const std::string stored_at_;
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
