# Writes the bytes of FILE as a C++ source that defines entente::config_schema().
# Law: run by the build only (cmake -DFILE=… -DOUT=… -P embed.cmake).
file(READ ${FILE} hex HEX)
string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
string(REGEX REPLACE "(................................................................................)" "\\1\n" bytes "${bytes}")
file(WRITE ${OUT} "#include \"proxy/program/config/config_schema.h\"

static const unsigned char bytes[] = {
${bytes}
};

entente::Bytes entente::config_schema() { return bytes; }
")
