// A text that is cut is cut between characters.
#include "proxy/base/text.h"

#include <doctest/doctest.h>

namespace entente {

TEST_CASE("a text is cut between characters, and not if it fits") {
  const std::string_view mixed = "a\u00e9\u20ac";  // 1, 2 and 3 bytes
  const std::string_view cuts[] = {"", "a", "a", "a\u00e9", "a\u00e9", "a\u00e9", mixed, mixed};
  for (std::size_t most = 0; most < std::size(cuts); ++most) CHECK(whole_characters(mixed, most) == cuts[most]);
  CHECK(whole_characters("", 0).empty());
  CHECK(whole_characters("\x80\x80\x80", 2).empty());  // no text in any language
}

}  // namespace entente
