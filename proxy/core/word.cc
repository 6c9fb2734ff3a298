#include "proxy/core/word.h"

#include <array>

namespace entente::core {

Intent::Intent() = default;
Intent::~Intent() = default;
Intent::Intent(Intent&&) noexcept = default;
Intent::Intent(const Intent&) = default;
Intent& Intent::operator=(Intent&&) noexcept = default;
Intent& Intent::operator=(const Intent&) = default;

Fact::Fact() = default;
Fact::~Fact() = default;
Fact::Fact(Fact&&) noexcept = default;
Fact::Fact(const Fact&) = default;
Fact& Fact::operator=(Fact&&) noexcept = default;
Fact& Fact::operator=(const Fact&) = default;

template <KindOf<IntentKind> T>
Intent::Intent(T word) : content(std::in_place_type<T>, std::move(word)) {}

template <KindOf<FactKind> T>
Fact::Fact(T word) : content(std::in_place_type<T>, std::move(word)) {}

// Each kind has a line; a missing one does not link.
template Intent::Intent(words::Enter);
template Intent::Intent(words::Change);
template Intent::Intent(words::Spawn);
template Intent::Intent(words::Leave);
template Intent::Intent(words::Select);
template Intent::Intent(words::Watch);
template Intent::Intent(words::Resume);
template Intent::Intent(words::Step);
template Intent::Intent(words::Toward);
template Intent::Intent(words::Keys);
template Intent::Intent(words::PoseClaim);
template Intent::Intent(words::Fire);
template Intent::Intent(words::Trigger);
template Intent::Intent(words::Reload);
template Intent::Intent(words::Tool);
template Intent::Intent(words::Split);
template Intent::Intent(words::Eject);
template Intent::Intent(words::Button);
template Intent::Intent(words::Freeze);
template Intent::Intent(words::HitClaim);
template Intent::Intent(words::DeathClaim);
template Intent::Intent(words::ShotMoveClaim);
template Intent::Intent(words::ShotEndClaim);
template Intent::Intent(words::TokenWish);
template Intent::Intent(words::TeleportClaim);
template Intent::Intent(words::ScoreClaim);
template Intent::Intent(words::Pause);
template Intent::Intent(words::Autopilot);
template Intent::Intent(words::Ping);
template Intent::Intent(words::Query);
template Intent::Intent(words::WantWorld);
template Intent::Intent(words::Edit);
template Intent::Intent(words::Say);
template Intent::Intent(words::Playback);

template Fact::Fact(words::Room);
template Fact::Fact(words::Rule);
template Fact::Fact(words::Refused);
template Fact::Fact(words::Kicked);
template Fact::Fact(words::ClaimRefused);
template Fact::Fact(words::Notice);
template Fact::Fact(words::Waiting);
template Fact::Fact(words::World);
template Fact::Fact(words::WorldEdit);
template Fact::Fact(words::WorldProgress);
template Fact::Fact(words::You);
template Fact::Fact(words::Player);
template Fact::Fact(words::PlayerGone);
template Fact::Fact(words::Owns);
template Fact::Fact(words::Unit);
template Fact::Fact(words::UnitChanged);
template Fact::Fact(words::Pose);
template Fact::Fact(words::Corrected);
template Fact::Fact(words::Hidden);
template Fact::Fact(words::Gone);
template Fact::Fact(words::Teleported);
template Fact::Fact(words::Spawned);
template Fact::Fact(words::Died);
template Fact::Fact(words::Health);
template Fact::Fact(words::Ammo);
template Fact::Fact(words::Input);
template Fact::Fact(words::Shot);
template Fact::Fact(words::ShotMoved);
template Fact::Fact(words::ShotEnded);
template Fact::Fact(words::Token);
template Fact::Fact(words::TokenTaken);
template Fact::Fact(words::TokenDropped);
template Fact::Fact(words::TokenCaptured);
template Fact::Fact(words::Zone);
template Fact::Fact(words::Score);
template Fact::Fact(words::TeamScore);
template Fact::Fact(words::Board);
template Fact::Fact(words::Round);
template Fact::Fact(words::Said);
template Fact::Fact(words::View);
template Fact::Fact(words::Lag);
template Fact::Fact(words::Clock);
template Fact::Fact(words::Ready);
template Fact::Fact(words::Timeline);
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

/// The field of Schema's oneof that holds a message of this type.
template <class Schema>
const FieldDescriptor* member(const Descriptor* type) {
  const auto* kinds = Schema::descriptor()->FindOneofByName("kind");
  for (int i = 0; i < kinds->field_count(); ++i)
    if (kinds->field(i)->message_type() == type) return kinds->field(i);
  return nullptr;
}

/// For each kind of Word, in order.
template <class Word>
const auto& members() {
  static const auto all = []<class... T>(std::variant<T...>*) {
    return std::array<const FieldDescriptor*, sizeof...(T)>{member<typename Word::Schema>(T::descriptor())...};
  }(static_cast<typename Word::Kind*>(nullptr));
  return all;
}

template <class Word>
const char* kind_name(const Word& word) {
  return members<Word>()[word.content.index()]->message_type()->name().c_str();
}

template <class Word>
void set_kind(const Word& word, typename Word::Schema& message) {
  const FieldDescriptor* field = members<Word>()[word.content.index()];
  Message* into = message.GetReflection()->MutableMessage(&message, field);
  // Copies by the concrete type, because the library's copy of any message works field by field.
  std::visit([&]<class T>(const T& kind) { static_cast<T*>(into)->CopyFrom(kind); }, word.content);
}

template <class Word>
void write_word(const Word& word, Buffer& out) {
  typename Word::Schema message;
  to_message(word, message);
  const std::size_t start = out.size();
  out.resize(start + message.ByteSizeLong());
  message.SerializeWithCachedSizesToArray(out.data() + start);
}

template <class T, class Word>
void take(const Message& from, Word& word) {
  word.content.template emplace<T>(static_cast<const T&>(from));
}

/// The schema numbers the kinds in their order, from here on.
constexpr std::size_t kFirstKind = 16;

template <class Word>
bool read_kind(const typename Word::Schema& message, Word& word) {
  static const auto takers = []<class... T>(std::variant<T...>*) {
    return std::array<void (*)(const Message&, Word&), sizeof...(T)>{&take<T, Word>...};
  }(static_cast<typename Word::Kind*>(nullptr));
  const auto number = static_cast<std::size_t>(message.kind_case());
  if (number < kFirstKind) return false;
  const FieldDescriptor* field = members<Word>()[number - kFirstKind];
  takers[number - kFirstKind](message.GetReflection()->GetMessage(message, field), word);
  return true;
}

template <class Word>
Result<Word> read_word(Bytes bytes) {
  typename Word::Schema message;
  if (!message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return Fault{"not a word", "word", 0};
  return from_message(message);
}

template <class Word>
auto& inner(Word& word) {
  using Base = std::conditional_t<std::is_const_v<Word>, const Message, Message>;
  return std::visit([](auto& kind) -> Base& { return kind; }, word.content);
}

}  // namespace

Message& message_in(Intent& word) { return inner(word); }
Message& message_in(Fact& word) { return inner(word); }
const Message& message_in(const Intent& word) { return inner(word); }
const Message& message_in(const Fact& word) { return inner(word); }

const char* name_of(const Intent& word) { return kind_name(word); }
const char* name_of(const Fact& word) { return kind_name(word); }

void to_message(const Intent& word, words::Intent& message) {
  message.set_at_us(word.at);
  message.set_by(word.by);
  message.set_number(word.number);
  set_kind(word, message);
}

void to_message(const Fact& word, words::Fact& message) {
  message.set_at_us(word.at);
  message.set_cause(word.cause);
  message.set_audience(word.audience);
  message.set_to(word.to);
  set_kind(word, message);
}

Result<Intent> from_message(const words::Intent& message) {
  Intent word;
  if (!read_kind(message, word)) return Fault{"unknown kind of word", "kind", 0};
  word.at = message.at_us();
  word.by = message.by();
  word.number = message.number();
  return word;
}

Result<Fact> from_message(const words::Fact& message) {
  Fact word;
  if (!read_kind(message, word)) return Fault{"unknown kind of word", "kind", 0};
  word.at = message.at_us();
  word.cause = message.cause();
  word.audience = message.audience();
  word.to = message.to();
  return word;
}

void write(const Intent& word, Buffer& out) { write_word(word, out); }
void write(const Fact& word, Buffer& out) { write_word(word, out); }
Result<Intent> read_intent(Bytes bytes) { return read_word<Intent>(bytes); }
Result<Fact> read_fact(Bytes bytes) { return read_word<Fact>(bytes); }

}  // namespace entente::core
