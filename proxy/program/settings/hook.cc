#include "proxy/program/settings/hook.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <functional>
#include <sstream>
#include <utility>

#include "proxy/net/names/host_names.h"
#include "proxy/net/network.h"
#include "proxy/program/base/suggest.h"
#include "proxy/program/settings/token.h"

namespace entente {
namespace {

constexpr std::size_t kLongestHookName = 40, kMostArguments = 64;
constexpr std::string_view kId = "{id}";

/// The bit of an event; nothing: there is none of this name. Tests cannot be chosen.
std::optional<std::uint32_t> bit_of(std::string_view event) {
  for (const relay::NewsRow& row : relay::news_rows())
    if (row.name == event && row.kind != relay::NewsKind::kTest) return 1U << static_cast<unsigned>(row.kind);
  return std::nullopt;
}

std::string no_such_event(const std::string& event) {
  std::vector<std::string_view> all;
  for (const relay::NewsRow& row : relay::news_rows())
    if (row.kind != relay::NewsKind::kTest) all.push_back(row.name);
  return unknown_name("event", event, all);
}

Outcome<std::string> read_whole(const std::string& path) {
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  std::string text(HookTemplate::kMostBytes + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (in.bad() || (!in.eof() && in.fail()) || in.gcount() == 0)
    return Error{"cannot read " + path + (errno != 0 ? std::string(": ") + std::strerror(errno) : "; is it empty?")};
  text.resize(static_cast<std::size_t>(in.gcount()));
  return text;
}

/// A URL with an id in the places for it.
std::string with_an_id(std::string url) {
  for (std::size_t at = 0; (at = url.find(kId, at)) != std::string::npos;) url.replace(at, kId.size(), "0");
  return url;
}

bool is_near(const net::HttpUrl& url) {
  if (url.host == "localhost" || url.host.ends_with(".localhost")) return true;
  const auto address = net::Address::parse(url.host, 0);
  if (!address) return false;
  for (const char* near : {"127.0.0.0/8", "::1/128", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7",
                           "fe80::/10", "169.254.0.0/16"})
    if (net::Network::parse(near)->holds(*address)) return true;
  return false;
}

class HookJudge {
 public:
  HookJudge(const config::Hook& hook, bool reads) : hook_(hook), reads_(reads) {}

  std::vector<HookObjection> all() {
    name();
    target();
    for (const std::string& event : hook_.events())
      if (!bit_of(event)) object("events", no_such_event(event));
    if (hook_.events().empty()) object("events", "names no event");
    if (!reads_) return std::move(all_);
    for (const auto& [key, file] : {std::pair("secret_file", hook_.secret_file()), {"token_file", hook_.token_file()}})
      if (!file.empty())
        if (const auto token = read_token(file); !token) object(key, token.error().text);
    if (!hook_.ca_file().empty()) authorities();
    if (!hook_.template_().empty()) body();
    return std::move(all_);
  }

 private:
  void object(const char* key, const std::string& why) { all_.push_back({key, why}); }

  void name() {
    const std::string& name = hook_.name();
    const auto fits = [](unsigned char c) { return std::isalnum(c) != 0 || c == '-' || c == '_'; };
    if (name.empty() || name.size() > kLongestHookName || !std::all_of(name.begin(), name.end(), fits))
      object("name", "expected 1 to " + std::to_string(kLongestHookName) + " letters, digits, '-' and '_'");
  }

  void target() {
    if (hook_.url().empty() == hook_.command().empty()) return object("url", "a hook needs either url or command");
    if (hook_.command_size() > static_cast<int>(kMostArguments))
      object("command", "has more than " + std::to_string(kMostArguments) + " arguments");
    for (const std::string& one : hook_.command())
      if (one.find('\0') != std::string::npos) return object("command", "an argument has a zero byte");
    if (!hook_.command().empty() && hook_.command(0).empty()) object("command", "names no program");
    if (hook_.url().empty()) return of_command();
    const auto url = net::HttpUrl::parse(with_an_id(hook_.url()));
    if (!url) return object("url", url.error().text);
    if (const std::string why = net::objection_to_host(url->host); !why.empty()) object("url", "its host: " + why);
  }

  void of_command() {
    for (const auto& [key, is_set] : {std::pair("secret_file", !hook_.secret_file().empty()),
                                      {"token_file", !hook_.token_file().empty()},
                                      {"ca_file", !hook_.ca_file().empty()},
                                      {"method", hook_.method() != config::Hook::post}})
      if (is_set) object(key, "is for hooks with a url");
  }

  void authorities() {
    const auto read = read_whole(hook_.ca_file());
    if (!read)
      object("ca_file", read.error().text);
    else if (read->find("-----BEGIN CERTIFICATE-----") == std::string::npos)
      object("ca_file", hook_.ca_file() + " has no certificate in the format PEM");
  }

  void body() {
    const auto text = read_whole(hook_.template_());
    if (!text) return object("template", text.error().text);
    if (const auto parsed = HookTemplate::parse(*text, is_hook_value); !parsed)
      object("template", hook_.template_() + " " + parsed.error().text);
  }

  const config::Hook& hook_;
  const bool reads_;
  std::vector<HookObjection> all_;
};

}  // namespace

bool is_hook_value(std::string_view name) {
  for (const char* one : {"text", "event", "id", "time", "lost"})
    if (name == one) return true;
  const auto fields = relay::news_fields();
  return std::any_of(fields.begin(), fields.end(), [&](const auto& one) { return name == one.name; });
}

std::string HookSettings::target() const {
  if (!at) return command.front();
  return std::string(at->tls ? "https://" : "http://") + net::host_and_port(at->host, at->port);
}

std::vector<HookObjection> objections_to(const config::Hook& hook, bool reads) { return HookJudge(hook, reads).all(); }

std::string warning_about(const config::Hook& hook) {
  const auto url = net::HttpUrl::parse(with_an_id(hook.url()));
  if (hook.url().empty() || !url || url->tls || is_near(*url)) return "";
  return "hook '" + hook.name() + "' sends events without encryption; use https://";
}

Outcome<HookSettings> hook_settings(const config::Hook& hook) {
  HookSettings its{hook.name()};
  its.url = hook.url();
  if (auto url = net::HttpUrl::parse(with_an_id(its.url))) its.at = std::move(*url);
  its.put = hook.method() == config::Hook::put;
  its.command.assign(hook.command().begin(), hook.command().end());
  its.routes.assign(hook.routes().begin(), hook.routes().end());
  for (const std::string& event : hook.events()) its.kinds |= bit_of(event).value_or(0);
  its.kinds |= 1U << static_cast<unsigned>(relay::NewsKind::kTest);
  its.time = Millis{hook.timeout_s()} * 1'000;
  its.give_up = Millis{hook.give_up_s()} * 1'000;
  its.addresses = hook.addresses();
  its.authorities = hook.ca_file();
  its.source = hook.SerializeAsString();
  for (const auto& [file, into] :
       {std::pair(hook.secret_file(), &its.secret), std::pair(hook.token_file(), &its.token)}) {
    if (file.empty()) continue;
    auto token = read_token(file);
    if (!token) return Error{"hook '" + its.name + "': " + token.error().text};
    *into = std::move(*token);
    its.source += *into;
  }
  if (hook.template_().empty()) return its;
  const auto text = read_whole(hook.template_());
  if (!text) return Error{"hook '" + its.name + "': " + text.error().text};
  auto body = HookTemplate::parse(*text, is_hook_value);
  if (!body) return Error{"hook '" + its.name + "': " + hook.template_() + " " + body.error().text};
  its.body = std::move(*body);
  its.source += *text;
  return its;
}

Outcome<std::vector<HookSettings>> hook_settings(const config::Config& config) {
  std::vector<HookSettings> all;
  for (const config::Hook& hook : config.hook()) {
    auto its = hook_settings(hook);
    if (!its) return its.error();
    all.push_back(std::move(*its));
  }
  return all;
}

}  // namespace entente
