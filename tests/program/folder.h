// A temporary folder that is removed at the end of the test.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

namespace entente {

class Folder {
 public:
  Folder() = default;
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::string file(const std::string& name) const { return (path_ / name).string(); }
  /// The names of its entries.
  std::set<std::string> names() const {
    std::set<std::string> names;
    for (const auto& one : std::filesystem::directory_iterator(path_)) names.insert(one.path().filename());
    return names;
  }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
    return file(name);
  }

 private:
  static std::filesystem::path fresh() {
    std::string name = (std::filesystem::temp_directory_path() / "entente_test_XXXXXX").string();
    return ::mkdtemp(name.data());
  }

  const std::filesystem::path path_ = fresh();
};

}  // namespace entente
