#include "proxy/core/word.h"

#include <array>

namespace entente::core {
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
  return members<Word>()[word.kind.index()]->message_type()->name().c_str();
}

template <class Word>
void write_message(const Word& word, typename Word::Schema& message, Buffer& out) {
  const FieldDescriptor* field = members<Word>()[word.kind.index()];
  Message* into = message.GetReflection()->MutableMessage(&message, field);
  std::visit([&](const auto& kind) { into->CopyFrom(kind); }, word.kind);
  const std::size_t start = out.size();
  out.resize(start + message.ByteSizeLong());
  message.SerializeWithCachedSizesToArray(out.data() + start);
}

template <class T, class Word>
void take(const Message& from, Word& word) {
  word.kind.template emplace<T>(static_cast<const T&>(from));
}

template <class Word>
bool read_kind(const typename Word::Schema& message, Word& word) {
  const auto* reflection = message.GetReflection();
  const FieldDescriptor* set =
      reflection->GetOneofFieldDescriptor(message, Word::Schema::descriptor()->FindOneofByName("kind"));
  if (set == nullptr) return false;
  static const auto takers = []<class... T>(std::variant<T...>*) {
    return std::array<void (*)(const Message&, Word&), sizeof...(T)>{&take<T, Word>...};
  }(static_cast<typename Word::Kind*>(nullptr));
  for (std::size_t i = 0; i < takers.size(); ++i) {
    if (members<Word>()[i] != set) continue;
    takers[i](reflection->GetMessage(message, set), word);
    return true;
  }
  return false;
}

template <class Word, class Head>
Result<Word> read_word(Bytes bytes, Head&& head) {
  typename Word::Schema message;
  if (!message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return Fault{"no word", "word", 0};
  Word word;
  if (!read_kind(message, word)) return Fault{"unknown kind of word", "kind", 0};
  head(message, word);
  return word;
}

}  // namespace

const char* name_of(const Intent& word) { return kind_name(word); }
const char* name_of(const Fact& word) { return kind_name(word); }

void write(const Intent& word, Buffer& out) {
  words::Intent message;
  message.set_at_us(word.at);
  message.set_by(word.by);
  message.set_number(word.number);
  write_message(word, message, out);
}

void write(const Fact& word, Buffer& out) {
  words::Fact message;
  message.set_at_us(word.at);
  message.set_cause(word.cause);
  message.set_audience(word.audience);
  message.set_to(word.to);
  write_message(word, message, out);
}

Result<Intent> read_intent(Bytes bytes) {
  return read_word<Intent>(bytes, [](const words::Intent& from, Intent& to) {
    to.at = from.at_us();
    to.by = from.by();
    to.number = from.number();
  });
}

Result<Fact> read_fact(Bytes bytes) {
  return read_word<Fact>(bytes, [](const words::Fact& from, Fact& to) {
    to.at = from.at_us();
    to.cause = from.cause();
    to.audience = from.audience();
    to.to = from.to();
  });
}

}  // namespace entente::core
