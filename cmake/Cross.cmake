# The kernels on the other architecture: cross-compiled here, run under
# emulation by the tests cross_kernels_test*. Only the kernels' own tests and
# what they need are compiled, as commands of this build, so that one job pool
# and one ccache serve both.
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
set(cross_flags -std=c++20 -DNDEBUG -ffp-contract=off -fno-math-errno
  -fno-trapping-math -I${PROJECT_SOURCE_DIR} -I${PROJECT_SOURCE_DIR}/src)

# The headers nearly every file reads, precompiled (clang only).
set(cross_pch)
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  set(cross_pch ${cross_dir}/headers.h.pch)
  file(WRITE ${cross_dir}/headers.h.new
    "#include <algorithm>\n#include <functional>\n#include <map>\n"
    "#include <memory>\n#include <string>\n#include <vector>\n"
    "#include \"sluice/op/record.h\"\n")
  file(COPY_FILE ${cross_dir}/headers.h.new ${cross_dir}/headers.h
    ONLY_IF_DIFFERENT)
  add_custom_command(OUTPUT ${cross_pch}
    COMMAND ${cross_cxx} ${cross_flags} -O1 -Xclang -fno-pch-timestamp
      -MD -MF ${cross_pch}.d -x c++-header ${cross_dir}/headers.h
      -o ${cross_pch}
    DEPENDS ${cross_dir}/headers.h DEPFILE ${cross_pch}.d
    COMMENT "Building ${cross_arch} precompiled headers" VERBATIM)
endif()

# Adds one object of ours or of GoogleTest. More arguments are flags.
set(cross_objects)
function(sluice_cross_object source)
  file(RELATIVE_PATH stem ${PROJECT_SOURCE_DIR} ${source})
  string(REGEX REPLACE "^(\\.\\./)+" "" stem ${stem})
  set(object ${cross_dir}/${stem}.o)
  set(pch)
  if(cross_pch AND stem MATCHES "^src/")
    set(pch -Xclang -fno-pch-timestamp -include-pch ${cross_pch})
  endif()
  get_filename_component(folder ${object} DIRECTORY)
  file(MAKE_DIRECTORY ${folder})
  add_custom_command(OUTPUT ${object}
    COMMAND ${cross_cxx} ${cross_flags} ${pch} ${ARGN} -MD -MF ${object}.d
      -c ${source} -o ${object}
    DEPENDS ${source} ${cross_pch} DEPFILE ${object}.d
    COMMENT "Building ${cross_arch} object ${stem}" VERBATIM)
  set(cross_objects ${cross_objects} ${object} PARENT_SCOPE)
endfunction()

# The tests: the kernels' own, except those that call ops, which would need the
# registry full of them.
file(GLOB_RECURSE test_files CONFIGURE_DEPENDS
  ${PROJECT_SOURCE_DIR}/src/sluice/kernels/*_test.cc
  ${PROJECT_SOURCE_DIR}/src/sluice/kernels/*_test_util.cc)
list(APPEND test_files
  ${PROJECT_SOURCE_DIR}/src/sluice/base/cpu_features_test.cc)
set(reached)
foreach(f IN LISTS test_files)
  file(STRINGS ${f} needs_ops REGEX "FindOp|LookupOp|RunOp" LIMIT_COUNT 1)
  if(NOT needs_ops AND NOT f MATCHES "${SLUICE_CUDA_FILE}")
    list(APPEND reached ${f})
    sluice_cross_object(${f} -O1 -isystem ${gtest_dir}/include)
  endif()
endforeach()

# Sources without a header of their own (tile_neon.cc) implement what a header
# of their folder declares.
sluice_sources(all_files ${PROJECT_SOURCE_DIR}/src/sluice)
set(headless)
foreach(f IN LISTS all_files)
  string(REGEX REPLACE "\\.cc$" ".h" header ${f})
  if(f MATCHES "/src/sluice/(base|tensor|op|kernels)/" AND
     NOT EXISTS ${header})
    list(APPEND headless ${f})
  endif()
endforeach()

# What the tests need: from a file to the headers it includes, from a header to
# the sources behind it. Records reach the registry behind another header.
list(APPEND reached ${PROJECT_SOURCE_DIR}/src/sluice/op/registry.cc)
set(next ${reached})
while(next)
  set(found)
  foreach(f IN LISTS next)
    file(STRINGS ${f} lines REGEX "^#include \"sluice/")
    foreach(line IN LISTS lines)
      string(REGEX REPLACE "^#include \"([^\"]*)\".*" "\\1" path "${line}")
      set(header ${PROJECT_SOURCE_DIR}/src/${path})
      string(REGEX REPLACE "\\.h$" ".cc" source ${header})
      get_filename_component(folder ${header} DIRECTORY)
      set(behind)
      foreach(g IN LISTS headless)
        get_filename_component(own ${g} DIRECTORY)
        if(own STREQUAL folder)
          file(STRINGS ${g} match REGEX "^#include \"${path}\"" LIMIT_COUNT 1)
          if(match)
            list(APPEND behind ${g})
          endif()
        endif()
      endforeach()
      foreach(g IN ITEMS ${header} ${source} ${behind})
        if(NOT g IN_LIST reached AND EXISTS ${g})
          list(APPEND reached ${g})
          list(APPEND found ${g})
        endif()
      endforeach()
    endforeach()
  endforeach()
  set(next ${found})
endwhile()
foreach(f IN LISTS reached)
  if(f MATCHES "/kernels/.*\\.cc$" AND NOT f MATCHES "_test(_util)?\\.cc$")
    sluice_cross_object(${f} -O2 -Wall -Wextra)
  elseif(f MATCHES "\\.cc$" AND NOT f MATCHES "_test(_util)?\\.cc$")
    sluice_cross_object(${f} -O1)
  endif()
endforeach()
foreach(f IN ITEMS gtest-all gtest_main)
  sluice_cross_object(${gtest_dir}/src/${f}.cc -O0
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

# Emulated loops are some fifty times slower. What is about threads, bytes and
# large sizes is left to the tests of this machine; what is about instructions
# stays.
string(CONCAT cross_filter "-*Thread*:Reduce.*:Inflate.*:"
  "GemmKit.ManyRows*:GemmKit.LargeB*:Gemm.TellsOf*")
foreach(level IN LISTS cross_levels)
  set(name cross_kernels_test_${level})
  if(level STREQUAL "avx2" OR level STREQUAL "best")
    set(name cross_kernels_test)
  endif()
  add_test(NAME ${name}
    COMMAND ${SLUICE_CROSS_QEMU} -cpu max -L /usr/${cross_triple}
      ${cross_program} --gtest_filter=${cross_filter}
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(${name} PROPERTIES TIMEOUT 600 LABELS "kernels;cross"
    ENVIRONMENT "SLUICE_CPU=${level};SLUICE_EMULATED=1")
  list(APPEND SLUICE_TEST_PROGRAMS ${name})
endforeach()
