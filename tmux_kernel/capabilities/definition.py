"""One definition, many faces: a typed function becomes a parser, a help page and a call.

Positional parameters are words, keyword-only parameters are options; `Annotated[T, Arg("help", …)]` describes them.
"""

from __future__ import annotations

import argparse
import dataclasses
import inspect
import types
import typing
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, TypeVar

from tmux_kernel.errors import UsageError


@dataclass(frozen=True, slots=True)
class Arg:
    """What a parameter is for; *flags* are short names of an option, *values* completes it (`pane`, `layout`, …).

    An option with *implied* may be given without a value: then it has that one.
    """

    help: str
    flags: tuple[str, ...] = ()
    metavar: str = ""
    values: str = ""
    choices: tuple[str, ...] = ()
    implied: str = ""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a capability, read from its signature."""

    name: str
    type: Any
    default: Any
    is_option: bool
    arg: Arg

    @property
    def is_required(self) -> bool:
        return self.default is inspect.Parameter.empty

    @property
    def is_list(self) -> bool:
        return typing.get_origin(self.type) is list

    @property
    def option(self) -> str:
        return f"--{self.name.rstrip('_').replace('_', '-')}"


class _Parser(argparse.ArgumentParser):
    """argparse that raises instead of leaving the process."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{self.prog}: {message}.", suggestion=self.format_usage().strip())


@dataclass(frozen=True, slots=True)
class Capability:
    """A named function with described parameters."""

    name: str
    function: Callable[..., Awaitable[Any]]
    parameters: tuple[Parameter, ...]
    summary: str
    details: str

    def parser(self, program: str) -> argparse.ArgumentParser:
        parser = _Parser(
            prog=program,
            description=f"{self.summary}\n\n{self.details}".strip(),
            formatter_class=argparse.RawDescriptionHelpFormatter,
            add_help=False,
            allow_abbrev=False,
        )
        for parameter in self.parameters:
            _add(parser, parameter)
        return parser

    def parse(self, words: Sequence[str], program: str = "") -> dict[str, Any]:
        """Arguments for the function from words, or UsageError with the usage line."""
        return vars(self.parser(program or self.name).parse_args(list(words)))

    def help(self, program: str = "") -> str:
        return self.parser(program or self.name).format_help()

    async def call(self, context: Any, **arguments: Any) -> Any:
        return await self.function(context, **arguments)


CAPABILITIES: dict[str, Capability] = {}


Function = TypeVar("Function", bound=Callable[..., Awaitable[Any]])


def capability(function: Function) -> Function:
    """Register *function* under its name (a trailing underscore is dropped)."""
    item = describe(function)
    CAPABILITIES[item.name] = item
    return function


def describe(function: Callable[..., Awaitable[Any]]) -> Capability:
    """*function* as its signature and documentation tell it; its first parameter is the caller's business."""
    hints = typing.get_type_hints(function, include_extras=True)
    name = function.__name__.rstrip("_").replace("_", "-")
    documentation = inspect.cleandoc(function.__doc__ or "")
    summary, _, details = documentation.partition("\n\n")
    signature = list(inspect.signature(function).parameters.values())[1:]
    parameters = tuple(_parameter(item, hints[item.name]) for item in signature)
    return Capability(name, function, parameters, summary.replace("\n", " "), details)


def _parameter(item: inspect.Parameter, hint: Any) -> Parameter:
    arg = Arg("")
    if typing.get_origin(hint) is typing.Annotated:
        hint, *extras = typing.get_args(hint)
        arg = next((extra for extra in extras if isinstance(extra, Arg)), arg)
    return Parameter(item.name, hint, item.default, item.kind is inspect.Parameter.KEYWORD_ONLY, arg)


def _add(parser: argparse.ArgumentParser, parameter: Parameter) -> None:
    arg = parameter.arg
    options: dict[str, Any] = {"help": arg.help.replace("%", "%%")}
    if arg.choices:
        options["choices"] = arg.choices
    default = [] if parameter.is_list and parameter.is_required else parameter.default
    if parameter.is_option:
        names = [*arg.flags, parameter.option]
        options["dest"] = parameter.name
        if parameter.type is bool:
            parser.add_argument(*names, action="store_true", default=bool(default is True), **options)
            return
        if parameter.is_list:
            parser.add_argument(*names, action="append", default=[], metavar=arg.metavar or None, **options)
            return
        converter = _converter(parameter.type)
        required = parameter.is_required
        if arg.implied:
            options |= {"nargs": "?", "const": arg.implied}
        parser.add_argument(
            *names,
            type=converter,
            default=None if required else default,
            required=required,
            metavar=arg.metavar or None,
            **options,
        )
        return
    if parameter.is_list:
        options["nargs"] = "+" if parameter.is_required else "*"
    elif not parameter.is_required:
        options["nargs"] = "?"
        options["default"] = default
    parser.add_argument(parameter.name, type=_converter(parameter.type), metavar=arg.metavar or None, **options)


def _converter(hint: Any) -> Callable[[str], Any]:
    origin = typing.get_origin(hint)
    if origin in (typing.Union, types.UnionType):
        hint = next(option for option in typing.get_args(hint) if option is not type(None))
    elif origin is list:
        (hint,) = typing.get_args(hint)
    return hint if hint in (int, float, str) else str


def as_data(result: Any) -> Any:
    """A result as JSON-ready data."""
    if dataclasses.is_dataclass(result) and not isinstance(result, type):
        return dataclasses.asdict(result)
    if isinstance(result, list | tuple):
        return [as_data(item) for item in result]
    return result


def as_text(result: Any) -> str:
    """A result for people: what its `text` says."""
    if result is None:
        return ""
    if isinstance(result, list | tuple):
        return "\n".join(as_text(item) for item in result)
    return str(getattr(result, "text", result))
