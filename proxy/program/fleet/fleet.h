// This process as a node of a fleet: its names, and its connection to NATS.
#pragma once

#include <memory>
#include <string>

#include "proxy/base/fault.h"
#include "proxy/base/time.h"
#include "proxy/fleet/bus.h"
#include "proxy/fleet/subjects.h"
#include "proxy/program/config/fleet_settings.h"
#include "proxy/program/monitor/metrics.h"
#include "schema/config.pb.h"

namespace entente {

/// Identifies what loopback addresses mean: the boot of the machine and the network namespace. Only processes for which
/// it is equal reach the same servers at loopback addresses. A process that cannot read the file `boot_id` uses the
/// machine's /etc/machine-id instead, without revealing it. Then it does not share seats with processes that can.
std::string this_machine(const std::string& boot_id = "/proc/sys/kernel/random/boot_id");

class Fleet {
 public:
  enum class Log : bool { kNo, kYes };
  /// Reads the files that the configuration names, and begins to connect. `log`: whether connections and failures are
  /// logged.
  static Outcome<std::unique_ptr<Fleet>> join(const config::Fleet& settings, Log log = Log::kYes);

  const fleet::Subjects& names() const { return names_; }
  const std::string& node() const { return node_; }
  /// The time at which this process became a node, in nanoseconds: no other run of the node has it.
  std::uint64_t run_id() const { return run_id_; }
  /// How many copies JetStream keeps of its data.
  std::uint32_t replicas() const { return replicas_; }
  fleet::Bus& bus() { return *bus_; }
  /// From any thread.
  void measure(Metrics& metrics) const;

 private:
  explicit Fleet(const config::Fleet& settings);
  Outcome<Done> read_certificates(const config::Fleet& settings);

  const fleet::Subjects names_;
  const std::string node_;
  const std::uint64_t run_id_ = wall_now();
  const std::uint32_t replicas_;
  std::optional<std::int64_t> certificate_expires_, authorities_expire_;  // seconds since 1970
  std::unique_ptr<fleet::Bus> bus_;
};

}  // namespace entente
