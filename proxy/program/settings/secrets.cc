#include "proxy/program/settings/secrets.h"

#include <string>
#include <string_view>

#include "adapters/registry.h"
#include "schema/game.pb.h"

namespace entente {
namespace {

/// The last name of a path.
std::string last_name(std::string_view path) { return std::string(path.substr(path.rfind('.') + 1)); }

/// Appends `line.message` if this field of the word is secret. `name`: the field's name in the message.
void add_secret(const wire::MappingLine& line, const google::protobuf::FieldDescriptor& field, std::string name,
                std::vector<wire::Secret>& to) {
  const bool whole = field.options().GetExtension(words::secret);
  const bool arguments = field.options().GetExtension(words::secret_arguments);
  if (whole || arguments) to.push_back({line.message, std::move(name), !whole});
}

}  // namespace

std::vector<wire::Secret> secrets_of(const wire::Game& game) {
  std::vector<wire::Secret> secrets;
  for (const wire::MappingLine& line : mapping_of(game)) {
    const std::string word(line.word);
    const std::size_t dot = word.find('.');
    const auto* kind = words::Intent::descriptor()->file()->FindMessageTypeByName(word.substr(0, dot));
    if ((line.ways & wire::kUp) == 0 || kind == nullptr) continue;
    if (dot != std::string::npos) {
      if (const auto* field = kind->FindFieldByName(last_name(word)))
        add_secret(line, *field, last_name(line.field), secrets);
    } else if (line.field == std::string_view("*")) {  // a message that is the word itself
      for (int i = 0; i < kind->field_count(); ++i) add_secret(line, *kind->field(i), kind->field(i)->name(), secrets);
    }
  }
  return secrets;
}

std::vector<wire::EchoField> echoes_of(const wire::Game& game) {
  std::vector<wire::EchoField> fields;
  for (const wire::PersonalField& line : personal_of(game))
    if (line.kind == wire::Personal::kChat || line.kind == wire::Personal::kText)
      fields.push_back({line.message, last_name(line.field)});
  if (personal_of(game).empty())  // its messages are words
    fields = {{"Said", "text"}, {"Notice", "text"}, {"Refused", "text"}, {"Kicked", "text"}, {"ClaimRefused", "why"}};
  return fields;
}

}  // namespace entente
