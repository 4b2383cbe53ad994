"""What this computer has for a model of its own: memory, cores, disk, and a GPU where the engine sees
one."""

import shutil
from dataclasses import dataclass
from pathlib import Path

_SHORT_PART, _SHORT_LEAST = 20, 300 * 10**6


@dataclass(frozen=True, slots=True)
class Machine:
    """Sizes in bytes. `memory` is all there is, `free` what programs could have now."""

    memory: int
    free: int
    cores: int
    disk: int
    gpu: str = ""
    """What the engine calls the GPU that it would use; empty for none."""

    @property
    def short(self) -> bool:
        """Whether there is hardly any memory left for other programs."""
        return self.free < max(_SHORT_LEAST, self.memory // _SHORT_PART)


def look(models: Path, gpu: str = "") -> Machine:
    """What there is now; `models` is the folder whose disk counts. Blocks."""
    import psutil

    from desktop.providers.engine import cores

    memory = psutil.virtual_memory()
    there = next((path for path in (models, *models.parents) if path.is_dir()), Path("/"))
    return Machine(memory.total, memory.available, cores(), shutil.disk_usage(there).free, gpu)
