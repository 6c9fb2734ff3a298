#include "tests/support/toy_game.h"

#include "adapters/wire/typed_codec.h"

namespace entente::toy {
namespace {

using wire::ByteOrder;

struct Dialect {
  ByteOrder order = ByteOrder::kBig;
  bool stamped = false;
};

struct Hello {};
struct Welcome {
  wire::Text<3> magic;
  std::uint8_t id = 0;
};
struct Item {
  std::uint32_t id = 1;
  wire::ZText name;
};
struct Numbers {
  std::uint32_t stamp = 0;
  std::uint8_t a = 0;
  std::int16_t b = 0;
  wire::U24 c;
  std::uint64_t d = 0;
  float e = 0;
  double f = 0;
  bool g = false;
  wire::Vec3 pos{};
  std::uint32_t other = 0;
  wire::Pad<3> pad;
};
struct Lists {
  std::vector<std::uint16_t> counted;
  std::vector<Item> zeroed;
  std::vector<std::uint32_t> turned;
  std::vector<Item> to_end;
};
struct Texts {
  std::uint8_t flags = 0;
  wire::Text<8> fixed;
  wire::ZText zero;
  wire::ZText more;
  wire::EndText end;
};
struct Forms {
  std::uint8_t form = 0;
  std::uint16_t base = 0;
  std::uint32_t wide = 0;
  std::optional<std::uint8_t> tail;
};
struct Named {
  std::string small, middle, large;
};
struct Odds {
  std::uint16_t version = 7;
  std::int32_t narrow = 0;
  wire::ZText units;
  wire::AnyText any;
};
struct Blob {
  Buffer bytes;
};
/// The counts are not next to the lists, and the code may be any of a range.
struct Apart {
  std::uint8_t names = 0;
  std::uint16_t numbers = 0;
  wire::Pad<2> pad;
  std::vector<wire::ZText> name;
  std::vector<std::uint32_t> number;
};
/// The text must end at a NUL. The first `count` numbers have a meaning.
struct Strict {
  wire::ClosedText text;
  std::int16_t bits = 0;
  std::uint8_t count = 0;
  std::vector<std::uint16_t> numbers;
};
/// The count may be up to two higher than the number of bytes left.
struct Lines {
  std::vector<wire::ZText> lines;
};

template <class V>
void fields(V& v, Hello&) {
  v.exact("magic", "TOY!");
}
template <class V>
void fields(V& v, Welcome& m) {
  v("magic", m.magic)("id", m.id);
}
template <class V>
void fields(V& v, Item& m) {
  v("id", m.id)("name", m.name);
}
template <class V>
void fields(V& v, Numbers& m) {
  v.when("dialect.stamped", v.dialect.stamped, [&] { v("stamp", m.stamp); });
  v("a", m.a)("b", m.b)("c", m.c)("d", m.d)("e", m.e)("f", m.f)("g", m.g)("pos", m.pos);
  v.byte_swapped("other", m.other)("pad", m.pad);
}
template <class V>
void fields(V& v, Lists& m) {
  v.template list<std::uint8_t>("counted", m.counted);
  v.template until_zero<std::uint32_t>("zeroed", m.zeroed);
  v.template list_byte_swapped<std::uint16_t>("turned", m.turned);
  v.until_end("to_end", m.to_end);
}
template <class V>
void fields(V& v, Texts& m) {
  v("flags", m.flags)("fixed", m.fixed).zero_text("zero", m.zero);
  v.when("flags & 1", (m.flags & 1) != 0, [&] { v("more", m.more); });
  v.end_text("end", m.end);
}
template <class V>
void fields(V& v, Forms& m) {
  v.infer("form", m.form, {2, 6, 7});
  v("base", m.base);
  v.when("form > 0", m.form > 0, [&] { v("wide", m.wide); });
  v.when("form > 1", m.form > 1, [&] { v.maybe("tail", m.tail); });
}
template <class V>
void fields(V& v, Named& m) {
  v.template text<std::uint8_t>("small", m.small);
  v.template text<std::uint16_t>("middle", m.middle);
  v.template text<std::uint32_t>("large", m.large);
}
template <class V>
void fields(V& v, Odds& m) {
  v.template bounded<std::uint16_t>("version", m.version, 7, 9).template as<std::int16_t>("narrow", m.narrow);
  v.at_least("units", 1).ucs2_text("units", m.units).any_text("any", m.any);
}
template <class V>
void fields(V& v, Blob& m) {
  v.rest("bytes", m.bytes, wire::Kept::kOpaque);
}
template <class V>
void fields(V& v, Apart& m) {
  v("names", m.names)("numbers", m.numbers)("pad", m.pad).list("name", m.names, m.name);
  v.list_byte_swapped("number", m.numbers, m.number);
}
template <class V>
void fields(V& v, Strict& m) {
  v("text", m.text).template bits_as<std::uint16_t>("bits", m.bits)("count", m.count);
  v.until_end("numbers", m.count, m.numbers);
}
template <class V>
void fields(V& v, Lines& m) {
  v.template list<std::uint8_t>("lines", m.lines, 2);
}

struct Toy {
  using Dialect = toy::Dialect;
  using Message = std::variant<Hello, Welcome, Numbers, Lists, Texts, Forms, Named, Odds, Blob, Apart, Strict, Lines>;
  static constexpr std::size_t kEnvelope = 2;
  static std::uint32_t code(const wire::Frame& frame) {
    return frame.stage == wire::Stage::kGreeting ? 0 : frame.bytes[1];
  }
  static void seal(Buffer& out, std::size_t start, std::uint32_t code) {
    out[start] = static_cast<std::uint8_t>(out.size() - start - kEnvelope);
    out[start + 1] = static_cast<std::uint8_t>(code);
  }
  static std::span<const wire::TypedRow<Toy>> rows();
};

template <class T>
constexpr wire::TypedRow<Toy> play(const char* name, std::uint32_t code, std::uint8_t ways = 3) {
  return wire::row_of<Toy, T>({name, code, code, ways, 3, wire::Stage::kPlay, 3});
}

std::span<const wire::TypedRow<Toy>> Toy::rows() {
  static const wire::TypedRow<Toy> kRows[] = {
      wire::row_of<Toy, Hello>({"Hello", 0, 0, 1, 1, wire::Stage::kGreeting, 3}),
      wire::row_of<Toy, Welcome>({"Welcome", 0, 0, 2, 1, wire::Stage::kGreeting, 3}),
      play<Numbers>("Numbers", 1),
      play<Lists>("Lists", 2),
      play<Texts>("Texts", 3),
      play<Forms>("Forms", 4, 1),
      play<Odds>("Odds", 6),
      play<Blob>("Blob", 4, 2),
      play<Named>("Named", 5),
      play<Strict>("Strict", 10),
      play<Lines>("Lines", 11),
      wire::row_of<Toy, Apart>({"Apart", 7, 9, 1, 1, wire::Stage::kPlay, 3}),
  };
  return kRows;
}

constexpr std::size_t kLargest = 200;

wire::Cut cut_frame(Bytes bytes) {
  if (bytes.empty()) return {};
  if (bytes[0] > kLargest - 2) return {0, wire::Stage::kPlay, Fault{"frame too large", "length", 0}};
  const std::size_t size = bytes[0] + 2U;
  return {bytes.size() >= size ? size : 0, wire::Stage::kPlay, {}};
}

class ToyCutter final : public wire::Cutter {
 public:
  explicit ToyCutter(wire::Way way) : way_(way) {}
  wire::Cut next(Bytes bytes) override {
    if (greeted_) return cut_frame(bytes);
    const std::string_view magic = way_ == wire::Way::kToServer ? "TOY!" : "toy";
    const auto seen = as_text(bytes).substr(0, magic.size());
    if (!magic.starts_with(seen)) return {0, wire::Stage::kGreeting, Fault{"wrong greeting", "magic", 0}};
    if (bytes.size() < 4) return {};
    greeted_ = true;
    return {4, wire::Stage::kGreeting, {}};
  }
  void skip_greeting() override { greeted_ = true; }

 private:
  wire::Way way_;
  bool greeted_ = false;
};

class DatagramCutter final : public wire::Cutter {
 public:
  wire::Cut next(Bytes bytes) override { return cut_frame(bytes); }
};

constexpr wire::DialectInfo kDialects[] = {{"big", "big endian"}, {"little", "little endian, stamped"}};

class ToyGame : public wire::Game {
 public:
  std::string_view name() const override { return "toy"; }
  std::string_view about() const override { return "one of every verb"; }
  std::uint16_t default_port() const override { return 7; }
  wire::Transport transport() const override { return wire::Transport::kTcpAndUdp; }
  std::span<const wire::DialectInfo> dialects() const override { return kDialects; }
  std::unique_ptr<wire::Codec> codec(std::size_t dialect) const override {
    const Dialect d = dialect == 0 ? Dialect{ByteOrder::kBig, false} : Dialect{ByteOrder::kLittle, true};
    return std::make_unique<wire::TypedCodec<Toy>>(d, dialect);
  }
  std::unique_ptr<wire::Cutter> cutter(wire::Way way, std::size_t) const override {
    return std::make_unique<ToyCutter>(way);
  }
  std::unique_ptr<wire::Cutter> datagram_cutter(wire::Way, std::size_t) const override {
    return std::make_unique<DatagramCutter>();
  }
  std::size_t largest_frame() const override { return kLargest; }
  bool requires_one_write(wire::Way way, wire::Stage stage) const override {
    return way == wire::Way::kToClient && stage == wire::Stage::kGreeting;
  }
  std::size_t client_greeting_size(std::size_t) const override { return 4; }
  Bytes goodbye(std::size_t) const override {
    static constexpr std::uint8_t kBye[] = {0, 9};
    return kBye;
  }
  wire::Probe probe() const override { return wire::Probe::kSilentConnection; }
  wire::Detected detect(Bytes said) const override {
    if (said.size() < 4) return {};
    const bool known = as_text(said).starts_with("toy");
    return {known ? wire::Detected::State::kFound : wire::Detected::State::kUnknown, said[3] % 2U};
  }
  std::optional<std::uint32_t> greeted_as(Bytes greeting) const override {
    return greeting.size() == 4 ? std::optional<std::uint32_t>(greeting[3]) : std::nullopt;
  }
  /// Code 8 with the id as its payload.
  std::optional<wire::LinkRequest> link_request(Bytes datagram) const override {
    if (datagram.size() != 3 || datagram[0] != 1 || datagram[1] != 8) return std::nullopt;
    return wire::LinkRequest{datagram[2]};
  }
};

class ToyStream final : public ToyGame {
 public:
  wire::Transport transport() const override { return wire::Transport::kTcp; }
  /// Eight bytes a line.
  std::vector<Buffer> announcement(std::size_t, std::string_view text) const override {
    std::vector<Buffer> lines;
    for (; !text.empty(); text.remove_prefix(std::min<std::size_t>(8, text.size()))) {
      const std::string_view line = text.substr(0, 8);
      append(lines.emplace_back(Buffer{static_cast<std::uint8_t>(line.size()), 3}), as_bytes(line));
    }
    return lines;
  }
  std::unique_ptr<wire::Cutter> datagram_cutter(wire::Way, std::size_t) const override { return nullptr; }
};

class ToyUngreeted final : public ToyGame {
 public:
  wire::Transport transport() const override { return wire::Transport::kTcp; }
  std::unique_ptr<wire::Cutter> cutter(wire::Way, std::size_t) const override {
    return std::make_unique<DatagramCutter>();
  }
  std::unique_ptr<wire::Cutter> datagram_cutter(wire::Way, std::size_t) const override { return nullptr; }
  std::size_t client_greeting_size(std::size_t) const override { return 0; }
};

class WholeMessages final : public wire::Cutter {
 public:
  wire::Cut next(Bytes bytes) override {
    if (bytes.size() > kLargest) return {0, wire::Stage::kPlay, Fault{"message too large", "", 0}};
    return {bytes.size(), wire::Stage::kPlay, {}};
  }
};

class ToyMessages final : public ToyGame {
 public:
  wire::Transport transport() const override { return wire::Transport::kWebSocket; }
  std::unique_ptr<wire::Cutter> cutter(wire::Way, std::size_t) const override {
    return std::make_unique<WholeMessages>();
  }
};

/// A packet holds one frame or several.
class ToyPackets final : public ToyGame {
 public:
  wire::Transport transport() const override { return wire::Transport::kEnet; }
  std::unique_ptr<wire::Cutter> cutter(wire::Way, std::size_t) const override {
    return std::make_unique<DatagramCutter>();
  }
  std::uint32_t connect_data(std::size_t dialect) const override {
    return kConnects + static_cast<std::uint32_t>(dialect);
  }
  std::optional<std::size_t> named_by_connect(std::uint32_t data) const override {
    if (data < kConnects || data >= kConnects + std::size(kDialects)) return std::nullopt;
    return data - kConnects;
  }
  std::uint32_t enet_parting(wire::Parting why) const override { return 30 + static_cast<std::uint32_t>(why); }
  std::span<const wire::Query> queries() const override { return kQueries; }
  std::string answer(const wire::Query& query, const wire::Status& status) const override {
    if (!status.server.empty()) return std::string(as_text(status.server));
    return std::string(query.question) + " " + std::string(status.name) + " " + std::string(status.map) + " " +
           std::to_string(status.players);
  }

 private:
  static constexpr std::uint32_t kConnects = 70;
  static constexpr wire::Query kQueries[] = {{"TOY?", 64}};
};

}  // namespace

const wire::Game& stream() {
  static const ToyStream kGame;
  return kGame;
}

const wire::Game& ungreeted() {
  static const ToyUngreeted kGame;
  return kGame;
}

const wire::Game& packets() {
  static const ToyPackets kGame;
  return kGame;
}

const wire::Game& messages() {
  static const ToyMessages kGame;
  return kGame;
}

const wire::Game& game() {
  static const ToyGame kGame;
  return kGame;
}

}  // namespace entente::toy
