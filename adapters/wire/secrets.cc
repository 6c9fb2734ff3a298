#include "adapters/wire/secrets.h"

#include <algorithm>

#include "proxy/base/command.h"

namespace entente::wire {
namespace {

/// Replaces the characters of `chars` from `from` on; NULs stay, so that a padded text keeps its padding.
bool blank_chars(std::span<char> chars, std::size_t from) {
  bool changed = false;
  for (char& c : chars.subspan(std::min(from, chars.size())))
    if (c != '\0') changed = true, c = '*';
  return changed;
}

/// The same for a text in little-endian 16-bit units.
bool blank_units(std::span<char> chars, std::size_t from) {
  bool changed = false;
  for (std::size_t at = 2 * from; at + 1 < chars.size(); at += 2) changed = true, chars[at] = '*', chars[at + 1] = '\0';
  if (chars.size() % 2 != 0 && chars.size() > 2 * from) changed = true, chars.back() = '*';
  return changed;
}

/// One character for each 16-bit unit, which is enough to find a command and the start of its arguments. Units that
/// servers strip from a line become spaces.
std::string narrowed(std::span<const char> units) {
  std::string text;
  for (std::size_t at = 0; at + 1 < units.size(); at += 2) {
    const auto unit = static_cast<std::uint32_t>(static_cast<unsigned char>(units[at]) |
                                                 static_cast<unsigned char>(units[at + 1]) << 8U);
    text += is_cut_off(unit) ? ' ' : unit < 0x80 ? static_cast<char>(unit) : 'x';
  }
  return text;
}

/// The byte that starts a UTF-8 line in Ace of Spades.
constexpr char kUtf8Mark = '\xff';

/// Visits the texts of a message.
class TextVisitor : public FieldVisitor {
 public:
  bool changed() const { return changed_; }

  void scalar(const char*, Scalar&) override {}
  void fixed_text(const char* name, std::span<char> chars) override { look(name, chars, false); }
  void text(const char* name, std::string& chars, TextEnd end, bool&) override {
    look(name, chars, end == TextEnd::kZero16);
  }
  void padding(const char*, std::span<std::uint8_t>) override {}
  void rest(const char*, Buffer&, Kept) override {}
  bool part(const char*, bool there, bool) override { return there; }
  std::size_t form(const char*, std::size_t now, std::span<const std::size_t>) override { return now; }
  std::size_t list(const char*, ListEnd, std::size_t count, std::size_t) override { return count; }

 protected:
  /// `wide`: in units of 16 bits.
  virtual void look(std::string_view name, std::span<char> chars, bool wide) = 0;

  bool changed_ = false;
};

class Blanker final : public TextVisitor {
 public:
  Blanker(std::string_view message, std::span<const Secret> secrets, SecretEchoes* heard)
      : message_(message), secrets_(secrets), heard_(heard) {}

 private:
  void look(std::string_view name, std::span<char> chars, bool wide) override {
    const auto secret = std::find_if(secrets_.begin(), secrets_.end(),
                                     [&](const Secret& one) { return one.message == message_ && one.field == name; });
    if (secret == secrets_.end()) return;
    const auto from = secret->line ? arguments(chars, wide) : 0;
    if (heard_ != nullptr) remember(secret->line, chars, wide);
    if (from) changed_ |= wide ? blank_units(chars, *from) : blank_chars(chars, *from);
  }

  void remember(bool line, std::span<const char> chars, bool wide) {
    std::string text = wide ? narrowed(chars) : std::string(chars.data(), chars.size());
    text.resize(std::min(text.find('\0'), text.size()));
    if (text.starts_with(kUtf8Mark)) text.erase(0, 1);
    line ? heard_->add_arguments(text) : heard_->add(text);
  }

  /// Where the arguments of a command begin, counted in characters of the text's width; nothing if the line is no
  /// command.
  static std::optional<std::size_t> arguments(std::span<const char> chars, bool wide) {
    if (wide) {
      const std::string line = narrowed(chars);
      return is_command(line) ? std::optional(arguments_of(line)) : std::nullopt;
    }
    std::string_view line(chars.data(), chars.size());
    const bool marked = line.starts_with(kUtf8Mark);
    if (marked) line.remove_prefix(1);
    return is_command(line) ? std::optional(arguments_of(line) + (marked ? 1 : 0)) : std::nullopt;
  }

  std::string_view message_;
  std::span<const Secret> secrets_;
  SecretEchoes* heard_;
};

class EchoBlanker final : public TextVisitor {
 public:
  EchoBlanker(std::string_view message, std::span<const EchoField> fields, const SecretEchoes& heard)
      : message_(message), fields_(fields), heard_(heard) {}

 private:
  void look(std::string_view name, std::span<char> chars, bool wide) override {
    if (std::none_of(fields_.begin(), fields_.end(), [&](const EchoField& one) {
          return one.field == name && (one.message.empty() || one.message == message_);
        }))
      return;
    const std::string text = wide ? narrowed(chars) : std::string(chars.data(), chars.size());
    const std::size_t unit = wide ? 2 : 1;
    heard_.find(text, [&](std::size_t from, std::size_t size) {
      const auto part = chars.subspan(from * unit, size * unit);
      changed_ |= wide ? blank_units(part, 0) : blank_chars(part, 0);
    });
  }

  std::string_view message_;
  std::span<const EchoField> fields_;
  const SecretEchoes& heard_;
};

}  // namespace

bool blank_secrets(const Row& row, Codec& codec, std::span<const Secret> secrets, SecretEchoes* heard) {
  const std::string_view name = row.name;
  if (std::none_of(secrets.begin(), secrets.end(), [&](const Secret& one) { return one.message == name; }))
    return false;
  Blanker blanker(name, secrets, heard);
  codec.visit(blanker);
  return blanker.changed();
}

bool blank_echoes(const Row& row, Codec& codec, std::span<const EchoField> fields, const SecretEchoes& heard) {
  const std::string_view name = row.name;
  if (!heard.any() || std::none_of(fields.begin(), fields.end(),
                                   [&](const EchoField& one) { return one.message.empty() || one.message == name; }))
    return false;
  EchoBlanker blanker(name, fields, heard);
  codec.visit(blanker);
  return blanker.changed();
}

}  // namespace entente::wire
