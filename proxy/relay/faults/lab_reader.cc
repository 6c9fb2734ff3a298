#include "proxy/relay/faults/lab_reader.h"

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace entente::relay {

namespace {

/// Visits a message twice: counts its fields, then changes one. What decides about the message's form stays: no list
/// gets longer, and no part appears.
class FieldCorrupter final : public wire::FieldVisitor {
 public:
  bool any() const { return fields_ != 0; }
  /// From now on, changes the field that the roll names.
  void change(std::uint64_t roll) {
    chosen_ = roll % fields_;
    noise_ = roll / fields_ | 1U;  // not 0
    fields_ = next_list_ = 0;
    changes_ = true;
  }

  void scalar(const char*, wire::Scalar& value) override {
    if (!is_chosen()) return;
    const unsigned bits = value.kind == wire::Kind::kBool ? 1 : static_cast<unsigned>(8 * wire::width(value.kind));
    const std::uint64_t mask = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
    value.bits ^= std::max<std::uint64_t>(noise_ & mask, 1);
    if (value.bits == 0) value.bits = mask;  // it might end a list
  }
  void fixed_text(const char*, std::span<char> chars) override {
    if (!chars.empty() && is_chosen()) spoil(chars[noise_ % chars.size()]);
  }
  void text(const char*, std::string& chars, wire::TextEnd, bool&) override {
    if (!chars.empty() && is_chosen()) spoil(chars[noise_ % chars.size()]);
  }
  void padding(const char*, std::span<std::uint8_t>) override {}
  void rest(const char*, Buffer& bytes, wire::Kept) override {
    if (!bytes.empty() && is_chosen()) bytes[noise_ % bytes.size()] ^= static_cast<std::uint8_t>(noise_ >> 8U | 1U);
  }
  bool part(const char*, bool there, bool) override { return there; }
  std::size_t form(const char*, std::size_t now, std::span<const std::size_t>) override { return now; }
  std::size_t list(const char*, wire::ListEnd, std::size_t count, std::size_t) override {
    if (!changes_) lists_.push_back(count);
    const std::size_t before = next_list_ < lists_.size() ? lists_[next_list_] : 0;
    ++next_list_;
    return changes_ ? before : count;
  }

 private:
  bool is_chosen() { return fields_++ == chosen_ && changes_; }
  void spoil(char& c) const {
    const char other = static_cast<char>('a' + noise_ % 26);
    c = c == other ? 'Z' : other;
  }

  std::size_t fields_ = 0, next_list_ = 0;
  std::uint64_t chosen_ = ~std::uint64_t{0}, noise_ = 0;
  bool changes_ = false;
  std::vector<std::size_t> lists_;  // the lengths of the lists
};

}  // namespace

bool LabReader::means(const LabSaid& rule, const wire::Frame& frame) const {
  const wire::Row* const row = codec_->find(frame);
  return row != nullptr && std::find(rule.messages.begin(), rule.messages.end(), row->name) != rule.messages.end();
}

std::optional<Buffer> LabReader::corrupted(const wire::Frame& frame, std::uint64_t roll) {
  if (!codec_->decode(frame)) return std::nullopt;
  FieldCorrupter corrupter;
  codec_->visit(corrupter);
  if (!corrupter.any()) return std::nullopt;
  corrupter.change(roll);
  codec_->visit(corrupter);
  Buffer changed;
  codec_->encode(changed);
  return changed;
}

}  // namespace entente::relay
