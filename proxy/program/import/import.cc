#include "proxy/program/import/import.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>

#include "proxy/program/import/demo.h"
#include "proxy/program/import/input.h"
#include "proxy/program/import/json.h"
#include "proxy/program/import/mcap.h"
#include "proxy/program/import/pcap.h"
#include "proxy/program/import/rec.h"

namespace entente {
namespace {

constexpr std::array<std::uint8_t, 4> kMcapMagic = {0x89, 'M', 'C', 'A'};
// pcap with microseconds and with nanoseconds, in both byte orders; pcapng.
constexpr std::array<std::array<std::uint8_t, 4>, 5> kPcapMagics = {{{0xa1, 0xb2, 0xc3, 0xd4},
                                                                     {0xd4, 0xc3, 0xb2, 0xa1},
                                                                     {0xa1, 0xb2, 0x3c, 0x4d},
                                                                     {0x4d, 0x3c, 0xb2, 0xa1},
                                                                     {0x0a, 0x0d, 0x0d, 0x0a}}};
constexpr std::string_view kRecMagic = "rrBZ";
constexpr std::uintmax_t kLargestMeta = 16u << 20;

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Close>;

Error cannot_read(const std::string& path) { return {path + ": " + std::strerror(errno)}; }

/// The text of FILE.meta.json beside FILE.jsonl; "" if there is none that could be one.
std::string meta_beside(const std::string& path) {
  const auto meta = std::filesystem::path(path).replace_extension(".meta.json");
  std::error_code none;
  const auto size = std::filesystem::file_size(meta, none);
  if (none || size > kLargestMeta) return "";
  std::ifstream file(meta, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

Outcome<Done> import_json_file(const std::string& path, const std::string& at, ImportSink& sink) {
  std::ifstream file(at, std::ios::binary);
  if (!file) return cannot_read(path);
  return import_json(file, meta_beside(path), path, sink);
}

Outcome<Done> import_demo_file(const std::string& path, const std::string& at, ImportSink& sink) {
  std::ifstream file(at, std::ios::binary);
  if (!file) return cannot_read(path);
  return import_demo(file, path, sink);
}

Outcome<Done> import_mcap_file(const std::string& path, ImportSink& sink) {
  const auto recording = open_input(path);
  return recording ? import_mcap(**recording, sink) : recording.error();
}

}  // namespace

ImportFormat import_format(Bytes first) {
  const Bytes start = first.first(std::min<std::size_t>(first.size(), 4));
  if (same(start, kMcapMagic)) return ImportFormat::kMcap;
  if (as_text(start) == kRecMagic) return ImportFormat::kRec;
  for (const auto& magic : kPcapMagics)
    if (same(start, magic)) return ImportFormat::kPcap;
  if (is_demo(start)) return ImportFormat::kDemo;
  return ImportFormat::kJsonLines;
}

Outcome<ImportFormat> import_format(const std::string& path) {
  const auto at = input_path(path);
  if (!at) return at.error();
  const File file(std::fopen(at->c_str(), "rb"));
  if (!file) return cannot_read(path);
  std::array<std::uint8_t, 4> first{};
  const std::size_t size = std::fread(first.data(), 1, first.size(), file.get());
  if (std::ferror(file.get()) != 0) return cannot_read(path);
  if (size == 0) return Error{path + ": the file is empty"};
  const ImportFormat format = import_format(Bytes(first).first(size));
  const bool named_demo = path.ends_with(".demo") || path.ends_with(".dem");
  return format == ImportFormat::kJsonLines && named_demo ? ImportFormat::kDemo : format;
}

Outcome<Done> import_file(const std::string& path, const ImportOptions& options, ImportSink& sink) {
  const auto format = import_format(path);
  if (!format) return format.error();
  const auto at = input_path(path);
  if (!at) return at.error();
  if (*format == ImportFormat::kMcap) return import_mcap_file(path, sink);
  if (*format == ImportFormat::kRec) return import_rec(path, options, sink);
  if (*format == ImportFormat::kDemo) return import_demo_file(path, *at, sink);
  if (*format == ImportFormat::kJsonLines) return import_json_file(path, *at, sink);
  std::FILE* file = std::fopen(at->c_str(), "rb");
  return file != nullptr ? import_pcap(file, path, options, sink) : cannot_read(path);
}

}  // namespace entente
