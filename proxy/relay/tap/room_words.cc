#include "proxy/relay/tap/room_words.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "proxy/base/command.h"
#include "proxy/base/hash.h"
#include "proxy/core/replay/replay_facts.h"
#include "proxy/trace/recorder.h"

namespace entente::relay {
namespace {

constexpr core::Micros kWorldEvery = 10 * core::kSecond;

/// What is secret in one kind of word.
struct WordSecrets {
  std::vector<const google::protobuf::FieldDescriptor*> fields;
  std::vector<const google::protobuf::FieldDescriptor*> lines;  ///< of chat: the arguments of a command
};

WordSecrets secrets_in(const google::protobuf::Descriptor* type) {
  WordSecrets secrets;
  for (int i = 0; i < type->field_count(); ++i) {
    const auto* field = type->field(i);
    if (field->options().GetExtension(words::secret)) secrets.fields.push_back(field);
    if (field->options().GetExtension(words::secret_arguments)) secrets.lines.push_back(field);
  }
  return secrets;
}

/// The secrets in the kind of `word`.
template <class Word>
const WordSecrets& secrets_of(const Word& word) {
  static const auto all = []<class... T>(std::variant<T...>*) {
    return std::array<WordSecrets, sizeof...(T)>{secrets_in(T::descriptor())...};
  }(static_cast<typename Word::Kind*>(nullptr));
  return all[word.content.index()];
}

/// Whether the word contains a secret. A word without secrets is not copied.
template <class Word>
bool holds_secret(const Word& word) {
  const WordSecrets& secrets = secrets_of(word);
  if (!secrets.fields.empty()) return true;
  const google::protobuf::Message& message = message_in(word);
  std::string scratch;
  return std::any_of(secrets.lines.begin(), secrets.lines.end(), [&](const auto* field) {
    return is_command(message.GetReflection()->GetStringReference(message, field, &scratch));
  });
}

template <class Word>
void clear_secrets(Word& word) {
  google::protobuf::Message& message = message_in(word);
  const auto* reflection = message.GetReflection();
  for (const auto* field : secrets_of(word).fields) reflection->ClearField(&message, field);
  for (const auto* field : secrets_of(word).lines) {
    std::string line = reflection->GetString(message, field);
    if (!is_command(line)) continue;
    line.resize(arguments_of(line));
    reflection->SetString(&message, field, std::move(line));
  }
}

Buffer written(const google::protobuf::MessageLite& message) {
  Buffer bytes(message.ByteSizeLong());
  message.SerializeWithCachedSizesToArray(bytes.data());
  return bytes;
}

trace::Snapshot snapshot(LinkId link, const core::WorldState& world, core::Micros now, std::string geometry,
                         bool with_secrets) {
  trace::Snapshot snapshot;
  snapshot.set_link(link);
  snapshot.set_at_us(now);
  snapshot.set_geometry(std::move(geometry));
  world.tell([&](core::Fact& fact) {
    if (core::as<words::World>(fact) != nullptr) return;
    fact.at = core::true_since(fact, world, now);
    if (!with_secrets) clear_secrets(fact);
    to_message(fact, *snapshot.add_facts());
  });
  return snapshot;
}

}  // namespace

template <class Word>
void RoomWords::tell_any(LinkId link, const Word& word, bool fact, WallTime at) {
  if (!wanted()) return;
  if constexpr (std::is_same_v<Word, core::Fact>) {
    if (core::as<words::World>(word) != nullptr) geometry_.reset();
    if (core::as<words::Ready>(word) != nullptr && !std::exchange(ready_, true)) world_due_ = 0;
  }
  written_.clear();
  if (with_secrets_ || !holds_secret(word)) {
    write(word, written_);
  } else {
    Word told = word;
    clear_secrets(told);
    write(told, written_);
  }
  tap_->word(link, fact, written_, at);
}

template void RoomWords::tell_any(LinkId, const core::Intent&, bool, WallTime);
template void RoomWords::tell_any(LinkId, const core::Fact&, bool, WallTime);

void RoomWords::tell(LinkId link, const core::WorldState& world, core::Micros now, WallTime at) {
  world_due_ = now + kWorldEvery;
  if (const auto generation = tap_->recording_generation(); std::exchange(generation_, generation) != generation)
    geometry_.reset();
  if (!geometry_ && !tell_geometry(link, world.geometry(), at)) return;
  tap_->world(link, written(snapshot(link, world, now, *geometry_, with_secrets_)), at);
}

trace::Snapshot snapshot_of(LinkId link, const core::WorldState& world, core::Micros now, std::string geometry) {
  return snapshot(link, world, now, std::move(geometry), true);
}

trace::Geometry geometry_of(const words::World& world) {
  trace::Geometry geometry;
  geometry.set_hash(hash_of(written(world)));
  *geometry.mutable_world() = world;
  return geometry;
}

/// False: the tap has no room for it. It is tried again with the next world.
bool RoomWords::tell_geometry(LinkId link, const words::World* geometry, WallTime at) {
  trace::Geometry message;
  if (geometry != nullptr) {
    message = geometry_of(*geometry);
    if (!tap_->geometry(link, written(message), at)) return false;
  }
  geometry_ = message.hash();
  return true;
}

std::string text(const core::Ledger& ledger, std::size_t most_kinds) {
  auto entries = ledger.entries();
  std::stable_sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.times > b.times; });
  std::string out;
  for (std::size_t i = 0; i < std::min(entries.size(), most_kinds); ++i)
    out += (i == 0 ? "" : ", ") + std::to_string(entries[i].times) + " " + entries[i].what() + " (" +
           entries[i].reason() + ")";
  if (entries.size() > most_kinds) out += " and " + std::to_string(entries.size() - most_kinds) + " other kinds";
  return out;
}

}  // namespace entente::relay
