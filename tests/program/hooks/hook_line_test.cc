// What waits for the receiver of a hook: in order, bounded, and what is lost is counted until it was told.
#include "proxy/program/hooks/hook_line.h"

#include <doctest/doctest.h>

#include <memory>
#include <string>

namespace entente::hook_line_test {
namespace {

using relay::News, relay::NewsField, relay::NewsKind;

std::shared_ptr<const HookEvent> event(const std::string& id, std::size_t size = 0) {
  News news(NewsKind::kTest);
  news.set(NewsField::kText, std::string(size, 'x'));
  return std::make_shared<const HookEvent>(HookEvent{std::move(news), id});
}

HookSettings settings() {
  HookSettings its;
  its.name = "h";
  return its;
}

std::string first(const HookLine& line) {
  const auto front = line.front();
  return front.event != nullptr ? front.event->id : "";
}

TEST_CASE("events wait in order, and the one that is sent stays first until it is delivered or given up") {
  HookLine line(settings());
  CHECK(first(line) == "");
  CHECK(line.put(event("1"), 100) == HookLine::Put::kFirst);
  CHECK(line.put(event("2"), 200) == HookLine::Put::kQueued);
  CHECK(line.put(event("3"), 300) == HookLine::Put::kQueued);
  CHECK(first(line) == "1");
  CHECK(first(line) == "1");
  CHECK(line.front().since == 100);
  line.delivered(0);
  CHECK(first(line) == "2");
  line.fail();
  CHECK(first(line) == "3");
  CHECK(line.front().since == 300);
  line.delivered(0);
  CHECK(first(line) == "");
  CHECK(line.put(event("4"), 400) == HookLine::Put::kFirst);
}

TEST_CASE("the totals count what was delivered, given up, tried again and dropped") {
  HookLine line(settings());
  for (const char* id : {"1", "2", "3"}) line.put(event(id), 0);
  line.retry("it answered 500");
  line.retry("it answered 501");
  CHECK(line.report().error == "it answered 501");
  CHECK(line.report().waiting == 3);
  line.delivered(0);
  line.fail();
  const HookLine::Report report = line.report();
  CHECK(report.totals.delivered == 1);
  CHECK(report.totals.failed == 1);
  CHECK(report.totals.retried == 2);
  CHECK(report.totals.dropped == 0);
  CHECK(report.waiting == 1);
}

TEST_CASE("an event that is delivered clears the error, one that is given up does not") {
  HookLine line(settings());
  line.put(event("1"), 0);
  line.put(event("2"), 0);
  line.set_error("it answered 404");
  line.fail();
  CHECK(line.report().error == "it answered 404");
  line.delivered(0);
  CHECK(line.report().error == "");
}

TEST_CASE("as many events wait as may, the next is dropped, and there is room again when one has gone") {
  HookLine line(settings());
  for (std::size_t i = 0; i < HookLine::kMostEvents; ++i) CHECK(line.put(event("e"), 0) != HookLine::Put::kDropped);
  CHECK(line.put(event("late"), 0) == HookLine::Put::kDropped);
  CHECK(line.put(event("late"), 0) == HookLine::Put::kDropped);
  CHECK(line.report().waiting == HookLine::kMostEvents);
  CHECK(line.report().totals.dropped == 2);
  CHECK(line.lost() == 2);
  line.delivered(2);
  CHECK(line.lost() == 0);
  CHECK(line.put(event("fits"), 0) == HookLine::Put::kQueued);
  CHECK(line.put(event("late"), 0) == HookLine::Put::kDropped);
}

TEST_CASE("as many bytes wait as may, and those of an event that has gone are free again") {
  HookLine line(settings());
  const std::size_t half = HookLine::kMostBytes / 2;
  CHECK(line.put(event("1", half), 0) == HookLine::Put::kFirst);
  CHECK(line.report().waiting_bytes > half);
  CHECK(line.put(event("2", half), 0) == HookLine::Put::kDropped);
  CHECK(line.put(event("3"), 0) == HookLine::Put::kQueued);  // a smaller one still fits
  line.delivered(1);
  CHECK(line.put(event("4", half), 0) == HookLine::Put::kQueued);
  line.fail();
  line.fail();
  CHECK(line.report().waiting_bytes == 0);
  CHECK(line.put(event("5", HookLine::kMostBytes), 0) == HookLine::Put::kDropped);
}

TEST_CASE("what is lost is told once, and what is lost meanwhile is told by the next event") {
  HookLine line(settings());
  for (const char* id : {"1", "2", "3", "4"}) line.put(event(id), 0);
  line.fail();
  line.fail();
  CHECK(line.lost() == 2);
  const std::uint64_t told = line.lost();  // the third is sent with this number
  line.put(event("big", HookLine::kMostBytes), 0);
  line.delivered(told);
  CHECK(line.lost() == 1);
  line.delivered(1);
  CHECK(line.lost() == 0);
}

TEST_CASE("a hook that replaces another takes over what waits, what is lost and the totals, but not the error") {
  HookLine old(settings()), young(settings());
  for (const char* id : {"1", "2", "3"}) old.put(event(id), 7);
  old.retry("it answered 500");
  old.fail();
  young.inherit(old);
  CHECK(first(young) == "2");
  CHECK(young.front().since == 7);
  CHECK(young.lost() == 1);
  const HookLine::Report report = young.report();
  CHECK(report.waiting == 2);
  CHECK(report.waiting_bytes == old.report().waiting_bytes);
  CHECK(report.totals.failed == 1);
  CHECK(report.totals.retried == 1);
  CHECK(report.error == "");
  young.delivered(1);
  young.delivered(0);
  CHECK(young.report().waiting_bytes == 0);
}

}  // namespace
}  // namespace entente::hook_line_test
