#include "proxy/program/take_over/restrictions.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "proxy/base/text.h"
#include "proxy/program/base/screen_text.h"
#include "schema/take_over.pb.h"

namespace entente {
namespace {

constexpr std::string_view kAnswer = "restrictions 1\n";  // and a message Restrictions
constexpr std::size_t kBeforeField = 6;                   // bytes: at most, of a field's tag and length

take_over::Restrictions::Ban message_of(const relay::Ban& ban) {
  take_over::Restrictions::Ban message;
  message.set_network(ban.who.text());
  message.set_until(ban.until);
  message.set_why(ban.why);
  message.set_by_server(ban.by_server);
  message.set_where(ban.where);
  return message;
}

take_over::Restrictions::Listed message_of(const relay::ListedNetwork& network) {
  take_over::Restrictions::Listed message;
  message.set_network(network.who.text());
  message.set_allowed(network.list == relay::ListedNetwork::List::kAllow);
  message.set_why(network.why);
  return message;
}

}  // namespace

RestrictionsAnswer answer_with(const Restrictions& known, std::size_t most) {
  RestrictionsAnswer answer{std::string(kAnswer)};
  take_over::Restrictions all;
  const std::size_t of_file = known.stale_file.empty() ? 0 : known.stale_file.size() + kBeforeField;
  std::size_t size = kAnswer.size() + of_file;
  const auto add = [&](auto&& message, auto* to) {
    const std::size_t more = message.ByteSizeLong() + kBeforeField;
    if (more > most - std::min(most, size)) return void(++answer.left_out);
    size += more;
    *to->Add() = std::move(message);
  };
  const auto add_bans = [&](bool by_server) {
    for (const relay::Ban& ban : known.bans)
      if (ban.by_server == by_server) add(message_of(ban), all.mutable_bans());
  };
  for (const relay::ListedNetwork& network : known.listed) add(message_of(network), all.mutable_listed());
  add_bans(false);
  if (answer.left_out == 0 && size <= most) all.set_stale_file(known.stale_file);
  for (const bus::SharedBan& change : known.shared) add(bus::SharedBan(change), all.mutable_shared());
  add_bans(true);
  all.AppendToString(&answer.bytes);
  return answer;
}

Outcome<Restrictions> restrictions_of(const std::string& answer) {
  take_over::Restrictions all;
  if (!answer.starts_with(kAnswer))
    return Error{screen_text(whole_characters(answer.substr(0, answer.find('\n')), 200))};
  if (!all.ParseFromArray(answer.data() + kAnswer.size(), static_cast<int>(answer.size() - kAnswer.size())))
    return Error{"its answer cannot be decoded"};
  Restrictions known;
  for (const auto& ban : all.bans()) {
    const auto who = net::Network::parse(ban.network());
    if (!who) return who.error();
    known.bans.push_back({*who, static_cast<std::time_t>(ban.until()), ban.why(), ban.by_server(), ban.where()});
  }
  for (const auto& network : all.listed()) {
    const auto who = net::Network::parse(network.network());
    if (!who) return who.error();
    using enum relay::ListedNetwork::List;
    known.listed.push_back({*who, network.allowed() ? kAllow : kDeny, network.why()});
  }
  known.stale_file = all.stale_file();
  known.shared.assign(all.shared().begin(), all.shared().end());
  return known;
}

}  // namespace entente
