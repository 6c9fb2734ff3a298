// Redacts frames: decodes each, replaces what is personal in its fields, and encodes it again.
// Invariant: a frame that it returns decodes, and encodes to the same bytes. A frame that is not fully understood is
// left out.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "adapters/wire/dissect.h"
#include "proxy/program/import/file.h"
#include "proxy/program/redact/censor.h"
#include "proxy/program/redact/word_redactor.h"
#include "proxy/program/redact/world_book.h"
#include "schema/trace.pb.h"

namespace entente {

/// What this field of this game's message holds; `path` as in PersonalField.
wire::Personal personal_of(const wire::Game& game, std::string_view message, std::string_view path);

class FrameRedactor {
 public:
  FrameRedactor(Censor& censor, WordRedactor& words, WorldBook& worlds);
  ~FrameRedactor();
  FrameRedactor(const FrameRedactor&) = delete;
  FrameRedactor& operator=(const FrameRedactor&) = delete;

  void opened(const trace::Opened& opened);
  void closed(std::uint32_t link);
  /// Redacts the frame and sets its message's name. Returns why the frame must be left out instead; nothing: it is
  /// redacted.
  std::optional<std::string> redact(trace::Frame& frame);

  /// Begins again, at the beginning of the same recording.
  void rewind();

 private:
  struct Link;
  class Spelling;
  class FieldRedactor;

  /// Appends the redacted frame to `out`. Returns why that is not possible; nothing: it is done.
  std::optional<std::string> message(std::uint32_t link, const GameDialect& game_dialect, const wire::Frame& frame,
                                     Buffer& out, std::string& name);
  std::optional<std::string> word(const GameDialect& game_dialect, const wire::Frame& frame, Buffer& out);
  wire::Personal kind_of(const wire::Game& game, const wire::Row& row, const std::string& path);

  Censor& censor_;
  WordRedactor& words_;
  WorldBook& worlds_;
  Codecs codecs_;
  std::map<std::uint32_t, std::unique_ptr<Link>> links_;
  std::unordered_map<const wire::Row*, std::map<std::string, wire::Personal, std::less<>>> kinds_;
};

}  // namespace entente
