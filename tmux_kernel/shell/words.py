"""The words of the command being typed, up to the cursor: what completion and inspection are about. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass

_SEPARATORS = ";|&\n(){}`"
_VARIABLE = re.compile(r"\$\{?([A-Za-z_]\w*)?$")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*\+?=")
# A command follows these, not an argument.
_PREFIXES = {
    "sudo",
    "time",
    "nohup",
    "exec",
    "command",
    "builtin",
    "if",
    "then",
    "else",
    "elif",
    "while",
    "until",
    "do",
    "!",
}
_NEEDS_ESCAPE = re.compile(r"([\s\\'\"$`!*?\[\](){}<>|&;#~])")


@dataclass(frozen=True, slots=True)
class Typed:
    """The word under the cursor (*start* is its offset), and the words of its command before it."""

    kind: str
    word: str
    start: int
    words: tuple[str, ...]
    quote: str = ""


def typed(text: str) -> Typed:
    """Look at *text*, which ends at the cursor."""
    words, word, start, quote, is_redirection = _split(text)
    variable = _VARIABLE.search(text)
    if variable is not None and quote != "'":
        name = variable[1] or ""
        return Typed("variable", name, len(text) - len(name), tuple(words))
    while words and (words[0] in _PREFIXES or _ASSIGNMENT.match(words[0])):
        words.pop(0)
    if is_redirection:
        kind = "path"
    elif words:
        kind = "argument"
    else:
        kind = "command"
        if assignment := _ASSIGNMENT.match(word):
            return Typed("path", word[assignment.end() :], start + assignment.end(), ())
    return Typed(kind, word, start, tuple(words), quote)


def _split(text: str) -> tuple[list[str], str, int, str, bool]:
    words: list[str] = []
    word: list[str] = []
    start = 0
    quote = ""
    is_word = is_redirection = was_redirection = False
    position = 0
    while position < len(text):
        char = text[position]
        if quote:
            if char == quote:
                quote = ""
            elif char == "\\" and quote == '"' and position + 1 < len(text):
                position += 1
                word.append(text[position])
            else:
                word.append(char)
        elif char in " \t" + _SEPARATORS + "<>":
            if is_word and not was_redirection:
                words.append("".join(word))
            if is_word:
                was_redirection = False
            word, is_word = [], False
            if char in _SEPARATORS:
                words, was_redirection = [], False
            elif char in "<>":
                was_redirection = True
        else:
            if not is_word:
                start, is_word = position, True
            if char in "'\"":
                quote = char
            elif char == "\\" and position + 1 < len(text):
                position += 1
                word.append(text[position])
            else:
                word.append(char)
        position += 1
    is_redirection = was_redirection
    if not is_word:
        start = len(text)
    return words, "".join(word), start, quote, is_redirection


def word_at(text: str, cursor: int) -> str:
    """The whole word around *cursor*."""
    before = re.search(r"[\w./+@-]*$", text[:cursor])
    after = re.match(r"[\w./+@-]*", text[cursor:])
    return (before[0] if before else "") + (after[0] if after else "")


def escaped(word: str) -> str:
    """*word* as it must be typed outside quotes."""
    tilde, rest = (word[:1], word[1:]) if word.startswith("~") else ("", word)
    return tilde + _NEEDS_ESCAPE.sub(r"\\\1", rest)
