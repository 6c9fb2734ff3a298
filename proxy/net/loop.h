// One thread's event loop: its clock, the shared read buffers, the order of service, and work at the end of a turn.
//
//   Loop loop;
//   Ticker ticker(loop, user, 1'000);                  // user.tick() each second
//   named_thread("worker", [&loop] { loop.run(); });   // from now on, only this thread calls what is on the loop
//
// Invariant: everything on a loop is called on its thread; other threads reach it by a Mailbox (mailbox.h). A loop
// outlives everything on it.
#pragma once

#include <sys/socket.h>
#include <uv.h>

#include <array>
#include <span>
#include <vector>

#include "proxy/base/bytes.h"
#include "proxy/base/time.h"
#include "proxy/net/address.h"
#include "proxy/net/handle.h"
#include "proxy/net/handshake_rate.h"
#include "proxy/net/output/outbox.h"
#include "proxy/net/schedule.h"

namespace entente::net {

/// Collects work during a turn and does it at the end (sends a batch of datagrams, destroys ended sessions).
class Later {
 public:
  virtual ~Later() = default;
  virtual void at_turn_end() = 0;
};

/// Receives the durations of the turns of a loop. Only turns that serve a job count, and only one in Loop::kTimed of
/// these is timed.
class TurnWatch {
 public:
  virtual ~TurnWatch() = default;
  /// Called at the end of a timed turn. `nanos`: from when the loop had looked for events until the results were
  /// written.
  virtual void turn_took(std::uint64_t nanos) = 0;
};

/// Buffers for one recvmmsg, shared by all UDP sockets of a loop, because their content is used before the next
/// call.
struct DatagramBuffers {
  static constexpr std::size_t kSlots = 32;
  // The largest datagram that we pass on (2048), and one byte to notice longer ones.
  static constexpr std::size_t kSlotSize = 2049;

  DatagramBuffers();
  std::array<mmsghdr, kSlots> headers{};
  std::array<iovec, kSlots> parts{};
  std::array<sockaddr_in6, kSlots> from{};
  Buffer bytes;
};

class Loop {
 public:
  /// `nanos`: the clock by which jobs are served; a test may count steps by it.
  explicit Loop(Schedule::Clock nanos = clock());
  static Schedule::Clock clock() {
    return [] { return uv_hrtime(); };
  }
  /// REQUIRES: nothing is open on the loop (run() has returned, or it never ran and its users are gone).
  ~Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  /// For make_handle() (handle.h).
  uv_loop_t* raw() { return &loop_; }
  Millis now() const { return uv_now(&loop_); }        ///< at the start of this turn; comparable between loops
  std::uint64_t nanos() const { return uv_hrtime(); }  ///< the same clock, now
  /// For one read at a time: what is in it is used before the caller returns to the loop.
  std::span<std::uint8_t> read_buffer() { return read_buffer_; }
  DatagramBuffers& datagram_buffers() { return datagram_buffers_; }
  Outbox& outbox() { return outbox_; }

  /// Those who share a turn with this address (schedule.h).
  std::shared_ptr<Party> party(const Address& address, Parties::Kind kind) { return parties_.of(address, kind); }
  std::shared_ptr<Party> client_party(const Address& client) { return party(client, Parties::Kind::kClient); }
  /// Of a server, the part that works for this client. Empty: for Entente itself.
  std::shared_ptr<Party> server_party(const Address& server, const Address& client = {}) {
    return Party::part(party(server, Parties::Kind::kServer), client);
  }
  /// The TLS handshakes of clients on this loop.
  HandshakeRate& handshakes() { return handshakes_; }
  /// Schedules `job`. The loop runs it in this turn if there is time, otherwise in a later one (schedule.h).
  void serve(Job& job) {
    schedule_.add(job, now());
    wake();
  }
  /// Whether the job that is being served is to end, because it has had its time. Looks at the clock. Outside of a job:
  /// true.
  bool time_is_up() const { return schedule_.time_is_up(); }
  /// Whether the last turn left jobs for the next one.
  bool is_behind() const { return behind_; }
  /// Calls `it` once after this turn's events, before the loop sleeps. If `it` asks within that call, it is called after
  /// the next turn's events, so what it has left does not hold up others. REQUIRES: not already requested.
  void later(Later& it) {
    (&it == called_ ? next_ : later_).push_back(&it);
    wake();
  }
  /// Cancels a request.
  void cancel_later(const Later& it);

  static constexpr std::uint32_t kTimed = 16;
  /// `watch` outlives the loop.
  void watch_turns(TurnWatch& watch) { watch_ = &watch; }

  /// Runs until nothing is open on this loop.
  void run() {
    prepare();  // does what was asked for before the first turn
    uv_run(&loop_, UV_RUN_DEFAULT);
  }

 private:
  void prepare();
  void turn();
  void end_turn();
  void stay_awake();
  void wake();

  uv_loop_t loop_{};
  Handle<uv_check_t> after_events_;
  Handle<uv_prepare_t>
      after_timers_;         // timers run before the loop sleeps: what they asked for must not wait for an event
  Handle<uv_idle_t> awake_;  // while jobs wait: events are looked for, but not waited for
  bool behind_ = false;
  TurnWatch* watch_ = nullptr;
  std::uint32_t turns_ = 0;  // that had something to serve
  Parties parties_;
  HandshakeRate handshakes_;
  Schedule schedule_;
  std::vector<Later*> later_, due_;
  std::vector<Later*> next_;  // for the next turn
  const Later* called_ = nullptr;
  Buffer read_buffer_;
  DatagramBuffers datagram_buffers_;
  Outbox outbox_;
};

/// Calls back once, at a chosen time. Setting it allocates nothing.
class Alarm final : private Job {
 public:
  class User {
   public:
    virtual ~User() = default;
    virtual void rang() = 0;
  };

  /// `loop` and `user` outlive it. Destroying it clears it.
  Alarm(Loop& loop, User& user);

  /// Fires at the first whole millisecond not before `nanos` (Loop::nanos), and not within this call. Replaces an
  /// earlier setting.
  void set(std::uint64_t nanos);
  void clear();
  /// The group and the party in which it is served once it is due.
  using Job::set_party;
  using Job::set_priority;

 private:
  void run() override;

  static constexpr std::uint64_t kOff = ~std::uint64_t{0};  // later than any time that set() can be given

  Loop& loop_;
  User& user_;
  Handle<uv_timer_t> timer_;
  std::uint64_t set_to_ = kOff;  // milliseconds
};

/// Calls back periodically, with a period in milliseconds, until it is destroyed. `user` outlives it.
class Ticker {
 public:
  class User {
   public:
    virtual ~User() = default;
    virtual void tick(Millis now) = 0;
  };

  Ticker(Loop& loop, User& user, Millis every);

 private:
  User& user_;
  Handle<uv_timer_t> timer_;
};

}  // namespace entente::net
