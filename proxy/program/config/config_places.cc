#include "proxy/program/config/config_places.h"

#include <utility>

namespace entente {
namespace {

std::string numbered(const std::string& list, int index) { return list + "[" + std::to_string(index) + "]"; }

using Keys = std::map<std::string, std::string>;
using ListedUrls = google::protobuf::RepeatedPtrField<std::string>;

void add_listed(const std::string& key, const ListedUrls& urls, Keys& to) {
  for (int i = 0; i < urls.size(); ++i) to.try_emplace(urls[i], numbered(key, i));
}

void add_watched(const std::string& of, const google::protobuf::RepeatedPtrField<config::Watch>& watches, Keys& to) {
  for (int i = 0; i < watches.size(); ++i) add_listed(numbered(of + ".watch", i) + ".listen", watches[i].listen(), to);
}

}  // namespace

const Place* place_of(const std::map<std::string, Place>& places, std::string key) {
  for (;;) {
    if (const auto found = places.find(key); found != places.end()) return &found->second;
    const std::size_t dot = key.rfind('.');
    if (dot == key.npos) return nullptr;
    key.resize(dot);
  }
}

std::string place_text(const std::string& file, const Place& place) {
  return file + ":" + std::to_string(place.line) + ":" + std::to_string(place.column) + ": ";
}

ConfigPlaces::ConfigPlaces(std::string file, std::map<std::string, Place> places, const config::Config& config)
    : file_(std::move(file)), places_(std::move(places)) {
  for (int i = 0; i < config.route_size(); ++i) {
    const std::string key = numbered("route", i);
    listeners_.try_emplace(config.route(i).listen(), key + ".listen");
    add_watched(key, config.route(i).watch(), listeners_);
  }
  for (int i = 0; i < config.arena_size(); ++i) {
    const std::string key = numbered("arena", i);
    arenas_.try_emplace(config.arena(i).name(), key);
    add_listed(key + ".listen", config.arena(i).listen(), listeners_);
    add_watched(key, config.arena(i).watch(), listeners_);
  }
}

std::string ConfigPlaces::before(const std::string& key) const {
  const Place* const place = place_of(places_, key);
  return place != nullptr ? place_text(file_, *place) + key + ": " : "";
}

std::string ConfigPlaces::before_listener(const std::string& url) const {
  const auto found = listeners_.find(url);
  return found != listeners_.end() ? before(found->second) : "";
}

std::string ConfigPlaces::before_arena(const std::string& name, const std::string& key) const {
  const auto found = arenas_.find(name);
  return found != arenas_.end() ? before(found->second + "." + key) : "";
}

}  // namespace entente
