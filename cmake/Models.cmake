# sluice_models: examples/models and the parts of examples/loops, linked by the
# programs that train them. Of examples/loops, tests are left to Tests.cmake and
# files with a main() to Examples.cmake.

file(GLOB model_files CONFIGURE_DEPENDS
  ${PROJECT_SOURCE_DIR}/examples/loops/*.cc
  ${PROJECT_SOURCE_DIR}/examples/models/*.cc)
list(FILTER model_files EXCLUDE REGEX "_test\\.cc$")
set(loop_programs)
foreach(f IN LISTS model_files)
  file(STRINGS ${f} main REGEX "^int main\\(" LIMIT_COUNT 1)
  if(main)
    list(APPEND loop_programs ${f})
  endif()
endforeach()
if(loop_programs)
  list(REMOVE_ITEM model_files ${loop_programs})
endif()
add_library(sluice_models STATIC ${model_files} ${empty_file})
target_include_directories(sluice_models PUBLIC ${PROJECT_SOURCE_DIR})
target_link_libraries(sluice_models PRIVATE sluice_options
  PUBLIC sluice_stack sluice)
sluice_use_public_header(sluice_models)
# The public header, precompiled for everything that is no library.
target_precompile_headers(sluice_models PRIVATE
  ${PROJECT_SOURCE_DIR}/include/sluice/sluice.h)
