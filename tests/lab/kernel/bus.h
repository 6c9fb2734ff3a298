// NATS with JetStream, simulated: one server, and the connections of programs to it. nats.cc has the functions of
// libnats, which use it.
// Invariant: what a connection sends in one direction arrives in order, or the connection is lost. Calls of the server
// happen when what asks for them has arrived; answers take as long again.
#pragma once

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
};

class BusServer;

/// A connection. The descriptor belongs to the program; if that is killed, the connection ends.
class BusLink final : public File, public std::enable_shared_from_this<BusLink> {
 public:
  using Heard = std::function<void(std::shared_ptr<const BusMail>)>;

  /// `lost`: nothing more comes. `missed`: a consumer (BusServer::consume) is gone.
  BusLink(Kernel& kernel, std::uint32_t host, std::function<void()> lost, std::function<void()> missed);
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
  };
  Kernel& kernel_;
  const Place at_;
  const std::uint64_t life_;  // of the server
  const std::function<void()> lost_, missed_;
  bool open_ = true;
  Nanos last_out_ = 0, last_in_ = 0;
  std::vector<Subscription> subscriptions_;
};

class BusServer {
 public:
  static constexpr std::uint32_t kHost = 0x0a000401;
  static constexpr const char* kUrl = "tls://10.0.4.1:4222";

  explicit BusServer(Kernel& kernel) : kernel_(kernel) {}

  // -- Faults ---------------------------------------------------------------------------------------------------------
  bool runs() const { return runs_; }
  std::uint64_t life() const { return life_; }
  /// It ends, and with it all connections. `keeps`: what JetStream has stored will be there afterwards.
  void kill(bool keeps);
  void start() { runs_ = true; }
  /// Until then, JetStream answers nothing. It still carries out some of what it is asked.
  void stall(Nanos until) { stalls_until_ = until; }
  bool stalls() const { return kernel_.now() < stalls_until_; }
  /// Consumers are lost: their subscriptions hear nothing more, and their programs notice it after kHeartbeats.
  static constexpr Nanos kHeartbeats = 10'000 * kMilli;
  void lose_consumers();

  // -- Messages -------------------------------------------------------------------------------------------------------
  void join(const std::shared_ptr<BusLink>& link) { links_.push_back(link); }
  void leave(const BusLink& link);
  void publish(const std::shared_ptr<BusLink>& by, BusMail mail);
  static void subscribe(BusLink& link, std::uint64_t number, const std::string& pattern, BusLink::Heard heard);
  static void unsubscribe(BusLink& link, std::uint64_t number);

  // -- JetStream ------------------------------------------------------------------------------------------------------
  struct Stream {
    std::vector<std::string> subjects;
    std::size_t most_per_subject = 0;  ///< 0: all are kept
    std::int64_t created = 0;          ///< wall clock, nanoseconds
    std::uint64_t last = 0;
    std::vector<std::shared_ptr<const BusMail>> mails;
    std::map<std::string, std::uint64_t> ids;  ///< of messages that are stored once
  };
  /// False: it is there already.
  bool add_stream(const std::string& name, const std::vector<std::string>& subjects, std::size_t most_per_subject);
  /// Null: there is none.
  const Stream* stream(const std::string& name) const;
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
  std::optional<std::uint64_t> store_in(Stream& stream, const std::string& name, BusMail mail, const std::string& id,
                                        std::optional<std::uint64_t> expected);
  Kernel& kernel_;
  bool runs_ = true;
  std::uint64_t life_ = 1;
  Nanos stalls_until_ = 0;
  std::vector<std::shared_ptr<BusLink>> links_;
  std::map<std::string, Stream> streams_;
};

}  // namespace entente::lab
