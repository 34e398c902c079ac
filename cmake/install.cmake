# cmake --install: the program, the header of plug-ins, and the libraries of the values, the reference and the closed forms. Headers keep
# their rooms: what is "impl/simplify.h" here is so there, below include/tileproof.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(TILEPROOF_PACKAGE ${CMAKE_INSTALL_LIBDIR}/cmake/tileproof)

install(TARGETS tileproof)
foreach(name lang spec impl simplify indexing plugin)
  set_target_properties(tileproof_${name} PROPERTIES EXPORT_NAME ${name})
  install(TARGETS tileproof_${name} EXPORT tileproof)
endforeach()
install(EXPORT tileproof FILE tileproofTargets.cmake NAMESPACE tileproof:: DESTINATION ${TILEPROOF_PACKAGE})
install(FILES include/tileproof/plugin.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tileproof)
install(DIRECTORY spec impl DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tileproof
  FILES_MATCHING PATTERN "*.h" PATTERN "*_testing.h" EXCLUDE)
configure_package_config_file(cmake/tileproofConfig.cmake.in ${CMAKE_BINARY_DIR}/tileproofConfig.cmake
  INSTALL_DESTINATION ${TILEPROOF_PACKAGE})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/tileproofConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/tileproofConfig.cmake ${CMAKE_BINARY_DIR}/tileproofConfigVersion.cmake
  DESTINATION ${TILEPROOF_PACKAGE})
