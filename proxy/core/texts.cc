#include "proxy/core/texts.h"

#include "proxy/base/text.h"

namespace entente::core {
namespace {

void tidy(std::string* text, std::size_t most) {
  if (text->empty()) return;
  *text = fitted(clean(*text), most);
}

void tidy(words::Enter& wish) {
  tidy(wish.mutable_name(), kMostName);
  tidy(wish.mutable_skin(), kMostSkin);
  for (std::string* text : {wish.mutable_motto(), wish.mutable_avatar(), wish.mutable_password(), wish.mutable_token(),
                            wish.mutable_version()})
    tidy(text, kMostText);
  for (std::string& flag : *wish.mutable_flags_known()) tidy(&flag, kMostText);
}

/// Fields that are not set stay unset.
void tidy(words::Change& change) {
  if (change.has_name()) tidy(change.mutable_name(), kMostName);
  if (change.has_motto()) tidy(change.mutable_motto(), kMostText);
  if (change.has_skin()) tidy(change.mutable_skin(), kMostSkin);
}

}  // namespace

void clean_texts(Intent& intent) {
  if (auto* wish = std::get_if<words::Enter>(&intent.content)) tidy(*wish);
  if (auto* change = std::get_if<words::Change>(&intent.content)) tidy(*change);
  if (auto* leave = std::get_if<words::Leave>(&intent.content)) tidy(leave->mutable_why(), kMostText);
}

std::string words_for_fault(const Fault& fault) {
  std::string all = std::string(kBrokeProtocol) + ": " + fault.what;
  return *fault.field != 0 ? all + " in " + fault.field : all;
}

}  // namespace entente::core
