# Writes the files of the page, the page itself first, as a C++ source that defines entente::native::page().
# Law: run by the build only (cmake -DOUT=… -P embed.cmake); each file goes in byte by byte.
set(type_html "text/html; charset=utf-8")
set(type_css "text/css; charset=utf-8")
set(type_js "text/javascript; charset=utf-8")
set(type_svg "image/svg+xml")

file(GLOB rest RELATIVE ${CMAKE_CURRENT_LIST_DIR} ${CMAKE_CURRENT_LIST_DIR}/*.css ${CMAKE_CURRENT_LIST_DIR}/*.js
     ${CMAKE_CURRENT_LIST_DIR}/*.svg)
set(count 0)
foreach(name index.html ${rest})
  file(READ ${CMAKE_CURRENT_LIST_DIR}/${name} hex HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
  string(REGEX REPLACE "(................................................................................)" "\\1\n" bytes
         "${bytes}")
  string(REGEX REPLACE ".*\\." "" ending ${name})
  string(APPEND texts "const unsigned char text_${count}[] = {\n${bytes}};\n")
  string(APPEND files "    {\"${name}\", \"${type_${ending}}\", as_text(text_${count})},\n")
  math(EXPR count "${count} + 1")
endforeach()
file(WRITE ${OUT} "#include \"adapters/native/page.h\"

#include \"proxy/base/bytes.h\"

namespace entente::native {
namespace {

${texts}
const Asset files[] = {
${files}};

}  // namespace

std::span<const Asset> page() { return files; }

}  // namespace entente::native
")
