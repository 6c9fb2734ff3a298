#include "proxy/fleet/arena/owner_side.h"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "proxy/base/keyed_hash.h"
#include "proxy/core/arena/referee.h"
#include "proxy/core/drops.h"
#include "proxy/core/wishes.h"
#include "proxy/core/world.h"
#include "proxy/fleet/arena/far_guest.h"
#include "proxy/fleet/decode.h"
#include "proxy/relay/sessions/shared_room.h"
#include "schema/fleet.pb.h"

namespace entente::fleet {
namespace {

using core::Fact, core::Id;

constexpr std::size_t kMostNodes = 256;
constexpr std::size_t kMostSeats = 5'000;          // of all runs of one node
constexpr std::size_t kPiece = 256U << 10U;        // bytes of a snapshot
constexpr Millis kWorldEvery = 300;                // how often one node gets a snapshot, whatever its runs
constexpr Millis kReplaceEvery = 2'000;            // how often a run of a node gives way to a new one
constexpr Millis kClosedAgain = 2 * kNodeLost;     // how long snapshots repeat that a seat was closed
constexpr std::size_t kMostClosed = 256;           // such seats of one node
constexpr std::size_t kLongestAnnounced = 1'000;   // bytes
constexpr std::size_t kLargestFact = 700U << 10U;  // bytes; a larger one for all comes by a snapshot
constexpr std::size_t kPartBytes = 64;             // about what a part takes besides its texts or its fact

/// The limits of players who were in already: all enter at once.
Limits of_known(Limits limits) {
  limits.enters_per_second = 0;
  return limits;
}

class Owner final : public OwnerSide, private net::Ticker::User, private net::Alarm::User {
 public:
  Owner(FleetArena arena, std::uint64_t epoch, OwnedUntil until, RefereeSlot referee, const SavedSeats& seats,
        OwnerPost post, relay::SharedRoom& room, net::Loop& loop)
      : arena_(std::move(arena)),
        epoch_(epoch),
        until_(std::move(until)),
        referee_(std::move(referee)),
        post_(std::move(post)),
        room_(room),
        loop_(loop),
        opened_at_(loop.now()),
        all_(arena_.names.facts(arena_.arena)),
        ticker_(loop, *this, kStep),
        alarm_(loop, *this) {
    for (const auto& [seat, player] : seats) seat_again(seat, player);
    settled_ = returning_ == 0;
  }

  ~Owner() override {
    arena_.counts->players = 0;
    arena_.counts->nodes = 0;
  }

  void told(const Fact& fact) override {
    note_name(fact);
    if (fact.scene != 0 || room_.end_reason()) return;  // players of a room that ends move to the next owner
    if (is_announced(fact)) return;
    if (const auto* player = returning_ != 0 ? core::as<words::Player>(fact) : nullptr) returned(player->id());
    switch (fact.audience) {
      case words::PLAYER:
        if (const auto at = players_.find(fact.to); at != players_.end()) {
          Node& node = *at->second.node;
          // If this is lost, the node's next Enter counts, also as `again`.
          if (core::as<words::Refused>(fact) != nullptr) node.seats.at(at->second.number).entered = false;
          tell_some(node, fact);
        }
        return;
      case words::TEAM:
      case words::ADMINS:
        for (auto& [name, node] : nodes_)
          if (concerns(fact, node)) tell_some(node, fact);
        return;
      default:
        tell_all(fact);
    }
  }

  void turn_ends() override {
    bury();
    if (!settled_) send_owed_worlds();
    const std::uint64_t now = loop_.nanos();
    if (now >= sent_at_ + kGatherNanos) return flush();
    if (!std::exchange(waits_, true)) alarm_.set(sent_at_ + kGatherNanos);
  }

  void room_ends(relay::Reason reason) override {
    if (!owns()) return;
    flush();
    going_ = true;
    std::string last;
    if (settled_) {
      bus::SavedArena saved = saved_arena();
      auto& players = *saved.mutable_players();
      // Its client leaves with this node, which stops instead of draining.
      const auto goes = [this](const auto& player) {
        return player.node() == arena_.node && player.run() == arena_.run;
      };
      if (reason == relay::Reason::kStopped)
        players.erase(std::remove_if(players.begin(), players.end(), goes), players.end());
      last = saved.SerializeAsString();
    }
    post_.hand_over(as_bytes(last));
  }

  void read(const std::string& name, Bytes bytes) override;
  void stored(bool done) override {
    stores_ = false;
    if (done) {
      ++arena_.counts->stored;
      store_pause_ = kStoreEvery;
      return;
    }
    // An order that fails takes its time, during which recordings wait.
    stored_at_ = loop_.now();
    store_pause_ = std::min(2 * store_pause_, kStoreRarest);
  }

 private:
  static constexpr Millis kStep = 50;
  static constexpr Millis kSilent = 2 * kNodeBeat;
  static constexpr std::ptrdiff_t kMostRuns = 16;  // of one node

  using NodeRun = std::pair<std::string, std::uint64_t>;

  struct Seat {
    std::unique_ptr<FarGuest> guest;
    Id player = 0;          // 0: it waits for its seat
    bool returns = false;   // its state at the last owner is not restored yet
    bool unheard = false;   // it was taken for the node, which has not asked for it yet
    bool entered = false;   // its Enter was received, and not refused
    std::string name = {};  // of the saved player that it continues; empty: none
    words::Unit::Kind body = words::Unit::TANK;
    Millis in_doubt = 0;  // since when it waits to enter, because of comes_back(); 0: it does not
  };
  /// What all runs of a node have together. So a node with many runs gets no more than others.
  struct Limited {
    std::size_t runs = 0, seats = 0;
    std::size_t waiting_bytes = 0;  // FarGuest
    Millis world_at = 0;            // when it got the last snapshot; 0: none yet
    Millis replaced_at = 0;         // when a run gave way to a new one; 0: never
  };
  struct Node {
    std::string name, to;
    Limited* limited = nullptr;
    std::uint64_t run = 0, heard = 0;  // its number, and that of its last message
    std::uint64_t number = 0;          // of the last message to it
    Millis heard_at = 0;
    bool lacks_world = false;
    bool due = false;    // it is sent a message, even an empty one: that says what was heard, and by its number whether
                         // an earlier message is missing
    Millis told_at = 0;  // when the last message was sent
    bus::ToNode message;
    std::size_t bytes = 0;  // of its parts, or a little more
    std::map<std::uint32_t, Seat> seats;
    std::deque<std::pair<Millis, bus::ToNode::Closed>> closed;  // lately, and when
  };

  struct Sits {
    Node* node = nullptr;
    std::uint32_t number = 0;
  };

  /// The node has told the player this, and the room is told it now.
  struct Announced {
    Id player = 0;  // 0: none
    std::string_view text;
  };

  bool owns() const { return !going_ && loop_.nanos() < until_->load(std::memory_order_relaxed) && !room_.over(); }

  // -- Facts of the room
  void tell_all(const Fact& fact) {
    one_.clear();
    core::write(fact, one_);
    if (one_.size() > kLargestFact) {
      flush();
      ++number_;  // no message has this number, so every node requests the world
      return;
    }
    if (facts_.size() + one_.size() > kMostMessage) flush();
    // A field of bus::Facts: `facts`, with its length.
    facts_.push_back(static_cast<std::uint8_t>(bus::Facts::kFactsFieldNumber << 3U | 2U));
    for (std::size_t left = one_.size();; left >>= 7U) {
      if (left < 128) {
        facts_.push_back(static_cast<std::uint8_t>(left));
        break;
      }
      facts_.push_back(static_cast<std::uint8_t>(left | 128U));
    }
    append(facts_, one_);
    ++count_;
  }

  /// `bytes`: of the part's texts, or of its fact. What would not fit into one message together with it is sent first.
  bus::ToNode::Part& part(Node& node, std::size_t bytes) {
    bytes += kPartBytes;
    if (node.bytes != 0 && node.bytes + bytes > kMostMessage) flush();
    node.bytes += bytes;
    auto& fresh = *node.message.add_parts();
    fresh.set_before(count_);
    return fresh;
  }

  /// Whether the node has told the player this already. Once: rules may say the same in the same call of the room.
  bool is_announced(const Fact& fact) {
    if (announced_.player == 0 || fact.audience != words::PLAYER || fact.to != announced_.player) return false;
    const auto* said = core::as<words::Said>(fact);
    if (said == nullptr || said->text() != announced_.text) return false;
    announced_ = {};
    return true;
  }

  /// For players of the node who are the fact's audience.
  void tell_some(Node& node, const Fact& fact) {
    const std::size_t bytes = core::message_in(fact).ByteSizeLong();
    if (bytes <= kLargestFact) return core::to_message(fact, *part(node, bytes).mutable_fact());
    // No snapshot has it.
    ++arena_.counts->too_large;
    words::Notice notice;
    notice.set_text("something that you were told is too large for the fleet");
    Fact instead(std::move(notice));
    instead.cause = fact.cause;
    instead.audience = fact.audience;
    instead.to = fact.to;
    tell_some(node, instead);
  }

  /// Whether one of the node's players is in the audience.
  bool concerns(const Fact& fact, const Node& node) const {
    for (const auto& [number, its] : node.seats) {
      const core::PlayerState* player = room_.world().player(its.player);
      if (player == nullptr) continue;
      if (fact.audience == words::TEAM ? static_cast<std::uint32_t>(player->player.team()) == fact.to
                                       : (player->player.badges() & words::ADMIN) != 0)
        return true;
    }
    return false;
  }

  /// Sends the collected facts. Those for single nodes go first; the nodes find their place among the others by number.
  void flush() {
    sent_at_ = loop_.nanos();
    const bool some = count_ != 0;
    if (some) ++number_;
    for (auto& [name, node] : nodes_) {
      if (node.message.parts_size() == 0 && !node.due) continue;
      node.message.set_facts(number_);
      send(node);
    }
    if (some) publish_facts();
  }

  void publish_facts() {
    told_at_ = loop_.now();
    bus::Facts head;
    head.set_epoch(epoch_);
    head.set_number(number_);
    const std::string front = head.SerializeAsString();
    message_.assign(front.begin(), front.end());
    append(message_, facts_);
    facts_.clear();
    count_ = 0;
    if (owns()) post_.publish(all_, message_);
  }

  void send(Node& node) {
    node.message.set_epoch(epoch_);
    node.message.set_run(node.run);
    node.message.set_number(++node.number);
    node.message.set_heard(node.heard);
    node.due = false;
    node.told_at = loop_.now();
    last_private_ = std::max(last_private_, node.number);
    if (owns()) post_.publish(node.to, as_bytes(node.message.SerializeAsString()));
    node.message.Clear();
    node.bytes = 0;
  }

  void send_world(Node& node) {
    const Millis now = loop_.now();
    Millis& world_at = node.limited->world_at;
    if (!settled_ || (world_at != 0 && now < world_at + kWorldEvery)) {
      node.lacks_world = true;  // later
      return;
    }
    world_at = now;
    node.lacks_world = false;
    ++arena_.counts->snapshots;
    flush();
    bus::Snapshot snapshot;
    snapshot.set_facts(number_);
    room_.world().tell([&](const Fact& fact) { core::to_message(fact, *snapshot.add_world()); });
    for (const auto& [number, its] : node.seats) {
      auto& seat = *snapshot.add_seats();
      seat.set_seat(number);
      seat.set_player(its.player);
      seat.set_entered(its.entered);
    }
    while (!node.closed.empty() && now >= node.closed.front().first + kClosedAgain) node.closed.pop_front();
    for (const auto& [at, closed] : node.closed) *snapshot.add_closed() = closed;
    const std::string bytes = snapshot.SerializeAsString();
    const auto count = static_cast<std::uint32_t>((bytes.size() + kPiece - 1) / kPiece);
    for (std::uint32_t i = 0; i < count; ++i) {
      auto& piece = *node.message.mutable_piece();
      piece.set_index(i);
      piece.set_count(count);
      piece.set_bytes(bytes.substr(i * kPiece, kPiece));
      node.message.set_facts(number_);
      send(node);
    }
  }

  // -- From the last owner, and for the next one
  /// Takes a player's seat for its node, so that nobody sees the arena without the player.
  void seat_again(const SeatOf& seat, const bus::SavedArena::Player& player) {
    const auto& [name, run, number] = seat;
    Node* const node = node_called(name, run);
    if (node == nullptr) return refuse();
    Seat* const its = open(*node, number, player.client(), of_known_);
    if (its == nullptr) return;
    its->name = player.who().name();
    its->body = player.body();
    its->returns = its->unheard = its->entered = true;
    ++returning_;
    words::Enter wish;
    wish.set_name(its->name);
    wish.set_role(player.who().role());
    wish.set_motto(player.who().motto());
    wish.set_skin(player.who().skin());
    wish.set_body(its->body);
    its->guest->want(core::Intent(std::move(wish)));
  }

  /// For a player who enters at a seat that was taken for its node: what it has changed meanwhile. Nothing: no change.
  std::optional<core::Intent> changed(const Seat& seat, const words::Enter& wish) const {
    const core::PlayerState* player = room_.world().player(seat.player);
    words::Change change;
    if (player == nullptr) return std::nullopt;
    if (player->player.motto() != wish.motto()) change.set_motto(wish.motto());
    if (player->player.skin() != wish.skin()) change.set_skin(wish.skin());
    if (!change.has_motto() && !change.has_skin()) return std::nullopt;
    return core::Intent(std::move(change));
  }

  /// A player's former state was restored.
  void returned(Id player) {
    const auto at = players_.find(player);
    if (at != players_.end()) gave_up(at->second.node->seats[at->second.number]);
  }
  void gave_up(Seat& seat) {
    if (!std::exchange(seat.returns, false)) return;
    --returning_;
    seat.guest->limit(arena_.limits->get());
  }

  /// Sends nodes the world once the players of the last owner are in it.
  void send_owed_worlds() {
    if (settled_ || (returning_ != 0 && loop_.now() < opened_at_ + kNodeLost)) return;
    settled_ = true;
    for (auto& [name, node] : nodes_)
      if (node.lacks_world) send_world(node);
  }

  void store(Millis now) {
    if (!settled_ || stores_ || now < stored_at_ + store_pause_) return;
    stored_at_ = now;
    stores_ = true;
    post_.store(as_bytes(saved_arena().SerializeAsString()));
  }

  bus::SavedArena saved_arena() const {
    bus::SavedArena saved = save(room_.world(), room_.time(), [this](Id id, bus::SavedArena::Player& player) {
      const auto at = players_.find(id);
      if (at == players_.end()) return;
      const auto& [node, number] = at->second;
      const Seat& seat = node->seats.at(number);
      player.set_node(node->name);
      player.set_run(node->run);
      player.set_seat(number);
      *player.mutable_client() = describe(seat.guest->client());
      player.set_body(seat.body);
    });
    saved.set_closed((*referee_)->is_closed());
    return saved;
  }

  // -- Messages of nodes
  /// Null: it cannot be a node, or there are too many. With each upgrade, a node has one more process for a while; if
  /// there are too many, the one that was silent for longest is removed, but only every so often.
  Node* node_called(const std::string& name, std::uint64_t run) {
    if (const auto known = nodes_.find({name, run}); known != nodes_.end()) return &known->second;
    if (run == 0 || objection_to_token(name)) return nullptr;
    const auto begin = nodes_.lower_bound({name, 0});
    auto end = begin, oldest = begin;
    for (; end != nodes_.end() && end->first.first == name; ++end)
      if (end->second.heard_at < oldest->second.heard_at) oldest = end;
    if (std::distance(begin, end) >= kMostRuns) {
      Millis& replaced_at = begin->second.limited->replaced_at;
      if (replaced_at != 0 && loop_.now() < replaced_at + kReplaceEvery) return nullptr;
      replaced_at = loop_.now();
      empty(oldest->second, "the node has restarted");
      forget_run(oldest);
    }
    if (nodes_.size() >= kMostNodes) return nullptr;
    Node& node = nodes_[{name, run}];
    node.name = name;
    node.limited = &limited_[name];
    ++node.limited->runs;
    node.to = arena_.names.to(arena_.arena, name);
    node.run = run;
    node.number = last_private_ + 1;  // if the node has heard from us before, it notices that it missed something
    node.heard_at = node.told_at = loop_.now();
    arena_.counts->nodes = nodes_.size();
    return &node;
  }

  /// Returns the next run. REQUIRES: it has no seats.
  std::map<NodeRun, Node>::iterator forget_run(std::map<NodeRun, Node>::iterator run) {
    if (--run->second.limited->runs == 0) limited_.erase(run->first.first);
    return nodes_.erase(run);
  }

  void read(Node& node, bus::FromNode::Part& part, std::vector<FarGuest*>& wanting) {
    const auto at = node.seats.find(part.seat());
    if (part.has_open()) {
      if (at == node.seats.end()) open(node, part.seat(), part.open(), arena_.limits->get());
      return;
    }
    if (at == node.seats.end()) {
      if (!part.has_close()) refuse();
      return;
    }
    Seat& seat = at->second;
    FarGuest& guest = *seat.guest;
    if (part.has_close()) {
      leaving_.push_back(part.seat());
      return;
    }
    if (part.has_announced()) {
      if (part.announced().size() > kLongestAnnounced) return refuse();
      announced_ = {seat.player, part.announced()};
      room_.announce(seat.player, part.announced());
      announced_ = {};  // it may not have told the player
      return;
    }
    auto intent = core::from_message(part.intent());
    const auto* wish = intent ? core::as<words::Enter>(*intent) : nullptr;
    const bool was_taken = std::exchange(seat.unheard, false), had_entered = seat.entered;
    const bool is_known = wish != nullptr && std::exchange(seat.entered, true) && part.again();
    if (is_known || (wish != nullptr && was_taken)) {
      auto change = changed(seat, *wish);
      if (!change) return;
      intent = *std::move(change);
      wish = nullptr;
    }
    if (wish != nullptr) seat.body = wish->body();
    const bool is_new = wish != nullptr && seat.in_doubt == 0 && room_.world().player(seat.player) == nullptr;
    const std::string name = is_new ? wish->name() : std::string();
    // Resume is handled by the node where the client is.
    const bool is_valid = intent && core::as<words::Resume>(*intent) == nullptr;
    if (is_valid && core::is_wish(core::drops::kServerAway, core::name_of(*intent))) node.due = true;
    const bool is_taken = is_valid && guest.want(*std::move(intent));
    if (!is_taken) {
      seat.entered = had_entered;
      refuse();
      if (!is_valid) return;
    }
    if (is_taken && is_new && comes_back(node, seat, name)) {
      seat.in_doubt = loop_.now();
      guest.hold_back(true);
      in_doubt_[{{node.name, node.run}, part.seat()}] = name;
    }
    if (seat.in_doubt == 0 && (wanting.empty() || wanting.back() != &guest)) wanting.push_back(&guest);
  }

  /// Null: refused.
  Seat* open(Node& node, std::uint32_t number, const bus::FromNode::Open& open, const Limits& limits) {
    relay::LinkInfo client;
    client.game = arena_.find_game(open.game());
    if (number == 0 || node.limited->seats >= kMostSeats || client.game == nullptr) {
      refuse();
      // The node shall not wait for the seat. One that asks for far too many is not told of each.
      if (number != 0 && static_cast<std::size_t>(node.message.parts_size()) < kMostSeats)
        tell_closed(node, number, "the arena has no place for this client");
      return nullptr;
    }
    const auto dialects = client.game->dialects();
    for (std::size_t i = 0; i < dialects.size(); ++i)
      if (dialects[i].name == open.dialect()) client.dialect = i;
    if (const auto address = net::Address::parse(open.address())) client.client = *address;
    const auto seated = [this, &node, number](Id seat) {
      Seat& its = node.seats[number];
      if (!its.name.empty()) (*referee_)->promise(seat, its.name);
      players_[seat] = {&node, number};
      its.player = seat;
      auto& fresh = *part(node, 0).mutable_seat();
      fresh.set_seat(number);
      fresh.set_player(seat);
    };
    std::erase_if(node.closed, [number](const auto& one) { return one.second.seat() == number; });
    Seat& its = node.seats[number];
    its.guest = std::make_unique<FarGuest>(room_, client, limits, node.limited->waiting_bytes, seated,
                                           [this] { some_closed_ = true; });
    ++arena_.counts->players;
    ++node.limited->seats;
    its.guest->begin();
    return &its;
  }

  /// The seat of the player with this name who entered by another node, from the same address. Null: there is none.
  const Sits* comes_back(const Node& node, const Seat& seat, const std::string& name) const {
    const auto named = ids_.find(name);
    if (named == ids_.end()) return nullptr;
    const auto at = players_.find(named->second);
    if (at == players_.end() || at->second.node == &node) return nullptr;
    const FarGuest& before = *at->second.node->seats.at(at->second.number).guest;
    return before.client().client.same_ip(seat.guest->client().client) ? &at->second : nullptr;
  }

  /// Keeps names_ and ids_ as the world is: a node may ask for many names, and a walk through all players is too much.
  void note_name(const Fact& fact) {
    const auto* player = core::as<words::Player>(fact);
    const auto* gone = core::as<words::PlayerGone>(fact);
    if (fact.scene != 0 || (player == nullptr && gone == nullptr)) return;
    const Id id = player != nullptr ? player->id() : gone->id();
    const core::PlayerState* const state = room_.world().player(id);
    if (const auto known = names_.find(id); known != names_.end()) {
      if (state != nullptr && known->second == state->player.name()) return;
      if (const auto at = ids_.find(known->second); at != ids_.end() && at->second == id) ids_.erase(at);
      names_.erase(known);
    }
    if (state == nullptr) return;
    names_.emplace(id, state->player.name());
    ids_[state->player.name()] = id;
  }

  /// If the other node is silent, the player continues what it had there. If that node still sends, it is another
  /// player.
  void resolve_doubts() {
    std::erase_if(in_doubt_, [this](const auto& one) {
      const auto& [whose, name] = one;
      const auto& [of, number] = whose;
      const auto node = nodes_.find(of);
      if (node == nodes_.end()) return true;
      const auto at = node->second.seats.find(number);
      if (at == node->second.seats.end()) return true;
      Seat& seat = at->second;
      if (const Sits* before = comes_back(node->second, seat, name)) {
        Node& other = *before->node;
        const bool speaks = other.heard_at > seat.in_doubt;
        if (!speaks && loop_.now() < other.heard_at + kSilent) return false;
        if (!speaks) {
          const Id id = other.seats[before->number].player;
          (*referee_)->hold(start_of(save(room_.world(), *room_.world().player(id), room_.time())));
          tell_closed(other, before->number, "has returned by another node");
          leave(other, before->number, "has returned by another node");
          seat.name = name;
          if (seat.player != 0) (*referee_)->promise(seat.player, name);
        }
      }
      seat.in_doubt = 0;
      seat.guest->hold_back(false);
      seat.guest->deliver();
      return true;
    });
  }

  void leave(Node& node, std::uint32_t number, std::string_view why) {
    const auto at = node.seats.find(number);
    if (at == node.seats.end()) return;
    gave_up(at->second);
    players_.erase(at->second.player);
    at->second.guest->leave(why);
    node.seats.erase(at);
    --node.limited->seats;
    --arena_.counts->players;
  }

  void empty(Node& node, std::string_view why) {
    while (!node.seats.empty()) leave(node, node.seats.begin()->first, why);
  }

  void tell_closed(Node& node, std::uint32_t number, const std::string& why) {
    auto& closed = *part(node, why.size()).mutable_closed();
    closed.set_seat(number);
    closed.set_why(why);
    if (node.closed.size() >= kMostClosed) node.closed.pop_front();
    node.closed.emplace_back(loop_.now(), closed);
  }

  /// Removes guests whose seats the room has closed. If the room ends, they wait for the next owner.
  void bury() {
    if (!std::exchange(some_closed_, false)) return;
    for (auto& [name, node] : nodes_)
      for (auto at = node.seats.begin(); at != node.seats.end();) {
        if (!at->second.guest->is_over()) {
          ++at;
          continue;
        }
        if (!room_.end_reason()) tell_closed(node, at->first, at->second.guest->why());
        gave_up(at->second);
        players_.erase(at->second.player);
        at = node.seats.erase(at);
        --node.limited->seats;
        --arena_.counts->players;
      }
  }

  void refuse() { ++arena_.counts->refused; }

  void tick(Millis now) override {
    if (room_.over()) return;
    if (!owns()) {  // the lease has expired: there may be another owner by now
      for (auto& [name, node] : nodes_) empty(node, "the arena has moved to another node");
      return;
    }
    bool some_due = false;
    for (auto at = nodes_.begin(); at != nodes_.end();) {
      Node& node = at->second;
      if (now >= node.heard_at + kNodeLost) {
        empty(node, "the node is lost");
        at = forget_run(at);
        arena_.counts->nodes = nodes_.size();
        continue;
      }
      if (node.lacks_world) send_world(node);
      if (now >= node.told_at + kToNodeBeat) node.due = some_due = true;
      ++at;
    }
    if (some_due) flush();
    if (!settled_) send_owed_worlds();
    resolve_doubts();
    store(now);
    if (now < told_at_ + kFactsBeat) return;
    flush();
    if (now < told_at_ + kFactsBeat) return;
    ++number_;
    publish_facts();
  }

  void rang() override {
    waits_ = false;
    flush();
  }

  const FleetArena arena_;
  const std::uint64_t epoch_;
  const OwnedUntil until_;
  const RefereeSlot referee_;
  std::size_t returning_ = 0;  // players of the last owner who are not in the world yet
  bool settled_ = false;       // nodes can receive the world
  bool going_ = false;         // the arena was handed over
  const Limits of_known_ = of_known(arena_.limits->get());
  const OwnerPost post_;
  relay::SharedRoom& room_;
  net::Loop& loop_;
  const Millis opened_at_;
  const std::string all_;
  net::Ticker ticker_;
  net::Alarm alarm_;
  std::map<std::string, Limited> limited_;  // of each node in nodes_
  std::map<NodeRun, Node> nodes_;
  std::unordered_map<Id, Sits, KeyedHash<Id>> players_;
  std::unordered_map<Id, std::string, KeyedHash<Id>> names_;  // of all players in the room's world
  std::unordered_map<std::string, Id, KeyedHash<std::string>> ids_;
  std::vector<std::uint32_t> leaving_;
  std::map<std::pair<NodeRun, std::uint32_t>, std::string> in_doubt_;  // the names for seats
  Buffer facts_;                                                       // serialized: of the next message
  Buffer one_, message_;                                               // scratches: a fact; a message
  std::uint32_t count_ = 0;                                            // of facts_
  std::uint64_t number_ = 0, sent_at_ = 0;
  std::uint64_t last_private_ = 0;  // the highest number of a message to any node
  Millis told_at_ = 0, stored_at_ = 0, store_pause_ = kStoreEvery;
  bool waits_ = false, stores_ = false, some_closed_ = false;
  Announced announced_;
};

void Owner::read(const std::string& name, Bytes bytes) {
  if (!owns()) return;
  bus::FromNode said;
  if (!decode(bytes, said)) return refuse();
  if (said.epoch() != 0 && said.epoch() != epoch_) return refuse();  // it was for another owner
  Node* const known = node_called(name, said.run());
  if (known == nullptr) return refuse();
  Node& node = *known;
  node.heard_at = loop_.now();
  if (said.number() != node.heard + 1) {
    if (said.number() <= node.heard) return refuse();
    if (node.heard != 0) ++arena_.counts->gaps;
    node.lacks_world = true;  // it learns there which of its players we know
  }
  node.heard = said.number();
  std::vector<FarGuest*> wanting;
  for (auto& one : *said.mutable_parts()) read(node, one, wanting);
  for (FarGuest* const guest : wanting) guest->deliver();
  for (const std::uint32_t number : std::exchange(leaving_, {})) leave(node, number, "left");
  if (said.wants_world() || node.lacks_world) send_world(node);
}

}  // namespace

std::unique_ptr<OwnerSide> make_owner_side(const FleetArena& arena, std::uint64_t epoch, OwnedUntil until,
                                           RefereeSlot referee, const SavedSeats& seats, OwnerPost post,
                                           relay::SharedRoom& room, net::Loop& loop) {
  return std::make_unique<Owner>(arena, epoch, std::move(until), std::move(referee), seats, std::move(post), room,
                                 loop);
}

}  // namespace entente::fleet
