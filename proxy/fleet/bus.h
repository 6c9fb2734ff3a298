// A connection to NATS, for one process; and its lines, one for each loop that uses it.
// Invariant: nobody waits for the network: threads of the bus carry out what a line orders, and answers come as calls
// on the line's loop. A bus tries to connect and to reconnect for ever. While it is not connected, published messages
// are dropped and counted, and orders with an answer are answered with an error. What waits is bounded in both
// directions.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "proxy/base/bytes.h"
#include "proxy/base/fault.h"
#include "proxy/base/time.h"
#include "proxy/net/loop.h"
#include "proxy/net/mailbox.h"

namespace entente::fleet {

struct BusOptions {
  std::vector<std::string> servers = {};  ///< "nats://host:port" or "tls://host:port", of one cluster; at least one
  std::string client = {};                ///< how NATS lists this connection
  std::string inbox = {};  ///< subject below which answers come to this connection alone; empty: NATS's own
  // At most one of: a user with a password, a token, a file with credentials (JWT and seed).
  std::string user = {}, password = {}, token = {}, credentials_file = {};
  // PEM files. Without a CA, that of the system.
  std::string ca_file = {}, certificate_file = {}, key_file = {};
  /// Called on threads of the bus when it has connected, when the connection is lost, and when it cannot connect (once
  /// for each reason). `why`: for people.
  std::function<void(bool connected, const std::string& why)> told = {};
  /// Called on a thread of the bus when the server does not let this account publish or subscribe to a subject: once
  /// for each, of 100 at most. `what`: for people.
  std::function<void(const std::string& what)> refused = {};
  /// Called on a thread of the bus or of a line when the machine has no thread left for a watch, once until all watches
  /// have begun. The bus tries again each second.
  std::function<void(const std::string& what)> no_thread = {};
  std::size_t most_waiting = 64U << 20U;                ///< bytes, in each direction and of each line
  Millis reconnect_first = 50, reconnect_last = 2'000;  ///< pauses between attempts: they double
};

/// Why a connection to this server may not carry secrets; nothing: it is encrypted, or stays on this machine.
std::optional<std::string> objection_to_server(const std::string& url);

struct BusCounts {
  std::uint64_t published = 0, published_bytes = 0;
  std::uint64_t received = 0, received_bytes = 0;
  std::uint64_t dropped_out = 0;  ///< messages that were not published: no connection, or too much waited
  std::uint64_t dropped_in = 0;   ///< messages that came while too much waited for their line
  std::uint64_t connects = 0, losses = 0;
  std::uint64_t failures = 0;  ///< orders to JetStream that failed
  std::uint64_t refused = 0;   ///< messages and subscriptions that this account is not permitted
  std::uint64_t forged = 0;    ///< stored messages that somebody had JetStream send to a subscription
};

struct BusMessage {
  std::string subject;
  std::string reply;  ///< where an answer is awaited; empty: nowhere
  Buffer bytes;
  std::uint64_t number = 0;  ///< in its stream; 0: it was not read from one
};

/// An entry of a bucket.
struct BusEntry {
  std::string key;
  Buffer value;
  std::uint64_t revision = 0;  ///< increases with each change in the bucket
  bool gone = false;           ///< the key was removed
};

struct BucketOptions {
  std::string name;
  Millis keep = 0;            ///< how long an entry stays that is not put again; 0: for ever
  std::uint32_t history = 1;  ///< entries per key, 1 to 64
  std::uint32_t replicas = 1;
  std::int64_t most_bytes = 256 << 20;
  bool in_memory = false;
};

struct StreamOptions {
  std::string name;
  std::vector<std::string> subjects;
  Millis keep = 0;                    ///< how long a message stays; 0: for ever
  std::int64_t most_per_subject = 0;  ///< messages; 0: any number
  std::int64_t most_bytes = 0;        ///< 0: any number
  std::uint32_t replicas = 1;
  bool in_memory = false;
};

/// The answer to an order to a bucket.
struct BucketResult {
  enum class How : std::uint8_t {
    kDone,
    kConflict,  ///< somebody else was first: `entry` is what is there now
    kMissing,   ///< there is no such key
    kFailed,    ///< why: for people. The order may have been carried out
  } how = How::kFailed;
  BusEntry entry;
  std::string why;
  bool done() const { return how == How::kDone; }
};

class BusLine;
struct BusConnection;  // what the bus holds of libnats

class Bus {
 public:
  /// Begins to connect, and returns. REQUIRES: options.servers is not empty.
  explicit Bus(const BusOptions& options);
  /// Sends what was published, and closes. For a second at most, it begins orders that wait; after that, they fail. An
  /// order under way takes its time: seconds, if JetStream does not answer. REQUIRES: its lines are gone.
  ~Bus();
  Bus(const Bus&) = delete;
  Bus& operator=(const Bus&) = delete;

  // From any thread.
  bool connected() const;
  /// How long there has been no connection; nothing: there is one.
  std::optional<Millis> lost_for() const;
  /// Why the last attempt failed; for people.
  std::string last_error() const;
  BusCounts counts() const;

 private:
  friend class BusLine;
  class Impl;
  std::shared_ptr<Impl> impl_;
};

/// A loop's line to the bus. On the loop's thread alone; no callback may destroy it. Callbacks come in the order of the
/// messages, also across subscriptions.
class BusLine {
 public:
  using SubscriptionId = std::uint64_t;
  using Heard = std::function<void(const BusMessage&)>;
  using Answered = std::function<void(std::vector<BusMessage>)>;
  using Stored = std::function<void(Outcome<std::uint64_t>)>;
  using BucketDone = std::function<void(BucketResult)>;
  /// A changed entry. Null ends the listing that comes at first, and again after each reconnect: keys that were not
  /// listed since the null before it do not exist.
  using Watched = std::function<void(const BusEntry*)>;

  /// kPatient: its orders to buckets may take long (where permissions are missing, NATS does not answer), and others do
  /// not wait for them.
  enum class Orders : bool { kPrompt, kPatient };
  /// `bus` and `loop` outlive it.
  BusLine(Bus& bus, net::Loop& loop, Orders orders = Orders::kPrompt);
  /// No callback comes after it.
  ~BusLine();
  BusLine(const BusLine&) = delete;
  BusLine& operator=(const BusLine&) = delete;

  /// Calls `state(connected)` for each change from now on, and once now if it is connected.
  void on_state(std::function<void(bool)> state);

  // Messages. Delivered at most once: lost messages are not repeated.
  /// False: it was dropped, because there is no connection or too much waits. `reply`: where answers go.
  bool publish(const std::string& subject, Bytes bytes, const std::string& reply = {});
  /// `subject` may end in ".>" or have "*" for a token.
  SubscriptionId subscribe(const std::string& subject, Heard heard);
  void unsubscribe(SubscriptionId subscription);
  /// Publishes, and collects up to `most` answers. Answered once: when there are that many, or when `within` has
  /// passed; without any if there is no connection, or nobody subscribes to the subject. `below`: answers come to a
  /// subject below this one, which nobody can guess; empty: below the inbox of this connection.
  void ask(const std::string& subject, Bytes bytes, Millis within, std::size_t most, Answered answered,
           const std::string& below = {});

  // JetStream. Each order is answered once; an error comes within seconds. Orders of one kind (buckets; streams) are
  // carried out in their order.
  /// Makes the bucket, if the server has none. entry.revision in the answer is when it was made, in the server's
  /// nanoseconds: another number means another bucket.
  void open_bucket(const BucketOptions& options, BucketDone done);
  void get(const std::string& bucket, const std::string& key, BucketDone done);
  void put(const std::string& bucket, const std::string& key, Bytes value, BucketDone done);
  /// Fails if the key exists.
  void create(const std::string& bucket, const std::string& key, Bytes value, BucketDone done);
  /// Fails unless the key is at this revision.
  void update(const std::string& bucket, const std::string& key, Bytes value, std::uint64_t revision, BucketDone done);
  /// Reads the entry first, and fails unless `is_expected`, or if it changes meanwhile. `is_expected` runs on a thread
  /// of the bus.
  void update_if(const std::string& bucket, const std::string& key, Bytes value,
                 std::function<bool(const BusEntry&)> is_expected, BucketDone done);
  void remove(const std::string& bucket, const std::string& key, BucketDone done);
  /// `keys`: a key, or a pattern as a subject.
  SubscriptionId watch(const std::string& bucket, const std::string& keys, Watched watched);
  void unwatch(SubscriptionId watch);
  void open_stream(const StreamOptions& options, Stored done);
  /// Stores a message in the stream of this subject; answers with its number there. `id`: a message with the id of an
  /// earlier one (of the last two minutes) is not stored again; empty: none.
  void store(const std::string& subject, Bytes bytes, const std::string& id, Stored stored);
  /// The last message of a subject in a stream; nothing: there is none.
  void last(const std::string& stream, const std::string& subject,
            std::function<void(Outcome<std::optional<BusMessage>>)> answered);

  /// Messages of `subject`, which may be a pattern, in their order, from this number on: up to `most_bytes`, but at
  /// least one if there is any. After `within` it ends with what it has. REQUIRES: the stream was opened by
  /// open_stream().
  using Read = std::function<void(Outcome<std::vector<BusMessage>>)>;
  static constexpr Millis kReadFor = 2'000;
  void read(const std::string& stream, const std::string& subject, std::uint64_t from, std::size_t most_bytes,
            Read answered, Millis within = kReadFor);
  /// The subjects of this pattern that have messages in a stream.
  void subjects(const std::string& stream, const std::string& pattern,
                std::function<void(Outcome<std::vector<std::string>>)> answered);

  bool connected() const { return bus_.connected(); }

 private:
  friend class Bus;
  friend class Bus::Impl;
  struct Letter {
    std::function<void(BusLine&)> read;
    std::size_t bytes;
  };
  class Inbox;
  friend class net::Mailbox<Letter, BusLine>;
  struct Question {
    Answered answered;
    std::vector<BusMessage> answers;
    std::size_t most;
    Millis until;
  };
  class Timer;
  using RequestId = std::uint64_t;  // of an order with one answer; never equal to a SubscriptionId

  void mail();
  void heard(SubscriptionId subscription, const BusMessage& message);
  void answered(RequestId question, BusMessage message, bool nobody);
  void check_time();
  void finish(std::unordered_map<RequestId, Question>::iterator question);
  void order_bucket(std::size_t bytes, BucketDone done, std::function<BucketResult(BusConnection&)> order);
  void order_stream(std::size_t bytes, Stored stored, std::function<Outcome<std::uint64_t>(BusConnection&)> order);

  Bus& bus_;
  net::Loop& loop_;
  const Orders orders_;
  net::Mailbox<Letter, BusLine> mailbox_;
  std::shared_ptr<Inbox> inbox_;
  std::vector<Letter> letters_;
  std::uint64_t last_ = 0;  // SubscriptionId or RequestId
  std::function<void(bool)> state_;
  std::unordered_map<SubscriptionId, std::shared_ptr<Heard>> heard_;
  std::unordered_map<SubscriptionId, std::shared_ptr<Watched>> watched_;
  std::unordered_map<RequestId, Question> questions_;
  std::unordered_map<RequestId, BucketDone> bucket_orders_;
  std::unordered_map<RequestId, Stored> stream_orders_;
  std::unique_ptr<Timer> timer_;
};

}  // namespace entente::fleet
