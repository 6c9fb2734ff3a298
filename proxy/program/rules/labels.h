// A file that says who is honest in recordings, and who cheats: one player a line, as columns with a tab between them:
//
//     # recording   player   honest or cheat   kind of cheat, if wanted
//     evening.mcap  anna     honest
//     evening.mcap  ben      cheat             speed
//
// Empty lines, and lines that begin with #, mean nothing.
#pragma once

#include <string>
#include <vector>

#include "proxy/base/fault.h"

namespace entente {

struct Label {
  std::string where;  ///< "labels.tsv:3", for errors
  std::string recording, player;
  bool cheats = false;
  std::string kind;  ///< of an honest player: empty; of a cheat: "cheat" if the file does not say
};

/// An error has the line. At most 64 MiB are read.
Outcome<std::vector<Label>> read_labels(const std::string& path);

}  // namespace entente
