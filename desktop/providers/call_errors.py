"""The sentences for calls that failed: what happened, and what the person can do, by kind of failure."""

from desktop.net.way_out import WrongVariable, proxy_for, proxy_variable
from desktop.providers.base import (
    AnswerTooLong,
    BadRequest,
    ContextTooLong,
    CutShort,
    Endpoint,
    HostDied,
    ProviderError,
    QuotaExceeded,
    RateLimited,
    SignInNeeded,
    Unreachable,
    WrongWay,
)
from desktop.text import _


def error_for(
    kind: str,
    endpoint: Endpoint,
    *,
    detail: str = "",
    status: int | None = None,
    retry_after: float | None = None,
) -> ProviderError:
    """The error for a kind that the model host told (see host/failures.py)."""
    error = _made(kind, *_sentences(kind, endpoint, detail, status), detail, status, retry_after)
    error.field = _FIELDS.get(kind, error.field)
    return error


_SOMEWHERE = "https://example.com"
"""For a vendor whose address only its library knows."""
_FIELDS = {
    "bad_request": "model",
    "no_connection": "address",
    "no_model_server": "address",
    "redirected": "address",
    "no_list": "address",
    "proxy": "proxy",
}


def _made(
    kind: str, text: str, remedy: str, detail: str, status: int | None, retry_after: float | None
) -> ProviderError:
    if kind == "rate_limited":
        return RateLimited(text, remedy, detail=detail, status=status, retry_after=retry_after)
    if kind in ("too_slow", "no_model_server", "redirected", "no_list"):
        hopeless = Unreachable(text, remedy, detail=detail, status=status)
        # Who has waited that long is not made to wait three times as long, and a page to sign in stays.
        hopeless.retryable = False
        return hopeless
    classes: dict[str, type[ProviderError]] = {
        "sign_in": SignInNeeded,
        "quota": QuotaExceeded,
        "context_too_long": ContextTooLong,
        "bad_request": BadRequest,
        "answer_too_long": AnswerTooLong,
        "internal": HostDied,
        "environment": WrongWay,
        **dict.fromkeys(("filtered", "aborted", "faulty"), CutShort),
    }
    return classes.get(kind, Unreachable)(text, remedy, detail=detail, status=status)


def _sentences(kind: str, endpoint: Endpoint, detail: str, status: int | None) -> tuple[str, str]:
    if kind == "environment":
        wrong = WrongVariable(*detail.split("|", 2))
        return wrong.text, wrong.remedy
    text, remedy = _said(kind, status)
    if kind == "proxy" and not endpoint.proxy:
        text, remedy = _proxy_of_environment()
    url = endpoint.base_url or _SOMEWHERE
    names = {
        "provider": endpoint.title or endpoint.provider,
        "name": endpoint.provider,
        "model": endpoint.model,
        "address": endpoint.base_url or endpoint.provider,
        "status": status or "?",
        "proxy": endpoint.proxy or proxy_for(url),
        "variable": proxy_variable(url),
        "where": detail,
    }
    text, remedy = text.format(**names), remedy.format(**names)
    if detail and (kind == "internal" or (status and kind in ("bad_request", "server_fault", "sign_in"))):
        text = _("{text} It said: {detail}").format(text=text, detail=detail)
    return text, remedy


def _said(kind: str, status: int | None) -> tuple[str, str]:
    match kind:
        case "sign_in" if status == 403:
            return (
                _("{provider} does not allow this key to use {model}."),
                _(
                    "Choose another model, or set a new key in the settings or with: "
                    "nanobot-desktop provider set {name}"
                ),
            )
        case "sign_in":
            return (
                _("{provider} did not accept the key."),
                _(
                    "Check the key, or set a new one in the settings or with: "
                    "nanobot-desktop provider set {name}"
                ),
            )
        case "rate_limited":
            return _("{provider} gets too many requests."), _("Wait a little and ask again.")
        case "quota":
            return (
                _("The account at {provider} has no quota or money left."),
                _("Top it up on the provider's website, or choose another provider."),
            )
        case "context_too_long":
            return (
                _("The conversation is longer than {model} can read."),
                _("Start a new conversation, or choose a model with a larger window."),
            )
        case "answer_too_long":
            return (
                _("The answer of {provider} was far too long and was ended."),
                _("Ask for a shorter answer."),
            )
        case "bad_request":
            return _refused(status)
        case "filtered" | "aborted" | "faulty":
            return _cut(kind)
    return _unreachable(kind)


def _proxy_of_environment() -> tuple[str, str]:
    return (
        _("The proxy {proxy} that {variable} names does not lead to {provider}."),
        _("Check that it runs, or correct or remove the variable; then start the program again."),
    )


def _cut(kind: str) -> tuple[str, str]:
    """`where` is the server's own word for it."""
    match kind:
        case "filtered":
            return (
                _("{provider} ended the answer, its content filter stepped in: {where}."),
                _("Ask in other words, or choose another model."),
            )
        case "aborted":
            return _("{provider} called the answer off before it was complete: {where}."), _("Ask again.")
    return (
        _("{provider} could not complete the answer: {where}."),
        _("Ask again, or choose another model."),
    )


def _refused(status: int | None) -> tuple[str, str]:
    if status == 404:
        return (
            _("{provider} does not know the model {model}, or the address {address} is wrong."),
            _("Check the name of the model and the address in the settings of {provider}."),
        )
    if status == 413:
        return (
            _("The request was too large for {provider}."),
            _("Start a new conversation, or ask in smaller pieces."),
        )
    return (
        _("{provider} refused the request ({status})."),
        _("Check the model and its parameters in the settings of {provider}."),
    )


def _unreachable(kind: str) -> tuple[str, str]:
    match kind:
        case "no_connection":
            return (
                _("{provider} cannot be reached at {address}."),
                _("Check the network and the address, and that the server runs if it is your own."),
            )
        case "too_slow":
            return (
                _("{provider} did not answer in time."),
                _("Ask again; for a slow server of your own raise the time limit in its settings."),
            )
        case "broken_off":
            return _("{provider} broke off before the answer was complete."), _("Ask again.")
        case "no_model_server":
            return (
                _("What answers at {address} is a web page, not a model."),
                _("Check the address of {provider}, and whether this network wants you to sign in first."),
            )
        case "redirected":
            return (
                _("{address} sends on to another address: {where}"),
                _("Check the address of {provider}; what it sends on to may be the right one."),
            )
        case "no_list":
            return (
                _("What answers at {address} is no list of models."),
                _("Check the address of {provider}. A model's name can also be written by hand."),
            )
        case "proxy":
            return (
                _("The proxy {proxy} does not lead to {provider}."),
                _("Check the proxy in the settings of {provider}, and that it runs."),
            )
        case "server_fault":
            return (
                _("{provider} has a fault of its own ({status})."),
                _("Ask again later, or choose another provider."),
            )
    return (
        _("The part of the program that talks to models failed."),
        _("Ask again. Details are in the log."),
    )
