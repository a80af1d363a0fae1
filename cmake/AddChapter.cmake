# add_chapter(chNN_topic [LONG_OUTPUT] [USES chMM_topic ...])
#
# Makes the library chNN_topic (every .cpp of the folder but main.cpp), the program bin/chNN and
# its test of printed output. A chapter may use earlier chapters only; USES is the whole truth, and
# tools/check/include_direction.py holds the sources to it. LONG_OUTPUT: a program that takes
# minutes in double or with sanitizers; there its output is not compared.
function(add_chapter name)
    cmake_parse_arguments(PARSE_ARGV 1 chapter "LONG_OUTPUT" "" "USES")
    string(REGEX MATCH "^ch[0-9][0-9]" number ${name})
    foreach(used IN LISTS chapter_USES)
        string(REGEX MATCH "^ch[0-9][0-9]" used_number ${used})
        if(NOT used_number STRLESS number)
            message(FATAL_ERROR "${name} may only use earlier chapters (found ${used})")
        endif()
    endforeach()

    file(GLOB sources CONFIGURE_DEPENDS *.cpp)
    list(FILTER sources EXCLUDE REGEX "/main\\.cpp$")
    add_library(${name} STATIC ${sources})
    use_precompiled_headers(${name})
    target_link_libraries(${name} PUBLIC common ${chapter_USES}
                                  PRIVATE $<BUILD_INTERFACE:nlohmann_json::nlohmann_json>)
    if(NOT BERT_BUILD_TOOLS)
        return()
    endif()

    add_executable(${number} main.cpp)
    use_precompiled_headers(${number})
    add_dependencies(chapters ${number})
    target_link_libraries(${number} PRIVATE ${name})
    if(BERT_BUILD_TESTS)
        if(NOT (chapter_LONG_OUTPUT AND (BERT_SANITIZE OR REAL STREQUAL "double")))
            add_test(NAME ${number}.expected_output
                     COMMAND ${Python3_EXECUTABLE}
                             ${PROJECT_SOURCE_DIR}/tools/check/expected_output.py
                             $<TARGET_FILE:${number}>
                             ${CMAKE_CURRENT_SOURCE_DIR}/expected_output.txt)
            set_tests_properties(${number}.expected_output PROPERTIES LABELS ${number})
        endif()
        add_chapter_tests(${number} ${name})
        add_dependencies(test_${number} ${number})
    endif()
endfunction()
