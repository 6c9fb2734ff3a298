#include "tests/lab/kernel/bus.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "tests/lab/kernel/memory.h"

namespace entente::lab {
namespace {

constexpr Nanos kAtOnce = 20 * kMilli;
constexpr Nanos kKnowsIds = 120'000 * kMilli;  // what is sent again later is stored again

}  // namespace
// -- Connections ------------------------------------------------------------------------------------------------------

BusLink::BusLink(Kernel& kernel, std::uint32_t host, std::size_t server, std::string user, Told told)
    : kernel_(kernel),
      at_(host, 4222),
      server_(server),
      life_(kernel.bus().life(server)),
      user_(std::move(user)),
      told_(std::move(told)) {}

void BusLink::to_server(std::function<void(BusServer&)> what) {
  const Aside aside;
  last_out_ = std::max(last_out_, kernel_.now() + kernel_.flight(at_, BusServer::place(server_)));
  kernel_.after(last_out_ - kernel_.now(), [self = shared_from_this(), what = std::move(what)] {
    BusServer& server = self->kernel_.bus();
    if (server.runs(self->server_) && server.life(self->server_) == self->life_) what(server);
  });
}

void BusLink::to_program(std::function<void()> what) {
  const Aside aside;
  last_in_ = std::max(last_in_, kernel_.now() + kernel_.flight(BusServer::place(server_), at_));
  kernel_.after(last_in_ - kernel_.now(), [self = shared_from_this(), what = std::move(what)] {
    if (!self->open_) return;
    if (self->kernel_.chance(self->kernel_.faults.reset)) return self->lose();
    what();
  });
}

void BusLink::lose() {
  if (!std::exchange(open_, false)) return;
  kernel_.note(0x6e6c, at_.first);
  told_.lost();
}

bool BusLink::is_cut() const { return kernel_.is_cut(at_, BusServer::place(server_)); }

/// What was sent before still arrives.
void BusLink::close() {
  open_ = false;
  to_server([self = shared_from_this()](BusServer& server) { server.leave(*self); });
}

// -- Accounts ---------------------------------------------------------------------------------------------------------

bool BusServer::lets_in(const std::string& user, const std::string& password) const {
  const auto its = accounts_.find(user);
  return accounts_.empty() || (its != accounts_.end() && its->second.password == password);
}

bool BusServer::permits(BusLink& link, std::vector<std::string> Account::*list, const char* verb,
                        const std::string& subject) const {
  if (accounts_.empty()) return true;
  const auto& allowed = accounts_.at(link.user_).*list;
  if (std::any_of(allowed.begin(), allowed.end(), [&](const auto& one) { return fits(subject, one); })) return true;
  link.to_program(
      [self = link.shared_from_this(), what = std::string(verb) + " " + subject] { self->told_.refused(what); });
  return false;
}

bool BusServer::may_publish(BusLink& link, const std::string& subject) const {
  return permits(link, &Account::publish, "publish", subject);
}

bool BusServer::may_subscribe(BusLink& link, const std::string& pattern) const {
  return permits(link, &Account::subscribe, "subscribe to", pattern);
}

// -- The servers ------------------------------------------------------------------------------------------------------

bool BusServer::runs() const {
  return std::all_of(its_.begin(), its_.begin() + static_cast<std::ptrdiff_t>(count_),
                     [](const Server& one) { return one.runs; });
}

void BusServer::kill(bool keeps) {
  for (std::size_t server = 0; server < count_; ++server)
    if (its_[server].runs) end(server);
  if (!keeps) streams_.clear();
}

void BusServer::end(std::size_t server) {
  const Aside aside;
  its_[server].runs = false;
  ++its_[server].life;
  std::vector<std::shared_ptr<BusLink>> gone;
  std::copy_if(links_.begin(), links_.end(), std::back_inserter(gone),
               [server](const auto& link) { return link->server_ == server; });
  for (const auto& link : gone) {
    leave(*link);
    link->to_program([link] { link->lose(); });
  }
}

void BusServer::start() {
  for (Server& one : its_) one.runs = true;
}

void BusServer::split(std::size_t server, Nanos until) {
  apart_ = server;
  split_until_ = until;
  drop_consumers([this](const BusLink& link) { return !has_streams(link.server_); });
}

bool BusServer::has_streams(std::size_t server) const {
  std::size_t reached = 0;
  for (std::size_t other = 0; other < count_; ++other) reached += its_[other].runs && reaches(server, other) ? 1 : 0;
  return 2 * reached > count_;
}

/// When something that one server passes on now reaches the other.
Nanos BusServer::hop(std::size_t from, std::size_t to) {
  if (from == to) return kernel_.now();
  Nanos& last = last_hop_[from][to];
  return last = std::max(last, kernel_.now() + kernel_.flight(place(from), place(to)));
}

void BusServer::lose_consumers() {
  drop_consumers([](const BusLink&) { return true; });
}

void BusServer::drop_consumers(const std::function<bool(const BusLink&)>& those) {
  for (const auto& link : links_) {
    if (!those(*link)) continue;
    const auto consumes = [](const auto& one) { return !one.stream.empty(); };
    if (std::erase_if(link->subscriptions_, consumes) == 0) continue;
    kernel_.after(kHeartbeats, [link] {
      if (link->open_) link->told_.missed();
    });
  }
}

void BusServer::leave(const BusLink& link) {
  const auto found = std::find_if(links_.begin(), links_.end(), [&](const auto& one) { return one.get() == &link; });
  if (found == links_.end()) return;
  (*found)->subscriptions_.clear();
  links_.erase(found);
}

bool BusServer::fits(const std::string& subject, const std::string& pattern) {
  std::size_t in_subject = 0, in_pattern = 0;
  const auto token = [](const std::string& of, std::size_t& at) {
    const std::size_t end = std::min(of.find('.', at), of.size());
    const std::string_view found = std::string_view(of).substr(at, end - at);
    at = end + 1;
    return found;
  };
  while (in_subject < subject.size() && in_pattern < pattern.size()) {
    const std::string_view wanted = token(pattern, in_pattern);
    if (wanted == ">") return true;
    if (const std::string_view its = token(subject, in_subject); wanted != its && (wanted != "*" || its == ">"))
      return false;
  }
  return in_subject > subject.size() && in_pattern > pattern.size();
}

bool BusServer::is_too_large(const std::string& subject, std::size_t bytes) {
  if (bytes <= kMostBytes) return false;
  too_large_.push_back(subject + ": " + std::to_string(bytes) + " bytes");
  return true;
}

void BusServer::publish(const std::shared_ptr<BusLink>& by, BusMail mail) {
  if (!may_publish(*by, mail.subject)) return;
  kernel_.note(0x6e70, mail.bytes.size());
  kernel_.note(mail.bytes);
  if (pass(by->server_, mail) || mail.reply.empty()) return;
  BusMail answer;
  answer.subject = mail.reply;
  answer.nobody = true;
  (void)pass(by->server_, answer);
}

/// To all who listen, as far as the server knows. False: nobody does.
bool BusServer::pass(std::size_t from, const BusMail& mail) {
  const auto sent = std::make_shared<const BusMail>(mail);
  bool heard = false;
  std::array<std::vector<std::function<void()>>, kMostBusServers> far;
  for (const auto& link : links_) {
    const std::size_t to = link->server_;
    for (const auto& one : link->subscriptions_) {
      if (!one.stream.empty() || !fits(sent->subject, one.pattern)) continue;
      if (one.known_at[from] > kernel_.now() || !reaches(from, to)) continue;
      heard = true;
      const auto deliver = [link, heard_by = one.heard, sent] {
        link->to_program([heard_by, sent] { heard_by(sent); });
      };
      if (to == from)
        deliver();
      else
        far[to].push_back(deliver);
    }
  }
  for (std::size_t to = 0; to < count_; ++to)
    if (!far[to].empty())
      kernel_.after(hop(from, to) - kernel_.now(), [this, from, to, life = its_[to].life, all = std::move(far[to])] {
        if (its_[to].life == life && reaches(from, to))
          for (const auto& deliver : all) deliver();
      });
  for (auto& [name, its] : streams_)
    if (has_streams(from) && std::any_of(its.subjects.begin(), its.subjects.end(),
                                         [&](const auto& one) { return fits(sent->subject, one); }))
      heard = true, (void)store_in(its, name, *sent, "", std::nullopt);
  return heard;
}

void BusServer::subscribe(BusLink& link, std::uint64_t number, const std::string& pattern, BusLink::Heard heard) {
  if (!may_subscribe(link, pattern)) return;
  link.subscriptions_.push_back({number, pattern, "", std::move(heard)});
  for (std::size_t server = 0; server < count_; ++server)
    link.subscriptions_.back().known_at[server] = hop(link.server_, server);
}

void BusServer::unsubscribe(BusLink& link, std::uint64_t number) {
  std::erase_if(link.subscriptions_, [number](const auto& one) { return one.number == number; });
}

// -- JetStream --------------------------------------------------------------------------------------------------------

bool BusServer::add_stream(const std::string& name, const std::vector<std::string>& subjects,
                           std::size_t most_per_subject, Nanos most_age) {
  const auto [at, fresh] = streams_.try_emplace(name);
  if (!fresh) return false;
  at->second.subjects = subjects;
  at->second.most_per_subject = most_per_subject;
  at->second.most_age = most_age;
  at->second.created = static_cast<std::int64_t>(kernel_.wall());
  return true;
}

const BusServer::Stream* BusServer::stream(const std::string& name) {
  const auto found = streams_.find(name);
  if (found == streams_.end()) return nullptr;
  remove_old(found->second);
  return &found->second;
}

/// Those who subscribe are not told.
void BusServer::remove_old(Stream& stream) const {
  if (stream.most_age == 0) return;
  const auto is_kept = [&](const auto& one) { return kernel_.now() < one->stored_at + stream.most_age; };
  stream.mails.erase(stream.mails.begin(), std::find_if(stream.mails.begin(), stream.mails.end(), is_kept));
}

std::shared_ptr<const BusMail> BusServer::last(const Stream& stream, const std::string& subject) {
  const auto found = std::find_if(stream.mails.rbegin(), stream.mails.rend(),
                                  [&](const auto& one) { return one->subject == subject; });
  return found != stream.mails.rend() ? *found : nullptr;
}

std::optional<std::uint64_t> BusServer::store(BusMail mail, const std::string& id,
                                              std::optional<std::uint64_t> expected) {
  for (auto& [name, its] : streams_)
    if (std::any_of(its.subjects.begin(), its.subjects.end(), [&](const auto& one) { return fits(mail.subject, one); }))
      return store_in(its, name, std::move(mail), id, expected);
  return std::nullopt;
}

std::optional<std::uint64_t> BusServer::store_in(Stream& stream, const std::string& name, BusMail mail,
                                                 const std::string& id, std::optional<std::uint64_t> expected) {
  remove_old(stream);
  std::erase_if(stream.ids, [this](const auto& one) { return kernel_.now() >= one.second.at + kKnowsIds; });
  if (const auto before = stream.ids.find(id); before != stream.ids.end()) return before->second.number;
  if (expected) {
    const auto before = last(stream, mail.subject);
    const std::uint64_t number = before ? before->number : 0;
    // nats-server 2.9 with replicas sometimes accepts several that expect the same number at the same moment.
    const auto replaced = stream.replaced.find(mail.subject);
    const bool at_once = count_ > 1 && replaced != stream.replaced.end() && replaced->second.number == *expected &&
                         kernel_.now() < replaced->second.at + kAtOnce;
    if (number != *expected && !(at_once && kernel_.chance(0.5))) return std::nullopt;
    if (number == *expected) stream.replaced[mail.subject] = {number, kernel_.now()};
  }
  mail.number = ++stream.last;
  mail.stored_at = kernel_.now();
  kernel_.note(0x6e73, mail.number);
  kernel_.note(mail.bytes);
  if (!id.empty()) stream.ids[id] = {mail.number, mail.stored_at};
  const auto kept = std::make_shared<const BusMail>(std::move(mail));
  stream.mails.push_back(kept);
  if (stream.most_per_subject != 0) {
    const auto same = [&](const auto& one) { return one->subject == kept->subject; };
    const auto count = std::count_if(stream.mails.begin(), stream.mails.end(), same);
    if (static_cast<std::size_t>(count) > stream.most_per_subject)
      stream.mails.erase(std::find_if(stream.mails.begin(), stream.mails.end(), same));
  }
  for (const auto& link : links_)
    for (const auto& one : link->subscriptions_)
      if (one.stream == name && has_streams(link->server_) && fits(kept->subject, one.pattern))
        link->to_program([to = one.heard, kept] { to(kept); });
  return kept->number;
}

std::uint64_t BusServer::consume(BusLink& link, std::uint64_t number, const std::string& stream,
                                 const std::string& pattern, BusLink::Heard heard) {
  remove_old(streams_.at(stream));
  std::vector<std::shared_ptr<const BusMail>> first;
  for (const auto& one : streams_.at(stream).mails)
    if (fits(one->subject, pattern) && last(streams_.at(stream), one->subject) == one) first.push_back(one);
  for (std::size_t i = 0; i < first.size(); ++i) {
    auto mail = std::make_shared<BusMail>(*first[i]);
    mail->pending = first.size() - i - 1;
    link.to_program([heard, mail] { heard(mail); });
  }
  link.subscriptions_.push_back({number, pattern, stream, std::move(heard)});
  return first.size();
}

}  // namespace entente::lab
