# The kernels on the other architecture: cross-compiled here, run under
# emulation by the tests cross_kernels_test*. Only what kernels stand on is
# compiled (base, tensor, op, kernels and the kernels' own tests), as commands
# of this build, so that one job pool and one ccache serve both.
#
# Needs a cross g++ for its libraries, an emulator and GoogleTest's sources
# (tools/install_deps.sh); without them there are no such tests.

option(SLUICE_CROSS_TESTS "Test kernels of the other architecture" ON)

if(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
  set(cross_arch x86_64)
  # What the emulator has beyond the baseline; it knows no AVX-512.
  set(cross_levels baseline avx2)
else()
  set(cross_arch aarch64)
  set(cross_levels neon best)
endif()
set(cross_triple ${cross_arch}-linux-gnu)
find_program(SLUICE_CROSS_GXX ${cross_triple}-g++)
find_program(SLUICE_CROSS_QEMU NAMES qemu-${cross_arch}-static qemu-${cross_arch})
set(gtest_dir /usr/src/googletest/googletest)
if(NOT SLUICE_CROSS_TESTS OR SLUICE_SANITIZE OR NOT SLUICE_CROSS_GXX OR
   NOT SLUICE_CROSS_QEMU OR NOT EXISTS ${gtest_dir}/src/gtest-all.cc OR
   NOT CMAKE_BUILD_TYPE STREQUAL "Release")
  return()
endif()

# The same compiler as for the rest where it can: clang speaks both.
set(cross_cxx ${CMAKE_CXX_COMPILER_LAUNCHER})
set(cross_link)
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang" AND SLUICE_HAVE_LLD)
  list(APPEND cross_cxx ${CMAKE_CXX_COMPILER} --target=${cross_triple})
  set(cross_link -fuse-ld=lld)
else()
  list(APPEND cross_cxx ${SLUICE_CROSS_GXX})
endif()

set(cross_dir ${PROJECT_BINARY_DIR}/cross)
set(cross_flags -std=c++20 -O2 -DNDEBUG -ffp-contract=off -fno-math-errno
  -fno-trapping-math -I${PROJECT_SOURCE_DIR} -I${PROJECT_SOURCE_DIR}/src
  -I${PROJECT_SOURCE_DIR}/include)
set(cross_objects)

# Adds one object. More arguments are flags.
function(sluice_cross_object source)
  file(RELATIVE_PATH stem ${PROJECT_SOURCE_DIR} ${source})
  string(REGEX REPLACE "^(\\.\\./)+" "" stem ${stem})
  set(object ${cross_dir}/${stem}.o)
  get_filename_component(folder ${object} DIRECTORY)
  file(MAKE_DIRECTORY ${folder})
  add_custom_command(OUTPUT ${object}
    COMMAND ${cross_cxx} ${cross_flags} ${ARGN} -MD -MF ${object}.d
      -c ${source} -o ${object}
    DEPENDS ${source} DEPFILE ${object}.d
    COMMENT "Building ${cross_arch} object ${stem}" VERBATIM)
  set(cross_objects ${cross_objects} ${object} PARENT_SCOPE)
endfunction()

foreach(folder IN ITEMS base tensor op kernels)
  sluice_sources(files ${PROJECT_SOURCE_DIR}/src/sluice/${folder})
  foreach(f IN LISTS files)
    if(f MATCHES "\\.cc$")
      sluice_cross_object(${f} -Wall -Wextra)
    endif()
  endforeach()
endforeach()
file(GLOB_RECURSE files CONFIGURE_DEPENDS
  ${PROJECT_SOURCE_DIR}/src/sluice/kernels/*_test.cc
  ${PROJECT_SOURCE_DIR}/src/sluice/kernels/*_test_util.cc)
foreach(f IN LISTS files ITEMS
        ${PROJECT_SOURCE_DIR}/src/sluice/base/cpu_features_test.cc)
  # Tests that call ops need the registry full of them: they are left out.
  file(STRINGS ${f} needs_ops REGEX "FindOp|LookupOp|RunOp" LIMIT_COUNT 1)
  if(NOT needs_ops AND NOT f MATCHES "${SLUICE_CUDA_FILE}")
    sluice_cross_object(${f} -isystem ${gtest_dir}/include)
  endif()
endforeach()
foreach(f IN ITEMS gtest-all gtest_main)
  sluice_cross_object(${gtest_dir}/src/${f}.cc
    -isystem ${gtest_dir}/include -I${gtest_dir})
endforeach()

set(cross_program ${cross_dir}/kernels_test)
add_custom_command(OUTPUT ${cross_program}
  COMMAND ${cross_cxx} ${cross_link} -static-libstdc++ -static-libgcc -pthread
    ${cross_objects} -o ${cross_program}
  DEPENDS ${cross_objects}
  COMMENT "Linking ${cross_arch} kernels_test" VERBATIM)
add_custom_target(cross_kernels_tests ALL DEPENDS ${cross_program})
add_dependencies(tests cross_kernels_tests)

foreach(level IN LISTS cross_levels)
  set(name cross_kernels_test_${level})
  if(level STREQUAL "avx2" OR level STREQUAL "best")
    set(name cross_kernels_test)
  endif()
  add_test(NAME ${name}
    COMMAND ${SLUICE_CROSS_QEMU} -cpu max -L /usr/${cross_triple}
      ${cross_program}
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  # Emulated loops are some fifty times slower: tests that try very many
  # numbers try fewer of them.
  set_tests_properties(${name} PROPERTIES TIMEOUT 600 LABELS "kernels;cross"
    ENVIRONMENT "SLUICE_CPU=${level};SLUICE_TEST_SCALE=0.02")
  list(APPEND SLUICE_TEST_PROGRAMS ${name})
endforeach()
