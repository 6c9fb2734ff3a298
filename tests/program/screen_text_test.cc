#include "proxy/program/base/screen_text.h"

#include <doctest/doctest.h>

namespace entente::screen_text_test {

TEST_CASE("control characters and invalid bytes in foreign text are escaped, and the rest is unchanged") {
  CHECK(screen_text("M\u00fcller's \"\\x\" \u20ac") == "M\u00fcller's \"\\x\" \u20ac");
  CHECK(screen_text("\x1b]0;a\a\x7f\r\xff") == "\\x1b]0;a\\x07\\x7f\\x0d\\xff");
  CHECK(screen_text("\u009b31m") == "\\xc2\\x9b31m");         // a control character of two bytes
  CHECK(screen_text("to\u202eli") == "to\\xe2\\x80\\xaeli");  // right-to-left override
  CHECK(screen_text("a\nb") == "a\\x0ab");
  CHECK(screen_text("a\nb\t", "\n") == "a\nb\\x09");
}

}  // namespace entente::screen_text_test
