# use_precompiled_headers(target): compiles its sources with precompiled.hpp read already.
if(BERT_PRECOMPILE)
    add_library(precompiled OBJECT ${CMAKE_CURRENT_LIST_DIR}/precompiled.cpp)
    target_link_libraries(precompiled PRIVATE bert_options fmt::fmt OpenMP::OpenMP_CXX)
    target_precompile_headers(precompiled PRIVATE ${CMAKE_CURRENT_LIST_DIR}/precompiled.hpp)
endif()

function(use_precompiled_headers target)
    if(BERT_PRECOMPILE)
        target_precompile_headers(${target} REUSE_FROM precompiled)
    endif()
endfunction()
