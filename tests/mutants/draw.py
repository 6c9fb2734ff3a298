# Draws small wrong changes from the program's source, at random, for tests/mutants/run --draw.
# Invariant: what is drawn depends only on the source and the seed, and two mutants never overlap.
#
# Kinds: a guard that never holds; one half of a condition left out; a limit that is off by one; a statement left out.
import random
import re

OPENING, CLOSING = "([{", ")]}"
# What only says something to people; mutants of it prove little.
SAID = re.compile(r"(?:spdlog|log_?|logger_?|static_assert|assert)\b")
HEAD = re.compile(r"\b(?:if|while) (?:constexpr )?\(")
# The beginning of a call or an assignment that is a statement of its own.
CALL = re.compile(r"^ {2,}(?:if \(.*?\) |else )?(?P<what>(?:\+\+|--)?[a-z_*(][\w.]*(?:(?:->|::|\.|\[|\(|\)|\])[\w.\[\]>*&()-]*)*?(?: [-+|&]?= |\(|\+\+|;|--))", re.MULTILINE)
NOT_A_STATEMENT = re.compile(r"(?:return|throw|using|static|const|constexpr|auto|case|delete|new|namespace|template|explicit|virtual|friend|if|for|while|switch|else|default|break|continue|do|goto|"
                             r"public|private|protected|co_\w+|bool|int|double|float|char|void|std::\w+ \w|sizeof)\b")


def blank(text):
    """The text with its comments, literals and preprocessor lines replaced by blanks, of the same length."""
    def spaces(found):
        return re.sub(r"[^\n]", " ", found[0])
    return re.sub(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<![\w])\'(?:\\.|[^\'\\\n])+\'|^#[^\n]*', spaces, text, flags=re.MULTILINE | re.DOTALL)


def end_of(text, at, ends):
    """Where one of `ends` stands outside of brackets, from `at`; None if the bracket around it is closed first."""
    depth = 0
    for place in range(at, len(text)):
        if depth == 0 and text[place] in ends:
            return place
        if text[place] in OPENING:
            depth += 1
        elif text[place] in CLOSING:
            depth -= 1
            if depth < 0:
                return None
    return None


def parts(text, begin, end, sign):
    """The spans between the signs (&& or ||) outside of brackets."""
    spans, at, depth, place = [], begin, 0, begin
    while place < end:
        if text[place] in OPENING:
            depth += 1
        elif text[place] in CLOSING:
            depth -= 1
        elif depth == 0 and text.startswith(sign, place):
            spans.append((at, place))
            at = place = place + len(sign)
            continue
        place += 1
    return [*spans, (at, end)] if spans else []


def stripped(text, begin, end):
    while begin < end and text[begin].isspace():
        begin += 1
    while end > begin and text[end - 1].isspace():
        end -= 1
    return begin, end


def candidates(text):
    """(kind, begin, end, new) of each possible mutant. `new` runs in place of text[begin:end]."""
    plain = blank(text)
    for head in HEAD.finditer(plain):
        begin, end = head.end(), end_of(plain, head.end(), ")")
        if end is None or "constexpr" in head[0]:
            continue
        if (semicolon := end_of(plain[:end], begin, ";")) is not None:
            begin = semicolon + 1
        elif re.match(r"(?:const )?[\w:<>*& ]+[*& ]\w+ = ", plain[begin:end]):
            continue
        begin, end = stripped(text, begin, end)
        if head[0].startswith("if"):
            yield "guard", begin, end, "false"
        yield from halves(text, plain, begin, end)
        yield from bounds(text, plain, begin, end)
    for found in re.finditer(r"\breturn ", plain):
        end = end_of(plain, found.end(), ";")
        if end is not None and "[" not in plain[found.end():end] and "{" not in plain[found.end():end]:
            if choice := parts(plain, found.end(), end, " ? "):
                end = choice[0][1]
            yield from halves(text, plain, found.end(), end)
            yield from bounds(text, plain, found.end(), end)
    for found in CALL.finditer(plain):
        begin = found.start("what")
        if NOT_A_STATEMENT.match(plain, begin) or SAID.match(plain, begin) or ".str(" in found["what"]:
            continue
        end = end_of(plain, begin, ";")
        if end is not None and "\n\n" not in plain[begin:end] and re.search(r"[=(]|\+\+|--", plain[begin:end]):
            yield "statement", begin, end + 1, ""


def halves(text, plain, begin, end):
    """Each half of a condition, as if it were not there."""
    for sign, without in (("||", "false"), ("&&", "true")):
        if spans := parts(plain, begin, end, sign):
            yield from (("half", *stripped(text, *span), without) for span in spans)
            return


def bounds(text, plain, begin, end):
    for found in re.finditer(r" (<=|>=|<|>) ", plain[begin:end]):
        first, last = begin + found.start(1), begin + found.end(1)
        yield "bound", begin, end, text[begin:first] + (found[1][0] if len(found[1]) == 2 else found[1] + "=") + text[last:end]


def draw(root, files, taken, count, seed):
    """`count` mutants of the files, as in mutants.toml, and where each is: `at` (bytes), `line`. taken: {file: [(begin, end)]} that they must not overlap."""
    texts = {name: (root / name).read_text() for name in sorted(files)}
    found = [(name, *one) for name, text in texts.items() for one in candidates(text)]
    random.Random(seed).shuffle(found)
    chosen = []
    for name, kind, begin, end, new in found:
        text, spans = texts[name], taken.setdefault(name, [])
        if any(first < end and begin < last for first, last in spans) or "//" in new:
            continue
        spans.append((begin, end))
        line = text.count("\n", 0, begin) + 1
        how = {"statement": "statement", "bound": "expression"}.get(kind, "condition")
        chosen.append({"name": f"{name}:{line}:{kind}", "file": name, "at": len(text[:begin].encode()), "line": line, "how": how,
                       "old": text[begin:end], "new": " ".join(new.split("\n"))})
        if len(chosen) == count:
            break
    return chosen
