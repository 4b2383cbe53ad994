"""The shape of one row of the provider table."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ProviderSpec:
    """One provider: how it is recognised, named on the wire, and what it can do."""

    name: str
    display: str
    kind: str = "standard"
    """standard, gateway (models of many vendors), local, direct (the person's address), oauth, builtin."""
    engine: str = "openai"
    keywords: tuple[str, ...] = ()
    prefix: str = ""
    """What litellm calls the provider; put before the model's name on that engine."""
    skip: tuple[str, ...] = ()
    """Starts of a model's name that already say the provider."""
    strip_prefix: bool = False
    """The server wants only what follows the last slash."""
    vendor_names: bool = False
    """Every model of the server is called vendor/name, so a prefix is only one before such a name."""
    many_vendors: bool = False
    """It has models of other vendors under their names, as a gateway has."""
    whole_names: tuple[str, ...] = ()
    """Names that really begin with the provider's own."""
    key_prefix: str = ""
    base_keyword: str = ""
    base: str = ""
    key_names: tuple[str, ...] = ()
    """Environment variables in which other programs keep this key; shown as help, never read."""
    small_model: bool = False
    """A small model: short prompt, few tools."""
    suggestion: str = ""
    """The model to begin with."""
    responses: str = ""
    """Of which models, by a pattern for their names, the Responses API is asked where the settings leave it
    open; all others are asked over Chat Completions."""
    session_header: str = ""
    """A header in which the server wants a name of each conversation, the same with every request."""
    key_page: str = ""
    """Where a person gets a key."""
    listing: str = "openai"
    """How its models are asked for: openai, anthropic, gemini; "" where they cannot be."""
    listing_base: str = ""
    """Where, if not at `base`."""

    @property
    def gateway(self) -> bool:
        return self.kind == "gateway"

    @property
    def local(self) -> bool:
        return self.kind in ("local", "builtin")

    @property
    def places(self) -> int:
        """How many turns it answers at once: a model on this computer is not faster for more."""
        return {"builtin": 1, "local": 2}.get(self.kind, 64)

    @property
    def oauth(self) -> bool:
        return self.kind == "oauth"

    @property
    def direct(self) -> bool:
        return self.kind == "direct"

    @property
    def needs_key(self) -> bool:
        """Whether a call without a key is bound to fail."""
        return self.kind in ("standard", "gateway", "oauth") or self.name == "azure_openai"
