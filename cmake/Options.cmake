# sluice_options: how our own code is compiled. Third-party code built along
# with ours (GoogleTest from source) gets only the sanitizers.

# Debug is what one debugs tests with: -O0 makes random-graph tests crawl.
set(CMAKE_CXX_FLAGS_DEBUG "-O1 -g")
if(SLUICE_SANITIZE)
  # Reports need lines, not variables: a third of the compile time less.
  set(CMAKE_CXX_FLAGS_DEBUG "-O1 -g1")
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-O3 -DNDEBUG")

add_library(sluice_options INTERFACE)

file(RELATIVE_PATH relative_root ${PROJECT_BINARY_DIR} ${PROJECT_SOURCE_DIR}/)
set(cxx_flags
  -Wall -Wextra
  # Strict math: results may not depend on how a compiler contracts a*b+c, and
  # never on -ffast-math. The other two only drop side effects nobody reads
  # (errno, the floating-point exception flags) and let loops vectorise.
  -ffp-contract=off -fno-math-errno -fno-trapping-math
  # File names in messages are relative to the repository. ccache may hand the
  # compiler paths relative to the build folder instead: both are mapped.
  -fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=
  -fmacro-prefix-map=${relative_root}=)
if(SLUICE_WERROR)
  list(APPEND cxx_flags -Werror)
endif()

if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  # Without the time stamp a precompiled header is the same bytes every time.
  list(APPEND cxx_flags -Wthread-safety -Xclang -fno-pch-timestamp)
  # Loops that ask to be vectorised stay scalar over doubles, where they call
  # the C library.
  list(APPEND cxx_flags -Wno-pass-failed)
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # ccache must see that a precompiled header is used.
  list(APPEND cxx_flags -fpch-preprocess)
  # These come from g++'s optimiser and depend on inlining; g++ 12 reports them
  # inside std::string and std::vector. Shown, but they do not stop a build.
  foreach(w array-bounds stringop-overflow stringop-overread restrict
            maybe-uninitialized free-nonheap-object)
    list(APPEND cxx_flags -Wno-error=${w})
  endforeach()
  # g++ 13 takes the shape of a Value, which the graph keeps, for a part of the
  # Value, which is a temporary.
  if(CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
    list(APPEND cxx_flags -Wno-dangling-reference)
  endif()
endif()

if(SLUICE_SANITIZE)
  # Global, so that GoogleTest built from source is instrumented too. -g1 is
  # enough for a stack with line numbers and compiles faster than -g.
  add_compile_options(
    $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${SLUICE_SANITIZE}>
    $<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize-recover=all>
    $<$<COMPILE_LANGUAGE:CXX>:-fno-omit-frame-pointer>
    $<$<COMPILE_LANGUAGE:CXX>:-g1>)
  add_link_options(-fsanitize=${SLUICE_SANITIZE})
  if(SLUICE_SANITIZE MATCHES "undefined")
    # A null pointer stops the program without a check, AddressSanitizer knows
    # the size of every object, and we make no casts that vptr could check.
    # A fifth of the compile time less.
    add_compile_options(
      $<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize=null,vptr,object-size>)
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # Instrumented code confuses the flow analysis of this one entirely.
    list(APPEND cxx_flags -Wno-maybe-uninitialized)
    if(SLUICE_SANITIZE MATCHES "thread" AND
       CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 11)
      list(APPEND cxx_flags -Wno-error=tsan)
    endif()
  endif()
endif()

target_compile_options(sluice_options INTERFACE
  "$<$<COMPILE_LANGUAGE:CXX>:${cxx_flags}>")
target_link_libraries(sluice_options INTERFACE Threads::Threads)

# lld links our many test programs several times faster than ld does. It is
# only tried with clang, which brings its own.
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  include(CheckLinkerFlag)
  check_linker_flag(CXX -fuse-ld=lld SLUICE_HAVE_LLD)
  if(SLUICE_HAVE_LLD)
    add_link_options($<$<LINK_LANGUAGE:CXX>:-fuse-ld=lld>)
  endif()
  # The test programs of a sanitizer build are 100 MB each, half of it lines of
  # debug information: packed they are a third smaller.
  if(SLUICE_SANITIZE AND SLUICE_HAVE_LLD)
    set(CMAKE_REQUIRED_LINK_OPTIONS -fuse-ld=lld)
    check_linker_flag(CXX LINKER:--compress-debug-sections=zstd
      SLUICE_HAVE_PACKED_DEBUG)
    unset(CMAKE_REQUIRED_LINK_OPTIONS)
    if(SLUICE_HAVE_PACKED_DEBUG)
      add_link_options(
        $<$<LINK_LANGUAGE:CXX>:LINKER:--compress-debug-sections=zstd>)
    endif()
  endif()
endif()
