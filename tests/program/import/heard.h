// An ImportSink that writes each call as a line of text.
#pragma once

#include <string>

#include "proxy/program/import/import.h"

namespace entente {

class HeardImport final : public ImportSink {
 public:
  std::string all;

  void opened(ConnectionId id, const ImportedConnection& connection, WallTime) override {
    line("open", id) += " " + connection.name + (connection.game.empty() ? "" : " " + connection.game) +
                        (connection.dialect.empty() ? "" : " " + connection.dialect) + "\n";
  }
  void bytes(const Imported& piece) override {
    line(wire::text(piece.way), piece.connection) +=
        std::string(piece.lane == wire::Lane::kDatagram ? " datagram " : " ") + to_hex(piece.bytes) + "\n";
  }
  void connected(ConnectionId id, std::uint32_t data, WallTime) override {
    line("connect", id) += " " + std::to_string(data) + "\n";
  }
  void stream_gap(ConnectionId id, wire::Way way, std::uint64_t bytes, WallTime) override {
    line("lost", id) += std::string(" ") + wire::text(way) + " " + std::to_string(bytes) + "\n";
  }
  void half_closed(ConnectionId id, const ImportedClose& end) override {
    line("end", id) += std::string(end.by ? std::string(" ") + wire::text(*end.by) : "") +
                       (end.code ? " " + std::to_string(*end.code) : "") +
                       (end.reason.empty() ? "" : " " + std::string(end.reason)) + "\n";
  }
  void connection_over(ConnectionId id) override { line("gone", id) += "\n"; }
  void remark(std::string_view text) override { (all += "remark ") += std::string(text) + "\n"; }

 private:
  std::string& line(const char* what, ConnectionId id) { return all += what + std::string(" ") + std::to_string(id); }
};

}  // namespace entente
