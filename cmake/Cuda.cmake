# The CUDA part: .cu files and the folders device/cuda, kernels/cuda, comm/nccl.

# nvcc is often installed but not on the path.
if(NOT DEFINED CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
  find_program(SLUICE_NVCC NAMES nvcc HINTS ENV CUDA_HOME /usr/local/cuda
    PATH_SUFFIXES bin)
  if(SLUICE_NVCC)
    set(CMAKE_CUDA_COMPILER ${SLUICE_NVCC})
  endif()
endif()
# CMake's own default names an architecture that new CUDA versions dropped.
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES 90)
endif()

enable_language(CUDA)
find_package(CUDAToolkit REQUIRED)

set(CMAKE_CUDA_STANDARD 20)
set(CMAKE_CUDA_STANDARD_REQUIRED ON)
target_compile_definitions(sluice_options INTERFACE SLUICE_CUDA=1)
# As on the host: the compiler may not contract a*b+c where the source does not.
target_compile_options(sluice_options INTERFACE
  $<$<COMPILE_LANGUAGE:CUDA>:--fmad=false>
  $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-ffp-contract=off>)
target_link_libraries(sluice_options INTERFACE CUDA::cudart)
