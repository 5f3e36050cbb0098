# One test program per folder of src/sluice (base_test, ..., ops_test; a folder
# includes its subfolders), one per file tests/*_test.cc, conformance_test of
# tests/conformance and loop_examples_test of examples/loops. Each is one CTest
# test labelled with its folder. Label `threads` marks what also runs under
# ThreadSanitizer; a file of tests/ asks for labels with a line
#   // Labels: threads slow

enable_testing()
set(SLUICE_TEST_PROGRAMS)
add_custom_target(tests)           # builds every test program
add_custom_target(threads_tests)   # builds those labelled `threads`

find_package(GTest QUIET)
if(NOT TARGET GTest::gtest_main AND EXISTS /usr/src/googletest/CMakeLists.txt)
  set(INSTALL_GTEST OFF)
  set(BUILD_GMOCK OFF)
  add_subdirectory(/usr/src/googletest ${PROJECT_BINARY_DIR}/googletest
    EXCLUDE_FROM_ALL SYSTEM)
  if(TARGET gtest_main AND NOT TARGET GTest::gtest_main)
    add_library(GTest::gtest_main ALIAS gtest_main)
  endif()
endif()
if(NOT TARGET GTest::gtest_main)
  message(NOTICE "Sluice: GoogleTest not found (Debian: libgtest-dev), so "
    "tests are not built. Libraries and programs are.")
  return()
endif()

# Folders whose code is about threads: run again under ThreadSanitizer.
set(threaded_folders base device state collective comm partition tape vm plan
  step session eager trace front)
# These stand below the registry; without the ops they link at once.
set(folders_without_ops base tensor collective)
# These stand below the public header and need not wait for it.
set(folders_below_front base tensor formats op device graph kernels state ops
  collective autodiff passes placement partition launch tape reference vm gpu
  plan step comm session cluster)

add_library(sluice_test_options INTERFACE)
target_link_libraries(sluice_test_options INTERFACE
  sluice_options sluice GTest::gtest_main)
target_include_directories(sluice_test_options INTERFACE ${PROJECT_SOURCE_DIR})
# Above the front, a test calls much and computes little: optimising it takes
# longer than running it.
add_library(sluice_front_test_options INTERFACE)
target_link_libraries(sluice_front_test_options INTERFACE sluice_test_options)
target_compile_options(sluice_front_test_options INTERFACE
  $<$<CONFIG:Release>:-O0>)

# GoogleTest and the headers most tests read, precompiled once for all of them;
# and once more for tests that read the public header.
add_library(sluice_test_headers OBJECT EXCLUDE_FROM_ALL ${empty_file})
target_link_libraries(sluice_test_headers PRIVATE sluice_test_options)
target_precompile_headers(sluice_test_headers PRIVATE
  <gtest/gtest.h> ${PROJECT_SOURCE_DIR}/src/sluice/graph/graph.h)
add_library(sluice_front_test_headers OBJECT EXCLUDE_FROM_ALL ${empty_file})
target_link_libraries(sluice_front_test_headers PRIVATE
  sluice_front_test_options)
sluice_use_public_header(sluice_front_test_headers)
target_precompile_headers(sluice_front_test_headers PRIVATE
  <gtest/gtest.h> ${PROJECT_SOURCE_DIR}/include/sluice/sluice.h)

# What tests of several folders share: *_test_util.cc, compiled once. A test
# program links those it uses. Ops for tests (*_op_test_util.cc) register
# themselves, so nobody names them: they are part of their folder's program.
file(GLOB_RECURSE utils CONFIGURE_DEPENDS
  ${PROJECT_SOURCE_DIR}/src/sluice/*_test_util.cc)
list(FILTER utils EXCLUDE REGEX "_op_test_util\\.cc$")
set(below ${folders_below_front})
list(JOIN below "|" below)
set(utils_below ${utils})
list(FILTER utils_below INCLUDE REGEX "/src/sluice/(${below})/")
list(REMOVE_ITEM utils ${utils_below})
add_library(sluice_test_utils STATIC EXCLUDE_FROM_ALL ${utils_below})
target_link_libraries(sluice_test_utils PRIVATE sluice_test_options)
target_precompile_headers(sluice_test_utils REUSE_FROM sluice_test_headers)
if(SLUICE_LINK_ONCE)
  # To a linker that looks for what shared libraries leave open, a member that
  # nobody asked for may have it: what the members need must be there.
  target_link_libraries(sluice_test_utils PUBLIC sluice_cluster)
endif()
add_library(sluice_front_test_utils STATIC EXCLUDE_FROM_ALL ${utils})
sluice_use_public_header(sluice_front_test_utils)
target_link_libraries(sluice_front_test_utils PRIVATE
  sluice_front_test_options sluice_stack)
target_precompile_headers(sluice_front_test_utils REUSE_FROM
  sluice_front_test_headers)

# NO_OPS: without the ops. FRONT: with the public header and the stack. PARTS:
# a long one, run in so many parts, so that no core waits for it at the end.
function(sluice_add_test name)
  cmake_parse_arguments(arg "NO_OPS;FRONT" "PARTS" "SOURCES;LABELS" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  if(NOT arg_NO_OPS)
    target_link_libraries(${name} PRIVATE sluice_ops)
  endif()
  if(arg_FRONT)
    sluice_use_public_header(${name})
    target_link_libraries(${name} PRIVATE sluice_front_test_utils
      sluice_test_utils sluice_front_test_options sluice_stack)
    target_precompile_headers(${name} REUSE_FROM sluice_front_test_headers)
  else()
    target_link_libraries(${name} PRIVATE sluice_test_utils
      sluice_test_options)
    target_precompile_headers(${name} REUSE_FROM sluice_test_headers)
  endif()

  # Only the sweep learns the number of op files; given to every file, each new
  # op would recompile every test.
  set(sweeps ${arg_SOURCES})
  list(FILTER sweeps INCLUDE REGEX "sweep[a-z0-9_]*_test\\.cc$")
  if(sweeps)
    set_property(SOURCE ${sweeps} APPEND PROPERTY
      COMPILE_DEFINITIONS SLUICE_NUM_OP_FILES=${SLUICE_NUM_OP_FILES})
  endif()

  if(arg_PARTS)
    foreach(part RANGE 1 ${arg_PARTS})
      math(EXPR index "${part} - 1")
      add_test(NAME ${name}_${part} COMMAND ${name}
        WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
      set_tests_properties(${name}_${part} PROPERTIES COST 100
        TIMEOUT 1500 LABELS "${arg_LABELS}"
        ENVIRONMENT "GTEST_TOTAL_SHARDS=${arg_PARTS};GTEST_SHARD_INDEX=${index}")
    endforeach()
  else()
    add_test(NAME ${name} COMMAND ${name}
      WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    set_tests_properties(${name} PROPERTIES
      TIMEOUT 1500 LABELS "${arg_LABELS}")
  endif()
  add_dependencies(tests ${name})
  if("threads" IN_LIST arg_LABELS)
    add_dependencies(threads_tests ${name})
  endif()
  set(SLUICE_TEST_PROGRAMS ${SLUICE_TEST_PROGRAMS} ${name} PARENT_SCOPE)
endfunction()

file(GLOB folders CONFIGURE_DEPENDS LIST_DIRECTORIES true
  RELATIVE ${PROJECT_SOURCE_DIR}/src/sluice ${PROJECT_SOURCE_DIR}/src/sluice/*)
foreach(folder IN LISTS folders)
  set(dir ${PROJECT_SOURCE_DIR}/src/sluice/${folder})
  if(NOT IS_DIRECTORY ${dir})
    continue()
  endif()
  file(GLOB_RECURSE files CONFIGURE_DEPENDS
    ${dir}/*_test.cc ${dir}/*_op_test_util.cc)
  if(NOT SLUICE_CUDA)
    list(FILTER files EXCLUDE REGEX "${SLUICE_CUDA_FILE}")
  endif()
  if(NOT files)
    continue()
  endif()
  foreach(f IN LISTS files)
    if(f MATCHES "${SLUICE_CUDA_FILE}")
      set_property(SOURCE ${f} APPEND PROPERTY COMPILE_DEFINITIONS SLUICE_CUDA=1)
      set_property(SOURCE ${f} APPEND PROPERTY
        INCLUDE_DIRECTORIES ${SLUICE_CUDA_INCLUDES})
    endif()
  endforeach()
  set(labels ${folder})
  if(folder IN_LIST threaded_folders)
    list(APPEND labels threads)
  endif()
  set(parts)
  if(folder IN_LIST folders_without_ops)
    set(parts NO_OPS)
  elseif(NOT folder IN_LIST folders_below_front)
    set(parts FRONT)
  endif()
  if(folder STREQUAL "front")
    list(APPEND parts PARTS 3)
  endif()
  if(folder STREQUAL "cluster" AND NOT (SLUICE_GRPC AND SLUICE_APPS))
    continue()  # its tests start servers
  endif()
  sluice_add_test(${folder}_test SOURCES ${files} LABELS ${labels} ${parts})
endforeach()

# All that the machine runs once more as machine code, where there is an engine.
if(TARGET sluice_llvm)
  add_dependencies(vm_test sluice_llvm)
  add_test(NAME vm_test_native COMMAND vm_test
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(vm_test_native PROPERTIES COST 100
    TIMEOUT 1500 LABELS "vm" ENVIRONMENT "SLUICE_JIT=always")
endif()

# Real processes on this machine.
if(TARGET cluster_test)
  target_link_libraries(cluster_test PRIVATE sluice_cluster sluice_grpc_objects)
  add_dependencies(cluster_test app_sluice_server)
endif()

if(TARGET fleet_test)
  target_link_libraries(fleet_test PRIVATE sluice_cluster)
endif()

# Files of tests/ that are no tests themselves are compiled once, for all.
file(GLOB test_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/*_test.cc)
file(GLOB shared_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/*.cc)
list(FILTER shared_files EXCLUDE REGEX "_test\\.cc$")
if(shared_files)
  add_library(sluice_test_support OBJECT EXCLUDE_FROM_ALL ${shared_files})
  target_link_libraries(sluice_test_support PRIVATE sluice_test_options)
  target_precompile_headers(sluice_test_support REUSE_FROM sluice_test_headers)
endif()
foreach(f IN LISTS test_files)
  get_filename_component(name ${f} NAME_WE)
  file(STRINGS ${f} alone REGEX "^// Not under sanitizers" LIMIT_COUNT 1)
  if(alone AND SLUICE_SANITIZE)
    continue()
  endif()
  set(labels system)
  file(STRINGS ${f} line REGEX "^// Labels: " LIMIT_COUNT 1)
  if(line)
    string(REPLACE "// Labels: " "" line "${line}")
    separate_arguments(words UNIX_COMMAND "${line}")
    list(APPEND labels ${words})
  endif()
  if(TARGET ${name})
    message(FATAL_ERROR "tests/${name}.cc has the name of the test program of "
      "a folder; call it something else")
  endif()
  if(SLUICE_CUDA AND name MATCHES "^cuda_")
    set_property(SOURCE ${f} APPEND PROPERTY COMPILE_DEFINITIONS SLUICE_CUDA=1)
    set_property(SOURCE ${f} APPEND PROPERTY
      INCLUDE_DIRECTORIES ${SLUICE_CUDA_INCLUDES})
  endif()
  sluice_add_test(${name} FRONT SOURCES ${f} LABELS ${labels})
  if(name MATCHES "^cuda_")
    # On a GPU that the host computes; its kernels are kept from run to run.
    set_tests_properties(${name} PROPERTIES COST 100 ENVIRONMENT
      "SLUICE_CUDA_EMULATION=1;SLUICE_KERNEL_CACHE=${PROJECT_BINARY_DIR}/kernels")
  endif()
  target_link_libraries(${name} PRIVATE sluice_models sluice_op_pages)
  if(TARGET sluice_test_support)
    target_link_libraries(${name} PRIVATE sluice_test_support)
  endif()
endforeach()

# What mature systems pin down about control flow, asked of the whole of ours.
file(GLOB conformance_files CONFIGURE_DEPENDS
  ${PROJECT_SOURCE_DIR}/tests/conformance/*.cc)
if(conformance_files)
  sluice_add_test(conformance_test FRONT LABELS system threads SOURCES
    ${conformance_files})
  # The same of a simulated accelerator, where all that names no device goes.
  add_test(NAME conformance_test_on_sim COMMAND conformance_test
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(conformance_test_on_sim PROPERTIES
    TIMEOUT 1500 LABELS "system" ENVIRONMENT "SLUICE_DEVICE=sim:0")
  # And with every loop over scalars as machine code.
  if(TARGET sluice_llvm)
    add_dependencies(conformance_test sluice_llvm)
    add_test(NAME conformance_test_native COMMAND conformance_test
      WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    set_tests_properties(conformance_test_native PROPERTIES
      TIMEOUT 1500 LABELS "system" ENVIRONMENT "SLUICE_JIT=always")
  endif()
endif()

# The programs of examples/loops learn, and are equal to what they should be.
file(GLOB loop_test_files CONFIGURE_DEPENDS
  ${PROJECT_SOURCE_DIR}/examples/loops/*_test.cc)
if(SLUICE_APPS AND loop_test_files)
  sluice_add_test(loop_examples_test FRONT LABELS system
    SOURCES ${loop_test_files})
  target_link_libraries(loop_examples_test PRIVATE sluice_models)
endif()

# Gradients of every kind of control flow crossed with all it may hold.
file(GLOB loop_matrix_files CONFIGURE_DEPENDS
  ${PROJECT_SOURCE_DIR}/tests/loop_matrix/*.cc)
if(loop_matrix_files)
  sluice_add_test(loop_matrix_test FRONT PARTS 4 LABELS system
    SOURCES ${loop_matrix_files})
endif()

# Random programs of the public face, in every way they can be run.
file(GLOB random_program_files CONFIGURE_DEPENDS
  ${PROJECT_SOURCE_DIR}/tests/random_programs/*.cc)
if(random_program_files)
  sluice_add_test(random_programs_test FRONT LABELS system
    SOURCES ${random_program_files})
endif()

# This one calls ops on the inputs the benchmarks make for them.
if(TARGET threads_test)
  target_sources(threads_test PRIVATE
    ${PROJECT_SOURCE_DIR}/benchmarks/op_case.cc
    ${PROJECT_SOURCE_DIR}/benchmarks/graph_call.cc)
endif()

if(TARGET simulated_step_test)
  target_sources(simulated_step_test PRIVATE
    ${PROJECT_SOURCE_DIR}/benchmarks/simulated_step.cc)
endif()

# These run our programs.
foreach(name IN ITEMS cli_test examples_test bench_test timeline_test)
  if(TARGET ${name})
    add_dependencies(${name} app_sluice app_sluice_bench examples)
    target_compile_definitions(${name} PRIVATE
      SLUICE_BIN_DIR="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}")
  endif()
endforeach()

# The op of docs/add_an_op.md: its code, as it is on the page, swept. The sweeps
# are linked as they are.
if(TARGET sweep_test AND TARGET grad_sweep_test)
  set(page ${PROJECT_SOURCE_DIR}/docs/add_an_op.md)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${page})
  file(READ ${page} text)
  string(FIND "${text}" "```cpp\n" begin)
  if(begin EQUAL -1)
    message(FATAL_ERROR "${page} has no block of C++")
  endif()
  math(EXPR begin "${begin} + 7")
  string(SUBSTRING "${text}" ${begin} -1 text)
  string(FIND "${text}" "```" end)
  string(SUBSTRING "${text}" 0 ${end} text)
  set(op_of_page ${PROJECT_BINARY_DIR}/generated/docs/add_an_op.cc)
  # Written anew only when the page says something else.
  file(CONFIGURE OUTPUT ${op_of_page} CONTENT "${text}" @ONLY)
  sluice_add_test(add_an_op_test FRONT LABELS system SOURCES ${op_of_page})
  target_sources(add_an_op_test PRIVATE
    $<TARGET_OBJECTS:sweep_test> $<TARGET_OBJECTS:grad_sweep_test>)
  target_link_libraries(add_an_op_test PRIVATE sluice_models
    sluice_test_support)
  set_tests_properties(add_an_op_test PROPERTIES
    ENVIRONMENT "GTEST_FILTER=*Isru*" FAIL_REGULAR_EXPRESSION "Running 0 tests")
endif()

# What is installed, used by a project that knows nothing else of ours.
if(SLUICE_INSTALL AND SLUICE_APPS)
  add_test(NAME package_test COMMAND ${CMAKE_COMMAND}
    -D BUILD_DIR=${PROJECT_BINARY_DIR} -D SOURCE_DIR=${PROJECT_SOURCE_DIR}
    -D CXX=${CMAKE_CXX_COMPILER} -D GENERATOR=${CMAKE_GENERATOR}
    -P ${PROJECT_SOURCE_DIR}/tests/package/package_test.cmake)
  set_tests_properties(package_test PROPERTIES TIMEOUT 600 LABELS "package")
  add_dependencies(tests sluice_archive sluice_shared)
  list(APPEND SLUICE_TEST_PROGRAMS package_test)
endif()
if(TARGET gpu_test)
  # As the programs named cuda_*: on a GPU that the host computes.
  set_tests_properties(gpu_test PROPERTIES ENVIRONMENT
    "SLUICE_CUDA_EMULATION=1;SLUICE_KERNEL_CACHE=${PROJECT_BINARY_DIR}/kernels")
endif()
