// Sources and sinks of recordings in memory, for tests. Invariant: as for every Source and Sink (proxy/trace/file.h).
// The caller owns the bytes.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>

#include "proxy/trace/file.h"

namespace entente::testing {

class MemorySource final : public trace::Source {
 public:
  explicit MemorySource(Bytes bytes) : bytes_(bytes) {}

  const std::string& name() const override { return name_; }
  std::uint64_t size() const override { return bytes_.size(); }
  Outcome<Done> read(std::uint64_t offset, std::span<std::uint8_t> to) override {
    if (!to.empty()) std::memcpy(to.data(), bytes_.data() + offset, to.size());
    return Done{};
  }

 private:
  Bytes bytes_;
  const std::string name_ = "memory";
};

class MemorySink final : public trace::Sink {
 public:
  explicit MemorySink(Buffer& to) : to_(to) {}

  const std::string& name() const override { return name_; }
  Outcome<Done> write(Bytes bytes) override { return append(to_, bytes), Done{}; }
  Outcome<Done> cut(std::uint64_t size) override { return to_.resize(static_cast<std::size_t>(size)), Done{}; }
  Outcome<Done> sync() override { return Done{}; }
  Outcome<Done> finish() override { return Done{}; }

 private:
  Buffer& to_;
  const std::string name_ = "memory";
};

/// A disk of limited size. A write that does not fit fails after the part that fits.
class MemoryDisk final : public trace::Sink {
 public:
  /// `room`: its size in bytes, which the test may change at any time.
  MemoryDisk(Buffer& to, const std::size_t& room) : to_(to), room_(room) {}

  const std::string& name() const override { return name_; }
  Outcome<Done> write(Bytes bytes) override {
    const auto fits = std::min(bytes.size(), room_ - std::min(room_, to_.size()));
    append(to_, bytes.first(fits));
    return fits < bytes.size() ? Outcome<Done>(Error{"cannot write disk: No space left on device"}) : Done{};
  }
  Outcome<Done> cut(std::uint64_t size) override { return to_.resize(static_cast<std::size_t>(size)), Done{}; }
  Outcome<Done> sync() override { return can_sync ? Outcome<Done>(Done{}) : Error{"cannot sync disk"}; }
  Outcome<Done> finish() override { return Done{}; }

  bool can_sync = true;

 private:
  Buffer& to_;
  const std::size_t& room_;
  const std::string name_ = "disk";
};

/// Accepts everything and keeps nothing.
class Nowhere final : public trace::Sink {
 public:
  const std::string& name() const override { return name_; }
  Outcome<Done> write(Bytes) override { return Done{}; }
  Outcome<Done> cut(std::uint64_t) override { return Done{}; }
  Outcome<Done> sync() override { return Done{}; }
  Outcome<Done> finish() override { return Done{}; }

 private:
  const std::string name_ = "nowhere";
};

}  // namespace entente::testing
