// Announcements in public lists: against lists of our own that take them, refuse, hang and disappear.
#include "proxy/program/lists/public_lists.h"

#include <doctest/doctest.h>

#include <atomic>
#include <condition_variable>
#include <csignal>
#include <memory>
#include <set>
#include <string>
#include <thread>

#include "adapters/aos/aos.h"
#include "adapters/aos/public_list.h"
#include "adapters/bzflag/bzflag.h"
#include "adapters/bzflag/public_list.h"
#include "proxy/net/mailbox.h"
#include "tests/program/asked.h"
#include "tests/program/fleet/logged.h"
#include "tests/relay/peers.h"
#include "tests/support/listening.h"
#include "tests/support/receiver.h"

namespace entente::public_lists_test {
namespace {

using testing::Receiver;

constexpr ListTimes kQuick{
    .look = 5, .change = 20, .again = 60'000, .answer = 20'000, .retry = 10, .most_retry = 40, .at_end = 5'000};

/// A list of BZFlag that says this.
Receiver::Answer says(const std::string& text) {
  return [=](Receiver::Talk& talk, const Receiver::Request&) {
    return talk.send("HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(text.size()) + "\r\n\r\n" + text);
  };
}

/// The value of a field of a form.
std::string field(const std::string& form, const std::string& name) {
  const std::string all = "&" + form + "&";
  const std::size_t at = all.find("&" + name + "=");
  if (at == std::string::npos) return "";
  const std::size_t from = at + name.size() + 2;
  return all.substr(from, all.find('&', from) - from);
}

/// Listeners that a test changes.
struct Servers {
  std::vector<PublicServer> now() {
    const std::lock_guard lock(mutex);
    return all;
  }
  void set(std::vector<PublicServer> fresh) {
    const std::lock_guard lock(mutex);
    all = std::move(fresh);
  }
  std::mutex mutex;
  std::vector<PublicServer> all;
};

PublicServer bzflag(std::uint32_t players = 0) { return {"lobby", "bzflag", 0, 5154, players, 200, "lobby", "arena"}; }

PublicListSettings in_list(const std::string& url) {
  PublicListSettings its{"lobby", "Everybody & all", "example.org"};
  its.bzflag_url = url;
  its.bzflag_key = "secret";
  return its;
}

bool is_listed(const PublicLists& lists, bool listed = true) {
  return eventually(
      [&] {
        const auto rows = lists.rows();
        return !rows.empty() && rows.front().report.listed == listed;
      },
      std::chrono::milliseconds(2));
}

TEST_CASE("BZFlag's list gets the fields that bzfs 2.4 sends, again when players come, and a removal at the end") {
  Receiver list(says("MSG: ADD example.org:5154\n"));
  Servers servers;
  servers.set({bzflag()});
  PublicLists lists([&](const std::string& of) { return of == "lobby" ? servers.now() : std::vector<PublicServer>(); },
                    {.times = kQuick});
  CHECK(lists.set({in_list(list.url("/db/"))}) != "");
  CHECK(lists.set({in_list(list.url("/db/"))}) == "");
  const auto first = list.await(1).front();
  CHECK(first.line == "POST /db/ HTTP/1.1");
  CHECK(first.headers.at("content-type") == "application/x-www-form-urlencoded");
  CHECK(field(first.body, "action") == "ADD");
  CHECK(field(first.body, "nameport") == "example.org:5154");
  CHECK(field(first.body, "version") == "BZFS0221");
  CHECK(field(first.body, "title") == "Everybody%20%26%20all");
  CHECK(field(first.body, "key") == "secret");
  // As bzfs sends it, but for its option "flags on".
  CHECK(field(first.body, "gameinfo") == "00000000000100000000000000000000c800c800c800c800c800c800c8");
  CHECK(is_listed(lists));
  servers.set({bzflag(3)});
  CHECK(field(list.await(2).back().body, "gameinfo") == "00000000000100000000000000000000c803c800c800c800c800c800c8");
  servers.set({});
  const auto removal = list.await(3).back();
  CHECK(removal.body == "action=REMOVE&nameport=example.org:5154");
  servers.set({bzflag()});
  CHECK(field(list.await(4).back().body, "action") == "ADD");
  CHECK(is_listed(lists));
  lists.stop();
  CHECK(list.await(5).back().body == "action=REMOVE&nameport=example.org:5154");
  CHECK(list.count() == 5);
}

TEST_CASE("a server that comes back to its list goes on counting what the list was told") {
  Receiver list(says("MSG: ADD\n"));
  Servers servers;
  servers.set({bzflag()});
  PublicLists lists([&](const std::string&) { return servers.now(); }, {.times = kQuick});
  lists.set({in_list(list.url())});
  CHECK(is_listed(lists));
  servers.set({});
  CHECK(eventually([&] { return lists.rows().empty(); }));
  servers.set({bzflag()});
  CHECK(is_listed(lists));
  CHECK(lists.rows().front().report.told == 3);  // it is there, it is gone, it is there again
  CHECK(lists.rows().front().report.failed == 0);
}

TEST_CASE("a list that refuses or fails is tried again, and the reason is shown") {
  Receiver list(says("MSG: hello\nERROR: Host did not reply\n"));
  Servers servers;
  servers.set({bzflag()});
  PublicLists lists([&](const std::string&) { return servers.now(); }, {.times = kQuick});
  lists.set({in_list(list.url())});
  list.await(3);
  CHECK(lists.rows().front().report.error == "it says: Host did not reply");
  list.set(Receiver::status("503 Busy"));
  CHECK(eventually([&] { return lists.rows().front().report.error == "it answered 503"; }));
  list.set(says("MSG: ADD\n"));
  CHECK(is_listed(lists));
  CHECK(lists.rows().front().report.error.empty());
  // Nothing is told without a change.
  const std::size_t told = list.count();
  lists.look_soon();
  lists.set({});
  CHECK(list.await(told + 1).back().body.starts_with("action=REMOVE"));
}

TEST_CASE("an announcement that fails is tried again, also if it says again what the list was told before") {
  Receiver list(says("MSG: ADD\n"));
  Servers servers;
  servers.set({bzflag()});
  PublicLists lists([&](const std::string&) { return servers.now(); }, {.times = kQuick});
  lists.set({in_list(list.url())});
  const std::string first = list.await(1).front().body;
  CHECK(is_listed(lists));
  list.set(Receiver::status("503 Busy"));
  servers.set({bzflag(3)});
  CHECK(is_listed(lists, false));
  servers.set({bzflag()});  // as when it was listed
  for (std::size_t told = 2; list.await(told).back().body != first;) ++told;
  list.set(says("MSG: ADD\n"));
  CHECK(is_listed(lists));
}

TEST_CASE("a server that may be in the list is removed, although the last announcement or removal failed") {
  Receiver list(Receiver::status("503 Busy"));  // it may have us from the process before an upgrade
  Servers servers;
  servers.set({bzflag()});
  PublicLists lists([&](const std::string&) { return servers.now(); }, {.times = kQuick});
  lists.set({in_list(list.url())});
  list.await(1);
  servers.set({});
  const auto removes = [](const Receiver::Request& one) { return one.body.starts_with("action=REMOVE"); };
  std::size_t told = 1;
  while (!removes(list.await(told).back())) ++told;
  // The removal failed, too. The same server is announced at once when it is back.
  list.set(says("MSG: ADD\n"));
  servers.set({bzflag()});
  CHECK(is_listed(lists));
  lists.stop();
  CHECK(removes(list.await(list.count()).back()));
}

TEST_CASE("a removal that fails is tried again; a new title or port does not remove the new entry") {
  Receiver list(says("MSG: ADD\n"));
  Servers servers;
  servers.set({bzflag()});
  PublicLists lists([&](const std::string&) { return servers.now(); }, {.times = kQuick});
  PublicListSettings settings = in_list(list.url());
  lists.set({settings});
  list.await(1);
  CHECK(is_listed(lists));
  settings.title = "Hunters";
  lists.set({settings});
  const auto renamed = list.await(2).back();
  CHECK(field(renamed.body, "action") == "ADD");
  CHECK(field(renamed.body, "title") == "Hunters");
  PublicServer moved = bzflag();
  moved.port = 5155;
  servers.set({moved});
  std::set<std::string> told;
  for (const auto& one : list.await(4)) told.insert(field(one.body, "action") + " " + field(one.body, "nameport"));
  CHECK(told == std::set<std::string>{"ADD example.org:5154", "ADD example.org:5155", "REMOVE example.org:5154"});
  list.set(Receiver::status("503 Busy"));
  servers.set({});
  const auto tries = list.await(6);
  CHECK(tries[4].body == "action=REMOVE&nameport=example.org:5155");
  CHECK(tries[5].body == "action=REMOVE&nameport=example.org:5155");
  list.set(says("MSG: REMOVE\n"));
  CHECK(eventually([&] { return lists.rows().empty(); }));
}

TEST_CASE("a server whose listener is renamed stays in the list") {
  Receiver list(says("MSG: ADD\n"));
  Servers servers;
  servers.set({bzflag()});
  PublicLists lists([&](const std::string&) { return servers.now(); }, {.times = kQuick});
  lists.set({in_list(list.url())});
  CHECK(field(list.await(1).front().body, "action") == "ADD");
  CHECK(is_listed(lists));
  PublicServer renamed = bzflag();
  renamed.name = "hall";
  servers.set({renamed});
  CHECK(field(list.await(2).back().body, "action") == "ADD");
  CHECK(eventually([&] {
    const auto rows = lists.rows();
    return rows.size() == 1 && rows[0].name == "hall" && rows[0].report.listed;
  }));
  servers.set({});
  CHECK(list.await(3).back().body == "action=REMOVE&nameport=example.org:5154");
  CHECK(list.count() == 3);
}

TEST_CASE("a server is removed when the program stops, although its announcement was not answered") {
  Receiver list(Receiver::hang());
  Servers servers;
  servers.set({bzflag()});
  PublicLists lists([&](const std::string&) { return servers.now(); }, {.times = kQuick});
  lists.set({in_list(list.url())});
  list.await(1);
  list.set(says("MSG: REMOVE\n"));
  lists.stop();
  CHECK(list.await(2).back().body == "action=REMOVE&nameport=example.org:5154");
}

TEST_CASE("a list that hangs does not hold up the end; another process may take over its places") {
  Receiver list(Receiver::hang());
  Servers servers;
  servers.set({bzflag()});
  ListTimes times = kQuick;
  times.at_end = 50;
  {
    PublicLists lists([&](const std::string&) { return servers.now(); }, {.times = times});
    lists.set({in_list(list.url())});
    list.await(1);
  }
  list.set(says("MSG: ADD\n"));
  {
    PublicLists lists([&](const std::string&) { return servers.now(); }, {.times = kQuick});
    lists.set({in_list(list.url())});
    CHECK(is_listed(lists));
    lists.abandon();
  }
  CHECK(list.count() == 3);  // the first process has announced and removed it, the second one only announced it
}

/// A master of Ace of Spades.
class Master final : private net::EnetHost::User {
 public:
  Master() : mailbox_(loop_, *this), host_(loop_, static_cast<net::EnetHost::User&>(*this)) {
    const auto at =
        host_.listen(*net::Address::parse("127.0.0.1", 0), {.peers = 8, .channels = 1, .range_coder = true});
    REQUIRE(at);
    port_ = at->port();
    thread_ = std::thread([this] { loop_.run(); });
  }
  ~Master() override {
    (void)mailbox_.post(kEnd);
    thread_.join();
  }
  void mail() {
    std::vector<int> letters;
    mailbox_.take(letters);
    for (const int letter : letters) {
      if (letter == kHangUp) {
        host_.disconnect(*peer_, 0);
      } else if (letter == kHoldUp) {
        std::unique_lock lock(mutex_);
        is_held_ = true;
        news_.notify_all();
        news_.wait(lock, [&] { return !is_held_; });
      } else {
        host_.close();
        mailbox_.close();
      }
    }
  }
  void hang_up() { (void)mailbox_.post(kHangUp); }
  /// It hears and acknowledges nothing until go_on().
  void hold_up() {
    std::unique_lock lock(mutex_);
    (void)mailbox_.post(kHoldUp);
    news_.wait(lock, [&] { return is_held_; });
  }
  void go_on() {
    const std::lock_guard lock(mutex_);
    is_held_ = false;
    news_.notify_all();
  }
  std::uint16_t port() const { return port_; }
  /// Waits until so much has happened: "31", the packets in hexadecimal digits, "gone", or "lost" after silence.
  std::vector<std::string> await(std::size_t count) {
    std::unique_lock lock(mutex_);
    const bool came = news_.wait_for(lock, std::chrono::seconds(60), [&] { return heard_.size() >= count; });
    REQUIRE_MESSAGE(came, heard_.size());
    return heard_;
  }

 private:
  static constexpr int kEnd = 0, kHangUp = 1, kHoldUp = 2;

  void hear(const std::string& what) {
    const std::lock_guard lock(mutex_);
    heard_.push_back(what);
    news_.notify_all();
  }
  void connected(net::EnetPeer& peer, std::uint32_t data) override {
    peer_ = &peer;
    hear(std::to_string(data));
  }
  void received(net::EnetPeer&, std::uint8_t channel, net::EnetPacket packet) override {
    CHECK(channel == 0);
    CHECK(packet.delivery() == net::EnetDelivery::kReliable);
    hear(std::string(as_text(packet.bytes())));
  }
  void disconnected(net::EnetPeer& peer, std::uint32_t) override { hear(peer.timed_out() ? "lost" : "gone"); }

  net::Loop loop_;
  net::Mailbox<int, Master> mailbox_;
  net::EnetHost host_;
  net::EnetPeer* peer_ = nullptr;  // that has connected last
  std::uint16_t port_ = 0;
  std::mutex mutex_;  // of what follows
  bool is_held_ = false;
  std::condition_variable news_;
  std::vector<std::string> heard_;
  std::thread thread_;
};

PublicListSettings at_master(std::uint16_t port) {
  PublicListSettings its{"lobby", "Everybody", "example.org"};
  its.aos_host = "127.0.0.1";
  its.aos_port = port;
  return its;
}

TEST_CASE("the master of Ace of Spades hears of a server, of its players, and that it is gone") {
  Master master;
  Servers servers;
  const PublicServer server{"lobby", "aos", 0, 32887, 0, 300, "a map with a long name", "teamctf+"};
  servers.set({server});
  PublicLists lists([&](const std::string&) { return servers.now(); }, {.times = kQuick});
  lists.set({at_master(master.port())});
  const auto first = master.await(3);
  CHECK(first[0] == "31");
  // At most 255 players; port 32887 is 0x8077; a map has 20 bytes, and a kind of game 7.
  CHECK(first[1] == std::string("\xff\x77\x80"
                                "Everybody\0teamctf\0a map with a long na\0",
                                42));
  CHECK(first[2] == std::string(1, '\0'));
  CHECK(is_listed(lists));
  PublicServer more = server;
  more.players = 5;
  servers.set({more});
  CHECK(master.await(4).back() == "\x05");
  more.map = "another";
  servers.set({more});
  const auto changed = master.await(6);
  CHECK(has(changed[4], "another"));
  CHECK(changed[5] == "\x05");
  lists.stop();
  CHECK(master.await(7).back() == "gone");
}

TEST_CASE("a master of Ace of Spades that has disconnected us is told everything again") {
  Master master;
  Servers servers;
  servers.set({{"lobby", "aos", 0, 32887, 3, 32, "map", "arena"}});
  PublicLists lists([&](const std::string&) { return servers.now(); }, {.times = kQuick});
  lists.set({at_master(master.port())});
  const auto first = master.await(3);
  CHECK(is_listed(lists));
  master.hang_up();
  const auto all = master.await(7);
  CHECK(all[3] == "gone");
  for (std::size_t i = 0; i < 3; ++i) CHECK(all[4 + i] == first[i]);
  CHECK(is_listed(lists));
  lists.stop();
  CHECK(master.await(8).back() == "gone");
}

TEST_CASE("a master of Ace of Spades is told at once when it is connected, and later only after a while") {
  Master master, other;
  Servers servers;
  const PublicServer lobby{"lobby", "aos", 0, 32887, 3, 32, "map", "arena"},
      hall{"hall", "aos", 0, 32888, 0, 32, "map", "arena"};
  servers.set({lobby});
  ListTimes times = kQuick;
  times.look = times.change = 3'600'000;  // nothing but news causes a look
  PublicLists lists(
      [&](const std::string& of) {
        auto all = servers.now();
        std::erase_if(all, [&](const PublicServer& one) { return one.name != of; });
        return all;
      },
      {.times = times});
  PublicListSettings second = at_master(other.port());
  second.of = "hall";
  lists.set({at_master(master.port()), second});
  master.await(3);
  CHECK(is_listed(lists));
  for (int looks = 0; looks < 3; ++looks) lists.look_soon();
  PublicServer more = lobby;
  more.players = 5;
  servers.set({more, hall});
  lists.look_soon();
  other.await(3);  // by then, both were looked at
  CHECK(master.await(3).size() == 3);
  CHECK(lists.rows().front().report.told == 1);
  master.hang_up();
  const auto all = master.await(7);
  CHECK(all[3] == "gone");
  CHECK(all[6] == "\x05");
  CHECK(is_listed(lists));
  CHECK(lists.rows().front().report.told == 2);
  CHECK(lists.rows().front().report.failed == 1);
}

/// Servers that count how often they are looked at.
struct Watched : Servers {
  PublicLists::Servers looked_at() {
    return [this](const std::string&) {
      ++looks;
      return now();
    };
  }
  bool are_looked_at_again() {
    const int before = looks;
    return eventually([&] { return looks >= before + 3; });
  }
  std::atomic<int> looks{0};
};

TEST_CASE("a master of Ace of Spades that answers late has not failed, and a server comes back after it has left") {
  Master master;
  Watched servers;
  const PublicServer server{"lobby", "aos", 0, 32887, 3, 32, "map", "arena"};
  servers.set({server});
  PublicLists lists(servers.looked_at(), {.times = kQuick});
  master.hold_up();
  lists.set({at_master(master.port())});
  CHECK(servers.are_looked_at_again());
  master.go_on();
  master.await(3);
  CHECK(is_listed(lists));
  CHECK(lists.rows().front().report.failed == 0);
  master.hold_up();
  servers.set({});
  CHECK(is_listed(lists, false));
  PublicServer more = server;  // it is back before the master has heard that it has left
  more.players = 5;
  servers.set({more});
  CHECK(servers.are_looked_at_again());
  CHECK_FALSE(lists.rows().front().report.listed);
  master.go_on();
  const auto all = master.await(7);
  CHECK(all[3] == "gone");
  CHECK(all[6] == "\x05");
  CHECK(is_listed(lists));
  CHECK(lists.rows().front().report.told == 3);
  CHECK(lists.rows().front().report.failed == 0);
}

TEST_CASE("a master of Ace of Spades that is silent is tried again and again") {
  const testing::Datagrams silent(testing::loopback());
  Servers servers;
  servers.set({{"lobby", "aos", 0, 32887, 0, 32, "map", "arena"}});
  ListTimes times = kQuick;
  times.answer = 20;
  PublicLists lists([&](const std::string&) { return servers.now(); }, {.times = times});
  lists.set({at_master(silent.here().port())});
  CHECK(eventually([&] {
    const auto rows = lists.rows();
    return !rows.empty() && rows.front().report.failed >= 3;
  }));
  CHECK(lists.rows().front().report.error == "it does not answer");
}

TEST_CASE("a master of Ace of Spades is looked up by its name, and is reached by IPv4 only") {
  Master master;
  Servers servers;
  servers.set({{"lobby", "aos", 0, 32887, 3, 32, "map", "arena"}});
  PublicListSettings named = at_master(master.port());
  named.aos_host = "master.example";
  const auto six = net::Address::parse("::1", 0), four = net::Address::parse("127.0.0.1", 0);
  {
    PublicLists lists([&](const std::string&) { return servers.now(); },
                      {.times = kQuick, .look_up = [&](const std::string& host) -> Outcome<std::vector<net::Address>> {
                         CHECK(host == "master.example");
                         return std::vector{*four, *six};
                       }});
    lists.set({named});
    master.await(3);
    CHECK(is_listed(lists));
  }
  PublicLists lists([&](const std::string&) { return servers.now(); },
                    {.times = kQuick, .look_up = [&](const std::string&) -> Outcome<std::vector<net::Address>> {
                       return std::vector{*six};
                     }});
  lists.set({named});
  CHECK(eventually([&] {
    const auto rows = lists.rows();
    return !rows.empty() && rows.front().report.error == "no address of the list was found";
  }));
}

TEST_CASE("the log tells once that a list fails, and that it has the server again; the pauses between tries double") {
  Logged log;
  {
    Receiver list(Receiver::status("503 Busy"));
    Servers servers;
    servers.set({bzflag()});
    ListTimes times = kQuick;
    times.retry = 20;
    times.most_retry = 160;
    PublicLists lists([&](const std::string&) { return servers.now(); }, {.times = times});
    const Millis began = steady_now();
    lists.set({in_list(list.url())});
    list.await(5);
    CHECK(steady_now() - began >= 20 + 40 + 80 + 160);
    list.set(says("MSG: ADD\n"));
    CHECK(is_listed(lists));
    list.set(Receiver::status("503 Busy"));
    servers.set({bzflag(3)});
    CHECK(is_listed(lists, false));
    list.await(list.count() + 2);
    list.set(says("MSG: ADD\n"));
    CHECK(is_listed(lists));
  }
  log.end();
  CHECK(log.times("lobby cannot be announced at ") == 2);
  CHECK(log.times("lobby is in the list ") == 2);
}

TEST_CASE(
    "after an upgrade, a master of Ace of Spades hears that the old connection ends, though it acknowledges late") {
  Logged log;
  Master master;
  Servers servers;
  const PublicServer server{"lobby", "aos", 0, 32887, 3, 32, "map", "arena"};
  servers.set({server});
  PublicLists lists([&](const std::string&) { return servers.now(); }, {.times = kQuick});
  lists.set({at_master(master.port())});
  master.await(3);
  CHECK(is_listed(lists));
  const auto told = lists.rows().front().report.told;
  master.hold_up();
  PublicServer more = server;
  more.players = 5;
  servers.set({more});
  REQUIRE(eventually([&] { return lists.rows().front().report.told > told; }));
  lists.abandon();                                             // does not wait
  std::this_thread::sleep_for(std::chrono::milliseconds(50));  // its thread ends the connection; nobody can see that
  master.go_on();
  const auto all = master.await(5);
  CHECK(all[3] == "\x05");
  CHECK(all[4] == "gone");
  lists.stop();
  log.end();
  CHECK(log.times("lobby is no longer in the list") == 0);  // it still is
}

TEST_CASE("a listener for Ace of Spades 0.76 is announced, and one for the draft 0.80 is not") {
  Master master;
  Servers servers;
  servers.set({{"draft", "aos", 2, 32880, 0, 32, "map", "arena"}, {"lobby", "aos", 1, 32887, 0, 32, "map", "arena"}});
  PublicLists lists([&](const std::string&) { return servers.now(); }, {.times = kQuick});
  lists.set({at_master(master.port())});
  CHECK(master.await(3)[1] == std::string("\x20\x77\x80"
                                          "Everybody\0arena\0map\0",
                                          23));
  REQUIRE(lists.rows().size() == 1);
  CHECK(lists.rows().front().name == "lobby");
  lists.stop();
  CHECK(master.await(4).back() == "gone");
}

TEST_CASE("nobody answers at the address of a master") {
  Servers servers;
  servers.set({{"lobby", "aos", 0, 32887, 0, 32, "map", "arena"}});
  PublicLists lists([&](const std::string&) { return servers.now(); }, {.times = kQuick});
  PublicListSettings its{"lobby", "Everybody", "example.org"};
  its.aos_host = "127.0.0.1";
  its.aos_port = 9;
  lists.set({its});
  CHECK(eventually([&] {
    const auto rows = lists.rows();
    return !rows.empty() && rows.front().report.error == "it does not answer";
  }));
}

TEST_CASE("a server without a limit of sessions is shown with the places of its game") {
  const bzflag::PublicServer tanks{"example.org:5154", "Ours", "", 0, 3, 0};
  CHECK(field(bzflag::form_to_add(tanks), "gameinfo") == "00000000000100000000000000000000c803c800c800c800c800c800c8");
  CHECK(aos::packet_to_add({"Ours", "ctf", "map", 32887, 0})[0] == 32);
  const wire::Status status{"ours", "map", "bridge", "0.75", 3, 0};
  CHECK(has(aos::game().answer(aos::game().queries()[1], status), "\"players_max\":32,"));
  const wire::Status of_tanks{"ours", "map", "bridge", "2.4", 3, 0}, limited{"ours", "map", "bridge", "2.4", 3, 200};
  const auto lan = [](const wire::Status& of) { return bzflag::game().answer(bzflag::game().queries()[0], of); };
  CHECK(lan(of_tanks) == lan(limited));
}

TEST_CASE("what a list says is read, whatever it is") {
  CHECK(bzflag::objection_of_list("") == "");
  CHECK(bzflag::objection_of_list("MSG: ADD a\nNOTICE: an ERROR: inside\n") == "");
  CHECK(bzflag::objection_of_list("ERROR: no key\r\nMSG: x") == "no key");
  CHECK(bzflag::objection_of_list("MSG: x\nERROR:") == "it gives no reason");
}

TEST_CASE("a list is told how many may play in an arena, not how many may connect") {
  Receiver list(says("MSG: ADD\n"));
  const Folder folder;
  Process program({testing::entente_binary(), "run",
                   folder.write("a.toml",
                                "public_host = \"example.org\"\n[[arena]]\nname = \"lobby\"\nlisten = "
                                "[\"bzflag://127.0.0.1:0?dialect=2.4\"]\nseats = 8\n[[list]]\nof = "
                                "\"lobby\"\ntitle = \"Ours\"\nbzflag = \"" +
                                    list.url() + "\"\n")});
  CHECK(has(field(list.await(1).front().body, "gameinfo"), "00080008"));
}

TEST_CASE("an arena announces itself, is removed while it drains, and at the end; nothing is told without [[list]]") {
  Receiver list(says("MSG: ADD\n"));
  const Folder folder;
  const std::string socket = folder.file("c.sock");
  const std::string rest = "public_host = \"example.org\"\n[control]\nsocket = \"" + socket +
                           "\"\n[[arena]]\nname = \"lobby\"\nlisten = [\"bzflag://127.0.0.1:0?dialect=2.4\"]\n";
  const std::string file = folder.write("a.toml", rest);
  Process program({testing::entente_binary(), "run", file});
  const std::uint16_t port = testing::listening_port(program, "bzflag 2.4");
  CHECK(answer_of(socket, "lists") == "ok\nroute\tlist\tlisted\terror\n");
  folder.write("a.toml", rest + "[limits]\nsessions = 20\n[[list]]\nof = \"lobby\"\ntitle = \"Ours\"\nbzflag = \"" +
                             list.url() + "\"\n");
  CHECK(has(answer_of(socket, "reload"), "changed: the announcements in public lists"));
  const std::string added = list.await(1).front().body;
  CHECK(field(added, "nameport") == "example.org:" + std::to_string(port));
  CHECK(field(added, "title") == "Ours");
  CHECK(has(field(added, "gameinfo"), "0000140014"));  // the limit that the reload has set
  CHECK(eventually([&] { return has(answer_of(socket, "lists"), "\tyes\t"); }));
  CHECK(has(answer_of(socket, "drain"), "ok"));
  CHECK(list.await(2).back().body.starts_with("action=REMOVE"));
  CHECK(has(answer_of(socket, "undrain"), "ok"));
  CHECK(field(list.await(3).back().body, "action") == "ADD");
  CHECK(eventually([&] { return has(answer_of(socket, "lists"), "\tyes\t"); }));
  program.signal(SIGTERM);
  CHECK(program.wait() == 0);
  CHECK(list.await(4).back().body == "action=REMOVE&nameport=example.org:" + std::to_string(port));
  CHECK(list.count() == 4);

  folder.write("a.toml", rest + "[[list]]\nof = \"lobbi\"\ntitle = \"\"\nbzflag = \"gopher://a/\"\naos = \"a:b\"\n");
  const Ended checked = run({testing::entente_binary(), "check", file});
  CHECK(checked.code == 1);
  for (const char* key : {"list[0].of", "list[0].title", "list[0].bzflag", "list[0].aos"})
    CHECK_MESSAGE(has(checked.err, key), checked.err);
}

}  // namespace
}  // namespace entente::public_lists_test
