#include "proxy/program/redact/world_book.h"

#include <algorithm>

#include "adapters/aos/world/map_stream.h"
#include "adapters/bzflag/bzflag.h"
#include "adapters/bzflag/world/wire_world.h"
#include "adapters/wire/md5.h"

namespace entente {
namespace {

using wire::Kept, wire::ListEnd, wire::Scalar, wire::TextEnd;

constexpr std::size_t kMostKeptBytes = 256U << 20U;  // bytes of worlds that are not yet complete
constexpr std::size_t kMostOfOne = 32U << 20U;       // bytes of a packed world
constexpr std::size_t kMostWorlds = 4096;            // different ones

std::string md5_of(Bytes bytes) { return to_hex(wire::md5(bytes)); }

/// A visitor that looks at few fields.
class FewFieldsVisitor : public wire::FieldVisitor {
 public:
  void scalar(const char*, Scalar&) override {}
  void fixed_text(const char*, std::span<char>) override {}
  void text(const char*, std::string&, TextEnd, bool&) override {}
  void padding(const char*, std::span<std::uint8_t>) override {}
  void rest(const char*, Buffer&, Kept) override {}
  bool part(const char*, bool there, bool) override { return there; }
  std::size_t form(const char*, std::size_t now, std::span<const std::size_t>) override { return now; }
  std::size_t list(const char*, ListEnd, std::size_t count, std::size_t) override { return count; }
};

/// A number and the bytes of a piece: reads them, or sets them.
class PieceVisitor final : public FewFieldsVisitor {
 public:
  explicit PieceVisitor(std::string_view name) : name_(name) {}

  std::uint64_t number = 0;
  Buffer data;
  std::string md5;

  void set(std::uint64_t value, Bytes bytes) {
    sets_ = true;
    number = value;
    data.assign(bytes.begin(), bytes.end());
  }

  void scalar(const char* name, Scalar& value) override {
    if (name == std::string_view("md5")) md5 += static_cast<char>(value.bits);
    if (name != name_) return;
    if (sets_)
      value.bits = number;
    else
      number = value.bits;
  }
  void rest(const char*, Buffer& bytes, Kept) override {
    if (sets_)
      bytes = data;
    else
      data = bytes;
  }

 private:
  const std::string_view name_;
  bool sets_ = false;
};

/// Replaces the words of all texts in a world of groups. Names stay different from each other, and links still lead to
/// what they name.
class NameVisitor final : public FewFieldsVisitor {
 public:
  void fixed_text(const char*, std::span<char> chars) override {
    for (char& c : chars)  // codes of flags
      if (c != '*' && c != '+' && !is_of_word(c)) c = '\0';
  }
  void text(const char* name, std::string& chars, TextEnd, bool&) override {
    chars.resize(std::min(chars.find('\0'), chars.size()));  // a map of materials may follow
    if (name == std::string_view("death")) {
      if (!chars.empty()) chars = "[text]";
      return;
    }
    std::string out;
    for (std::size_t at = 0; at < chars.size();) {
      std::size_t end = at;
      while (end < chars.size() && is_of_word(chars[end])) ++end;
      if (end == at)
        out += std::string_view("/:*?.").find(chars[at]) != std::string_view::npos ? chars[at] : '_', end = at + 1;
      else
        out += other(chars.substr(at, end - at));
      at = end;
    }
    chars = std::move(out);
  }

 private:
  static bool is_of_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }
  std::string other(const std::string& word) {
    // Textures of released programs, and what stands in the names of links.
    static constexpr std::string_view kStock[] = {"boxwall", "roof", "pyrwall", "wall", "mesh",   "telelink",
                                                  "caution", "f",    "b",       "std",  "ground", "base"};
    if (std::find(std::begin(kStock), std::end(kStock), word) != std::end(kStock)) return word;
    const bool numbered = word.size() <= 4 && word.size() >= 2 && word[0] == 't' &&
                          word.find_first_not_of("0123456789", 1) == std::string::npos;
    if (numbered) return word;  // "/t0:f", a teleporter by its number
    return words_.try_emplace(word, "n" + std::to_string(words_.size() + 1)).first->second;
  }

  std::map<std::string, std::string> words_;
};

/// Removes what bzfs hides behind the texture coordinates of meshes: how to draw them, with names of people's choice.
void remove_draw_info(bzflag::GroupWorld& world) {
  constexpr std::uint8_t kDrawInfo = 1U << 4U;
  for (bzflag::Group& group : world.groups)
    for (bzflag::Mesh& mesh : group.meshes) {
      std::size_t used = 0;
      for (const bzflag::Face& face : mesh.faces)
        for (const auto index : face.texcoords)
          if (index >= 0) used = std::max(used, static_cast<std::size_t>(index) + 1);
      mesh.texcoords.resize(std::min(used, mesh.texcoords.size()));
      mesh.state &= static_cast<std::uint8_t>(~kDrawInfo);
    }
}

/// Resources of the draft are records of numbers, each of one length.
bool is_resource(Bytes bytes) {
  struct Form {
    std::uint16_t code;
    std::size_t size;
  };
  static constexpr Form kForms[] = {{0x6865, 30}, {0x7374, 30}, {0x6261, 42}, {0x776c, 24}, {0x6278, 29},
                                    {0x7079, 29}, {0x7465, 33}, {0x6c6e, 4},  {0x7273, 16}, {0x6564, 0}};
  while (bytes.size() >= 4) {
    const std::size_t size = static_cast<std::size_t>(bytes[0] << 8U | bytes[1]);
    const auto code = static_cast<std::uint16_t>(bytes[2] << 8U | bytes[3]);
    const bool known = std::any_of(std::begin(kForms), std::end(kForms),
                                   [&](const Form& form) { return form.code == code && form.size == size; });
    if (!known || bytes.size() - 4 < size) return false;
    bytes = bytes.subspan(4 + size);
    if (code == 0x6564) return bytes.empty();
  }
  return false;
}

}  // namespace

/// Where this place of the former world is in what became of it.
std::size_t WorldBook::World::at(std::size_t place) const {
  return is.empty() ? place : was == 0 ? 0 : static_cast<std::size_t>(std::uint64_t{place} * is.size() / was);
}

WorldBook::Piece WorldBook::take(std::uint32_t link, const GameDialect& game_dialect, const wire::Row& row,
                                 wire::Codec& codec) {
  const std::string_view game = game_dialect.game->name(), name = row.name;
  const bool down = (row.ways & static_cast<std::uint8_t>(wire::Way::kToClient)) != 0;
  if (game == "bzflag" && name == "MsgGetWorld") {
    if (down) return world_piece(downloads_[link], game_dialect.dialect, codec);
    world_request(downloads_[link], codec);
    return Piece::kFits;
  }
  if (game == "aos" && (name == "MapStart" || name == "MapChunk" || name == "StateData"))
    return map_piece(downloads_[link], row, codec);
  if (game == "bzdraft" && name == "MsgGetResource" && down) return resource_piece(link, codec);
  return Piece::kNone;
}

void WorldBook::learned() {
  for (auto& [link, download] : downloads_) finish_map(download);
  learning_ = false;
  for (auto& [link, download] : downloads_) {
    download.bytes = Buffer();
    download.place = download.next = 0;
    download.begun = false;
  }
  resources_.clear();
}

void WorldBook::begin(Download& download) {
  download.begun = true;
  download.too_long = false;
  kept_ -= download.bytes.size();
  download.bytes.clear();
  download.place = 0;
  if (learning_)
    download.worlds.push_back(nullptr);
  else
    ++download.next;
}

void WorldBook::keep(Download& download, Bytes bytes) {
  if (!learning_) return;
  download.too_long =
      download.too_long || download.bytes.size() + bytes.size() > kMostOfOne || kept_ + bytes.size() > kMostKeptBytes;
  if (download.too_long) return;
  append(download.bytes, bytes);
  kept_ += bytes.size();
}

const WorldBook::World* WorldBook::current(const Download& download) const {
  return download.next == 0 || download.next > download.worlds.size() ? nullptr
                                                                      : download.worlds[download.next - 1].get();
}

/// Only the last piece has 0 in `left`. In others, bzfs counts the piece itself, too.
WorldBook::Piece WorldBook::world_piece(Download& download, std::size_t dialect, wire::Codec& codec) {
  PieceVisitor piece("left");
  codec.visit(piece);
  if (!download.begun) begin(download);
  keep(download, piece.data);
  const std::size_t from = download.place;
  download.place += piece.data.size();
  const bool complete = piece.number == 0;
  if (complete) download.begun = false;
  if (learning_) {
    if (!complete) return Piece::kFits;
    if (!download.too_long) download.worlds.back() = read_world(download.bytes, dialect);
    kept_ -= download.bytes.size();
    download.bytes.clear();
    return Piece::kFits;
  }
  const World* world = current(download);
  if (world == nullptr || download.place > world->was) return Piece::kUnknown;
  if (world->is.empty()) return Piece::kFits;
  const std::size_t begin = world->at(from), end = world->at(download.place);
  const bool with_itself = piece.number == world->was - from;
  piece.set(complete ? 0 : world->is.size() - (with_itself ? begin : end),
            Bytes(world->is).subspan(begin, end - begin));
  codec.visit(piece);
  return Piece::kFits;
}

/// The client asks for the rest, from this place on; at 0, it begins anew.
void WorldBook::world_request(Download& download, wire::Codec& codec) const {
  PieceVisitor request("offset");
  codec.visit(request);
  if (request.number == 0) download.begun = false;
  const World* world = current(download);
  if (learning_ || world == nullptr || request.number > world->was) return;
  request.set(world->at(static_cast<std::size_t>(request.number)), {});
  codec.visit(request);
}

/// Null: it cannot be read.
WorldBook::WorldPointer WorldBook::read_world(Bytes bytes, std::size_t dialect) {
  const std::string name = md5_of(bytes);
  const auto known = read_.find({dialect, name});
  if (known != read_.end()) return known->second;
  if (read_.size() >= kMostWorlds) return nullptr;
  WorldPointer& made = read_[{dialect, name}];
  const auto world = bzflag::read_world(bytes, dialect);
  if (!world) return nullptr;
  auto read = std::make_shared<World>();
  read->was = bytes.size();
  made = read;
  const auto codec = bzflag::make_groups_codec(dialect);
  if (codec == nullptr) return made;  // records are only numbers
  const auto inflated = bzflag::inflate_world(bytes);
  const wire::Frame frame{wire::Way::kToClient, wire::Lane::kStream, wire::Stage::kPlay, *inflated};
  if (!codec->decode(frame)) return made = nullptr;
  NameVisitor names;
  codec->visit(names);
  Buffer again;
  codec->encode(again);
  auto groups = bzflag::read_groups(again, dialect);
  if (!groups) return made = nullptr;
  groups->version = std::get_if<bzflag::GroupWorld>(&*world)->version;
  remove_draw_info(*groups);
  bzflag::write_world(bzflag::World(std::move(*groups)), dialect, read->is);  // bytes behind the packed ones go
  censor_.hash_became(name, md5_of(read->is));
  return made;
}

WorldBook::Piece WorldBook::map_piece(Download& download, const wire::Row& row, wire::Codec& codec) {
  const std::string_view name = row.name;
  if (name != "MapChunk") {
    if (learning_) finish_map(download);
    download.begun = false;
    if (name == "MapStart") begin(download);
    return Piece::kNone;
  }
  if (!download.begun) return Piece::kUnknown;
  if (!learning_) return current(download) != nullptr ? Piece::kFits : Piece::kUnknown;
  PieceVisitor piece("");
  codec.visit(piece);
  keep(download, piece.data);
  return Piece::kFits;
}

void WorldBook::finish_map(Download& download) {
  if (!download.begun || download.bytes.empty()) return;
  if (!download.too_long && is_map(download.bytes)) download.worlds.back() = std::make_shared<World>();
  kept_ -= download.bytes.size();
  download.bytes = Buffer();
  download.begun = false;
}

/// Whether the stream is a map, or the beginning of one, and nothing else.
bool WorldBook::is_map(Bytes bytes) {
  const auto [known, anew] = maps_.try_emplace(md5_of(bytes), false);
  if (anew) known->second = maps_.size() <= kMostWorlds && !aos::MapReceiver().feed(bytes);
  return known->second;
}

WorldBook::Piece WorldBook::resource_piece(std::uint32_t link, wire::Codec& codec) {
  PieceVisitor piece("remaining");
  codec.visit(piece);
  PieceVisitor place("offset");
  codec.visit(place);
  const std::string name = to_hex(as_bytes(piece.md5));
  if (!learning_) {
    const auto known = good_resources_.find(name);
    if (known == good_resources_.end() || place.number > known->second.size()) return Piece::kUnknown;
    const Bytes rest = Bytes(known->second).subspan(static_cast<std::size_t>(place.number));
    const bool fits =
        piece.data.size() + piece.number == rest.size() && same(rest.first(piece.data.size()), piece.data);
    return fits ? Piece::kFits : Piece::kUnknown;
  }
  if (resources_.size() >= kMostWorlds && !resources_.contains({link, name})) return Piece::kFits;
  Download& download = resources_[{link, name}];
  if (place.number == 0) {
    kept_ -= download.bytes.size();
    download.bytes.clear();
  }
  keep(download, piece.data);
  if (piece.number != 0) return Piece::kFits;
  const bool good = !download.too_long && md5_of(download.bytes) == name && is_resource(download.bytes);
  kept_ -= download.bytes.size();
  if (good && good_resources_bytes_ + download.bytes.size() <= kMostKeptBytes &&
      good_resources_.try_emplace(name, download.bytes).second)
    good_resources_bytes_ += download.bytes.size();
  resources_.erase({link, name});
  return Piece::kFits;
}

}  // namespace entente
