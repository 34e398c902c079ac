# SPDX-License-Identifier: Apache-2.0
# cpack -G DEB, in the build folder: the program with its man pages, completion and the header of plug-ins, as a Debian
# package. Build the target `tileproof` first. dpkg-shlibdeps finds the packages of the libraries that it needs.
set(CPACK_PACKAGE_NAME tileproof)
set(CPACK_PACKAGE_CONTACT "The Tileproof authors <tileproof@invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Checks tiled layouts and indexing maps of tensor compilers")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_COMPONENTS_ALL program)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "python3")
# cpack -G TGZ, in the build folder of the preset `portable`: the same files in one folder.
set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
if(TILEPROOF_PORTABLE)
  set(CPACK_COMPONENT_INCLUDE_TOPLEVEL_DIRECTORY ON)
endif()
set(CPACK_PACKAGE_FILE_NAME tileproof-${PROJECT_VERSION}-Linux-${CMAKE_SYSTEM_PROCESSOR})
include(CPack)
