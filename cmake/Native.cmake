# libsluice_llvm.so: machine code for loops over scalars, made by LLVM
# (src/sluice/vm/llvm). Programs open it when the first loop is hot; nothing
# links it, so nothing but this library needs LLVM. Without LLVM 19 it is left
# out, and loops stay bytecode.
#
# Not in builds with sanitizers: neither LLVM nor the code it makes has their
# checks in it.

set(SLUICE_LLVM AUTO CACHE STRING
  "Build the engine made of LLVM 19: ON, OFF, or AUTO (where it is found)")
if(NOT SLUICE_LLVM OR SLUICE_SANITIZE OR
   (SLUICE_LLVM STREQUAL "AUTO" AND NOT PROJECT_IS_TOP_LEVEL))
  return()
endif()
# Not LLVM's own build files, which want every library it may use.
find_path(SLUICE_LLVM_INCLUDE llvm-c/LLJIT.h
  HINTS /usr/lib/llvm-19/include NO_DEFAULT_PATH)
find_library(SLUICE_LLVM_LIBRARY NAMES LLVM-19
  HINTS /usr/lib/llvm-19/lib NO_DEFAULT_PATH)
mark_as_advanced(SLUICE_LLVM_INCLUDE SLUICE_LLVM_LIBRARY)
if(NOT SLUICE_LLVM_INCLUDE OR NOT SLUICE_LLVM_LIBRARY)
  if(NOT SLUICE_LLVM STREQUAL "AUTO")
    message(FATAL_ERROR "SLUICE_LLVM asks for the engine made of LLVM, but "
      "LLVM 19 is not there (Debian: llvm-19-dev)")
  endif()
  message(NOTICE "Sluice: LLVM 19 not found (Debian: llvm-19-dev), so loops "
    "over scalars are not compiled to machine code. Everything else is there.")
  return()
endif()

file(GLOB llvm_files CONFIGURE_DEPENDS ${src}/vm/llvm/*.cc)
add_library(sluice_llvm SHARED ${llvm_files})
target_include_directories(sluice_llvm PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_include_directories(sluice_llvm SYSTEM PRIVATE ${SLUICE_LLVM_INCLUDE})
target_link_libraries(sluice_llvm PRIVATE sluice_options ${SLUICE_LLVM_LIBRARY})
set_target_properties(sluice_llvm PROPERTIES CXX_VISIBILITY_PRESET hidden
  VISIBILITY_INLINES_HIDDEN ON)
# It shares nothing with what loads it but the interface it gives.
target_link_options(sluice_llvm PRIVATE LINKER:-z,defs LINKER:--gc-sections)
