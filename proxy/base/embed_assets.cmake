# Writes the files of a web page, index.html first, as a C++ source that defines NAMESPACE::FUNCTION(), which HEADER declares (asset.h).
# Invariant: run by the build only, at the top (cmake -DFOLDER=… -DHEADER=… -DNAMESPACE=… -DFUNCTION=… -DOUT=… -P embed_assets.cmake); each file
# goes in byte by byte. MORE: paths of files from elsewhere, such as bundled scripts, which go in by their names.
set(type_html "text/html; charset=utf-8")
set(type_css "text/css; charset=utf-8")
set(type_js "text/javascript; charset=utf-8")
set(type_svg "image/svg+xml")

file(GLOB rest RELATIVE ${CMAKE_CURRENT_SOURCE_DIR}/${FOLDER} ${FOLDER}/*.css ${FOLDER}/*.svg)
set(count 0)
list(TRANSFORM rest PREPEND ${FOLDER}/)
foreach(path ${FOLDER}/index.html ${rest} ${MORE})
  get_filename_component(path ${path} ABSOLUTE)
  get_filename_component(name ${path} NAME)
  string(REGEX REPLACE ".*\\." "" ending ${name})
  set(label ${FUNCTION}_${count})
  # The assembler reads a file faster than the compiler reads a megabyte of numbers.
  string(APPEND labels "__asm__(\".pushsection .rodata\\n${label}: .incbin \\\"${path}\\\"\\n${label}_end: .popsection\");
extern \"C\" const char ${label}[], ${label}_end[];
")
  file(SHA256 ${path} hash)
  string(SUBSTRING ${hash} 0 16 tag)
  string(APPEND files "    {\"${name}\", \"${type_${ending}}\", {${label}, ${label}_end}, \"\\\"${tag}\\\"\"},\n")
  math(EXPR count "${count} + 1")
endforeach()
file(WRITE ${OUT} "#include \"${HEADER}\"

${labels}
namespace ${NAMESPACE} {
namespace {

const Asset files[] = {
${files}};

}  // namespace

std::span<const Asset> ${FUNCTION}() { return files; }

}  // namespace ${NAMESPACE}
")
