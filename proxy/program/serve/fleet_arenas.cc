#include "proxy/program/serve/fleet_arenas.h"

#include <algorithm>
#include <utility>

#include "adapters/native/native.h"
#include "adapters/registry.h"
#include "proxy/fleet/arena/edge_annex.h"
#include "proxy/fleet/arena/owner_annex.h"
#include "proxy/fleet/arena/saved_arena.h"
#include "proxy/net/named_thread.h"
#include "proxy/program/base/counted.h"
#include "proxy/program/log/say.h"
#include "proxy/program/watch/watch_room.h"

namespace entente {

/// A candidate for the ownership of one arena. When this node becomes the owner, it reads the state that the last owner
/// has stored, and opens the room. It also remembers the last state that it received as a message, in case NATS has
/// lost the stored one, or cannot read it now.
class FleetArenas::Candidate final : private fleet::Lease::User, private net::Alarm::User {
 public:
  /// `mailbox`: receives the state of a room that has ended, to be handed over.
  Candidate(fleet::BusLine& line, net::Loop& loop, Fleet& fleet, fleet::FleetArena arena, Rooms rooms,
            net::Mailbox<Last, FleetArenas>& mailbox)
      : line_(line),
        loop_(loop),
        mailbox_(mailbox),
        arena_(std::move(arena)),
        rooms_(std::move(rooms)),
        again_(loop, *this),
        lease_(line, loop, *this, arena_.names, "arena." + arena_.arena, arena_.node, arena_.run, fleet.replicas()) {
    hears_ = line_.subscribe(arena_.names.saved_arena(arena_.arena), [this](const fleet::BusMessage& stored) {
      heard_.assign(stored.bytes.begin(), stored.bytes.end());
      heard_at_ = loop_.now();
    });
  }
  ~Candidate() override { line_.unsubscribe(hears_); }

  /// The room of this epoch has ended. Stores its state, unless that is empty, gives up the lease, and then wakes the
  /// mailbox. Ignored if the lease was lost and taken again since.
  void hand_over(std::uint64_t epoch, Bytes saved) {
    if (epoch != epoch_) return;
    log_info("fleet: this node hands over the arena '{}'", arena_.arena);
    room_.reset();
    if (saved.empty()) return give_up_lease();
    hands_over_ = true;
    line_.store(arena_.names.saved_arena(arena_.arena), saved, "", [this](const Outcome<std::uint64_t>& stored) {
      if (!stored) log_warn("fleet: cannot store the arena '{}': {}", arena_.arena, stored.error().text);
      hands_over_ = false;
      give_up_lease();
      mailbox_.wake();
    });
  }
  bool hands_over() const { return hands_over_; }

  /// The node drains: it hands over the arena once the room has ended, and no longer stands for it.
  void step_back() {
    steps_back_ = stepped_back_ = true;
    if (room_) return rooms_.retire(*room_);
    if (!hands_over_) lease_.release();
  }
  /// It may own the arena again.
  void stand_again() {
    steps_back_ = false;
    if (!room_ && !hands_over_) lease_.release(kAgain);
  }

  /// REQUIRES: the server has stopped, and its rooms with it.
  void release() {
    room_.reset();
    lease_.release();
  }

 private:
  static constexpr Millis kAgain = 250;
  static constexpr Millis kCannotOpen = 30'000;  // other nodes may try for this long
  static constexpr Millis kPatience = 1'000;     // wait for NATS before the remembered state is used
  static constexpr Millis kFresh = 30'000;       // an older remembered state is not used

  /// Gives up the lease. If this node has stepped back and stands again since, it asks for the lease again after
  /// kAgain.
  void give_up_lease() {
    const bool again = std::exchange(stepped_back_, false) && !steps_back_;
    lease_.release(again ? std::optional(kAgain) : std::nullopt);
  }

  void owns(std::uint64_t epoch) override {
    if (steps_back_) return lease_.release();  // asked for before
    epoch_ = epoch;
    failed_at_.reset();
    if (!hands_over_) rang();
  }
  void lost() override {
    epoch_ = 0;
    again_.clear();
    if (!room_) return;
    rooms_.retire(*std::exchange(room_, std::nullopt));
    if (steps_back_) lease_.release();
    log_warn("fleet: this node no longer owns the arena '{}'", arena_.arena);
  }

  /// Asks for the state that the last owner has stored, until NATS answers.
  void rang() override {
    const auto is_mine = [this, epoch = epoch_] { return epoch_ == epoch && !room_; };
    line_.open_stream(fleet::saved_arenas(arena_.names, arena_.replicas), [](const Outcome<std::uint64_t>&) {});
    line_.last(arena_.names.saved_arena_stream(), arena_.names.saved_arena(arena_.arena),
               [this, is_mine](const Outcome<std::optional<fleet::BusMessage>>& stored) {
                 if (!is_mine()) return;
                 if (!stored) return cannot_read(stored.error().text);
                 *stored ? open(Bytes((**stored).bytes)) : open(remembered());
               });
  }
  void cannot_read(const std::string& why) {
    if (!failed_at_) log_warn("fleet: cannot read the arena '{}': {}; trying again", arena_.arena, why);
    failed_at_ = failed_at_.value_or(loop_.now());
    if (const auto heard = remembered(); heard && loop_.now() >= *failed_at_ + kPatience) return open(heard);
    again_.set(loop_.nanos() + kAgain * 1'000'000);
  }
  std::optional<Bytes> remembered() const {
    if (heard_.empty() || loop_.now() > heard_at_ + kFresh) return std::nullopt;
    return Bytes(heard_);
  }

  void open(std::optional<Bytes> stored) {
    auto made = rooms_.make();
    if (!made) {
      log_error("fleet: cannot open the arena '{}': {}; this node leaves it to others, and tries again in {} s",
                arena_.arena, made.error().text, kCannotOpen / 1'000);
      return lease_.release(kCannotOpen);
    }
    std::optional<fleet::ReadArena> before;
    if (stored) {
      if (auto read = fleet::read_arena(*stored))
        before = std::move(*read);
      else
        log_error("fleet: the stored state of the arena '{}' {}", arena_.arena, read.error().text);
    }
    const std::size_t players = before ? before->starts.size() : 0;
    const auto hand_over = [this, epoch = epoch_](Bytes saved) {
      (void)mailbox_.post({this, epoch, Buffer(saved.begin(), saved.end())});
    };
    fleet::own(arena_, epoch_, lease_.until(), std::move(made->place), std::move(before), hand_over, made->room);
    room_ = rooms_.open(made->room);
    log_info("fleet: this node owns the arena '{}' (epoch {}){}", arena_.arena, epoch_,
             players == 0 ? "" : " and goes on with " + counted(players, "player"));
  }

  fleet::BusLine& line_;
  net::Loop& loop_;
  net::Mailbox<Last, FleetArenas>& mailbox_;
  const fleet::FleetArena arena_;
  const Rooms rooms_;
  std::optional<std::size_t> room_;
  std::uint64_t epoch_ = 0;  // 0: not the owner
  bool hands_over_ = false;
  bool steps_back_ = false;    // it must not own the arena now
  bool stepped_back_ = false;  // it has stepped back since the last give_up_lease()
  net::Alarm again_;
  std::optional<Millis> failed_at_;  // since when NATS cannot read what is stored
  fleet::BusLine::SubscriptionId hears_ = 0;
  Buffer heard_;  // the last message that the owner stored
  Millis heard_at_ = 0;
  fleet::Lease lease_;
};

FleetArenas::FleetArenas(Fleet& fleet, relay::ProxyServer& server, const Limits& limits)
    : fleet_(fleet), server_(server) {
  set_limits(limits);
}

FleetArenas::~FleetArenas() {
  stop();
  mailbox_.close();
}

fleet::FleetArena FleetArenas::arena_called(const std::string& name) {
  auto [at, fresh] = arenas_.try_emplace(name);
  if (!fresh) return at->second;
  fleet::FleetArena& arena = at->second;
  arena.bus = &fleet_.bus();
  arena.names = fleet_.names();
  arena.arena = name;
  arena.node = fleet_.node();
  arena.run = fleet_.run_id();
  arena.find_game = [](std::string_view game) { return find_game(game); };
  arena.replicas = fleet_.replicas();
  arena.told = [name](bool has_owner) {
    if (has_owner) return log_info("fleet: the arena '{}' has an owner again", name);
    log_warn(
        "fleet: the arena '{}' has no owner, and its players wait. It needs a node that has this arena in its "
        "configuration, and NATS with JetStream",
        name);
  };
  arena.texts = &server_.texts();
  arena.stores = [name](const std::string& why) {
    if (why.empty()) return log_info("fleet: the arena '{}' is stored again", name);
    log_warn("fleet: cannot store the arena '{}' for its next owner: {}; trying again", name, why);
  };
  arena.limits = limits_;
  return arena;
}

const FleetArenas::LocalFleetRoom& FleetArenas::local_room_for(const std::string& arena) {
  const auto [at, fresh] = local_rooms_.try_emplace(arena);
  if (!fresh) return at->second;
  relay::SharedRoomOptions room;
  room.name = "the arena '" + arena + "' of the fleet";
  room.game = &native::game();
  room.broadcast = at->second.broadcast = new_broadcast(room.name);
  fleet::lead_to_owner(arena_called(arena), room);
  at->second.room = server_.add_shared_room(room);
  return at->second;
}

void FleetArenas::stand_for(const std::string& arena, Rooms rooms) {
  (void)arena_called(arena);
  stands_for_.emplace_back(arena, std::move(rooms));
}

void FleetArenas::start() {
  if (stands_for_.empty()) return;
  line_ = std::make_unique<fleet::BusLine>(fleet_.bus(), loop_);
  for (auto& [name, rooms] : stands_for_)
    candidates_.push_back(
        std::make_unique<Candidate>(*line_, loop_, fleet_, arena_called(name), std::move(rooms), mailbox_));
  thread_ = net::named_thread("fleet arenas", [this] { loop_.run(); });
}

void FleetArenas::stop() {
  if (!thread_.joinable()) return;
  stops_ = true;
  mailbox_.wake();
  thread_.join();
}

void FleetArenas::step_back(bool on) {
  steps_back_ = on;
  mailbox_.wake();
}

void FleetArenas::mail() {
  std::vector<Last> letters;
  mailbox_.take(letters);
  for (const Last& one : letters) one.of->hand_over(one.epoch, one.saved);
  if (const bool steps_back = steps_back_; !stops_ && steps_back != stepped_back_) {
    stepped_back_ = steps_back;
    for (const auto& one : candidates_) steps_back ? one->step_back() : one->stand_again();
  }
  const auto hands_over = [](const auto& one) { return one->hands_over(); };
  if (!stops_ || candidates_.empty() || std::any_of(candidates_.begin(), candidates_.end(), hands_over)) return;
  for (const auto& one : candidates_) one->release();
  candidates_.clear();
  line_.reset();
  mailbox_.close();
}

void FleetArenas::measure(Metrics& metrics) const {
  for (const auto& [name, arena] : arenas_) {
    const fleet::ArenaCounts& counts = *arena.counts;
    const Metrics::Labels labels = {{"arena", name}};
    metrics.gauge("fleet_arena_players", "Players on all nodes, if this node owns the arena", labels,
                  static_cast<double>(counts.players));
    metrics.gauge("fleet_arena_nodes", "Nodes with which the owner talks", labels, static_cast<double>(counts.nodes));
    metrics.count("fleet_arena_gaps", "Times that a message was missed", labels, counts.gaps);
    metrics.count("fleet_arena_snapshots", "Worlds sent or received", labels, counts.snapshots);
    metrics.count("fleet_arena_stored", "Times that this node stored the arena for the next owner", labels,
                  counts.stored);
    metrics.count("fleet_arena_refused",
                  "Messages of other nodes, or parts of them, that were invalid or for an unknown player", labels,
                  counts.refused);
    metrics.count("fleet_arena_too_large",
                  "Words for some players of another node that were too large to be sent there", labels,
                  counts.too_large);
  }
}

}  // namespace entente
