#include "proxy/program/recordings/verify_explain.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>

#include "adapters/wire/print.h"

namespace entente {
namespace {

constexpr std::size_t kMostKinds = 40;
constexpr std::size_t kAround = 16;  // bytes shown before and after

std::string kind_of(const Trouble& trouble) {
  std::string kind = trouble.what;
  for (const auto part : {trouble.message, trouble.why, trouble.field}) (kind += '\n') += part;
  return kind;
}

}  // namespace

std::string seconds(WallTime nanoseconds) {
  char out[40];
  std::snprintf(out, sizeof out, "%" PRIu64 ".%03u s", nanoseconds / 1'000'000'000U,
                static_cast<unsigned>(nanoseconds / 1'000'000U % 1000));
  return out;
}

std::string hex_around(Bytes bytes, std::size_t offset) {
  const std::size_t from = offset > kAround ? offset - kAround : 0;
  const std::size_t to = std::min(bytes.size(), offset + kAround + 1);
  std::string out = from > 0 ? "… " : "";
  for (std::size_t i = from; i < to; ++i) {
    char one[8];
    std::snprintf(one, sizeof one, i == offset ? "[%02x]" : "%02x", bytes[i]);
    out += one;
    if (i + 1 < to && i % 2 == 1) out += ' ';
  }
  if (offset >= bytes.size()) out += "[end]";
  return to < bytes.size() ? out + " …" : out;
}

Explanation Explainer::explain(const Trouble& trouble, std::string_view connection, wire::Way way,
                               WallTime since_start) const {
  std::string kind = kind_of(trouble);
  if (kinds_.contains(kind)) return {std::move(kind), ""};
  std::string out;
  wire::escape(connection, out);
  (((out += ' ') += wire::text(way)) += " at ") += seconds(since_start);
  ((out += ": ") += trouble.message.empty() ? "a message" : trouble.message) += ' ';
  ((out += trouble.what) += ": ") += trouble.why;
  if (!trouble.field.empty()) (out += ", field ") += trouble.field;
  out += ", byte " + std::to_string(trouble.offset) + " of " + std::to_string(trouble.bytes.size());
  return {std::move(kind), out + "\n    " + hex_around(trouble.bytes, trouble.offset) + "\n"};
}

void Explainer::say(const Explanation& explanation) {
  if (kinds_.contains(explanation.kind)) return;
  if (kinds_.size() == kMostKinds) {
    ++unsaid_;
    return;
  }
  kinds_.insert(explanation.kind);
  err_ << explanation.text;
}

void Explainer::finish() {
  if (unsaid_ != 0) err_ << "and " << unsaid_ << " more of other kinds\n";
}

}  // namespace entente
