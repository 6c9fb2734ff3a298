# Finds small wrong changes of a C++ source, and puts mutants into it, each behind a switch, for tests/mutants/run.
# Invariant: no line moves, and as long as no mutant is chosen, the source does what it did.
#
# Kinds: a guard that always or never holds; one half of a condition left out; a limit that is off by one; a statement left out.
import re

OPENING, CLOSING = "([{", ")]}"
# What only says something to people, or takes memory in advance; mutants of it prove little.
SAID = re.compile(r"(?:spdlog|log_?|logger_?|static_assert|assert)\b|\S*\breserve\(")
HEAD = re.compile(r"\b(if|while) \(")
# The beginning of a call or an assignment that may be a statement of its own.
STATEMENT = re.compile(r"^ {2,}(?:(?:\} )?(?:else )?if \(.*?\) |else )?(?P<what>(?:\+\+|--)?[a-z_*(][\w.]*(?:(?:->|::|\.|\[|\(|\)|\])[\w.\[\]>*&()-]*)*?(?: [-+|&]?= |\(|\+\+|;|--))", re.MULTILINE)
NOT_A_STATEMENT = re.compile(r"(?:return|throw|using|static|const|constexpr|auto|case|delete|new|namespace|template|explicit|virtual|friend|if|for|while|switch|else|default|break|continue|do|goto|"
                             r"public|private|protected|co_\w+|bool|int|double|float|char|void|std::\w+ \w|sizeof)\b")
BLANKED = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<![\w])\'(?:\\.|[^\'\\\n])+\'|^[ ]*#(?:\\\n|[^\n])*', re.MULTILINE | re.DOTALL)


def blank(text):
    """The text with blanks for its comments, preprocessor lines, and literals between their first and last character. Its length stays."""
    def blanks(found):
        spaces = re.sub(r"[^\n]", " ", found[0])
        return spaces if found[0].lstrip().startswith(("/", "#")) else found[0][0] + spaces[1:-1] + found[0][-1]
    return BLANKED.sub(blanks, text)


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
    """The spans between the signs (&& or ||) outside of brackets; none without a sign."""
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


def stripped(plain, begin, end):
    while begin < end and plain[begin].isspace():
        begin += 1
    while end > begin and plain[end - 1].isspace():
        end -= 1
    return begin, end


def starts_statement(plain, at):
    """Whether a statement can begin here, by what stands before it."""
    before = plain[:at].rstrip()
    if before.endswith(")"):
        depth, place = 0, len(before)
        while place > 0:
            place -= 1
            depth += (before[place] in CLOSING) - (before[place] in OPENING)
            if depth == 0:
                return bool(re.search(r"\b(?:if(?: constexpr)?|for|while) $", before[:place]))
        return False
    return before.endswith((";", "{", "}")) or bool(re.search(r"\belse$|\b(?:case\b[^?;{}]*|default):$", before))


def candidates(text):
    """(kind, begin, end, code before, code after) of each change. {} in the code is its number. Spans lie beside or within each other."""
    plain = blank(text)
    for head in HEAD.finditer(plain):
        begin, end = head.end(), end_of(plain, head.end(), ")")
        if end is None:
            continue
        if (semicolon := end_of(plain[:end], begin, ";")) is not None:
            begin = semicolon + 1
        elif re.match(r"(?:const )?[\w:<>*& ]+[*& ]\w+ = |(?:const )?auto\b", plain[begin:end]):
            continue
        begin, end = stripped(plain, begin, end)
        if head[1] == "if":
            yield "always", begin, end, "(entente_mutant({}) || (", "))"
            yield "never", begin, end, "(!entente_mutant({}) && (", "))"
        yield from within(text, plain, begin, end)
    for found in re.finditer(r"\breturn ", plain):
        end = end_of(plain, found.end(), ";")
        if end is not None and text[found.end()] != "{":
            if choice := parts(plain, found.end(), end, " ? "):
                end = choice[0][1]
            yield from within(text, plain, *stripped(plain, found.end(), end))
    for found in STATEMENT.finditer(plain):
        begin = found.start("what")
        if NOT_A_STATEMENT.match(plain, begin) or SAID.match(plain, begin) or ".str(" in found["what"] or not starts_statement(plain, begin):
            continue
        end = end_of(plain, begin, ";")
        if end is not None and "\n\n" not in plain[begin:end] and re.search(r"[=(]|\+\+|--", plain[begin:end]):
            yield "statement", begin, end, "static_cast<void>(entente_mutant({}) || (static_cast<void>(", "), true))"


def within(text, plain, begin, end):
    """Each half of a condition, as if it were not there, and each limit in what has no halves."""
    if any(parts(plain, begin, end, sign) for sign in (" ? ", " = ")):
        return
    for sign, before in (("||", "(!entente_mutant({}) && ("), ("&&", "(entente_mutant({}) || (")):
        if spans := parts(plain, begin, end, sign):
            for span in spans:
                first, last = stripped(plain, *span)
                yield "half", first, last, before, "))"
                yield from within(text, plain, first, last)
            return
    if plain.startswith("(", begin) and end_of(plain, begin + 1, ")") == end - 1:
        yield from within(text, plain, *stripped(plain, begin + 1, end - 1))
        return
    if "{" in plain[begin:end] or "//" in text[begin:end]:
        return
    for found in re.finditer(r" (<=|>=|<|>) ", plain[begin:end]):
        first, last = begin + found.start(1), begin + found.end(1)
        other = text[begin:first] + (found[1][0] if len(found[1]) == 2 else found[1] + "=") + text[last:end]
        yield "bound", begin, end, "(entente_mutant({}) ? (" + other.replace("\n", " ").replace("{", "{{").replace("}", "}}") + ") : (", "))"


def changes(name, text, first):
    """The changes of the file `name`, numbered from `first` in the order of the source."""
    found = sorted(candidates(text), key=lambda one: (one[1], -one[2]))
    return [{"file": name, "number": number, "kind": kind, "begin": begin, "end": end, "before": before.format(number), "after": after,
             "line": text.count("\n", 0, begin) + 1, "old": text[begin:end]}
            for number, (kind, begin, end, before, after) in enumerate(found, first)]


def applied(text, mutants):
    """The text with these mutants: each has `begin`, `end`, and what comes `before` and `after` that span. The first of several with one span is the outermost."""
    points = []
    for place, one in enumerate(mutants):
        length = one["end"] - one["begin"]
        points.append((one["begin"], 1, -length, place, one["before"]))
        points.append((one["end"], 0, length, -place, one["after"]))
    pieces, at = [], 0
    for where, *_, code in sorted(points):
        pieces += [text[at:where], code]
        at = where
    return "".join([*pieces, text[at:]])
