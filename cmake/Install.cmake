# cmake --install: headers, libraries, the program, the CMake package and the
# pkg-config file. Nothing installed holds a path of this machine, so the folder
# may be moved.

include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Sluice)
set(templates ${PROJECT_SOURCE_DIR}/cmake/install)

install(TARGETS sluice_archive sluice_static sluice_shared
  EXPORT SluiceTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT SluiceTargets NAMESPACE Sluice:: DESTINATION ${package_dir})
configure_package_config_file(${templates}/SluiceConfig.cmake.in
  ${PROJECT_BINARY_DIR}/package/SluiceConfig.cmake
  INSTALL_DESTINATION ${package_dir})
# 0.x: a new minor version may break programs.
write_basic_package_version_file(
  ${PROJECT_BINARY_DIR}/package/SluiceConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/package/SluiceConfig.cmake
  ${PROJECT_BINARY_DIR}/package/SluiceConfigVersion.cmake
  DESTINATION ${package_dir})

# From the .pc file back to the prefix, wherever that is by then.
file(RELATIVE_PATH pc_prefix
  /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(${templates}/sluice.pc.in
  ${PROJECT_BINARY_DIR}/package/sluice.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/package/sluice.pc
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# Headers: those of include/ and what they include, found when installing.
install(CODE "
  set(SLUICE_SOURCE_DIR \"${PROJECT_SOURCE_DIR}\")
  set(SLUICE_GENERATED_DIR \"${SLUICE_GENERATED_DIR}\")
  set(SLUICE_INCLUDEDIR \"${CMAKE_INSTALL_INCLUDEDIR}\")")
install(SCRIPT ${templates}/headers.cmake)

# The program holds the library itself and needs no path to it.
if(TARGET app_sluice)
  install(TARGETS app_sluice RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
# A cluster's server, and what programs load to reach one.
if(TARGET app_sluice_server)
  install(TARGETS app_sluice_server RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
if(TARGET sluice_grpc)
  install(TARGETS sluice_grpc LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
# What programs load to compile loops; it needs LLVM's library.
if(TARGET sluice_llvm)
  install(TARGETS sluice_llvm LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/data/mnist
  ${PROJECT_SOURCE_DIR}/data/text DESTINATION ${CMAKE_INSTALL_DATADIR}/sluice)
