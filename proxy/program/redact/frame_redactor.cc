#include "proxy/program/redact/frame_redactor.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <utility>
#include <vector>

#include "adapters/aos/wire/cp437.h"
#include "adapters/native/codec.h"
#include "adapters/ogar/wire/text.h"
#include "adapters/registry.h"
#include "adapters/wire/print.h"
#include "proxy/base/utf16.h"
#include "proxy/program/import/game_dialect.h"

namespace entente {
namespace {

using wire::Kept, wire::ListEnd, wire::Personal, wire::Scalar, wire::TextEnd, wire::Way;

std::string_view last_of(std::string_view path) { return path.substr(path.rfind('.') + 1); }  // npos + 1 is 0

/// Bytes up to and including the first NUL, which is of two bytes in 16-bit units; all if there is none.
bool has_end(std::string_view chars, TextEnd end) {
  if (end != TextEnd::kZero16) return chars.find('\0') != chars.npos;
  for (std::size_t at = 0; at + 1 < chars.size(); at += 2)
    if (chars[at] == '\0' && chars[at + 1] == '\0') return true;
  return false;
}

}  // namespace

Personal personal_of(const wire::Game& game, std::string_view message, std::string_view path) {
  const std::string_view last = last_of(path);
  Personal found = Personal::kUnlisted;
  int best = 0;
  for (const wire::PersonalField& line : personal_of(game)) {
    const bool whole = line.field == path, here = line.message == message;
    if ((!whole && line.field != last) || (!here && *line.message != '\0')) continue;
    const int fits = (here ? 2 : 0) + (whole ? 2 : 1);
    if (fits > best) best = fits, found = line.kind;
  }
  return found;
}

/// Texts as a game's programs write them.
class FrameRedactor::Spelling {
 public:
  explicit Spelling(const wire::Game& game)
      : cp437_(game.name() == "aos"), tags_(game.name() == "ogar" || game.name() == "ogar+ws") {}

  /// In UTF-8, up to the first NUL.
  std::string read(std::string_view chars, TextEnd end) const {
    std::string text = wire::readable(chars, end);
    return cp437_ && end != TextEnd::kZero16 ? aos::to_utf8(text) : text;
  }
  std::string write(const std::string& text, TextEnd end) const {
    if (end == TextEnd::kZero16) return ogar::widen(text);
    return cp437_ ? aos::to_wire(text) : text;
  }
  /// Names may begin with a skin.
  bool tags() const { return tags_; }

 private:
  const bool cp437_, tags_;
};

/// Visits the fields of a message twice: reads short lists of bytes, replaces texts; then replaces the lists.
class FrameRedactor::FieldRedactor final : public wire::FieldVisitor {
 public:
  using KindOf = std::function<Personal(const std::string& path)>;

  FieldRedactor(Censor& censor, const Spelling& spelling, KindOf kind_of)
      : censor_(censor), spelling_(spelling), kind_of_(std::move(kind_of)) {}

  /// The field whose meaning is not known; empty: there is none.
  const std::string& unknown() const { return unknown_; }
  /// Whether there are lists to replace, by a second walk.
  bool has_lists() {
    bool any = false;
    for (List& list : lists_) any = change(list) || any;
    second_ = true;
    return any;
  }

  void scalar(const char* name, Scalar& value) override {
    const bool byte = value.kind == wire::Kind::kU8 || value.kind == wire::Kind::kI8;
    if (!open_.empty() && open_.back() != nullptr) {
      if (byte) replace_item(*open_.back(), value);
    } else if (!second_ && value.kind == wire::Kind::kU16 && name == std::string_view("port")) {
      if (kind_of_(path_ + name) == Personal::kPort) value.bits = censor_.port(static_cast<std::uint16_t>(value.bits));
    }
  }
  void fixed_text(const char* name, std::span<char> chars) override {
    if (second_) return;
    const std::string_view all(chars.data(), chars.size());
    const auto now = changed(name, all, TextEnd::kFixed);
    std::string kept = now ? *now : std::string(all.substr(0, std::min(all.find('\0'), all.size())));
    kept.resize(chars.size(), '\0');  // old memory behind the text goes
    if (now && kept.back() != '\0') kept.back() = '\0';
    std::copy(kept.begin(), kept.end(), chars.begin());
  }
  void text(const char* name, std::string& chars, TextEnd end, bool&) override {
    if (second_) return;
    const auto now = changed(name, chars, end);
    const bool ended = has_end(chars, end), wide = end == TextEnd::kZero16;
    const std::size_t size = chars.size();
    if (now)
      chars = *now;
    else if (ended)
      chars.resize(chars.find('\0'));  // never in units: they end before it
    else if (wide && size % 2 != 0 && size == 1)
      chars.clear();
    // A new text does not tell how long the old one was.
    if (ended && !wide) chars.resize(now ? chars.size() + 1 : std::max(size, chars.size() + 1), '\0');
  }
  void padding(const char*, std::span<std::uint8_t> bytes) override { std::fill(bytes.begin(), bytes.end(), 0); }
  void rest(const char* name, Buffer& bytes, Kept) override {
    if (second_ || bytes.empty()) return;
    const Personal kind = kind_of_(path_ + name);
    if (kind == Personal::kFiller)
      std::fill(bytes.begin(), bytes.end(), 0);
    else if (kind != Personal::kWorld)
      unknown_ = path_ + name;
  }
  bool part(const char*, bool there, bool) override { return there; }
  std::size_t form(const char*, std::size_t now, std::span<const std::size_t>) override { return now; }

  std::size_t list(const char* name, ListEnd end, std::size_t count, std::size_t) override {
    constexpr std::size_t kColour = 3;  // bytes that are too few for an address
    if (!second_) lists_.push_back({path_ + name, kind_of_(path_ + name), end == ListEnd::kFixed && count <= kColour});
    List& list = second_ ? lists_[next_++] : lists_.back();
    open_.push_back(&list);
    return count;
  }
  void end_list() override { open_.pop_back(); }
  void group(const char* name) override {
    marks_.push_back(path_.size());
    path_ += name;
    path_ += '.';
    open_.push_back(nullptr);
  }
  void end_group() override {
    path_.resize(marks_.back());
    marks_.pop_back();
    open_.pop_back();
  }

 private:
  struct List {
    std::string path;
    Personal kind;
    bool colour;
    Buffer bytes = {};
    std::size_t at = 0;
  };

  void replace_item(List& list, Scalar& value) {
    if (!second_)
      list.bytes.push_back(static_cast<std::uint8_t>(value.bits));
    else if (list.at < list.bytes.size())
      value.bits = list.bytes[list.at++];  // as often as before
  }
  /// Whether it is another one now.
  bool change(List& list) {
    if (list.bytes.empty() || list.kind == Personal::kHarmless) return false;
    const Buffer before = list.bytes;
    censored(list);
    return !same(before, list.bytes);
  }
  void censored(List& list) {
    switch (list.kind) {
      case Personal::kAddress:
        if (list.bytes.size() == 4) {
          Pseudonyms::Ip4 ip{};
          std::copy(list.bytes.begin(), list.bytes.end(), ip.begin());
          ip = censor_.ip4(ip);
          std::copy(ip.begin(), ip.end(), list.bytes.begin());
        } else {  // the end of 127.0.0.1
          std::fill(list.bytes.begin(), list.bytes.end(), 0);
          list.bytes.back() = 1;
        }
        return;
      case Personal::kFiller:
        std::fill(list.bytes.begin(), list.bytes.end(), 0);
        return;
      case Personal::kCode:  // small numbers
        for (auto& byte : list.bytes) byte = byte < 32 ? byte : 0;
        return;
      default:
        if (!list.colour) unknown_ = list.path;
    }
  }

  /// What becomes of the text, as it is spelled; none: it stays.
  std::optional<std::string> changed(const char* name, std::string_view chars, TextEnd end) {
    const Personal kind = kind_of_(path_ + name);
    if (kind == Personal::kUnlisted || kind == Personal::kUnknown) {
      if (!chars.empty()) unknown_ = path_ + name;
      return std::nullopt;
    }
    std::string told = spelling_.read(chars, end);
    if (kind == Personal::kName && spelling_.tags()) {
      const ogar::Tagged tagged = ogar::untag(told);
      if (!tagged.skin.empty()) {
        const std::string skin = censor_.text(Personal::kMotto, tagged.skin).value_or(tagged.skin);
        const std::string bare = censor_.text(kind, tagged.name).value_or(tagged.name);
        const std::string again = ogar::tag(bare, skin);
        return again == told ? std::nullopt : std::optional(spelling_.write(again, end));
      }
    }
    const auto other = censor_.text(kind, told);
    if (!other) return std::nullopt;
    return spelling_.write(*other, end);
  }

  Censor& censor_;
  const Spelling& spelling_;
  const KindOf kind_of_;
  std::string path_, unknown_;
  std::vector<std::size_t> marks_;
  std::vector<List*> open_;  // of a list: it; of a group: null
  std::deque<List> lists_;
  std::size_t next_ = 0;
  bool second_ = false;
};

/// A link's frames, cut as a reader of the recording cuts them.
struct FrameRedactor::Link final : wire::DissectorSink {
  explicit Link(const GameDialect& speaks) : game_dialect(speaks), dissector(*speaks.game, speaks.dialect) {}

  GameDialect game_dialect;
  wire::Dissector dissector;
  bool client_spoke = false;
  std::function<void(const wire::Frame&)> take;
  bool lost = false;

  void speak(const GameDialect& other) {
    if (other.dialect == game_dialect.dialect) return;
    game_dialect = other;
    dissector = wire::Dissector(*other.game, other.dialect);
  }

 private:
  void frame(const wire::Frame& frame) override { take(frame); }
  void raw(Way, wire::Lane, Bytes, const Fault*) override { lost = true; }
};

FrameRedactor::FrameRedactor(Censor& censor, WordRedactor& words, WorldBook& worlds)
    : censor_(censor), words_(words), worlds_(worlds) {}
FrameRedactor::~FrameRedactor() = default;

void FrameRedactor::rewind() { links_.clear(); }

void FrameRedactor::opened(const trace::Opened& opened) {
  links_.erase(opened.link());
  const wire::Game* game = find_game(opened.game());
  const auto dialect = game != nullptr ? find_dialect(*game, opened.dialect()) : std::nullopt;
  if (!dialect || links_.size() >= kMostConnections) return;
  Link& link = *(links_[opened.link()] = std::make_unique<Link>(GameDialect{game, *dialect}));
  if (opened.client_sent()) link.client_spoke = true, link.dissector.skip(Way::kToServer, link);
  if (opened.server_sent()) link.dissector.skip(Way::kToClient, link);
}

void FrameRedactor::closed(std::uint32_t link) { links_.erase(link); }

std::optional<std::string> FrameRedactor::redact(trace::Frame& frame) {
  const auto found = links_.find(frame.link());
  if (found == links_.end()) return "of an unknown game";
  Link& link = *found->second;
  const Way way = frame.way() == trace::TO_CLIENT ? Way::kToClient : Way::kToServer;
  const Bytes bytes = as_bytes(frame.data());
  if (frame.frames_missing() != 0 || frame.raw()) {
    link.client_spoke = link.client_spoke || way == Way::kToServer;
    link.dissector.skip(way, link);
  }
  if (frame.raw()) return "not cut into messages";
  if (way == Way::kToServer && !std::exchange(link.client_spoke, true)) link.speak(as_named(link.game_dialect, bytes));

  Buffer out;
  std::string name;
  std::optional<std::string> why;
  std::size_t cut = 0;
  link.lost = false;
  link.take = [&](const wire::Frame& one) {
    cut += one.bytes.size();
    if (!why) why = message(frame.link(), link.game_dialect, one, out, name);
  };
  if (frame.lane() == trace::DATAGRAM)
    link.dissector.datagram(way, bytes, link);
  else
    link.dissector.stream(way, bytes, link);
  const bool whole = !link.lost && cut == bytes.size() && cut != 0 && link.dissector.pending(way) == 0;
  if (!whole || why) {
    link.dissector.skip(way, link);
    return why ? why : "not whole messages";
  }
  frame.set_data(std::string(as_text(out)));
  frame.set_name(name);
  return std::nullopt;
}

std::optional<std::string> FrameRedactor::message(std::uint32_t link, const GameDialect& game_dialect,
                                                  const wire::Frame& frame, Buffer& out, std::string& name) {
  wire::Codec& codec = codecs_.of(game_dialect);
  const auto row = codec.decode(frame);
  if (!row) return "not decoded";
  name = (*row)->name;
  if (personal_of(*game_dialect.game).empty()) return word(game_dialect, frame, out);
  const auto piece = worlds_.take(link, game_dialect, **row, codec);
  if (piece == WorldBook::Piece::kUnknown) return "a piece of a world that is not known: " + name;
  const Spelling spelling(*game_dialect.game);
  FieldRedactor fields(censor_, spelling,
                       [&](const std::string& path) { return kind_of(*game_dialect.game, **row, path); });
  codec.visit(fields);
  if (fields.has_lists()) codec.visit(fields);
  if (!fields.unknown().empty()) return name + "." + fields.unknown() + ": its meaning is not known";
  const std::size_t start = out.size();
  codec.encode(out);

  // The encoded bytes must decode to the intended message.
  const wire::Frame changed{frame.way, frame.lane, frame.stage, Bytes(out).subspan(start)};
  const auto again = codec.decode(changed);
  if (!again || *again != *row) return "cannot be encoded: " + name;
  Buffer twice;
  codec.encode(twice);
  return same(twice, changed.bytes) ? std::nullopt : std::optional("cannot be encoded: " + name);
}

std::optional<std::string> FrameRedactor::word(const GameDialect& game_dialect, const wire::Frame& frame, Buffer& out) {
  const bool in_stream = game_dialect.game->transport() == wire::Transport::kTcp;
  const native::Envelope envelope{static_cast<native::Dialect>(game_dialect.dialect), in_stream};
  const auto inside = envelope.open(frame.bytes);
  if (!inside) return "not decoded";
  words::Intent intent;
  words::Fact fact;
  google::protobuf::Message& word =
      frame.way == Way::kToServer ? static_cast<google::protobuf::Message&>(intent) : fact;
  if (!native::parse(envelope.dialect, *inside, word)) return "not decoded";
  words_.redact(word);
  envelope.wrap(out, [&](Buffer& to) { native::spell(envelope.dialect, word, to); });
  return std::nullopt;
}

Personal FrameRedactor::kind_of(const wire::Game& game, const wire::Row& row, const std::string& path) {
  auto& kinds = kinds_[&row];
  const auto known = kinds.find(path);
  if (known != kinds.end()) return known->second;
  return kinds[path] = personal_of(game, row.name, path);
}

}  // namespace entente
