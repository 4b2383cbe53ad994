"""Brings the catalogues up to date with the source: new sentences added, old ones dropped, .mo compiled.

Usage: .venv/bin/python packaging/translations.py   then translate what it lists, and run it again.
"""

import sys
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

ROOT = Path(__file__).parent.parent
KEYWORDS = {"_": None, "mark": None, "ngettext": (1, 2)}


def main() -> None:
    template = Catalog(project="Nanobot Desktop", copyright_holder="Nanobot Desktop contributors")
    for name, _line, message, _comments, _context in extract_from_dir(ROOT / "desktop", keywords=KEYWORDS):
        template.add(message, locations=[(f"desktop/{name}", 0)])
    for po in sorted((ROOT / "resources" / "translations").glob("*/LC_MESSAGES/nanobot.po")):
        locale = po.parent.parent.name
        with po.open("rb") as file:
            catalog = read_po(file, locale=locale)
        catalog.update(template, no_fuzzy_matching=True)
        catalog.obsolete.clear()
        with po.open("wb") as file:
            write_po(file, catalog, width=108, omit_header=False, sort_output=True, no_location=True)
        with po.with_suffix(".mo").open("wb") as file:
            write_mo(file, catalog)
        forms = {m.id: m.string if m.pluralizable else [m.string] for m in catalog if m.id}
        missing = [str(sentence) for sentence, strings in forms.items() if not all(strings)]
        sys.stdout.write(f"{locale}: {len(catalog)} sentences, {len(missing)} to translate\n")
        sys.stdout.writelines(f"  {sentence}\n" for sentence in missing)


if __name__ == "__main__":
    main()
