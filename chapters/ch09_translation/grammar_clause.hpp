// What a sentence says, before it is said in French or in English: who, does what, to whom, where.
//
// Both languages are functions of one Clause. They differ in what each makes visible: French shows
// gender and number on articles, adjectives and verbs, English does not; each has its own order.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ch09_translation/grammar_words.hpp"

namespace bert {

/// What verbs, adjectives and pronouns agree with: "nous" is person 1, plural.
struct Agreement {
    int person = 3;
    Number number = Number::singular;
    Gender gender = Gender::masculine;
    Kinds kind = Kind::person;
};

enum class Determiner { definite, indefinite, demonstrative, possessive };

/// "mes petits chiens noirs": possessive, owner je, before petit, after noir.
struct NounPhrase {
    const Noun* noun;
    Number number = Number::singular;
    Determiner determiner = Determiner::definite;
    Agreement owner = {};               // of a possessive
    const Adjective* before = nullptr;  // or nullptr
    const Adjective* after = nullptr;
};

/// A pronoun, or one noun phrase, or two joined by "et".
struct Subject {
    Agreement pronoun = {};
    std::vector<NounPhrase> phrases = {};  // empty: the pronoun
};

enum class Auxiliary { none, want, can, going };
enum class Frequency { none, often, always };
enum class Preposition { none, in, behind, in_front_of, with };

struct Clause {
    Subject subject;
    const Verb* verb = nullptr;  // nullptr: to be

    // After to be, one of these or a place.
    const Profession* profession = nullptr;
    const Adjective* adjective = nullptr;
    bool very = false;

    // With a verb. The pronoun is the object, and the recipient of a verb that gives.
    Auxiliary auxiliary = Auxiliary::none;
    std::optional<NounPhrase> object = {};
    std::optional<NounPhrase> recipient = {};
    std::optional<Agreement> pronoun = {};

    Frequency frequency = Frequency::none;
    Preposition preposition = Preposition::none;
    std::optional<NounPhrase> place = {};
    bool here = false;

    bool negative = false;
    bool question = false;
};

/// What a subject's verb and adjectives agree with. Two phrases are plural, and feminine only when
/// both are.
Agreement agreement_of(const Subject& subject);

/// 0 to 5 for je, tu, il, nous, vous, ils.
std::size_t verb_form(const Agreement& agreement);
/// 0 to 3 for petit, petite, petits, petites.
std::size_t adjective_form(const Agreement& agreement);

/// The sentence in French, its words separated by one blank: "je n' aime pas l' ami".
std::string french(const Clause& clause);
/// The same in English: "i do not love the friend".
std::string english(const Clause& clause);

/// Whether a French word asks the one before it for its short form: a vowel or a silent h.
bool starts_with_vowel(std::string_view word);

/// Words joined by one blank.
std::string join(const std::vector<std::string>& words);

}  // namespace bert
