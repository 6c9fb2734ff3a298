// The tables of rows.h: the only place that names, types and explains their columns. CSV's headers, SQLite's tables,
// JSON's names and the manual are made from them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "proxy/program/numbers/rows.h"

namespace entente::numbers {

enum class Type { kInteger, kReal, kBoolean, kText };

/// A value; monostate: null.
using Cell = std::variant<std::monostate, std::int64_t, double, bool, std::string_view>;

struct Column {
  const char* name;
  Type type;
  bool nullable;
  const char* about;
  const char* refers;        ///< the table that it refers to, by its first column; "": none
  Cell (*cell)(const Row&);  ///< REQUIRES: a row of the table. A text lives as long as the row
};

struct Table {
  const char* name;
  const char* about;
  bool keyed;  ///< its first column is its key
  std::span<const Column> columns;
};

/// In the order of Row's kinds.
std::span<const Table> tables();

inline const Table& table_of(const Row& row) { return tables()[row.index()]; }

/// "integer", "real", "boolean", "text"
const char* name_of(Type type);
/// The unit that a name shows: "s" of "time_s"; "": none.
std::string_view unit_of(std::string_view column);

/// All tables, for the manual.
std::string tables_in_markdown();

}  // namespace entente::numbers
