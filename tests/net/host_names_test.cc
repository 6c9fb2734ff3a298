// Lookups of host names: how many there are, who waits for them, and what is known when they fail.
#include "proxy/net/names/host_names.h"

#include <doctest/doctest.h>

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <thread>

#include "proxy/net/named_thread.h"

namespace entente::testing::host_names_test {
namespace {

using net::Address;
using net::HostNames;

using Found = Outcome<std::vector<Address>>;

Address at(const char* ip) { return *Address::parse(ip, 0); }

/// A resolver that answers when the test says so. The lookups of a test that is over may still use it.
class Resolver {
 public:
  Found look_up(const std::string& host) {
    std::unique_lock lock(mutex_);
    ++asked_[host];
    ++begun_;
    changed_.notify_all();
    changed_.wait(lock, [&] { return !answers_.empty() || closed_; });
    if (closed_) return Error{"closed"};
    const Found answer = answers_.front();
    answers_.pop_front();
    return answer;
  }
  /// What the next lookup finds, of any name.
  void answer(Found found) {
    const std::lock_guard lock(mutex_);
    answers_.push_back(std::move(found));
    changed_.notify_all();
  }
  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_all();
  }
  void ended() {
    const std::lock_guard lock(mutex_);
    ++ended_;
    changed_.notify_all();
  }
  void await_begun(int count) {
    std::unique_lock lock(mutex_);
    CHECK(changed_.wait_for(lock, std::chrono::seconds(30), [&] { return begun_ >= count; }));
  }
  void await_ended(int count) {
    std::unique_lock lock(mutex_);
    CHECK(changed_.wait_for(lock, std::chrono::seconds(30), [&] { return ended_ >= count; }));
  }
  int asked(const std::string& host) {
    const std::lock_guard lock(mutex_);
    return asked_[host];
  }
  int begun() {
    const std::lock_guard lock(mutex_);
    return begun_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Found> answers_;
  std::map<std::string, int> asked_;
  int begun_ = 0, ended_ = 0;
  bool closed_ = false;
};

struct Scene {
  ~Scene() { resolver->close(); }
  std::shared_ptr<Resolver> resolver = std::make_shared<Resolver>();
  std::atomic<Millis> now{100'000};
  HostNames names{[its = resolver] { its->ended(); },
                  [its = resolver](const std::string& host) { return its->look_up(host); },
                  [this] { return now.load(); }};
};

TEST_CASE("host names: a flood of questions is one lookup; its answer is used for a second, then there is another") {
  Scene scene;
  const auto host = scene.names.host("game.test");
  for (int i = 0; i < 1'000; ++i) CHECK_FALSE(host->look_up(scene.now));
  scene.resolver->answer(std::vector{at("192.0.2.1"), at("2001:db8::1")});
  scene.resolver->await_ended(1);
  for (int i = 0; i < 1'000; ++i) CHECK(host->look_up(scene.now));
  CHECK(host->addresses() == std::vector{at("192.0.2.1"), at("2001:db8::1")});
  CHECK(scene.resolver->asked("game.test") == 1);
  scene.now += HostNames::kFresh - 1;
  CHECK(host->look_up(scene.now));
  scene.now += 1;
  CHECK_FALSE(host->look_up(scene.now));
  scene.resolver->answer(std::vector{at("192.0.2.2")});
  scene.resolver->await_ended(2);
  CHECK(host->look_up(scene.now));
  CHECK(host->addresses() == std::vector{at("192.0.2.2")});
  CHECK(scene.names.host("game.test") == host);  // routes to one server share its lookups
}

TEST_CASE("host names: if the machine has no thread left, a lookup fails, and a later one tries again") {
  Scene scene;
  net::no_thread_left() = true;
  const auto host = scene.names.host("game.test");
  CHECK(host->look_up(scene.now));
  net::no_thread_left() = false;
  CHECK(host->why() == net::no_thread_error().text);
  CHECK(host->addresses().empty());
  CHECK_FALSE(host->look_up(scene.now));
  scene.resolver->answer(std::vector{at("192.0.2.1")});
  scene.resolver->await_ended(1);
  CHECK(host->addresses() == std::vector{at("192.0.2.1")});
  CHECK(host->why().empty());
}

TEST_CASE("host names: an answer is used for a second from when it came, however long it took") {
  Scene scene;
  const auto host = scene.names.host("game.test");
  CHECK_FALSE(host->look_up(scene.now));
  scene.resolver->await_begun(1);
  scene.now += 3 * HostNames::kFresh;
  scene.resolver->answer(std::vector{at("192.0.2.1")});
  scene.resolver->await_ended(1);
  CHECK(host->look_up(scene.now));
  scene.now += HostNames::kFresh - 1;
  CHECK(host->look_up(scene.now));
  CHECK(scene.resolver->begun() == 1);
  scene.now += 1;
  CHECK_FALSE(host->look_up(scene.now));
}

TEST_CASE("host names: each name has its own answer, and all lookups are counted") {
  Scene scene;
  const auto one = scene.names.host("one.test"), other = scene.names.host("other.test");
  CHECK(one != other);
  CHECK_FALSE(one->look_up(scene.now));
  scene.resolver->answer(std::vector{at("192.0.2.1")});
  scene.resolver->await_ended(1);
  CHECK(one->answers() == 1);
  CHECK(other->answers() == 0);
  CHECK(other->addresses().empty());
  CHECK_FALSE(other->look_up(scene.now));
  scene.resolver->answer(Error{"no answer"});
  scene.resolver->await_ended(2);
  CHECK(one->why().empty());
  CHECK(other->answers() == 1);
  CHECK(scene.names.answers() == 2);
}

TEST_CASE("host names: after the names are gone, their hosts ask no more, and nobody waits for them") {
  auto scene = std::make_unique<Scene>();
  const auto host = scene->names.host("game.test");
  const auto resolver = scene->resolver;
  scene.reset();
  CHECK(host->look_up(100'000));
  CHECK(host->addresses().empty());
  CHECK(resolver->begun() == 0);
}

TEST_CASE("host names: if a lookup fails or takes long, the earlier addresses are used") {
  Scene scene;
  const auto host = scene.names.host("game.test");
  CHECK_FALSE(host->look_up(scene.now));
  scene.resolver->answer(Error{"no answer"});
  scene.resolver->await_ended(1);
  CHECK(host->look_up(scene.now));
  CHECK(host->addresses().empty());
  CHECK(host->why() == "no answer");
  scene.now += HostNames::kFresh;
  CHECK_FALSE(host->look_up(scene.now));
  scene.resolver->answer(std::vector{at("192.0.2.1")});
  scene.resolver->await_ended(2);
  CHECK(host->why().empty());
  scene.now += HostNames::kFresh;
  CHECK_FALSE(host->look_up(scene.now));
  scene.now += HostNames::kPatience - 1;
  CHECK_FALSE(host->look_up(scene.now));
  scene.now += 1;
  CHECK(host->look_up(scene.now));  // nobody waits longer, and there is no second lookup
  CHECK(host->addresses() == std::vector{at("192.0.2.1")});
  scene.resolver->await_begun(3);
  scene.resolver->answer(Error{"no answer"});
  scene.resolver->await_ended(3);
  CHECK(host->addresses() == std::vector{at("192.0.2.1")});
  CHECK(host->why() == "no answer");
  CHECK(scene.resolver->begun() == 3);
}

TEST_CASE("host names: lookups that hang take all threads, and the next name waits for its turn, not its asker") {
  Scene scene;
  std::vector<std::shared_ptr<HostNames::Host>> hosts;
  for (std::size_t i = 0; i <= HostNames::kThreads; ++i) {
    hosts.push_back(scene.names.host("host" + std::to_string(i)));
    CHECK_FALSE(hosts.back()->look_up(scene.now));
  }
  scene.resolver->await_begun(HostNames::kThreads);
  CHECK(scene.resolver->begun() == HostNames::kThreads);
  scene.resolver->answer(std::vector{at("192.0.2.1")});
  scene.resolver->await_begun(HostNames::kThreads + 1);
  CHECK(scene.resolver->asked("host" + std::to_string(HostNames::kThreads)) == 1);
}  // the rest hang when the names are gone

TEST_CASE("host names: after expire(), a fresh answer is not used any more") {
  Scene scene;
  const auto host = scene.names.host("game.test");
  CHECK_FALSE(host->look_up(scene.now));
  scene.resolver->answer(std::vector{at("192.0.2.1")});
  scene.resolver->await_ended(1);
  CHECK(host->look_up(scene.now));
  scene.names.expire();
  CHECK_FALSE(host->look_up(scene.now));
}

TEST_CASE("host names: what can never be the name of a host") {
  for (const char* good :
       {"game.test", "localhost", "a", "my-host_1.example.", "127.0.0.1", "::1", "xn--bcher-kva.example",
        "b\xC3\xBC"
        "cher.example",
        "\xC3\x80.example"})
    CHECK_MESSAGE(net::objection_to_host(good).empty(), good);
  for (const std::string& bad : {std::string("a..b"), std::string(".a"), std::string("300.1.2.3"), std::string("a b"),
                                 std::string("1"), std::string(64, 'a') + ".test", std::string("a,b"), std::string(),
                                 std::string("."), "a." + std::string(260, 'b')})
    CHECK_MESSAGE(!net::objection_to_host(bad).empty(), bad);
  const std::string label(63, 'a'), longest = label + "." + label + "." + label + "." + std::string(61, 'b');
  CHECK(longest.size() == 253);
  CHECK(net::objection_to_host(longest).empty());
  CHECK(net::objection_to_host(longest + ".").empty());
  CHECK(net::objection_to_host(longest + "b") == "it has more than 253 characters");
  CHECK(net::objection_to_host(label + "a") == "a part between dots has more than 63 characters");
}

}  // namespace
}  // namespace entente::testing::host_names_test
