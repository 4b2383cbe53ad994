"""Which packages the words of a server fetch, in spellings that people paste, and the words once pinned."""

import shlex

import pytest

from desktop.tools.mcp.packages import packages, pinned

NPM = {"pkg": "1.2.3", "@s/pkg": "1.2.3", "@s/pkg@latest": "1.2.3", "pkg@^1": "1.2.3", "npm:pkg": "1.2.3"}
PYTHON = {"pkg": "1.2", "pkg>=1": "1.2", "pkg[z]": "1.2", "pkg@latest": "1.2", "mcp[cli]": "1.2", "x": "3"}
GIT = {
    "github:o/r": "c0ffee",
    "o/r#main": "c0ffee",
    "git+https://h/o/r.git": "c0ffee",
    "git+https://h/o/r@main#subdirectory=s": "c0ffee",
}
IMAGE = {"img": "@sha256:ff", "reg:5000/a/img:tag": "@sha256:ff", "mine": "sha256:ee"}


@pytest.mark.parametrize(
    ("pins", "words", "made"),
    [
        (NPM, "npx -y pkg", "npx -y pkg@1.2.3"),
        (NPM, "npx pkg -y other", "npx pkg@1.2.3 -y other"),
        (NPM, "npx -y @s/pkg /tmp", "npx -y @s/pkg@1.2.3 /tmp"),
        (NPM, "npx -y @s/pkg@latest", "npx -y @s/pkg@1.2.3"),
        (NPM, "npx 'pkg@^1'", "npx pkg@1.2.3"),
        (NPM, "npx --package=pkg cmd", "npx --package=pkg@1.2.3 cmd"),
        (NPM, "npx -p pkg -p @s/pkg cmd", "npx -p pkg@1.2.3 -p @s/pkg@1.2.3 cmd"),
        (NPM, "npx --registry https://r pkg", "npx --registry https://r pkg@1.2.3"),
        (NPM, "npx -- pkg", "npx -- pkg@1.2.3"),
        (NPM, "npm exec --yes -- pkg", "npm exec --yes -- pkg@1.2.3"),
        (NPM, "npm x pkg", "npm x pkg@1.2.3"),
        (NPM, "bunx pkg", "bunx pkg@1.2.3"),
        (NPM, "bun x pkg", "bun x pkg@1.2.3"),
        (NPM, "pnpm dlx pkg", "pnpm dlx pkg@1.2.3"),
        (NPM, "pnpm --package=pkg dlx cmd", "pnpm --package=pkg@1.2.3 dlx cmd"),
        (NPM, "pnpx pkg", "pnpx pkg@1.2.3"),
        (NPM, "yarn dlx pkg", "yarn dlx pkg@1.2.3"),
        (NPM, "yarn dlx -p pkg cmd", "yarn dlx -p pkg@1.2.3 cmd"),
        (NPM, "deno run -A npm:pkg a", "deno run -A npm:pkg@1.2.3 a"),
        (NPM, "cmd /c npx -y pkg", "cmd /c npx -y pkg@1.2.3"),
        (NPM, "/opt/node/bin/npx pkg", "/opt/node/bin/npx pkg@1.2.3"),
        (NPM, r"'C:\Program Files\nodejs\npx.cmd' pkg", r"'C:\Program Files\nodejs\npx.cmd' pkg@1.2.3"),
        (NPM, "NPX.CMD -y pkg", "NPX.CMD -y pkg@1.2.3"),
        (NPM, "env A=b npx pkg", "env A=b npx pkg@1.2.3"),
        (NPM, "sh -c 'cd /x && A=1 npx pkg; true'", "sh -c 'cd /x && A=1 npx pkg@1.2.3; true'"),
        (NPM, "npx pkg --stdio 'npx -y @s/pkg /a'", "npx pkg@1.2.3 --stdio 'npx -y @s/pkg@1.2.3 /a'"),
        (PYTHON, "uvx pkg a", "uvx --from pkg==1.2 pkg a"),
        (PYTHON, "uvx pkg[z]", "uvx --from 'pkg[z]==1.2' pkg"),
        (PYTHON, "uvx pkg@latest", "uvx --from pkg==1.2 pkg"),
        (PYTHON, "uvx --from pkg cmd", "uvx --from pkg==1.2 cmd"),
        (PYTHON, "uvx --from=pkg cmd", "uvx --from=pkg==1.2 cmd"),
        (PYTHON, "uvx --from 'pkg>=1' cmd", "uvx --from pkg==1.2 cmd"),
        (PYTHON, "uvx --python 3.12 --with x pkg", "uvx --python 3.12 --with x==3 --from pkg==1.2 pkg"),
        (PYTHON, "uv tool run pkg", "uv tool run --from pkg==1.2 pkg"),
        (PYTHON, "uv run --with mcp[cli] mcp run s.py", "uv run --with 'mcp[cli]==1.2' mcp run s.py"),
        (PYTHON, "uv run server.py", "uv run server.py"),
        (PYTHON, "pipx run pkg a", "pipx run --spec pkg==1.2 pkg a"),
        (PYTHON, "pipx run --spec pkg cmd", "pipx run --spec pkg==1.2 cmd"),
        (PYTHON, "uvx x -- uvx pkg", "uvx --from x==3 x -- uvx --from pkg==1.2 pkg"),
        (GIT, "npx github:o/r", "npx github:o/r#c0ffee"),
        (GIT, "npx o/r#main", "npx o/r#c0ffee"),
        (GIT, "npx git+https://h/o/r.git", "npx git+https://h/o/r.git#c0ffee"),
        (GIT, "uvx --from git+https://h/o/r.git cmd", "uvx --from git+https://h/o/r.git@c0ffee cmd"),
        (
            GIT,
            "uvx --from git+https://h/o/r@main#subdirectory=s cmd",
            "uvx --from git+https://h/o/r@c0ffee#subdirectory=s cmd",
        ),
        (IMAGE, "docker run -i --rm img", "docker run -i --rm img@sha256:ff"),
        (IMAGE, "docker run -ie A=b -v /a:/b img x", "docker run -ie A=b -v /a:/b img@sha256:ff x"),
        (
            IMAGE,
            "podman run --mount type=bind reg:5000/a/img:tag",
            "podman run --mount type=bind reg:5000/a/img@sha256:ff",
        ),
        (IMAGE, "docker container run -it mine", "docker container run -it sha256:ee"),
    ],
)
def test_each_package_gets_its_version_where_it_stands(pins: dict[str, str], words: str, made: str) -> None:
    command, *args = shlex.split(words)
    assert [command, *pinned(command, args, pins)] == shlex.split(made)
    assert all(not one.exact for one in packages(command, args))


@pytest.mark.parametrize(
    ("words", "exact"),
    [
        ("npx pkg@1.2.3", "1.2.3"),
        ("npx @s/pkg@v1.2.3-beta.1", "v1.2.3-beta.1"),
        ("npx ./mine", "here"),
        ("npx --no-install pkg", "here"),
        (f"npx github:o/r#{'a' * 40}", "a" * 40),
        ("uvx pkg@1.0", "1.0"),
        ("uvx --from pkg==1.0 cmd", "1.0"),
        ("pipx run pkg==1.0", "1.0"),
        ("uvx --from /home/me/pkg cmd", "here"),
        (f"uvx --from git+https://h/o/r@{'b' * 40} cmd", "b" * 40),
        ("docker run img@sha256:ff", "sha256:ff"),
    ],
)
def test_what_the_person_fixed_stays(words: str, exact: str) -> None:
    command, *args = shlex.split(words)
    (package,) = packages(command, args)
    assert package.exact == exact
    assert pinned(command, args, {package.spec: "9.9.9"}) == tuple(args)


@pytest.mark.parametrize(
    "words", ["python server.py", "docker ps", "npm start", "node npx.js pkg", "npx", "uv pip install x"]
)
def test_what_fetches_nothing_has_no_package(words: str) -> None:
    command, *args = shlex.split(words)
    assert packages(command, args) == ()


@pytest.mark.parametrize(
    "words", ["npx https://x.org/y.tgz", "npx a@npm:b@1", "uvx --from https://x/y.whl c"]
)
def test_what_can_have_no_version_is_told_apart(words: str) -> None:
    command, *args = shlex.split(words)
    (package,) = packages(command, args)
    assert (package.kind, package.exact) == ("other", "")


def test_where_a_package_comes_from_is_kept_with_it() -> None:
    (package,) = packages("uvx", ["--index-url", "https://mine/simple", "--prerelease=allow", "pkg"])
    assert package.options == ("--index-url", "https://mine/simple", "--prerelease=allow")
