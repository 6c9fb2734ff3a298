// The front, a server for the game's clients, and the back, a client of its servers. proxy/core/README.md says what
// both can rely on.
#include "adapters/template/losses.h"
#include "adapters/template/template.h"

namespace entente::sample {
namespace {

using core::as;
using wire::Way;

/// The link to a peer, for front and back: bytes in, messages out.
class Link {
 public:
  explicit Link(Way hears)
      : says_(hears == Way::kToServer ? Way::kToClient : Way::kToServer), reader_(game(), 0, hears) {}

  /// Calls `take(const Message&)` for each message; fails the session if one does not decode.
  template <class Outlet, class Take>
  void receive(Lane lane, Bytes bytes, Outlet& out, Take&& take) {
    const auto fault = wire::hear(reader_, *codec_, lane, bytes, [&](const auto& heard) {
      take(*heard.message);
      return true;
    });
    if (fault) out.fail(*fault);
  }
  template <class Outlet>
  void send(const Message& message, Outlet& out) {
    frame_.clear();
    codec_->write(message, says_, frame_);
    out.send(Lane::kStream, frame_);
  }

 private:
  Way says_;
  wire::FrameReader reader_;
  std::unique_ptr<wire::MessageCodec<Message>> codec_ = make_message_codec();
  Buffer frame_;
};

/// `text`, cut to what one frame can hold.
wire::EndText text_of(std::string_view text) { return {std::string(text.substr(0, 250))}; }

class SampleFront final : public core::Front {
 public:
  void receive(Lane lane, Bytes bytes, core::FrontOut& out) override {
    link_.receive(lane, bytes, out, [&](const Message& message) {
      if (const auto* hello = std::get_if<Hello>(&message)) return enter(*hello, out);
      if (const auto* chat = std::get_if<Chat>(&message)) {
        words::Say say;
        say.set_text(std::string(chat->text.view()));
        out.say(std::move(say));
      }
    });
  }
  void hear(const core::Fact& fact, core::FrontOut& out) override {
    if (as<words::Ready>(fact) != nullptr) return link_.send(Welcome{static_cast<std::uint8_t>(out.me())}, out);
    if (const auto* said = as<words::Said>(fact))
      return link_.send(Chat{static_cast<std::uint8_t>(said->from()), text_of(said->text())}, out);
    if (as<words::You>(fact) == nullptr) out.lose(loss::kOtherFact, fact);
  }

 private:
  void enter(const Hello& hello, core::FrontOut& out) {
    if (std::exchange(entered_, true)) return out.lose(loss::kHelloAgain);
    words::Enter enter;
    enter.set_name(std::string(hello.name.view()));
    out.say(std::move(enter));
  }

  Link link_{Way::kToServer};
  bool entered_ = false;
};

class SampleBack final : public core::Back {
 public:
  void opened(const core::Peer&, core::BackOut& out) override { link_.send(Hello{text_of(name_)}, out); }
  void receive(Lane lane, Bytes bytes, core::BackOut& out) override {
    link_.receive(lane, bytes, out, [&](const Message& message) {
      if (std::holds_alternative<Welcome>(message)) return out.say(words::Ready());
      if (const auto* chat = std::get_if<Chat>(&message)) {
        words::Said said;
        said.set_text(std::string(chat->text.view()));
        out.say(std::move(said));
      }
    });
  }
  /// The first intent is Enter, and comes before the link is up.
  void hear(const core::Intent& intent, core::BackOut& out) override {
    if (const auto* enter = as<words::Enter>(intent)) return void(name_ = enter->name());
    if (const auto* say = as<words::Say>(intent)) return link_.send(Chat{0, text_of(say->text())}, out);
    if (as<words::Leave>(intent) != nullptr) return out.close("the player left");
    out.lose(loss::kOtherIntent, intent);
  }

 private:
  Link link_{Way::kToClient};
  std::string name_;
};

}  // namespace

const core::Faces& faces() {
  static const core::Faces kFaces = {
      [](const core::FaceOptions&) -> std::unique_ptr<core::Front> { return std::make_unique<SampleFront>(); },
      [](const core::FaceOptions&) -> std::unique_ptr<core::Back> { return std::make_unique<SampleBack>(); }};
  return kFaces;
}

}  // namespace entente::sample
