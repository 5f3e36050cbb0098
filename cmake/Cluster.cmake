# sluice_cluster: one program over many machines (src/sluice/cluster), as far as
# it needs no gRPC, and training over ranks and tasks (src/sluice/fleet).
# sluice_grpc_objects: the transport by gRPC, for programs that have it linked in;
# libsluice_grpc.so: the same for those that load it when it is first needed (the
# Python package). Without gRPC the latter are left out, and programs say so when
# they are asked for a cluster.

sluice_sources(cluster_files ${src}/cluster)
set(grpc_files ${cluster_files})
list(FILTER cluster_files EXCLUDE REGEX "/cluster/grpc/")
list(FILTER grpc_files INCLUDE REGEX "/cluster/grpc/")

sluice_sources(fleet_files ${src}/fleet)
# Not an archive: a part of it registers itself, which it would drop.
add_library(sluice_cluster ${SLUICE_REGISTERED_PART} ${cluster_files} ${fleet_files})
target_link_libraries(sluice_cluster PRIVATE sluice_options PUBLIC sluice)
sluice_library_object_options(sluice_cluster)
target_precompile_headers(sluice_cluster REUSE_FROM sluice)

set(SLUICE_GRPC FALSE)
# gRPC's own build files stop everything where its compiler or protobuf's library
# is not installed.
find_program(SLUICE_GRPC_PLUGIN grpc_cpp_plugin)
mark_as_advanced(SLUICE_GRPC_PLUGIN)
if(SLUICE_GRPC_PLUGIN)
  find_package(Protobuf QUIET)
endif()
if(TARGET protobuf::libprotobuf)
  find_package(gRPC CONFIG QUIET)
endif()
if(TARGET gRPC::grpc++)
  set(SLUICE_GRPC TRUE)
  add_library(sluice_grpc_objects OBJECT ${grpc_files})
  # Programs link gRPC, and are not compiled for it.
  target_link_libraries(sluice_grpc_objects
    PRIVATE sluice_options gRPC::grpc++
    PUBLIC sluice INTERFACE $<LINK_ONLY:gRPC::grpc++>)
  sluice_library_object_options(sluice_grpc_objects)
  add_library(sluice_grpc SHARED $<TARGET_OBJECTS:sluice_grpc_objects>
    ${src}/cluster/payload.cc)
  target_link_libraries(sluice_grpc PRIVATE sluice gRPC::grpc++)
  # It shares nothing with what loads it but the interface it gives.
  target_link_options(sluice_grpc PRIVATE
    LINKER:--exclude-libs,ALL LINKER:--gc-sections)
  if(NOT SLUICE_SANITIZE)
    # A sanitizer's functions are in the program that loads it.
    target_link_options(sluice_grpc PRIVATE LINKER:-z,defs)
  endif()
  if(SLUICE_APPS)
    # It runs graphs that others made: ops and sessions, no training.
    add_executable(app_sluice_server ${PROJECT_SOURCE_DIR}/apps/sluice_server.cc
      ${PROJECT_SOURCE_DIR}/apps/sluice/arguments.cc)
    set_target_properties(app_sluice_server PROPERTIES
      OUTPUT_NAME sluice-server)
    target_include_directories(app_sluice_server PRIVATE ${PROJECT_SOURCE_DIR})
    target_link_libraries(app_sluice_server PRIVATE
      sluice_options sluice_ops sluice_cluster sluice_grpc_objects sluice)
    if(SLUICE_SANITIZE AND SLUICE_PYTHON AND CMAKE_CXX_COMPILER_ID MATCHES "Clang")
      # Python's tests start it with the runtime that they preload: one of its
      # own besides would be two.
      target_link_options(app_sluice_server PRIVATE -shared-libsan)
    endif()
  endif()
else()
  message(NOTICE "Sluice: gRPC not found (Debian: libgrpc++-dev "
    "libprotobuf-dev protobuf-compiler-grpc), so programs cannot be "
    "run over several machines. Everything else is there.")
endif()
