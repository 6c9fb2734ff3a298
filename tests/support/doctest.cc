// doctest itself, for every program that uses the test library.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>
