// The layouts of the world database: records of the old dialects, groups of the new ones.
// Invariant: as in wire.cc. Sources: the page's boxes, and the pack() of each obstacle at v2.0.16 and v2.4.26, which
// differ only in the bits of walls.
#include "adapters/bzflag/world/wire_world.h"

#include "adapters/wire/typed_codec.h"

namespace entente::bzflag {

// -- Records ----------------------------------------------------------------------------------------------------------

template <class V>
void fields(V& v, RecordHeader& m) {
  v("version", m.version)("world_size", m.world_size)("style", m.style)("max_players", m.max_players);
  v("max_shots", m.max_shots)("max_flags", m.max_flags)("linear_acceleration", m.linear_acceleration);
  v("angular_acceleration", m.angular_acceleration)("shake_timeout", m.shake_timeout)("shake_wins", m.shake_wins);
  v("epoch", m.epoch);
}
template <class V>
void fields(V& v, RecordBase& m) {
  v("team", m.team)("pos", m.pos)("angle", m.angle)("size", m.size)("safety", m.safety);
}
template <class V>
void fields(V& v, RecordWall& m) {
  v("pos", m.pos)("angle", m.angle)("half_width", m.half_width)("height", m.height);
}
template <class V>
void fields(V& v, RecordBox& m) {
  v("pos", m.pos)("angle", m.angle)("size", m.size)("bits", m.bits);
}
template <class V>
void fields(V& v, RecordTeleporter& m) {
  v("pos", m.pos)("angle", m.angle)("size", m.size)("border", m.border)("bits", m.bits);
}
template <class V>
void fields(V& v, RecordLink& m) {
  v("from", m.from)("to", m.to);
}
template <class V>
void fields(V&, RecordEnd&) {}

// -- Appearance and behaviour -----------------------------------------------------------------------------------------

template <class V>
void name(V& v, std::string& text) {
  v.template text<std::uint32_t>("name", text);
}

template <class V>
void fields(V& v, Wave& m) {
  v("period", m.period)("offset", m.offset)("weight", m.weight);
}
template <class V>
void fields(V& v, Channel& m) {
  v("least", m.least)("most", m.most);
  v.template list<std::uint32_t>("sinusoids", m.sinusoids);
  v.template list<std::uint32_t>("clamp_ups", m.clamp_ups);
  v.template list<std::uint32_t>("clamp_downs", m.clamp_downs);
  v("steps", m.steps);
  v.when("steps > 0", m.steps > 0, [&] {
    v("period", m.period)("offset", m.offset);
    v.list("sequence", m.steps, m.sequence);
  });
}
template <class V>
void fields(V& v, DynamicColor& m) {
  name(v, m.name);
  v("channels", m.channels);
}
template <class V>
void fields(V& v, TextureMatrix& m) {
  name(v, m.name);
  v("state", m.state);
  v.when("state & 1", (m.state & 1) != 0, [&] { v("fixed", m.fixed); });
  v.when("state & 2", (m.state & 2) != 0, [&] { v("moving", m.moving); });
}
template <class V>
void fields(V& v, Texture& m) {
  name(v, m.name);
  v("matrix", m.matrix)("combine", m.combine)("state", m.state);
}
template <class V>
void fields(V& v, Shader& m) {
  name(v, m.name);
}
template <class V>
void fields(V& v, Material& m) {
  name(v, m.name);
  v("mode", m.mode)("dynamic_color", m.dynamic_color);
  v("ambient", m.ambient)("diffuse", m.diffuse)("specular", m.specular)("emission", m.emission);
  v("shininess", m.shininess)("alpha_threshold", m.alpha_threshold);
  v.template list<std::uint8_t>("textures", m.textures);
  v.template list<std::uint8_t>("shaders", m.shaders);
}
template <class V>
void fields(V& v, PhysicsDriver& m) {
  name(v, m.name);
  v("linear", m.linear)("angular_speed", m.angular_speed)("angular_centre", m.angular_centre);
  v("radial_speed", m.radial_speed)("radial_centre", m.radial_centre)("slide_time", m.slide_time);
  v.template text<std::uint32_t>("death", m.death);
}

constexpr std::uint8_t kSpin = 3, kByIndex = 4;

template <class V>
void fields(V& v, TransformStep& m) {
  v("type", m.type);
  v.when("type = 4", m.type == kByIndex, [&] { v("index", m.index); });
  v.when("type != 4", m.type != kByIndex, [&] { v("data", m.data); });
  v.when("type = 3", m.type == kSpin, [&] { v("angle", m.angle); });
}
template <class V>
void fields(V& v, Transform& m) {
  name(v, m.name);
  v.template list<std::uint32_t>("steps", m.steps);
}

// -- Obstacles --------------------------------------------------------------------------------------------------------

template <class V>
void fields(V& v, Wall& m) {
  v("pos", m.pos)("angle", m.angle)("half_width", m.half_width)("height", m.height);
  v.when("dialect.wall_bits", v.dialect.wall_bits, [&] { v("bits", m.bits); });
}
template <class V>
void fields(V& v, Box& m) {
  v("pos", m.pos)("angle", m.angle)("size", m.size)("bits", m.bits);
}
template <class V>
void fields(V& v, Base& m) {
  v("team", m.team)("box", m.box);
}
template <class V>
void fields(V& v, Teleporter& m) {
  name(v, m.name);
  v("pos", m.pos)("angle", m.angle)("size", m.size)("border", m.border)("horizontal", m.horizontal)("bits", m.bits);
}
template <class V>
void fields(V& v, Face& m) {
  v("state", m.state);
  v.template list<std::uint32_t>("vertices", m.vertices);
  v.when("state & 1", (m.state & 1) != 0, [&] { v.as_many("normals", m.vertices, m.normals); });
  v.when("state & 2", (m.state & 2) != 0, [&] { v.as_many("texcoords", m.vertices, m.texcoords); });
  v("material", m.material)("driver", m.driver);
}
template <class V>
void fields(V& v, Check& m) {
  v("type", m.type)("pos", m.pos);
}
template <class V>
void fields(V& v, Mesh& m) {
  v.template list<std::uint32_t>("checks", m.checks);
  v.template list<std::uint32_t>("vertices", m.vertices);
  v.template list<std::uint32_t>("normals", m.normals);
  v.template list<std::uint32_t>("texcoords", m.texcoords);
  v.template list<std::uint32_t>("faces", m.faces);
  v("state", m.state);
}
template <class V>
void fields(V& v, Arc& m) {
  v("transform", m.transform)("pos", m.pos)("size", m.size)("angle", m.angle)("sweep", m.sweep)("ratio", m.ratio);
  v("divisions", m.divisions)("driver", m.driver)("texture_size", m.texture_size)("materials", m.materials);
  v("state", m.state);
}
template <class V>
void fields(V& v, Cone& m) {
  v("transform", m.transform)("pos", m.pos)("size", m.size)("angle", m.angle)("sweep", m.sweep);
  v("divisions", m.divisions)("driver", m.driver)("texture_size", m.texture_size)("materials", m.materials);
  v("state", m.state);
}
template <class V>
void fields(V& v, Sphere& m) {
  v("transform", m.transform)("pos", m.pos)("size", m.size)("angle", m.angle)("divisions", m.divisions);
  v("driver", m.driver)("texture_size", m.texture_size)("materials", m.materials)("state", m.state);
}
template <class V>
void fields(V& v, Tetra& m) {
  v("state", m.state)("transform", m.transform)("vertices", m.vertices)("with_normals", m.with_normals);
  for (std::size_t i = 0; i < 4; ++i)
    v.when("with_normals & a bit a face", (m.with_normals >> i & 1) != 0, [&] { v("normals", m.normals[i]); });
  v("with_texcoords", m.with_texcoords);
  for (std::size_t i = 0; i < 4; ++i)
    v.when("with_texcoords & a bit a face", (m.with_texcoords >> i & 1) != 0, [&] { v("texcoords", m.texcoords[i]); });
  v("materials", m.materials);
}
template <class V>
void fields(V& v, Instance& m) {
  v.template text<std::uint32_t>("group", m.group);
  name(v, m.name);
  v("transform", m.transform)("bits", m.bits);
  v.when("bits & 1", (m.bits & 1) != 0, [&] { v("team", m.team); });
  v.when("bits & 2", (m.bits & 2) != 0, [&] { v("tint", m.tint); });
  v.when("bits & 4", (m.bits & 4) != 0, [&] { v("driver", m.driver); });
  v.when("bits & 8", (m.bits & 8) != 0, [&] { v("material", m.material); });
}
template <class V>
void fields(V& v, Group& m) {
  name(v, m.name);
  v.template list<std::uint32_t>("walls", m.walls);
  v.template list<std::uint32_t>("boxes", m.boxes);
  v.template list<std::uint32_t>("pyramids", m.pyramids);
  v.template list<std::uint32_t>("bases", m.bases);
  v.template list<std::uint32_t>("teleporters", m.teleporters);
  v.template list<std::uint32_t>("meshes", m.meshes);
  v.template list<std::uint32_t>("arcs", m.arcs);
  v.template list<std::uint32_t>("cones", m.cones);
  v.template list<std::uint32_t>("spheres", m.spheres);
  v.template list<std::uint32_t>("tetras", m.tetras);
  v.template list<std::uint32_t>("instances", m.instances);
}

// -- The rest ---------------------------------------------------------------------------------------------------------

template <class V>
void fields(V& v, WorldLink& m) {
  v.template text<std::uint32_t>("from", m.from).template text<std::uint32_t>("to", m.to);
}
template <class V>
void fields(V& v, Weapon& m) {
  v("flag", m.flag)("pos", m.pos)("direction", m.direction)("first_delay", m.first_delay);
  v.template list<std::uint16_t>("delays", m.delays);
}
template <class V>
void fields(V& v, Zone& m) {
  v("pos", m.pos)("size", m.size)("rotation", m.rotation);
  v("flag_count", m.flag_count)("team_count", m.team_count)("safety_count", m.safety_count);
  v.list("flags", m.flag_count, m.flags);
  v.list("teams", m.team_count, m.teams);
  v.list("safeties", m.safety_count, m.safeties);
}
template <class V>
void fields(V& v, GroupWorld& m) {
  v.template list<std::uint32_t>("dynamic_colors", m.dynamic_colors);
  v.template list<std::uint32_t>("texture_matrices", m.texture_matrices);
  v.template list<std::uint32_t>("materials", m.materials);
  v.template list<std::uint32_t>("drivers", m.drivers);
  v.template list<std::uint32_t>("transforms", m.transforms);
  v("world", m.world);
  v.template list<std::uint32_t>("groups", m.groups);
  v.template list<std::uint32_t>("links", m.links);
  v("water_level", m.water_level);
  v.when("water_level >= 0", m.water_level >= 0, [&] { v("water_material", m.water_material); });
  v.template list<std::uint32_t>("weapons", m.weapons);
  v.template list<std::uint32_t>("zones", m.zones);
}

namespace {

constexpr std::uint32_t kRecords = k110 | kWiki, kGroups = kFrom20;

struct Records {
  using Dialect = bzflag::Dialect;
  using Message = Record;
  static constexpr std::size_t kEnvelope = 4;
  static std::uint32_t code(const wire::Frame& frame) {
    return static_cast<std::uint32_t>(frame.bytes[2] << 8U | frame.bytes[3]);
  }
  static void seal(Buffer& out, std::size_t start, std::uint32_t code) {
    const std::size_t size = out.size() - start - kEnvelope;
    for (const std::size_t number : {size, std::size_t{code}}) {
      out[start++] = static_cast<std::uint8_t>(number >> 8U);
      out[start++] = static_cast<std::uint8_t>(number);
    }
  }
  static std::span<const wire::TypedRow<Records>> rows();
};

template <class T>
constexpr wire::TypedRow<Records> record(const char* what) {
  return wire::row_of<Records, T>({what, T::kCode, T::kCode, 2, 1, wire::Stage::kPlay, kRecords});
}

struct Groups {
  using Dialect = bzflag::Dialect;
  using Message = std::variant<GroupWorld>;
  static constexpr std::size_t kEnvelope = 0;
  static std::uint32_t code(const wire::Frame&) { return 0; }
  static void seal(Buffer&, std::size_t, std::uint32_t) {}
  static std::span<const wire::TypedRow<Groups>> rows() {
    static const wire::TypedRow<Groups> kRows[] = {
        wire::row_of<Groups, GroupWorld>({"GroupWorld", 0, 0, 2, 1, wire::Stage::kPlay, kGroups})};
    return kRows;
  }
};

wire::Frame frame_of(Bytes bytes) { return {wire::Way::kToClient, wire::Lane::kStream, wire::Stage::kPlay, bytes}; }

}  // namespace

std::span<const wire::TypedRow<Records>> Records::rows() {
  static const wire::TypedRow<Records> kRows[] = {
      record<RecordHeader>("WorldHeader"),
      record<StyleHeader>("WorldStyle"),
      record<RecordBase>("Base"),
      record<RecordWall>("Wall"),
      record<RecordBox>("Box"),
      record<RecordPyramid>("Pyramid"),
      record<RecordTeleporter>("Teleporter"),
      record<RecordLink>("Link"),
      record<RecordEnd>("End"),
  };
  return kRows;
}

Result<RecordWorld> read_records(Bytes database, std::size_t dialect) {
  wire::TypedCodec<Records> codec(kDialects[dialect], dialect);
  RecordWorld world;
  for (std::size_t at = 0;;) {
    const Bytes left = database.subspan(at);
    if (left.size() < Records::kEnvelope) return Fault{"world without an end", "record", at};
    const std::size_t size = Records::kEnvelope + static_cast<std::size_t>(left[0] << 8U | left[1]);
    if (size > left.size()) return Fault{"message too short", "record", at};
    const auto row = codec.decode(frame_of(left.first(size)));
    if (!row) return Fault{row.error().what, row.error().field, at + row.error().offset};
    at += size;
    if (std::holds_alternative<RecordEnd>(codec.message())) {
      if (at < database.size()) return Fault{"bytes left over", "", at};
      return world;
    }
    world.records.push_back(codec.message());
  }
}

void write_records(const RecordWorld& world, std::size_t dialect, Buffer& out) {
  const wire::TypedCodec<Records> codec(kDialects[dialect], dialect);
  const auto write = [&](const Record& record) {
    const auto code = std::visit([](const auto& r) { return std::decay_t<decltype(r)>::kCode; }, record);
    codec.write(record, wire::Way::kToClient, out, code);
  };
  for (const Record& record : world.records) write(record);
  write(RecordEnd{});
}

Result<GroupWorld> read_groups(Bytes inflated, std::size_t dialect) {
  GroupWorld world;
  wire::Reader<Dialect> reader(inflated, kDialects[dialect]);
  fields(reader, world);
  if (!reader.finish()) return reader.fault();
  return world;
}

void write_groups(const GroupWorld& world, std::size_t dialect, Buffer& out) {
  wire::Writer<Dialect> writer(out, kDialects[dialect]);
  fields(writer, const_cast<GroupWorld&>(world));  // the Writer only reads
}

std::unique_ptr<wire::Codec> make_record_codec(std::size_t dialect) {
  if (kDialects[dialect].grouped_world) return nullptr;
  return std::make_unique<wire::TypedCodec<Records>>(kDialects[dialect], dialect);
}

std::unique_ptr<wire::Codec> make_groups_codec(std::size_t dialect) {
  if (!kDialects[dialect].grouped_world) return nullptr;
  return std::make_unique<wire::TypedCodec<Groups>>(kDialects[dialect], dialect);
}

}  // namespace entente::bzflag
