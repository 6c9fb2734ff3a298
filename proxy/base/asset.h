// A file that is built into the program and served to browsers. Invariant: its text lives as long as the program.
#pragma once

#include <string_view>

namespace entente {

struct Asset {
  std::string_view name;  ///< "style.css"
  std::string_view type;  ///< "text/css; charset=utf-8"
  std::string_view text;
  std::string_view tag = {};  ///< HTTP's ETag: another text has another tag; empty: none
};

}  // namespace entente
