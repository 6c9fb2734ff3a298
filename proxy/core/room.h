// A room: one source of truth (a back) and everybody who is told (fronts), and the only loop that calls them. What a
// front says goes to the back, what the back says is folded into the world and told to every front it is for.
// Law: no session is entered twice, words are heard in the order said, and a room sees time and chance only as they are
// handed to it: the same calls give the same bytes.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <vector>

#include "proxy/core/chat.h"
#include "proxy/core/chorus.h"
#include "proxy/core/ledger.h"
#include "proxy/core/session.h"
#include "proxy/core/wakes.h"
#include "proxy/core/world.h"

namespace entente::core {

/// An end of a room: a seat, by its player's id, or the back.
inline constexpr Id kBackEnd = 0;

struct RoomOptions {
  std::uint32_t seed = 1;
  bool shared = false;  ///< many fronts, and the room lives on without any; else one player's, and ends with it
  ChatRules chat;
  bool lends = false;               ///< what is sent by Host::send_shared stays where it is until forget_shared()
  std::size_t most_words = 20'000;  ///< waiting at once; more is a defect of ours or a flood: the room ends
};

class Room {
 public:
  /// The network, as the room needs it. No call may call the room back.
  class Host {
   public:
    virtual ~Host() = default;
    virtual void send(Id end, Lane lane, Bytes bytes) = 0;
    /// The same, of bytes that others are sent, too. They stay where they are: RoomOptions::lends.
    virtual void send_shared(Id end, Lane lane, Bytes bytes) { send(end, lane, bytes); }
    virtual std::size_t waiting(Id end) const = 0;
    /// After what was sent. The room never speaks of that end again.
    virtual void close(Id end, std::string_view why, std::uint32_t code) = 0;
    /// The peer broke its protocol; close() follows.
    virtual void failed(Id end, const Fault& fault) = 0;
    /// The back wants its link. At most once.
    virtual void dial() = 0;
    /// Who sits there says that he was the player of that number, and lost his link. True if the network knows of that
    /// seat, and will take him to it when the call is over; else he is told that it is not so.
    virtual bool resumes(Id /*seat*/, std::uint32_t /*number*/) { return false; }
    /// Who sits there wishes to enter. False: not now; that wish, and what follows it, waits for Room::admit().
    virtual bool admits(Id /*seat*/) { return true; }

    // For recorders.
    virtual void heard(const Intent&) {}
    virtual void told(const Fact&) {}
  };

  /// `host` outlives the room.
  Room(Host& host, std::unique_ptr<Back> back, const RoomOptions& options);
  ~Room();
  Room(const Room&) = delete;
  Room& operator=(const Room&) = delete;

  // What happens to it. `now` never goes back.
  /// Its player's id.
  Id seat(std::unique_ptr<Front> front, const Peer& peer, Micros now);
  void back_opened(const Peer& peer, Micros now);
  /// The dialect of the back's peer has been found out: see Session::speaks.
  void back_speaks(std::size_t dialect, Micros now);
  void received(Id end, Lane lane, Bytes bytes, Micros now);
  /// What waits because the host did not admit its player is heard now.
  void admit(Id seat, Micros now);
  /// That seat's link is gone: it hears and is sent nothing more. keep() comes before, gone() must follow.
  void unlink(Id seat);
  /// The peer is gone, or (the back's) was never reached. `code`: what it gave as its game's own reason; 0: none.
  void gone(Id end, std::string_view why, Micros now, std::uint32_t code = 0);
  /// The same, of a seat whose player may come back: it is kept for him. Nothing: it is not, and gone() is to be
  /// called.
  std::optional<Absence> keep(Id seat, Micros now);
  /// Whether that seat is kept for somebody who is away.
  bool keeps(Id seat) const;
  /// He is back, on a new link. False if the seat is gone, or somebody sits there.
  bool returned(Id seat, const Peer& peer, Micros now);
  void tick(Micros now);
  /// Tells the back what no word says (pause a recording); its tick() follows.
  void order(const std::function<void(Back&)>& order, Micros now);
  /// Says goodbye to one who sits there.
  void dismiss(Id seat, std::string_view why, Micros now);
  /// Says goodbye everywhere.
  void end(std::string_view why, Micros now);

  /// When tick() is next wanted; the far future if not at all.
  Micros next_wake() const { return wakes_.next(); }
  /// Nobody is there any more, and nobody will be.
  bool over() const;

  /// Nothing that was lent is needed any more. REQUIRES: RoomOptions::lends; called every now and then.
  void forget_shared() { chorus_.forget(); }
  /// Frames that were encoded for several fronts at once, so far.
  std::uint64_t encoded_shared() const { return chorus_.kept(); }
  /// What was done so far, in facts told, each to each front, and intents heard; one that is encoded for others, too,
  /// counts as ten.
  std::uint64_t work() const { return work_; }

  const World& world() const { return world_; }
  const Ledger& ledger() const { return ledger_; }

 private:
  template <class Session, class Word>
  class End;
  using FrontEnd = End<Front, Intent>;
  using BackEnd = End<Back, Fact>;

  void drain();
  void deliver_facts();
  void deliver_intents();
  void deliver(Intent& intent);
  void deliver(const Fact& fact);
  void tell(FrontEnd& seat, const Fact& fact);
  bool waits(Intent& intent);
  void refuse(const Intent& intent, const Chat::Refusal& refusal);
  void resume(const words::Resume& word, const Intent& intent);
  void make_way(const words::Enter& wish);
  bool is_for(const Fact& fact, Id seat) const;
  void dial_once();
  void say(Id by, Intent intent);
  void say(Id by, Fact fact);
  template <class SomeEnd>
  void tick(SomeEnd& end);
  template <class SomeEnd>
  void leave(SomeEnd& end);
  void over(std::string_view why);
  void flooded();
  bool settle();
  bool bury();
  template <class SomeEnd>
  void lose(SomeEnd& end, std::string_view why, std::uint32_t code);
  template <class SomeEnd>
  bool part(SomeEnd& end, std::string_view why);

  Host& host_;
  const RoomOptions options_;
  Micros now_ = 0;
  std::mt19937 random_;
  Id last_id_ = 0;
  bool dialled_ = false, seated_ = false, over_ = false, draining_ = false;
  bool told_ = false;       // there is something to tell who comes late
  bool some_left_ = false;  // seats are to be buried
  std::uint64_t work_ = 0;
  std::string why_;  // it is over
  World world_;
  Ledger ledger_;
  Chat chat_;
  Chorus chorus_;
  Wakes wakes_;
  std::unique_ptr<BackEnd> back_;
  std::map<Id, std::unique_ptr<FrontEnd>> seats_;
  std::vector<FrontEnd*> hearers_;  // all seats, in the same order: thousands of times a second every fact is for all
  std::vector<Intent> intents_, intents_now_;
  std::vector<Fact> facts_, facts_now_;
};

}  // namespace entente::core
