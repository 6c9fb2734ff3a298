// A certificate of our own for a test: it names localhost and 127.0.0.1, lies in a file of PEM with its key, and is
// gone with the test.
#pragma once

#include <string>

namespace entente {

class Certificate {
 public:
  /// Valid from so many seconds from now on, for so many.
  explicit Certificate(long from = -3600, long lasts = 7200);
  ~Certificate();
  Certificate(const Certificate&) = delete;
  Certificate& operator=(const Certificate&) = delete;

  const std::string& file() const { return file_; }  ///< the certificate, which is its own authority, and the key

 private:
  std::string file_;
};

}  // namespace entente
