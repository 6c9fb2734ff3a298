// A session in the lab of its route: both directions of its stream, messages or packets; and a number, on which its
// faults depend. Its datagrams, if it has some beside a stream, have lines of their own (LabLines).
// Invariant: frames pass whole, in order, and once, unless the plan says otherwise.
#pragma once

#include <memory>
#include <utility>

#include "proxy/relay/faults/lab_line.h"

namespace entente::relay {

/// The two directions.
class LabLines {
 public:
  LabLines(net::Loop& loop, LabLine::User& user, LabLine::Of of, const LinkInfo& info, std::uint64_t session,
           LabLine::Counted counted, std::size_t most_waiting)
      : to_server_(loop, user, of, wire::Way::kToServer, info, session, counted, most_waiting),
        to_client_(loop, user, of, wire::Way::kToClient, info, session, counted, most_waiting) {}

  LabLine& at(wire::Way way) { return way == wire::Way::kToServer ? to_server_ : to_client_; }
  void judge_by(LabLine::Judge* judge) {
    to_server_.judge_by(judge);
    to_client_.judge_by(judge);
  }
  void follow(const RunningLab& lab) {
    to_server_.follow(lab);
    to_client_.follow(lab);
  }
  /// As LabLine::waiting(), of both.
  std::size_t waiting() const { return to_server_.waiting() + to_client_.waiting(); }
  /// Passes on at once what waits.
  void flush() {
    to_server_.flush();
    to_client_.flush();
  }
  void clear() {
    to_server_.clear();
    to_client_.clear();
  }

 private:
  LabLine to_server_, to_client_;
};

class SessionLab {
 public:
  /// `info`: of the session; outlives this. `number`: LabReport::number. `route`: what its route counts.
  SessionLab(net::Loop& loop, LabLine::User& user, LabLine::Of of, const LinkInfo& info, std::uint64_t number,
             LabCountsOf<Count>& route, std::size_t most_waiting)
      : report_{number, {}},
        counted_{report_.counts, route},
        lines_(loop, user, of, info, number, counted_, most_waiting) {}

  /// Of a stream: cuts it into frames. Null: it cannot be cut.
  void cut_with(std::unique_ptr<wire::Cutter> to_server, std::unique_ptr<wire::Cutter> to_client) {
    cutters_ = {std::move(to_server), std::move(to_client)};
  }
  /// Takes `frames` whole frames of a stream, of which the first `ahead` bytes were taken before; if there are none,
  /// what cannot be cut.
  void put_frames(wire::Way way, Bytes bytes, std::size_t ahead, std::size_t frames);

  /// As LabLine::judge_by().
  void judge_by(LabLine::Judge* judge) { lines_.judge_by(judge_ = judge); }
  LabLine::Judge* judge() const { return judge_; }

  /// `on`: what is put in for the client from now on is an operator's text.
  void set_inserting(bool on) { at(wire::Way::kToClient).set_inserting(on); }

  LabLine& at(wire::Way way) { return lines_.at(way); }
  LabLines& lines() { return lines_; }
  std::size_t waiting() const { return lines_.waiting(); }
  const LabReport& report() const { return report_; }
  /// For the lines of its datagrams.
  LabLine::Counted counted() { return counted_; }
  /// Nothing is put in any more. Passes on at once what waits. No effect if it was called before: what passes may end
  /// the session again.
  void end() {
    if (!std::exchange(over_, true)) lines_.flush();
  }
  /// Nothing is put in any more. Forgets what waits.
  void abandon() {
    over_ = true;
    lines_.clear();
  }

 private:
  LabReport report_;
  const LabLine::Counted counted_;
  LabLines lines_;
  LabLine::Judge* judge_ = nullptr;
  std::array<std::unique_ptr<wire::Cutter>, 2> cutters_;
  bool over_ = false;
};

}  // namespace entente::relay
