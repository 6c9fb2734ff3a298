#include "adapters/wire/print.h"

#include <bit>
#include <charconv>

#include "proxy/base/utf16.h"

namespace entente::wire {
namespace {

/// The shortest text that reads back as the same number.
template <class T>
void number(T value, std::string& out) {
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  out.append(digits, end);
}

void scalar_text(const Scalar& s, std::string& out) {
  switch (s.kind) {
    case Kind::kI8:
      return number(static_cast<int>(static_cast<std::int8_t>(s.bits)), out);
    case Kind::kI16:
      return number(static_cast<std::int16_t>(s.bits), out);
    case Kind::kI32:
      return number(static_cast<std::int32_t>(s.bits), out);
    case Kind::kI64:
      return number(static_cast<std::int64_t>(s.bits), out);
    case Kind::kF32:
      return number(std::bit_cast<float>(static_cast<std::uint32_t>(s.bits)), out);
    case Kind::kF64:
      return number(std::bit_cast<double>(s.bits), out);
    default:
      return number(s.bits, out);
  }
}

/// A text up to its first NUL, and how many bytes follow that are not NUL.
void quoted(std::string_view chars, std::string& out) {
  const auto visible = chars.substr(0, chars.find('\0'));
  out += '"';
  escape(visible, out);
  out += '"';
  const auto tail = chars.substr(visible.size());
  if (tail.find_first_not_of('\0') != std::string_view::npos) {
    out += "+tail";
    number(tail.size(), out);
  }
}

/// Little-endian 16-bit units; those that are not printable ASCII as \uXXXX, an odd byte at the end as \xXX.
void quoted_units(std::string_view bytes, std::string& out) {
  out += '"';
  for (; bytes.size() > 1; bytes.remove_prefix(2)) {
    const char low = bytes[0], high = bytes[1];
    if (high == 0 && low >= 0x20 && low < 0x7F) {
      escape({&low, 1}, out);
    } else {
      out += "\\u";
      add_hex(as_bytes({&high, 1}), out);
      add_hex(as_bytes({&low, 1}), out);
    }
  }
  if (!bytes.empty()) {
    out += "\\x";
    add_hex(as_bytes(bytes), out);
  }
  out += '"';
}

/// Calls `leaf(text)` for each field with its printed value, and keeps the path.
class Leaves : public FieldVisitor {
 public:
  void code(std::uint32_t& code, std::uint32_t, std::uint32_t) override {
    text_.clear();
    number(code, text_);
    leaf("code");
  }
  void scalar(const char* name, Scalar& value) override {
    text_.clear();
    scalar_text(value, text_);
    leaf(name);
  }
  void fixed_text(const char* name, std::span<char> chars) override {
    text_.clear();
    quoted({chars.data(), chars.size()}, text_);
    leaf(name);
  }
  void text(const char* name, std::string& chars, TextEnd end, bool& open) override {
    text_.clear();
    if (end == TextEnd::kZero16)
      quoted_units(chars, text_);
    else
      quoted(chars, text_);
    if (end != TextEnd::kFrame && open) text_ += "(no end)";
    leaf(name);
  }
  void padding(const char* name, std::span<std::uint8_t> bytes) override {
    text_.clear();
    add_hex(bytes, text_);
    leaf(name);
  }
  void rest(const char* name, Buffer& bytes, Kept) override {
    text_ = "<";
    number(bytes.size(), text_);
    text_ += " bytes";
    if (!bytes.empty()) text_ += ": ";
    constexpr std::size_t kShown = 24;
    add_hex(Bytes(bytes).first(std::min(bytes.size(), kShown)), text_);
    text_ += bytes.size() > kShown ? "…>" : ">";
    leaf(name);
  }
  bool part(const char*, bool there, bool) override { return there; }
  std::size_t form(const char*, std::size_t now, std::span<const std::size_t>) override { return now; }

 protected:
  virtual void leaf(const char* name) = 0;
  std::string text_;
};

class Line final : public Leaves {
 public:
  explicit Line(std::string& out) : out_(out) {}

  std::size_t list(const char* name, ListEnd end, std::size_t count, std::size_t) override {
    space();
    out_ += name;
    out_ += end == ListEnd::kFixed ? "=(" : "=[";
    levels_.push_back(end == ListEnd::kFixed ? ')' : ']');
    bare_ = true;
    in_list_ = true;
    return count;
  }
  void item(std::size_t) override { in_list_ = true; }
  void end_list() override {
    out_ += levels_.back();
    levels_.pop_back();
    in_list_ = false;
    bare_ = false;
  }
  void group(const char* name) override {
    space();
    if (!in_list_) (out_ += name) += '=';
    out_ += '{';
    bare_ = true;
    in_list_ = false;
  }
  void end_group() override {
    out_ += '}';
    bare_ = false;
  }

 private:
  void space() {
    if (!bare_) out_ += ' ';
    bare_ = false;
  }
  void leaf(const char* name) override {
    space();
    if (!in_list_) (out_ += name) += '=';
    in_list_ = false;
    out_ += text_;
  }

  std::string& out_;
  std::string levels_;
  bool bare_ = false;
  bool in_list_ = false;
};

class Paths final : public Leaves {
 public:
  explicit Paths(std::vector<Shown>& out) : out_(out) {}

  std::size_t list(const char* name, ListEnd, std::size_t count, std::size_t) override {
    marks_.push_back(path_.size());
    path_ += name;
    base_.push_back(path_.size());
    return count;
  }
  void item(std::size_t i) override {
    path_.resize(base_.back());
    path_ += '[';
    number(i, path_);
    path_ += ']';
    in_list_ = true;
  }
  void end_list() override {
    path_.resize(marks_.back());
    marks_.pop_back();
    base_.pop_back();
    in_list_ = false;
  }
  void group(const char* name) override {
    marks_.push_back(path_.size());
    if (!in_list_) path_ += name;
    path_ += '.';
    in_list_ = false;
  }
  void end_group() override {
    path_.resize(marks_.back());
    marks_.pop_back();
  }

 private:
  void leaf(const char* name) override {
    out_.push_back({in_list_ ? path_ : path_ + name, text_});
    in_list_ = false;
  }

  std::vector<Shown>& out_;
  std::string path_;
  std::vector<std::size_t> marks_, base_;
  bool in_list_ = false;
};

/// Finds the first text field with a given name.
class Find final : public FieldVisitor {
 public:
  explicit Find(std::string_view name) : name_(name) {}

  std::string found;

  void scalar(const char*, Scalar&) override {}
  void fixed_text(const char* name, std::span<char> chars) override {
    if (found.empty() && name == name_) found = readable({chars.data(), chars.size()}, TextEnd::kFixed);
  }
  void text(const char* name, std::string& chars, TextEnd end, bool&) override {
    if (found.empty() && name == name_) found = readable(chars, end);
  }
  void padding(const char*, std::span<std::uint8_t>) override {}
  void rest(const char*, Buffer&, Kept) override {}
  bool part(const char*, bool there, bool) override { return there; }
  std::size_t form(const char*, std::size_t now, std::span<const std::size_t>) override { return now; }
  std::size_t list(const char*, ListEnd, std::size_t count, std::size_t) override { return count; }

 private:
  std::string_view name_;
};

class CountOpaque final : public FieldVisitor {
 public:
  std::size_t bytes = 0;

  void scalar(const char*, Scalar&) override {}
  void fixed_text(const char*, std::span<char>) override {}
  void text(const char*, std::string&, TextEnd, bool&) override {}
  void padding(const char*, std::span<std::uint8_t>) override {}
  void rest(const char*, Buffer& kept, Kept how) override {
    if (how == Kept::kOpaque) bytes += kept.size();
  }
  bool part(const char*, bool there, bool) override { return there; }
  std::size_t form(const char*, std::size_t now, std::span<const std::size_t>) override { return now; }
  std::size_t list(const char*, ListEnd, std::size_t count, std::size_t) override { return count; }
};

}  // namespace

void escape(std::string_view text, std::string& out) {
  for (const char c : text) {
    const auto byte = static_cast<std::uint8_t>(c);
    if (c == '"' || c == '\\') out += '\\';
    if (byte >= 0x20 && byte < 0x7F) {
      out += c;
    } else {
      out += "\\x";
      add_hex(Bytes(&byte, 1), out);
    }
  }
}

std::string readable(std::string_view chars, TextEnd end) {
  std::string text = end == TextEnd::kZero16 ? utf8_of_units(chars) : std::string(chars);
  text.resize(std::min(text.find('\0'), text.size()));
  return text;
}

std::string text_of(Codec& codec, std::string_view name) {
  Find find(name);
  codec.visit(find);
  return find.found;
}

void print(const Row& row, Codec& codec, std::string& out) {
  out += row.name;
  Line line(out);
  codec.visit(line);
}

std::vector<Shown> show(Codec& codec) {
  std::vector<Shown> all;
  Paths paths(all);
  codec.visit(paths);
  return all;
}

std::string diff(const std::vector<Shown>& before, const std::vector<Shown>& after) {
  std::string out;
  const auto line = [&](const std::string& path, std::string_view from, std::string_view to) {
    ((((out += path) += ": ") += from) += " -> ") += to;
    out += '\n';
  };
  std::size_t a = 0, b = 0;
  const auto later = [](const std::vector<Shown>& in, std::size_t from, const std::string& path) {
    for (std::size_t i = from; i < in.size(); ++i)
      if (in[i].path == path) return true;
    return false;
  };
  while (a < before.size() || b < after.size()) {
    if (a < before.size() && b < after.size() && before[a].path == after[b].path) {
      if (before[a].value != after[b].value) line(before[a].path, before[a].value, after[b].value);
      ++a, ++b;
    } else if (a < before.size() && !later(after, b, before[a].path)) {
      line(before[a].path, before[a].value, "absent");
      ++a;
    } else {
      line(after[b].path, "absent", after[b].value);
      ++b;
    }
  }
  return out;
}

std::size_t opaque_bytes(Codec& codec) {
  CountOpaque count;
  codec.visit(count);
  return count.bytes;
}

}  // namespace entente::wire
