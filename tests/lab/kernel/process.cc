#include "tests/lab/kernel/process.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <utility>

#include "tests/lab/kernel/memory.h"

namespace entente::lab {
namespace {

/// Variables of the program that are not constant after its start, by parts of their mangled names: each process has
/// its own.
constexpr const char* kOwn[] = {
    "12_GLOBAL__N_1L11interruptedE",
    "12_GLOBAL__N_111interruptedE",
    "12_GLOBAL__N_113log_has_begunE",
    "12_GLOBAL__N_113named_processE",
    "12_GLOBAL__N_17to_stopE",
    "12_GLOBAL__N_18to_drainE",
    "12_GLOBAL__N_18hang_upsEvE7counted",
    "12_GLOBAL__N_115library_limiterEvE7limiter",
    "13PassedSockets3allEvE7sockets",
    "15steady_wall_nowEvE5began",
};

struct Piece {
  char* at;
  std::size_t size;
};

/// A file in memory, for as long as the program runs.
std::string_view contents(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat its {};
  if (fd < 0 || ::fstat(fd, &its) != 0) std::abort();
  const auto size = static_cast<std::size_t>(its.st_size);
  void* const at = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  ::close(fd);
  if (at == MAP_FAILED) std::abort();
  return {static_cast<const char*>(at), size};
}

bool is_own(std::string_view name) {
  return name.find("7entente") != std::string_view::npos &&
         std::any_of(std::begin(kOwn), std::end(kOwn),
                     [&](const char* one) { return name.find(one) != std::string_view::npos; });
}

/// Adds the variables of one file that is loaded at `base`.
void find_pieces(const std::string& path, std::uintptr_t base, std::vector<Piece>& pieces) {
  const std::string_view file = contents(path);
  const auto read = [&](std::size_t at, auto& into) {
    if (at + sizeof into > file.size()) std::abort();
    std::memcpy(&into, file.data() + at, sizeof into);
  };
  Elf64_Ehdr head;
  read(0, head);
  const auto section = [&](std::size_t number) {
    Elf64_Shdr its;
    read(head.e_shoff + number * head.e_shentsize, its);
    return its;
  };
  for (std::size_t i = 0; i < head.e_shnum; ++i) {
    const Elf64_Shdr table = section(i);
    if (table.sh_type != SHT_SYMTAB) continue;
    const Elf64_Shdr names = section(table.sh_link);
    for (std::size_t at = 0; at < table.sh_size; at += sizeof(Elf64_Sym)) {
      Elf64_Sym symbol;
      read(table.sh_offset + at, symbol);
      if (ELF64_ST_TYPE(symbol.st_info) != STT_OBJECT || symbol.st_shndx == SHN_UNDEF) continue;
      if ((section(symbol.st_shndx).sh_flags & SHF_WRITE) != 0 &&
          is_own(file.data() + names.sh_offset + symbol.st_name))
        pieces.push_back({reinterpret_cast<char*>(base + symbol.st_value), symbol.st_size});
    }
  }
}

const std::vector<Piece>& pieces() {
  static const std::vector<Piece> all = [] {
    std::vector<Piece> found;
    dl_iterate_phdr(
        [](dl_phdr_info* loaded, std::size_t, void* into) {
          const std::string name = loaded->dlpi_name;
          if (name.empty() || name.find("libentente_") != std::string::npos)
            find_pieces(name.empty() ? "/proc/self/exe" : name, loaded->dlpi_addr,
                        *static_cast<std::vector<Piece>*>(into));
          return 0;
        },
        &found);
    if (found.size() < std::size(kOwn) - 1) {
      std::fprintf(stderr, "lab: only %zu global variables of the program are found\n", found.size());
      std::abort();
    }
    return found;
  }();
  return all;
}

std::vector<char> saved() {
  std::vector<char> bytes;
  for (const Piece& one : pieces()) bytes.insert(bytes.end(), one.at, one.at + one.size);
  return bytes;
}

void restore(const std::vector<char>& bytes) {
  std::size_t from = 0;
  for (const Piece& one : pieces()) {
    std::memcpy(one.at, bytes.data() + from, one.size);
    from += one.size;
  }
}

}  // namespace

Processes::Processes(Kernel& kernel) : kernel_(kernel) {}
Processes::~Processes() = default;

void Processes::find_globals() { (void)pieces(); }

void Processes::set_main(Main main, Prints prints) {
  main_ = std::move(main);
  prints_ = std::move(prints);
  fresh_ = saved();
}

std::size_t Processes::start(std::uint32_t host, std::vector<std::string> arguments, Standard standard) {
  const Aside aside;
  const std::size_t program = kernel_.programs();
  Process& its = all_[program];
  its.arguments = std::move(arguments);
  its.globals = fresh_;
  for (const auto& one : standard)
    if (one) ++one->descriptors;  // it may be closed before the process runs
  its.standard = std::move(standard);
  return kernel_.begin_program(host, [this, program] { run(program); });
}

void Processes::run(std::size_t program) {
  Process& its = all_.at(program);
  for (std::size_t i = 0; i < its.standard.size(); ++i)
    if (const auto file = std::exchange(its.standard[i], nullptr)) {
      its.descriptors[i] = kernel_.open(file);
      --file->descriptors;
    }
  std::vector<const char*> arguments;
  for (const std::string& one : its.arguments) arguments.push_back(one.c_str());
  arguments.push_back(nullptr);
  its.code = main_(static_cast<int>(its.arguments.size()), arguments.data());
  const auto alone = [this, program] { return kernel_.threads_of(program) == 1; };
  if (!alone()) kernel_.wait(alone, kernel_.now() + 1'000 * kMilli);
  its.threads_left = kernel_.threads_of(program) - 1;
  arguments = {};
  kernel_.finish_threads(program);
  its.heap_left = heap_of(program);
  its.files_left = kernel_.open_files(program);
  kernel_.close_files(program);  // as the system does
  if (its.threads_left != 0) kernel_.after(0, [this, program] { kernel_.kill(program); });
}

std::optional<int> Processes::ended(std::size_t program) const {
  const Process& its = all_.at(program);
  if (its.code) return its.code;
  return kernel_.is_over(program) ? std::optional(128 + SIGKILL) : std::nullopt;
}

// -- Signals ----------------------------------------------------------------------------------------------------------

Processes::Handler Processes::handler(int number) const {
  const auto& handlers = all_.at(kernel_.program()).handlers;
  const auto found = handlers.find(number);
  return found != handlers.end() ? found->second : SIG_DFL;
}

void Processes::signal(std::size_t program, int number) {
  if (kernel_.is_over(program)) return;
  Process& its = all_.at(program);
  const auto found = its.handlers.find(number);
  const Handler handles = found != its.handlers.end() && number != SIGKILL ? found->second : SIG_DFL;
  if (handles == SIG_IGN) return;
  if (handles != SIG_DFL) {
    kernel_.start_in(program, [handles, number] { handles(number); });
    return;
  }
  if (!its.code) its.code = 128 + number;
  kernel_.after(0, [this, program] { kernel_.kill(program); });
}

void Processes::crash(std::uint32_t host) {
  kernel_.after(0, [this, host] {
    for (auto& [program, its] : all_) {
      if (kernel_.host_of(program) != host || kernel_.is_over(program)) continue;
      if (!its.code) its.code = 128 + SIGKILL;
      kernel_.vanish(program);
    }
  });
}

void Processes::print(const std::string& path, std::string_view text) const {
  const Aside aside;
  if (prints_) prints_(kernel_.program(), path, text);
}

// -- Global variables -------------------------------------------------------------------------------------------------

void Processes::enter(std::size_t program) {
  const auto to = has(program) ? std::optional(program) : std::nullopt;
  if (to == here_) return;
  const Aside aside;
  (here_ ? all_.at(*here_).globals : outside_) = saved();
  restore(to ? all_.at(*to).globals : outside_);
  here_ = to;
}

}  // namespace entente::lab
