#include "ch09_translation/grammar.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "ch09_translation/grammar_clause.hpp"
#include "ch09_translation/grammar_random.hpp"
#include "ch09_translation/parallel_text.hpp"
#include "ch09_translation/vocabulary.hpp"
#include "common/random/random.hpp"
#include "tests/support/catch.hpp"

using namespace bert;

namespace {

constexpr Agreement je{1};
constexpr Agreement tu{2};
constexpr Agreement il{3};
constexpr Agreement elle{3, Number::singular, Gender::feminine};
constexpr Agreement nous{1, Number::plural};
constexpr Agreement vous{2, Number::plural};
constexpr Agreement ils{3, Number::plural};
constexpr Agreement elles{3, Number::plural, Gender::feminine};

NounPhrase the(const char* name, Number number = Number::singular) {
    return {&noun(name), number};
}

NounPhrase phrase(const char* name, Determiner determiner, Number number = Number::singular) {
    return {&noun(name), number, determiner};
}

Clause says(const Agreement& pronoun, const char* infinitive) {
    Clause clause;
    clause.subject.pronoun = pronoun;
    clause.verb = &verb(infinitive);
    return clause;
}

Clause says(const NounPhrase& subject, const char* infinitive) {
    Clause clause = says(il, infinitive);
    clause.subject.phrases = {subject};
    return clause;
}

Clause is(const Agreement& pronoun, const char* what) {
    Clause clause;
    clause.subject.pronoun = pronoun;
    clause.adjective = &adjective(what);
    return clause;
}

Clause is(const std::vector<NounPhrase>& subject, const char* what) {
    Clause clause = is(il, what);
    clause.subject.phrases = subject;
    return clause;
}

Clause with_object(Clause clause, const NounPhrase& object) {
    clause.object = object;
    return clause;
}

Clause with_pronoun(Clause clause, const Agreement& pronoun) {
    clause.pronoun = pronoun;
    return clause;
}

Clause negated(Clause clause) {
    clause.negative = true;
    return clause;
}

Clause asked(Clause clause) {
    clause.question = true;
    return clause;
}

Clause with_auxiliary(Clause clause, Auxiliary auxiliary) {
    clause.auxiliary = auxiliary;
    return clause;
}

void check(const Clause& clause, const std::string& in_french, const std::string& in_english) {
    CHECK(french(clause) == in_french);
    CHECK(english(clause) == in_english);
}

bool has_word(const std::vector<std::string>& words, const std::string& word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

const std::vector<SentencePair>& corpus() {
    static const std::vector<SentencePair> pairs = grammar_pairs();
    return pairs;
}

const CorpusSplit& parts() {
    static const CorpusSplit split = split_corpus(corpus());
    return split;
}

std::vector<std::string> side(const std::vector<SentencePair>& pairs,
                              std::string SentencePair::*member) {
    std::vector<std::string> sentences;
    for (const SentencePair& pair : pairs)
        sentences.push_back(pair.*member);
    return sentences;
}

}  // namespace

TEST_CASE("grammar: the documents' sentence", "[ch09]") {
    CHECK(documents_pair() == SentencePair{"je suis étudiant", "i am a student"});
}

TEST_CASE("grammar: every person of a regular and an irregular verb", "[ch09]") {
    Clause sleep = says(je, "dormir");
    sleep.here = true;
    check(sleep, "je dors ici", "i sleep here");
    const auto sees = [](const Agreement& subject) {
        return with_object(says(subject, "voir"), the("chien"));
    };
    check(sees(je), "je vois le chien", "i see the dog");
    check(sees(tu), "tu vois le chien", "you see the dog");
    check(sees(il), "il voit le chien", "he sees the dog");
    check(sees(elle), "elle voit le chien", "she sees the dog");
    check(sees(nous), "nous voyons le chien", "we see the dog");
    check(sees(vous), "vous voyez le chien", "you see the dog");
    check(sees(ils), "ils voient le chien", "they see the dog");
    check(sees(elles), "elles voient le chien", "they see the dog");
}

TEST_CASE("grammar: every form of to be", "[ch09]") {
    check(is(je, "fatigué"), "je suis fatigué", "i am tired");
    check(is(tu, "fatigué"), "tu es fatigué", "you are tired");
    check(is(il, "fatigué"), "il est fatigué", "he is tired");
    check(is(nous, "fatigué"), "nous sommes fatigués", "we are tired");
    check(is(vous, "fatigué"), "vous êtes fatigués", "you are tired");
    check(is(elles, "fatigué"), "elles sont fatiguées", "they are tired");
}

TEST_CASE("grammar: articles and adjectives agree and change places", "[ch09]") {
    NounPhrase dogs = the("chien", Number::plural);
    dogs.before = &adjective("petit");
    dogs.after = &adjective("noir");
    check(with_object(says(je, "voir"), dogs), "je vois les petits chiens noirs",
          "i see the small black dogs");
    NounPhrase car = phrase("voiture", Determiner::demonstrative);
    car.before = &adjective("vieux");
    car.after = &adjective("blanc");
    check(with_object(says(il, "acheter"), car), "il achète cette vieille voiture blanche",
          "he buys this old white car");
    NounPhrase man = the("homme");
    man.before = &adjective("vieux");
    man.after = &adjective("fatigué");
    check(with_object(says(je, "voir"), man), "je vois le vieil homme fatigué",
          "i see the tired old man");
    NounPhrase friends = phrase("ami", Determiner::demonstrative, Number::plural);
    friends.before = &adjective("vieux");
    check(with_object(says(ils, "aider"), friends), "ils aident ces vieux amis",
          "they help these old friends");
}

TEST_CASE("grammar: subjects joined by et are plural and masculine if either is", "[ch09]") {
    check(is({the("fille"), the("garçon")}, "grand"), "la fille et le garçon sont grands",
          "the girl and the boy are tall");
    check(is({the("fille"), the("femme")}, "grand"), "la fille et la femme sont grandes",
          "the girl and the woman are tall");
    check(is({the("fille")}, "grand"), "la fille est grande", "the girl is tall");
}

TEST_CASE("grammar: a distant word decides the translation", "[ch09]") {
    check(is({the("maison")}, "grand"), "la maison est grande", "the house is big");
    check(is({the("femme")}, "grand"), "la femme est grande", "the woman is tall");
    check(is(elle, "petit"), "elle est petite", "she is short");
    check(is({the("pomme")}, "petit"), "la pomme est petite", "the apple is small");
    const auto own = [](Clause clause) {
        NounPhrase house = phrase("maison", Determiner::possessive);
        house.owner = agreement_of(clause.subject);
        clause.object = house;
        return clause;
    };
    check(own(says(il, "aimer")), "il aime sa maison", "he loves his house");
    check(own(says(elle, "aimer")), "elle aime sa maison", "she loves her house");
    check(own(says(the("amie"), "aimer")), "l' amie aime sa maison", "the friend loves her house");
    check(own(says(the("chat"), "aimer")), "le chat aime sa maison", "the cat loves its house");
    check(own(says(elles, "aimer")), "elles aiment leur maison", "they love their house");
}

TEST_CASE("grammar: possessives of every person", "[ch09]") {
    const auto mine = [](const Agreement& owner, const char* what, Number number) {
        NounPhrase thing = phrase(what, Determiner::possessive, number);
        thing.owner = owner;
        return with_object(says(il, "voir"), thing);
    };
    check(mine(je, "chien", Number::singular), "il voit mon chien", "he sees my dog");
    check(mine(je, "maison", Number::singular), "il voit ma maison", "he sees my house");
    check(mine(je, "école", Number::singular), "il voit mon école", "he sees my school");
    check(mine(tu, "école", Number::singular), "il voit ton école", "he sees your school");
    check(mine(elle, "école", Number::singular), "il voit son école", "he sees her school");
    check(mine(tu, "sœur", Number::plural), "il voit tes sœurs", "he sees your sisters");
    check(mine(nous, "fleur", Number::singular), "il voit notre fleur", "he sees our flower");
    check(mine(vous, "fleur", Number::plural), "il voit vos fleurs", "he sees your flowers");
    check(mine(ils, "fleur", Number::plural), "il voit leurs fleurs", "he sees their flowers");
}

TEST_CASE("grammar: words lose their vowel before another", "[ch09]") {
    check(with_object(says(je, "aimer"), the("école")), "j' aime l' école", "i love the school");
    check(negated(with_object(says(je, "aimer"), the("homme"))), "je n' aime pas l' homme",
          "i do not love the man");
    NounPhrase bird = phrase("oiseau", Determiner::demonstrative);
    check(with_object(says(tu, "aider"), bird), "tu aides cet oiseau", "you help this bird");
    bird.before = &adjective("beau");
    check(with_object(says(tu, "aider"), bird), "tu aides ce bel oiseau",
          "you help this beautiful bird");
    bird.number = Number::plural;
    check(with_object(says(tu, "aider"), bird), "tu aides ces beaux oiseaux",
          "you help these beautiful birds");
    check(with_pronoun(says(il, "aider"), je), "il m' aide", "he helps me");
    check(with_pronoun(says(il, "aider"), tu), "il t' aide", "he helps you");
}

TEST_CASE("grammar: a and an", "[ch09]") {
    NounPhrase apple = phrase("pomme", Determiner::indefinite);
    check(with_object(says(je, "manger"), apple), "je mange une pomme", "i eat an apple");
    apple.after = &adjective("rouge");
    check(with_object(says(je, "manger"), apple), "je mange une pomme rouge", "i eat a red apple");
    NounPhrase book = phrase("livre", Determiner::indefinite);
    book.after = &adjective("intéressant");
    check(with_object(says(je, "lire"), book), "je lis un livre intéressant",
          "i read an interesting book");
    Clause artist = is(elle, "grand");
    artist.adjective = nullptr;
    artist.profession = &profession("artiste");
    check(artist, "elle est artiste", "she is an artist");
    artist.subject.pronoun = nous;
    check(negated(artist), "nous ne sommes pas artistes", "we are not artists");
}

TEST_CASE("grammar: some and any", "[ch09]") {
    NounPhrase dogs = phrase("chien", Determiner::indefinite, Number::plural);
    check(with_object(says(je, "voir"), dogs), "je vois des chiens", "i see some dogs");
    check(negated(with_object(says(je, "voir"), dogs)), "je ne vois pas de chiens",
          "i do not see any dogs");
    check(asked(with_object(says(vous, "voir"), dogs)), "est-ce que vous voyez des chiens ?",
          "do you see any dogs ?");
    dogs.before = &adjective("petit");
    check(with_object(says(je, "voir"), dogs), "je vois de petits chiens", "i see some small dogs");
    const NounPhrase egg = phrase("œuf", Determiner::indefinite);
    check(negated(with_object(says(il, "manger"), egg)), "il ne mange pas d' œuf",
          "he does not eat an egg");
}

TEST_CASE("grammar: pronouns stand before the verb in French and after it in English", "[ch09]") {
    check(with_pronoun(says(je, "voir"), il), "je le vois", "i see him");
    check(with_pronoun(says(je, "voir"), elle), "je la vois", "i see her");
    check(with_pronoun(says(je, "voir"), ils), "je les vois", "i see them");
    check(with_pronoun(says(ils, "voir"), nous), "ils nous voient", "they see us");
    check(with_pronoun(says(nous, "voir"), vous), "nous vous voyons", "we see you");
    Agreement book = il;
    book.kind = Kind::object;
    check(with_pronoun(says(je, "lire"), book), "je le lis", "i read it");
    check(negated(with_pronoun(says(je, "lire"), book)), "je ne le lis pas", "i do not read it");
    check(with_pronoun(says(tu, "avoir"), book), "tu l' as", "you have it");
    check(negated(with_auxiliary(with_pronoun(says(elle, "chercher"), je), Auxiliary::want)),
          "elle ne veut pas me chercher", "she does not want to look for me");
}

TEST_CASE("grammar: giving has a recipient", "[ch09]") {
    const Clause give = with_object(says(elle, "donner"), the("livre"));
    check(with_pronoun(give, je), "elle me donne le livre", "she gives me the book");
    const auto to = [&give](const NounPhrase& recipient) {
        Clause clause = give;
        clause.recipient = recipient;
        return clause;
    };
    check(to(the("garçon")), "elle donne le livre au garçon", "she gives the book to the boy");
    check(to(the("garçon", Number::plural)), "elle donne le livre aux garçons",
          "she gives the book to the boys");
    check(to(the("fille")), "elle donne le livre à la fille", "she gives the book to the girl");
    check(to(the("ami")), "elle donne le livre à l' ami", "she gives the book to the friend");
}

TEST_CASE("grammar: negations and questions with each auxiliary", "[ch09]") {
    const Clause read = with_object(says(il, "lire"), the("livre"));
    check(negated(read), "il ne lit pas le livre", "he does not read the book");
    check(asked(read), "est-ce qu' il lit le livre ?", "does he read the book ?");
    check(asked(negated(read)), "est-ce qu' il ne lit pas le livre ?",
          "does he not read the book ?");
    const Clause want = with_auxiliary(read, Auxiliary::want);
    check(want, "il veut lire le livre", "he wants to read the book");
    check(asked(want), "est-ce qu' il veut lire le livre ?", "does he want to read the book ?");
    const Clause can = with_auxiliary(read, Auxiliary::can);
    check(can, "il peut lire le livre", "he can read the book");
    check(negated(can), "il ne peut pas lire le livre", "he cannot read the book");
    check(asked(negated(can)), "est-ce qu' il ne peut pas lire le livre ?",
          "can he not read the book ?");
    const Clause going = with_auxiliary(read, Auxiliary::going);
    check(going, "il va lire le livre", "he is going to read the book");
    check(negated(going), "il ne va pas lire le livre", "he is not going to read the book");
    check(asked(negated(is(tu, "jeune"))), "est-ce que tu n' es pas jeune ?",
          "are you not young ?");
}

TEST_CASE("grammar: how often and where", "[ch09]") {
    Clause work = says(tu, "travailler");
    work.frequency = Frequency::often;
    work.preposition = Preposition::with;
    work.place = phrase("sœur", Determiner::possessive);
    work.place->owner = je;
    check(work, "tu travailles souvent avec ma sœur", "you often work with my sister");
    check(negated(work), "tu ne travailles pas souvent avec ma sœur",
          "you do not often work with my sister");
    work.frequency = Frequency::always;
    work.preposition = Preposition::in_front_of;
    work.place = the("maison");
    check(work, "tu travailles toujours devant la maison", "you always work in front of the house");
    work.frequency = Frequency::none;
    work.preposition = Preposition::behind;
    check(work, "tu travailles derrière la maison", "you work behind the house");
    work.preposition = Preposition::in;
    check(work, "tu travailles dans la maison", "you work in the house");
    Clause tired = is({the("chat")}, "fatigué");
    tired.frequency = Frequency::often;
    tired.very = true;
    check(asked(tired), "est-ce que le chat est souvent très fatigué ?",
          "is the cat often very tired ?");
}

TEST_CASE("random_clause: English is a function of French", "[ch09]") {
    Random random{99};
    std::map<std::string, std::string> english_of;
    for (int i = 0; i < 200'000; ++i) {
        const Clause clause = random_clause(random);
        const std::string target = english(clause);
        const auto [place, added] = english_of.emplace(french(clause), target);
        if (!added && place->second != target) FAIL(place->first << " | " << target);
    }
    CHECK(english_of.size() > 100'000);
}

TEST_CASE("random_clause: words go together", "[ch09]") {
    Random random{98};
    for (int i = 0; i < 20'000; ++i) {
        const Clause clause = random_clause(random);
        INFO(french(clause));
        const Agreement subject = agreement_of(clause.subject);
        std::vector<NounPhrase> phrases = clause.subject.phrases;
        if (clause.verb != nullptr) REQUIRE((subject.kind & clause.verb->subjects) != 0);
        if (clause.object) REQUIRE((clause.object->noun->kind & clause.verb->objects) != 0);
        if (clause.adjective != nullptr) {
            REQUIRE((subject.kind & clause.adjective->predicative) != 0);
            REQUIRE((!clause.very || clause.adjective->gradable));
        }
        if (clause.pronoun) {  // nobody sees himself
            const int person = clause.pronoun->person;
            REQUIRE((person == 3 || person != subject.person));
        }
        for (const auto& part : {clause.object, clause.recipient, clause.place})
            if (part) phrases.push_back(*part);
        for (const NounPhrase& part : phrases) {
            const bool owned = part.determiner == Determiner::possessive;
            if (part.noun->possession == Possession::always) REQUIRE(owned);
            if (part.noun->possession == Possession::never) REQUIRE_FALSE(owned);
            for (const Adjective* adjective : {part.before, part.after})
                if (adjective != nullptr) REQUIRE((adjective->attributive & part.noun->kind) != 0);
        }
    }
}

TEST_CASE("random_clause: every clause has the parts that its verb asks for", "[ch09]") {
    Random random{97};
    int often_somewhere = 0;
    int nouns_somewhere = 0;
    for (int i = 0; i < 20'000; ++i) {
        const Clause clause = random_clause(random);
        INFO(french(clause));
        const bool somewhere = clause.place || clause.here;
        if (clause.verb == nullptr) {
            const bool described = clause.adjective != nullptr || clause.profession != nullptr;
            REQUIRE(described != somewhere);
            REQUIRE_FALSE((somewhere && agreement_of(clause.subject).kind == Kind::place));
            if (somewhere && clause.frequency == Frequency::often) ++often_somewhere;
            if (somewhere && !clause.subject.phrases.empty()) ++nouns_somewhere;
            continue;
        }
        const bool gives = clause.verb->gives;
        REQUIRE((clause.object || clause.pronoun) == (clause.verb->objects != 0));
        if (gives) REQUIRE(clause.object);
        REQUIRE((clause.object && clause.pronoun) == (gives && !clause.recipient));
        if (clause.recipient) REQUIRE((gives && (clause.recipient->noun->kind & Kind::person)));
        if (clause.object && !clause.verb->indefinite)
            REQUIRE(clause.object->determiner != Determiner::indefinite);
    }
    CHECK(often_somewhere > 100);
    CHECK(nouns_somewhere > 100);
}

TEST_CASE(
    "random_clause: no noun of the subject again and no indefinite plural after a preposition",
    "[ch09]") {
    Random random{96};
    for (int i = 0; i < 20'000; ++i) {
        const Clause clause = random_clause(random);
        INFO(french(clause));
        for (const auto& part : {clause.recipient, clause.place}) {
            if (part && part->determiner == Determiner::indefinite)
                REQUIRE(part->number == Number::singular);
        }
        if (clause.subject.phrases.empty()) continue;
        for (const auto& part : {clause.object, clause.recipient, clause.place}) {
            if (part) REQUIRE(part->noun->english != clause.subject.phrases.front().noun->english);
        }
    }
}

TEST_CASE("grammar_pairs: 40000 different sentences of 3 to 14 words", "[ch09]") {
    REQUIRE(corpus().size() == 40'000);
    CHECK(corpus().front() == documents_pair());
    std::set<std::string> sources;
    for (const SentencePair& pair : corpus()) {
        sources.insert(pair.source);
        for (const std::string& sentence : {pair.source, pair.target}) {
            const std::vector<std::string> words = words_of(sentence);
            REQUIRE(words.size() >= shortest_sentence);
            REQUIRE(words.size() <= longest_sentence);
            REQUIRE(join(words) == sentence);
        }
    }
    CHECK(sources.size() == corpus().size());
}

TEST_CASE("grammar_pairs: the same pairs for the same seed", "[ch09]") {
    const std::vector<SentencePair> few = grammar_pairs(500);
    CHECK(std::equal(few.begin(), few.end(), corpus().begin()));
    CHECK(grammar_pairs(500, 10) != few);
    CHECK(grammar_pairs(1).size() == 1);
}

TEST_CASE("grammar_pairs: vocabularies of 250 and 136 words", "[ch09]") {
    CHECK(Vocabulary::of_sentences(side(corpus(), &SentencePair::source)).size() == 250 + 3);
    CHECK(Vocabulary::of_sentences(side(corpus(), &SentencePair::target)).size() == 136 + 3);
}

TEST_CASE("grammar_pairs: what must hold of every sentence", "[ch09]") {
    const std::set<std::string> shortened = {"je", "ne", "me", "te", "le", "la", "de", "que", "ce"};
    const std::set<std::string> vowels = {"a", "e", "i", "o", "u"};
    for (const auto& [source, target] : corpus()) {
        const std::vector<std::string> in = words_of(source);
        const std::vector<std::string> out = words_of(target);
        INFO(source << " | " << target);
        const bool negative = has_word(in, "pas");
        REQUIRE(negative == (has_word(in, "ne") || has_word(in, "n'")));
        REQUIRE(negative == (has_word(out, "not") || has_word(out, "cannot")));
        REQUIRE(has_word(in, "est-ce") == (in.back() == "?"));
        REQUIRE((in.back() == "?") == (out.back() == "?"));
        for (std::size_t i = 0; i + 1 < in.size(); ++i) {
            const bool vowel = starts_with_vowel(in[i + 1]);
            if (shortened.contains(in[i])) REQUIRE_FALSE(vowel);
            if (in[i].ends_with('\'') || in[i] == "cet") REQUIRE(vowel);
        }
        for (std::size_t i = 0; i + 1 < out.size(); ++i) {
            const bool vowel = vowels.contains(out[i + 1].substr(0, 1));
            if (out[i] == "a") REQUIRE_FALSE(vowel);
            if (out[i] == "an") REQUIRE(vowel);
        }
    }
}

// "petite amie" is a girlfriend, "grand homme" a great man, "vieille fille" a spinster.
TEST_CASE("grammar_pairs: no adjective that changes its meaning beside the noun", "[ch09]") {
    std::vector<std::string> idioms = {"vieux garçon", "vieille fille", "vieilles filles"};
    for (const std::string adjective : {"petit", "grand"}) {
        for (const std::string noun : {"ami", "amie", "garçon", "fille", "homme", "femme", "sœur"})
            for (const std::string ending : {" ", "e ", "s ", "es "})
                idioms.push_back(adjective + ending + noun);
    }
    for (const std::string& idiom : idioms) {
        CHECK(std::none_of(corpus().begin(), corpus().end(), [&idiom](const SentencePair& pair) {
            return pair.source.find(idiom) != std::string::npos;
        }));
    }
}

TEST_CASE("split_corpus: 38500 pairs to learn from and no sentence on two sides", "[ch09]") {
    const CorpusSplit& split = parts();
    REQUIRE(split.held_out.size() == 1000);
    REQUIRE(split.validation.size() == 500);
    REQUIRE(split.train.size() == 38'500);
    std::map<std::string, int> side_of;
    int number = 0;
    for (const auto* part : {&split.train, &split.validation, &split.held_out}) {
        ++number;
        for (const SentencePair& pair : *part) {
            REQUIRE(side_of.emplace("fr " + pair.source, number).first->second == number);
            REQUIRE(side_of.emplace("en " + pair.target, number).first->second == number);
        }
    }
}

TEST_CASE("split_corpus: the parts are the corpus in its order", "[ch09]") {
    const CorpusSplit& split = parts();
    auto train = split.train.begin();
    auto validation = split.validation.begin();
    auto held_out = split.held_out.begin();
    for (const SentencePair& pair : corpus()) {
        if (train != split.train.end() && *train == pair) {
            ++train;
        } else if (validation != split.validation.end() && *validation == pair) {
            ++validation;
        } else {
            REQUIRE(held_out != split.held_out.end());
            REQUIRE(*held_out++ == pair);
        }
    }
}

TEST_CASE("split_corpus: the documents' sentence is one to learn from", "[ch09]") {
    CHECK(parts().train.front() == documents_pair());
}

TEST_CASE("split_corpus: every held-out word is in training", "[ch09]") {
    for (const auto member : {&SentencePair::source, &SentencePair::target}) {
        const Vocabulary known = Vocabulary::of_sentences(side(parts().train, member));
        for (const auto* part : {&parts().validation, &parts().held_out}) {
            CHECK_NOTHROW(known.ids_of_file("part", side(*part, member)));
        }
    }
}

TEST_CASE("split_corpus: another seed holds out other sentences", "[ch09]") {
    const std::vector<SentencePair> pairs = grammar_pairs(2000);
    const CorpusSplit split = split_corpus(pairs, 100, 200);
    CHECK(split.validation.size() == 100);
    CHECK(split.held_out.size() == 200);
    CHECK(split.held_out == split_corpus(pairs, 100, 200).held_out);
    CHECK(split.held_out != split_corpus(pairs, 100, 200, 10).held_out);
}

TEST_CASE("grammar_pairs and split_corpus: sizes that cannot be are refused", "[ch09]") {
    CHECK_THROWS_WITH(grammar_pairs(0), ContainsSubstring("0 pairs asked for"));
    CHECK_THROWS_AS(grammar_pairs(1'000'001), std::invalid_argument);
    const std::vector<SentencePair> pairs = {{"a", "x"}, {"b", "x"}, {"c", "y"}};
    CHECK(split_corpus(pairs, 0, 1).held_out == std::vector<SentencePair>{{"c", "y"}});
    CHECK_THROWS_WITH(split_corpus(pairs, 2, 1), ContainsSubstring("3 pairs cannot be split so"));
    CHECK_THROWS_AS(split_corpus(pairs, 3, 3), std::invalid_argument);
    CHECK_THROWS_AS(split_corpus({}, 0, 0), std::invalid_argument);
}

TEST_CASE("grammar: a word that it does not have is refused", "[ch09]") {
    CHECK_THROWS_WITH(noun("maisom"), ContainsSubstring("no word \"maisom\""));
    CHECK_THROWS_AS(adjective("grande"), std::invalid_argument);
    CHECK_THROWS_AS(profession("lion"), std::invalid_argument);
    CHECK_THROWS_AS(verb("vois"), std::invalid_argument);
}
