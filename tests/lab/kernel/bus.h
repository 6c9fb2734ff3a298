// NATS with JetStream, simulated: one server or a cluster of three, and the connections of programs to them. nats.cc
// has the functions of libnats, which use it.
// Invariant: what a connection sends in one direction arrives in order, or the connection is lost. Calls of a server
// happen when what asks for them has arrived; answers take as long again. What one server passes on to another arrives
// in order, or not at all. JetStream works for those who reach most of the servers.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/lab/kernel/kernel.h"

namespace entente::lab {

/// A message, as it is sent, stored and delivered.
struct BusMail {
  std::string subject, reply;
  Buffer bytes;
  bool nobody = false;                    ///< the answer to a request that nobody hears
  bool removes = false;                   ///< of a bucket: its key has no value now
  std::uint64_t number = 0, pending = 0;  ///< in its stream; 0: it comes from none
  Nanos stored_at = 0;
};

class BusServer;

constexpr std::size_t kMostBusServers = 3;

/// A connection. The descriptor belongs to the program; if that is killed, the connection ends.
class BusLink final : public File, public std::enable_shared_from_this<BusLink> {
 public:
  using Heard = std::function<void(std::shared_ptr<const BusMail>)>;

  /// What the program is told.
  struct Told {
    std::function<void()> lost;                            ///< nothing more comes
    std::function<void()> missed;                          ///< a consumer (BusServer::consume) is gone
    std::function<void(const std::string& what)> refused;  ///< the account does not permit it
  };

  /// `server`: to which it connects. `user`: empty: it has no account.
  BusLink(Kernel& kernel, std::uint32_t host, std::size_t server, std::string user, Told told);
  std::size_t server() const { return server_; }
  /// Calls `what(server)` when it has arrived, unless the server is gone.
  void to_server(std::function<void(BusServer&)> what);
  /// Calls `what` when it has arrived, unless the program is gone or the connection is lost.
  void to_program(std::function<void()> what);
  /// Ends the connection for the program.
  void lose();
  bool is_open() const { return open_; }
  /// Whether nothing gets through now.
  bool is_cut() const;
  void close() override;

 private:
  friend class BusServer;
  struct Subscription {
    std::uint64_t number;
    std::string pattern;
    std::string stream;  // of which it gets what is stored; empty: messages
    Heard heard;
    std::array<Nanos, kMostBusServers> known_at{};  // when each server knows of it
  };
  Kernel& kernel_;
  const Place at_;
  const std::size_t server_;
  const std::uint64_t life_;  // of the server
  const std::string user_;
  const Told told_;
  bool open_ = true;
  Nanos last_out_ = 0, last_in_ = 0;
  std::vector<Subscription> subscriptions_;
};

/// All servers.
class BusServer {
 public:
  static Place place(std::size_t server) { return {static_cast<std::uint32_t>(0x0a000401 + server), 4222}; }
  static std::string url(std::size_t server) { return "tls://10.0.4." + std::to_string(server + 1) + ":4222"; }

  explicit BusServer(Kernel& kernel) : kernel_(kernel) {}
  /// `count`: 1 or kMostBusServers. REQUIRES: nobody has connected.
  void set_servers(std::size_t count) { count_ = count; }
  std::size_t servers() const { return count_; }

  // -- Accounts -------------------------------------------------------------------------------------------------------
  /// Subjects, with the wildcards of NATS.
  struct Account {
    std::string password;
    std::vector<std::string> publish, subscribe;
  };
  /// From the first account on, only users with an account are let in.
  void set_account(const std::string& user, Account account) { accounts_[user] = std::move(account); }
  bool lets_in(const std::string& user, const std::string& password) const;
  /// Whether the account permits it. If not, the program is told.
  bool may_publish(BusLink& link, const std::string& subject) const;
  bool may_subscribe(BusLink& link, const std::string& pattern) const;

  // -- Faults ---------------------------------------------------------------------------------------------------------
  bool runs(std::size_t server) const { return its_[server].runs; }
  bool runs() const;  ///< all of them
  std::uint64_t life(std::size_t server) const { return its_[server].life; }
  /// They end, and with them all connections. `keeps`: what JetStream has stored will be there afterwards.
  void kill(bool keeps);
  /// One of them ends, and with it its connections.
  void end(std::size_t server);
  void start();
  /// Until then, the server and the others do not reach each other.
  void split(std::size_t server, Nanos until);
  /// Whether what a server sends to another arrives.
  bool reaches(std::size_t from, std::size_t to) const { return side(from) == side(to); }
  /// Until then, JetStream answers nothing. It still carries out some of what it is asked.
  void stall(Nanos until) { stalls_until_ = until; }
  bool stalls() const { return kernel_.now() < stalls_until_; }
  /// Whether JetStream can be asked there: most servers are running and in reach.
  bool has_streams(std::size_t server) const;
  /// Consumers are lost: their subscriptions hear nothing more, and their programs notice it after kHeartbeats.
  static constexpr Nanos kHeartbeats = 10'000 * kMilli;
  void lose_consumers();

  // -- Messages -------------------------------------------------------------------------------------------------------
  static constexpr std::size_t kMostBytes = 1U << 20U;  ///< of a message, with its headers
  /// Whether a message has more. It is noted.
  bool is_too_large(const std::string& subject, std::size_t bytes);
  /// The subjects of those messages, and their sizes.
  const std::vector<std::string>& too_large() const { return too_large_; }
  void join(const std::shared_ptr<BusLink>& link) { links_.push_back(link); }
  void leave(const BusLink& link);
  void publish(const std::shared_ptr<BusLink>& by, BusMail mail);
  void subscribe(BusLink& link, std::uint64_t number, const std::string& pattern, BusLink::Heard heard);
  static void unsubscribe(BusLink& link, std::uint64_t number);

  // -- JetStream ------------------------------------------------------------------------------------------------------
  struct Stream {
    std::vector<std::string> subjects;
    std::size_t most_per_subject = 0;  ///< 0: all are kept
    Nanos most_age = 0;                ///< older messages are removed; 0: none is
    std::int64_t created = 0;          ///< wall clock, nanoseconds
    std::uint64_t last = 0;
    struct Replaced {
      std::uint64_t number = 0;
      Nanos at = 0;
    };
    std::map<std::string, Replaced> replaced;  ///< by subject: the last message that was expected, and was replaced
    std::vector<std::shared_ptr<const BusMail>> mails;
    struct Known {
      std::uint64_t number = 0;
      Nanos at = 0;
    };
    std::map<std::string, Known> ids;  ///< of messages that are stored once
  };
  /// False: it is there already.
  bool add_stream(const std::string& name, const std::vector<std::string>& subjects, std::size_t most_per_subject,
                  Nanos most_age);
  /// Null: there is none.
  const Stream* stream(const std::string& name);
  /// Its number in the stream. `expected`: that of the last message of its subject. Nothing: another one is there, or
  /// no stream takes it.
  std::optional<std::uint64_t> store(BusMail mail, const std::string& id = "",
                                     std::optional<std::uint64_t> expected = std::nullopt);
  /// The last message of a subject. Null: there is none.
  static std::shared_ptr<const BusMail> last(const Stream& stream, const std::string& subject);
  /// Subscribes to what is stored: first to the last message of each subject. Returns how many these are.
  std::uint64_t consume(BusLink& link, std::uint64_t number, const std::string& stream, const std::string& pattern,
                        BusLink::Heard heard);

  /// With the wildcards of NATS.
  static bool fits(const std::string& subject, const std::string& pattern);

 private:
  struct Server {
    bool runs = true;
    std::uint64_t life = 1;
  };
  bool permits(BusLink& link, std::vector<std::string> Account::*list, const char* verb,
               const std::string& subject) const;
  std::size_t side(std::size_t server) const { return kernel_.now() < split_until_ && server == apart_ ? 1 : 0; }
  Nanos hop(std::size_t from, std::size_t to);
  bool pass(std::size_t from, const BusMail& mail);
  void remove_old(Stream& stream) const;
  void drop_consumers(const std::function<bool(const BusLink&)>& those);
  std::optional<std::uint64_t> store_in(Stream& stream, const std::string& name, BusMail mail, const std::string& id,
                                        std::optional<std::uint64_t> expected);
  Kernel& kernel_;
  std::size_t count_ = 1, apart_ = 0;
  std::array<Server, kMostBusServers> its_;
  std::array<std::array<Nanos, kMostBusServers>, kMostBusServers> last_hop_{};
  Nanos stalls_until_ = 0, split_until_ = 0;
  std::vector<std::shared_ptr<BusLink>> links_;
  std::map<std::string, Stream> streams_;
  std::map<std::string, Account> accounts_;
  std::vector<std::string> too_large_;
};

}  // namespace entente::lab
