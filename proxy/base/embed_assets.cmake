# Writes the files of a web page, index.html first, as a C++ source that defines NAMESPACE::FUNCTION(), which HEADER declares (asset.h).
# Law: run by the build only, at the top (cmake -DFOLDER=… -DHEADER=… -DNAMESPACE=… -DFUNCTION=… -DOUT=… -P embed_assets.cmake); each file
# goes in byte by byte. MORE: paths of files from elsewhere, which go in by their names.
set(type_html "text/html; charset=utf-8")
set(type_css "text/css; charset=utf-8")
set(type_js "text/javascript; charset=utf-8")
set(type_svg "image/svg+xml")

file(GLOB rest RELATIVE ${CMAKE_CURRENT_SOURCE_DIR}/${FOLDER} ${FOLDER}/*.css ${FOLDER}/*.js ${FOLDER}/*.svg)
set(count 0)
list(TRANSFORM rest PREPEND ${FOLDER}/)
foreach(path ${FOLDER}/index.html ${rest} ${MORE})
  file(READ ${path} hex HEX)
  get_filename_component(name ${path} NAME)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
  string(REGEX REPLACE "(................................................................................)" "\\1\n" bytes
         "${bytes}")
  string(REGEX REPLACE ".*\\." "" ending ${name})
  string(APPEND texts "const unsigned char text_${count}[] = {\n${bytes}};\n")
  string(APPEND files "    {\"${name}\", \"${type_${ending}}\", as_text(text_${count})},\n")
  math(EXPR count "${count} + 1")
endforeach()
file(WRITE ${OUT} "#include \"${HEADER}\"

#include \"proxy/base/bytes.h\"

namespace ${NAMESPACE} {
namespace {

${texts}
const Asset files[] = {
${files}};

}  // namespace

std::span<const Asset> ${FUNCTION}() { return files; }

}  // namespace ${NAMESPACE}
")
