# examples/some_name.cc becomes bin/example-some-name; tests/examples_test.cc
# runs them all and compares what they print. So do the programs of
# examples/loops, which it runs in small.

file(GLOB example_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/examples/*.cc)
add_custom_target(examples)
foreach(f IN LISTS example_files loop_programs)
  get_filename_component(stem ${f} NAME_WE)
  string(REPLACE "_" "-" program ${stem})
  set(target example_${stem})
  add_executable(${target} ${f})
  set_target_properties(${target} PROPERTIES OUTPUT_NAME example-${program})
  target_link_libraries(${target} PRIVATE
    sluice_options sluice_ops sluice_models sluice_stack sluice)
  if(stem STREQUAL "ranks")
    target_link_libraries(${target} PRIVATE sluice_cluster)
  endif()
  sluice_use_public_header(${target})
  target_precompile_headers(${target} REUSE_FROM sluice_models)
  add_dependencies(examples ${target})
endforeach()
