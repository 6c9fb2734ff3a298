// Where the keys of a configuration are in its file, for errors that are found only when the file is put to use.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "proxy/base/fault.h"
#include "proxy/program/config/config_reader.h"
#include "schema/config.pb.h"

namespace entente {

class ConfigPlaces {
 public:
  /// Of a configuration that was made from options: errors have no place.
  ConfigPlaces() = default;
  static const ConfigPlaces& none() {
    static const ConfigPlaces no_file;
    return no_file;
  }
  ConfigPlaces(std::string file, std::map<std::string, Place> places, const config::Config& config);

  /// The file; "": there is none.
  const std::string& file() const { return file_; }
  /// What an error about this key begins with, as `entente check` prints it: "a.toml:3:10: route[0].listen: ". If the
  /// file lacks the key, the place is that of the table that it belongs to; "" if it lacks that, too.
  std::string before(const std::string& key) const;
  /// The same for the listener with this URL, and for a key of the arena with this name.
  std::string before_listener(const std::string& url) const;
  std::string before_arena(const std::string& name, const std::string& key) const;

 private:
  std::string file_;
  std::map<std::string, Place> places_;
  std::map<std::string, std::string> listeners_, arenas_;  // to their keys
};

/// A configuration, and where its keys are.
struct LoadedConfig {
  config::Config config;
  ConfigPlaces places;
  std::vector<std::string> warnings = {};  // lines, as errors are; only with Machine::runs_elsewhere
};

/// The place of a key's value, or of the nearest table that it belongs to; null: the file has none of them.
const Place* place_of(const std::map<std::string, Place>& places, std::string key);

/// "a.toml:3:10: "
std::string place_text(const std::string& file, const Place& place);

/// `error` with `before` in front.
inline Error with_place(const std::string& before, const Error& error) { return Error{before + error.text}; }

}  // namespace entente
