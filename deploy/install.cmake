# What `cmake --install BUILD --component system` adds to the program: what systemd, man, the shells and Prometheus read.
# Invariant: what describes the program is made by the program that is installed.
include(GNUInstallDirs)
set(system COMPONENT system EXCLUDE_FROM_ALL)

# The unit names the program by its full path.
set(unit ${CMAKE_BINARY_DIR}/system/entente.service)
file(READ ${CMAKE_CURRENT_LIST_DIR}/entente.service text)
string(REPLACE /usr/bin/entente ${CMAKE_INSTALL_FULL_BINDIR}/entente text "${text}")
file(WRITE ${unit} "${text}")
install(FILES ${unit} DESTINATION lib/systemd/system ${system})
install(FILES ${CMAKE_CURRENT_LIST_DIR}/sysusers.conf DESTINATION lib/sysusers.d RENAME entente.conf ${system})

install(FILES ${CMAKE_CURRENT_LIST_DIR}/grafana.json ${CMAKE_CURRENT_LIST_DIR}/alerts.yml
        DESTINATION ${CMAKE_INSTALL_DATADIR}/entente ${system})
file(GLOB configs ${CMAKE_SOURCE_DIR}/config/*.toml ${CMAKE_SOURCE_DIR}/config/*.json)
install(FILES ${configs} DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples ${system})
file(GLOB rules ${CMAKE_SOURCE_DIR}/config/rules/*.lua)
install(FILES ${rules} DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples/rules ${system})

# entente_made(<format> <destination> <name>): a file that `entente help --format` prints.
function(entente_made format destination name)
  set(made ${CMAKE_BINARY_DIR}/system/${format}/${name})
  install(CODE "
    file(MAKE_DIRECTORY \"${CMAKE_BINARY_DIR}/system/${format}\")
    execute_process(COMMAND \"$<TARGET_FILE:entente>\" help --format ${format} OUTPUT_FILE \"${made}\" COMMAND_ERROR_IS_FATAL ANY)
  " ${system})
  install(FILES ${made} DESTINATION ${destination} ${system})
endfunction()
entente_made(man ${CMAKE_INSTALL_MANDIR}/man1 entente.1)
entente_made(man-config ${CMAKE_INSTALL_MANDIR}/man5 entente.toml.5)
entente_made(bash ${CMAKE_INSTALL_DATADIR}/bash-completion/completions entente)
# Where zsh looks: Debian's packages have a folder of their own.
set(zsh site-functions)
if(CMAKE_INSTALL_PREFIX STREQUAL /usr)
  set(zsh vendor-completions)
endif()
entente_made(zsh ${CMAKE_INSTALL_DATADIR}/zsh/${zsh} _entente)
entente_made(fish ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d entente.fish)
