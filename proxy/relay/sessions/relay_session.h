// A relay's session: passes its client's bytes to a server of its route, and the server's to the client, through the
// lab of the route if there is one (faults/). If the route has rules that may drop messages, all that passes is put
// into a lab, which asks them first.
#pragma once

#include <memory>
#include <utility>

#include "proxy/relay/faults/session_lab.h"
#include "proxy/relay/overhear/session_rules.h"
#include "proxy/relay/sessions/session.h"

namespace entente::relay {

class RelaySession : public Session, protected Dial::User, protected LabLine::User, private SessionRules::User {
 public:
  void lab_changed() override {
    if (!passes_) return;
    if (!lab_ && (worker_route_->lab || rules_)) make_lab();
    if (lab_) lab_->lines().follow(worker_route_->lab);
  }

 protected:
  RelaySession(WorkerRoute& accept_route, Owner& owner, const AcceptedClient& newcomer)
      : Session(accept_route, owner, newcomer),
        dial_(static_cast<Dial::User&>(*this), limits_.connect_ms, accept_route.route.game.transport()) {
    dial_.set_checks(newcomer.health_check);
    if (chosen_ != nullptr) dial_.expect(*chosen_);
  }

  /// Connects to the chosen server, or to another one if that fails.
  void begin_dial() {
    if (const auto why = objection_to_new_player()) return end(*why);
    dial_.begin(*worker_route_, info_, chosen_, std::nullopt);
  }
  Dial* server_dial() override { return &dial_; }
  void dial_failed(Dial&, Reason why) override { end(why); }

  /// From now on, data passes both ways: through the lab, if there is one. No effect if it was called before.
  void enter_lab() {
    if (std::exchange(passes_, true)) return;
    const auto& rules = worker_route_->route.options->relay_rules;
    if (rules && rules->rewrite)
      rules_ = std::make_unique<SessionRules>(worker_route_->loop, static_cast<SessionRules::User&>(*this), *rules,
                                              info_, limits_.held_bytes);
    if (worker_route_->lab || rules_) lab_changed();
  }
  /// Makes `lab_`, or leaves it null if the session stays out of the lab.
  virtual void make_lab() = 0;
  void make_lab(LabLine::Of of) {
    lab_ = worker_route_->make_lab(*this, of, info_, limits_.high_water);
    lab_->judge_by(rules_.get());
  }
  const LabReport* lab_report() const override {
    return lab_ && (worker_route_->lab || !rules_) ? &lab_->report() : nullptr;
  }
  void pass_what_waits() override {
    if (lab_) lab_->end();
    if (rules_) rules_->end();
  }
  void inserting(bool on) override {
    Session::inserting(on);
    if (rules_) rules_->set_inserting(on);
    if (lab_) lab_->set_inserting(on);
  }

  Dial dial_;
  std::unique_ptr<SessionRules> rules_;  // that may drop messages; null: there are none
  std::unique_ptr<SessionLab> lab_;      // null: what comes is passed on at once
  bool passes_ = false;                  // as of enter_lab()

 private:
  void client_is_wrong() override {
    end(Reason::kProtocolFault, Fault{"the operator's rules cannot understand it", "message", 0});
  }
};

}  // namespace entente::relay
