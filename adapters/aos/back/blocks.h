// Blocks that are built and destroyed.
#pragma once

#include "adapters/aos/back/hands.h"

namespace entente::aos {

class Blocks {
 public:
  Blocks(Server& server, ServerPlayers& players, Hands& hands) : server_(server), players_(players), hands_(hands) {}

  void hear(const BlockAction& action, BackOut& out);
  void hear(const BlockLine& line, BackOut& out);

 private:
  std::size_t change_map(words::Edit::Op op, const Block& at, const Block& to, std::uint32_t colour, BackOut& out);

  Server& server_;
  ServerPlayers& players_;
  Hands& hands_;
  core::Micros looked_until_ = 0;  // time used by the search for falling blocks: 1 us for each voxel
};

}  // namespace entente::aos
