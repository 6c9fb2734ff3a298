#include "proxy/program/control/control_record.h"

#include <algorithm>
#include <utility>

#include "proxy/base/steady_wall.h"
#include "proxy/program/control/arguments.h"

namespace entente {
namespace {

using Order = relay::TapThread::Order;

constexpr WallTime kNanosPerSecond = 1'000'000'000;

/// A number is that of a route that is served.
bool is_called(const Recordable& one, std::string_view name) {
  return (!one.retired && name == std::to_string(one.number)) || name == one.name ||
         one.name.ends_with(" " + std::string(name)) || (!one.arena.empty() && name == one.arena);
}

/// The recordable routes with this name; all if `name` is empty.
Outcome<std::vector<Recordable>> chosen(std::vector<Recordable> all, std::string_view name) {
  if (name.empty()) return all;
  std::erase_if(all, [&](const Recordable& one) { return !is_called(one, name); });
  if (all.empty()) return Error{"no route is called '" + std::string(name) + "'; `recordings` lists them"};
  const auto served = [](const Recordable& one) { return !one.retired; };
  if (std::any_of(all.begin(), all.end(), served))
    std::erase_if(all, [](const Recordable& one) { return one.retired; });
  if (all.size() > 1) return Error{"several routes are called '" + std::string(name) + "'; give the number"};
  return all;
}

/// Such as "on" or "off, draining".
std::string recording_state(const relay::RecordingStatus& status, bool retired) {
  const std::string state = !status.on ? "off" : status.failing ? "failing" : "on";
  return retired ? state + ", draining" : state;
}

ReplyRow row_of(const Recordable& one, const relay::RecordingStatus& status) {
  const WallTime now = steady_wall_now();
  const WallTime age = status.began == 0 ? 0 : now - std::min(now, status.began);
  return {number_field("route", one.number),
          text_field("name", one.name),
          text_field("recording", recording_state(status, one.retired)),
          number_field("bytes", status.bytes),
          number_field("seconds", age / kNanosPerSecond),
          list_field("files", status.paths)};
}

/// Gives the order to all of these, and returns the outcome of each. Disks that hang cost the time of one.
std::vector<Outcome<relay::RecordingStatus>> ordered(const std::vector<Recordable>& these, Order order) {
  std::vector<relay::TapThread::Given> given;
  for (const Recordable& one : these) given.push_back(one.tap->give(order));
  const Millis until = steady_now() + relay::TapThread::kObeysWithin;
  std::vector<Outcome<relay::RecordingStatus>> all;
  for (std::size_t i = 0; i < these.size(); ++i) all.push_back(these[i].tap->outcome(std::move(given[i]), until));
  return all;
}

bool is_silent(const Outcome<relay::RecordingStatus>& outcome) {
  return !outcome && outcome.error().text.starts_with(relay::TapThread::kDiskSilent);
}

Reply recordings_reply(const std::vector<Recordable>& all, std::string_view rest) {
  if (!rest.empty()) return Error{"recordings takes no arguments"};
  std::vector<ReplyRow> rows;
  const auto statuses = ordered(all, Order::kNone);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool silent = is_silent(statuses[i]);
    if (!statuses[i] && !silent) return statuses[i].error();
    relay::RecordingStatus status = silent ? all[i].tap->last_status() : *statuses[i];
    status.failing |= silent;
    rows.push_back(row_of(all[i], status));
  }
  return Reply::table({"route", "name", "recording", "bytes", "seconds", "files"}, rows);
}

struct Named {
  std::string_view word;
  Order order;
  const char* done;
};
constexpr Named kOrders[] = {
    {"start", Order::kStart, "started"}, {"stop", Order::kStop, "stopped"}, {"rotate", Order::kRotate, "rotated"}};

/// An order for all routes fails only if no route can carry it out.
Reply record(const std::vector<Recordable>& all, std::string_view rest) {
  const std::string_view word = first_word(rest);
  const auto* named =
      std::find_if(std::begin(kOrders), std::end(kOrders), [&](const Named& one) { return one.word == word; });
  if (named == std::end(kOrders))
    return Error{"usage: record start|stop|rotate [ROUTE]; `recordings` lists the routes"};
  auto these = chosen(all, whole_text(rest));
  if (!these) return these.error();
  // What gets no new sessions is not started.
  if (named->order == Order::kStart) std::erase_if(*these, [](const Recordable& one) { return one.retired; });
  std::string lines, errors;
  std::vector<ReplyRow> rows;
  const auto statuses = ordered(*these, named->order);
  for (std::size_t i = 0; i < these->size(); ++i) {
    const Recordable& one = (*these)[i];
    const auto& status = statuses[i];
    if (!status) {
      const std::string why = one.name + ": " + status.error().text;
      errors += (errors.empty() ? "" : "; ") + why;
      if (is_silent(status)) lines += control_field(why) + "\n";
      continue;
    }
    const std::string file = status->paths.empty() ? "" : ": " + status->paths.back();
    lines += std::string(named->done) + " " + std::to_string(one.number) + " " + control_field(one.name + file) + "\n";
    rows.push_back(row_of(one, *status));
  }
  if (rows.empty()) return Error{errors.empty() ? "no route can be recorded" : errors};
  return Reply(lines).with("recordings", rows);
}

}  // namespace

void add_record_commands(Control& control, std::function<std::vector<Recordable>()> all) {
  control.add("recordings", "Lists the routes and arenas, and the files that they are being recorded to.",
              [all](std::string_view rest) { return recordings_reply(all(), rest); });
  control.add_order(
      "record start|stop|rotate [ROUTE]",
      "Starts or stops a recording, or continues it in a new file. ROUTE: a number, a name or an address of "
      "`recordings`, or the name of an arena; without it: all.",
      [all = std::move(all)](std::string_view rest) { return record(all(), rest); });
}

}  // namespace entente
