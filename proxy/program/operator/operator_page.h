// The web page for operators: its files, and the commands of the control socket by HTTP.
// Invariant: a command needs the token. Requests of pages from elsewhere are refused, and so are requests for a foreign
// host name (DNS rebinding). If there are HTTP proxies in front, a client's address is the one that they name. Each
// refusal is counted, and logged at most once a second for each reason. What is held back is logged by the next
// request, or at the end.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "proxy/net/proxies/trusted_proxies.h"
#include "proxy/net/web/http_acceptor.h"
#include "proxy/program/monitor/metrics.h"
#include "proxy/program/settings/token.h"
#include "proxy/relay/base/log_limiter.h"
#include "schema/config.pb.h"

namespace entente {

class OperatorPage {
 public:
  /// Carries out a command line; returns JSON. `by`: who gave it, for the log. It may wait: it is called on the second
  /// thread of the loop.
  using Carry = std::function<std::string(std::string_view line, const std::string& by)>;

  enum class Refusal : std::uint8_t {
    kNotProxy,       ///< not from one of the HTTP proxies in front
    kNoClient,       ///< from one of them, without a header that names the client
    kHost,           ///< for a host name that is no IP address, not "localhost", and not in operator.hosts
    kOrigin,         ///< from a page of another site
    kNotThere,       ///< another path or method
    kNoToken,        ///< without a token
    kWrongToken,     ///< with another token
    kTooManyTokens,  ///< with another token, from an address that gave too many
    kTooMany,        ///< more requests than all operators may send
    kMalformed,      ///< not JSON, or not a list of commands
  };
  static constexpr std::size_t kRefusals = 10;

  static constexpr std::size_t kMostBody = 16 * 1024;  ///< bytes of a request
  static constexpr std::size_t kMostCommands = 12;     ///< in one request
  static constexpr std::size_t kLongestLine = 1024;    ///< bytes of a command
  static constexpr std::uint32_t kPerSecond = 20;      ///< requests with commands, of all operators

  /// Answers no requests before start(). REQUIRES: `config.listen` is not empty.
  /// `loop` outlives it.
  static Outcome<std::unique_ptr<OperatorPage>> open(net::RequestLoop& loop, const config::Operator& config,
                                                     Carry carry);
  ~OperatorPage();

  void start() { acceptor_->start(); }
  int listening() const { return acceptor_->listening(); }
  /// As net::RequestServer::stop_listening() and finish().
  void stop_listening() { acceptor_->stop_listening(); }
  void finish() { acceptor_->finish(); }
  const net::Address& address() const { return acceptor_->address(); }
  /// The check of tokens, to which a reload gives another token. It may outlive the page.
  std::shared_ptr<TokenGuard> guard() const { return guard_; }
  /// How many requests were refused for this reason.
  std::uint64_t refused(Refusal why) const { return refused_[static_cast<std::size_t>(why)]; }
  void measure(Metrics& metrics) const;
  /// Prints the address, and logs a warning if tokens would cross a network in the clear.
  void announce() const;
  /// "foreign host"
  static const char* text(Refusal why);

 private:
  OperatorPage(std::string token, std::vector<std::string> hosts, net::TrustedProxies proxies, Carry carry);
  using Answer = net::RequestServer::Answer;
  Answer handle(const net::HttpRequest& request);
  Answer answer(const net::HttpRequest& request);
  Answer orders(const net::HttpRequest& request);
  std::string carry_out(const std::vector<std::string>& lines, const std::string& client);
  std::string refuse(const net::HttpRequest& request, Refusal why, unsigned status, std::string_view answer);
  bool is_ours(std::string_view host) const;

  const std::vector<std::string> hosts_;
  const net::TrustedProxies proxies_;
  const Carry carry_;
  const std::shared_ptr<TokenGuard> guard_;
  relay::Bucket pace_;
  relay::LogLimiter limiter_;
  std::array<std::atomic<std::uint64_t>, kRefusals> refused_{};
  std::atomic<std::uint64_t> answered_{0};
  std::unique_ptr<net::HttpAcceptor> acceptor_;  // last: the loop calls us by it
};

}  // namespace entente
