"""What the bundle tells macOS of itself, in its Info.plist."""

from typing import Any

IDENTIFIER = "io.github.nanobot-desktop"
"""Letters, digits, points and hyphens: Apple allows no underscore."""
NAME = "Nanobot Desktop"
PROGRAM = "nanobot-desktop"
SCHEMES = (PROGRAM, "nanobot")


def info(version: str) -> dict[str, Any]:
    """Its keys, besides those that PyInstaller writes."""
    return {
        "CFBundleDisplayName": NAME,
        "CFBundleShortVersionString": version,
        "CFBundleVersion": version,
        "CFBundleDevelopmentRegion": "en",
        "CFBundleLocalizations": ["en", "zh-Hans"],
        "CFBundleURLTypes": [{"CFBundleURLName": IDENTIFIER, "CFBundleURLSchemes": list(SCHEMES)}],
        "LSApplicationCategoryType": "public.app-category.productivity",
        "LSMinimumSystemVersion": "13.0",  # Qt 6.12
        "LSUIElement": True,  # it lives in the menu bar, without a place in the Dock
        "NSHighResolutionCapable": True,
        "NSMicrophoneUsageDescription": "What you dictate becomes text in the message field.",
        "NSHumanReadableCopyright": "Nanobot Desktop contributors, MIT License",
    }
