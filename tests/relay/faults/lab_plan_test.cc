// The text of a lab: what it means, and what is said about one that is wrong.
#include "proxy/relay/faults/lab_plan.h"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

namespace entente::lab_plan_test {
namespace {

using relay::LabPlan, relay::LabRules, relay::LabSaid;
using wire::Transport, wire::Way;

Outcome<std::vector<std::string>> names(std::string_view name) {
  if (name == "chat") return std::vector<std::string>{"Say", "Said"};
  if (name == "MsgShotBegin") return std::vector<std::string>{"MsgShotBegin"};
  return Error{"no message '" + std::string(name) + "'"};
}

LabPlan plan_of(std::string_view text) {
  auto plan = LabPlan::parse(text, names);
  REQUIRE_MESSAGE(plan.ok(), (plan.ok() ? "" : plan.error().text));
  return std::move(*plan);
}

std::string error_of(std::string_view text) {
  const auto plan = LabPlan::parse(text, names);
  return plan ? "" : plan.error().text;
}

TEST_CASE("a text sets faults for one way or for both; what is set for one way counts more") {
  const LabPlan plan = plan_of(
      "to_server: loss=2%, delay=80ms\xc2\xb1"
      "20ms, dup=1%, reorder=3%, rate=64kbit; to_client: loss = 0.25 %;"
      "loss=5%, stall=1%:500ms, reset=0.1%, slice=1-100; seed=7");
  CHECK(plan.seed() == 7);
  REQUIRE(plan.phases().size() == 1);
  const LabRules &up = plan.phases()[0].rules(Way::kToServer), &down = plan.phases()[0].rules(Way::kToClient);
  CHECK(up.loss == 20'000);
  CHECK(up.delay == 80);
  CHECK(up.jitter == 20);
  CHECK(up.dup == 10'000);
  CHECK(up.reorder == 30'000);
  CHECK(up.rate == 64'000);
  CHECK(down.loss == 2'500);
  CHECK(down.delay == 0);
  CHECK(down.rate == 0);
  for (const LabRules* one : {&up, &down}) {
    CHECK(one->stall == 10'000);
    CHECK(one->stall_for == 500);
    CHECK(one->reset == 1'000);
    CHECK(one->slice_least == 1);
    CHECK(one->slice_most == 100);
  }
  CHECK_FALSE(plan.reads());
}

TEST_CASE("a text that is a part of another one ends where its part ends") {
  for (const std::string_view more : {"   ", "# not read", " loss=3%", "\n;"}) {
    CAPTURE(more);
    const std::string whole = "loss=2%" + std::string(more);
    const LabPlan plan = plan_of(std::string_view(whole).substr(0, 7));
    CHECK(plan.phases()[0].rules(Way::kToServer).loss == 20'000);
  }
}

TEST_CASE("numbers and units") {
  const auto rules = [](const std::string& fault) { return plan_of(fault).phases()[0].ways[0]; };
  CHECK(rules("loss=100%").loss == relay::kLabAlways);
  CHECK(rules("loss=0.0001%").loss == 1);
  CHECK(rules("delay=1.5s+-0.5s").delay == 1'500);
  CHECK(rules("delay=1.5s+-0.5s").jitter == 500);
  CHECK(rules("delay=1min").delay == 60'000);
  CHECK(rules("rate=0.5Mbit/s").rate == 500'000);
  CHECK(rules("rate=9600bit").rate == 9'600);
  CHECK(rules("slice=3").slice_least == 3);
  CHECK(rules("slice=3").slice_most == 3);
  CHECK(plan_of("loss=1%").seed() == 1);
  CHECK(plan_of("loss=1%; seed=18446744073709551615").seed() == ~std::uint64_t{0});
}

TEST_CASE("what is done to messages by their names") {
  const LabPlan plan = plan_of(
      "to_server: drop MsgShotBegin 10%, delay chat 2s; duplicate chat; corrupt one field of MsgShotBegin 0.1%");
  CHECK(plan.reads());
  const auto& up = plan.phases()[0].rules(Way::kToServer).said;
  REQUIRE(up.size() == 4);
  CHECK(plan.phases()[0].rules(Way::kToClient).said.size() == 2);
  CHECK(up[0].does == LabSaid::Does::kDuplicate);  // of both ways: first
  CHECK(up[0].share == relay::kLabAlways);
  CHECK(up[1].does == LabSaid::Does::kCorrupt);
  CHECK(up[1].share == 1'000);
  CHECK(up[2].does == LabSaid::Does::kDrop);
  CHECK(up[2].messages == std::vector<std::string>{"MsgShotBegin"});
  CHECK(up[2].share == 100'000);
  CHECK(up[3].does == LabSaid::Does::kHold);
  CHECK(up[3].hold == 2'000);
  CHECK(up[3].messages == std::vector<std::string>{"Say", "Said"});
}

TEST_CASE("a schedule, in a file with comments") {
  const LabPlan plan = plan_of(
      "# an evening\n"
      "delay=10ms\n"
      "\n"
      "at 10s cut the server for 5s   # it comes back\n"
      "at 20s to_server: loss=50%, delay=100ms for 3s\n"
      "at 1min loss=1%\n");
  CHECK(plan.text() ==
        "delay=10ms; at 10s cut the server for 5s; at 20s to_server: loss=50%, delay=100ms for 3s; at 1min loss=1%");
  std::vector<Millis> begins;
  for (const LabPlan::Phase& one : plan.phases()) begins.push_back(one.from);
  CHECK(begins == std::vector<Millis>{0, 10'000, 15'000, 20'000, 23'000, 60'000});
  const auto rules = [&](std::size_t phase, Way way) { return plan.phases()[phase].rules(way); };
  for (const Way way : {Way::kToServer, Way::kToClient}) {
    CHECK_FALSE(rules(0, way).cut);
    CHECK(rules(1, way).cut);
    CHECK_FALSE(rules(2, way).cut);
    CHECK(rules(4, way).loss == 0);
    CHECK(rules(4, way).delay == 10);
    CHECK(rules(5, way).loss == 10'000);
  }
  CHECK(rules(3, Way::kToServer).loss == 500'000);
  CHECK(rules(3, Way::kToServer).delay == 100);
  CHECK(rules(3, Way::kToClient).loss == 0);
  CHECK(rules(3, Way::kToClient).delay == 10);
}

TEST_CASE("what is done to messages for one way or from some time on replaces the same fault of these messages") {
  const LabPlan plan = plan_of(
      "drop chat 50%, delay chat 1s, duplicate MsgShotBegin; to_server: drop chat 10%\n"
      "at 10s drop chat 0% for 5s\n"
      "at 12s to_client: delay chat 2s, corrupt chat 1%\n");
  REQUIRE(plan.phases().size() == 4);
  using Does = LabSaid::Does;
  const auto said = [&](std::size_t phase, Way way, Does does) {
    std::vector<std::pair<relay::LabShare, Millis>> found;
    for (const LabSaid& one : plan.phases()[phase].rules(way).said)
      if (one.does == does) found.emplace_back(one.share, one.hold);
    return found;
  };
  using All = std::vector<std::pair<relay::LabShare, Millis>>;
  CHECK(said(0, Way::kToServer, Does::kDrop) == All{{100'000, 0}});
  CHECK(said(0, Way::kToClient, Does::kDrop) == All{{500'000, 0}});
  for (const std::size_t phase : {1U, 2U}) {
    CHECK(said(phase, Way::kToServer, Does::kDrop) == All{{0, 0}});
    CHECK(said(phase, Way::kToClient, Does::kDrop) == All{{0, 0}});
  }
  CHECK(said(3, Way::kToServer, Does::kDrop) == All{{100'000, 0}});
  CHECK(said(2, Way::kToServer, Does::kHold) == All{{relay::kLabAlways, 1'000}});
  CHECK(said(2, Way::kToClient, Does::kHold) == All{{relay::kLabAlways, 2'000}});
  for (std::size_t phase = 0; phase < 4; ++phase)
    for (const Way way : {Way::kToServer, Way::kToClient})
      CHECK(said(phase, way, Does::kDuplicate) == All{{relay::kLabAlways, 0}});
}

TEST_CASE("an error names the offset, and what is expected there") {
  const std::vector<std::pair<std::string, std::string>> wrong = {
      {"", "at offset 0: names no fault, such as loss=2%"},
      {"  ; seed=3", "at offset 0: names no fault, such as loss=2%"},
      {"loss=2", "at offset 6: expected '%' after the number, got the end"},
      {"loss=x%", "at offset 5: expected a share such as 2%, got 'x%'"},
      {"loss=101%", "at offset 5: expected a share from 0% to 100%"},
      {"to_server loss=2%", "at offset 10: expected ':' after to_server, got 'loss=2%'"},
      {"lost=2%", "at offset 0: unknown fault 'lost=2%'; faults: loss, dup, reorder, reset, delay, stall, rate, slice"},
      {"loss=2% dup=1%", "at offset 8: expected ',' or ';', got 'dup=1%'"},
      {"loss=2%, loss=3%", "at offset 9: loss is set twice"},
      {"loss=2%; loss=3%", "at offset 9: loss is set twice"},
      {"delay=80", "at offset 8: expected ms, s or min after the number, got the end"},
      {"delay=10ms+-20ms", "at offset 12: the part after \xc2\xb1 is larger than the delay"},
      {"delay=61s", "at offset 6: expected a time of at most 60s"},
      {"delay=99999999999999999999s", "at offset 6: expected a time of at most 60s"},
      {"rate=64", "at offset 7: expected bit, kbit, Mbit or Gbit after the number, got the end"},
      {"rate=1bit", "at offset 5: expected a rate from 100bit to 1000Gbit"},
      {"slice=0", "at offset 6: expected 1 to 65536 bytes"},
      {"slice=9-3", "at offset 8: expected no less than the number before '-'"},
      {"stall=1%", "at offset 8: expected ':' and a time, as in 1%:500ms, got the end"},
      {"seed=-1", "at offset 5: expected a number from 0 to 18446744073709551615, got '-1'"},
      {"drop", "at offset 4: expected the name of a message or a word, got the end"},
      {"drop MsgShotBegn 10%", "at offset 5: no message 'MsgShotBegn'"},
      {"delay chat", "at offset 10: expected a time such as 80ms or 1.5s, got the end"},
      {"explode 5%",
       "at offset 0: expected a fault (loss=, dup=, reorder=, reset=, delay=, stall=, rate=, slice=, drop NAME, delay "
       "NAME, duplicate NAME, corrupt NAME), got 'explode'"},
      {"corrupt one thing", "at offset 12: expected 'one field of NAME', got 'thing'"},
      {"cut the server", "at offset 0: expected a time before 'cut the server', as in 'at 10s cut the server for 5s'"},
      {"loss=2% for 3s", "at offset 11: 'for' belongs to a clause that begins with 'at'"},
      {"at 10s loss=2% for", "at offset 18: expected a time such as 80ms or 1.5s, got the end"},
  };
  for (const auto& one : wrong) {
    CAPTURE(one.first);
    CHECK(error_of(one.first) == one.second);
  }
  CHECK(error_of(std::string(20'000, ';')).find("longer than") != std::string::npos);
  std::string many;
  for (int i = 0; i < 70; ++i) many += "at 1s loss=1%;";
  CHECK(error_of(many).find("more than 64 clauses") != std::string::npos);
  std::string messages;
  for (int i = 0; i < 70; ++i) messages += (i == 0 ? "" : ", ") + std::string("drop MsgShotBegin 1%");
  CHECK(error_of(messages).find("more than 64 faults of messages") != std::string::npos);
}

TEST_CASE("what a transport cannot have is refused, or is told to have no effect") {
  const auto objection = [](std::string_view text, Transport transport, bool datagrams = false) {
    const auto why = plan_of(text).objection(transport, datagrams);
    return why ? why->text : std::string();
  };
  CHECK(objection("loss=1%; below", Transport::kEnet, true).empty());
  CHECK(objection("loss=1%; above", Transport::kEnet).empty());
  CHECK(objection("loss=1%; below", Transport::kEnet).find("mode=datagrams") != std::string::npos);
  CHECK(objection("loss=1%; above", Transport::kEnet, true).find("mode=datagrams") != std::string::npos);
  CHECK(objection("loss=1%; above", Transport::kTcp).find("ENet") != std::string::npos);
  CHECK(objection("drop chat", Transport::kEnet, true).find("cannot be told apart") != std::string::npos);

  const auto idle = [](std::string_view text, Transport transport) { return plan_of(text).without_effect(transport); };
  CHECK(idle("loss=1%, delay=1s, rate=1kbit, stall=1%:1s, reset=1%, slice=1", Transport::kTcp).empty());
  CHECK(idle("dup=1%, reorder=1%, slice=3, reset=1%", Transport::kTcpAndUdp).empty());
  CHECK(idle("loss=1%, dup=1%, reorder=1%", Transport::kEnet).empty());
  CHECK(idle("at 3s dup=1% for 1s", Transport::kTcp).starts_with("dup does nothing over TCP"));
  CHECK(
      idle("reorder=1%, slice=1", Transport::kWebSocket) ==
      "reorder does nothing over WebSocket, where all that is sent arrives once and in order; slice does nothing over "
      "WebSocket, where a message stays whole");
  CHECK(idle("slice=1, reset=1%", Transport::kEnet) ==
        "slice does nothing over ENet, where a packet stays whole; reset does nothing over ENet");
}

TEST_CASE("the largest values are taken, and nothing beyond them") {
  const auto rules = [](const std::string& fault) { return plan_of(fault).phases()[0].ways[0]; };
  CHECK(rules("delay=60s").delay == LabPlan::kLongestWait);
  CHECK(rules("delay=60000ms+-60000ms").jitter == LabPlan::kLongestWait);
  CHECK(error_of("delay=60001ms") == "at offset 6: expected a time of at most 60s");
  CHECK(rules("stall=1%:1min").stall_for == LabPlan::kLongestWait);
  CHECK(error_of("stall=1%:60.001s") == "at offset 9: expected a time of at most 60s");
  CHECK(rules("rate=100bit").rate == 100);
  CHECK(error_of("rate=99bit") == "at offset 5: expected a rate from 100bit to 1000Gbit");
  CHECK(rules("rate=1000Gbit").rate == 1'000'000'000'000);
  CHECK(error_of("rate=1000.001Gbit") == "at offset 5: expected a rate from 100bit to 1000Gbit");
  CHECK(rules("rate=2kbit").rate == 2'000);
  CHECK(rules("rate=3Mbit").rate == 3'000'000);
  CHECK(rules("slice=65536").slice_most == 65'536);
  CHECK(rules("slice=1-65536").slice_least == 1);
  CHECK(error_of("slice=65537") == "at offset 6: expected 1 to 65536 bytes");
  CHECK(error_of("slice=1-65537") == "at offset 8: expected 1 to 65536 bytes");
  CHECK(error_of("slice=1.5") == "at offset 6: expected 1 to 65536 bytes");
  CHECK(rules("loss=0%").loss == 0);
  CHECK(rules("loss=99.9999%").loss == relay::kLabAlways - 1);
  CHECK(error_of("loss=100.0001%") == "at offset 5: expected a share from 0% to 100%");
  CHECK(plan_of("at 604800s loss=1%").phases().back().from == 604'800'000);
  CHECK(error_of("at 604801s loss=1%") == "at offset 3: expected a time of at most 604800s");
  CHECK(error_of("at 1s loss=1% for 604801s") == "at offset 18: expected a time of at most 604800s");
  CHECK(plan_of("loss=1%; seed=0").seed() == 0);
  CHECK(error_of("loss=1%; seed=18446744073709551616").starts_with("at offset 14: expected a number from 0 to"));
}

TEST_CASE("a number has digits before and after its point") {
  CHECK(error_of("loss=.5%") == "at offset 5: expected a share such as 2%, got '.5%'");
  CHECK(error_of("loss=1.%") == "at offset 6: expected '%' after the number, got '.%'");
  CHECK(plan_of("loss=1.00000000009%").phases()[0].ways[0].loss == 10'000);  // what is too small does not count
}

TEST_CASE("a text may be as long as the limit, with as many clauses and faults of messages") {
  const std::string fault = "loss=2%";
  const auto padded = [&](std::size_t size) { return fault + std::string(size - fault.size(), ';'); };
  CHECK(plan_of(padded(LabPlan::kLongestSpec)).text() == fault);
  CHECK(error_of(padded(LabPlan::kLongestSpec + 1)) == "at offset 0: is longer than 16384 bytes");

  std::string timed, general, said;
  for (std::size_t i = 0; i < LabPlan::kMostSaid; ++i) {
    timed += "at " + std::to_string(i + 1) + "s loss=1%;";
    general += "duplicate chat 1%;";
    said += (i == 0 ? "" : ", ") + std::string("drop chat 1%");
  }
  CHECK(plan_of(timed).phases().size() == LabPlan::kMostSaid + 1);
  CHECK(plan_of(timed + "loss=1%").phases().size() == LabPlan::kMostSaid + 1);  // the others are counted apart
  CHECK(error_of(timed + "at 99s loss=1%").find("more than 64 clauses") != std::string::npos);
  CHECK(error_of(general).empty());
  CHECK(error_of(general + "loss=1%").find("more than 64 clauses") != std::string::npos);
  CHECK(error_of(said).empty());
  CHECK(error_of(said + ", drop chat 1%").find("more than 64 faults of messages") != std::string::npos);
}

TEST_CASE("the same fault may stand once for each way, once for both, and several times in a schedule") {
  CHECK(error_of("loss=1%; to_server: loss=2%; to_client: loss=3%").empty());
  CHECK(error_of("to_server: loss=2%; to_server: loss=3%") == "at offset 20: loss is set twice");
  CHECK(error_of("to_client: delay=2ms; to_client: delay=3ms") == "at offset 22: delay is set twice");
  CHECK(error_of("at 1s loss=1%; at 1s loss=2%").empty());
  CHECK(error_of("at 1s loss=1%, loss=2%") == "at offset 15: loss is set twice");
}

TEST_CASE("each fault can be set for a time, and is as before after it") {
  const LabPlan plan = plan_of(
      "loss=1%, dup=2%, reorder=3%, reset=4%, delay=50ms+-5ms, stall=6%:60ms, rate=7kbit, slice=8-9\n"
      "at 1s to_client: loss=10%, dup=20%, reorder=30%, reset=40%, delay=500ms, stall=60%:600ms, rate=70kbit, slice=80 "
      "for 1s\n");
  REQUIRE(plan.phases().size() == 3);
  const auto is_usual = [](const LabRules& one) {
    return one.loss == 10'000 && one.dup == 20'000 && one.reorder == 30'000 && one.reset == 40'000 && one.delay == 50 &&
           one.jitter == 5 && one.stall == 60'000 && one.stall_for == 60 && one.rate == 7'000 && one.slice_least == 8 &&
           one.slice_most == 9 && !one.cut;
  };
  for (const std::size_t phase : {0U, 2U})
    for (const Way way : {Way::kToServer, Way::kToClient}) CHECK(is_usual(plan.phases()[phase].rules(way)));
  CHECK(is_usual(plan.phases()[1].rules(Way::kToServer)));
  const LabRules& other = plan.phases()[1].rules(Way::kToClient);
  CHECK(other.loss == 100'000);
  CHECK(other.dup == 200'000);
  CHECK(other.reorder == 300'000);
  CHECK(other.reset == 400'000);
  CHECK(other.delay == 500);
  CHECK(other.jitter == 0);  // it belongs to the delay
  CHECK(other.stall == 600'000);
  CHECK(other.stall_for == 600);
  CHECK(other.rate == 70'000);
  CHECK(other.slice_least == 80);
  CHECK(other.slice_most == 80);
}

TEST_CASE("where times of a schedule overlap, the clause that stands last counts") {
  const LabPlan plan = plan_of("at 1s loss=1% for 4s; at 2s loss=2% for 1s; at 0s dup=1% for 1s");
  std::vector<std::pair<Millis, relay::LabShare>> losses;
  for (const LabPlan::Phase& one : plan.phases()) losses.emplace_back(one.from, one.rules(Way::kToServer).loss);
  CHECK(losses == std::vector<std::pair<Millis, relay::LabShare>>{
                      {0, 0}, {1'000, 10'000}, {2'000, 20'000}, {3'000, 10'000}, {5'000, 0}});
  CHECK(plan.phases()[0].rules(Way::kToServer).dup == 10'000);
  CHECK(plan.phases()[1].rules(Way::kToServer).dup == 0);
}

TEST_CASE("a text is shown without comments, blanks and needless ends of clauses") {
  CHECK(plan_of("  loss=2% ;; \r\n ; # all\n\t dup=1%; # more\r\n").text() == "loss=2%; dup=1%");
  CHECK(plan_of("loss=2% # dup=1%").phases()[0].ways[0].dup == 0);
  CHECK(plan_of("loss=2%\ndup=1%").phases()[0].ways[0].dup == 10'000);
}

TEST_CASE("an error shows what stands there, but not what follows, nor a long text") {
  CHECK(error_of("loss=2%\nlost").find("got 'lost'") != std::string::npos);
  CHECK(error_of("loss=\ndup=1%") == "at offset 5: expected a share such as 2%, got the end");
  CHECK(error_of("loss=x;dup=1%") == "at offset 5: expected a share such as 2%, got 'x'");
  CHECK(error_of("loss=x,dup=1%") == "at offset 5: expected a share such as 2%, got 'x'");
  CHECK(error_of("loss=" + std::string(40, 'x')) ==
        "at offset 5: expected a share such as 2%, got '" + std::string(20, 'x') + "'");
  CHECK(error_of("seed 3; loss=1%") == "at offset 5: expected '=' after seed, got '3'");
  CHECK(error_of("cut the line") == "at offset 8: expected 'cut the server', got 'line'");
  CHECK(error_of("drop chat 10") == "at offset 12: expected '%' after the number, got the end");
  CHECK(error_of("loss=x%; dup=y%").starts_with("at offset 5:"));  // the first one
}

TEST_CASE("without the names of messages, nothing is done by what they say") {
  const auto plan = LabPlan::parse("loss=1%, drop chat", nullptr);
  REQUIRE_FALSE(plan.ok());
  CHECK(plan.error().text == "at offset 14: messages cannot be told apart here");
  CHECK(plan_of("corrupt chat").reads());
  CHECK(plan_of("corrupt chat").phases()[0].ways[1].said.at(0).name == "chat");
  CHECK_FALSE(plan_of("corrupt chat").objection(Transport::kEnet, false));
  CHECK_FALSE(plan_of("corrupt chat").objection(Transport::kTcp, false));
}

TEST_CASE("a plan that does not say where it stands in ENet fits every transport") {
  for (const Transport transport : {Transport::kTcp, Transport::kTcpAndUdp, Transport::kWebSocket, Transport::kEnet})
    CHECK_FALSE(plan_of("loss=1%").objection(transport, false));
  CHECK_FALSE(plan_of("loss=1%").objection(Transport::kEnet, true));
  CHECK(plan_of("loss=1%; below").objection(Transport::kWebSocket, false)->text ==
        "'above' and 'below' are for games over ENet");
}

TEST_CASE("what has no effect is told of each way, and of nothing that has one") {
  const auto idle = [](std::string_view text, Transport transport) { return plan_of(text).without_effect(transport); };
  CHECK(idle("to_client: dup=1%", Transport::kTcp).starts_with("dup does nothing over TCP"));
  CHECK(idle("to_server: reset=1%", Transport::kEnet) == "reset does nothing over ENet");
  CHECK(idle("loss=1%, reset=1%, delay=1s", Transport::kWebSocket).empty());
  CHECK(idle("dup=0%, reorder=0%", Transport::kTcp).empty());
  CHECK(idle("dup=1%", Transport::kWebSocket).starts_with("dup does nothing over WebSocket"));
}

}  // namespace
}  // namespace entente::lab_plan_test
