// A stage for one room member: the test calls the member through it, and gets what the member does as lines of text.
//   sends MsgAccept id=1            to its peer, decoded by its game's codec (every frame must decode and be exact)
//   says Enter name: "anna"         to its room
//   loses MsgTeleport: one world    closes: why [code]            fails: what field offset
#pragma once

#include <doctest/doctest.h>

#include <memory>
#include <random>
#include <string>

#include "adapters/wire/frame_reader.h"
#include "proxy/core/room_member.h"
#include "proxy/core/world.h"
#include "tests/support/printed_frame.h"

namespace entente::testing {

/// `Heard`, `Said` as in core::RoomMember.
template <class Heard, class Said>
class Stage final : public core::Out<Said> {
 public:
  using Member = core::RoomMember<Heard, Said>;

  /// `speaks`: the direction of the frames that the member sends.
  Stage(std::unique_ptr<Member> member, const wire::Game& game, std::size_t dialect, wire::Way speaks)
      : member_(std::move(member)),
        speaks_(speaks),
        codec_(game.codec(dialect)),
        cutter_(game.cutter(speaks, dialect)),
        datagrams_(game.datagram_cutter(speaks, dialect)),
        reader_(game, dialect, wire::opposite(speaks)) {}

  // -- Calls of the member; each returns what it did ------------------------------------------------------------------
  std::string opens(const core::Peer& peer = {}) { return member_->opened(peer, *this), take(); }
  std::string receives(Bytes bytes, Lane lane = Lane::kStream) {
    feed(lane, bytes);
    return take();
  }
  /// The same byte by byte.
  std::string receives_slowly(Bytes bytes) {
    for (std::size_t i = 0; i < bytes.size(); ++i) feed(Lane::kStream, bytes.subspan(i, 1));
    return take();
  }
  std::string hears(Heard word) {
    word.at = now_;
    if constexpr (std::is_same_v<Heard, core::Fact>) {
      world_.fold(word);  // as a room does
    } else if (word.by == 0) {
      word.by = me_;
    }
    member_->hear(word, *this);
    return take();
  }
  /// Advances the time, and ticks the member whenever it has asked for that.
  std::string waits(core::Micros how_long) {
    const core::Micros until = now_ + how_long;
    while (wake_at_ <= until) {
      now_ = std::max(now_, std::exchange(wake_at_, kNever));
      member_->tick(*this);
    }
    now_ = until;
    return take();
  }
  /// Time passes, but the member is not called.
  void ages(core::Micros how_long) { now_ += how_long; }
  auto try_reserve_seat() { return member_->try_reserve_seat(*this); }
  std::string returns(const core::Peer& peer = {}) { return member_->returned(peer, *this), take(); }
  std::string ends(std::string_view why) { return member_->closed(why, *this), take(); }
  std::string closed_with_code(std::uint32_t code, std::string_view why = {}) {
    return member_->closed_with_code(code, why, *this), take();
  }
  std::string session_ends(std::string_view why) { return member_->session_ends(why, *this), take(); }

  /// Changes the world without telling the member.
  void knows(core::Fact fact) {
    fact.at = now_;
    world_.fold(fact);
  }

  // -- core::Out ------------------------------------------------------------------------------------------------------
  void send(Lane lane, Bytes frame) override {
    CHECK_FALSE(closed_);
    while (!frame.empty()) {
      wire::Cutter& cutter = lane == Lane::kDatagram && datagrams_ ? *datagrams_ : *cutter_;
      const wire::Cut cut = cutter.next(frame);
      REQUIRE_FALSE(cut.fault);
      const std::size_t size = cut.size != 0 ? cut.size : frame.size();  // a message of its own
      line((lane == Lane::kDatagram ? "sends by datagram " : "sends ") +
           printed_frame(*codec_, {speaks_, lane, cut.stage, frame.first(size)}));
      frame = frame.subspan(size);
    }
  }
  std::size_t waiting_bytes() const override { return waiting_; }
  void close(std::string_view why, std::uint32_t code) override {
    closed_ = true;
    line("closes: " + std::string(why) + (code != 0 ? " " + std::to_string(code) : ""));
  }
  void fail(const Fault& fault) override {
    closed_ = true;
    line(std::string("fails: ") + fault.what + " " + fault.field + " " + std::to_string(fault.offset));
  }
  void say(Said word) override {
    word.at = now_;
    std::string what = std::string("says ") + core::name_of(word);
    std::visit([&](const auto& kind) { what += " " + kind.ShortDebugString(); }, word.content);
    while (what.back() == ' ') what.pop_back();
    if constexpr (std::is_same_v<Said, core::Fact>) {
      world_.fold(word);
      if (word.audience == words::PLAYER) what += " (to " + std::to_string(word.to) + ")";
      if (word.cause != 0) what += " (answers intent " + std::to_string(word.cause) + ")";
    }
    line(what);
  }
  bool report_server_stopping(std::string_view why) override {
    if (holds_) line("waits for the server: " + std::string(why));
    return holds_;
  }
  bool report_server_full(std::string_view why) override {
    if (holds_) line("waits for a seat: " + std::string(why));
    return holds_;
  }
  void wake(core::Micros at) override { wake_at_ = std::min(wake_at_, at); }
  void count_drop(const MappingLine& lost, const char* word) override {
    line("loses " + subject(lost, word) + ": " + lost.reason);
  }
  core::Micros now() const override { return now_; }
  std::uint32_t random() override { return static_cast<std::uint32_t>(random_()); }
  core::Id new_id() override { return ++last_id_; }
  core::Id me() const override { return me_; }
  const core::WorldState& world() const override { return world_; }

  void set_waiting(std::size_t bytes) { waiting_ = bytes; }
  /// The room lets players wait for seats.
  void hold() { holds_ = true; }
  bool closed() const { return closed_; }

 private:
  /// As the end of its link does. Bytes that cannot be cut never reach the member; on the stream, they end its session.
  void feed(Lane lane, Bytes bytes) {
    const auto fault = reader_.feed(lane, bytes, [&](const Frames& frames) { member_->receive(frames, *this); });
    if (fault && lane == Lane::kStream) line(std::string("cannot be cut: ") + fault->what + " " + fault->field);
  }

  static constexpr core::Micros kNever = ~core::Micros{0};

  void line(const std::string& what) { said_ += what + "\n"; }
  std::string take() { return std::exchange(said_, {}); }

  std::unique_ptr<Member> member_;
  wire::Way speaks_;
  std::unique_ptr<wire::Codec> codec_;
  std::unique_ptr<wire::Cutter> cutter_, datagrams_;
  wire::FrameReader reader_;
  core::WorldState world_;
  std::mt19937 random_{1};
  core::Micros now_ = 0, wake_at_ = kNever;
  core::Id me_ = 1, last_id_ = 100;  // new ids begin at 101, so that a test can tell them from the game's numbers
  std::size_t waiting_ = 0;
  bool closed_ = false, holds_ = false;
  std::string said_;
};

using FrontStage = Stage<core::Fact, core::Intent>;
using BackStage = Stage<core::Intent, core::Fact>;

}  // namespace entente::testing
