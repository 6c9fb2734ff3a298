#include "tests/support/toy_faces.h"

#include <string>

#include "proxy/core/world.h"

namespace entente::toy {
namespace {

using core::as;
using wire::Way;

constexpr MappingLine kLostFrame = dropped_up("a frame", "", "no word for it");
constexpr MappingLine kLostServersFrame = dropped_down("a server's frame", "", "no word for it");
constexpr core::Micros kBeatEvery = 20 * core::kMillisecond;
constexpr std::uint32_t kPartCode = 4001;

/// A frame of at most 198 bytes of payload, made without taking memory.
class Made {
 public:
  Made(Code code, std::string_view payload) : size_(payload.size() + 2) {
    bytes_[0] = static_cast<std::uint8_t>(payload.size());
    bytes_[1] = code;
    payload.copy(reinterpret_cast<char*>(bytes_) + 2, sizeof bytes_ - 2);
  }
  Made(Code code, double number) : size_(3) {
    bytes_[0] = 1;
    bytes_[1] = code;
    bytes_[2] = static_cast<std::uint8_t>(number);
  }
  Bytes bytes() const { return {bytes_, size_}; }

 private:
  std::uint8_t bytes_[200];
  std::size_t size_;
};

std::string_view payload_of(const wire::Frame& frame) { return as_text(frame.bytes.subspan(2)); }
double number_of(const wire::Frame& frame) { return frame.bytes.size() > 2 ? frame.bytes[2] : 0; }
bool greets(const wire::Game& game) { return !wire::keeps_messages(game.transport()); }

class ToyFront final : public core::Front {
 public:
  ToyFront(const wire::Game& game, bool asks) : game_(game), asks_(asks) {}

  void opened(const core::Peer&, core::FrontOut& out) override {
    if (!greets(game_)) enter(out);
  }
  void receive(const Frames& frames, core::FrontOut& out) override {
    wire::each_frame(frames, Way::kToServer, [&](const wire::Frame& frame) { return take(frame, out); });
  }
  void hear(const core::Fact& fact, core::FrontOut& out) override {
    if (const auto* said = as<words::Said>(fact)) out.send(Lane::kStream, Made(kSay, said->text()).bytes());
    if (as<words::ClaimRefused>(fact) != nullptr) enter(out);
    if (const auto* pose = as<words::Pose>(fact)) out.send(lane_, Made(kPoint, pose->x()).bytes());
    if (const auto* refused = as<words::Refused>(fact)) {
      out.send(Lane::kStream, Made(kRefuse, refused->text()).bytes());
      out.close("the server would not have the player", kPartCode);
    }
  }
  void closed_with_code(std::uint32_t code, std::string_view why, core::FrontOut& out) override {
    if (game_.transport() != wire::Transport::kEnet) return closed(why, out);
    words::Say last;
    last.set_text("left " + std::to_string(code));
    out.say(std::move(last));
  }
  void tick(core::FrontOut& out) override {
    out.send(Lane::kStream, Made(kBeat, static_cast<double>(out.now() / core::kMillisecond % 256)).bytes());
    out.wake(out.now() + kBeatEvery);
  }
  std::optional<core::Absence> try_reserve_seat(const core::FrontOut&) override { return absence_; }
  void returned(const core::Peer&, core::FrontOut& out) override {
    out.send(Lane::kStream, Made(kBack, absence_->number).bytes());
  }
  void session_ends(std::string_view why, core::FrontOut& out) override {
    out.send(Lane::kStream, Made(kBye, "").bytes());
    if (!stays_) out.close(why, kPartCode);
  }

 private:
  static void enter(core::FrontOut& out) {
    words::Enter enter;
    enter.set_name("toy");
    enter.set_password("sesame");
    out.say(std::move(enter));
  }
  bool take(const wire::Frame& frame, core::FrontOut& out) {
    if (frame.stage == wire::Stage::kGreeting) {
      out.send(Lane::kStream, as_bytes("toy\x07"));
      if (!asks_) enter(out);
      return true;
    }
    if (frame.bytes[1] == kBack) return say_back(number_of(frame), out);
    if (std::exchange(asks_, false)) enter(out);
    switch (frame.bytes[1]) {
      case kSay: {
        words::Say say;
        say.set_text(std::string(payload_of(frame)));
        out.say(std::move(say));
        return true;
      }
      case kPoint: {
        lane_ = frame.lane;
        words::Toward toward;
        toward.set_x(number_of(frame));
        out.say(toward);
        return true;
      }
      case kBeat:
        out.wake(out.now() + kBeatEvery);
        return true;
      case kFlood:
        for (int i = 0; i < 1 << 20; i += 198) out.send(Lane::kStream, Made(kSay, std::string(196, 'x')).bytes());
        return true;
      case kStay:
        return stays_ = true;
      case kAway:
        absence_ = {frame.bytes[2], frame.bytes[3] * 100 * core::kMillisecond};
        return true;
      case kBye:
        out.say(words::Leave());
        out.close("the player said goodbye");
        return false;
      default:
        out.drop(kLostFrame);
        if (frame.bytes[1] != kWrong) return true;
        out.fail({"unknown code", "code", 1});
        return false;
    }
  }

  bool say_back(double number, core::FrontOut& out) {
    asks_ = false;
    words::Resume resume;
    resume.set_player(static_cast<std::uint32_t>(number));
    out.say(resume);
    return true;
  }

  const wire::Game& game_;
  bool asks_;
  std::optional<core::Absence> absence_;
  Lane lane_ = Lane::kStream;
  bool stays_ = false;
};

class ToyBack final : public core::Back {
 public:
  explicit ToyBack(const wire::Game& game) : game_(game) {}

  void opened(const core::Peer&, core::BackOut& out) override {
    up_ = !greets(game_);
    if (!up_) return out.send(Lane::kStream, as_bytes("TOY!"));
    catch_up(out);
  }
  void receive(const Frames& frames, core::BackOut& out) override {
    wire::each_frame(frames, Way::kToClient, [&](const wire::Frame& frame) { return take(frame, out); });
  }
  void hear(const core::Intent& intent, core::BackOut& out) override {
    const bool left = as<words::Leave>(intent) != nullptr;
    if (left) return session_ends("", out);
    if (const auto* say = as<words::Say>(intent)) speak(Lane::kStream, Made(kSay, say->text()), out);
    const bool datagrams =
        game_.transport() == wire::Transport::kTcpAndUdp || game_.transport() == wire::Transport::kEnet;
    if (const auto* toward = as<words::Toward>(intent))
      speak(datagrams ? Lane::kDatagram : Lane::kStream, Made(kPoint, toward->x()), out);
  }
  void closed_with_code(std::uint32_t code, std::string_view why, core::BackOut& out) override {
    if (game_.transport() != wire::Transport::kEnet) return closed(why, out);
    words::Refused refused;
    refused.set_text(std::to_string(code));
    out.say(std::move(refused));
  }
  void session_ends(std::string_view why, core::BackOut& out) override {
    out.send(Lane::kStream, Made(kBye, "").bytes());
    out.close(why, kPartCode);
  }

 private:
  void speak(Lane lane, const Made& frame, core::BackOut& out) {
    up_ ? out.send(lane, frame.bytes()) : early_.push_back(frame);
  }
  void catch_up(core::BackOut& out) {
    for (const Made& frame : std::exchange(early_, {})) out.send(Lane::kStream, frame.bytes());
  }
  bool take(const wire::Frame& frame, core::BackOut& out) {
    if (frame.stage == wire::Stage::kGreeting) {
      up_ = true;
      catch_up(out);
      return true;
    }
    switch (frame.bytes[1]) {
      case kSay: {
        words::Said said;
        said.set_text(std::string(payload_of(frame)));
        out.say(std::move(said));
        return true;
      }
      case kPoint: {
        words::Pose pose;
        pose.set_unit(1);
        pose.set_x(number_of(frame));
        out.say(pose);
        return true;
      }
      case kRefuse:
        out.say(words::Refused());
        return true;
      case kBye:
        out.close("the server said goodbye");
        return false;
      default:
        out.drop(kLostServersFrame);
        if (frame.bytes[1] != kWrong) return true;
        out.fail({"unknown code", "code", 1});
        return false;
    }
  }

  const wire::Game& game_;
  std::vector<Made> early_;  // frames that wait until the server has greeted us
  bool up_ = false;
};

}  // namespace

std::unique_ptr<core::Front> make_front(const wire::Game& game) { return std::make_unique<ToyFront>(game, false); }

std::unique_ptr<core::Front> make_asking_front(const wire::Game& game) {
  return std::make_unique<ToyFront>(game, true);
}

std::unique_ptr<core::Back> make_back(const wire::Game& game) { return std::make_unique<ToyBack>(game); }

}  // namespace entente::toy
