// The operation of a fleet from any of its nodes: this node announces itself, carries out orders, and sends orders to
// others for an operator (`entente ctl --fleet`). It shares the fleet's bans and the queues for servers. Invariant: it
// has its own loop; only the operator waits for NATS, for a few seconds at most. An answer comes from the node that it
// names, because only that node can read the subject of the question.
#pragma once

#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "proxy/fleet/server_queues.h"
#include "proxy/net/loop.h"
#include "proxy/net/mailbox.h"
#include "proxy/program/control/control.h"
#include "proxy/program/fleet/fleet.h"
#include "proxy/program/fleet/fleet_answers.h"
#include "proxy/program/fleet/fleet_bans.h"
#include "proxy/program/monitor/metrics.h"

namespace entente {

class FleetControl final : private net::Ticker::User, private net::Alarm::User {
 public:
  static constexpr Millis kState = 2'000;   ///< how often a node announces itself
  static constexpr Millis kGone = 5'000;    ///< a node that is silent for this long, and could be heard, counts as gone
  static constexpr Millis kGather = 500;    ///< how long the first command of a connection waits for nodes
  static constexpr Millis kAnswer = 1'500;  ///< how long a node has to answer
  static constexpr Millis kOnTheWay = 500;  ///< how late a node's state, by which its clock is known, may be
  static constexpr std::size_t kMostNodes = 4'096;
  static constexpr std::size_t kLongestOrder = 2'048;  ///< bytes of a command
  static constexpr std::size_t kMostWaiting = 64;      ///< commands that wait until another one has ended

  /// `fleet`, `control`, `queues` and `bans` outlive it. Commands from others come from now on.
  FleetControl(Fleet& fleet, Control& control, fleet::SlotQueues& queues, FleetBans::User& bans,
               const FleetBans::Before& before);
  ~FleetControl() override;
  FleetControl(const FleetControl&) = delete;
  FleetControl& operator=(const FleetControl&) = delete;

  /// The answer to a line of `ctl --fleet`. Waits for other nodes. From any thread but the loop's.
  std::string answer(std::string_view line, bool json, const std::string& by);
  /// As FleetBans::changed(). From any thread.
  void changed(const net::Network& who, const relay::Ban* ban);
  void changed(const net::Network& who, const relay::ListedNetwork* network);
  /// As FleetBans::all(). Waits for the loop. From any thread but the loop's.
  Outcome<std::vector<bus::SharedBan>> known_bans();
  /// Another process is this node from now on. This one carries out no more orders, but still applies bans.
  void leave();
  void measure(Metrics& metrics) const;

 private:
  struct Heard {
    bus::Order order;
    std::string reply;  // subject
    Millis until;       // nobody waits for the answer any more
  };
  struct Seen {
    Millis at = 0;     // when it last announced itself
    Millis clock = 0;  // of that node, at that time; 0: an older node, which does not say it
  };
  using Job = std::function<void()>;
  using Answers = std::vector<NodeAnswer>;
  friend class net::Mailbox<Job, FleetControl>;
  void mail();
  void tick(Millis now) override;
  void rang() override;

  // On the loop's thread.
  void tell_state();
  void hear_state(const fleet::BusMessage& message);
  void hear_own_state(const fleet::BusMessage& message);
  void hear_order(const fleet::BusMessage& message);
  bool carry_out(const Heard& heard);
  std::uint64_t until(const std::string& node, Millis asked) const;
  void end();
  void note_connection();
  bool is_there(const Seen& node) const { return std::max(node.at, hears_from_) + kGone >= loop_.now(); }
  // On an operator's thread.
  std::vector<std::string> nodes();
  Answers ask(const std::vector<std::string>& nodes, const std::string& line, bool json, const std::string& by);
  std::string run(std::string_view line, bool json, const std::string& by);
  std::string meet(const std::string& order, std::string_view rest, const std::vector<std::string>& nodes, bool json,
                   const std::string& by);
  std::string move(std::string_view rest, const std::vector<std::string>& nodes, bool json, const std::string& by);
  std::string referrals_beside(const std::string& node, const std::vector<std::string>& nodes, std::size_t length,
                               const std::string& by);
  Outcome<std::vector<AnswerRow>> find(const std::string& target, const std::vector<std::string>& nodes,
                                       const std::string& by);

  Fleet& fleet_;
  Control& control_;
  net::Loop loop_;
  net::Mailbox<Job, FleetControl> mailbox_{loop_, *this};
  std::unique_ptr<fleet::BusLine> line_;
  std::unique_ptr<FleetBans> bans_;
  std::unique_ptr<fleet::QueuePost> queue_post_;
  std::map<std::string, Seen> seen_;  // nodes
  bool gathers_ = false;              // it is subscribed to these announcements
  std::uint64_t connects_ = 0;        // of the bus, at the last look
  Millis hears_from_ = 0;             // when the last look found no connection, or a new one
  Millis gathered_at_ = 0;            // when it has asked all nodes to announce themselves; 0: not on this connection
  bool left_ = false;
  std::atomic<std::uint64_t> refused_ = 0;  // orders and announcements of nodes
  std::atomic<std::uint64_t> late_ = 0;     // orders that nobody waited for any more
  struct Namesake {                         // another process that announces itself as this node
    Millis first = 0, last = 0;
    bool told = false;
  };
  std::optional<Namesake> namesake_;
  std::vector<Heard> waiting_;  // for the command that is running, in order
  std::unique_ptr<net::Alarm> again_;
  std::unique_ptr<net::Ticker> ticker_;
  std::thread thread_;
};

}  // namespace entente
