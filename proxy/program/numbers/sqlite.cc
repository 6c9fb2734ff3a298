// A database of SQLite: a table for each of tables(), with prepared statements and one transaction.
#include <sqlite3.h>

#include <limits>
#include <vector>

#include "proxy/program/numbers/output.h"
#include "proxy/program/numbers/tables.h"

namespace entente::numbers {
namespace {

struct CloseDatabase {
  void operator()(sqlite3* one) const { sqlite3_close(one); }
};
struct FreeStatement {
  void operator()(sqlite3_stmt* one) const { sqlite3_finalize(one); }
};

const char* sql_type(Type type) { return type == Type::kText ? "TEXT" : type == Type::kReal ? "REAL" : "INTEGER"; }

const char* key_of(std::string_view table) {
  for (const Table& one : tables())
    if (table == one.name) return one.columns.front().name;
  return "";
}

/// The comments stay in the database, where `.schema` of sqlite3 shows them.
std::string create_table(const Table& table) {
  std::string sql = std::string("CREATE TABLE ") + table.name + " (  -- " + table.about + "\n";
  for (const Column& column : table.columns) {
    const bool first = &column == table.columns.data(), last = &column == &table.columns.back();
    ((sql += "  ") += column.name) += std::string(" ") + sql_type(column.type);
    if (first && table.keyed) sql += " PRIMARY KEY";
    if (!column.nullable) sql += " NOT NULL";
    if (*column.refers != '\0')
      sql +=
          std::string(" REFERENCES ") + column.refers + "(" + key_of(column.refers) + ") DEFERRABLE INITIALLY DEFERRED";
    sql +=
        std::string(last ? "" : ",") + "  -- " + column.about + (column.type == Type::kBoolean ? " (0 or 1)\n" : "\n");
  }
  return sql + ")";
}

std::string insert_into(const Table& table) {
  std::string sql = std::string("INSERT INTO ") + table.name + " VALUES (";
  for (std::size_t i = 0; i < table.columns.size(); ++i) sql += i == 0 ? "?" : ",?";
  return sql + ")";
}

class SqliteOutput final : public Output {
 public:
  explicit SqliteOutput(std::unique_ptr<trace::FileSink> file) : file_(std::move(file)) {}
  ~SqliteOutput() override {
    statements_.clear();
    database_.reset();
    if (file_) file_->discard();
  }
  SqliteOutput(const SqliteOutput&) = delete;
  SqliteOutput& operator=(const SqliteOutput&) = delete;

  Outcome<Done> open() {
    sqlite3* opened = nullptr;
    // With a folder, no name is one of SQLite's own, such as ":memory:".
    const std::string path = file_->name().starts_with('/') ? file_->name() : "./" + file_->name();
    const int code = sqlite3_open_v2(path.c_str(), &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr);
    database_.reset(opened);
    if (code != SQLITE_OK) fail();
    // A file that fails is removed, so it needs no journal.
    for (const char* sql : {"PRAGMA journal_mode=OFF", "PRAGMA synchronous=OFF", "PRAGMA locking_mode=EXCLUSIVE",
                            "PRAGMA foreign_keys=ON", "BEGIN"})
      run(sql);
    for (const Table& table : tables()) run(create_table(table));
    for (const Table& table : tables()) prepare(insert_into(table));
    return failed_ ? Outcome<Done>(*failed_) : Done{};
  }

  void take(const Row& row) override {
    if (failed_) return;
    sqlite3_stmt* insert = statements_[row.index()].get();
    int index = 0;
    for (const Column& column : table_of(row).columns) bind(insert, ++index, column.cell(row));
    if (sqlite3_step(insert) != SQLITE_DONE) fail();
    sqlite3_reset(insert);
  }

  Outcome<Done> complete() override {
    for (const Table& table : tables())
      for (const Column& column : table.columns)
        if (*column.refers != '\0')
          run(std::string("CREATE INDEX ") + table.name + "_" + column.name + " ON " + table.name + "(" + column.name +
              ")");
    run("COMMIT");
    statements_.clear();
    if (!failed_ && sqlite3_close(database_.get()) != SQLITE_OK) fail();
    if (failed_) return *failed_;
    (void)database_.release();
    return file_->sync();
  }
  Outcome<Done> finish() override {
    if (auto finished = file_->finish(); !finished) return finished;
    file_.reset();
    return Done{};
  }

 private:
  static void bind(sqlite3_stmt* to, int index, const Cell& cell) {
    if (const auto* number = std::get_if<std::int64_t>(&cell))
      sqlite3_bind_int64(to, index, *number);
    else if (const auto* real = std::get_if<double>(&cell))
      sqlite3_bind_double(to, index, *real);
    else if (const auto* yes = std::get_if<bool>(&cell))
      sqlite3_bind_int(to, index, *yes ? 1 : 0);
    else if (const auto* text = std::get_if<std::string_view>(&cell))
      sqlite3_bind_text64(to, index, text->data(), text->size(), SQLITE_STATIC, SQLITE_UTF8);
    else
      sqlite3_bind_null(to, index);
  }

  void run(const std::string& sql) {
    if (!failed_ && sqlite3_exec(database_.get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) fail();
  }
  void prepare(const std::string& sql) {
    sqlite3_stmt* statement = nullptr;
    if (!failed_ && sqlite3_prepare_v2(database_.get(), sql.c_str(), -1, &statement, nullptr) != SQLITE_OK) fail();
    statements_.emplace_back(statement);
  }
  void fail() {
    if (!failed_) failed_ = Error{"cannot write " + file_->name() + ": " + sqlite3_errmsg(database_.get())};
  }

  std::unique_ptr<trace::FileSink> file_;
  std::unique_ptr<sqlite3, CloseDatabase> database_;
  std::vector<std::unique_ptr<sqlite3_stmt, FreeStatement>> statements_;  // in the order of tables()
  std::optional<Error> failed_;
};

}  // namespace

Outcome<std::unique_ptr<Output>> sqlite_output(const std::string& path) {
  auto file = trace::FileSink::create(path, ".writing");
  if (!file) return file.error();
  auto output = std::make_unique<SqliteOutput>(std::move(*file));
  if (const auto opened = output->open(); !opened) return opened.error();
  return std::unique_ptr<Output>(std::move(output));
}

}  // namespace entente::numbers
