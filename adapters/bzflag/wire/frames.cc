// Cuts streams and datagrams into frames: the greetings once, then u16 length, u16 code, payload.
// Invariant: see wire/frame.h. A cutter knows the stage of its connection, and nothing else.
#include "adapters/bzflag/wire/wire.h"

namespace entente::bzflag {
namespace {

using wire::Cut, wire::Stage, wire::Way;

constexpr Cut kWait{};

Cut lost(const char* what, const char* field) { return {0, Stage::kPlay, Fault{what, field, 0}}; }
Cut greeted(std::size_t size) { return {size, Stage::kGreeting, {}}; }

Cut cut_frame(Bytes bytes) {
  if (bytes.size() < 2) return kWait;
  const std::size_t payload = static_cast<std::size_t>(bytes[0] << 8U | bytes[1]);
  if (payload > kLargestPayload) return lost("frame too large", "length");
  return {bytes.size() >= payload + 4 ? payload + 4 : 0, Stage::kPlay, {}};
}

/// Whether `bytes` begin with `word`, or with a part of it if they are shorter.
bool begin(Bytes bytes, std::string_view word) { return word.starts_with(as_text(bytes).substr(0, word.size())); }

class ClientCutter final : public wire::Cutter {
 public:
  explicit ClientCutter(const Dialect& dialect) : header_(dialect.header) {}

  Cut next(Bytes bytes) override {
    if (header_ == Header::kNever) return cut_frame(bytes);
    if (!begin(bytes, kHeaderWord)) {
      if (header_ == Header::kRequired) return lost("wrong greeting", "header");
      header_ = Header::kNever;  // no frame is as long as 'BZ' would make it
      return cut_frame(bytes);
    }
    if (bytes.size() < kHeaderWord.size()) return kWait;
    header_ = Header::kNever;
    return greeted(kHeaderWord.size());
  }
  void skip_greeting() override { header_ = Header::kNever; }

 private:
  Header header_;
};

class ServerCutter final : public wire::Cutter {
 public:
  explicit ServerCutter(const Dialect& dialect) : refusals_(dialect.refusals), late_answer_(dialect.late_answer) {}

  Cut next(Bytes bytes) override {
    switch (state_) {
      case State::kGreeting:
        return greeting_of(bytes);
      case State::kRefused:
        return greeted(bytes.size());
      default:
        return cut_frame(bytes);
    }
  }
  void skip_greeting() override { state_ = State::kPlay; }

 private:
  enum class State : std::uint8_t { kGreeting, kRefused, kPlay };

  Cut greeting_of(Bytes bytes) {
    if (refusals_ && begin(bytes, kRefusedWord)) {
      if (bytes.size() < kRefusedWord.size()) return kWait;
      state_ = State::kRefused;
      return greeted(bytes.size());
    }
    if (begin(bytes, as_text(kSuperKillFrame))) {  // a server that ends the connection before its greeting
      if (bytes.size() < sizeof kSuperKillFrame) return kWait;
      state_ = State::kPlay;
      return cut_frame(bytes);
    }
    if (!begin(bytes, kMagicWord)) return lost("wrong greeting", "version");
    if (bytes.size() < kWelcomeSize) return kWait;
    // The greeting of player 13 ends like the start of a late answer ("\r\n\r\n"). bzfs sends nothing more until the
    // client speaks, so a late answer, which is sent in one write, counts only if it has arrived whole.
    const bool late = late_answer_ && bytes.size() >= kTooLateSize && begin(bytes.subspan(kWelcomeSize - 1), kLateWord);
    state_ = State::kPlay;
    return greeted(late ? kTooLateSize : kWelcomeSize);
  }

  State state_ = State::kGreeting;
  bool refusals_, late_answer_;
};

class DatagramCutter final : public wire::Cutter {
 public:
  Cut next(Bytes bytes) override { return cut_frame(bytes); }
};

}  // namespace

Greeting greeting(wire::Way way, Bytes bytes) {
  if (way == Way::kToServer) return Greeting::kClientHeader;
  const auto said = as_text(bytes);
  if (said.starts_with(kRefusedWord)) return Greeting::kRefused;
  if (!said.starts_with(kMagicWord)) return Greeting::kRefusedMore;
  return said.size() == kTooLateSize ? Greeting::kTooLate : Greeting::kWelcome;
}

std::unique_ptr<wire::Cutter> make_cutter(Way way, std::size_t dialect) {
  if (way == Way::kToServer) return std::make_unique<ClientCutter>(kDialects[dialect]);
  return std::make_unique<ServerCutter>(kDialects[dialect]);
}

std::unique_ptr<wire::Cutter> make_datagram_cutter() { return std::make_unique<DatagramCutter>(); }

}  // namespace entente::bzflag
