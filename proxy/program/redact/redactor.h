// Redacts the events of a recording: openings and ends of connections, frames, words, worlds and notes.
// Invariant: the recording is read twice. The first reading collects names and worlds. The events of the second reading
// have no personal data left, except what the user asked to keep.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "proxy/program/clips/new_recording.h"
#include "proxy/program/redact/frame_redactor.h"

namespace entente {

class Redactor final : public RecordingFilter {
 public:
  explicit Redactor(PersonalGroups keep)
      : censor_(keep), words_(censor_), worlds_(censor_), frames_(censor_, words_, worlds_) {}

  /// Called when all events were passed once and are going to be passed again. What is before `from` is not counted.
  void learned(WallTime from);

  const trace::Recording::Event* pass(const trace::Recording::Event& event) override;

  const Censor& censor() const { return censor_; }
  /// Why frames were left out, and how many.
  const std::map<std::string, std::uint64_t>& left_out() const { return left_out_; }

 private:
  const trace::Recording::Event* frame(const trace::Frame& frame);
  void opened(const trace::Opened& opened);
  void world(const trace::Snapshot& world);
  void geometry(const trace::Geometry& geometry);
  void word(const trace::Recording::WordEvent& word);

  Censor censor_;
  WordRedactor words_;
  WorldBook worlds_;
  FrameRedactor frames_;
  WallTime from_ = 0;
  bool counting_ = false;
  std::map<std::string, std::uint64_t> left_out_;
  std::map<std::pair<std::uint32_t, int>, trace::Amount> missing_;  // by link and way: left out, and not yet said
  std::map<std::string, std::string> geometries_;                   // what their hashes became

  // What is passed.
  trace::Recording::Event event_;
  trace::Opened opened_;
  trace::Closed closed_;
  trace::Frame frame_;
  trace::Note note_;
  trace::Snapshot world_;
  trace::Geometry geometry_;
  words::Intent intent_;
  words::Fact fact_;
};

}  // namespace entente
