# sluice._core, the Python extension, and the package around it in
# build/*/python/sluice: what tests and benchmarks import. Its modules are links
# to those of python/sluice, so that only the extension and the stubs are ever
# built. `pip install .` (pyproject.toml) builds the target sluice_python_package
# and installs the component `python`.
#
# Needs Python's headers and nanobind; without them the part is left out, with a
# message. `-DPython_EXECUTABLE=...` says for which Python; `make` gives that of
# tools/python_env.sh.

find_package(Python 3.10 QUIET COMPONENTS Interpreter Development.Module)
set(found_nanobind FALSE)
if(Python_FOUND)
  execute_process(COMMAND ${Python_EXECUTABLE} -m nanobind --cmake_dir
    OUTPUT_STRIP_TRAILING_WHITESPACE OUTPUT_VARIABLE nanobind_ROOT
    RESULT_VARIABLE failed ERROR_QUIET)
  if(failed EQUAL 0)
    find_package(nanobind CONFIG QUIET)
    set(found_nanobind ${nanobind_FOUND})
  endif()
endif()
if(NOT found_nanobind)
  if(SLUICE_PYTHON STREQUAL "AUTO")
    message(NOTICE "Sluice: no Python with headers and nanobind found, so "
      "the Python package is not built. Libraries and programs are.")
    return()
  endif()
  message(FATAL_ERROR "SLUICE_PYTHON asks for the Python package, but there is "
    "no Python with headers and nanobind; tools/python_env.sh makes one: "
    "-DPython_EXECUTABLE=build/python-env/bin/python")
endif()

# What Python needs around it to load an instrumented extension: the runtime in
# front of everything else. Python never frees much of what it makes, so leaks
# say nothing.
set(python_settings "")
set(python_timeout 600)
if(SLUICE_SANITIZE MATCHES "address")
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    set(runtime libclang_rt.asan-${CMAKE_SYSTEM_PROCESSOR}.so)
  else()
    set(runtime libasan.so)
  endif()
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=${runtime}
    OUTPUT_STRIP_TRAILING_WHITESPACE OUTPUT_VARIABLE runtime)
  # libstdc++ beside it: the runtime looks for its __cxa_throw at the start.
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libstdc++.so.6
    OUTPUT_STRIP_TRAILING_WHITESPACE OUTPUT_VARIABLE standard_library)
  set(python_settings
    "LD_PRELOAD=${runtime} ${standard_library}"
    "ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1"
    "UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1")
  set(python_timeout 1800)  # all of it is several times slower
endif()

set(package_dir ${PROJECT_BINARY_DIR}/python/sluice)
file(MAKE_DIRECTORY ${package_dir})
file(GLOB binding_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/python/src/*.cc)
# Static: one file to load. Unstripped, so that failures can be read.
nanobind_add_module(sluice_python NB_STATIC NOSTRIP NOMINSIZE
  NB_DOMAIN sluice ${binding_files})
set_target_properties(sluice_python PROPERTIES
  OUTPUT_NAME _core LIBRARY_OUTPUT_DIRECTORY ${package_dir})
target_link_libraries(sluice_python PRIVATE
  sluice_options sluice_ops sluice_stack sluice_cluster sluice)
sluice_use_public_header(sluice_python)
if(SLUICE_SANITIZE)
  # Its own functions copy nothing from a null pointer for calls without
  # arguments: harmless, and not ours to mend.
  get_target_property(linked sluice_python LINK_LIBRARIES)
  list(FILTER linked INCLUDE REGEX "^nanobind-static")
  target_compile_options(${linked} PRIVATE -fno-sanitize=nonnull-attribute)
endif()
# nanobind.h takes seconds to read.
target_precompile_headers(sluice_python PRIVATE
  ${PROJECT_SOURCE_DIR}/python/src/common.h)
# Only the module's entry is seen from outside: PyTorch, JAX and others live in
# the same process.
set(exports ${PROJECT_SOURCE_DIR}/python/src/exports.map)
target_link_options(sluice_python PRIVATE
  LINKER:--version-script=${exports} LINKER:--gc-sections)
set_property(TARGET sluice_python APPEND PROPERTY LINK_DEPENDS ${exports})
# Daemon threads at the end of the process: python/src/exit.cc has the reasons.
target_link_options(sluice_python PRIVATE
  LINKER:--wrap=__gxx_personality_v0 LINKER:--wrap=__cxa_atexit)

# What a cluster needs stands beside the extension, which looks there.
if(TARGET sluice_grpc AND TARGET app_sluice_server)
  add_dependencies(sluice_python sluice_grpc app_sluice_server)
  file(CREATE_LINK ${PROJECT_BINARY_DIR}/lib/libsluice_grpc.so
    ${package_dir}/libsluice_grpc.so SYMBOLIC)
  file(CREATE_LINK ${PROJECT_BINARY_DIR}/bin/sluice-server
    ${package_dir}/sluice-server SYMBOLIC)
endif()

# So does what compiles loops. Not in a wheel: LLVM's library is as large as all
# the rest, and a wheel without it has the same results.
if(TARGET sluice_llvm AND NOT SKBUILD)
  add_dependencies(sluice_python sluice_llvm)
  file(CREATE_LINK ${PROJECT_BINARY_DIR}/lib/libsluice_llvm.so
    ${package_dir}/libsluice_llvm.so SYMBOLIC)
endif()

# Links to the modules, made anew when there are others.
file(GLOB modules CONFIGURE_DEPENDS LIST_DIRECTORIES true
  ${PROJECT_SOURCE_DIR}/python/sluice/*)
foreach(module IN LISTS modules)
  get_filename_component(name ${module} NAME)
  if(NOT name STREQUAL "__pycache__")
    file(CREATE_LINK ${module} ${package_dir}/${name} SYMBOLIC)
  endif()
endforeach()

# Stubs, for editors and mypy: of the extension as nanobind sees it, with the methods
# that Python adds to its classes, and of the op functions by their records.
file(GLOB method_files CONFIGURE_DEPENDS
  ${PROJECT_SOURCE_DIR}/python/sluice/_array/*.py)
set(stubs ${package_dir}/_core.pyi ${package_dir}/_ops.pyi)
add_custom_command(OUTPUT ${stubs}
  COMMAND ${CMAKE_COMMAND} -E env ${python_settings}
    ${Python_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/python_stubs.py
    ${package_dir}
  DEPENDS sluice_python ${PROJECT_SOURCE_DIR}/tools/python_stubs.py ${method_files}
  COMMENT "Writing sluice/_core.pyi and _ops.pyi" VERBATIM)
# Modules are compiled as an installation does: where the environment forbids
# Python to keep what it compiles, importing them takes three times as long.
add_custom_target(sluice_python_package ALL
  COMMAND ${Python_EXECUTABLE} -m compileall -q ${package_dir}
    ${PROJECT_SOURCE_DIR}/python/sluice
  DEPENDS sluice_python ${stubs})

if(SKBUILD)
  install(TARGETS sluice_python LIBRARY DESTINATION sluice COMPONENT python)
  install(FILES ${stubs} DESTINATION sluice COMPONENT python)
  if(TARGET sluice_grpc AND TARGET app_sluice_server)
    install(TARGETS sluice_grpc LIBRARY DESTINATION sluice COMPONENT python)
    install(TARGETS app_sluice_server RUNTIME DESTINATION sluice
      COMPONENT python)
  endif()
endif()

# One CTest test per file. What needs PyTorch and others is for
# `make test-interop`.
if(SLUICE_TESTS)
  execute_process(COMMAND ${Python_EXECUTABLE} -c "import numpy, pytest"
    RESULT_VARIABLE failed ERROR_QUIET)
  if(NOT failed EQUAL 0)
    message(NOTICE "Sluice: no numpy or pytest for ${Python_EXECUTABLE}, so "
      "the Python tests are not run.")
    return()
  endif()
  enable_testing()
  file(GLOB python_tests CONFIGURE_DEPENDS
    ${PROJECT_SOURCE_DIR}/python/tests/test_*.py)
  list(FILTER python_tests EXCLUDE REGEX "/test_interop_")
  foreach(f IN LISTS python_tests)
    get_filename_component(name ${f} NAME_WE)
    add_test(NAME python_${name}
      COMMAND ${Python_EXECUTABLE} -m pytest -p no:cacheprovider ${f}
      WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    set_tests_properties(python_${name} PROPERTIES TIMEOUT ${python_timeout} LABELS python
      ENVIRONMENT "PYTHONPATH=${PROJECT_BINARY_DIR}/python;${python_settings}")
  endforeach()

  # Imperative code, gradients, captured functions, sessions and training once
  # more with a simulated accelerator as the device of all that names none: in
  # one process, for most of a short test's time is that of the import. What
  # other files pin down of the host alone: docs/internals/simulated_device.md.
  set(on_sim amp autograd autograd_function capture_decided capture_fidelity
    capture_random capture_reached capture_shared_memory capture_used_up
    control_flow convert_tensors data deferred_tf1 deferred_variable
    detached_writes files kept_values list nn_capture nn_examples nn_hooks
    nn_layers nn_module nn_state optim tensor_graph tensor_index train
    transforms transforms_vmap values_numbers written_numbers)
  list(TRANSFORM on_sim PREPEND ${PROJECT_SOURCE_DIR}/python/tests/test_)
  list(TRANSFORM on_sim APPEND .py)
  add_test(NAME python_tests_on_sim
    COMMAND ${Python_EXECUTABLE} -m pytest -p no:cacheprovider ${on_sim}
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(python_tests_on_sim PROPERTIES
    TIMEOUT ${python_timeout} LABELS python
    ENVIRONMENT "SLUICE_DEVICE=sim:0;PYTHONPATH=${PROJECT_BINARY_DIR}/python;${python_settings}")
endif()
