# Installs sluice::client for `find_package(sluice)`: component "development".
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/sluice)
set_target_properties(sluice_client sluice_wire sluice_proto sluice_grpc PROPERTIES POSITION_INDEPENDENT_CODE ON)
set_target_properties(sluice_client PROPERTIES EXPORT_NAME client OUTPUT_NAME sluice_client)
set_target_properties(sluice_proto PROPERTIES EXPORT_NAME proto)
set_target_properties(sluice_grpc PROPERTIES EXPORT_NAME grpc)
# Public headers name messages, never services: only those are installed.
target_include_directories(sluice_proto INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
foreach(message annotations assets frames scene scenes server sessions)
  install(FILES ${PROJECT_BINARY_DIR}/proto/sluice/v1/${message}.pb.h
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/sluice/v1 COMPONENT development)
endforeach()
install(TARGETS sluice_client sluice_proto sluice_grpc EXPORT sluice
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
  FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
install(EXPORT sluice NAMESPACE sluice:: FILE sluiceTargets.cmake DESTINATION ${package_dir}
  COMPONENT development)
configure_package_config_file(sluiceConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/sluiceConfig.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/sluiceConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/sluiceConfig.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/sluiceConfigVersion.cmake
  DESTINATION ${package_dir} COMPONENT development)
