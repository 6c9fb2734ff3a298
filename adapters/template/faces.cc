// The front, a server for the game's clients, and the back, a client of its servers. proxy/core/README.md says what
// both can rely on.
#include "adapters/template/drops.h"
#include "adapters/template/template.h"

namespace entente::sample {
namespace {

using core::as;
using wire::Way;

using Link = wire::MessageLink<Message>;

/// `text`, cut to what one frame can hold.
wire::EndText text_of(std::string_view text) { return {std::string(text.substr(0, 250))}; }

class SampleFront final : public core::Front {
 public:
  void receive(const Frames& frames, core::FrontOut& out) override {
    const auto take = [&](const auto& heard) {
      if (const auto* hello = std::get_if<Hello>(heard.message)) enter(*hello, out);
      if (const auto* chat = std::get_if<Chat>(heard.message)) {
        words::Say say;
        say.set_text(std::string(chat->text.view()));
        out.say(std::move(say));
      }
      return true;
    };
    if (const auto fault = link_.hear(frames, take)) out.fail(*fault);
  }
  void hear(const core::Fact& fact, core::FrontOut& out) override {
    if (as<words::Ready>(fact) != nullptr) return send(Welcome{static_cast<std::uint8_t>(out.me())}, out);
    if (const auto* said = as<words::Said>(fact))
      return send(Chat{static_cast<std::uint8_t>(said->from()), text_of(said->text())}, out);
    if (as<words::You>(fact) == nullptr) out.drop(drops::kOtherFact, fact);
  }

 private:
  void enter(const Hello& hello, core::FrontOut& out) {
    if (std::exchange(entered_, true)) return out.drop(drops::kHelloAgain);
    words::Enter enter;
    enter.set_name(std::string(hello.name.view()));
    out.say(std::move(enter));
  }

  void send(const Message& message, core::FrontOut& out) { out.send(Lane::kStream, link_.frame(message)); }

  Link link_{Way::kToServer, make_message_codec()};
  bool entered_ = false;
};

class SampleBack final : public core::Back {
 public:
  void opened(const core::Peer&, core::BackOut& out) override { send(Hello{text_of(name_)}, out); }
  void receive(const Frames& frames, core::BackOut& out) override {
    const auto take = [&](const auto& heard) {
      if (std::holds_alternative<Welcome>(*heard.message)) out.say(words::Ready());
      if (const auto* chat = std::get_if<Chat>(heard.message)) {
        words::Said said;
        said.set_text(std::string(chat->text.view()));
        out.say(std::move(said));
      }
      return true;
    };
    if (const auto fault = link_.hear(frames, take)) out.fail(*fault);
  }
  /// The first intent is Enter, and comes before the link is up.
  void hear(const core::Intent& intent, core::BackOut& out) override {
    if (const auto* enter = as<words::Enter>(intent)) return void(name_ = enter->name());
    if (const auto* say = as<words::Say>(intent)) return send(Chat{0, text_of(say->text())}, out);
    if (as<words::Leave>(intent) != nullptr) return out.close("the player left");
    out.drop(drops::kOtherIntent, intent);
  }

 private:
  void send(const Message& message, core::BackOut& out) { out.send(Lane::kStream, link_.frame(message)); }

  Link link_{Way::kToClient, make_message_codec()};
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
