# Chooses compiler and launcher before project(). Anything the user says wins:
# -DCMAKE_CXX_COMPILER=..., the variable CXX, or a toolchain file.

set(SLUICE_COMPILER "clang" CACHE STRING
  "Compiler family to look for first: clang, gcc or system")
set_property(CACHE SLUICE_COMPILER PROPERTY STRINGS clang gcc system)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release or Debug" FORCE)
endif()

set(user_cxx "$ENV{CXX}")
if(SKBUILD AND user_cxx)
  # pip sets the variable to what Python was built with, which nobody asked for.
  execute_process(
    COMMAND ${Python_EXECUTABLE} -c
      "import sysconfig; print((sysconfig.get_config_var('CXX') or '').split()[0])"
    OUTPUT_VARIABLE python_cxx OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(user_cxx STREQUAL python_cxx)
    set(user_cxx)
  endif()
endif()
if(NOT DEFINED CMAKE_CXX_COMPILER AND NOT user_cxx
   AND NOT DEFINED CMAKE_TOOLCHAIN_FILE)
  # clang 19 vectorises our strict-math loops far better than g++ 12 does.
  if(SLUICE_COMPILER STREQUAL "clang")
    find_program(SLUICE_FOUND_CXX NAMES clang++-19)
  elseif(SLUICE_COMPILER STREQUAL "gcc")
    find_program(SLUICE_FOUND_CXX NAMES g++)
  endif()
  if(SLUICE_FOUND_CXX)
    set(CMAKE_CXX_COMPILER ${SLUICE_FOUND_CXX} CACHE FILEPATH "C++ compiler")
  endif()
endif()

if(NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(SLUICE_CCACHE NAMES ccache)
  if(SLUICE_CCACHE)
    set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_CURRENT_LIST_DIR}/../tools/cached_compile.sh ${SLUICE_CCACHE})
    set(CMAKE_CUDA_COMPILER_LAUNCHER ${SLUICE_CCACHE})
  endif()
endif()
