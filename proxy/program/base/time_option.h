// An option that takes a time, in the forms of time_text.h.
#pragma once

#include <CLI/CLI.hpp>

#include <functional>
#include <string>
#include <utility>

#include "proxy/core/seconds.h"
#include "proxy/program/base/time_text.h"

namespace entente {

/// `set` gets the seconds, with fractions.
inline CLI::Option* add_time(CLI::App& app, const char* name, std::function<void(double seconds)> set,
                             const char* about) {
  const auto read = [set = std::move(set)](const std::string& text) { set(core::seconds(*parse_time(text))); };
  return app.add_option_function<std::string>(name, read, about)
      ->check([](const std::string& text) {
        const auto time = parse_time(text);
        return time ? std::string() : time.error().text;
      })
      ->type_name("TIME");
}

}  // namespace entente
