// The one implementation of Codec. A game supplies a protocol P:
//
//   struct P {
//     using Dialect = …;                      // features, with a member `order`
//     using Message = std::variant<…>;        // the list of messages is the type
//     static constexpr std::size_t kEnvelope; // bytes before the payload of an ordinary frame, or their minimum
//     static std::size_t envelope(const Row&);  // (optional) the same for one row, if rows differ
//     static std::uint32_t code(const Frame&);  // the code of a whole frame; may take the dialect as a second argument
//     static void seal(Buffer&, std::size_t start, std::uint32_t code);  // after the payload: write the envelope
//     static std::span<const TypedRow<P>> rows();
//   };
//
// If two messages have the same code on the wire, code() distinguishes them by bits above those of the wire.
// Included only by a game's wire.cc, where fields() is.
#pragma once

#include <algorithm>
#include <array>
#include <variant>

#include "adapters/wire/codec.h"
#include "adapters/wire/fields.h"
#include "adapters/wire/message_codec.h"
#include "adapters/wire/visiting_layout.h"

namespace entente::wire {

/// One row, with functions for its message.
template <class P>
struct TypedRow {
  using D = typename P::Dialect;
  using M = typename P::Message;

  Row row;
  std::size_t kind;  // its message's place in M
  void (*read)(Reader<D>&, M&);
  void (*write)(Writer<D>&, M&);
  void (*visit)(VisitingLayout<D>&, M&);
  void (*make)(M&);
};

template <class T, class... All>
constexpr std::size_t index_in(std::variant<All...>*) {
  constexpr bool same[] = {std::is_same_v<T, All>...};
  return static_cast<std::size_t>(std::find(std::begin(same), std::end(same), true) - std::begin(same));
}

/// The row of the message type T.
template <class P, class T>
constexpr TypedRow<P> row_of(Row row) {
  using M = typename P::Message;
  return {row,
          index_in<T>(static_cast<M*>(nullptr)),
          [](auto& reader, M& m) {
            fields(reader, std::holds_alternative<T>(m) ? *std::get_if<T>(&m) : m.template emplace<T>());
          },
          [](auto& writer, M& m) { fields(writer, *std::get_if<T>(&m)); },
          [](auto& layout, M& m) { fields(layout, *std::get_if<T>(&m)); },
          [](M& m) { m.template emplace<T>(); }};
}

template <class P>
class TypedCodec final : public Codec, public MessageCodec<typename P::Message> {
 public:
  using Dialect = typename P::Dialect;
  using Message = typename P::Message;

  /// `index`: the dialect's place in Game::dialects().
  TypedCodec(const Dialect& dialect, std::size_t index) : dialect_(dialect), bit_(1U << index) {
    for (const auto& row : P::rows()) {
      all_.push_back(row.row);
      if ((row.row.dialects & bit_) != 0) mine_.push_back(&row);
    }
    std::stable_sort(mine_.begin(), mine_.end(),
                     [](auto* a, auto* b) { return a->row.first_code < b->row.first_code; });
  }

  std::span<const Row> rows() const override { return all_; }

  const Row* find(const Frame& frame) const override {
    const auto* row = typed(frame);
    return row ? &row->row : nullptr;
  }

  Result<const Row*> decode(const Frame& frame) override {
    now_ = typed(frame);
    if (!now_) return Fault{"unknown message", "code", 0};
    code_ = code_of(frame);
    const std::size_t before = envelope(now_->row);
    Reader<Dialect> reader(frame.bytes.subspan(before), dialect_, before);
    now_->read(reader, message_);
    if (!reader.finish()) return reader.fault();
    return &now_->row;
  }

  void make(const Row& row, Way) override {
    now_ = nullptr;
    for (const auto* candidate : mine_)
      if (candidate->row.name == row.name && candidate->row.first_code == row.first_code &&
          candidate->row.ways == row.ways)
        now_ = candidate;
    assert(now_);
    code_ = row.first_code;
    now_->make(message_);
  }

  void encode(Buffer& out) const override { write(*now_, message_, code_, out); }

  void visit(FieldVisitor& visitor) override {
    if (now_->row.first_code != now_->row.last_code) visitor.code(code_, now_->row.first_code, now_->row.last_code);
    VisitingLayout<Dialect> layout(visitor, dialect_);
    now_->visit(layout, message_);
  }

  // -- Typed ---------------------------------------------------------------------------------------------------------

  using typename MessageCodec<Message>::Heard;

  /// The message that decode() read last.
  const Message& message() const { return message_; }

  Result<Heard> read(const Frame& frame) override {
    const auto row = decode(frame);
    if (!row) return row.error();
    return Heard{&message_, code_};
  }

  void write(const Message& message, Way way, Buffer& out, std::uint32_t code = 0) const override {
    const auto* row = row_for(message, way, code);
    assert(row && "no such message in this dialect and direction");
    write(*row, message, code != 0 ? code : row->row.first_code, out);
  }

 private:
  static std::size_t envelope(const Row& row) {
    if (row.stage != Stage::kPlay) return 0;
    if constexpr (requires { P::envelope(row); })
      return P::envelope(row);
    else
      return P::kEnvelope;
  }

  std::uint32_t code_of(const Frame& frame) const {
    if constexpr (requires { P::code(frame, dialect_); })
      return P::code(frame, dialect_);
    else
      return P::code(frame);
  }

  /// The first row of the table for this message, direction and code (0: any code) that this dialect has; null if there
  /// is none.
  const TypedRow<P>* row_for(const Message& message, Way way, std::uint32_t code) const {
    for (const auto& row : P::rows())
      if (row.kind == message.index() && (row.row.dialects & bit_) != 0 &&
          (row.row.ways & static_cast<std::uint8_t>(way)) != 0 &&
          (code == 0 || (code >= row.row.first_code && code <= row.row.last_code)))
        return &row;
    return nullptr;
  }

  const TypedRow<P>* typed(const Frame& frame) const {
    if (frame.stage == Stage::kPlay && frame.bytes.size() < P::kEnvelope) return nullptr;
    const std::uint32_t code = code_of(frame);
    // Rows are sorted by first code and ranges do not overlap within one way, lane and stage.
    auto at = std::upper_bound(mine_.begin(), mine_.end(), code,
                               [](std::uint32_t c, auto* row) { return c < row->row.first_code; });
    while (at != mine_.begin()) {
      const Row& row = (*--at)->row;
      if (code > row.last_code) break;
      if (row.stage == frame.stage && (row.ways & static_cast<std::uint8_t>(frame.way)) != 0 &&
          (row.lanes & static_cast<std::uint8_t>(frame.lane)) != 0)
        return *at;
    }
    return nullptr;
  }

  void write(const TypedRow<P>& row, const Message& message, std::uint32_t code, Buffer& out) const {
    const std::size_t start = out.size();
    const std::size_t before = envelope(row.row);
    out.resize(start + before);
    {
      Writer<Dialect> writer(out, dialect_);
      row.write(writer, const_cast<Message&>(message));  // the Writer only reads; fields() is shared with the Reader
    }
    if (before != 0) P::seal(out, start, code);
  }

  Dialect dialect_;
  std::uint32_t bit_;
  std::vector<Row> all_;
  std::vector<const TypedRow<P>*> mine_;
  Message message_;
  const TypedRow<P>* now_ = nullptr;
  std::uint32_t code_ = 0;
};

}  // namespace entente::wire
