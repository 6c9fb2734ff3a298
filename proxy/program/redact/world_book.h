// The worlds that servers send in pieces: packed worlds of BZFlag, maps of Ace of Spades, resources of the BZFlag
// draft. They are read whole, and then their pieces are made again. Invariant: a piece stays only if all of its world
// was read, and no text in it was written by people.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "adapters/wire/codec.h"
#include "proxy/program/import/game_dialect.h"
#include "proxy/program/redact/censor.h"

namespace entente {

class WorldBook {
 public:
  explicit WorldBook(Censor& censor) : censor_(censor) {}

  enum class Piece : std::uint8_t {
    kNone,     ///< the message is not a piece of a world
    kFits,     ///< it may stay, perhaps changed
    kUnknown,  ///< its world was not read
  };
  /// Takes the message that `codec` decoded. First, messages are only learned from; after learned(), the same ones come
  /// again and are changed.
  Piece take(std::uint32_t link, const GameDialect& game_dialect, const wire::Row& row, wire::Codec& codec);
  void learned();

 private:
  struct World {
    std::size_t was = 0;  ///< bytes
    Buffer is = {};       ///< empty: unchanged
    std::size_t at(std::size_t place) const;
  };
  using WorldPointer = std::shared_ptr<const World>;

  /// What one link is sent, one world after another.
  struct Download {
    Buffer bytes;           ///< of the current one; only while learning
    std::size_t place = 0;  ///< how many bytes of it came
    bool begun = false;
    bool too_long = false;
    std::vector<WorldPointer> worlds = {};  ///< in their order; null: unknown
    std::size_t next = 0;                   ///< the number of the next; after learned()
  };

  Piece world_piece(Download& download, std::size_t dialect, wire::Codec& codec);
  void world_request(Download& download, wire::Codec& codec) const;
  Piece map_piece(Download& download, const wire::Row& row, wire::Codec& codec);
  Piece resource_piece(std::uint32_t link, wire::Codec& codec);
  void begin(Download& download);
  void keep(Download& download, Bytes bytes);
  void finish_map(Download& download);
  const World* current(const Download& download) const;
  WorldPointer read_world(Bytes bytes, std::size_t dialect);
  bool is_map(Bytes bytes);

  Censor& censor_;
  bool learning_ = true;
  std::size_t kept_ = 0;  // bytes
  std::map<std::uint32_t, Download> downloads_;
  std::map<std::pair<std::uint32_t, std::string>, Download> resources_;  // by link and MD5
  std::map<std::pair<std::size_t, std::string>, WorldPointer> read_;     // by dialect and MD5
  std::map<std::string, bool> maps_;                                     // by MD5
  std::map<std::string, Buffer> good_resources_;                         // likewise
  std::size_t good_resources_bytes_ = 0;
};

}  // namespace entente
