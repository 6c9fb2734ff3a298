// A self-signed certificate for a test. It names localhost and 127.0.0.1. A PEM file has it and its key, and is removed
// with the object.
#pragma once

#include <string>

namespace entente {

class Certificate {
 public:
  /// Valid for `lasts` seconds, starting `from` seconds from now.
  explicit Certificate(long from = -3600, long lasts = 7200);
  ~Certificate();
  Certificate(const Certificate&) = delete;
  Certificate& operator=(const Certificate&) = delete;

  const std::string& file() const { return file_; }  ///< with the certificate and its key

 private:
  std::string file_;
};

}  // namespace entente
