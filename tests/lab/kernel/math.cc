// Functions of the C library on single-precision numbers, by those on double precision: the last bit of what the
// library's own ones return depends on its version.
#include <cmath>

extern "C" {

float sinf(float of) noexcept { return static_cast<float>(std::sin(static_cast<double>(of))); }
float cosf(float of) noexcept { return static_cast<float>(std::cos(static_cast<double>(of))); }
void sincosf(float of, float* sine, float* cosine) noexcept {
  *sine = sinf(of);
  *cosine = cosf(of);
}
float atan2f(float y, float x) noexcept {
  return static_cast<float>(std::atan2(static_cast<double>(y), static_cast<double>(x)));
}
float hypotf(float x, float y) noexcept {
  return static_cast<float>(std::hypot(static_cast<double>(x), static_cast<double>(y)));
}

}  // extern "C"
