// `entente redact`: a canary is put into every text, address and byte field of every message of every dialect, and of
// every word. The output has no canary in any encoding, compressed or not.
#include <doctest/doctest.h>
#include <zlib.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "adapters/aos/wire/cp437.h"
#include "adapters/bzflag/wire/dialect.h"
#include "adapters/bzflag/world/wire_world.h"
#include "adapters/native/codec.h"
#include "adapters/ogar/wire/text.h"
#include "adapters/registry.h"
#include "adapters/wire/invent.h"
#include "proxy/program/recordings/verify.h"
#include "proxy/program/redact/redact.h"
#include "proxy/program/redact/redactor.h"
#include "proxy/relay/tap/room_words.h"
#include "tests/program/folder.h"
#include "tests/program/recorded.h"
#include "tests/program/redact/redacted.h"

namespace entente::redact_canary_test {
namespace {

using wire::Kept, wire::Lane, wire::ListEnd, wire::Personal, wire::Scalar, wire::Stage, wire::TextEnd, wire::Way;

const std::string kCanary = "KwXqVz";  // its first four bytes are sought: some fields are short
constexpr std::size_t kSought = 4;
constexpr std::string_view kRefusal = "REFUSED:no";
const std::string kForeign = "\xc3\x84\xc3\xb6\xc3\x9f";  // in UTF-8, and in code page 437
constexpr std::uint8_t kIp[] = {77, 188, 99, 211};
const std::string kIpText = "77.188.99.211", kIp6Text = "2a02:8071:4bad::77";

// -- Finding ----------------------------------------------------------------------------------------------------------

std::string units(const std::string& text, bool big) {
  std::string out;
  for (const char c : text) {
    if (big) out += '\0';
    out += c;
    if (!big) out += '\0';
  }
  return out;
}

/// REQUIRES: a multiple of three bytes.
std::string base64(const std::string& text) {
  static constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t at = 0; at + 2 < text.size(); at += 3) {
    const auto byte = [&](std::size_t i) { return std::uint32_t{static_cast<unsigned char>(text[at + i])}; };
    const std::uint32_t three = byte(0) << 16U | byte(1) << 8U | byte(2);
    for (const unsigned shift : {18U, 12U, 6U, 0U}) out += kDigits[three >> shift & 63U];
  }
  return out;
}

std::map<std::string, std::string> needles() {
  const std::string head = kCanary.substr(0, kSought);
  return {{"text", head},
          {"UTF-16LE", units(head, false)},
          {"UTF-16BE", units(head, true)},
          {"UTF-8", kForeign},
          {"CP437", aos::to_wire(kForeign)},
          {"UTF-16LE of other letters", ogar::widen(kForeign)},
          {"base64", base64(kCanary)},
          {"an address in text", kIpText},
          {"an IPv6 address in text", kIp6Text.substr(0, 9)},
          {"an address", std::string(reinterpret_cast<const char*>(kIp), sizeof kIp)}};
}

/// The zlib streams in it, inflated.
void add_inflated(std::string_view bytes, std::vector<std::string>& to) {
  for (std::size_t at = 0; (at = bytes.find('\x78', at)) != bytes.npos; ++at) {
    if (at + 1 >= bytes.size() || ((0x78U << 8U) + static_cast<unsigned char>(bytes[at + 1])) % 31 != 0) continue;
    z_stream stream{};
    if (inflateInit(&stream) != Z_OK) return;
    std::string out(1U << 20U, '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data() + at));
    stream.avail_in = static_cast<uInt>(bytes.size() - at);
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    (void)inflate(&stream, Z_SYNC_FLUSH);
    out.resize(out.size() - stream.avail_out);
    inflateEnd(&stream);
    if (!out.empty()) to.push_back(std::move(out));
  }
}

struct Found {
  std::vector<std::string> texts;  // everything that a reader can see
  std::set<std::string> messages;
};

/// The texts are: the raw file, its messages and metadata, the concatenated frames of each link, and the inflated zlib
/// streams in all of these.
Found look_into(const std::string& path) {
  Found found;
  std::ifstream file(path, std::ios::binary);
  std::ostringstream raw;
  raw << file.rdbuf();
  found.texts.push_back(raw.str());
  std::map<std::pair<std::uint32_t, int>, std::string> data;
  const auto source = trace::FileSource::open(path);
  REQUIRE(source.ok());
  trace::mcap::Reader reader(**source);
  reader.learn_from_summary();
  for (;;) {
    const auto message = reader.next();
    REQUIRE(message.ok());
    if (*message == nullptr) break;
    found.texts.emplace_back(as_text((*message)->data));
    trace::Frame frame;
    const auto& schema = *reader.definitions().schema(reader.definitions().channel((*message)->channel)->schema);
    if (schema.name != trace::Frame::descriptor()->full_name()) continue;
    REQUIRE(frame.ParseFromString(found.texts.back()));
    data[{frame.link(), frame.way()}] += frame.data();
    found.messages.insert(frame.name());
    found.texts.push_back(frame.data());
  }
  for (const auto* all : {&reader.definitions().metadata(), &reader.summary_metadata()})
    for (const auto& one : *all)
      for (const auto& [key, value] : one.values) found.texts.push_back(one.name + " " + key + " " + value);
  for (auto& [link, bytes] : data) found.texts.push_back(std::move(bytes));
  const std::size_t count = found.texts.size();
  for (std::size_t i = 0; i < count; ++i) add_inflated(std::string(found.texts[i]), found.texts);
  return found;
}

/// The encodings in which a canary was found.
std::set<std::string> canaries_in(const Found& found) {
  std::set<std::string> there;
  for (const auto& [encoding, needle] : needles())
    for (const std::string& text : found.texts)
      if (text.find(needle) != text.npos) there.insert(encoding);
  return there;
}

// -- Planting ---------------------------------------------------------------------------------------------------------

/// Puts a canary into each field, and notes the fields that the game's table of personal data does not list.
class Planter final : public wire::FieldVisitor {
 public:
  Planter(const wire::Game& game, std::string message, std::set<std::string>& unsaid, std::set<std::string>& planted)
      : game_(game), message_(std::move(message)), unsaid_(unsaid), planted_(planted) {}

  void scalar(const char* name, Scalar& value) override {
    if (lists_.empty() || !lists_.back().direct) return;
    if (value.kind != wire::Kind::kU8 && value.kind != wire::Kind::kI8) return;
    List& list = lists_.back();
    const Personal kind = kind_of(name);
    if (list.at == 0 && (list.count > 3 || list.end != ListEnd::kFixed) && kind == Personal::kUnlisted)
      unsaid_.insert(message_ + "." + path_ + name);
    if (kind != Personal::kHarmless && kind != Personal::kUnlisted)
      value.bits = list.count == 4 ? kIp[list.at % 4] : static_cast<unsigned char>(kCanary[list.at % kCanary.size()]);
    ++list.at;
  }
  void fixed_text(const char* name, std::span<char> chars) override {
    plant(name);
    const std::string text = text_for(name);
    for (std::size_t i = 0; i < chars.size(); ++i) chars[i] = text[i % text.size()];
    if (chars.size() > 16) chars[6] = '\0';  // leftover memory after the end of the text
  }
  void text(const char* name, std::string& chars, TextEnd end, bool& open) override {
    plant(name);
    chars = text_for(name);
    if (game_.name() == "aos") chars = aos::to_wire(chars);
    if (end == TextEnd::kZero16) chars = ogar::widen(chars);
    if (end == TextEnd::kFrame && nth_++ % 2 == 0) chars += std::string("\0", 1) + kCanary;
    open = false;
  }
  void padding(const char*, std::span<std::uint8_t> bytes) override {
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(kCanary[i % kCanary.size()]);
  }
  void rest(const char* name, Buffer& bytes, Kept) override {
    plant(name);
    const std::string text = kCanary + kCanary;
    bytes.assign(text.begin(), text.end());
  }
  bool part(const char*, bool there, bool) override { return there; }
  std::size_t form(const char*, std::size_t now, std::span<const std::size_t>) override { return now; }
  std::size_t list(const char*, ListEnd end, std::size_t count, std::size_t) override {
    lists_.push_back({end, count, 0, true});
    return count;
  }
  void end_list() override { lists_.pop_back(); }
  void group(const char* name) override {
    lists_.push_back({ListEnd::kFixed, 0, 0, false});
    marks_.push_back(path_.size());
    (path_ += name) += '.';
  }
  void end_group() override {
    lists_.pop_back();
    path_.resize(marks_.back());
    marks_.pop_back();
  }

 private:
  struct List {
    ListEnd end;
    std::size_t count, at;
    bool direct;
  };

  Personal kind_of(const char* name) const { return personal_of(game_, message_, path_ + name); }
  void plant(const char* name) {
    planted_.insert(message_ + "." + path_ + name);
    if (kind_of(name) == Personal::kUnlisted) unsaid_.insert(message_ + "." + path_ + name);
  }
  /// Alternates between names with foreign letters, addresses, URLs and commands.
  std::string text_for(const char* name) {
    const std::string all[] = {kCanary + kForeign,
                               kCanary + kIpText,
                               kIpText + ":5154",
                               "http://" + kCanary + ".de/" + kCanary,
                               "/password " + kCanary,
                               kIp6Text,
                               kCanary};
    return kind_of(name) == Personal::kName ? all[0] : all[texts_++ % std::size(all)];
  }

  const wire::Game& game_;
  const std::string message_;
  std::set<std::string>&unsaid_, &planted_;
  std::string path_;
  std::vector<std::size_t> marks_;
  std::vector<List> lists_;
  std::size_t texts_ = 0, nth_ = 0;
};

/// Puts a canary into all texts and bytes of a word, and of the messages in it.
void plant(google::protobuf::Message& message, int depth = 0) {
  using google::protobuf::FieldDescriptor;
  const auto& type = *message.GetDescriptor();
  const auto& reflection = *message.GetReflection();
  for (int i = 0; i < type.field_count(); ++i) {
    const FieldDescriptor& field = *type.field(i);
    const bool text = field.type() == FieldDescriptor::TYPE_STRING, bytes = field.type() == FieldDescriptor::TYPE_BYTES;
    const std::string canary = field.name() == "address" ? kIpText + ":4242"
                               : bytes                   ? kCanary + kCanary
                                                         : kCanary + kForeign + " " + kIpText;
    if (text || bytes)
      field.is_repeated() ? reflection.AddString(&message, &field, canary)
                          : reflection.SetString(&message, &field, canary);
    if (field.message_type() == nullptr || depth > 3 || field.containing_oneof() != nullptr) continue;
    plant(field.is_repeated() ? *reflection.AddMessage(&message, &field) : *reflection.MutableMessage(&message, &field),
          depth + 1);
  }
  if (depth == 0) reflection.MutableUnknownFields(&message)->AddLengthDelimited(5000, kCanary + kForeign);
}

/// Calls `take(word)` with a planted word of each kind.
template <class Word, class Take>
void each_word(Take&& take) {
  const auto* kinds = Word::descriptor()->FindOneofByName("kind");
  for (int i = 0; i < kinds->field_count(); ++i) {
    Word word;
    plant(*word.GetReflection()->MutableMessage(&word, kinds->field(i)));
    take(word);
  }
}

trace::Opened opening_of(std::uint32_t link, const wire::Game& game, std::size_t dialect, bool at_play) {
  trace::Opened opened =
      opening(link, std::string(game.name()).c_str(), std::string(game.dialects()[dialect].name).c_str());
  opened.set_client(kIpText + ":" + std::to_string(4000 + link));
  opened.set_server(kCanary + ".example.org:5154");
  opened.set_listener("[" + kIp6Text + "]:5154");
  opened.set_continues(at_play);
  opened.set_client_sent(at_play);
  opened.set_server_sent(at_play);
  if (at_play) opened.set_before(kCanary + ".mcap");
  return opened;
}

void check_exact(const std::string& path) {
  std::ostringstream out, err;
  CHECK_MESSAGE(verify({{path}}, out, err) == kOk, path, ": ", out.str(), err.str());
  const std::string text = out.str();
  const auto number = [&](const std::string& name) {
    const auto at = text.rfind(name + "=");
    return at == text.npos ? std::string()
                           : text.substr(at + name.size() + 1, text.find(' ', at) - at - name.size() - 1);
  };
  CHECK_MESSAGE(number("frames") == number("exact"), text);
}

TEST_CASE("no canary is left of any field of any message of any dialect, and all messages are exact") {
  const Folder folder;
  std::set<std::string> unsaid, planted;
  std::set<std::string> sent, left;
  WallTime now = 1'700'000'000'000'000'000;
  for (const wire::Game* tcp : games())
    for (const wire::Game* game : std::set<const wire::Game*>{tcp, tcp->over_web()}) {
      if (game == nullptr || game->name().starts_with("native")) continue;  // tested below as words
      const std::string path = folder.file(std::string(game->name()) + ".mcap");
      const std::string out = folder.file(std::string(game->name()) + "-out.mcap");
      const auto to = recorder(path);
      std::uint32_t link = 0;
      wire::Random random(20261123);
      for (std::size_t dialect = 0; dialect < game->dialects().size(); ++dialect) {
        const std::uint32_t playing = ++link;
        to->opened(now, opening_of(playing, *game, dialect, true));
        const auto codec = game->codec(dialect);
        for (const wire::Row& row : codec->rows())
          for (const Way way : {Way::kToServer, Way::kToClient}) {
            const bool there = (row.dialects >> dialect & 1U) != 0 && (row.ways & static_cast<std::uint8_t>(way)) != 0;
            for (int round = 0; there && round < 40; ++round) {
              wire::invent(row, way, *codec, random);
              Planter planter(*game, row.name, unsaid, planted);
              codec->visit(planter);
              Buffer bytes;
              codec->encode(bytes);
              const Lane lane = (row.lanes & 1U) != 0 ? Lane::kStream : Lane::kDatagram;
              REQUIRE_MESSAGE(codec->decode({way, lane, row.stage, bytes}).ok(), row.name);
              std::uint32_t its = playing;
              if (row.stage == Stage::kGreeting) to->opened(now, opening_of(its = ++link, *game, dialect, false));
              if (row.name == std::string_view("RefusedMore"))  // continues a refusal
                to->frame(now += 1000, {its, trace::TO_CLIENT, trace::STREAM, as_bytes(kRefusal), "Refused", false});
              to->frame(now += 1000, {its, way == Way::kToServer ? trace::TO_SERVER : trace::TO_CLIENT,
                                      lane == Lane::kStream ? trace::STREAM : trace::DATAGRAM, bytes, row.name, false});
              if (its != playing) to->closed(now, its, "bad frame: " + kCanary + " " + kIpText);
              sent.insert(std::string(game->name()) + " " + row.name);
            }
          }
        // Bytes that are not a message.
        const std::string garbage = "GET / HTTP/1.1\r\nHost: " + kCanary + "\r\nX-Forwarded-For: " + kIpText + "\r\n";
        to->frame(now += 1000, {playing, trace::TO_SERVER, trace::STREAM, as_bytes(garbage), "", true});
        to->note(now, playing, "the server " + kIpText + " refused: " + kCanary + kForeign);
        to->closed(now, playing, kCanary);
      }
      REQUIRE(to->close(now).ok());
      const Found before = look_into(path);
      REQUIRE(canaries_in(before).contains("text"));

      const Redacted made = redacted({path, out});
      REQUIRE_MESSAGE(made.exit == kOk, made.err);
      CHECK(made.out.find("not cut into messages") != std::string::npos);
      const Found after = look_into(out);
      CHECK_MESSAGE(canaries_in(after) == std::set<std::string>(), game->name());
      check_exact(out);
      for (const std::string& name : after.messages) left.insert(std::string(game->name()) + " " + name);
    }
  CHECK(unsaid == std::set<std::string>());
  std::set<std::string> gone;
  std::set_difference(sent.begin(), sent.end(), left.begin(), left.end(), std::inserter(gone, gone.end()));
  std::string lost;
  for (const std::string& name : gone) lost += name + "; ";
  CHECK(lost ==
        "aos ExtensionPacket; aos Hello; aos HelloReply; aos MapChunk; bzflag MsgAudio; bzflag MsgKrbPrincipal; "
        "bzflag MsgKrbTicket; bzflag MsgServerControl; bzflag MsgVideo; ");
}

TEST_CASE("no canary is left of any word, world, note or attachment") {
  const Folder folder;
  const std::string path = folder.file("words.mcap"), out = folder.file("out.mcap");
  trace::RecorderOptions options;
  options.metadata = {{kCanary, {{kCanary, kForeign + kIpText}}}};
  auto opened = trace::Recorder::open(path, options);
  REQUIRE(opened.ok());
  const auto to = std::move(*opened);
  const wire::Game& game = *find_game("native");
  WallTime now = 1'700'000'000'000'000'000;
  std::uint32_t link = 0, words = 0, frames = 0;
  for (std::size_t dialect = 0; dialect < 2; ++dialect) {
    const wire::Game* both[] = {&game, game.over_web()};
    for (const wire::Game* one : both) {
      to->opened(now, opening_of(++link, *one, dialect, false));
      trace::Snapshot snapshot;
      const auto record = [&](const google::protobuf::Message& word, trace::WordKind kind) {
        const std::string bytes = word.SerializeAsString();
        to->word(now += 1000, link, kind, as_bytes(bytes));
        const bool in_stream = one == &game;
        const native::Envelope envelope{static_cast<native::Dialect>(dialect), in_stream};
        Buffer frame;
        envelope.wrap(frame, [&](Buffer& at) { native::spell(envelope.dialect, word, at); });
        to->frame(now, {link, kind == trace::WordKind::kFact ? trace::TO_CLIENT : trace::TO_SERVER, trace::STREAM,
                        frame, "", false});
        ++words, ++frames;
      };
      each_word<words::Intent>([&](const words::Intent& word) { record(word, trace::WordKind::kIntent); });
      each_word<words::Fact>([&](const words::Fact& word) {
        record(word, trace::WordKind::kFact);
        if (!word.has_world()) *snapshot.add_facts() = word;
      });
      words::World world;
      plant(world);
      const trace::Geometry geometry = relay::geometry_of(world);
      to->geometry(geometry);
      snapshot.set_link(link);
      snapshot.set_geometry(geometry.hash());
      to->world(now, snapshot);
      to->note(now, link, kCanary + " says: the tap could not keep up with " + kIpText);
      to->closed(now, link, "client left");
    }
  }
  REQUIRE(to->close(now).ok());
  REQUIRE(canaries_in(look_into(path)).size() >= 4);

  const Redacted made = redacted({path, out});
  REQUIRE_MESSAGE(made.exit == kOk, made.err);
  CHECK(made.out.find(std::to_string(frames) + " frames, " + std::to_string(words) + " words\n") != std::string::npos);
  CHECK(made.out.find("left out") == std::string::npos);
  CHECK(canaries_in(look_into(out)) == std::set<std::string>());
  check_exact(out);

  const auto recording = trace::Recording::open(out);
  REQUIRE(recording.ok());
  bool world = false, note = false;
  for (;;) {
    const auto event = (*recording)->next();
    REQUIRE(event.ok());
    if (*event == nullptr) break;
    if ((*event)->note != nullptr && (*event)->note->link() != 0)
      note = note || (*event)->note->text().find(": the tap could not keep up") != std::string::npos;
    if ((*event)->world == nullptr) continue;
    const auto geometry = (*recording)->find_geometry((*event)->world->geometry());
    REQUIRE(geometry.ok());
    world = *geometry != nullptr;
  }
  CHECK(world);
  CHECK(note);
}

TEST_CASE("every text of the schema is listed as personal or not") {
  std::vector<const google::protobuf::Descriptor*> types;
  const auto* file = words::Fact::descriptor()->file();
  for (int i = 0; i < file->message_type_count(); ++i) types.push_back(file->message_type(i));
  std::set<std::string> unsaid;
  for (std::size_t i = 0; i < types.size(); ++i) {
    for (int nth = 0; nth < types[i]->nested_type_count(); ++nth) types.push_back(types[i]->nested_type(nth));
    for (int nth = 0; nth < types[i]->field_count(); ++nth) {
      const auto& field = *types[i]->field(nth);
      const bool text = field.cpp_type() == google::protobuf::FieldDescriptor::CPPTYPE_STRING;
      if (text && personal_of(field) == Personal::kUnlisted) unsaid.insert(field.full_name());
    }
  }
  CHECK(unsaid == std::set<std::string>());
}

// -- Worlds in pieces -------------------------------------------------------------------------------------------------

Buffer frame_of(wire::Codec& codec, const char* name, Way way, const std::function<void(wire::Codec&)>& fill) {
  for (const wire::Row& row : codec.rows()) {
    if (std::string_view(row.name) != name || (row.ways & static_cast<std::uint8_t>(way)) == 0) continue;
    codec.make(row, way);
    fill(codec);
    Buffer bytes;
    codec.encode(bytes);
    return bytes;
  }
  FAIL("no such message");
  return {};
}

/// Sets a number, all texts and the bytes at the end.
class Filler final : public wire::FieldVisitor {
 public:
  Filler(std::string_view name, std::uint64_t number, Bytes data, std::string text = {})
      : name_(name), number_(number), data_(data), text_(std::move(text)) {}
  void scalar(const char* name, Scalar& value) override {
    if (name == name_) value.bits = number_;
  }
  void fixed_text(const char*, std::span<char>) override {}
  void text(const char*, std::string& chars, TextEnd, bool&) override { chars = text_; }
  void padding(const char*, std::span<std::uint8_t>) override {}
  void rest(const char*, Buffer& bytes, Kept) override { bytes.assign(data_.begin(), data_.end()); }
  bool part(const char*, bool there, bool) override { return there; }
  std::size_t form(const char*, std::size_t now, std::span<const std::size_t>) override { return now; }
  std::size_t list(const char*, ListEnd, std::size_t count, std::size_t) override { return count; }

 private:
  std::string_view name_;
  std::uint64_t number_;
  Bytes data_;
  std::string text_;
};

TEST_CASE("packed worlds of BZFlag are packed again without canaries, with the new offsets and the new hash") {
  for (const char* name : {"2.4", "2.0"}) {
    const Folder folder;
    const wire::Game& game = *find_game("bzflag");
    const std::size_t dialect = *find_dialect(game, name);
    const auto groups = bzflag::make_groups_codec(dialect);
    wire::Random random(7);
    Buffer inflated;
    do {
      wire::invent(groups->rows()[0], Way::kToClient, *groups, random, 4000);
      std::set<std::string> unsaid, planted;
      Planter planter(game, "World", unsaid, planted);
      groups->visit(planter);
      inflated.clear();
      groups->encode(inflated);
    } while (inflated.size() < 4000 || inflated.size() > 60'000);
    const auto world = bzflag::read_groups(inflated, dialect);
    REQUIRE(world.ok());
    Buffer database;
    bzflag::write_world(bzflag::World(*world), dialect, database);

    const std::string path = folder.file("in.mcap"), out = folder.file("out.mcap");
    const auto to = recorder(path);
    to->opened(1, opening_of(1, game, dialect, true));
    const auto codec = game.codec(dialect);
    WallTime now = 1000;
    const auto record = [&](trace::Way way, const Buffer& bytes) {
      to->frame(now += 1000, {1, way, trace::STREAM, bytes, "", false});
    };
    const std::string hash = bzflag::world_hash(database, bzflag::WorldSource::kFile);
    record(trace::TO_CLIENT, frame_of(*codec, "MsgWantWHash", Way::kToClient, [&](wire::Codec& one) {
             Filler filler("", 0, {}, hash + std::string(1, '\0'));
             one.visit(filler);
           }));
    constexpr std::size_t kPiece = 300;
    for (std::size_t at = 0; at < database.size(); at += kPiece) {
      const std::size_t size = std::min(kPiece, database.size() - at);
      record(trace::TO_SERVER, frame_of(*codec, "MsgGetWorld", Way::kToServer, [&](wire::Codec& one) {
               Filler filler("offset", at, {});
               one.visit(filler);
             }));
      record(trace::TO_CLIENT, frame_of(*codec, "MsgGetWorld", Way::kToClient, [&](wire::Codec& one) {
               Filler filler("left", database.size() - at - size, Bytes(database).subspan(at, size));
               one.visit(filler);
             }));
    }
    REQUIRE(to->close(now).ok());
    const Redacted made = redacted({path, out});
    REQUIRE_MESSAGE(made.exit == kOk, made.err);
    CHECK(made.out.find("left out") == std::string::npos);
    check_exact(out);

    // Read the world as a client does: each request has the offset after the bytes received so far.
    Buffer again;
    std::string told;
    const auto recording = trace::Recording::open(out);
    REQUIRE(recording.ok());
    for (;;) {
      const auto event = (*recording)->next();
      REQUIRE(event.ok());
      if (*event == nullptr) break;
      if ((*event)->frame == nullptr) continue;
      const Bytes frame = as_bytes((*event)->frame->data());
      const auto number = [&] {
        return static_cast<std::size_t>(frame[4]) << 24U | static_cast<std::size_t>(frame[5]) << 16U |
               static_cast<std::size_t>(frame[6]) << 8U | frame[7];
      };
      if ((*event)->frame->name() == "MsgWantWHash")
        told = as_text(frame.subspan(4, 33));
      else if ((*event)->frame->way() == trace::TO_SERVER)
        CHECK(number() == again.size());
      else
        append(again, frame.subspan(8));
    }
    CHECK(told == bzflag::world_hash(again, bzflag::WorldSource::kFile));
    CHECK(told != hash);
    const auto unpacked = bzflag::inflate_world(again);
    REQUIRE(unpacked.ok());
    REQUIRE(bzflag::read_world(again, dialect).ok());
    CHECK(as_text(inflated).find(kCanary) != std::string_view::npos);
    CHECK(as_text(*unpacked).find(kCanary.substr(0, kSought)) == std::string_view::npos);
    CHECK(as_text(*unpacked).find(kForeign) == std::string_view::npos);
    CHECK(canaries_in(look_into(out)) == std::set<std::string>());
  }
}

}  // namespace
}  // namespace entente::redact_canary_test
