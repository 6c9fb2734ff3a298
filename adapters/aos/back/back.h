// The back of Ace of Spades: a player on somebody else's server. It loads the map, comes in as a client does, tells the
// room what the server says, and is its player's body, eyes and hands: keys and looks go out, and now and then a place.
// Law: nothing is sent that a real server refuses or bans for; the server's word on where we are is taken at once.
#pragma once

#include <array>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "adapters/aos/dialect.h"
#include "adapters/aos/losses.h"
#include "adapters/aos/terms.h"
#include "adapters/aos/wire.h"
#include "adapters/aos/world/body.h"
#include "adapters/aos/world/map_stream.h"
#include "adapters/aos/world/pilot.h"
#include "adapters/aos/world/sight.h"
#include "adapters/wire/frame_reader.h"
#include "proxy/core/chat.h"
#include "proxy/core/faces.h"
#include "proxy/core/roster.h"
#include "proxy/core/tank/steering.h"
#include "proxy/core/world.h"

namespace entente::aos {

/// How often a back tells the room the pose of a player.
inline constexpr core::Micros kPoseEvery = 50 * core::kMillisecond;

class BackSession final : public core::Back {
 public:
  explicit BackSession(const core::FaceOptions& options);

  void opened(const core::Peer&, Outlet& out) override;
  void receive(Lane lane, Bytes bytes, Outlet& out) override;
  void hear(const core::Intent& intent, Outlet& out) override;
  void tick(Outlet& out) override;
  void closed(std::string_view why, Outlet& out) override;
  void dismissed(std::uint32_t code, std::string_view why, Outlet& out) override;
  void part(std::string_view why, Outlet& out) override;

  /// The map is there, and what State Data says of it: tells the room.
  void learn(VoxelMap map, words::World world, const StateData& state, Outlet& out);

 private:
  enum class Stage : std::uint8_t {
    kMap,        ///< loads, until State Data
    kAtTheDoor,  ///< knows everything, and waits for its player's wish to play
    kEntering,   ///< has asked, and waits for its own Create Player
    kIn,
  };

  struct Someone {
    words::Player player;
    core::Id unit = 0;  ///< 0: a spectator
    std::uint8_t team = kSpectator, weapon = 0, tool = kGun, keys = 0, buttons = 0;
    std::uint32_t kills = 0, deaths = 0, shots = 0;
    bool alive = false;
    bool died = false;  ///< and has not been created since: paints that come late do not revive him
    bool hidden = false;
    Vec3 position{}, orientation{1, 0, 0}, velocity{};  ///< as the room knows them
    core::Micros posed = 0;                             ///< since when
    core::Micros shot_at = 0;                           ///< the last shot told
  };

  template <class T>
  void on(const T&, Outlet&) {}  // what a server never says

  // -- Joining, and the next map: back_join.cc
  void on(const MapStart& start, Outlet& out);
  void on(const MapChunk& chunk, Outlet& out);
  void on(const StateData& state, Outlet& out);
  void on(const HandshakeInit& init, Outlet& out);
  void on(const VersionGet&, Outlet& out);
  void on(const ExtensionInfo&, Outlet& out) { out.lose(loss::kExtensionInfo); }
  void on(const PlayerProperties&, Outlet& out) { out.lose(loss::kPlayerProperties); }
  void on(const ExtensionPacket&, Outlet& out) { out.lose(loss::kExtensionPacket); }
  void on(const FogColour& fog, Outlet& out);
  void forget_everybody(Outlet& out);
  void tell_rules(const StateData& state, Outlet& out);
  void tell_rule(const char* name, std::string value, Outlet& out);
  void introduce(Outlet& out);
  std::uint8_t wished_side() const;
  void enter(Outlet& out);
  void refuse(words::Refused::Code code, std::string_view text, Outlet& out);

  // -- Who is there: back_people.cc
  void on(const ExistingPlayer& existing, Outlet& out);
  void on(const CreatePlayer& created, Outlet& out);
  void on(const PlayerLeft& left, Outlet& out);
  void on(const KillAction& kill, Outlet& out);
  void on(const ChatMessage& chat, Outlet& out);
  void on(const SetColour& set, Outlet& out);
  void on(const ChangeWeapon&, Outlet& out) { out.lose(loss::kChangeWeapon); }
  Someone& meet(std::uint8_t number, Outlet& out);
  void tell(Someone& one, Outlet& out);
  void tell_score(const Someone& one, Outlet& out);
  void tell_spawned(Someone& one, Outlet& out);
  void forget(std::uint8_t number, Outlet& out);

  // -- What they do: back_paint.cc
  void on(const WorldUpdate& update, Outlet& out);
  void on(const StateUpdateDown& update, Outlet& out);
  void on(const InputData& input, Outlet& out);
  void on(const WeaponInput& input, Outlet& out);
  void on(const SetTool& set, Outlet& out);
  void on(const Grenade& grenade, Outlet& out);
  void on(const WeaponReload& reload, Outlet& out);
  void seen(std::uint8_t number, const Vec3& position, const Vec3& orientation, const Vec3* velocity, Outlet& out);
  void tell_pose(Someone& one, Outlet& out);
  void tell_input(const Someone& one, Outlet& out);
  void tell_shots(Outlet& out);
  void tell_shot(Someone& one, Outlet& out);

  // -- Things, zones and blocks: back_things.cc
  void on(const MoveObject& moved, Outlet& out);
  void on(const IntelPickup& picked, Outlet& out);
  void on(const IntelDrop& dropped, Outlet& out);
  void on(const IntelCapture& captured, Outlet& out);
  void on(const TerritoryCapture& captured, Outlet& out);
  void on(const ProgressBar& progress, Outlet& out);
  void on(const BlockAction& action, Outlet& out);
  void on(const BlockLine& line, Outlet& out);
  void tell_things(const StateData& state, Outlet& out);
  void tell_territory(std::size_t i, const Territory& territory, Outlet& out);
  void tell_intel(const CtfState& ctf, Outlet& out);
  void tell_nowhere(words::Token& token, Outlet& out);
  std::size_t change_map(words::Edit::Op op, const Block& at, const Block& to, std::uint32_t colour, Outlet& out);
  void tell_zone(std::size_t territory, Outlet& out);
  void tell_team(std::size_t side, Outlet& out);
  void win(words::Team team, Outlet& out);
  words::Token* intel_for(std::uint8_t player);
  void put(words::Token& token, const Vec3& place);

  // -- Our own body: back_own.cc
  void on(const PositionData& position, Outlet& out);
  void on(const OrientationData&, Outlet& out) { out.lose(loss::kOrientation); }
  void on(const SetHp& hp, Outlet& out);
  void on(const Restock& restock, Outlet& out);
  void begin_life(const CreatePlayer& created, Outlet& out);
  void be_at(const Vec3& position, Outlet& out);
  void compare(const Vec3& seen, Outlet& out);
  void hear_keys(const words::Keys& keys, Outlet& out);
  void hear_claim(const words::PoseClaim& claim, Outlet& out);
  void drive(Outlet& out);
  Urge urge_now(Outlet& out);
  void mind_leash(Outlet& out);
  void mind_speed(double off, Outlet& out);
  void tell_server(const Urge& urge, Outlet& out);
  void tell_keys(std::uint8_t keys, Outlet& out);
  void tell_look(const Vec3& look, Outlet& out);
  void tell_place(Outlet& out);
  void mind_stall(Outlet& out);
  bool may_tell_place(core::Micros every, Outlet& out) const;
  void tell_state(const Urge& urge, Outlet& out);
  void tell_own_pose(Outlet& out);
  words::Pose own_pose() const;
  /// Its client is one of this game: a body, hands and hits of its own.
  bool plays_itself() const { return own_.heard_keys && own_.heard_claim; }
  bool may_act() const { return stage_ == Stage::kIn && own_.alive; }

  // -- Its hands: back_hands.cc
  void hear_trigger(const words::Trigger& trigger, Outlet& out);
  void hear_hit(const words::HitClaim& claim, Outlet& out);
  void hear_change(const words::Change& change, Outlet& out);
  void hear_tool(std::uint32_t number, Outlet& out);
  void hear_edit(const words::Edit& edit, Outlet& out);
  void throw_grenade(const words::Fire& fire, Outlet& out);
  void reload(Outlet& out);
  void hold(std::uint8_t tool, Outlet& out);
  void press(std::uint8_t buttons, Outlet& out);
  void tell_ammo(Outlet& out);
  void speak(const words::Say& say, Outlet& out);
  void speak_on(Outlet& out);

  // -- Its shots, where its player's client makes none: back_guns.cc
  void wish_shot(const core::Shooting& shooting, Outlet& out);
  const Mapping* why_not_shoot(Outlet& out) const;
  void tell_empty(Outlet& out);
  void tell_gun(std::uint8_t weapon, Outlet& out);
  std::string way_to(const words::Token& token) const;
  void shoot(double yaw, double pitch, Outlet& out);
  void trace(const Vec3& direction, Outlet& out);
  Vec3 aimed(double yaw, double pitch) const;
  Vec3 strayed(const Vec3& direction, Outlet& out) const;
  void mind_trigger(Outlet& out);

  std::string why_dismissed(std::uint32_t code, std::string_view why, Outlet& out) const;
  template <class T>
  void send(const T& message, Outlet& out, Lane lane = Lane::kStream) {
    if (goodbye_) return;
    buffer_.clear();
    speech_->write(message, wire::Way::kToServer, buffer_);
    out.send(lane, buffer_);
  }
  bool take(const wire::Frame& frame, Outlet& out);
  void keep_alive(Outlet& out);
  void wake_for_shots(Outlet& out);
  core::Id id_of(std::uint8_t number) const;
  Someone* find(std::uint8_t number);
  Vec3 reckoned(const Someone& one, core::Micros now) const;

  const std::size_t dialect_;
  const bool auto_aim_;
  std::unique_ptr<wire::Speech<Message>> speech_, paints_;  // paints keep their lists: no memory a packet
  wire::FrameReader reader_;
  Buffer buffer_;
  Stage stage_ = Stage::kMap;
  bool goodbye_ = false;  // said, by either
  int malformed_ = 0;
  core::LastWords last_words_;

  // Joining.
  std::optional<words::Enter> wish_;
  bool wants_spawn_ = false;
  std::uint8_t number_ = 255;
  std::unique_ptr<MapReceiver> loading_;
  std::size_t announced_ = 0, loaded_ = 0;  // bytes of the stream
  std::string map_name_;
  VoxelMap map_;
  core::Micros looked_until_ = 0;  // for what falls: a voxel each microsecond
  words::Room room_;
  Sides sides_;                            // of this map
  std::optional<std::uint32_t> sequence_;  // of the last State Update

  // Everybody and everything.
  std::map<std::uint8_t, Someone> people_;
  core::Roster<std::uint8_t> players_;
  std::array<words::Token, 4> things_;     // intel of both sides, tents of both sides
  std::vector<words::Token> territories_;  // of all maps
  std::vector<words::Zone> zones_;         // of this map's territories
  std::array<std::uint32_t, 2> captures_{};

  /// Our own man.
  struct Own {
    bool alive = false;
    Body body;
    Pilot pilot;
    core::Micros since = 0;  ///< its life's steps are counted from here
    std::uint64_t steps = 0;
    std::uint8_t keys = 0;  ///< that are wished, if keys are
    bool by_keys = false;
    bool heard_keys = false, heard_claim = false;
    Vec3 look{1, 0, 0};
    core::Micros look_until = 0;  ///< it looks along a shot
    core::Micros astray = 0;      ///< since when the server or the client sees it elsewhere
    core::Micros corrected = 0;
    bool slowed = false;  ///< its client was told to be no faster than a man who climbs
    words::Pose told;     ///< to the room
    core::Micros told_at = 0;

    // What the server was told.
    std::uint8_t keys_sent = 0, buttons_sent = 0, tool = kGun;
    Vec3 look_sent{1, 0, 0};
    core::Micros look_sent_at = 0;
    Vec3 place_sent{};
    core::Micros place_sent_at = 0;
    core::Micros painted_at = 0;  ///< when the server last showed where everybody is; 0: never
    core::Micros place_from = 0;  ///< it has stalled: no place before this
    std::uint32_t colour = 0x6f6f6f;

    std::uint8_t weapon = 0;  ///< that was told as the gun
    std::uint8_t clip = 0, reserve = 0, blocks = 0, grenades = 0;
    core::Micros reloads_until = 0, fires_at = 0, releases_at = 0, edits_at = 0, throws_at = 0;
    core::Micros empty_told = 0;  ///< that it has no rounds left; 0: not since it had some
    std::uint32_t shots = 0;
  };
  Own own_;
  core::Steering steering_;

  /// The last 30 of its State Updates.
  struct Track {
    std::uint32_t sequence = 0;
    std::array<std::uint8_t, 30> inputs{};
    std::array<Motion, 30> motions{};
    bool told = false;  ///< of this life
  };
  Track track_;

  std::deque<std::string> lines_;  // that wait to be said
  std::array<core::Micros, 4> spoke_{};
  std::size_t spoken_ = 0;
};

}  // namespace entente::aos
