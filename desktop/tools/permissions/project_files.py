"""Files of a project that programs run without being told: hooks, recipes, manifests, start files.

Who may write one of them acts later, with the rights of whoever runs `make`, opens the folder or commits.
So with marked text in view they are asked about, and a standing answer to a program covers those it runs.
Sources: the manuals of git (githooks, gitattributes), make, npm (scripts), pip and setuptools, pytest,
tox, cargo (build scripts), direnv, VS Code (tasks), GitHub Actions, systemd, freedesktop.org.
"""

import fnmatch
import functools
import re
from pathlib import PurePath

FOLDERS = frozenset(
    {".git", ".githooks", ".husky", ".hg", ".svn", ".vscode", ".idea", ".devcontainer", ".github"}
    | {".gitlab", ".circleci", ".cargo", ".mvn", ".gradle", ".direnv", ".claude", ".cursor", ".yarn"}
    | {".pnpm", ".bundle", ".zed", ".fleet", ".forgejo", ".gitea", ".woodpecker", ".buildkite"}
)
"""Whatever lies in them."""
PACKAGES = frozenset({"node_modules", ".venv", "venv", ".tox", ".nox", "site-packages", "bower_components"})
"""Folders of installed packages, which a project's programs load."""
_NAMES = (
    "makefile gnumakefile bsdmakefile *.mk justfile .justfile *.just rakefile *.rake taskfile.y*ml "
    "dodo.py fabfile.py tasks.py sconstruct sconscript wscript cmakelists.txt *.cmake "
    "cmakepresets.json meson.build build.ninja configure configure.ac build.zig build build.bazel "
    "workspace module.bazel *.bzl .bazelrc buck .buckconfig earthfile dockerfile* *.dockerfile "
    "containerfile *compose.y*ml vagrantfile jenkinsfile procfile tiltfile devbox.json flake.nix "
    "shell.nix default.nix package.json .npmrc .yarnrc* .pnpmfile.* lerna.json turbo.json nx.json "
    "deno.json* bunfig.toml *.config.js *.config.cjs *.config.mjs *.config.ts *.config.mts .eslintrc* "
    ".babelrc* .prettierrc* gulpfile.* gruntfile.* .mocharc* pyproject.toml setup.py setup.cfg "
    "conftest.py pytest.ini .pytest.ini tox.ini noxfile.py .pre-commit-config.y*ml "
    ".pre-commit-hooks.y*ml sitecustomize.py usercustomize.py *.pth manage.py __main__.py "
    ".pythonstartup pip.conf pip.ini requirements*.txt pipfile environment.y*ml build.rs cargo.toml "
    "rust-toolchain* go.mod go.work magefile.go gemfile *.gemspec .rspec .irbrc .pryrc guardfile "
    "composer.json build.gradle* settings.gradle* gradle.properties gradlew* init.gradle pom.xml "
    "mvnw* build.xml build.sbt build.sc *.csproj *.fsproj *.vbproj *.sln *.props *.targets "
    "nuget.config package.swift podfile fastfile mix.exs rebar.* .gitattributes .gitmodules "
    ".gitconfig .gitlab-ci.y*ml .travis.y*ml appveyor.y*ml azure-pipelines*.y*ml .envrc .env .env.* "
    ".tool-versions .mise.toml mise.toml .editorconfig .vimrc .exrc .nvimrc .nvim.lua .dir-locals.el "
    ".emacs .lldbinit .gdbinit .tmux.conf .bashrc .bash_profile .bash_login .bash_logout .profile "
    ".zshrc .zshenv .zprofile .zlogin .inputrc .xinitrc .xprofile *.desktop *.service *.timer "
    "*.socket *.plist autorun.inf desktop.ini *.lnk *.url *.code-workspace .mcp.json mcp.json "
    "claude.md agents.md .cursorrules head "
)
"""By their names, in small letters. A folder with a HEAD is a git repository, whatever it is called."""


def runs_later(path: PurePath) -> bool:
    """Whether a program may run, or obey, a file of this name by itself."""
    parts = [part.casefold() for part in path.parts]
    if any(part in FOLDERS | PACKAGES for part in parts[:-1]):
        return True
    return bool(parts and _named().fullmatch(parts[-1]))


@functools.cache
def _named() -> re.Pattern[str]:
    return re.compile("|".join(map(fnmatch.translate, _NAMES.split())), re.DOTALL)
