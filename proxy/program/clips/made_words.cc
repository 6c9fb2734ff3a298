#include "proxy/program/clips/made_words.h"

#include <filesystem>
#include <sstream>

namespace entente {

MadeWords::MadeWords(const FileOptions& source, const std::string& out, const std::string& prefix, Progress& progress,
                     const std::vector<std::string>& set)
    : path_(out + ".words.mcap") {
  constexpr std::string_view kSaidByConvert = "entente convert: ";
  std::ostringstream told, err;
  // What it returns is in `losses_` and `made_`.
  (void)convert({.input = source, .to = path_, .words = true, .set = set, .keeps_part = false}, told, err, &progress,
                &losses_);
  said_ = err.str();
  for (auto at = said_.find(kSaidByConvert); at != said_.npos; at = said_.find(kSaidByConvert, at + prefix.size()))
    said_.replace(at, kSaidByConvert.size(), prefix);
  std::error_code none;
  made_ = std::filesystem::exists(path_, none) && told.tellp() > 0;
}

MadeWords::~MadeWords() {
  std::error_code ignored;
  if (made_) std::filesystem::remove(path_, ignored);
}

}  // namespace entente
