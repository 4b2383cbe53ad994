"""What the frozen program does first: the index of its modules that packaging/index.py took apart is read
when somebody asks for one of them. Reading it all was a third of the time to `--version`."""

import pyimod02_importers

type Entry = tuple[int, int, int]
"""Kind, place and length."""

archive = pyimod02_importers.pyz_archive


class Index(dict[str, Entry]):
    late: tuple[str, ...] = ()
    """Packages of which this knows nothing yet."""

    def get(self, name: str, default: Entry | None = None) -> Entry | None:  # type: ignore[override]
        if name.partition(".")[0] in self.late:
            self.complete()
        return super().get(name, default)

    def items(self):  # type: ignore[no-untyped-def]
        self.complete()
        return super().items()

    def complete(self) -> None:
        for package in self.late:  # other threads import too: it is known first, and no longer late then
            self.update(archive.extract(f"index of {package}"))
        self.late = ()


archive.toc = Index(archive.toc)
archive.toc.late = tuple(name[len("index of ") :] for name in archive.toc if name.startswith("index of "))
