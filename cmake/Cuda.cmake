# The CUDA part: the folders device/cuda and kernels/cuda. Only headers of the
# toolkit are needed to build it: driver and libraries are opened at run time,
# and kernels are compiled there from the source that is embedded here.
#
# SLUICE_CUDA: ON, OFF, or AUTO (where the headers are found).

find_path(SLUICE_CUDA_INCLUDE NAMES cuda.h
  HINTS ENV CUDA_HOME /usr/local/cuda PATH_SUFFIXES include NO_CACHE)
set(cuda_missing)
foreach(header IN ITEMS cuda.h nvrtc.h cublasLt.h)
  if(NOT SLUICE_CUDA_INCLUDE OR NOT EXISTS ${SLUICE_CUDA_INCLUDE}/${header})
    list(APPEND cuda_missing ${header})
  endif()
endforeach()
if(SLUICE_CUDA STREQUAL "AUTO")
  if(cuda_missing)
    set(SLUICE_CUDA OFF)
  else()
    set(SLUICE_CUDA ON)
  endif()
elseif(SLUICE_CUDA AND cuda_missing)
  message(FATAL_ERROR "SLUICE_CUDA is on, and there is no ${cuda_missing}; "
    "set CUDA_HOME to the folder that has include/cuda.h")
endif()
if(NOT SLUICE_CUDA)
  return()
endif()
# Convolutions want cuDNN's headers, which come apart from the toolkit's.
find_path(SLUICE_CUDNN_INCLUDE NAMES cudnn.h
  HINTS ${SLUICE_CUDA_INCLUDE} ENV CUDNN_HOME PATH_SUFFIXES include)
set(SLUICE_CUDA_INCLUDES ${SLUICE_CUDA_INCLUDE})
if(SLUICE_CUDNN_INCLUDE)
  list(APPEND SLUICE_CUDA_INCLUDES ${SLUICE_CUDNN_INCLUDE})
endif()

# Kernels' sources and the formulas of elementwise ops, as texts in the binary.
set(cuda_sources_cc ${PROJECT_BINARY_DIR}/generated/cuda_sources.cc)
set(cuda_src ${PROJECT_SOURCE_DIR}/src/sluice)
file(GLOB cuda_texts CONFIGURE_DEPENDS
  ${cuda_src}/kernels/cuda/source/*.cuh ${cuda_src}/kernels/cpu/vector_*.h)
foreach(f IN ITEMS tensor/half.h op/block_params.h kernels/formula/arithmetic.h
    kernels/cpu/mul_add.h kernels/cpu/wave.h kernels/cpu/strict_math.h
    kernels/cpu/sort_key.h
    kernels/cpu/gamma.h kernels/cpu/gamma.cc
    device/cuda/emulated/kernel_side.h)
  list(APPEND cuda_texts ${cuda_src}/${f})
endforeach()
# What movement, indices and random numbers share with the host.
foreach(f IN ITEMS base/random.h kernels/formula/axis_source.h
    kernels/formula/below.h kernels/formula/resize_places.h
    kernels/cpu/element_stream.h
    kernels/cpu/normal_pair.h kernels/cpu/scatter_formulas.h
    kernels/cpu/sort_key.h
    # Formulas of ops that are not elementwise.
    ops/random/random_gamma.cc ops/random/random_poisson.cc)
  list(APPEND cuda_texts ${cuda_src}/${f})
endforeach()
file(GLOB_RECURSE op_texts CONFIGURE_DEPENDS ${cuda_src}/ops/*.cc)
foreach(f IN LISTS op_texts)
  file(STRINGS ${f} elementwise REGEX "\\.elementwise\\(|loss_kernel<"
    LIMIT_COUNT 1)
  if(elementwise)
    list(APPEND cuda_texts ${f})
  endif()
endforeach()
# NVRTC refuses a header that is given twice.
list(REMOVE_DUPLICATES cuda_texts)
set(cuda_text_list ${PROJECT_BINARY_DIR}/cuda_texts.txt)
list(JOIN cuda_texts "\n" joined)
file(CONFIGURE OUTPUT ${cuda_text_list} CONTENT "${joined}" @ONLY)
add_custom_command(OUTPUT ${cuda_sources_cc}
  COMMAND ${CMAKE_COMMAND} -DLIST=${cuda_text_list} -DOUT=${cuda_sources_cc}
    -DROOT=${PROJECT_SOURCE_DIR}/src
    -P ${PROJECT_SOURCE_DIR}/cmake/EmbedTexts.cmake
  DEPENDS ${cuda_texts} ${cuda_text_list}
    ${PROJECT_SOURCE_DIR}/cmake/EmbedTexts.cmake
  COMMENT "Embedding sources of CUDA kernels" VERBATIM)
