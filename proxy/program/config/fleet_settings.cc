#include "proxy/program/config/fleet_settings.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "proxy/fleet/bus.h"
#include "proxy/fleet/subjects.h"
#include "proxy/net/web/tls.h"

namespace entente {
namespace {

constexpr std::size_t kLongestSecret = 4096;

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

std::optional<Error> objection_to_file(const std::string& path) {
  std::error_code unknown;
  if (std::filesystem::is_directory(path, unknown)) return Error{path + " is a folder"};
  if (!std::ifstream(path)) return Error{"cannot read " + path + ": " + std::strerror(errno)};
  return std::nullopt;
}

/// What is wrong with the files that the settings name.
void object_to_files(const config::Fleet& settings, std::vector<std::pair<std::string, std::string>>& found) {
  for (const auto& [key, file] :
       {std::pair("password_file", settings.password_file()), std::pair("token_file", settings.token_file())})
    if (!file.empty())
      if (const auto secret = read_secret(file); !secret) found.emplace_back(key, secret.error().text);
  if (const std::string& file = settings.credentials(); !file.empty())
    if (const auto why = objection_to_file(file)) found.emplace_back("credentials", why->text);
  if (!settings.cert().empty() && !settings.key().empty())
    if (const auto own = net::TlsContext::server(settings.cert(), settings.key()); !own)
      found.emplace_back("cert", own.error().text);
  if (!settings.ca().empty())
    if (const auto authorities = net::TlsContext::client(settings.ca(), true); !authorities)
      found.emplace_back("ca", authorities.error().text);
}

}  // namespace

Outcome<std::string> read_secret(const std::string& path) {
  using std::filesystem::perms;
  std::error_code failed;
  const auto status = std::filesystem::status(path, failed);
  if (std::filesystem::is_directory(status)) return Error{path + " is a folder"};
  std::ifstream file(path);
  if (!file) return Error{"cannot read " + path + ": " + std::strerror(errno)};
  if ((status.permissions() & perms::others_read) != perms::none)
    return Error{"everybody on this machine can read " + path + "; chmod o-r " + path};
  std::string line;
  std::getline(file, line);
  if (!line.empty() && line.back() == '\r') line.pop_back();
  if (line.empty() || line.size() > kLongestSecret) return Error{"the first line of " + path + " must be the secret"};
  return line;
}

std::optional<std::string> fleet_arena_of(const config::Route& route) {
  constexpr std::string_view kFleet = "fleet:";
  if (route.to_size() != 1 || !route.to(0).starts_with(kFleet)) return std::nullopt;
  return route.to(0).substr(kFleet.size());
}

std::string node_of(const config::Fleet& fleet) {
  return fleet.node().empty() ? fleet::as_token(host_name()) : fleet.node();
}

std::vector<std::pair<std::string, std::string>> objections_to(const config::Fleet& settings, bool reads) {
  std::vector<std::pair<std::string, std::string>> found;
  if (settings.nats_size() == 0) return found;
  bool encrypted = false;
  for (int i = 0; i < settings.nats_size(); ++i) {
    const std::string key = "nats[" + std::to_string(i) + "]";
    if (const auto why = fleet::objection_to_server(settings.nats(i)))
      found.emplace_back(key, "'" + settings.nats(i) + "' " + *why);
    const bool tls = settings.nats(i).starts_with("tls://");
    if (i > 0 && tls != encrypted) found.emplace_back(key, "either all servers have TLS, or none");
    encrypted = tls;
  }
  if (const auto why = fleet::objection_to_token(settings.name())) found.emplace_back("name", *why);
  if (const auto why = fleet::objection_to_token(node_of(settings))) found.emplace_back("node", *why);
  const int ways =
      int{!settings.credentials().empty()} + int{!settings.user().empty()} + int{!settings.token_file().empty()};
  if (ways > 1) found.emplace_back("nats", "one of credentials, user and token_file is enough");
  if (settings.user().empty() != settings.password_file().empty())
    found.emplace_back(settings.user().empty() ? "password_file" : "user", "user and password_file belong together");
  if (settings.cert().empty() != settings.key().empty())
    found.emplace_back(settings.cert().empty() ? "key" : "cert", "cert and key belong together");
  const std::pair<const char*, const std::string&> tls[] = {
      {"ca", settings.ca()}, {"cert", settings.cert()}, {"key", settings.key()}};
  for (const auto& [key, file] : tls)
    if (!file.empty() && !encrypted) found.emplace_back(key, "is for servers with TLS (tls://)");
  if (reads) object_to_files(settings, found);
  return found;
}

}  // namespace entente
