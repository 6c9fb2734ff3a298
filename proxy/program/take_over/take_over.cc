#include "proxy/program/take_over/take_over.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "proxy/base/text.h"
#include "proxy/net/local_acceptor.h"
#include "proxy/net/service_manager.h"
#include "proxy/net/socket.h"
#include "proxy/program/log/say.h"
#include "proxy/program/take_over/socket_name.h"

namespace entente {
namespace {

constexpr Millis kWithOldProcess = 30'000;    // with the old process: it may be busy
constexpr Millis kForRestrictions = 4'000;    // the old process waits longer for `taken`
constexpr std::size_t kLongestFailure = 800;  // bytes of a line: the answer to `upgrade` has room for it

/// std::filesystem::equivalent() of GCC 12 denies it for sockets.
bool is_same_file(const std::string& one, const std::string& other) {
  std::error_code unknown;
  const auto its = std::filesystem::weakly_canonical(one, unknown);
  return !its.empty() && its == std::filesystem::weakly_canonical(other, unknown);
}

}  // namespace

Outcome<TakeOver> TakeOver::begin(const std::string& path) {
  auto talk = net::Talk::open(path);
  if (!talk) return talk.error();
  if (!talk->is_with_listener_of_own_user())
    return Error{"the program behind " + path + " belongs to another user; take over as its user"};
  if (const auto said = talk->say(kTakeOver, kWithOldProcess); !said) return said.error();
  const auto answer = talk->hear(kWithOldProcess);
  if (!answer) return answer.error();
  if (*answer != "sockets") return Error{"the program behind " + path + " refused the take-over: " + *answer};
  TakeOver begun(path, std::move(*talk));
  if (const auto got = begun.receive(); !got) return begun.fail(got.error().text), got.error();
  return begun;
}

Outcome<Done> TakeOver::receive() {
  auto sockets = talk_.receive(kWithOldProcess);
  if (!sockets) return sockets.error();
  for (net::NamedFd& one : *sockets) {
    const auto name = SocketName::parse(one.name);
    if (!name) return Error{"invalid hand-over: unknown socket name '" + one.name + "'"};
    if (name->kind == SocketName::Kind::kOlder) {
      older_.emplace_back(std::move(one.fd));
      continue;
    }
    net::add_passed(std::move(one.fd), name->bound, name->kind == SocketName::Kind::kOwnControl);
  }
  return Done{};
}

void TakeOver::fail(const std::string& why) {
  std::string line = kTakeOverFailed;
  for (const char c : why) line += c == '\n' ? std::string("; ") : std::string(1, c);
  line.resize(whole_characters(line, kLongestFailure).size());
  (void)net::ask_local(path_, line);  // may fail: an older program may not know this line, or be gone
}

Outcome<relay::LinkId> TakeOver::ready() {
  if (const auto said = talk_.say("ready", kWithOldProcess); !said) return said.error();
  const auto answer = talk_.hear(kWithOldProcess);
  if (!answer) return answer.error();
  constexpr std::string_view kGiven = "given ";
  const std::string_view number = std::string_view(*answer).substr(std::min(kGiven.size(), answer->size()));
  relay::LinkId link = 0;
  const auto read = std::from_chars(number.data(), number.data() + number.size(), link);
  if (!answer->starts_with(kGiven) || read.ec != std::errc() || read.ptr != number.data() + number.size())
    return Error{"the running program did not hand over: " + *answer};
  for (const std::string& socket : net::passed_and_not_taken())
    log_info("closed, because the configuration has no such listener any more: {}", socket);
  net::close_passed();
  return link;
}

Outcome<Restrictions> TakeOver::restrictions() const {
  const auto answer = net::ask_local(path_, kAskForRestrictions, {.within = kForRestrictions});
  return answer ? restrictions_of(*answer) : answer.error();
}

std::optional<Error> TakeOver::objection_to_socket(const std::string& control_socket) const {
  if (control_socket == path_ || is_same_file(control_socket, path_)) return std::nullopt;
  return Error{"needs a restart: the control socket of the running program is '" + path_ + "', not '" + control_socket +
               "'"};
}

bool TakeOver::is_over() const {
  return talk_.other_has_left() &&
         std::all_of(older_.begin(), older_.end(), [](const net::Talk& one) { return one.other_has_left(); });
}

Outcome<std::vector<net::Fd>> TakeOver::connections() const {
  std::vector<const net::Talk*> all = {&talk_};
  for (const net::Talk& one : older_) all.push_back(&one);
  std::vector<net::Fd> open;
  for (const net::Talk* one : all) {
    if (one->other_has_left()) continue;
    net::Fd copy = one->copy();
    if (!copy) return net::lack_error("cannot pass on the connection to an older process", errno);
    open.push_back(std::move(copy));
  }
  return open;
}

Outcome<Done> TakeOver::take() { return talk_.say("taken", kWithOldProcess); }

}  // namespace entente
