# What other projects link, made of the objects of sluice, sluice_ops,
# sluice_report, sluice_stack and sluice_cluster:
#   Sluice::static  one archive, libsluice.a
#   Sluice::shared  libsluice.so
#   Sluice::sluice  one of them: the shared one where BUILD_SHARED_LIBS says so
# The same names come from find_package(Sluice) after an installation.

include(GNUInstallDirs)

# Folders whose headers a program may include, with what those headers call.
# Functions of the other folders are not exported from the shared library.
set(SLUICE_EXPORTED_FOLDERS base tensor formats op graph eager trace
  front ${SLUICE_REPORT_FOLDERS} ${SLUICE_STACK_FOLDERS})
list(JOIN SLUICE_EXPORTED_FOLDERS "|" exported)
set(exported "/src/sluice/(${exported})/|/generated/")
set(all_objects $<TARGET_OBJECTS:sluice> $<TARGET_OBJECTS:sluice_ops>
  $<TARGET_OBJECTS:sluice_report> $<TARGET_OBJECTS:sluice_stack>
  $<TARGET_OBJECTS:sluice_cluster>)
set(open_objects "$<FILTER:${all_objects},INCLUDE,${exported}>")
set(hidden_objects "$<FILTER:${all_objects},EXCLUDE,${exported}>")

function(sluice_public_usage target)
  target_include_directories(${target} INTERFACE
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<BUILD_INTERFACE:${SLUICE_GENERATED_DIR}>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_compile_features(${target} INTERFACE cxx_std_20)
  target_link_libraries(${target} INTERFACE Threads::Threads ${CMAKE_DL_LIBS})
  add_dependencies(${target} sluice_ops_header)
endfunction()

# Built when it is installed or used: a project around this one may use neither.
set(excluded)
if(NOT SLUICE_INSTALL)
  set(excluded EXCLUDE_FROM_ALL)
endif()

# Static. Ops are reached through the registry alone, so all of the archive is
# linked, not only what a program names.
add_library(sluice_archive STATIC ${excluded} ${all_objects})
set_target_properties(sluice_archive PROPERTIES
  OUTPUT_NAME sluice EXPORT_NAME archive LINKER_LANGUAGE CXX
  ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/package)
sluice_public_usage(sluice_archive)
# By the name it has after an installation: this expression is exported as is.
add_library(Sluice::archive ALIAS sluice_archive)
add_library(sluice_static INTERFACE)
set_target_properties(sluice_static PROPERTIES EXPORT_NAME static)
target_link_libraries(sluice_static INTERFACE
  $<LINK_LIBRARY:WHOLE_ARCHIVE,Sluice::archive>)

# Shared. Two things decide what is exported: nothing of the hidden folders, and
# of the others what the linker script names.
add_library(sluice_hidden STATIC EXCLUDE_FROM_ALL ${hidden_objects})
set_target_properties(sluice_hidden PROPERTIES LINKER_LANGUAGE CXX)
add_library(sluice_shared SHARED ${excluded} ${open_objects})
set(exports ${PROJECT_SOURCE_DIR}/cmake/install/exports.map)
set_target_properties(sluice_shared PROPERTIES
  OUTPUT_NAME sluice EXPORT_NAME shared LINKER_LANGUAGE CXX
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}
  LINK_DEPENDS ${exports})
target_link_libraries(sluice_shared PRIVATE
  sluice_options Threads::Threads ${CMAKE_DL_LIBS}
  $<LINK_LIBRARY:WHOLE_ARCHIVE,sluice_hidden>)
target_link_options(sluice_shared PRIVATE
  LINKER:--exclude-libs,$<TARGET_FILE_NAME:sluice_hidden>
  LINKER:--version-script=${exports}
  LINKER:-Bsymbolic-functions LINKER:-z,defs)
sluice_public_usage(sluice_shared)

add_library(Sluice::static ALIAS sluice_static)
add_library(Sluice::shared ALIAS sluice_shared)
if(BUILD_SHARED_LIBS)
  add_library(Sluice::sluice ALIAS sluice_shared)
else()
  add_library(Sluice::sluice ALIAS sluice_static)
endif()
