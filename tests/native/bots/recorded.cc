// native_bot_recorded RECORDING.mcap: what the bot sees in the facts that were recorded, by our reader.
#include "proxy/trace/recording.h"
#include "tests/native/bots/bot.h"

int main(int count, char** given) {
  if (count != 2) return 2;
  const auto recording = entente::trace::Recording::open(given[1]);
  if (!recording.ok()) return std::cerr << recording.error().text << "\n", 1;
  Bot bot{"", [](const words::Intent&) {}};
  for (;;) {
    const auto event = (*recording)->next();
    if (!event.ok()) return std::cerr << event.error().text << "\n", 1;
    if (*event == nullptr) break;
    if ((*event)->said && (*event)->said->fact) bot.hear(*(*event)->said->fact);
  }
  bot.report();
}
