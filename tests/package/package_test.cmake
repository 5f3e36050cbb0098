# Installs the build, moves what was installed, and builds a stranger's project
# against it, with the static and with the shared library. Run by CTest:
#   cmake -D BUILD_DIR=... -D SOURCE_DIR=... -D CXX=... -D GENERATOR=... -P this
# Every check names what it found, and fails the script.

cmake_minimum_required(VERSION 3.25)

set(work ${BUILD_DIR}/package_test)
set(prefix ${work}/moved)
file(REMOVE_RECURSE ${work})
file(MAKE_DIRECTORY ${work})

# Runs a command; sets `output` to what it printed, and stops when it fails.
macro(run what)
  execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE output ERROR_VARIABLE output
    RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${what} failed (${result}):\n${output}")
  endif()
endmacro()

run("installing" ${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${work}/first)
file(RENAME ${work}/first ${prefix})

# ---- Nothing knows where it was made. ----
foreach(path IN ITEMS ${SOURCE_DIR} ${BUILD_DIR} ${work}/first)
  execute_process(COMMAND grep -rlF ${path}/ ${prefix} OUTPUT_VARIABLE files)
  if(files)
    message(FATAL_ERROR "installed files name ${path}:\n${files}")
  endif()
endforeach()

# ---- Headers: public ones, of nobody else. ----
file(GLOB_RECURSE headers RELATIVE ${prefix}/include ${prefix}/include/*)
list(LENGTH headers count)
message(STATUS "${count} headers")
foreach(header IN LISTS headers)
  if(header MATCHES "_test_util\\.h$|^sluice/(ops|passes|autodiff|state)/")
    message(FATAL_ERROR "${header} is internal, and installed")
  endif()
  file(STRINGS ${prefix}/include/${header} lines REGEX "^#include <.*[./]")
  if(lines)
    message(FATAL_ERROR "${header} includes somebody else's header: ${lines}")
  endif()
endforeach()

# ---- The shared library exports namespace sluice, and nothing else. ----
file(GLOB library ${prefix}/lib*/libsluice.so ${prefix}/lib/*/libsluice.so)
run("nm" nm -D --defined-only --format=posix ${library})
string(REPLACE "\n" ";" lines "${output}")
set(count 0)
foreach(line IN LISTS lines)
  string(REGEX REPLACE " .*" "" name "${line}")
  if(name STREQUAL "")
    continue()
  elseif(NOT name MATCHES "^_Z(N|NK|TIN|TSN|TVN|TTN)6sluice")
    message(FATAL_ERROR "libsluice.so exports ${name}, which is not ours")
  elseif(name MATCHES "^_ZNK?6sluice(4gemm|4conv|5vmath|4Plan|11LocalMaster)")
    message(FATAL_ERROR "libsluice.so exports ${name}, which is internal")
  endif()
  math(EXPR count "${count} + 1")
endforeach()
foreach(name IN ITEMS _ZN6sluice6matmulE _ZTIN6sluice5ErrorE)
  if(NOT output MATCHES "${name}")
    message(FATAL_ERROR "libsluice.so does not export ${name}")
  endif()
endforeach()
message(STATUS "${count} exported symbols")

# ---- The stranger's project, in both forms, by two compilers if there are. ----
set(wanted "y = 2.00 x + 1.00\nown op: 6.0, gradient 2.0\n[MatMul] inner sizes")
find_program(other_cxx NAMES g++ c++)
foreach(form IN ITEMS static shared)
  set(shared_libs OFF)
  set(compiler ${CXX})
  if(form STREQUAL "shared")
    set(shared_libs ON)
    if(other_cxx)
      set(compiler ${other_cxx})
    endif()
  endif()
  set(dir ${work}/${form})
  run("configuring (${form})" ${CMAKE_COMMAND}
    -S ${SOURCE_DIR}/tests/package/stranger -B ${dir} -G ${GENERATOR}
    -D CMAKE_CXX_COMPILER=${compiler} -D CMAKE_PREFIX_PATH=${prefix}
    -D BUILD_SHARED_LIBS=${shared_libs})
  run("building (${form})" ${CMAKE_COMMAND} --build ${dir})
  run("running (${form})" ${dir}/stranger ${dir}/events)
  string(FIND "${output}" "${wanted}" place)
  if(NOT place EQUAL 0)
    message(FATAL_ERROR "${form}: the program printed\n${output}\n"
      "wanted\n${wanted}")
  endif()
  file(GLOB events ${dir}/events/events.out.tfevents.*)
  if(NOT events)
    message(FATAL_ERROR "${form}: the program wrote no events")
  endif()
  run("readelf" readelf -d ${dir}/stranger)
  set(uses_shared OFF)
  if(output MATCHES "libsluice\\.so\\.0")
    set(uses_shared ON)
  endif()
  if(NOT uses_shared STREQUAL shared_libs)
    message(FATAL_ERROR "the ${form} program links the other library")
  endif()
  message(STATUS "${form}: built and run (${compiler})")
endforeach()

# ---- The same by pkg-config, and the program that was installed. ----
find_program(pkg_config NAMES pkg-config pkgconf)
file(GLOB pc_dir ${prefix}/lib*/pkgconfig ${prefix}/lib/*/pkgconfig)
if(pkg_config)
  set(ENV{PKG_CONFIG_PATH} ${pc_dir})
  run("pkg-config" ${pkg_config} --cflags --libs sluice)
  if(NOT output MATCHES "-I[^ ]*/moved/[^ ]*include .*-L[^ ]*/moved/.*-lsluice")
    message(FATAL_ERROR "pkg-config says: ${output}")
  endif()
endif()
run("sluice info" ${prefix}/bin/sluice info)

file(REMOVE_RECURSE ${work})
