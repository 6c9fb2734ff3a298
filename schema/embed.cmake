# Writes a C++ source that defines entente::config_schema(), which returns the bytes of FILE.
# Invariant: run by the build only (cmake -DFILE=… -DOUT=… -P embed.cmake).
file(WRITE ${OUT} "#include \"proxy/program/config/config_schema.h\"

__asm__(\".pushsection .rodata\\nconfig_schema_bytes: .incbin \\\"${FILE}\\\"\\nconfig_schema_end: .popsection\");
extern \"C\" const std::uint8_t config_schema_bytes[], config_schema_end[];

entente::Bytes entente::config_schema() { return {config_schema_bytes, config_schema_end}; }
")
