# The libraries below the public op functions.
#   sluice      everything of src/sluice but ops/, the stack and tests: a static
#               archive
#   sluice_ops  src/sluice/ops: an OBJECT library, because ops are reached only
#               through the registry and an archive would drop every one
# Stack.cmake adds the libraries above them. A program links all. Package.cmake
# makes of their objects what others link.

# Folders that call ops by their C++ functions, which are written from the ops.
set(SLUICE_STACK_FOLDERS io nn optim data train)
# Machines that work together: a library of its own (Cluster.cmake).
set(SLUICE_CLUSTER_FOLDERS cluster fleet)
# Plots, pictures, progress and event files: nothing below training needs them.
set(SLUICE_REPORT_FOLDERS report)

# A sanitizer build has some hundred test programs and nothing to install. Its
# libraries are shared ones, so that they are linked once: in every program they
# would be 100 MB each. The extension for Python is one file and has all in it.
set(SLUICE_LINK_ONCE OFF)
if(SLUICE_SANITIZE AND NOT SLUICE_PYTHON)
  set(SLUICE_LINK_ONCE ON)
endif()
# What kind of library a part of Sluice is, and one that registers itself.
set(SLUICE_PART STATIC)
set(SLUICE_REGISTERED_PART OBJECT)
if(SLUICE_LINK_ONCE)
  set(SLUICE_PART SHARED)
  set(SLUICE_REGISTERED_PART SHARED)
  # Programs need libraries that they name no function of.
  add_link_options($<$<LINK_LANGUAGE:CXX>:LINKER:--no-as-needed>)
endif()

set(SLUICE_TEST_FILE "_test(_util)?\\.cc$")
set(SLUICE_CUDA_FILE "/(device|kernels)/cuda/|/src/sluice/gpu/|/comm/nccl/")

# Sets `out` to the source files below `dir` that are neither tests nor, in a
# build without CUDA, part of the CUDA side.
function(sluice_sources out dir)
  file(GLOB_RECURSE files CONFIGURE_DEPENDS ${dir}/*.cc)
  list(FILTER files EXCLUDE REGEX "${SLUICE_TEST_FILE}")
  if(NOT SLUICE_CUDA)
    list(FILTER files EXCLUDE REGEX "${SLUICE_CUDA_FILE}")
  endif()
  set(${out} ${files} PARENT_SCOPE)
endfunction()

# The objects of the static and of the shared library are the same ones:
# compiled once, so that they can be in either. Calls between our own functions
# go straight there; nobody puts another function in its place.
function(sluice_library_object_options target)
  set_target_properties(${target} PROPERTIES
    POSITION_INDEPENDENT_CODE ON VISIBILITY_INLINES_HIDDEN ON
    DEFINE_SYMBOL "")  # compiled alike, whatever kind of library it is
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANGUAGE:CXX>:-fno-semantic-interposition>)
endfunction()

set(src ${PROJECT_SOURCE_DIR}/src/sluice)
sluice_sources(library_files ${src})
list(FILTER library_files EXCLUDE REGEX "^${src}/ops/")
list(JOIN SLUICE_STACK_FOLDERS "|" stack)
list(JOIN SLUICE_REPORT_FOLDERS "|" report)
list(JOIN SLUICE_CLUSTER_FOLDERS "|" cluster)
list(FILTER library_files EXCLUDE REGEX
  "^${src}/(${stack}|${report}|${cluster})/")
# An engine that programs open when they need it (Native.cmake).
list(FILTER library_files EXCLUDE REGEX "^${src}/vm/llvm/")
sluice_sources(op_files ${src}/ops)
# Kernels of GPUs are reached through the registry, too; what they share is
# called by others.
list(FILTER library_files EXCLUDE REGEX "^${src}/kernels/cuda/")
if(SLUICE_CUDA)
  sluice_sources(cuda_kernel_files ${src}/kernels/cuda)
  if(NOT SLUICE_CUDNN_INCLUDE)
    list(FILTER cuda_kernel_files EXCLUDE REGEX "/kernels/cuda/(cudnn|conv)\\.cc$")
  endif()
  foreach(f IN LISTS cuda_kernel_files)
    file(STRINGS ${f} registers LIMIT_COUNT 1
      REGEX "SL_KERNEL\\(|^\\[\\[maybe_unused\\]\\] const ")
    if(registers)
      list(APPEND op_files ${f})
    else()
      list(APPEND library_files ${f})
    endif()
  endforeach()
  list(APPEND library_files ${cuda_sources_cc})
  foreach(f IN LISTS library_files cuda_kernel_files)
    if(f MATCHES "${SLUICE_CUDA_FILE}|/(cuda_devices|cuda_outside|cuda_work|gpu_pieces)\\.cc$")
      set_property(SOURCE ${f} APPEND PROPERTY COMPILE_DEFINITIONS SLUICE_CUDA=1)
      set_property(SOURCE ${f} APPEND PROPERTY
        INCLUDE_DIRECTORIES ${SLUICE_CUDA_INCLUDES})
    endif()
  endforeach()
endif()

# A target may not be empty, a folder may.
set(empty_file ${PROJECT_BINARY_DIR}/empty.cc)
if(NOT EXISTS ${empty_file})
  file(WRITE ${empty_file} "")
endif()

add_library(sluice ${SLUICE_PART} ${library_files} ${empty_file})
set_property(SOURCE ${src}/front/version.cc APPEND PROPERTY
  COMPILE_DEFINITIONS SLUICE_VERSION="${PROJECT_VERSION}")
target_include_directories(sluice PUBLIC
  ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
sluice_library_object_options(sluice)
# LAPACK is opened at run time, where there is one (kernels/cpu/lapack.h).
target_link_libraries(sluice PRIVATE sluice_options
  PUBLIC Threads::Threads ${CMAKE_DL_LIBS})

if(SLUICE_LINK_ONCE)
  set_target_properties(sluice PROPERTIES OUTPUT_NAME sluice_core)
endif()

add_library(sluice_ops ${SLUICE_REGISTERED_PART} ${op_files} ${empty_file})
target_link_libraries(sluice_ops PRIVATE sluice_options PUBLIC sluice)
sluice_library_object_options(sluice_ops)

# Reading the headers takes most of the time of a small file, so the ones every
# file reads are precompiled. Files still include all they use.
target_precompile_headers(sluice PRIVATE
  <algorithm> <functional> <map> <memory> <string> <unordered_map> <vector>
  ${src}/base/strings.h ${src}/base/worker_pool.h
  ${src}/op/record.h)
target_precompile_headers(sluice_ops PRIVATE
  <algorithm> <functional> <map> <memory> <string> <unordered_map> <vector>
  ${src}/base/strings.h ${src}/base/worker_pool.h
  ${src}/kernels/cpu/elementwise.h ${src}/kernels/reference.h
  ${src}/kernels/samples.h ${src}/kernels/shape_value.h
  ${src}/op/grad_context.h ${src}/op/record.h ${src}/tensor/dispatch.h)

# How many files define ops: the sweep test fails if fewer ops are registered,
# so a linker that drops ops cannot pass unseen.
set(SLUICE_NUM_OP_FILES 0)
foreach(f IN LISTS op_files)
  if(f MATCHES "^${src}/ops/")
    file(STRINGS ${f} lines REGEX "^ *SL_OP(_OF)?\\(" LIMIT_COUNT 1)
    if(lines)
      math(EXPR SLUICE_NUM_OP_FILES "${SLUICE_NUM_OP_FILES} + 1")
    endif()
  endif()
endforeach()
