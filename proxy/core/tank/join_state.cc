#include "proxy/core/tank/join_state.h"

#include <utility>

#include "proxy/base/text.h"
#include "proxy/core/texts.h"

namespace entente::core {

void JoinState::tell_refused(words::Refused::Code code, std::string text, bool may_retry, BackOut& out) {
  words::Refused refused;
  refused.set_code(code);
  refused.set_text(std::move(text));
  refused.set_may_retry(may_retry);
  out.say(std::move(refused));
}

void JoinState::refuse(words::Refused::Code code, std::string_view text, bool may_retry, BackOut& out) {
  tell_refused(code, clean(text), may_retry, out);
  if (!std::exchange(goodbye_said, true)) out.close(text);
}

void JoinState::come_in(Micros now) {
  stage = Stage::kIn;
  last_server_line_.let_in(now);
}

void JoinState::be_kicked(std::string_view how, BackOut& out) {
  goodbye_said = true;
  // A server that kicks a player sends the reason first. A server that stops does not, unless it is an Entente.
  const std::string said = last_server_line_.why(out.now(), "");
  if ((said.empty() || is_for_now(said)) && out.report_server_stopping(how)) return;
  words::Kicked kicked;
  kicked.set_text(last_server_line_.why(out.now(), "the server ended the session"));
  out.say(std::move(kicked));
  out.close(how);
}

void JoinState::hear_server(std::string text, bool to_me, BackOut& out) {
  last_server_line_.heard(text, out.now());
  words::Notice notice;
  notice.set_text(std::move(text));
  to_me ? out.say({me, std::move(notice)}) : out.say(std::move(notice));
}

void JoinState::hear_player(words::Said said, BackOut& out) const {
  Fact fact;
  if (said.scope() == words::Say::ONE) {
    fact.audience = words::PLAYER;
    fact.to = me;
  }
  fact.content = std::move(said);
  out.say(std::move(fact));
}

}  // namespace entente::core
