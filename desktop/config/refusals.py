"""Why a value of the settings is refused, in the person's language: pydantic has words in English alone."""

from typing import TYPE_CHECKING, Any

from desktop.text import _, mark

if TYPE_CHECKING:
    from pydantic import ValidationError

_WHY = {
    "bool_parsing": mark("it must be true or false"),
    "bool_type": mark("it must be true or false"),
    "dict_type": mark("it must be an object"),
    "enum": mark("it must be one of {expected}"),
    "extra_forbidden": mark("there is no such setting"),
    "finite_number": mark("it must be a number"),
    "float_parsing": mark("it must be a number"),
    "float_type": mark("it must be a number"),
    "greater_than": mark("it must be more than {gt}"),
    "greater_than_equal": mark("it must be at least {ge}"),
    "int_from_float": mark("it must be a whole number"),
    "int_parsing": mark("it must be a whole number"),
    "int_parsing_size": mark("it must be a whole number"),
    "int_type": mark("it must be a whole number"),
    "less_than": mark("it must be less than {lt}"),
    "less_than_equal": mark("it must be at most {le}"),
    "list_type": mark("it must be a list"),
    "literal_error": mark("it must be one of {expected}"),
    "missing": mark("it is missing"),
    "model_type": mark("it must be an object"),
    "string_pattern_mismatch": mark("it has the wrong form"),
    "string_too_long": mark("it can have at most {max_length} characters"),
    "string_too_short": mark("it must have at least {min_length} characters"),
    "string_type": mark("it must be text"),
    "string_unicode": mark("it must be text"),
    "tuple_type": mark("it must be a list"),
}
"""By the type of pydantic's error (docs.pydantic.dev, Validation Errors), with names of its context."""


def refusals(error: "ValidationError") -> list[tuple[str, str]]:
    """Each field that is refused, by its dotted name, with the reason: no value, no full stop."""
    found = error.errors(include_input=False, include_url=False)
    return [(".".join(map(str, fault["loc"])), _reason(fault)) for fault in found]


def _reason(fault: Any) -> str:
    words, context = _WHY.get(fault["type"]), dict(fault.get("ctx", {}))
    if "expected" in context:
        context["expected"] = context["expected"].replace(" or ", ", ")
    if words is not None:
        return _(words).format(**context)
    own = context.get("error")  # what one of our own checks raised
    return str(own or fault["msg"]).rstrip(".")
