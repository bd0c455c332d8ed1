# SPDX-License-Identifier: Apache-2.0
# The Debian package: `cpack --config build/release/CPackConfig.cmake -B DIRECTORY` makes sluice_VERSION_ARCHITECTURE.deb there
# of the server, the worker, the command line, the viewer and the example scenes. What it depends on is what the programs name.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME sluice)
set(CPACK_PACKAGE_VENDOR "The Sluice developers")
set(CPACK_PACKAGE_CONTACT "The Sluice developers <sluice@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "simulates fluids and deformable solids that touch each other, as a service")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)

# One package of what runs; client/lib's headers and archives are for who builds from source.
set(CPACK_COMPONENTS_ALL server runtime)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_DEB_COMPONENT_INSTALL ON)

set(CPACK_DEBIAN_PACKAGE_NAME sluice)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS ffmpeg) # For films.
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright COMPONENT runtime)
include(CPack)
