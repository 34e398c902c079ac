# SPDX-License-Identifier: Apache-2.0
# cmake --install: the program, the header of plug-ins, and the libraries of the values, the reference and the closed forms. Headers keep
# their rooms: "impl/map/simplify.h" here is include/tileproof/impl/map/simplify.h there.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(TILEPROOF_PACKAGE ${CMAKE_INSTALL_LIBDIR}/cmake/tileproof)

# The component `program` is what a user needs; cmake/package.cmake makes a package of it.
install(TARGETS tileproof COMPONENT program)
install(DIRECTORY ${TILEPROOF_PAGES}/ DESTINATION ${CMAKE_INSTALL_DATAROOTDIR} COMPONENT program)
install(FILES LICENSE THIRD_PARTY.md README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
# The page of `tileproof explore`, if tools/explorer has built it.
install(FILES build/explorer/page/index.html RENAME explorer.html DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/tileproof
  COMPONENT program OPTIONAL)
install(FILES include/tileproof/plugin.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tileproof COMPONENT program)
# tileproof::lang, ::spec, ::impl (layouts), ::simplify (maps), ::indexing (HLO) stand for the folders behind them.
add_library(tileproof_simplify INTERFACE)
target_link_libraries(tileproof_simplify INTERFACE tileproof_impl_map)
add_library(tileproof_indexing INTERFACE)
target_link_libraries(tileproof_indexing INTERFACE tileproof_impl_access tileproof_impl_hlo)
set(folders)
foreach(room spec impl)
  file(GLOB_RECURSE lists RELATIVE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/${room}/*/CMakeLists.txt)
  foreach(list ${lists})
    get_filename_component(folder ${list} DIRECTORY)
    string(REPLACE "/" "_" folder ${folder})
    if(TARGET tileproof_${folder})
      list(APPEND folders ${folder})
    endif()
  endforeach()
endforeach()
foreach(name lang spec impl simplify indexing plugin ${folders})
  set_target_properties(tileproof_${name} PROPERTIES EXPORT_NAME ${name})
  install(TARGETS tileproof_${name} EXPORT tileproof COMPONENT libraries)
endforeach()
install(EXPORT tileproof FILE tileproofTargets.cmake NAMESPACE tileproof:: DESTINATION ${TILEPROOF_PACKAGE} COMPONENT libraries)
install(DIRECTORY spec impl DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tileproof COMPONENT libraries
  FILES_MATCHING PATTERN "*.h" PATTERN "*_testing.h" EXCLUDE)
configure_package_config_file(cmake/tileproofConfig.cmake.in ${CMAKE_BINARY_DIR}/tileproofConfig.cmake
  INSTALL_DESTINATION ${TILEPROOF_PACKAGE})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/tileproofConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/tileproofConfig.cmake ${CMAKE_BINARY_DIR}/tileproofConfigVersion.cmake
  DESTINATION ${TILEPROOF_PACKAGE} COMPONENT libraries)
