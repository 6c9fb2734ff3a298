#include "tests/lab/outside.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <utility>

#include "proxy/net/enet/enet_host.h"
#include "proxy/net/fd.h"
#include "proxy/net/mailbox.h"
#include "tests/lab/games.h"
#include "tests/lab/programs.h"
#include "tests/lab/service.h"

namespace entente::lab {
namespace {

constexpr Place kReceiver{0x0a000501, 8000}, kMaster{0x0a000501, 32886};
constexpr std::uint32_t kMonitorHost = 0x0a000601, kStrangerHost = 0x0a000602;
constexpr Nanos kAnswersWithin = 5 * kSecond;

void sleep(Nanos time) { std::this_thread::sleep_for(std::chrono::nanoseconds(time)); }

/// The value of a member of a JSON object that has no objects within: a string or a number.
std::string member(std::string_view json, std::string_view name) {
  const std::string key = "\"" + std::string(name) + "\":";
  std::size_t at = json.find(key);
  if (at == std::string_view::npos) return "";
  at += key.size();
  const bool is_text = json[at] == '"';
  const std::size_t begin = at + (is_text ? 1 : 0);
  return std::string(json.substr(begin, json.find_first_of(is_text ? "\"" : ",}", begin) - begin));
}

void set_patience(int fd, Nanos time) {
  const timeval limit{static_cast<time_t>(time / kSecond), static_cast<suseconds_t>(time % kSecond / 1000)};
  (void)::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
}

bool send_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t size = ::send(fd, text.data(), text.size(), MSG_NOSIGNAL);
    if (size <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(size));
  }
  return true;
}

/// The bytes of the body that the head announces; SIZE_MAX: it announces none, or is not complete.
std::size_t length_of(std::string_view request) {
  const std::size_t end = request.find("\r\n\r\n");
  const std::size_t at = request.find("Content-Length: ");
  if (end == std::string_view::npos || at == std::string_view::npos) return SIZE_MAX;
  return end + 4 + number_after(request, "Content-Length: ");
}

}  // namespace

// -- Events -----------------------------------------------------------------------------------------------------------

void Events::take(std::string_view body) {
  plan_.tell(who_ + " takes " + std::string(body));
  Event& event = all_[member(body, "id")];
  event.kind = member(body, "event");
  event.session = member(body, "session");  // a player may have got another name
  event.route = member(body, "route");
  event.server = member(body, "server");
  if (event.taken == 0) event.reloads = reloads_;
  if (event.taken == 0 || (event.reloads == reloads_ && reloads_ % 2 == 0)) ++event.taken;
  lost_ += number_after(body, "\"lost\":");
}

void Events::check(bool whole, bool certain, std::size_t joins) {
  const auto wrong = [this](const std::string& what) { verdict_.wrong.push_back(who_ + ": " + what); };
  std::map<std::string, int> inside;  // joins without their leaves, by process and session
  for (const auto& [id, event] : all_) {
    if (certain && event.taken > 1)
      wrong("the event " + event.kind + " of session " + event.session + " came " + std::to_string(event.taken) +
            " times");
    const std::string session = id.substr(0, id.rfind('-') + 1) + event.session;
    if (event.kind == "join") ++inside[session];
    if (event.kind == "leave") --inside[session];
  }
  if (!whole) return;
  if (lost_ != 0) wrong(std::to_string(lost_) + " events were lost");
  if (inside.size() < joins)
    wrong(std::to_string(joins) + " players joined, and events came of " + std::to_string(inside.size()));
  for (const auto& [session, count] : inside)
    if (count != 0)
      wrong("session " + session + (count > 0 ? " joined without leaving" : " left without having joined"));
}

/// They are told in the order of their numbers, also by a process that is killed: what it has not sent is the end.
void Events::check_servers(const std::set<std::string>& routes) {
  std::map<std::string, std::map<std::uint64_t, const Event*>> processes;  // by the first part of ids
  for (const auto& [id, event] : all_)
    if (const std::size_t dash = id.rfind('-'); dash != std::string::npos && event.kind.starts_with("server_"))
      processes[id.substr(0, dash)][number_after(id, id.substr(0, dash + 1))] = &event;
  for (const auto& [process, events] : processes) {
    std::map<std::pair<std::string, std::string>, bool> are_down;
    for (const auto& [number, event] : events) {
      const bool down = event->kind == "server_down";
      const std::string server = "the server " + event->server + " of the route " + event->route;
      if (!routes.contains(event->route)) verdict_.wrong.push_back(who_ + ": nobody knows " + server);
      if (std::exchange(are_down[{event->route, event->server}], down) == down)
        verdict_.wrong.push_back(who_ + ": the process " + process + " tells twice that " + server +
                                 (down ? " is down" : " is up again"));
    }
  }
}

int Tool::run(const std::array<int, 3>& descriptors) {
  Draw draw = plan_.draw("run " + std::to_string(++runs_));
  enum Failure : std::uint64_t { kNone, kReadsNothing, kPrintsMuch, kHangs, kFails, kFailures };
  const std::uint64_t failure = fails_ && draw.chance(0.4) ? draw.number(kReadsNothing, kFailures - 1) : kNone;
  if (failure == kReadsNothing) return 3;
  std::string text;
  char some[100];
  for (ssize_t size = 0; (size = ::read(descriptors[0], some, sizeof some)) > 0;)
    text.append(some, static_cast<std::size_t>(size));
  const std::string said(failure == kPrintsMuch ? 100'000 : draw.number(0, 100), 'x');
  if (failure == kPrintsMuch) (void)send_all(descriptors[1], said);
  if (failure == kHangs) sleep(kSecond * draw.number(5, 30));
  sleep(draw.time(0, 200));
  if (failure == kFails) return 1;
  if (failure != kHangs) events_.take(text);
  return 0;
}

// -- The receiver -----------------------------------------------------------------------------------------------------

Receiver::Receiver(Plan& plan, Verdict& verdict)
    : plan_(plan),
      verdict_(verdict),
      may_fail_(plan.has("receiver fails", 0.5)),
      events_(plan, verdict, "the receiver of the hook") {}

/// A server is listed as long as its connection is open.
class Receiver::Master final : private net::EnetHost::User {
 public:
  explicit Master(Receiver& owner) : owner_(owner), mailbox_(loop_, *this), host_(loop_, *this) {
    if (!host_.listen(address(kMaster), {.peers = 32, .channels = 1, .range_coder = true}))
      owner.verdict_.wrong.emplace_back("the master does not start");
    owner.stop_master_ = [this] { (void)mailbox_.post(0); };
  }
  void run() { loop_.run(); }
  void mail() {
    host_.close();
    mailbox_.close();
  }

 private:
  void connected(net::EnetPeer&, std::uint32_t) override {}
  /// The first packet has the port in its second and third byte.
  void received(net::EnetPeer& peer, std::uint8_t, net::EnetPacket packet) override {
    const Bytes bytes = packet.bytes();
    if (bytes.size() < 3 || places_.contains(&peer)) return;
    const auto port = static_cast<std::uint16_t>(bytes[1] | bytes[2] << 8U);
    ++owner_.listed_[places_[&peer] = peer.address().with_port(port).text()];
  }
  void disconnected(net::EnetPeer& peer, std::uint32_t) override {
    if (const auto its = places_.extract(&peer)) --owner_.listed_[its.mapped()];
  }

  Receiver& owner_;
  std::map<const net::EnetPeer*, std::string> places_;
  net::Loop loop_;
  net::Mailbox<int, Master> mailbox_;
  net::EnetHost host_;
};

void Receiver::start() {
  running_ = 2;
  kernel().begin_program(kReceiver.first, [this] { serve(), --running_; });
  kernel().begin_program(kReceiver.first, [this] { Master(*this).run(), --running_; });
}

void Receiver::serve() {
  const net::Fd listening(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  const net::Address at = address(kReceiver);
  if (::bind(listening.get(), at.raw(), at.size()) != 0 || ::listen(listening.get(), 64) != 0)
    verdict_.wrong.emplace_back("the receiver does not start");
  std::vector<std::thread> answering;
  while (!stops_) {
    pollfd polled{listening.get(), POLLIN, 0};
    if (::poll(&polled, 1, 200) == 0) continue;
    const int fd = ::accept4(listening.get(), nullptr, nullptr, SOCK_CLOEXEC);
    if (fd >= 0) answering.emplace_back([this, fd, number = ++asked_] { answer(fd, number); });
  }
  for (std::thread& one : answering) one.join();
}

void Receiver::stop() {
  stops_ = true;
  if (stop_master_) stop_master_();
  if (!kernel().wait([this] { return running_ == 0; }, kernel().now() + kStopsWithin))
    verdict_.wrong.emplace_back("the receiver does not stop");
}

void Receiver::answer(int fd, std::uint64_t number) {
  const net::Fd client(fd);
  set_patience(fd, 20 * kSecond);
  std::string request;
  while (request.size() < length_of(request)) {
    char some[4096];
    const ssize_t size = ::recv(fd, some, sizeof some, 0);
    if (size <= 0) return;  // it gave up
    request.append(some, static_cast<std::size_t>(size));
  }
  enum Failure : std::uint64_t { kRefuses, kAsksToWait, kIsSilent, kHangsUp, kBreaksOff, kFailures };
  Draw draw = plan_.draw("answer " + std::to_string(number));
  if (fails_ && draw.chance(0.4)) {
    has_failed_ = true;
    switch (draw.number(0, kFailures - 1)) {
      case kRefuses:
        (void)send_all(fd, "HTTP/1.1 500 Oh no\r\nContent-Length: 0\r\n\r\n");
        return;
      case kAsksToWait:
        (void)send_all(fd, "HTTP/1.1 429 Later\r\nRetry-After: 3\r\nContent-Length: 5\r\n\r\nlater");
        return;
      case kIsSilent:
        return sleep(15 * kSecond);
      case kBreaksOff:
        (void)send_all(fd, "HTTP/1.1 200 O");
        return;
      default:
        return;
    }
  }
  const std::string_view body = std::string_view(request).substr(request.find("\r\n\r\n") + 4);
  if (request.starts_with("POST /hook HTTP/1.1\r\n"))
    events_.take(body);
  else if (request.starts_with("POST /list HTTP/1.1\r\n"))
    take_form(body);
  else
    verdict_.wrong.push_back("the receiver was asked for " + request.substr(0, request.find('\r')));
  (void)send_all(fd, "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nOK\n");
}

void Receiver::take_form(std::string_view body) {
  plan_.tell("the list is told " + std::string(body));
  constexpr std::string_view kPlace = "nameport=";
  const std::size_t at = body.find(kPlace) + kPlace.size();
  listed_[std::string(body.substr(at, body.find('&', at) - at))] =
      body.find("action=ADD") != std::string_view::npos ? 1 : 0;
}

bool Receiver::lists(const std::string& place) const {
  const auto found = listed_.find(place);
  return found != listed_.end() && found->second > 0;
}

void Receiver::check(bool whole, bool certain, std::size_t joins) {
  events_.check(whole, certain, joins);
  if (!whole) return;
  for (const auto& [place, listed] : listed_)
    if (certain && listed != 0) verdict_.wrong.push_back("the public list still has " + place);
}

// -- The monitor ------------------------------------------------------------------------------------------------------

void Monitor::start(bool must) {
  must_ = must;
  running_ = 2;
  kernel().begin_program(kMonitorHost, [this] { watch(), --running_; });
  kernel().begin_program(kStrangerHost, [this] { guess(), --running_; });
}

void Monitor::stop() {
  stops_ = true;
  if (!kernel().wait([this] { return running_ == 0; }, kernel().now() + kStopsWithin)) wrong("it does not stop");
}

Monitor::Reply Monitor::ask(std::uint16_t port, const std::string& request) const {
  const net::Fd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const net::Address to = address({host_, port});
  set_patience(fd.get(), kAnswersWithin);
  Reply reply;
  if (::connect(fd.get(), to.raw(), to.size()) != 0 || !send_all(fd.get(), request)) return reply;
  std::string all;
  char some[16'384];
  for (ssize_t size = 0; (size = ::recv(fd.get(), some, sizeof some, 0)) != 0;) {
    if (size < 0) return reply;
    all.append(some, static_cast<std::size_t>(size));
  }
  const std::size_t end = all.find("\r\n\r\n");
  if (end == std::string::npos) return reply;
  reply.status = static_cast<unsigned>(number_after(all, "HTTP/1.1 "));
  reply.body = all.substr(end + 4);
  return reply;
}

Monitor::Reply Monitor::get(std::uint16_t port, const std::string& path) const {
  return ask(port, "GET " + path + " HTTP/1.1\r\nHost: 10.0.1.1\r\nConnection: close\r\n\r\n");
}

Monitor::Reply Monitor::metrics() {
  const bool must = must_;
  const Nanos began = kernel().now();
  const auto process = alone_();
  Reply reply = get(kMetricsPort, "/metrics");
  if (must && reply.status != 200) wrong("the metrics are answered with " + std::to_string(reply.status));
  if (reply.status != 200) return reply;
  Values values = check_metrics(reply.body);
  if (!process || process != alone_() || began < counted_at_) return reply;  // another thread has asked meanwhile
  if (counted_ == process) check_counters(values);
  counters_ = std::move(values);
  counted_ = process;
  counted_at_ = kernel().now();
  return reply;
}

/// Each metric with these labels is there once, and is a number.
Monitor::Values Monitor::check_metrics(const std::string& body) {
  Values values;
  for (std::size_t at = 0, end = 0; (end = body.find('\n', at)) != std::string::npos; at = end + 1) {
    const std::string line = body.substr(at, end - at);
    if (line.empty() || line.starts_with('#')) continue;
    const std::size_t blank = line.rfind(' ');
    char* rest = nullptr;
    const double value = std::strtod(line.c_str() + blank, &rest);
    if (blank == std::string::npos || *rest != '\0' || value < 0) wrong("the metrics have the line " + line);
    if (!values.emplace(line.substr(0, blank), value).second)
      wrong("the metrics have this twice: " + line.substr(0, blank));
  }
  return values;
}

/// A counter never falls. Those of rules begin anew when a reload reads the rules.
void Monitor::check_counters(const Values& now) {
  for (const auto& [name, value] : now) {
    if (!std::string_view(name).substr(0, name.find('{')).ends_with("_total") || name.starts_with("entente_rule_"))
      continue;
    if (const auto before = counters_.find(name); before != counters_.end() && value < before->second)
      wrong(name + " falls from " + std::to_string(before->second) + " to " + std::to_string(value));
  }
}

std::optional<std::vector<double>> Monitor::values_of(const std::string& metric, std::string_view labels) {
  const Reply reply = metrics();
  if (reply.status != 200) return std::nullopt;
  std::vector<double> values;
  for (std::size_t at = 0, end = 0; (end = reply.body.find('\n', at)) != std::string::npos; at = end + 1)
    if (const std::string line = reply.body.substr(at, end - at);
        line.starts_with(metric + "{" + std::string(labels)) || (labels.empty() && line.starts_with(metric + " ")))
      values.push_back(std::strtod(line.c_str() + line.rfind(' '), nullptr));
  return values;
}

std::optional<double> Monitor::sum_of(const std::string& metric) {
  const auto values = values_of(metric);
  if (!values) return std::nullopt;
  return std::accumulate(values->begin(), values->end(), 0.0);
}

/// Reads the newest fragment as a cache does.
void Monitor::read(Documents& broadcast) {
  const bool must = must_;
  const Reply newest = get(broadcast.port, "/live");
  if (newest.status != 200 && newest.status != 503 && must)
    wrong("/live of port " + std::to_string(broadcast.port) + " is answered with " + std::to_string(newest.status));
  if (newest.status != 200) return;
  for (std::string_view rest = newest.body;;) {
    constexpr std::string_view kName = "\"name\":\"";
    const std::size_t at = rest.find(kName);
    if (at == std::string_view::npos) break;
    rest.remove_prefix(at + kName.size());
    broadcast.heard(rest.substr(0, rest.find('"')));
  }
  read_fragment(broadcast, number_after(newest.body, "\"fragment\":"));
  read_fragment(broadcast, broadcast.fragments.empty() ? 0 : broadcast.fragments.begin()->first);
}

/// A fragment never changes, unless the wall clock steps. After an upgrade, it is gone.
void Monitor::read_fragment(Documents& broadcast, std::uint64_t number) {
  constexpr std::size_t kMost = 8;
  const bool must = must_;
  const Reply reply = get(broadcast.port, "/live/" + std::to_string(number));
  if (reply.status != 200 || !must) return;
  const auto [known, is_new] = broadcast.fragments.emplace(number, reply.body);
  if (!is_new && known->second != reply.body) wrong("fragment " + std::to_string(number) + " has changed");
  if (broadcast.fragments.size() > kMost) broadcast.fragments.erase(broadcast.fragments.begin());
}

void Monitor::give_command() {
  const bool must = must_;
  const std::string body = "[\"routes\",\"list\"]";
  const Reply reply =
      ask(kPagePort, "POST /orders HTTP/1.1\r\nHost: 10.0.1.1\r\nAuthorization: Bearer " + std::string(kToken) +
                         "\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) +
                         "\r\nConnection: close\r\n\r\n" + body);
  if (must && (reply.status != 200 || !reply.body.starts_with('[')))
    wrong("the operator page answers a command with " + std::to_string(reply.status) + " " + reply.body);
}

void Monitor::watch() {
  while (!stops_) {
    (void)metrics();
    for (Documents& one : broadcasts_) read(one);
    give_command();
    sleep(plan_.draw("rest of the monitor").time(1'000, 10'000));
  }
}

/// It must never be let in.
void Monitor::guess() {
  while (!stops_) {
    const Reply reply =
        ask(kPagePort, "POST /orders HTTP/1.1\r\nHost: 10.0.1.1\r\nAuthorization: Bearer " +
                           std::string(kToken.size(), 'x') +
                           "\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n[\"routes\"]");
    if (reply.status == 200) wrong("a stranger may give commands");
    sleep(plan_.draw("rest of the stranger").time(100, 3'000));
  }
}

}  // namespace entente::lab
