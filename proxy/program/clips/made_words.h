// Makes a recording with words from a file that has none. It lies beside the file that a command writes, and is removed
// with this object.
#pragma once

#include <string>
#include <vector>

#include "proxy/program/conversion/convert.h"
#include "proxy/program/import/file.h"

namespace entente {

class MadeWords {
 public:
  /// `out`: the file that the command writes. `prefix`: begins what the command says ("entente clip: ").
  /// `set`: settings of the games' backs ("key=value").
  MadeWords(const FileOptions& source, const std::string& out, const std::string& prefix, Progress& progress,
            const std::vector<std::string>& set = {});
  ~MadeWords();
  MadeWords(const MadeWords&) = delete;
  MadeWords& operator=(const MadeWords&) = delete;

  const std::string& path() const { return path_; }
  bool made() const { return made_; }
  /// Why some or all sessions have no words: lines for people.
  const std::string& said() const { return said_; }
  /// Why the rest of the source cannot be read; may be empty.
  const std::string& damage() const { return losses_.damage; }
  /// Why some or all words cannot be written, so that the caller must fail; may be empty.
  const std::string& unwritten() const { return losses_.unwritten; }

 private:
  const std::string path_;
  bool made_ = false;
  std::string said_;
  ConvertLosses losses_;
};

}  // namespace entente
