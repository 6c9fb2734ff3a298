#include "proxy/program/recordings/recover.h"

#include <CLI/CLI.hpp>

#include <cinttypes>
#include <cstdio>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "proxy/program/base/interruption.h"
#include "proxy/program/base/misuse.h"
#include "proxy/program/base/screen_text.h"
#include "proxy/program/import/input.h"
#include "proxy/trace/recover.h"

namespace entente {
namespace {

std::string without_ending(std::string text, std::string_view ending) {
  if (text.ends_with(ending)) text.resize(text.size() - ending.size());
  return text;
}

std::string place_for(const std::string& file) {
  const std::string whole = without_ending(file, ".part");
  return whole == file ? without_ending(file, ".mcap") + ".recovered.mcap" : whole;
}

void tell(const trace::Recovered& recovered) {
  for (const trace::Damage& damage : recovered.first)
    std::printf("  at byte %" PRIu64 ": %s, %" PRIu64 " bytes skipped\n", damage.offset,
                screen_text(damage.what).c_str(), damage.bytes);
  if (recovered.damages > recovered.first.size())
    std::printf("  and %" PRIu64 " more places\n", recovered.damages - recovered.first.size());
  if (recovered.attachments_left_out > 0)
    std::printf("  %" PRIu64 " attachments were left out\n", recovered.attachments_left_out);
}

}  // namespace

void declare_recover(CLI::App& app, RecoverOptions& options) {
  app.add_option(
         "FILE", options.file,
         "Damaged or unfinished recording, often a .part file. It stays as it is; the repaired copy is a new file")
      ->required();
  app.add_option("-o,--out", options.out,
                 "File to write (default: FILE without .part; if it does not end in .part, FILE.recovered.mcap)")
      ->type_name("FILE");
}

int run_recover(const RecoverOptions& options) {
  const auto failed = [](const std::string& why) {
    std::fprintf(stderr, "entente recover: %s\n", screen_text(why).c_str());
    return kFailed;
  };
  const Interruption interruption;
  if (options.out.empty() && is_piped(options.file))
    return usage_error("entente recover", "what is read from a pipe needs --out FILE");
  const std::string out = options.out.empty() ? place_for(options.file) : options.out;
  const auto in = input_path(options.file);
  if (!in) return failed(in.error().text);
  const auto recovered = trace::recover(*in, out, &Interruption::came, options.file);
  if (!recovered) return failed(recovered.error().text);
  if (recovered->messages == 0 && !recovered->first.empty()) {
    std::error_code ignored;
    std::filesystem::remove(out, ignored);
    return failed(options.file + " has no message that can be read: at byte " +
                  std::to_string(recovered->first[0].offset) + ": " + recovered->first[0].what);
  }
  std::printf("%s: %" PRIu64 " messages in %" PRIu64 " chunks, %" PRIu64 " bytes skipped%s\n", out.c_str(),
              recovered->messages, recovered->chunks, recovered->bytes_lost,
              recovered->was_whole ? "; the file was not damaged" : "");
  tell(*recovered);
  return kOk;
}

}  // namespace entente
