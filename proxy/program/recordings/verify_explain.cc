#include "proxy/program/recordings/verify_explain.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>

#include "adapters/wire/print.h"

namespace entente {
namespace {

constexpr std::size_t kMostKinds = 40;
constexpr std::size_t kAround = 16;  // bytes shown before and after

std::string kind_of(const MessageProblem& problem) {
  std::string kind = problem.what;
  for (const auto part : {problem.message, problem.why, problem.field}) (kind += '\n') += part;
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

ProblemReport ProblemReporter::explain(const MessageProblem& problem, std::string_view connection, wire::Way way,
                                       WallTime since_start) const {
  std::string kind = kind_of(problem);
  if (kinds_.contains(kind)) return {std::move(kind), ""};
  std::string out;
  wire::escape(connection, out);
  (((out += ' ') += wire::text(way)) += " at ") += seconds(since_start);
  ((out += ": ") += problem.message.empty() ? "a message" : problem.message) += ' ';
  ((out += problem.what) += ": ") += problem.why;
  if (!problem.field.empty()) (out += ", field ") += problem.field;
  out += ", byte " + std::to_string(problem.offset) + " of " + std::to_string(problem.bytes.size());
  return {std::move(kind), out + "\n    " + hex_around(problem.bytes, problem.offset) + "\n"};
}

void ProblemReporter::say(const ProblemReport& report) {
  if (kinds_.contains(report.kind)) return;
  if (kinds_.size() == kMostKinds) {
    ++suppressed_;
    return;
  }
  kinds_.insert(report.kind);
  err_ << report.text;
}

void ProblemReporter::finish() {
  if (suppressed_ != 0) err_ << "and " << suppressed_ << " more of other kinds\n";
}

}  // namespace entente
