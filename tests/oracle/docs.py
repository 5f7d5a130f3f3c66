"""What users read, README.md and docs/*.md: code in it is found by a word of its own, wherever it
stands."""
import glob
import os
import re

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


def pages():
    """[(path within the project, text)]."""
    paths = [os.path.join(TOP, "README.md")] + sorted(glob.glob(os.path.join(TOP, "docs", "*.md")))
    found = []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            found.append((os.path.relpath(path, TOP), file.read()))
    return found


def python_block(word):
    """The one block of Python that holds the word: (path, code)."""
    blocks = [(path, block) for path, text in pages()
              for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL) if word in block]
    assert len(blocks) == 1, f"{word}: in {[path for path, _ in blocks]}"
    return blocks[0]


def write_between(begin, end, lines):
    """Puts lines between the two marks, in the one page that has them."""
    (path,) = [path for path, text in pages() if begin in text]
    with open(os.path.join(TOP, path), encoding="utf-8") as file:
        before, rest = file.read().split(begin + "\n")
    _, after = rest.split(end + "\n", 1)
    with open(os.path.join(TOP, path), "w", encoding="utf-8") as file:
        file.write(f"{before}{begin}\n{lines}\n{end}\n{after}")
    return path
