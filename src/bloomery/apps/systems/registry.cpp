#include "bloomery/apps/systems/registry.hpp"

#include <algorithm>
#include <cctype>
#include <string>

#include "bloomery/core/did_you_mean.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/printable.hpp"

namespace bloomery::systems {

// The experiments, each in the file of its name.
lab::result differential_file(const lab::request& asked);
lab::result log_structured_store(const lab::request& asked);
lab::result state_space(const lab::request& asked);
lab::result document_index(const lab::request& asked);
lab::result forensic_sets(const lab::request& asked);
lab::result multidimensional_ranges(const lab::request& asked);
lab::result hyphenation(const lab::request& asked);
lab::result screening(const lab::request& asked);
lab::result spelling(const lab::request& asked);
lab::result bloomjoin(const lab::request& asked);
lab::result wake_up(const lab::request& asked);
lab::result watch_list(const lab::request& asked);
lab::result directory(const lab::request& asked);
lab::result iceberg(const lab::request& asked);
lab::result predictors(const lab::request& asked);
lab::result services(const lab::request& asked);
lab::result chains(const lab::request& asked);

namespace {

struct pattern_text {
  std::string_view name;
  std::string_view sentence;
};
constexpr std::array pattern_texts{
    pattern_text{"gate", "before a slow or costly truth"},
    pattern_text{"shelf", "on each of many boxes"},
    pattern_text{"exchange", "in a message between two parties, instead of the set"},
    pattern_text{"overlay", "on each link, telling what lies behind it"},
    pattern_text{"header", "in the packet, telling where it was or may go"},
    pattern_text{"table", "before each class of a forwarding table"},
    pattern_text{"meter", "in the stream, counting or remembering"},
    pattern_text{"scan", "before the content matcher"},
};

constexpr auto systems = std::to_array<system_info>({
    {.id = "D2",
     .name = "Differential file",
     .source = "Severance and Lohman 1976; Gremillion 1982; Broder and Mitzenmacher 3.2",
     .where = pattern::gate,
     .does = "A large file stays as it is, and changes go to a small one. A read goes to the small "
             "one only if a filter says that the record has changed; a batch merges the two.",
     .figure = "No stale record is ever read; unchanged ones are looked for in the small file at "
               "the rate of the filter.",
     .verb = "",
     .needs = "",
     .settings_or_none = {{{"records", "100k", "in the main file"},
                           {"ops", "1M", "reads and updates"},
                           {"updates", "10%", "the share of them that are updates"},
                           {"merges", "20", "batches that empty the differential file"},
                           {"rate", "1%", "of the filter, when a merge is due"}}},
     .run = differential_file},
    {.id = "D3",
     .name = "Log-structured store",
     .source = "Bigtable (Chang et al. 2006); Tarkoma IV-A, IV-F",
     .where = pattern::shelf,
     .does =
         "A store of sorted tables asks the newest first and goes on to older ones. A filter on "
         "each, of rows or of (row, column), says which need not be read.",
     .figure = "No value is missed; what is nowhere costs the rate of the filter times the tables, "
               "and a scan reads the holders of its row and that rate of the others.",
     .verb = "",
     .needs = "",
     .settings_or_none = {{{"store", "lab",
                            "lab, in memory; leveldb (libleveldb-dev); or rocksdb "
                            "(librocksdb-dev)"},
                           {"kind", "ribbon", "of the filters"},
                           {"rate", "1%", "of the filters"},
                           {"tables", "4", "written one after the other"},
                           {"rows", "20k", "of each table, with two columns or three"},
                           {"questions", "100k", "for what is nowhere"},
                           {"block", "256k", "bytes of data to a filter, in LevelDB"}}},
     .run = log_structured_store},
    {.id = "D1",
     .name = "Bloomjoin",
     .source = "Mackert and Lohman; Broder and Mitzenmacher 3.2, Tarkoma II-B and IV-A",
     .where = pattern::exchange,
     .does =
         "Two tables that lie apart are joined. The party with the keys sends a filter of them, "
         "the "
         "party with the rows sends back those that pass, and the first removes the false ones.",
     .figure = "Exactly the rows that join; bytes: the filter, and (matches + rate x rest) rows.",
     .verb = "",
     .needs = "",
     .settings_or_none = {{{"cities", "100k", "cities in all"},
                           {"dear", "900", "cities that are looked for"},
                           {"employees", "2", "employees of a city"},
                           {"row", "21B", "bytes of an employee's row"},
                           {"key", "10B", "bytes of a city's name"},
                           {"rate", "0.2%", "false-positive rate of the filter"}}},
     .run = bloomjoin},
    {.id = "O1",
     .name = "Wake-up radio",
     .source = "Tarkoma IV-F",
     .where = pattern::gate,
     .does =
         "A wake-up frame is a filter of the devices that are meant. A sleeping device compares "
         "it with its own bits by an AND circuit, and wakes only if all of them are there.",
     .figure = "A device that is meant always wakes; others wake at the exact rate of the filter.",
     .verb = "",
     .needs = "",
     .settings_or_none = {{{"devices", "1000", "sleeping devices"},
                           {"meant", "10", "devices that a frame is for"},
                           {"bits", "128", "of a frame"},
                           {"hashes", "6", "bits of a device"},
                           {"frames", "1000", "frames sent"}}},
     .run = wake_up},
    {.id = "D7",
     .name = "Watch list",
     .source = "Chazelle et al. 2004, section 1",
     .where = pattern::gate,
     .does =
         "A map tells suspects, names that only sound suspicious, and all others apart, where a "
         "filter would accuse the same innocent names again and again.",
     .figure = "Listed names are answered exactly; of others all but the promised share are told "
               "\"ok\". An exception list is smaller only while it is short.",
     .verb = "map build",
     .needs = "wamerican",
     .settings_or_none = {{{"names", "/usr/share/dict/words", "a file of names, one a line"},
                           {"suspects", "20k", "names on the list"},
                           {"cleared", "10k", "names that only sound suspicious"},
                           {"fpr", "1%", "share of others who are not told \"ok\""},
                           {"kind", "bloomier", "kind of map"}}},
     .run = watch_list},
    {.id = "N11",
     .name = "Directory",
     .source = "Tarkoma I; Chazelle et al. 2004, section 1",
     .where = pattern::gate,
     .does = "A map says which of many hosts or databases has an object, so that only that one is "
             "asked.",
     .figure = "No object is looked for at the wrong host; objects that nobody has cost a question "
               "at the promised rate.",
     .verb = "map get",
     .needs = "",
     .settings_or_none = {{{"objects", "200k", "objects"},
                           {"hosts", "64", "hosts that have them"},
                           {"fpr", "1%", "share of unknown objects that cost a question"},
                           {"kind", "bloomier", "kind of map"}}},
     .run = directory},
    {.id = "D5",
     .name = "Iceberg query",
     .source = "Fang et al. 1998; Tarkoma IV-D",
     .where = pattern::meter,
     .does =
         "Keys that make up at least a share of a stream are found without counting the others: "
         "a first pass counts in a small sketch, a second counts exactly what it holds for "
         "frequent.",
     .figure = "No key above the share is missed and every count is exact; few candidates are "
               "counted in vain.",
     .verb = "top --above 1%",
     .needs = "",
     .settings_or_none = {{{"above", "0.1%", "the share"},
                           {"keys", "100k", "distinct keys, whose counts follow Zipf's law"},
                           {"length", "1M", "of the stream"}}},
     .run = iceberg},
    {.id = "O4",
     .name = "Predictors in processors",
     .source = "Tarkoma IV-F",
     .where = pattern::gate,
     .does =
         "Counters chosen as a filter chooses bits vote on whether a branch is taken, a load hits "
         "the cache, or a line is the last used of its set. In banks they need no memory with "
         "several ports.",
     .figure = "Banks predict within a point of counters that may be anywhere, at equal bits.",
     .verb = "",
     .needs = "valgrind",
     .settings_or_none = {{{"program", "gzip -c /usr/share/common-licenses/BSD >/dev/null",
                            "a shell command to watch"},
                           {"trace", "", "a file of lackey's instead"},
                           {"counters", "8192", "of two bits"}}},
     .run = predictors},
    {.id = "R3",
     .name = "Service discovery by features",
     .source = "Tarkoma IV-F",
     .where = pattern::gate,
     .does =
         "The features of services, numbers in steps, are texts in a counting filter before the "
         "list of services: what no service has ends a search at once, and services leave again.",
     .figure =
         "Answers are those of the list, after any number of changes; the list is searched in "
         "vain at the filter's rate.",
     .verb = "",
     .needs = "",
     .settings_or_none = {{{"services", "2000", "services that come and go"},
                           {"changes", "20k", "arrivals and departures"},
                           {"questions", "100k", "for features that nobody has"},
                           {"fpr", "1%", "of the filter"}}},
     .run = services},
    {.id = "O3",
     .name = "RFID identification",
     .source = "Tarkoma IV-F",
     .where = pattern::gate,
     .does =
         "A tag answers differently each time, by a chain of one-way functions, so that it cannot "
         "be traced. A filter of each tag's answers to come spares its owner from walking all "
         "chains to know it again.",
     .figure = "Every reading is identified; chains are walked in vain at the filters' rate.",
     .verb = "",
     .needs = "",
     .settings_or_none = {{{"tags", "10k", "tags"},
                           {"steps", "128", "answers of each that are calculated before"},
                           {"readings", "1000", "of tags, and as many of strangers"},
                           {"fpr", "0.1%", "of a tag's filter"}}},
     .run = chains},
    {.id = "O6",
     .name = "State-space verification",
     .source = "Holzmann 1998; Dillinger and Manolios 2004; Tarkoma IV-F",
     .where = pattern::gate,
     .does =
         "A model checker remembers in a filter which states it has seen, and so searches spaces "
         "that its memory could not list. A state that the filter claims by mistake is left out.",
     .figure =
         "SPIN with this library's filter covers as much as with its own bits; states left out "
         "are as many as the exact rates add up to.",
     .verb = "",
     .needs = "spin gcc g++",
     .settings_or_none = {{{"counters", "6", "of the model; each state has as many predecessors"},
                           {"values", "7", "of each counter"},
                           {"log2_bits", "20", "of the filter, as a power of two"},
                           {"hashes", "5", "of the filter"},
                           {"runs", "10", "searches, each with another hash"}}},
     .run = state_space},
    {.id = "T4",
     .name = "Document index of small filters",
     .source = "Mullin 1987; Christensen et al. 4",
     .where = pattern::shelf,
     .does = "Every document has a small filter of its words. A search asks all of them, and names "
             "the documents that may have the word.",
     .figure = "No document that has the word is left out; others are named at the exact rate of "
               "their filters, which the textbook's formula misses where they are small.",
     .verb = "index search",
     .needs = "",
     .settings_or_none = {{{"files", "/usr/share/doc", "folder of the documents"},
                           {"documents", "200", "documents taken from it"},
                           {"queries", "1000", "words asked for"},
                           {"fpr", "1%", "rate that each filter is sized for"},
                           {"small", "10k", "documents of few words, of each size"}}},
     .run = document_index},
    {.id = "D6",
     .name = "Multidimensional ranges",
     .source = "Tarkoma IV-F",
     .where = pattern::shelf,
     .does = "The range of each attribute is cut into segments, and each has a filter of the rows "
             "whose value lies in it. Rows that may be in segments of every range asked are read.",
     .figure = "No row inside the ranges is missed; rows of other segments are read at the rate of "
               "the filters that were asked.",
     .verb = "index search",
     .needs = "",
     .settings_or_none = {{{"ranges", "64", "segments of an attribute"},
                           {"rows", "1000", "of a table"},
                           {"tables", "20", "tables, each of its own hash"},
                           {"queries", "10k", "ranges of two attributes, in all"},
                           {"fpr", "1%", "rate that each filter is sized for"}}},
     .run = multidimensional_ranges},
    {.id = "S1",
     .name = "Forensic hash sets",
     .source = "Roussev et al. 2006 (md5bloom); Tarkoma IV-E",
     .where = pattern::shelf,
     .does = "Every known file has a filter of the hashes of its blocks and of itself. Files that "
             "are on the shelf are named, versions of them ranked by the blocks that they share.",
     .figure = "Every known file is named, the share of common blocks lies in its interval, and a "
               "set that states another number of keys than it holds is told.",
     .verb = "index like",
     .needs = "hashdeep ssdeep",
     .settings_or_none = {{{"files", "100", "known files, of random bytes"},
                           {"size", "128KiB", "of a file, on average"},
                           {"blocks", "4096", "bytes of a block"},
                           {"fpr", "1%", "rate that each filter is sized for"}}},
     .run = forensic_sets},
    {.id = "T1",
     .name = "Hyphenation",
     .source = "Bloom 1970; Broder-Mitzenmacher 3.1",
     .where = pattern::gate,
     .does =
         "Most words are hyphenated by a few rules, about a tenth only by a table. A filter of the "
         "words of the table spares reading it for the others.",
     .figure =
         "Every word as by libhyphen; the table is read for its own words, and for others at the "
         "exact rate of the filter.",
     .verb = "words hyphenate --rules 3500",
     .needs = "hyphen-en-us libhyphen0 python3 wamerican",
     .settings_or_none = {{{"patterns", "/usr/share/hyphen/hyph_en_US.dic", "those of libhyphen"},
                           {"words", "/usr/share/dict/words", "the words to hyphenate"},
                           {"rules", "3500", "patterns that are kept, those used most"},
                           {"fpr", "1%", "of the filter"},
                           {"kind", "", "of the filter; none for the planner's choice"}}},
     .run = hyphenation},
    {.id = "T2",
     .name = "Spelling",
     .source = "McIlroy 1982; Mullin, Margoliash 1990; Broder-Mitzenmacher 3.1",
     .where = pattern::gate,
     .does =
         "A dictionary is kept as a filter. Words of a text that it does not have are misspelt; a "
         "false positive lets a misspelt word pass.",
     .figure =
         "Every word of the dictionary is accepted; real misspellings are missed at the exact rate "
         "of the filter.",
     .verb = "words spell",
     .needs = "codespell hunspell-en-us wamerican",
     .settings_or_none = {{{"words", "/usr/share/dict/words", "the dictionary"},
                           {"misspellings",
                            "/usr/lib/python3/dist-packages/codespell_lib/data/dictionary.txt",
                            "those of codespell"},
                           {"fpr", "0.1%", "of the filter"},
                           {"kind", "", "of the filter; none for the planner's choice"},
                           {"filters", "10", "that are built, each of another hash"},
                           {"rival", "/usr/share/hunspell/en_US.dic", "a dictionary to compare"}}},
     .run = spelling},
    {.id = "T3",
     .name = "Password screening",
     .source = "Spafford 1992 (OPUS); Manber, Wu 1994; Broder-Mitzenmacher 3.1; Tarkoma IV-E",
     .where = pattern::gate,
     .does = "A filter of poor passwords refuses them, and all that differ from one by a character "
             "left out, put in or put for another.",
     .figure =
         "No listed password passes, nor any within an edit distance of 1; others are refused at "
         "1-(1-f)^(2L+2).",
     .verb = "words screen",
     .needs = "john-data passwdqc",
     .settings_or_none = {{{"list", "/usr/share/john/password.lst", "poor passwords"},
                           {"fpr", "0.01%", "of the filter, a look-up"},
                           {"kind", "", "of the filter; none for the planner's choice"},
                           {"length", "12", "characters of random passwords"},
                           {"strangers", "500k", "random passwords that are tried"},
                           {"rival", "pwqfilter", "a program to compare with, or none"}}},
     .run = screening},
});

}  // namespace

std::string_view name_of(pattern where) {
  return pattern_texts[static_cast<std::size_t>(where)].name;
}
std::string_view sentence_of(pattern where) {
  return pattern_texts[static_cast<std::size_t>(where)].sentence;
}

std::span<const lab::setting> system_info::settings() const {
  const auto* const end =
      std::ranges::find(settings_or_none, std::string_view(), &lab::setting::name);
  return {settings_or_none.begin(), end};
}

std::span<const system_info> all_systems() {
  return systems;
}

const system_info& find_system(std::string_view id) {
  std::string upper(id);
  for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  const auto* const found = std::ranges::find(systems, std::string_view(upper), &system_info::id);
  if (found != systems.end()) return *found;
  std::vector<std::string_view> ids;
  for (const system_info& each : systems) ids.push_back(each.id);
  fail(errc::invalid,
       in_quotes(id) + " is no system that `bloomery systems` lists" + did_you_mean(upper, ids));
}

}  // namespace bloomery::systems
