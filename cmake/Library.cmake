# The project as a library: the target attention_to_bert::bert, the same after
# find_package(attention_to_bert) as after add_subdirectory. Each chapter is a target of its own too,
# such as attention_to_bert::ch12_wordpiece.
add_library(bert_library INTERFACE)
set_target_properties(bert_library PROPERTIES EXPORT_NAME bert)
target_link_libraries(bert_library INTERFACE ch14_bert ch17_attention_maps)
add_library(attention_to_bert::bert ALIAS bert_library)

if(NOT BERT_INSTALL)
    return()
endif()
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/attention_to_bert)
set(header_dir ${CMAKE_INSTALL_INCLUDEDIR}/attention_to_bert)

get_target_property(chapter_libraries all_chapters INTERFACE_LINK_LIBRARIES)
install(TARGETS bert_options common ${chapter_libraries} bert_library
        EXPORT attention_to_bert_targets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}/attention_to_bert)
install(EXPORT attention_to_bert_targets NAMESPACE attention_to_bert:: DESTINATION ${package_dir})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/attention_to_bert-config.cmake.in
    ${PROJECT_BINARY_DIR}/attention_to_bert-config.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/attention_to_bert-config-version.cmake
    COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/attention_to_bert-config.cmake
              ${PROJECT_BINARY_DIR}/attention_to_bert-config-version.cmake
              ${PROJECT_SOURCE_DIR}/cmake/SystemLibraries.cmake
        DESTINATION ${package_dir})

install(DIRECTORY ${PROJECT_SOURCE_DIR}/common DESTINATION ${header_dir}
        FILES_MATCHING PATTERN "*.hpp")
install(DIRECTORY ${PROJECT_SOURCE_DIR}/chapters/ DESTINATION ${header_dir}
        FILES_MATCHING PATTERN "*.hpp" PATTERN exercises EXCLUDE PATTERN figures EXCLUDE)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/data/ DESTINATION ${CMAKE_INSTALL_DATADIR}/attention_to_bert
        PATTERN golden EXCLUDE)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
if(BERT_BUILD_TOOLS)
    install(TARGETS bert RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
