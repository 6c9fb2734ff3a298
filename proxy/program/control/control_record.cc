#include "proxy/program/control/control_record.h"

#include <spdlog/spdlog.h>

#include <algorithm>

namespace entente {
namespace {

using Order = relay::TapThread::Order;

bool is_called(const Recordable& one, std::string_view name) {
  return name == std::to_string(one.number) || name == one.name || one.name.ends_with(" " + std::string(name));
}

/// Those that are meant: all, if nothing is named.
Outcome<std::vector<Recordable>> chosen(std::vector<Recordable> all, std::string_view name) {
  if (!name.empty()) std::erase_if(all, [&](const Recordable& one) { return !is_called(one, name); });
  if (all.size() > 1 && !name.empty())
    return Error{"several routes are called '" + std::string(name) + "'; use a number, as `record` shows"};
  if (all.empty()) return Error{"no route is called '" + std::string(name) + "'; `record` lists them"};
  return all;
}

std::string row(const Recordable& one, const relay::RecordingStatus& status) {
  const WallTime now = wall_now();
  const auto seconds = status.began == 0 ? 0 : (now - std::min(now, status.began)) / 1'000'000'000;
  const std::size_t files = status.paths.size();
  const std::string last = files == 0 ? "" : status.paths.back();
  return std::to_string(one.number) + "\t" + control_field(one.name) + "\t" + (status.on ? "on" : "off") + "\t" +
         std::to_string(files) + "\t" + control_field(last) + "\t" + std::to_string(status.bytes) + "\t" +
         std::to_string(seconds) + "\n";
}

Outcome<Order> order_of(std::string_view word) {
  if (word.empty()) return Order::kNone;
  if (word == "start") return Order::kStart;
  if (word == "stop") return Order::kStop;
  if (word == "rotate") return Order::kRotate;
  return Error{"usage: record [start|stop|rotate] [ROUTE]"};
}

/// An order for all routes skips those for which it has no sense, unless that is all of them.
Outcome<std::string> record(const std::vector<Recordable>& all, std::string_view rest) {
  const std::size_t end = std::min(rest.find(' '), rest.size());
  const std::string_view word = rest.substr(0, end);
  const std::string_view name = rest.substr(std::min(rest.find_first_not_of(' ', end), rest.size()));
  const auto order = order_of(word);
  if (!order) return order.error();
  const auto these = chosen(all, name);
  if (!these) return these.error();
  std::string out = "route\tname\trecording\tfiles\tfile\tbytes\tseconds\n", errors;
  std::size_t done = 0;
  for (const Recordable& one : *these) {
    auto status = one.tap->record(*order);
    if (status) {
      ++done;
      if (*order != Order::kNone) spdlog::info("record {} {}: as ordered by ctl", word, one.name);
    } else {
      errors += (errors.empty() ? "" : "; ") + one.name + ": " + status.error().text;
      status = one.tap->record(Order::kNone);
      if (!status) return status.error();
    }
    out += row(one, *status);
  }
  if (done == 0) return Error{errors};
  return out;
}

}  // namespace

void add_record_commands(Control& control, std::function<std::vector<Recordable>()> all) {
  control.add("record [start|stop|rotate] [ROUTE]",
              "Starts, stops or rotates the recording of a route or arena (default: of all), and lists them. ROUTE: a "
              "number or an address from the list. rotate: continues in a new file.",
              [all = std::move(all)](std::string_view rest) { return record(all(), rest); });
}

}  // namespace entente
