// The entry point. It catches exceptions that nothing else caught: a bug, or a lack of memory.
#include <exception>
#include <string>

#include "proxy/program/base/journal.h"
#include "proxy/program/cli.h"

int main(int argc, char** argv) {
  try {
    return entente::run_cli(argc, argv);
  } catch (const std::exception& error) {
    entente::print_error(std::string("entente: ") + error.what());
    return 1;
  }
}
