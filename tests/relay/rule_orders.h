// What the rules of a test want, for the thread of the test.
#pragma once

#include <doctest/doctest.h>

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "proxy/relay/route/rule_book.h"
#include "tests/relay/running.h"

namespace entente::testing {

class Orders {
 public:
  std::shared_ptr<relay::RuleBook> book(const std::string& source) {
    auto made = std::make_shared<relay::RuleBook>(
        "the test", [this](const relay::RuleBook&, const rules::Action& action, const relay::LinkInfo* client) {
          const std::lock_guard lock(mutex_);
          all_.emplace_back(action, client != nullptr ? *client : relay::LinkInfo());
        });
    made->set(set_of(source));
    return made;
  }
  static std::shared_ptr<const rules::RuleSet> set_of(const std::string& source) {
    auto set = std::make_shared<rules::RuleSet>();
    auto checked = rules::check_rule("rule.lua", source);
    REQUIRE_MESSAGE(checked.ok(), (checked.ok() ? "" : checked.error().text));
    set->push_back(std::move(*checked));
    return set;
  }
  std::size_t count(rules::Action::Kind kind) const {
    const std::lock_guard lock(mutex_);
    std::size_t found = 0;
    for (const auto& [action, client] : all_) found += action.kind == kind ? 1 : 0;
    return found;
  }
  /// Whether there is one of this kind whose text has this part.
  bool has(rules::Action::Kind kind, std::string_view part) const {
    const std::lock_guard lock(mutex_);
    for (const auto& [action, client] : all_)
      if (action.kind == kind && action.text.find(part) != std::string::npos) return true;
    return false;
  }
  /// The texts of all of this kind, in their order.
  std::vector<std::string> texts(rules::Action::Kind kind) const {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> found;
    for (const auto& [action, client] : all_)
      if (action.kind == kind) found.push_back(action.text);
    return found;
  }
  /// Waits for the first of this kind, and its player's client.
  std::pair<rules::Action, relay::LinkInfo> first(rules::Action::Kind kind) const {
    REQUIRE(eventually([&] { return count(kind) != 0; }));
    const std::lock_guard lock(mutex_);
    for (const auto& one : all_)
      if (one.first.kind == kind) return one;
    return {};
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::pair<rules::Action, relay::LinkInfo>> all_;
};

}  // namespace entente::testing
