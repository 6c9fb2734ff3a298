#include "proxy/relay/bridge_words.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace entente::relay {
namespace {

using Fields = std::vector<const google::protobuf::FieldDescriptor*>;

Fields secret_fields(const google::protobuf::Descriptor* type) {
  Fields secret;
  for (int i = 0; i < type->field_count(); ++i)
    if (type->field(i)->options().GetExtension(words::secret)) secret.push_back(type->field(i));
  return secret;
}

/// Of the kind that `word` is.
template <class Word>
const Fields& secret_fields_of(const Word& word) {
  static const auto all = []<class... T>(std::variant<T...>*) {
    return std::array<Fields, sizeof...(T)>{secret_fields(T::descriptor())...};
  }(static_cast<typename Word::Kind*>(nullptr));
  return all[word.kind.index()];
}

template <class Word>
void write_without(const Fields& secret, Word word, Buffer& out) {
  std::visit(
      [&](auto& kind) {
        for (const auto* field : secret) kind.GetReflection()->ClearField(&kind, field);
      },
      word.kind);
  write(word, out);
}

std::string times(std::uint64_t n) { return n == 1 ? "once" : std::to_string(n) + " times"; }

}  // namespace

template <class Word>
void BridgeWords::tell_any(LinkId link, const Word& word, bool fact, WallTime at) {
  if (tap_ == nullptr) return;
  written_.clear();
  const Fields& secret = secret_fields_of(word);
  if (with_secrets_ || secret.empty())
    write(word, written_);
  else
    write_without(secret, word, written_);
  tap_->word(link, fact, written_, at);
}

template void BridgeWords::tell_any(LinkId, const core::Intent&, bool, WallTime);
template void BridgeWords::tell_any(LinkId, const core::Fact&, bool, WallTime);

std::string text(const core::Ledger& ledger, std::size_t most_kinds) {
  auto entries = ledger.entries();
  std::stable_sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.times > b.times; });
  std::string out;
  for (std::size_t i = 0; i < std::min(entries.size(), most_kinds); ++i)
    out +=
        (i == 0 ? "" : ", ") + std::string(entries[i].what) + " (" + entries[i].reason + ") " + times(entries[i].times);
  if (entries.size() > most_kinds) out += " and " + std::to_string(entries.size() - most_kinds) + " other kinds";
  return out;
}

}  // namespace entente::relay
