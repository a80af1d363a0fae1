#include "ch15_pretraining/sentences.hpp"

#include <fstream>
#include <sstream>

#include "tests/support/catch.hpp"

using namespace bert;

namespace {

using Sentences = std::vector<std::string>;

std::string text_of(const std::string& path) {
    std::ifstream file{std::string{BERT_SOURCE_DIR} + "/data/corpora/" + path, std::ios::binary};
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

}  // namespace

TEST_CASE("split_sentences: at stops but not at abbreviations and initials", "[ch15]") {
    CHECK(split_sentences("One. Two! Three? Four") == Sentences{"One.", "Two!", "Three?", "Four"});
    CHECK(split_sentences("Mr. and Mrs. Bennet met Dr. Grant at St. James. He bowed.") ==
          Sentences{"Mr. and Mrs. Bennet met Dr. Grant at St. James.", "He bowed."});
    CHECK(split_sentences("F. C. Weston Churchill wrote. So did I. He knew.") ==
          Sentences{"F. C. Weston Churchill wrote.", "So did I.", "He knew."});
    CHECK(split_sentences("It is No. 97, Vol. II. No. Not that.") ==
          Sentences{"It is No. 97, Vol. II.", "No.", "Not that."});
    CHECK(split_sentences("Cloth, i.e. Linen, e.g. Muslin. It costs 3.5 or 1.000 pounds.") ==
          Sentences{"Cloth, i.e. Linen, e.g. Muslin.", "It costs 3.5 or 1.000 pounds."});
    CHECK(split_sentences("Hats, gloves, etc. were there. Hats, etc. She left.") ==
          Sentences{"Hats, gloves, etc. were there.", "Hats, etc.", "She left."});
    CHECK(split_sentences("Well... perhaps. Well... Perhaps.") ==
          Sentences{"Well... perhaps.", "Well...", "Perhaps."});
    CHECK(split_sentences("Really?! Yes!!! (Indeed.) Good.") ==
          Sentences{"Really?!", "Yes!!!", "(Indeed.)", "Good."});
    CHECK(split_sentences("A man of 30. 20 years on.") ==
          Sentences{"A man of 30.", "20 years on."});
    CHECK(split_sentences("Il vint. Élise rit. Vint-il? était-ce lui?") ==
          Sentences{"Il vint.", "Élise rit.", "Vint-il? était-ce lui?"});
}

TEST_CASE("split_sentences: dialogue", "[ch15]") {
    CHECK(split_sentences("\"Is he married?\" said she. \"Oh! single, my dear!\"") ==
          Sentences{"\"Is he married?\" said she.", "\"Oh! single, my dear!\""});
    CHECK(split_sentences("\"I know.\" \"Do you?\" 'Yes.' She sat.") ==
          Sentences{"\"I know.\"", "\"Do you?\"", "'Yes.'", "She sat."});
    CHECK(split_sentences("“Why?” He left. “Go!” cried she.") ==
          Sentences{"“Why?”", "He left.", "“Go!” cried she."});
    CHECK(split_sentences("It was late.--Mr. Weston slept.-- She too.") ==
          Sentences{"It was late.--", "Mr. Weston slept.--", "She too."});
    CHECK(split_sentences("It was late!—Emma slept. A well-known man.") ==
          Sentences{"It was late!—", "Emma slept.", "A well-known man."});
    CHECK(split_sentences("Oh!--if she could.--and yet.") ==
          Sentences{"Oh!--if she could.--and yet."});
}

TEST_CASE("split_sentences: joins lines and takes out marks of italics", "[ch15]") {
    CHECK(split_sentences("  It was\n_her_   loss.\r\n\tHe\nknew.  ") ==
          Sentences{"It was her loss.", "He knew."});
    CHECK(split_sentences("") == Sentences{});
    CHECK(split_sentences(" \n ") == Sentences{});
    CHECK(split_sentences("...") == Sentences{"..."});
    CHECK(split_sentences(". A") == Sentences{".", "A"});
    CHECK(split_sentences("no stop") == Sentences{"no stop"});
}

TEST_CASE("split_prose: a document a chapter without headings", "[ch15]") {
    const std::string text =
        "EMMA\n\nBy Jane Austen\n\nVOLUME I\n\n\n   CHAPTER I\n\nOne came.\nTwo\nleft.\n\n* * *\n\n"
        "Three.\n\nChapter 2\n\nFour.\n\nMY DEAR EMMA,\n\n\"CAROLINE BINGLEY\"\n\nXII\n\nFive. "
        "5.\n\n"
        "A NOTE ON THE TEXT\n\nChapter and verse were quoted, and the end was not near.\n\nFinis\n";
    const std::vector<Sentences> expected = {
        {"One came.", "Two left.", "Three."},
        {"Four.", "MY DEAR EMMA,", "\"CAROLINE BINGLEY\""},
        {"Five."},
        {"Chapter and verse were quoted, and the end was not near."}};
    CHECK(split_prose(text) == expected);
    CHECK(corpus_text(expected).starts_with("One came.\nTwo left.\nThree.\n\nFour.\n"));
    CHECK(
        corpus_text(expected).ends_with("Five.\n\nChapter and verse were quoted, and the end was "
                                        "not near.\n"));
    CHECK(split_prose("One. Two.\n\nThree.") == std::vector<Sentences>{{"One.", "Two.", "Three."}});
    CHECK(split_prose("").empty());
    CHECK(split_prose("\n\n***\n\n").empty());
    CHECK(corpus_text({}).empty());
}

TEST_CASE("split_prose: the chapters of six novels", "[ch15]") {
    struct Novel {
        const char* name;
        std::size_t chapters;
    };
    for (const auto& [name, chapters] :
         {Novel{"emma", 55}, Novel{"mansfield_park", 48},
          Novel{"northanger_abbey", 32},  // and a note on the text
          Novel{"persuasion", 24}, Novel{"pride_prejudice", 61}, Novel{"sense_sensibility", 50}}) {
        const auto documents = split_prose(text_of(std::string{"austen/"} + name + ".txt"));
        INFO(name);
        CHECK(documents.size() == chapters);
        for (const Sentences& sentences : documents) {
            CHECK(sentences.size() >= 3);
            for (const std::string& sentence : sentences) {
                CHECK(sentence.find('\n') == std::string::npos);
                CHECK(sentence.find('_') == std::string::npos);
                CHECK(!sentence.ends_with("Mr."));
                CHECK(!sentence.ends_with("Mrs."));
            }
        }
    }
    const auto documents = split_prose(text_of("austen/pride_prejudice.txt"));
    CHECK(corpus_text({documents.begin(), documents.begin() + 8}) == text_of("excerpt.txt"));
    CHECK(documents[0][0] ==
          "It is a truth universally acknowledged, that a single man in possession of a good "
          "fortune, must be in want of a wife.");
}
