#include "tests/fuzz/mutate/mutate.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/wire/dissect.h"
#include "adapters/wire/invent.h"

namespace entente::fuzz {
namespace {

using wire::Frame, wire::Kind, wire::Lane, wire::ListEnd, wire::Random, wire::Row, wire::Scalar, wire::Stage,
    wire::TextEnd, wire::Way;

constexpr std::size_t kLength = 4;        // before a message of `native`
constexpr std::size_t kMostPieces = 400;  // more take too long

std::size_t up_to(Random& random, std::size_t most) { return static_cast<std::size_t>(random() % (most + 1)); }
bool one_in(Random& random, unsigned n) { return random() % n == 0; }

wire::Codec& codec_of(const Voice& voice) {
  static std::map<std::pair<const wire::Game*, std::size_t>, std::unique_ptr<wire::Codec>> kept;
  auto& codec = kept[{voice.game, voice.dialect}];
  if (!codec) codec = voice.game->codec(voice.dialect);
  return *codec;
}

bool speaks(const Row& row, const Voice& voice) {
  return (row.dialects >> voice.dialect & 1U) != 0 && (row.ways & static_cast<std::uint8_t>(voice.way)) != 0 &&
         (row.lanes & static_cast<std::uint8_t>(voice.lane)) != 0;
}

/// A number of a message, by name, to be put into another one: often an id.
struct Seen {
  std::string_view name;
  std::uint64_t bits;
};

/// Counts the bytes of a message, or a few more than it has.
class Measure final : public wire::FieldVisitor {
 public:
  std::size_t bytes() const { return bytes_; }

  void code(std::uint32_t&, std::uint32_t, std::uint32_t) override { bytes_ += kMostOverhead; }
  void scalar(const char*, Scalar& value) override { bytes_ += width(value.kind); }
  void fixed_text(const char*, std::span<char> chars) override { bytes_ += chars.size(); }
  void text(const char*, std::string& chars, TextEnd, bool&) override { bytes_ += kMostOverhead + chars.size(); }
  void padding(const char*, std::span<std::uint8_t> bytes) override { bytes_ += bytes.size(); }
  void rest(const char*, Buffer& bytes, wire::Kept) override { bytes_ += kMostOverhead + bytes.size(); }
  bool part(const char*, bool there, bool) override { return there; }
  std::size_t form(const char*, std::size_t now, std::span<const std::size_t>) override { return now; }
  std::size_t list(const char*, ListEnd, std::size_t count, std::size_t) override {
    bytes_ += kMostOverhead;
    return count;
  }

 private:
  static constexpr std::size_t kMostOverhead = 4;  // of a length, an end or a code
  std::size_t bytes_ = kMostOverhead;
};

/// Counts the fields, or changes the one with the number `at`.
class Changer final : public wire::FieldVisitor {
 public:
  static constexpr std::size_t kNone = SIZE_MAX;

  Changer(Random& random, std::size_t at, const std::vector<Seen>& seen) : random_(random), at_(at), seen_(seen) {}

  std::size_t fields() const { return fields_; }
  const std::vector<Seen>& numbers() const { return numbers_; }

  void code(std::uint32_t& code, std::uint32_t first, std::uint32_t last) override {
    if (mine()) code = first + static_cast<std::uint32_t>(up(last - first));
  }
  void scalar(const char* name, Scalar& value) override {
    numbers_.push_back({name, value.bits});
    const bool key = std::exchange(key_next_, false);
    if (!mine()) return;
    value.bits = number(name, value);
    if (key && value.bits == 0) value.bits = 1;  // it would end the list
  }
  void fixed_text(const char*, std::span<char> chars) override {
    if (!mine()) return;
    const std::string text = letters(up(chars.size()));
    for (std::size_t i = 0; i < chars.size(); ++i) chars[i] = i < text.size() ? text[i] : '\0';
  }
  void text(const char*, std::string& chars, TextEnd end, bool& open) override {
    if (!mine()) return;
    const std::size_t most = end == TextEnd::kCount8 ? 255 : 600;
    switch (up(4)) {
      case 0:
        chars.clear();
        break;
      case 1:
        chars += letters(1 + up(8));
        break;
      case 2:
        chars += std::string(chars);
        break;
      case 3:
        chars = letters(up(most));
        break;
      default:
        chars = letters(1 + up(16));
    }
    chars.resize(std::min(chars.size(), most));
    while (!chars.empty() && (chars.back() & '\x80') != 0) chars.pop_back();  // no half of a character
    if (end == TextEnd::kZero16) {
      chars.resize(chars.size() / 2 * 2);
      for (std::size_t i = 1; i < chars.size(); i += 2) chars[i] = '\0';
    }
    open = false;
  }
  void padding(const char*, std::span<std::uint8_t> bytes) override {
    if (mine()) std::generate(bytes.begin(), bytes.end(), [&] { return static_cast<std::uint8_t>(random_()); });
  }
  void rest(const char*, Buffer& bytes, wire::Kept) override {
    if (!mine()) return;
    bytes.resize(one_in(random_, 4) ? up(600) : up(bytes.size() + 4));
    for (std::size_t left = up(8); left > 0 && !bytes.empty(); --left)
      bytes[up(bytes.size() - 1)] = static_cast<std::uint8_t>(random_());
  }
  bool part(const char*, bool there, bool free) override { return free && mine() ? !there : there; }
  std::size_t form(const char*, std::size_t now, std::span<const std::size_t> sizes) override {
    return mine() ? up(sizes.size() - 1) : now;
  }
  std::size_t list(const char*, ListEnd end, std::size_t count, std::size_t most) override {
    zero_ended_.push_back(end == ListEnd::kZero);
    if (end == ListEnd::kFixed || !mine()) return count;
    const std::size_t choices[] = {0, 1, count + 1, count - std::min<std::size_t>(count, 1), 2 * count, up(40)};
    return std::min({most, choices[up(std::size(choices) - 1)], std::max<std::size_t>(count + 1, 100)});
  }
  void item(std::size_t) override { key_next_ = zero_ended_.back(); }
  void end_list() override {
    zero_ended_.pop_back();
    key_next_ = false;
  }

 private:
  std::size_t up(std::size_t most) { return up_to(random_, most); }
  bool mine() { return fields_++ == at_; }

  std::uint64_t number(const char* name, const Scalar& now) {
    if (now.kind == Kind::kBool) return now.bits ^ 1U;
    const unsigned bits = static_cast<unsigned>(8 * width(now.kind));
    const std::uint64_t mask = bits == 64 ? ~0ULL : (1ULL << bits) - 1;
    if (!seen_.empty() && one_in(random_, 3)) {  // as in another message, if it has a field of that name
      const Seen* chosen = nullptr;
      std::size_t same = 0;
      for (const Seen& one : seen_)
        if (one.name == name && random_() % ++same == 0) chosen = &one;
      if (chosen == nullptr) chosen = &seen_[up(seen_.size() - 1)];
      return chosen->bits & mask;
    }
    if (now.kind == Kind::kF32 && one_in(random_, 2)) {
      constexpr std::uint32_t kOdd[] = {0,          0x80000000, 0x7F800000, 0xFF800000, 0x7FC00000, 0x00000001,
                                        0x7F7FFFFF, 0x3F800000, 0xBF800000, 0x4E800000, 0x43800000, 0x42800000};
      return kOdd[up(std::size(kOdd) - 1)];
    }
    if (now.kind == Kind::kF64 && one_in(random_, 2)) {
      constexpr std::uint64_t kOdd[] = {0,
                                        0x8000000000000000,
                                        0x7FF0000000000000,
                                        0xFFF0000000000000,
                                        0x7FF8000000000000,
                                        0x0000000000000001,
                                        0x7FEFFFFFFFFFFFFF,
                                        0x3FF0000000000000,
                                        0xC070000000000000,
                                        0x4070000000000000};
      return kOdd[up(std::size(kOdd) - 1)];
    }
    switch (up(8)) {
      case 0:
        return 0;
      case 1:
        return 1;
      case 2:
        return mask;
      case 3:
        return 1ULL << (bits - 1);
      case 4:
        return (now.bits + 1) & mask;
      case 5:
        return (now.bits - 1) & mask;
      case 6:
        return now.bits ^ 1ULL << up(bits - 1);
      case 7:
        return up(15);
      default:
        return random_() & mask;
    }
  }
  std::string letters(std::size_t most) {
    static constexpr std::string_view kOdd[] = {"/",  "%s%n", " ",  "\x7f", "\xc3\xa9", "\xe2\x80\xae",
                                                "\\", "\"",   "\n", "<"};
    std::string text;
    while (text.size() < most)
      if (one_in(random_, 8))
        text += kOdd[up(std::size(kOdd) - 1)];
      else
        text += static_cast<char>('!' + up(93));
    return text;
  }

  Random& random_;
  std::size_t at_, fields_ = 0;
  const std::vector<Seen>& seen_;
  std::vector<Seen> numbers_;
  std::vector<bool> zero_ended_;
  bool key_next_ = false;
};

struct Piece {
  std::uint8_t mark = 0;
  Voice voice;
  Buffer bytes;  // of a word: with a length before it
  Stage stage = Stage::kPlay;
  bool whole = false;    // a frame; otherwise bytes that are none
  std::size_t much = 0;  // the size of a piece that nobody says
};

class Talk final : private wire::DissectorSink {
 public:
  Talk(const Format& format, Bytes input)
      : format_(format), head_(input.begin(), input.begin() + at_most(input, format.head)) {
    head_.resize(format.head);
    std::optional<wire::Dissector> heard[2];
    for (Bytes left = input.subspan(std::min(input.size(), format.head));
         !left.empty() && pieces_.size() < kMostPieces;) {
      Piece piece;
      if (left.size() < (format.marked ? 1 : 0) + format.size_bytes) break;
      if (format.marked) piece.mark = next(left);
      std::size_t size = left.size();
      if (format.size_bytes == 1) size = next(left);
      if (format.size_bytes == 2) {
        const std::size_t first = next(left), second = next(left);
        size = format.big_endian ? first << 8U | second : second << 8U | first;
      }
      piece.voice = format.voice(input, piece.mark);
      piece.much = size;
      if (piece.voice.game == nullptr) {
        pieces_.push_back(std::move(piece));
        continue;
      }
      const Bytes said = left.first(std::min(size, left.size()));
      left = left.subspan(said.size());
      if (piece.voice.word)
        for (unsigned shift = 32; shift > 0;)
          piece.bytes.push_back(static_cast<std::uint8_t>(said.size() >> (shift -= 8)));
      append(piece.bytes, said);
      auto& dissector = heard[piece.voice.way == Way::kToServer ? 0 : 1];
      if (!dissector) dissector.emplace(*piece.voice.game, piece.voice.dialect);
      now_ = std::move(piece);
      const Buffer whole = now_.bytes;
      if (now_.voice.lane == Lane::kDatagram)
        dissector->datagram(now_.voice.way, whole, *this);
      else
        dissector->stream(now_.voice.way, whole, *this);
    }
    for (auto& dissector : heard)
      if (dissector) {
        dissector->end(Way::kToServer, *this, false);
        dissector->end(Way::kToClient, *this, false);
      }
  }

  Understood understood() const {
    Understood count;
    for (const Piece& piece : pieces_) {
      if (piece.voice.game == nullptr) continue;
      ++count.of;
      if (piece.whole && decode(piece)) ++count.frames;
    }
    return count;
  }

  void change(Random& random, const Noise& noise) {
    if (pieces_.empty()) return insert(random);
    const std::size_t at = up_to(random, pieces_.size() - 1);
    switch (up_to(random, 15)) {
      case 0:
        return pieces_.insert(pieces_.begin() + place(up_to(random, pieces_.size())), Piece(pieces_[at])), void();
      case 1:
        return pieces_.erase(pieces_.begin() + place(at)), void();
      case 2: {
        const std::size_t last = std::min(pieces_.size(), at + 1 + up_to(random, 7));
        if (one_in(random, 2)) return pieces_.erase(pieces_.begin() + place(at), pieces_.begin() + place(last)), void();
        const std::vector<Piece> again(pieces_.begin() + place(at), pieces_.begin() + place(last));
        return pieces_.insert(pieces_.end(), again.begin(), again.end()), void();
      }
      case 3:
        return std::swap(pieces_[at], pieces_[up_to(random, pieces_.size() - 1)]);
      case 4:
        return other_bytes(pieces_[at], noise);
      case 5:
        if (!head_.empty()) head_[up_to(random, head_.size() - 1)] ^= static_cast<std::uint8_t>(1U << up_to(random, 7));
        return;
      case 6:
      case 7:
      case 8:
      case 9:
        return insert(random);
      default:
        return other_field(pieces_[at], random);
    }
  }

  void add(const Talk& other, Random& random) {
    if (other.pieces_.empty()) return;
    const std::size_t from = up_to(random, other.pieces_.size() - 1);
    const std::size_t count = 1 + up_to(random, std::min<std::size_t>(30, other.pieces_.size() - from - 1));
    const auto first = other.pieces_.begin() + place(from);
    const std::size_t at = one_in(random, 2) ? pieces_.size() : up_to(random, pieces_.size());
    pieces_.insert(pieces_.begin() + place(at), first, first + place(count));
  }

  /// Without the last pieces, if all are more than `most` bytes.
  Buffer written(std::size_t most) const {
    Buffer out = head_;
    for (const Piece& piece : pieces_) {
      const std::size_t before = out.size();
      write(piece, out);
      if (out.size() <= most) continue;
      out.resize(before);
      break;
    }
    out.resize(std::min(out.size(), most));
    return out;
  }

 private:
  static std::ptrdiff_t place(std::size_t index) { return static_cast<std::ptrdiff_t>(index); }
  static std::ptrdiff_t at_most(Bytes bytes, std::size_t size) { return place(std::min(bytes.size(), size)); }
  static std::uint8_t next(Bytes& left) {
    const std::uint8_t byte = left[0];
    left = left.subspan(1);
    return byte;
  }
  /// Into the codec's kept message, of which nothing stays: fields that this message lacks are as in a new one.
  static bool decode(const Piece& piece) {
    const Frame frame{piece.voice.way, piece.voice.lane, piece.stage, piece.bytes};
    wire::Codec& codec = codec_of(piece.voice);
    const Row* row = codec.find(frame);
    if (row == nullptr) return false;
    codec.make(*row, frame.way);
    return codec.decode(frame).ok();
  }

  void frame(const Frame& frame) override { take(frame.bytes, frame.stage, true); }
  void raw(Way, Lane, Bytes bytes, const Fault*) override { take(bytes, Stage::kPlay, false); }
  void take(Bytes bytes, Stage stage, bool whole) {
    Piece piece = now_;
    piece.bytes.assign(bytes.begin(), bytes.end());
    piece.stage = stage;
    piece.whole = whole;
    pieces_.push_back(std::move(piece));
  }

  void write(const Piece& piece, Buffer& out) const {
    const std::size_t most = format_.size_bytes == 1 ? 0xff : 0xffff;
    const auto begin = [&](std::size_t size) {
      if (format_.marked) out.push_back(piece.mark);
      if (format_.size_bytes == 0) return;
      if (format_.size_bytes == 2 && format_.big_endian) out.push_back(static_cast<std::uint8_t>(size >> 8U));
      out.push_back(static_cast<std::uint8_t>(size));
      if (format_.size_bytes == 2 && !format_.big_endian) out.push_back(static_cast<std::uint8_t>(size >> 8U));
    };
    if (piece.voice.game == nullptr) return begin(std::min(piece.much, most));
    Bytes left = piece.bytes;
    if (piece.voice.word) left = left.subspan(std::min(left.size(), kLength));
    if (format_.size_bytes == 0) return append(out, left);
    do {  // a longer stream comes in several pieces
      const Bytes part = left.first(std::min(left.size(), most));
      begin(part.size());
      append(out, part);
      left = left.subspan(part.size());
    } while (!left.empty());
  }

  /// An invented message of any row, or of the greeting's if nothing was said that way; or time that passes.
  void insert(Random& random) {
    if (pieces_.size() >= kMostPieces) return;
    Piece piece;
    piece.mark = !pieces_.empty() && one_in(random, 2) ? pieces_[up_to(random, pieces_.size() - 1)].mark
                                                       : static_cast<std::uint8_t>(random());
    piece.voice = format_.voice(written(SIZE_MAX), piece.mark);
    if (piece.voice.game == nullptr) {
      piece.much = up_to(random, one_in(random, 4) ? 0xffff : 60);
    } else if (!invent(piece, random)) {
      return;
    }
    const std::size_t at = one_in(random, 2) ? pieces_.size() : up_to(random, pieces_.size());
    pieces_.insert(pieces_.begin() + place(piece.stage == Stage::kGreeting ? 0 : at), std::move(piece));
  }

  bool invent(Piece& piece, Random& random) {
    const bool first = std::none_of(pieces_.begin(), pieces_.end(), [&](const Piece& other) {
      return other.voice.game != nullptr && other.voice.way == piece.voice.way;
    });
    wire::Codec& codec = codec_of(piece.voice);
    const Row* chosen = nullptr;
    std::size_t play = 0;
    for (const Row& row : codec.rows()) {
      if (!speaks(row, piece.voice)) continue;
      if (row.stage == Stage::kGreeting ? first
                                        : !(chosen && chosen->stage == Stage::kGreeting) && random() % ++play == 0)
        chosen = &row;
    }
    if (chosen == nullptr) return false;
    wire::invent(*chosen, piece.voice.way, codec, random, 200);
    piece.stage = chosen->stage;
    piece.whole = true;
    piece.bytes.clear();
    codec.encode(piece.bytes);
    return true;
  }

  void other_field(Piece& piece, Random& random) {
    if (piece.voice.game == nullptr) {
      piece.much = up_to(random, one_in(random, 4) ? 0xffff : 60);
      return;
    }
    if (!piece.whole) return;
    std::vector<Seen> seen;
    const Piece& other = pieces_[up_to(random, pieces_.size() - 1)];
    if (other.voice.game != nullptr && other.whole && decode(other)) {
      Changer counter(random, Changer::kNone, seen);
      codec_of(other.voice).visit(counter);
      seen = counter.numbers();
    }
    wire::Codec& codec = codec_of(piece.voice);
    if (!decode(piece)) return;
    Changer counter(random, Changer::kNone, seen);
    codec.visit(counter);
    if (counter.fields() == 0) return;
    Changer changer(random, up_to(random, counter.fields() - 1), seen);
    codec.visit(changer);
    Measure measure;
    codec.visit(measure);
    if (measure.bytes() > piece.voice.game->largest_from(piece.voice.way)) return;  // a codec may refuse to write it
    piece.bytes.clear();
    codec.encode(piece.bytes);
  }

  static void other_bytes(Piece& piece, const Noise& noise) {
    if (piece.voice.game == nullptr) return;
    const std::size_t size = piece.bytes.size();
    piece.bytes.resize(size + 16);
    piece.bytes.resize(noise(piece.bytes.data(), size, piece.bytes.size()));
    piece.whole = false;
  }

  const Format& format_;
  Buffer head_;
  std::vector<Piece> pieces_;
  Piece now_;
};

std::size_t put(const Buffer& bytes, std::uint8_t* out) {
  if (!bytes.empty()) std::memcpy(out, bytes.data(), bytes.size());
  return bytes.size();
}

}  // namespace

std::size_t mutate(const Format& format, const Noise& noise, std::uint8_t* data, std::size_t size, std::size_t most,
                   unsigned seed) {
  Random random(seed);
  size = std::min(size, most);
  if (one_in(random, 5)) return noise(data, size, most);
  const Bytes input(data, size);
  Talk talk(format, input);
  for (std::size_t left = 1 + up_to(random, 3); left > 0; --left) talk.change(random, noise);
  const Buffer changed = talk.written(most);
  return same(changed, input) ? noise(data, size, most) : put(changed, data);
}

std::size_t cross(const Format& format, Bytes one, Bytes other, std::uint8_t* out, std::size_t most, unsigned seed) {
  Random random(seed);
  Talk talk(format, one);
  talk.add(Talk(format, other), random);
  return put(talk.written(most), out);
}

Understood understood(const Format& format, Bytes input) { return Talk(format, input).understood(); }

}  // namespace entente::fuzz
