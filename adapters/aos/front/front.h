// The front of Ace of Spades: what a real client takes for its server.
// Law: no client is told what it leaves or crashes at: nothing before its map, nobody it was not told of, no place that
// is none; and no death that did not happen, or twice of one that did.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "adapters/aos/dialect.h"
#include "adapters/aos/terms.h"
#include "adapters/aos/wire.h"
#include "adapters/aos/world/body.h"
#include "adapters/aos/world/map_maker.h"
#include "adapters/wire/frame_reader.h"
#include "proxy/core/arena/guns.h"
#include "proxy/core/arena/leash.h"
#include "proxy/core/faces.h"
#include "proxy/core/replay/retelling.h"
#include "proxy/core/world.h"

namespace entente::aos {

class FrontSession final : public core::Front {
 public:
  explicit FrontSession(const core::FaceOptions& options);

  void opened(const core::Peer& peer, Outlet& out) override;
  void receive(Lane lane, Bytes bytes, Outlet& out) override;
  void hear(const core::Fact& fact, Outlet& out) override;
  void tick(Outlet& out) override;
  void closed(std::string_view, Outlet&) override { gone_ = true; }
  void part(std::string_view why, Outlet& out) override;

 private:
  enum class Stage : std::uint8_t {
    kWorld,    ///< nobody has told which world it is
    kMap,      ///< its map is made
    kOffered,  ///< the client may have it already (map_checksum)
    kSending,
    kIn,  ///< the client has it all, and knows who is there
  };

  /// A player as our client knows it: itself, or somebody's unit.
  struct Actor {
    core::Id player = 0;  ///< 0: nobody has this number
    core::Id unit = 0;    ///< 0: not in play
    bool told = false;    ///< the client was told of it …
    bool alive = false;   ///< … and that it is in play
    bool watches = false;
    bool dead = false;    ///< until it is said to spawn: a death that named no unit, or our own in another game
    bool unseen = false;  ///< it was there first, and nobody has seen where
    std::uint8_t side = kBlue, weapon = 0, tool = kGun, keys = 0, buttons = 0;
    bool has_keys = false;  ///< its room tells them
    std::string name;       ///< as on the wire
    std::optional<std::uint32_t> colour;
    core::Micros keyed = 0, shooting = 0;  ///< when its keys were last guessed; until when it is seen to shoot
    core::Micros freed = 0;                ///< when nobody came to have this number
    Motion motion;                         ///< last told
    core::Micros told_whole = 0;           ///< when all of it was (state_updates)
  };
  using Slot = std::uint8_t;

  template <class T>
  void on(const T&, Outlet&) {}  // what a client never says
  template <class T>
  void told(const T& word, const core::Fact&, Outlet& out);  // what no packet says
  // What is in the world, and told with something else.
  void told(const words::Room&, const core::Fact&, Outlet&) {}
  void told(const words::You&, const core::Fact&, Outlet&) {}
  void told(const words::TeamScore&, const core::Fact&, Outlet&) {}
  void told(const words::Pose&, const core::Fact&, Outlet&) {}  // painted

  // -- Coming in: front_join.cc
  void on(const ExistingPlayer& player, Outlet& out);
  void on(const MapCached& cached, Outlet& out);
  void on(const VersionResponse& version, Outlet& out);
  void told(const words::World& world, const core::Fact&, Outlet& out);
  void told(const words::Ready&, const core::Fact&, Outlet&) {}
  void told(const words::Refused& refused, const core::Fact&, Outlet& out);
  void told(const words::Kicked& kicked, const core::Fact&, Outlet& out);
  bool must_enter_first(std::uint8_t id, Lane lane, Outlet& out);
  void load(Outlet& out);
  void begin_map(Outlet& out);
  void offer_map(Outlet& out);
  void send_chunks(Outlet& out);
  void greet(Outlet& out);
  void enter(Outlet& out);
  void ask_spawn(Outlet& out);
  void goodbye(std::string_view why, std::uint32_t reason, Outlet& out);

  // -- Who is there: front_cast.cc
  void told(const words::Player& player, const core::Fact&, Outlet& out);
  void told(const words::PlayerGone&, const core::Fact&, Outlet& out) { recast(out); }
  void told(const words::Owns&, const core::Fact&, Outlet& out) { recast(out); }
  void told(const words::Unit& unit, const core::Fact&, Outlet& out);
  void told(const words::UnitChanged& changed, const core::Fact&, Outlet& out);
  void told(const words::Hidden&, const core::Fact&, Outlet&) {}
  void told(const words::Gone& gone, const core::Fact&, Outlet& out);
  void told(const words::Score& score, const core::Fact& fact, Outlet& out);
  void told(const words::Spawned& spawned, const core::Fact&, Outlet& out);
  struct Part;
  void recast(Outlet& out);
  void cast(Outlet& out);
  void list_parts(Outlet& out);
  void leave_out_the_far(Outlet& out);
  void keep_parts(Outlet& out);
  void enlist(const Part& part, Outlet& out);
  void look_after(Slot slot, Outlet& out);
  void redress(Outlet& out);
  void dress(Actor& actor, Outlet& out) const;
  void create(Slot slot, const words::Pose& pose, Outlet& out);
  void introduce(Slot slot, Outlet& out);
  void dismiss(Slot slot, Outlet& out);
  std::uint8_t side_of_player(const words::Player& player, Outlet& out) const;
  std::optional<Slot> slot_of_unit(core::Id unit) const;
  std::optional<Slot> slot_of_player(core::Id player) const;
  Actor& own() { return cast_[kOwn]; }

  // -- Where they are: front_move.cc
  void on(const PositionData& position, Outlet& out);
  void on(const OrientationData& orientation, Outlet& out);
  void on(const InputData& input, Outlet& out);
  void on(const StateUpdateUp& update, Outlet& out);
  void told(const words::Corrected& corrected, const core::Fact&, Outlet& out);
  void told(const words::Teleported& teleported, const core::Fact&, Outlet& out);
  void told(const words::Input& input, const core::Fact&, Outlet& out);
  void say_keys(Outlet& out);
  void claim(std::uint32_t number, Outlet& out);
  void walk(Outlet& out);
  void check_leash(Outlet& out);
  double leash(const words::Unit& unit, Outlet& out) const;
  void put(const Vec3& eyes, Outlet& out);
  void paint(Outlet& out);
  core::Micros next_paint(const Outlet& out) const;
  void paint_views(Outlet& out);
  void paint_states(Outlet& out);
  bool see(Slot slot, Motion& motion, Outlet& out);
  void guess_keys(Slot slot, const words::Pose& pose, Outlet& out);
  void press_keys(Slot slot, std::uint8_t keys, Outlet& out);
  bool comes_late(const Vec3& place, Outlet& out) const;
  Vec3 stand(const words::Pose& pose, Outlet& out) const;

  // -- Fighting: front_fight.cc
  void on(const WeaponInput& input, Outlet& out);
  void on(const SetTool& tool, Outlet& out);
  void on(const Hit& hit, Outlet& out);
  void on(const Grenade& grenade, Outlet& out);
  void on(const WeaponReload& reload, Outlet& out);
  void on(const ChangeTeam& change, Outlet& out);
  void on(const ChangeWeapon& change, Outlet& out);
  void on(const ShortPlayerData& player, Outlet& out);
  void told(const words::Health& health, const core::Fact&, Outlet& out);
  void told(const words::Died& died, const core::Fact&, Outlet& out);
  void told(const words::Ammo& ammo, const core::Fact&, Outlet& out);
  void told(const words::Shot& shot, const core::Fact&, Outlet& out);
  void change(std::optional<std::uint8_t> team, std::optional<std::uint8_t> weapon, Outlet& out);
  void check_side(Outlet& out);
  void fill_magazine(Outlet& out);
  std::uint32_t room_guns(Outlet& out) const;
  void pull(Outlet& out);
  void mind_guns(Outlet& out);
  void tell_load(std::uint8_t clip, std::uint8_t reserve, Outlet& out);
  void feel_mass(Outlet& out);
  void press(Slot slot, std::uint8_t buttons, Outlet& out);
  void stop_shooting(Outlet& out);

  // -- Blocks: front_build.cc
  void on(const SetColour& colour, Outlet& out);
  void on(const BlockAction& action, Outlet& out);
  void on(const BlockLine& line, Outlet& out);
  void told(const words::WorldEdit& edit, const core::Fact&, Outlet& out);
  bool may_build(const Block& at, Outlet& out);
  void take_back(const Block& at, Outlet& out);
  void show_edit(const words::WorldEdit& edit, Outlet& out);
  void show_wall(const words::Edit& edit, Outlet& out);
  void show_bricks(const words::Unit& unit, Outlet& out);
  void raze_bricks(core::Id unit, Outlet& out);
  struct Tile {
    Block first, last;  ///< on the ground
  };
  std::optional<Tile> tile_at(double x, double y, Outlet& out) const;
  void show_colour(Slot slot, std::uint32_t colour, Outlet& out);

  // -- What is fought for: front_stakes.cc
  void told(const words::Token& token, const core::Fact&, Outlet& out);
  void told(const words::TokenTaken& taken, const core::Fact&, Outlet& out);
  void told(const words::TokenDropped& dropped, const core::Fact&, Outlet& out);
  void told(const words::TokenCaptured& captured, const core::Fact&, Outlet& out);
  void told(const words::Zone& zone, const core::Fact&, Outlet& out);
  void told(const words::Round& round, const core::Fact&, Outlet& out);
  void told(const words::Rule& rule, const core::Fact&, Outlet& out);
  StateData state_data(Outlet& out);
  Sides find_sides(Outlet& out) const;
  void find_tokens(Outlet& out);
  std::uint8_t side_of_token(const words::Token& token, Outlet& out) const;
  std::optional<std::uint8_t> object_of(const words::Token& token, Outlet& out) const;
  Vec3 tent(std::uint8_t side, Outlet& out) const;
  void reach_for_tokens(Outlet& out);

  // -- Talk: front_talk.cc
  void on(const ChatMessage& chat, Outlet& out);
  void told(const words::Said& said, const core::Fact&, Outlet& out);
  void told(const words::Notice& notice, const core::Fact&, Outlet& out);
  void told(const words::Waiting& waiting, const core::Fact&, Outlet& out);
  void say_line(std::uint8_t from, std::uint8_t type, std::string_view text, Outlet& out);

  bool same_game(Outlet& out) const;
  const Dialect& dialect() const { return kDialects[dialect_]; }
  bool playing() const { return stage_ == Stage::kIn && cast_[kOwn].alive; }
  void send(const Message& message, Outlet& out, Lane lane = Lane::kStream);

  static constexpr Slot kOwn = 0;  // our client's number; the others have what is free above

  std::size_t dialect_;
  bool enters_first_;
  core::Micros paint_every_;
  std::unique_ptr<wire::Speech<Message>> speech_;
  wire::FrameReader reader_;
  Buffer bytes_;

  Stage stage_ = Stage::kWorld;
  core::Retelling retold_;
  bool gone_ = false, entered_ = false;
  core::Micros patience_ = 0;  // until when the world, or an answer about the map, is waited for
  core::Micros paint_at_ = 0;
  std::shared_ptr<MapMaker> maker_;
  std::string shown_world_;  // its hash
  bool edited_ = false;      // the client was told of what became of it
  std::size_t sent_ = 0;     // bytes of the map
  std::string version_;
  bool asked_version_ = false;
  words::Enter wish_;
  core::Micros spawn_at_ = 0;  // when to wish for it (again)

  std::array<Actor, kMostPlayers> cast_;
  struct Part {
    core::Id player = 0, unit = 0;
    double far = 0;  ///< metres from our client's unit
    bool taken = false;
  };
  std::vector<Part> parts_;  // who shall be seen: made anew with each recast
  bool crowded_ = false;     // more than there is room for
  std::size_t listed_ = 0;   // units that were gone through for it since the last painting
  std::uint32_t world_colour_ = 0;
  Colour fog_{};
  Sides sides_;                          // as State Data tells them
  std::vector<words::WorldEdit> edits_;  // since the map that is sent
  std::map<core::Id, Tile> bricks_;      // units that are shown as walls

  struct Own {
    Body body;               ///< where our client is, as it said or as we reckon since
    core::Micros moved = 0;  ///< until when that was reckoned
    core::Micros claimed = 0;
    Vec3 look{1, 0, 0};
    std::uint32_t claims = 0;
    std::optional<std::uint32_t> heard;  ///< number of its last State Update
    core::Leash leash;                   ///< how long it is not where it should be, when it was put there …
    core::Micros put_until = 0;          ///< … and until when it is told again (state_updates)
    std::uint32_t shots = 0;
    std::uint32_t colour = 0;
    std::uint8_t hp = 100;
    double most_mass = 0;                          ///< of its cells, in this life
    core::Micros reloaded = 0;                     ///< when its magazine is full again; 0: nobody waits for it
    core::Id reached = 0;                          ///< the token it stands at
    core::Micros side_asked = 0;                   ///< when it asked for the other side; 0: it has it, or was answered
    core::Guns guns;                               ///< of a room in which they load one by one
    std::uint8_t gun = 0;                          ///< of them, that was fired last
    core::Micros pulls_at = 0;                     ///< when its trigger, if it is held, is pulled again
    bool fresh = false;                            ///< just created: it has all there is to have
    bool keyed = false;                            ///< its keys were said
    std::pair<std::uint8_t, std::uint8_t> load{};  ///< of its gun, as last told: clip and reserve
  };
  Own own_;

  std::array<core::Id, 2> intel_{}, tents_{};  // tokens of each side
  std::vector<core::Id> territories_;
  std::map<core::Id, words::Team> owners_;  // of territories, since they were told

  // Filled again and again.
  Message views_{std::in_place_type<WorldUpdate>};
  Message states_{std::in_place_type<StateUpdateDown>};
};

}  // namespace entente::aos
