// Runs a recorded room again: makes the same calls, and compares what the room sends with what it sent then.
// Invariant: a recording is foreign data. A call that the room cannot take ends the rerun with an error.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "adapters/wire/frame_reader.h"
#include "proxy/core/room/room.h"
#include "proxy/core/room/transition.h"
#include "proxy/program/reproduce/comparison.h"

namespace entente {

/// The first difference in what a room does.
struct FirstDifference {
  core::Micros at = 0;   ///< since the room began
  std::string where;     ///< "to the client (link 1)"
  std::string after;     ///< the call before it: "MsgEnter … from the client"
  std::string expected;  ///< empty: nothing
  std::string got;       ///< empty: nothing
  std::string fields;    ///< as FrameDifference has them
};

class Rerun final : private core::Room::Host {
 public:
  /// `calls`: the first of the room. `links`: those of the file; they outlive it. `age`: of the room when it begins.
  static Outcome<std::unique_ptr<Rerun>> begin(const trace::Calls& calls, RecordedLinks& links, core::Micros age);

  /// The next calls of the room. An error: it cannot go on.
  Outcome<Done> take(const trace::Calls& calls);
  /// The recording goes on in another file: only what happened before is in this one.
  void stop_at_last_frame();
  /// Nothing follows. `whole`: the link is closed, so that nothing is missing at its end.
  void finish(bool whole);

  std::uint32_t link() const { return link_.id(); }
  const std::string& player() const { return player_; }
  /// "bzflag 2.4"
  const std::string& front_text() const { return front_text_; }
  const std::string& back_text() const { return back_text_; }
  core::Micros now() const { return now_; }
  std::uint64_t calls() const { return calls_; }
  std::uint64_t fed() const { return fed_; }
  ComparedFrames frames() const;
  /// Links that were closed in another way, or not at all.
  std::uint64_t closed_differently() const { return closed_differently_; }
  const std::optional<FirstDifference>& first() const { return first_; }
  bool differs() const { return first_.has_value(); }

 private:
  /// One call of the room, with what belongs to it.
  struct Call;

  Rerun(RecordedLink& link, RecordedLinks& links, const trace::RoomBegan& began, core::Micros age,
        std::unique_ptr<core::Front> front, std::unique_ptr<core::Back> back);

  Outcome<Done> call(const Call& call);
  Outcome<Done> call_detail(const trace::Detail& detail);
  /// A server with which the room speaks.
  struct Server {
    std::unique_ptr<Comparison> compared = {};  // null: no link is up, or it leads to an arena
    const wire::Game* game = nullptr;
    std::unique_ptr<wire::FrameReader> reader = {};  // once its link is up; moved() moves it while it is in use
    bool opened = false, unknown = false;
  };

  Outcome<Done> feed(Server& server, core::Id end);
  Outcome<Done> open(Server& server, const trace::ServerUp& up);
  Outcome<std::size_t> dialect_of(Server& server, const std::string& name);
  Outcome<Done> server_speaks(const std::string& dialect);
  Outcome<Done> give(RecordedLink& link, wire::Way way, core::Id end, wire::FrameReader& reader);
  Outcome<Done> feed_from_arena(Server& server, core::Id end, const std::string& bytes);
  Outcome<Done> replace(const trace::ServerReplaced& replaced);
  Outcome<Done> begin_move(const trace::Face& face);
  Outcome<Done> call_of_move(const trace::Detail& detail);
  void part(Server& server);
  void compare_closings(const Call& call);
  Outcome<Done> compare_until(WallTime time);
  void differ(FirstDifference difference);
  std::string cause() const;
  WallTime wall() const { return wall_ + now_ * 1000; }
  core::Micros at() const { return age_ + now_; }  // of the room

  // core::Room::Host
  void send(core::Id end, Lane lane, Bytes bytes) override;
  std::size_t waiting_bytes(core::Id end) const override;
  void close(core::Id end, std::string_view why, std::uint32_t code) override;
  void failed(core::Id, const Fault&) override {}
  void dial() override {}
  bool try_resume_seat(core::Id, std::uint32_t) override { return answer(); }
  bool await_next_server(std::string_view, core::Wait) override { return answer(); }
  void moved() override;
  void move_failed(std::string_view, bool) override { part(next_); }
  bool passes(core::Intent& intent) override;
  void told(const core::Fact& fact) override;
  bool answer();

  RecordedLink& link_;
  RecordedLinks& links_;
  const WallTime wall_;  // when the room began
  const core::Micros age_;
  std::string front_text_, back_text_, player_;
  std::uint32_t number_ = 1;  // of the last calls
  bool is_first_ = true;      // the next are those with the beginning
  core::Micros now_ = 0;      // since the room began
  std::optional<WallTime> stop_;
  std::unique_ptr<core::Front> front_;  // until it has its seat
  core::Id seat_ = 0;
  std::optional<wire::FrameReader> reader_;  // of the client's link
  Comparison client_;
  Server server_, next_;                              // next_: while the player is moved
  std::vector<std::unique_ptr<Comparison>> parting_;  // servers that were left in this call
  std::uint64_t calls_ = 0, fed_ = 0, closed_differently_ = 0;
  ComparedFrames of_lost_servers_;
  std::optional<FirstDifference> first_;

  // Of the call that the room is in.
  const Call* call_ = nullptr;
  std::size_t answered_ = 0;
  std::uint32_t ruled_ = 0;  // as RoomHost::ruled_
  mutable std::array<std::optional<std::size_t>, 3> waiting_;
  std::vector<trace::Closing> closings_;

  // The last call, for people.
  std::string asked_;
  std::optional<RecordedFrame> heard_;
  wire::Way heard_way_ = wire::Way::kToServer;
  const RecordedLink* heard_link_ = nullptr;

  core::Room room_;
};

}  // namespace entente
