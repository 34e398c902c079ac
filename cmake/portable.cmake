# SPDX-License-Identifier: Apache-2.0
# The preset `portable`: `tileproof` runs on glibc 2.31 and later without installing anything, and
# from any folder. Compiling is as in `release`, so ccache has the objects; linking differs:
#   - glibc 2.31 and its start files, from the folder that tools/portable_inputs makes
#   - libstdc++ and Abseil as static libraries
#   - Z3 as lib/tileproof/libz3.so beside the program, because Debian has no static Z3
# libz3.so itself needs libstdc++.so.6 and libgcc_s.so.1 of any version since 2010; every Debian and
# Ubuntu has them, as apt needs them.
# `cpack -G TGZ` makes tileproof-VERSION-Linux-x86_64.tar.gz of it.
set(TILEPROOF_PORTABLE "" CACHE PATH "The folder that tools/portable_inputs made, for a program that runs on glibc 2.31")
if(TILEPROOF_PORTABLE AND NOT EXISTS ${TILEPROOF_PORTABLE}/complete)
  message(FATAL_ERROR "First run: tools/portable_inputs ${TILEPROOF_PORTABLE}")
endif()

# After find_package(absl): Debian has each library of Abseil as .so and as .a.
function(tileproof_static_abseil)
  get_property(targets DIRECTORY PROPERTY IMPORTED_TARGETS)
  foreach(target ${targets})
    get_target_property(configurations ${target} IMPORTED_CONFIGURATIONS)
    if(target MATCHES "^absl::" AND configurations)
      foreach(configuration ${configurations})
        get_target_property(location ${target} IMPORTED_LOCATION_${configuration})
        string(REGEX REPLACE "\\.so\\.[0-9.]*$" ".a" location "${location}")
        set_target_properties(${target} PROPERTIES IMPORTED_LOCATION_${configuration} ${location})
      endforeach()
    endif()
  endforeach()
endfunction()

# After add_executable(tileproof ..).
function(tileproof_link_portable)
  set(root ${TILEPROOF_PORTABLE}/sysroot)
  target_sources(tileproof PRIVATE ${PROJECT_SOURCE_DIR}/cmake/portable_glibc.cc)
  set_source_files_properties(${PROJECT_SOURCE_DIR}/cmake/portable_glibc.cc
    TARGET_DIRECTORY tileproof PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
  # g++ looks for libraries beside itself before it looks into the sysroot, hence -B and -L.
  target_link_options(tileproof PRIVATE --sysroot=${root} -B${root}/usr/lib/x86_64-linux-gnu/
    -L${root}/usr/lib/x86_64-linux-gnu -L${root}/lib/x86_64-linux-gnu
    -static-libstdc++ -Wl,--allow-shlib-undefined
    -Wl,--version-script,${PROJECT_SOURCE_DIR}/cmake/portable.map)
  target_link_libraries(tileproof PRIVATE pthread dl)
  set_target_properties(tileproof PROPERTIES INSTALL_RPATH "$ORIGIN/../lib/tileproof")
  install(PROGRAMS ${TILEPROOF_PORTABLE}/libz3.so DESTINATION lib/tileproof COMPONENT program)
  foreach(package libz3-dev libabsl-dev libcli11-dev libboost1.74-dev)  # their licences ask for a copy beside the program
    install(FILES /usr/share/doc/${package}/copyright RENAME ${package}
      DESTINATION share/doc/tileproof/third_party COMPONENT program)
  endforeach()
endfunction()
