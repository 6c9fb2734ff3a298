// The entry point of every test binary.
#include <doctest/doctest.h>

int main(int count, char** words) { return doctest::Context(count, words).run(); }
