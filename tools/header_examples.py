"""Turns the example in each header's opening comment into a test that runs it. Those of plug-ins need what
they plug into: tests/stores_test.py runs them."""
import pathlib
import re
import sys


def example(header: str) -> list[str]:
    """The last paragraph of the opening comment, if all of it is indented."""
    opening = re.match(r"(?://.*\n)+", header)
    last = re.split(r"^//\n", opening.group(0), flags=re.M)[-1] if opening else ""
    lines = last.splitlines()
    return [line[6:] for line in lines] if all(x.startswith("//     ") for x in lines) else []


# Examples write files by short names: into a folder that goes with the program.
OWN_FOLDER = """
struct own_folder {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("bloomery-examples-" + std::to_string(getpid()));
  own_folder() {
    std::filesystem::create_directory(path);
    std::filesystem::current_path(path);
  }
  ~own_folder() { std::filesystem::remove_all(path); }
} const folder_of_examples;

"""


def main() -> None:
    source, output = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    headers = sorted(p.relative_to(source) for p in source.glob("bloomery/**/*.hpp")
                     if p.parent.name != "plugins")
    includes = [f'#include "{h}"' for h in headers]
    tests = []
    for h in headers:
        code = example((source / h).read_text())
        if code:
            name = re.sub(r"\W", "_", str(h.with_suffix("").relative_to("bloomery")))
            tests.append(f"TEST(HeaderExample, {name}) {{\n" + "\n".join(code) + "\n}\n")
    standard = ["array", "cmath", "filesystem", "set", "string", "utility", "vector"]
    output.write_text(
        "#include <gtest/gtest.h>\n#include <unistd.h>\n"
        + "".join(f"#include <{s}>\n" for s in standard)
        + "\n".join(includes)
        + "\n#undef assert\n#define assert(...) ASSERT_TRUE((__VA_ARGS__))\n"
        + OWN_FOLDER
        + "\n".join(tests)
    )


main()
