"""Folders of the person's home that commands read: compilers, interpreters, what they installed, caches.

Read-only in the sandbox. None of them keeps a login: where a tool stores one beside its programs (cargo,
npm, Maven, Gradle), only the parts without it are listed. A person adds others in the settings.
"""

SHARED = (
    *("bin", ".local/bin", ".local/lib"),  # systemd file-hierarchy(7), PEP 370
    *(
        ".local/pipx",
        ".local/share/pipx",
        ".local/share/uv",
        ".local/share/hatch",
        ".local/share/virtualenvs",
    ),
    *(".pyenv", ".rye", ".pixi/bin", ".pixi/envs", "miniconda3", "miniforge3", "mambaforge", "anaconda3"),
    *(".cargo/bin", ".cargo/registry", ".cargo/git", ".cargo/env", ".rustup"),  # Cargo book: "Cargo Home"
    *("go", ".cache/go-build", "sdk"),  # go help environment: GOPATH, GOCACHE
    *(".nvm", ".fnm", ".local/share/fnm", ".volta", ".n", ".deno/bin", ".bun/bin", ".bun/install"),
    *(".local/share/pnpm", ".npm-global", ".npm/_cacache", ".yarn/bin", ".cache/node/corepack"),
    *(
        ".rbenv",
        ".rvm",
        ".gem/ruby",
        ".local/share/gem",
        ".opam",
        ".ghcup",
        ".cabal/bin",
        ".stack/programs",
    ),
    *(".sdkman/candidates", ".jenv", ".m2/repository", ".gradle/caches", ".gradle/wrapper"),
    *(".dotnet", ".nuget/packages", ".juliaup", ".julia", ".asdf", ".local/share/mise", ".mix", ".hex"),
    *(".nix-profile", ".local/state/nix", ".linuxbrew", ".texlive", "texmf", ".local/share/texmf"),
    *(".cache/pip", ".cache/uv", ".cache/fontconfig", ".fonts", ".local/share/fonts", ".terminfo"),
)
"""In the person's home."""
PRIVATE = (
    *(".hex/hex.config", ".julia/config", ".julia/logs", ".julia/prefs", ".gem/credentials"),
    *(".local/share/gem/credentials", ".asdf/plugins/.credentials", "go/.netrc", ".cargo/credentials"),
    *(".cargo/credentials.toml", ".julia/servers", ".dotnet/corefx", ".rye/config.toml"),
)
"""What in them may hold a login all the same: hidden."""
