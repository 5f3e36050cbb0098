# apps/some_name.cc becomes bin/some-name, together with apps/some_name/*.cc
# where there is such a folder. sluice-bench also takes in benchmarks/*.cc,
# sluice-gpu-test the sweep of kernels, which needs no test framework.

file(GLOB app_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/apps/*.cc)
# Generated.cmake has made this one: the others wait for what it writes.
# Cluster.cmake makes the server, where there is gRPC.
list(FILTER app_files EXCLUDE REGEX "/sluice_(gen_ops|server)\\.cc$")
set(SLUICE_PROGRAMS)
if(TARGET app_sluice_server)
  list(APPEND SLUICE_PROGRAMS sluice-server)
endif()
foreach(f IN LISTS app_files)
  get_filename_component(stem ${f} NAME_WE)
  string(REPLACE "_" "-" program ${stem})
  file(GLOB more CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/apps/${stem}/*.cc)
  if(stem STREQUAL "sluice_bench")
    file(GLOB benches CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/benchmarks/*.cc)
    list(APPEND more ${benches})
  endif()
  if(stem STREQUAL "sluice_gpu_test")
    foreach(part IN ITEMS cuda_sweep cuda_compare cuda_attention_check
        sweep_cases sweep_compare)
      list(APPEND more ${PROJECT_SOURCE_DIR}/tests/${part}.cc)
    endforeach()
  endif()
  # The target's name differs from the library's: there is a program `sluice`.
  set(target app_${stem})
  add_executable(${target} ${f} ${more})
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${program})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${target} PRIVATE
    sluice_options sluice_ops sluice_op_pages sluice_models sluice_stack
    sluice_cluster sluice)
  sluice_use_public_header(${target})
  target_precompile_headers(${target} REUSE_FROM sluice_models)
  if(SLUICE_GRPC AND stem STREQUAL "sluice_bench")
    target_link_libraries(${target} PRIVATE sluice_grpc_objects)
  endif()
  list(APPEND SLUICE_PROGRAMS ${program})
endforeach()
