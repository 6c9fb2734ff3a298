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
  // By its own type: the library's copy of any message first looks for the one in the other, field by field.
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
  if (!message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return Fault{"no word", "word", 0};
  return from_message(message);
}

}  // namespace

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
