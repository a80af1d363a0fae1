# Libraries that bring no CMake package, or none that helps; also for who uses the installed project.

# find_system_library(target header library name package): the imported target.
function(find_system_library target header library name package)
    string(MAKE_C_IDENTIFIER ${target} id)
    find_path(${id}_INCLUDE_DIR ${header})
    find_library(${id}_LIBRARY ${library})
    if(NOT ${id}_INCLUDE_DIR OR NOT ${id}_LIBRARY)
        message(FATAL_ERROR "${name} is missing; this installs it:\n  apt-get install ${package}")
    endif()
    mark_as_advanced(${id}_INCLUDE_DIR ${id}_LIBRARY)
    if(NOT TARGET ${target})
        add_library(${target} UNKNOWN IMPORTED)
        set_target_properties(${target} PROPERTIES
            IMPORTED_LOCATION ${${id}_LIBRARY}
            INTERFACE_INCLUDE_DIRECTORIES ${${id}_INCLUDE_DIR})
    endif()
endfunction()

# oneDNN's own package file asks for the headers of OpenCL, which nothing here needs.
find_system_library(DNNL::dnnl oneapi/dnnl/dnnl.hpp dnnl oneDNN libdnnl-dev)
find_system_library(utf8proc::utf8proc utf8proc.h utf8proc utf8proc libutf8proc-dev)
