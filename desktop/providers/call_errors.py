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
                    "Choose another model, or set a new key in Settings or with: nanobot-desktop provider "
                    "set {name}"
                ),
            )
        case "sign_in":
            return (
                _("{provider} did not accept the key."),
                _(
                    "Check the key, or set a new one in Settings or with: nanobot-desktop provider set "
                    "{name}"
                ),
            )
        case "rate_limited":
            return _("Too many requests to {provider}."), _("Wait a moment and try again.")
        case "quota":
            return (
                _("The account at {provider} is out of quota or credit."),
                _("Top it up on the provider’s website, or choose another provider."),
            )
        case "context_too_long":
            return (
                _("The conversation is too long for {model}."),
                _("Start a new conversation, or choose a model with a larger context window."),
            )
        case "answer_too_long":
            return (
                _("The answer from {provider} was far too long and was stopped."),
                _("Ask for a shorter answer."),
            )
        case "bad_request":
            return _refused(status)
        case "filtered" | "aborted" | "faulty":
            return _cut(kind)
    return _unreachable(kind)


def _proxy_of_environment() -> tuple[str, str]:
    return (
        _("The proxy {proxy}, set by {variable}, can’t reach {provider}."),
        _("Check that it is running, or correct or remove the variable, then restart the program."),
    )


def _cut(kind: str) -> tuple[str, str]:
    """`where` is the server's own word for it."""
    match kind:
        case "filtered":
            return (
                _("The content filter of {provider} stopped the answer: {where}."),
                _("Rephrase the question, or choose another model."),
            )
        case "aborted":
            return _("{provider} canceled the answer before it was complete: {where}."), _("Try again.")
    return (
        _("{provider} could not complete the answer: {where}."),
        _("Try again, or choose another model."),
    )


def _refused(status: int | None) -> tuple[str, str]:
    if status == 404:
        return (
            _("{provider} has no model named {model}, or the address {address} is wrong."),
            _("Check the model name and the address in the settings of {provider}."),
        )
    if status == 413:
        return (
            _("The request was too large for {provider}."),
            _("Start a new conversation, or send less at a time."),
        )
    return (
        _("{provider} rejected the request ({status})."),
        _("Check the model and its parameters in the settings of {provider}."),
    )


def _unreachable(kind: str) -> tuple[str, str]:
    match kind:
        case "no_connection":
            return (
                _("{provider} can’t be reached at {address}."),
                _(
                    "Check the network and the address. If the server is your own, check that it is "
                    "running."
                ),
            )
        case "too_slow":
            return (
                _("{provider} did not respond in time."),
                _("Try again. If your own server is slow, raise the timeout in its settings."),
            )
        case "broken_off":
            return _("{provider} stopped before the answer was complete."), _("Try again.")
        case "no_model_server":
            return (
                _("{address} returns a web page, not a model."),
                _(
                    "Check the address of {provider}, and whether this network requires you to sign in "
                    "first."
                ),
            )
        case "redirected":
            return (
                _("{address} redirects to another address: {where}"),
                _("Check the address of {provider}. The one it redirects to may be correct."),
            )
        case "no_list":
            return (
                _("{address} does not return a list of models."),
                _("Check the address of {provider}. You can also enter a model name yourself."),
            )
        case "proxy":
            return (
                _("The proxy {proxy} can’t reach {provider}."),
                _("Check the proxy in the settings of {provider}, and that it is running."),
            )
        case "server_fault":
            return (
                _("{provider} had an error ({status})."),
                _("Try again later, or choose another provider."),
            )
    return (
        _("The process that talks to models failed."),
        _("Try again. Details are in the log."),
    )
