#include "adapters/aos/cp437.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

namespace entente::aos {
namespace {

/// Code points of the bytes 0x80 to 0xFF. 0xFF, a hard space, can stand anywhere but first.
constexpr std::array<std::uint16_t, 128> kUpper = {
    0x00C7, 0x00FC, 0x00E9, 0x00E2, 0x00E4, 0x00E0, 0x00E5, 0x00E7, 0x00EA, 0x00EB, 0x00E8, 0x00EF, 0x00EE,
    0x00EC, 0x00C4, 0x00C5, 0x00C9, 0x00E6, 0x00C6, 0x00F4, 0x00F6, 0x00F2, 0x00FB, 0x00F9, 0x00FF, 0x00D6,
    0x00DC, 0x00A2, 0x00A3, 0x00A5, 0x20A7, 0x0192, 0x00E1, 0x00ED, 0x00F3, 0x00FA, 0x00F1, 0x00D1, 0x00AA,
    0x00BA, 0x00BF, 0x2310, 0x00AC, 0x00BD, 0x00BC, 0x00A1, 0x00AB, 0x00BB, 0x2591, 0x2592, 0x2593, 0x2502,
    0x2524, 0x2561, 0x2562, 0x2556, 0x2555, 0x2563, 0x2551, 0x2557, 0x255D, 0x255C, 0x255B, 0x2510, 0x2514,
    0x2534, 0x252C, 0x251C, 0x2500, 0x253C, 0x255E, 0x255F, 0x255A, 0x2554, 0x2569, 0x2566, 0x2560, 0x2550,
    0x256C, 0x2567, 0x2568, 0x2564, 0x2565, 0x2559, 0x2558, 0x2552, 0x2553, 0x256B, 0x256A, 0x2518, 0x250C,
    0x2588, 0x2584, 0x258C, 0x2590, 0x2580, 0x03B1, 0x00DF, 0x0393, 0x03C0, 0x03A3, 0x03C3, 0x00B5, 0x03C4,
    0x03A6, 0x0398, 0x03A9, 0x03B4, 0x221E, 0x03C6, 0x03B5, 0x2229, 0x2261, 0x00B1, 0x2265, 0x2264, 0x2320,
    0x2321, 0x00F7, 0x2248, 0x00B0, 0x2219, 0x00B7, 0x221A, 0x207F, 0x00B2, 0x25A0, 0x00A0};

constexpr char kUtf8Mark = '\xFF';

void put_utf8(std::uint32_t point, std::string& out) {
  if (point < 0x80) {
    out += static_cast<char>(point);
  } else if (point < 0x800) {
    out += static_cast<char>(0xC0U | point >> 6U);
    out += static_cast<char>(0x80U | (point & 0x3FU));
  } else {
    out += static_cast<char>(0xE0U | point >> 12U);
    out += static_cast<char>(0x80U | (point >> 6U & 0x3FU));
    out += static_cast<char>(0x80U | (point & 0x3FU));
  }
}

/// The next code point of up to three bytes, which is all that CP437 needs; nothing for anything else.
std::optional<std::uint32_t> take_utf8(std::string_view& in) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(in[i]); };
  const std::size_t size = byte(0) < 0x80 ? 1 : byte(0) >> 5U == 6 ? 2 : byte(0) >> 4U == 14 ? 3 : 0;
  if (size == 0 || in.size() < size) return std::nullopt;
  std::uint32_t point = size == 1 ? byte(0) : size == 2 ? byte(0) & 0x1FU : byte(0) & 0x0FU;
  for (std::size_t i = 1; i < size; ++i) {
    if (byte(i) >> 6U != 2) return std::nullopt;
    point = point << 6U | (byte(i) & 0x3FU);
  }
  in.remove_prefix(size);
  return point;
}

std::optional<std::string> as_cp437(std::string_view utf8) {
  std::string out;
  while (!utf8.empty()) {
    const auto point = take_utf8(utf8);
    if (!point) return std::nullopt;
    if (*point < 0x80) {
      out += static_cast<char>(*point);
      continue;
    }
    const auto* found = std::find(kUpper.begin(), kUpper.end(), *point);
    if (found == kUpper.end()) return std::nullopt;
    out += static_cast<char>(0x80 + (found - kUpper.begin()));
  }
  // A first byte of 0xFF would be taken for the mark.
  if (out.starts_with(kUtf8Mark)) return std::nullopt;
  return out;
}

}  // namespace

std::string to_utf8(std::string_view wire) {
  if (wire.starts_with(kUtf8Mark)) return std::string(wire.substr(1));
  std::string out;
  for (const char c : wire) {
    const auto byte = static_cast<std::uint8_t>(c);
    put_utf8(byte < 0x80 ? byte : kUpper[byte - 0x80U], out);
  }
  return out;
}

std::string to_wire(std::string_view utf8) {
  if (auto text = as_cp437(utf8)) return *std::move(text);
  return kUtf8Mark + std::string(utf8);
}

}  // namespace entente::aos
