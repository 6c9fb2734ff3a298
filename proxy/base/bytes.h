// Bytes of a peer: a view (Bytes), or owned and growing (Buffer).
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace entente {

/// A view of bytes that somebody else owns. Valid only during the call that it is passed to, unless stated
/// otherwise.
using Bytes = std::span<const std::uint8_t>;

/// Bytes that we own. Reused, not reallocated, on hot paths.
using Buffer = std::vector<std::uint8_t>;

/// Empties `container` and frees its memory. `container = {}` would keep the memory of a vector.
template <class Container>
void free_memory(Container& container) {
  Container().swap(container);
}

/// Empties `container`. Its memory is kept, unless it has room for more than `most` elements.
template <class Container>
void clear_keeping(Container& container, std::size_t most) {
  container.clear();
  if (container.capacity() > most) free_memory(container);
}

inline void append(Buffer& to, Bytes bytes) { to.insert(to.end(), bytes.begin(), bytes.end()); }

inline Bytes as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

inline std::string_view as_text(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

/// Two digits a byte, in lower case.
inline void add_hex(Bytes bytes, std::string& to) {
  for (const std::uint8_t byte : bytes) {
    to += "0123456789abcdef"[byte >> 4U];
    to += "0123456789abcdef"[byte & 15U];
  }
}
inline std::string to_hex(Bytes bytes) {
  std::string digits;
  add_hex(bytes, digits);
  return digits;
}

inline bool same(Bytes a, Bytes b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size()) == 0);
}

}  // namespace entente
