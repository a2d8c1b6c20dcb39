"""Turns the ```cpp blocks of pages into tests: programs with a main() run and must return 0, other
blocks are the body of a function. Usage: doc_examples.py OUTPUT PAGE..."""
import pathlib
import re
import sys


def main() -> None:
    output, pages = pathlib.Path(sys.argv[1]), [pathlib.Path(p) for p in sys.argv[2:]]
    includes: set[str] = {"#include <gtest/gtest.h>"}
    tests: list[str] = []
    for page in pages:
        text = page.read_text()
        for block in re.finditer(r"^```cpp\n(.*?)^```$", text, re.M | re.S):
            line = text[: block.start(1)].count("\n") + 1
            name = re.sub(r"\W", "_", f"{page.stem}_{line}")
            code = block[1].splitlines()
            includes.update(x for x in code if x.startswith("#include"))
            body = "\n".join("" if x.startswith("#include") else x for x in code)
            where = f'#line {line} "{page}"\n'
            if "int main()" in body:
                program = body.replace("int main()", "int program()")
                tests.append(f"namespace {name} {{\n{where}{program}\n}}\n"
                             f"TEST(DocExample, {name}) {{ EXPECT_EQ({name}::program(), 0); }}\n")
            else:
                tests.append(f"TEST(DocExample, {name}) {{\n{where}{body}\n}}\n")
    output.write_text("\n".join(sorted(includes))
                      + "\n#undef assert\n#define assert(...) ASSERT_TRUE((__VA_ARGS__))\n\n"
                      + "\n".join(tests))


main()
