# sluice._core, the Python extension, and the package around it in
# build/*/python/sluice: what tests and benchmarks import. Its modules are links
# to those of python/sluice, so that only the extension is ever built.
#
# Needs Python's headers and nanobind; without them the part is left out, with a
# message. `-DPython_EXECUTABLE=...` says for which Python.

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
    "no Python with headers and nanobind; make -C tools says how to get one: "
    "tools/python_env.sh")
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
  sluice_options sluice_ops sluice_stack sluice)
sluice_use_public_header(sluice_python)
# nanobind.h takes seconds to read.
target_precompile_headers(sluice_python PRIVATE
  ${PROJECT_SOURCE_DIR}/python/src/common.h)
# Only the module's entry is seen from outside: PyTorch, JAX and others live in
# the same process.
set(exports ${PROJECT_SOURCE_DIR}/python/src/exports.map)
target_link_options(sluice_python PRIVATE
  LINKER:--version-script=${exports} LINKER:--gc-sections)
set_property(TARGET sluice_python APPEND PROPERTY LINK_DEPENDS ${exports})

# Links to the modules, made anew when there are others.
file(GLOB modules CONFIGURE_DEPENDS LIST_DIRECTORIES true
  ${PROJECT_SOURCE_DIR}/python/sluice/*)
foreach(module IN LISTS modules)
  get_filename_component(name ${module} NAME)
  if(NOT name STREQUAL "__pycache__")
    file(CREATE_LINK ${module} ${package_dir}/${name} SYMBOLIC)
  endif()
endforeach()
