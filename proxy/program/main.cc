// The entry point. It catches exceptions that nothing else caught: a bug, or a lack of memory.
#include <cstdio>
#include <exception>

#include "proxy/program/cli.h"

int main(int argc, char** argv) {
  try {
    return entente::run_cli(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "entente: %s\n", error.what());
    return 1;
  }
}
