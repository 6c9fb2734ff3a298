#include "adapters/wire/invent.h"

#include <algorithm>

namespace entente::wire {
namespace {

class Inventor final : public FieldVisitor {
 public:
  Inventor(Random& random, std::size_t budget) : random_(random), budget_(budget) {}

  void code(std::uint32_t& code, std::uint32_t first, std::uint32_t last) override {
    code = first + static_cast<std::uint32_t>(up_to(last - first));
  }
  void scalar(const char*, Scalar& value) override {
    value.bits = number(value.kind);
    // The first number of an item of a zero-ended list is its key: 0 would end the list.
    if (key_next_ && value.bits == 0) value.bits = 1;
    key_next_ = false;
    spend(width(value.kind));
  }
  void fixed_text(const char*, std::span<char> chars) override {
    const std::size_t size = up_to(chars.size());
    for (std::size_t i = 0; i < chars.size(); ++i) chars[i] = i < size ? letter() : '\0';
    if (one_in(8)) std::generate(chars.begin(), chars.end(), [&] { return static_cast<char>(random_()); });
    spend(chars.size());
  }
  void text(const char*, std::string& chars, TextEnd end, bool& open) override {
    chars.resize(up_to(std::min<std::size_t>(24, budget_)));
    for (char& c : chars) c = letter();
    if (end == TextEnd::kFrame && one_in(4)) chars += '\0';
    if (end == TextEnd::kZero16) to_units(chars);
    open = false;
    spend(chars.size() + 1);
  }
  void padding(const char*, std::span<std::uint8_t> bytes) override {
    for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random_());
    spend(bytes.size());
  }
  void rest(const char*, Buffer& bytes, Kept) override {
    bytes.resize(up_to(std::min<std::size_t>(32, budget_)));
    for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random_());
    spend(bytes.size());
  }
  bool part(const char*, bool there, bool free) override { return free ? one_in(2) : there; }
  std::size_t form(const char*, std::size_t, std::span<const std::size_t> sizes) override {
    return up_to(sizes.size() - 1);
  }
  std::size_t list(const char*, ListEnd end, std::size_t count, std::size_t most) override {
    zero_ended_.push_back(end == ListEnd::kZero);
    if (end == ListEnd::kFixed) return count;
    return up_to(std::min<std::size_t>({most, 5, budget_ / 16}));
  }
  void item(std::size_t) override { key_next_ = zero_ended_.back(); }
  void end_list() override {
    zero_ended_.pop_back();
    key_next_ = false;
  }

 private:
  /// Often an edge: most mistakes are at 0, 1, the sign bit and all ones.
  std::uint64_t number(Kind kind) {
    if (kind == Kind::kBool) return random_() & 1U;
    const unsigned bits = static_cast<unsigned>(8 * width(kind));
    const std::uint64_t mask = bits == 64 ? ~0ULL : (1ULL << bits) - 1;
    switch (random_() % 8) {
      case 0:
        return 0;
      case 1:
        return 1;
      case 2:
        return mask;
      case 3:
        return 1ULL << (bits - 1);
      case 4:
        return random_() & 0x7FU;
      default:
        return random_() & mask;
    }
  }
  std::size_t up_to(std::size_t most) { return static_cast<std::size_t>(random_() % (most + 1)); }
  bool one_in(unsigned n) { return random_() % n == 0; }
  char letter() { return static_cast<char>('!' + random_() % 94); }
  /// 16-bit units, the first of them ASCII (see any_text).
  void to_units(std::string& chars) {
    chars.resize(chars.size() / 2 * 2);
    for (std::size_t i = 1; i < chars.size(); i += 2)
      if (i == 1 || !one_in(4)) chars[i] = '\0';
  }
  void spend(std::size_t bytes) { budget_ -= std::min(budget_, bytes); }

  Random& random_;
  std::size_t budget_;
  std::vector<bool> zero_ended_;
  bool key_next_ = false;
};

}  // namespace

void invent(const Row& row, Way way, Codec& codec, Random& random, std::size_t budget) {
  codec.make(row, way);
  Inventor inventor(random, budget);
  codec.visit(inventor);
}

}  // namespace entente::wire
