#include "proxy/program/control/control_access.h"

#include <string>
#include <utility>
#include <vector>

#include "proxy/program/control/arguments.h"

namespace entente {
namespace {

using List = relay::ListedNetwork::List;

std::string name_of(List list) { return list == List::kAllow ? "allow" : "deny"; }

ReplyRow row_of(const net::Network& who, List list, const std::string& by, const std::string& why) {
  return {text_field("network", who.text()), text_field("list", name_of(list)), text_field("by", by),
          text_field("why", why)};
}

class ListKeeper {
 public:
  ListKeeper(relay::ListedNetworks& listed, KeptBans& kept, std::function<relay::Access()> configured)
      : listed_(listed), kept_(kept), configured_(std::move(configured)) {}

  Reply put(List list, std::string_view rest) const {
    const std::string text = first_argument(rest);
    if (text.empty()) return Error{"usage: " + name_of(list) + " NETWORK [--yes] [--why TEXT]"};
    const auto who = net::Network::parse(text);
    if (!who) return who.error();
    relay::ListedNetwork network{*who, list, ""};
    const bool sure = take_flag(rest, "--yes");
    if (std::string why; take_text(rest, "--why", why)) {
      const auto sayable = sayable_text(why);
      if (!sayable) return sayable.error();
      network.why = *sayable;
    }
    if (!rest.empty())
      return Error{"only '--yes' and '--why TEXT' may follow the network, not '" + first_argument(rest) + "'"};
    if (list == List::kDeny && is_vast(*who) && !sure)
      return Error{who->text() + " holds a large part of all addresses: to deny them all, add --yes"};
    if (!listed_.put(network))
      return Error{std::to_string(relay::ListedNetworks::kMost) +
                   " networks are listed; take some out with `unlist`, or write them into [access]"};
    if (const auto kept = kept_.save_listed(*who, &network); !kept)
      return Reply(Error{kept.error().text + "; " + who->text() + " stays in the list until this program ends"})
          .though_done();
    return who->text() + (list == List::kAllow ? " is allowed\n" : " is denied; its sessions here go on\n");
  }

  Reply unlist(std::string_view rest) const {
    const auto who = net::Network::parse(rest);
    if (!who) return who.error();
    const bool removed = listed_.remove(*who);
    const auto wider = larger_in(listed_.all(), *who, [](const relay::ListedNetwork& one) { return one.who; });
    if (!removed && wider)
      return Error{who->text() + " is in no list, but it is in " + wider->text() + ", which is: `unlist " +
                   wider->text() + "` takes that out"};
    if (!removed) return Error{who->text() + " is in no list that operators keep; `access` shows the lists"};
    if (const auto kept = kept_.save_listed(*who, nullptr); !kept)
      return Reply(Error{kept.error().text + "; " + who->text() + " is in no list until this program restarts"})
          .though_done();
    return who->text() + " is no longer in the list\n";
  }

  Reply list(std::string_view rest) const {
    if (!rest.empty()) return Error{"access takes no arguments"};
    std::vector<ReplyRow> rows;
    for (const relay::ListedNetwork& one : listed_.all()) rows.push_back(row_of(one.who, one.list, "us", one.why));
    const relay::Access configured = configured_();
    for (const net::Network& who : configured.allow) rows.push_back(row_of(who, List::kAllow, "configuration", ""));
    for (const net::Network& who : configured.deny) rows.push_back(row_of(who, List::kDeny, "configuration", ""));
    return Reply::table({"network", "list", "by", "why"}, rows);
  }

 private:
  relay::ListedNetworks& listed_;
  KeptBans& kept_;
  const std::function<relay::Access()> configured_;
};

}  // namespace

void add_access_commands(Control& control, relay::ListedNetworks& listed, KeptBans& kept,
                         std::function<relay::Access()> configured) {
  const ListKeeper keeper(listed, kept, std::move(configured));
  control.add_order(
      "allow NETWORK [--why TEXT]",
      "Allows an address or a network. Unlike `allow` of [access], this does not shut out any other address. "
      "TEXT: for other operators.",
      [keeper](std::string_view rest) { return keeper.put(List::kAllow, rest); });
  control.add_order("deny NETWORK [--yes] [--why TEXT]",
                    "Turns away newcomers from an address or a network, as if `deny` of [access] named it. `ban` also "
                    "ends sessions. --yes: for a network of more than 16 million addresses.",
                    [keeper](std::string_view rest) { return keeper.put(List::kDeny, rest); });
  control.add_order("unlist NETWORK", "Undoes `allow` or `deny`.",
                    [keeper](std::string_view rest) { return keeper.unlist(rest); });
  control.add("access", "Lists the networks that are allowed and denied: network, list, source and reason.",
              [keeper](std::string_view rest) { return keeper.list(rest); });
}

}  // namespace entente
