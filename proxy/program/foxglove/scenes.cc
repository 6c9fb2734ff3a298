#include "proxy/program/foxglove/scenes.h"

#include <algorithm>
#include <optional>
#include <set>

#include "proxy/program/foxglove/shapes.h"
#include "proxy/program/import/recorded_world.h"

namespace entente {
namespace {

constexpr core::Micros kStep = 50 * core::kMillisecond;  // between two samples
constexpr core::Micros kMostSteps = core::kSecond;       // sampled after the last word; as far as poses are reckoned
constexpr std::size_t kMostKept = 256U << 20U;           // bytes of geometries that worlds may refer to
constexpr std::size_t kCostOfThing = 512;                // bytes of a player, a unit and the like
constexpr std::int32_t kRayShown = 300'000'000;          // ns
constexpr const char* kRoot = "world";                   // the frame of all coordinates

void stamp(WallTime time, google::protobuf::Timestamp& to) {
  to.set_seconds(static_cast<std::int64_t>(time / 1'000'000'000));
  to.set_nanos(static_cast<std::int32_t>(time % 1'000'000'000));
}

/// As it can stand in a topic and in the path of a plot.
std::string plain_name(const std::string& name) {
  std::string out;
  for (const char c : name.substr(0, 32)) {
    const bool kept = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
    out += kept ? c : '_';
  }
  return out;
}

bool same_place(const words::Pose& a, const words::Pose& b) {
  return a.x() == b.x() && a.y() == b.y() && a.z() == b.z() && a.yaw() == b.yaw() && a.pitch() == b.pitch() &&
         a.radius() == b.radius();
}

bool is_moving(const words::Pose& pose) {
  return pose.vx() != 0 || pose.vy() != 0 || pose.vz() != 0 || pose.yaw_rate() != 0;
}

}  // namespace

/// The room of one link.
class FoxgloveScenes::Scene {
 public:
  Scene(FoxgloveScenes& owner, std::uint32_t link) : owner_(owner), link_(link), prefix_("/" + std::to_string(link)) {}

  void fact(const words::Fact& word, WallTime time) {
    auto fact = core::from_message(word);
    if (!fact || !is_of_session(fact->at, begun_ ? first_ : fact->at, begun_ ? now_ : fact->at)) return;
    sample_until(fact->at, time);
    before(*fact);
    world_.fold(*fact);
    after(*fact, time);
  }

  /// A recording that began in the middle of a session has its world first.
  void begin_with(const trace::Snapshot& snapshot, const trace::Geometry* geometry, WallTime time) {
    if (snapshot.at_us() > kMostRoomAge || std::exchange(begun_, true)) return;
    fold_snapshot(
        snapshot, geometry, [](core::Fact&) {}, world_);
    begin(snapshot.at_us());
    show_geometry(time);
    sample(now_, time);
  }

  /// Nothing follows.
  void end(WallTime time) {
    if (!shows_) return;
    update_.Clear();
    foxglove::SceneEntityDeletion& all = *update_.add_deletions();
    stamp(time, *all.mutable_timestamp());
    all.set_type(foxglove::SceneEntityDeletion::ALL);
    put_scene(time);
  }

  /// About as many bytes as it keeps.
  std::size_t cost() const {
    const std::size_t things = world_.players().size() + world_.units().size() + world_.shots().size() +
                               world_.tokens().size() + world_.rules().size() + world_.edits().size();
    return geometry_bytes_ + (1 + things) * kCostOfThing;
  }

 private:
  struct Shown {
    words::Pose reported, pose;
    core::Micros posed_at = 0;
    std::uint32_t looks = 0;
    std::string name;
    std::uint32_t colour = 0;
    std::uint64_t seen = 0;  // the last sample in which it was there
  };

  void begin(core::Micros at) { first_ = now_ = next_ = at; }

  /// Samples between the last word and this one. Between words, poses are reckoned.
  void sample_until(core::Micros at, WallTime time) {
    if (!std::exchange(begun_, true)) begin(at);
    const core::Micros until = std::min(at, now_ + kMostSteps);
    for (; next_ <= until; next_ += kStep) sample(next_, time - std::min<WallTime>(time, (at - next_) * 1000));
    first_ = std::min(first_, at);
    now_ = std::max(now_, at);
    if (next_ + kStep < at) next_ = at;
  }

  void sample(core::Micros at, WallTime time) {
    ++samples_;
    update_.Clear();
    for (const core::Id id : world_.sorted_units([](const core::UnitState& unit) { return core_seen(unit); }))
      unit(*world_.unit(id), at, time);
    std::erase_if(units_,
                  [&](const auto& one) { return one.second.seen != samples_ && erase("unit", one.first, time); });
    shots(at, time);
    tokens(time);
    poses(at, time);
    if (update_.entities_size() != 0 || update_.deletions_size() != 0) put_scene(time);
  }

  static bool core_seen(const core::UnitState& unit) { return unit.unit.alive() && !unit.hidden; }

  void unit(const core::UnitState& state, core::Micros at, WallTime time) {
    const auto [found, anew] = units_.try_emplace(state.unit.id());
    Shown& shown = found->second;
    shown.seen = samples_;
    const core::PlayerState* owner = world_.player(state.unit.owner());
    const words::Team team = owner != nullptr ? owner->player.team() : state.unit.team();
    const std::uint32_t own =
        state.unit.colour() != 0 || owner == nullptr ? state.unit.colour() : owner->player.colour();
    const std::uint32_t colour = own != 0 ? own : foxglove_shapes::colour_of(team);
    const std::string& name = owner != nullptr ? owner->player.name() : state.unit.name();
    const bool looks_same = !anew && shown.looks == state.looks_version && shown.colour == colour && shown.name == name;
    if (looks_same && shown.posed_at == state.posed_at && !is_moving(state.unit.pose()) &&
        same_place(shown.reported, state.unit.pose()))
      return;
    const words::Pose pose = core::place_at(state.unit.pose(), state.posed_at, at);
    const bool stands = same_place(shown.pose, pose);
    shown.reported = state.unit.pose();
    shown.posed_at = state.posed_at;
    if (looks_same && stands) return;
    shown.pose = pose;
    shown.looks = state.looks_version;
    shown.name = name;
    shown.colour = colour;
    foxglove::SceneEntity& entity = begin_entity("unit", state.unit.id(), time);
    foxglove_shapes::add_unit(state.unit, pose, colour, name, entity);
    if (owner == nullptr) return;
    foxglove::KeyValuePair& player = *entity.add_metadata();
    player.set_key("player");
    player.set_value(name);
  }

  void shots(core::Micros at, WallTime time) {
    std::set<std::string> flying;
    for (const core::ShotState& state : world_.shots()) {
      const double flown = static_cast<double>(at - std::min(at, state.fired_at)) / core::kSecond;
      if (state.shot.kind() == words::RAY || (state.shot.life() > 0 && flown > state.shot.life())) continue;
      const std::string id = shot_id(state.shot);
      flying.insert(id);
      foxglove_shapes::add_shot(state.shot, flown, begin_entity(id, time));
    }
    for (const std::string& id : flying_)
      if (!flying.contains(id)) erase(id, time);
    flying_ = std::move(flying);
  }

  void tokens(WallTime time) {
    std::map<core::Id, std::string> lying;
    for (const auto& [id, token] : world_.tokens()) {
      if (token.state() != words::Token::GROUND && token.state() != words::Token::FLYING) continue;
      lying[id] = token.SerializeAsString();
      if (const auto known = tokens_.find(id); known != tokens_.end() && known->second == lying[id]) continue;
      foxglove_shapes::add_token(token, begin_entity("token", id, time));
    }
    for (const auto& [id, as] : tokens_)
      if (!lying.contains(id)) erase("token", id, time);
    tokens_ = std::move(lying);
  }

  /// Of the unit that each player steers.
  void poses(core::Micros at, WallTime time) {
    for (const auto& [id, player] : world_.players()) {
      const core::UnitState* state = world_.active_unit(id);
      if (state == nullptr || !core_seen(*state)) continue;
      const words::Pose pose = core::place_at(state->unit.pose(), state->posed_at, at);
      const auto [last, anew] = poses_.try_emplace(id);
      if (!anew && same_place(last->second, pose)) continue;
      last->second = pose;
      const std::string& name = label(id, player.player.name());
      foxglove::PoseInFrame posed;
      stamp(time, *posed.mutable_timestamp());
      posed.set_frame_id(kRoot);
      foxglove_shapes::set(*posed.mutable_pose(), pose);
      put({prefix_ + "/pose/" + name,
           foxglove::PoseInFrame::descriptor(),
           {{"link", std::to_string(link_)}, {"player", std::to_string(id)}, {"name", player.player.name()}}},
          posed, time);
      foxglove::FrameTransform moved;
      stamp(time, *moved.mutable_timestamp());
      moved.set_parent_frame_id(kRoot);
      moved.set_child_frame_id(std::to_string(link_) + "/" + name);
      foxglove_shapes::set(*moved.mutable_translation(), pose.x(), pose.y(), pose.z());
      foxglove_shapes::set(*moved.mutable_rotation(), pose.yaw(), pose.pitch());
      put({prefix_ + "/tf", foxglove::FrameTransform::descriptor(), {{"link", std::to_string(link_)}}}, moved, time);
    }
  }

  /// One of its own for each player who is there.
  const std::string& label(core::Id id, const std::string& name) {
    std::string& label = labels_[id];
    if (!label.empty()) return label;
    label = plain_name(name);
    if (label.empty() || taken_.contains(label)) label += "_" + std::to_string(id);
    taken_.insert(label);
    return label;
  }

  /// What the world no longer knows afterwards.
  void before(const core::Fact& fact) {
    const auto* gone = std::get_if<words::PlayerGone>(&fact.content);
    if (gone == nullptr) return;
    poses_.erase(gone->id());
    const auto label = labels_.find(gone->id());
    if (label == labels_.end()) return;
    taken_.erase(label->second);
    labels_.erase(label);
  }

  void after(const core::Fact& fact, WallTime time) {
    if (std::holds_alternative<words::World>(fact.content)) show_geometry(time);
    if (const auto* shot = std::get_if<words::Shot>(&fact.content); shot != nullptr && shot->kind() == words::RAY) {
      update_.Clear();
      foxglove::SceneEntity& ray = begin_entity(shot_id(*shot), time);
      ray.mutable_lifetime()->set_nanos(kRayShown);
      foxglove_shapes::add_shot(*shot, 0, ray);
      put_scene(time);
    }
    if (const auto* said = std::get_if<words::Said>(&fact.content))
      log((said->from() != 0      ? name_of(said->from())
           : said->name().empty() ? "server"
                                  : said->name()) +
              ": " + said->text(),
          "chat", time);
    if (const auto* died = std::get_if<words::Died>(&fact.content))
      log(name_of(died->player()) + (died->killer() != 0 && died->killer() != died->player()
                                         ? " was killed by " + name_of(died->killer())
                                         : " died"),
          "kill", time);
  }

  std::string name_of(core::Id id) const {
    const core::PlayerState* player = world_.player(id);
    return player != nullptr ? player->player.name() : "player " + std::to_string(id);
  }

  void log(const std::string& text, const char* name, WallTime time) {
    foxglove::Log line;
    stamp(time, *line.mutable_timestamp());
    line.set_level(foxglove::Log::INFO);
    line.set_message(text);
    line.set_name(name);
    put({prefix_ + "/log", foxglove::Log::descriptor(), {{"link", std::to_string(link_)}}}, line, time);
  }

  void show_geometry(WallTime time) {
    if (world_.geometry() == nullptr) return;
    geometry_bytes_ = world_.geometry()->ByteSizeLong();
    update_.Clear();
    if (owner_.drawn_ > owner_.limits_.drawn) {
      (void)erase("world", time);
      put_scene(time);
      return owner_.recorder_.note(time, link_, "this world is not drawn: the worlds of the file are too large");
    }
    foxglove_shapes::add_geometry(*world_.geometry(), begin_entity("world", time));
    owner_.drawn_ += update_.ByteSizeLong();
    put_scene(time);
  }

  static std::string shot_id(const words::Shot& shot) {
    return "shot " + std::to_string(shot.shooter()) + " " + std::to_string(shot.shot());
  }
  foxglove::SceneEntity& begin_entity(const char* kind, core::Id id, WallTime time) {
    return begin_entity(kind + (" " + std::to_string(id)), time);
  }
  foxglove::SceneEntity& begin_entity(const std::string& id, WallTime time) {
    foxglove::SceneEntity& entity = *update_.add_entities();
    stamp(time, *entity.mutable_timestamp());
    entity.set_frame_id(kRoot);
    entity.set_id(id);
    return entity;
  }
  bool erase(const char* kind, core::Id id, WallTime time) { return erase(kind + (" " + std::to_string(id)), time); }
  bool erase(const std::string& id, WallTime time) {
    foxglove::SceneEntityDeletion& deletion = *update_.add_deletions();
    stamp(time, *deletion.mutable_timestamp());
    deletion.set_id(id);
    return true;
  }

  void put_scene(WallTime time) {
    shows_ = true;
    put({prefix_ + "/scene", foxglove::SceneUpdate::descriptor(), {{"link", std::to_string(link_)}}}, update_, time);
  }
  void put(const trace::OtherTopic& topic, const google::protobuf::MessageLite& message, WallTime time) {
    ++owner_.messages_;
    owner_.recorder_.other(time, topic, message);
  }

  FoxgloveScenes& owner_;
  const std::uint32_t link_;
  const std::string prefix_;
  core::WorldState world_;
  std::size_t geometry_bytes_ = 0;
  bool begun_ = false;
  bool shows_ = false;                // something was written to its topic of scenes
  core::Micros first_ = 0, now_ = 0;  // of the earliest and of the latest word
  core::Micros next_ = 0;             // of the next sample
  std::uint64_t samples_ = 0;
  foxglove::SceneUpdate update_;  // reused
  std::map<core::Id, Shown> units_;
  std::map<core::Id, words::Pose> poses_;   // by player
  std::map<core::Id, std::string> tokens_;  // as they were shown
  std::set<std::string> flying_;            // entities of shots
  std::map<core::Id, std::string> labels_;  // by player
  std::set<std::string> taken_;
};

FoxgloveScenes::FoxgloveScenes(trace::Recorder& recorder, const FoxgloveLimits& limits)
    : recorder_(recorder), limits_(limits) {}

FoxgloveScenes::~FoxgloveScenes() = default;

/// Calls call(scene), unless the link is no longer shown. If the scenes keep too much then, this one is given up.
template <class Call>
void FoxgloveScenes::tell(std::uint32_t link, WallTime time, Call&& call) {
  const auto [at, anew] = scenes_.try_emplace(link);
  if (anew) at->second = std::make_unique<Scene>(*this, link);
  if (at->second == nullptr) return;
  Scene& scene = *at->second;
  if (!anew) cost_ -= scene.cost();
  call(scene);
  cost_ += scene.cost();
  if (cost_ <= limits_.kept) return;
  cost_ -= scene.cost();
  scene.end(time);
  at->second.reset();
  recorder_.note(time, link, "the 3D scene ends here: the scenes of all sessions need too much memory");
}

void FoxgloveScenes::fact(std::uint32_t link, const words::Fact& fact, WallTime time) {
  tell(link, time, [&](Scene& scene) { scene.fact(fact, time); });
}

void FoxgloveScenes::world(std::uint32_t link, const trace::Snapshot& world, WallTime time) {
  const auto geometry = geometries_.find(world.geometry());
  tell(link, time, [&](Scene& scene) {
    scene.begin_with(world, geometry != geometries_.end() ? &geometry->second : nullptr, time);
  });
}

void FoxgloveScenes::geometry(const trace::Geometry& geometry) {
  const std::size_t bytes = geometry.ByteSizeLong();
  if (kept_ + bytes <= kMostKept && geometries_.emplace(geometry.hash(), geometry).second) kept_ += bytes;
}

void FoxgloveScenes::closed(std::uint32_t link, WallTime time) {
  const auto at = scenes_.find(link);
  if (at == scenes_.end()) return;
  if (at->second != nullptr) {
    cost_ -= at->second->cost();
    at->second->end(time);
  }
  scenes_.erase(at);
}

}  // namespace entente
