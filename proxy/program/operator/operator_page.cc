#include "proxy/program/operator/operator_page.h"

#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <utility>

#include "proxy/base/lower_case.h"
#include "proxy/base/text.h"
#include "proxy/net/network.h"
#include "proxy/net/proxies/forwarded.h"
#include "proxy/net/web/host_name.h"
#include "proxy/net/web/http_file.h"
#include "proxy/program/base/screen_text.h"
#include "proxy/program/log/say.h"
#include "proxy/program/operator/files.h"

namespace entente {
namespace {

constexpr std::string_view kPageOrders = "/orders";
constexpr std::size_t kShownOfForeign = 100;  // bytes of a header that the log shows

std::string page_text(const Buffer& bytes) { return std::string(as_text(bytes)); }

std::string json_answer(const std::string& json) {
  const net::HttpHeader headers[] = {{"Content-Type", "application/json"},
                                     {"Content-Length", std::to_string(json.size())},
                                     {"Cache-Control", "no-store"},
                                     {"X-Content-Type-Options", "nosniff"},
                                     {"Connection", "close"}};
  Buffer out;
  net::write_response_head(200, headers, out);
  return page_text(out) + json;
}

/// The only header of this name; null if there is none, or several.
const std::string* only(const net::HttpHead& head, std::string_view name) {
  const std::string* found = nullptr;
  for (const net::HttpHeader& header : head.headers) {
    if (lower_case(header.name) != name) continue;
    if (found != nullptr) return nullptr;
    found = &header.value;
  }
  return found;
}

/// The token of "Bearer TOKEN".
std::optional<std::string_view> bearer(const net::HttpHead& head) {
  constexpr std::string_view kScheme = "bearer ";
  const std::string* header = only(head, "authorization");
  if (header == nullptr || lower_case(std::string_view(*header).substr(0, kScheme.size())) != kScheme)
    return std::nullopt;
  return std::string_view(*header).substr(kScheme.size());
}

/// The commands of a request: a JSON array of lines.
std::optional<std::vector<std::string>> lines_of(std::string_view body) {
  google::protobuf::ListValue list;
  if (!google::protobuf::util::JsonStringToMessage({body.data(), body.size()}, &list).ok()) return std::nullopt;
  std::vector<std::string> lines;
  for (const auto& one : list.values()) {
    const std::string& line = one.string_value();  // "" of anything else
    const bool control = std::any_of(line.begin(), line.end(),
                                     [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; });
    if (line.empty() || line.size() > OperatorPage::kLongestLine || control) return std::nullopt;
    lines.push_back(line);
  }
  if (lines.empty() || lines.size() > OperatorPage::kMostCommands) return std::nullopt;
  return lines;
}

}  // namespace

const char* OperatorPage::text(Refusal why) {
  switch (why) {
    case Refusal::kNotProxy:
      return "not a trusted proxy";
    case Refusal::kNoClient:
      return "no forwarded address";
    case Refusal::kHost:
      return "foreign host";
    case Refusal::kOrigin:
      return "foreign origin";
    case Refusal::kNotThere:
      return "not there";
    case Refusal::kNoToken:
      return "no token";
    case Refusal::kWrongToken:
      return "wrong token";
    case Refusal::kTooManyTokens:
      return "too many wrong tokens";
    case Refusal::kTooMany:
      return "too many requests";
    case Refusal::kMalformed:
      return "malformed";
  }
  return "";
}

Outcome<std::unique_ptr<OperatorPage>> OperatorPage::open(net::RequestLoop& loop, const config::Operator& config,
                                                          Carry carry) {
  const auto at = net::Address::parse(config.listen());
  if (!at) return at.error();
  auto token = read_token(config.token_file());
  if (!token) return Error{"operator.token_file: " + token.error().text};
  std::vector<std::string> hosts;
  for (const std::string& host : config.hosts()) hosts.push_back(lower_case(host));
  net::TrustedProxies proxies{{}, net::ClientNaming::kForwarded};
  for (const std::string& text : config.forwarded()) {
    const auto network = net::Network::parse(text);
    if (!network) return Error{"operator.forwarded: " + network.error().text};
    proxies.networks.push_back(*network);
  }
  std::unique_ptr<OperatorPage> page(
      new OperatorPage(std::move(*token), std::move(hosts), std::move(proxies), std::move(carry)));
  auto acceptor = net::HttpAcceptor::open(
      loop, *at, [raw = page.get()](const net::HttpRequest& request) { return raw->handle(request); }, kMostBody);
  if (!acceptor) return acceptor.error();
  page->acceptor_ = std::move(*acceptor);
  return page;
}

void OperatorPage::measure(Metrics& metrics) const {
  metrics.count("operator_requests", "Requests with commands that the operator page answered", {}, answered_);
  for (std::size_t i = 0; i < kRefusals; ++i) {
    const auto why = static_cast<Refusal>(i);
    metrics.count("operator_refused", "Requests that the operator page refused", {{"reason", text(why)}}, refused(why));
  }
}

void OperatorPage::announce() const {
  std::printf("operator page http://%s/\n", address().text().c_str());
  std::fflush(stdout);
  if (!net::is_loopback_v4(address()) && address().ip_text() != "::1")
    log_warn(
        "the operator page on {} has no TLS, so the token can be read on the way; listen on 127.0.0.1, behind "
        "an SSH tunnel or an HTTP proxy with TLS",
        address().text());
}

OperatorPage::OperatorPage(std::string token, std::vector<std::string> hosts, net::TrustedProxies proxies, Carry carry)
    : hosts_(std::move(hosts)),
      proxies_(std::move(proxies)),
      carry_(std::move(carry)),
      guard_(std::make_shared<TokenGuard>(std::move(token))),
      pace_(kPerSecond, std::uint64_t{2} * kPerSecond, steady_now()) {}

OperatorPage::~OperatorPage() {
  acceptor_.reset();
  limiter_.say_rest();
}

bool OperatorPage::is_ours(std::string_view host) const {
  const std::string name = net::name_of_host(host);
  return net::is_machine_name(name) || std::find(hosts_.begin(), hosts_.end(), name) != hosts_.end();
}

OperatorPage::Answer OperatorPage::handle(const net::HttpRequest& request) {
  limiter_.say_kept(steady_now());
  if (proxies_.empty()) return answer(request);
  if (!proxies_.hold(request.client))
    return refuse(request, Refusal::kNotProxy, 403, "requests come only from the networks of operator.forwarded");
  const auto client = net::forwarded_client(request.head, proxies_);
  if (!client) return refuse(request, Refusal::kNoClient, 400, client.error().what);
  return answer({request.head, request.body,  // the header may name no port
                 client->port() != 0 ? *client : client->with_port(request.client.port())});
}

OperatorPage::Answer OperatorPage::answer(const net::HttpRequest& request) {
  const net::HttpHead& head = request.head;
  const std::string* host = only(head, "host");
  if (host == nullptr || !is_ours(*host))
    return refuse(request, Refusal::kHost, 403, "unknown host name; add it to operator.hosts");
  const bool has_origin = head.find("Origin") != nullptr;
  const std::string* origin = only(head, "origin");
  if (has_origin && (origin == nullptr || (lower_case(*origin) != "http://" + lower_case(*host) &&
                                           lower_case(*origin) != "https://" + lower_case(*host))))
    return refuse(request, Refusal::kOrigin, 403, "requests from pages of other sites are refused");
  const std::string_view path = head.path();
  if (path == kPageOrders) {
    if (head.method != "POST") return refuse(request, Refusal::kNotThere, 405, "commands are sent by POST");
    return orders(request);
  }
  const auto files = operator_files();
  const auto file = std::find_if(files.begin(), files.end(), [&](const Asset& one) {
    return path == "/" ? &one == &files.front() : path.starts_with('/') && path.substr(1) == one.name;
  });
  if (file == files.end()) return refuse(request, Refusal::kNotThere, 404, "there is nothing under this path");
  if (!net::asks_for_file(head)) return refuse(request, Refusal::kNotThere, 405, "only GET is answered here");
  Buffer out;
  net::write_file(head, *file, out);
  return page_text(out);
}

OperatorPage::Answer OperatorPage::orders(const net::HttpRequest& request) {
  const Millis now = steady_now();
  const auto token = bearer(request.head);
  if (!token) return refuse(request, Refusal::kNoToken, 401, "the token is missing");
  switch (guard_->check(request.client, *token, now)) {
    case TokenGuard::Verdict::kWrong:
      return refuse(request, Refusal::kWrongToken, 401, "the token is wrong");
    case TokenGuard::Verdict::kTooMany:
      return refuse(request, Refusal::kTooManyTokens, 429, "too many wrong tokens; try again in a few seconds");
    case TokenGuard::Verdict::kRight:
      break;
  }
  if (!pace_.take_one(now)) return refuse(request, Refusal::kTooMany, 429, "too many requests");
  const std::string* type = only(request.head, "content-type");
  if (type == nullptr || lower_case(type->substr(0, type->find(';'))) != "application/json")
    return refuse(request, Refusal::kMalformed, 415, "commands are sent as application/json");
  auto lines = lines_of(request.body);
  if (!lines) return refuse(request, Refusal::kMalformed, 400, "the request must be a JSON array of commands");
  return Answer::later(
      [this, lines = std::move(*lines), client = request.client.text()](net::Fd&) { return carry_out(lines, client); });
}

std::string OperatorPage::carry_out(const std::vector<std::string>& lines, const std::string& client) {
  std::string answers;
  for (const std::string& line : lines)
    answers += (answers.empty() ? "[" : ",") + carry_(line, "by the operator page, from " + client);
  answered_.fetch_add(1, std::memory_order_relaxed);
  return json_answer(answers + "]");
}

std::string OperatorPage::refuse(const net::HttpRequest& request, Refusal why, unsigned status,
                                 std::string_view answer) {
  refused_[static_cast<std::size_t>(why)].fetch_add(1, std::memory_order_relaxed);
  const char* header = why == Refusal::kHost ? "Host" : why == Refusal::kOrigin ? "Origin" : nullptr;
  const std::string* value = header != nullptr ? request.head.find(header) : nullptr;
  std::string shown = value != nullptr ? " " + screen_text(whole_characters(*value, kShownOfForeign)) : "";
  if (why == Refusal::kNoClient) shown = ": " + std::string(answer);
  limiter_.say(relay::LogKind::kMachine, text(why), steady_now(),
               [why, shown, from = request.client.text()](std::uint64_t more) {
                 log_warn("operator page: refused a request from {}: {}{}{}", from, text(why), shown, and_more(more));
               });
  Buffer out;
  net::write_answer(status, answer, out);
  return page_text(out);
}

}  // namespace entente
