"""The settings of Matrix, also those of an older nanobot."""

import pytest
from pydantic import ValidationError

from desktop.config.channels.section import Channels

OLD = {
    "enabled": True,
    "homeserver": "https://matrix.org",
    "user_id": "@nano:matrix.org ",
    "deviceId": "DEVICE",
    "e2eeEnabled": False,
    "sasVerification": True,
    "syncStopGraceSeconds": 2,
    "maxConcurrentMediaDownloads": 2,
    "allowFrom": ["@alice:matrix.org"],
    "groupPolicy": "allowlist",
    "groupAllowFrom": ["!room:matrix.org"],
    "allowRoomMentions": True,
}


def test_what_an_older_nanobot_had_is_read_and_what_means_nothing_here_is_kept() -> None:
    found = Channels.model_validate({"matrix": OLD}).matrix
    assert (found.user_id, found.device_id, found.e2ee_enabled) == ("@nano:matrix.org", "DEVICE", False)
    assert (found.group_policy, found.allow_room_mentions) == ("allowlist", True)
    kept = found.model_dump(by_alias=True)
    assert (kept["sasVerification"], kept["syncStopGraceSeconds"]) == (True, 2)


def test_encryption_is_on_and_nobody_may_write_unless_that_is_changed() -> None:
    found = Channels().matrix
    assert (found.enabled, found.e2ee_enabled, found.allow_from, found.streaming) == (
        False,
        True,
        (),
        False,
    )


@pytest.mark.parametrize("address", ["http://matrix.org", "ftp://matrix.org", "matrix.org"])
def test_the_password_goes_nowhere_unencrypted(address: str) -> None:
    with pytest.raises(ValidationError):
        Channels.model_validate({"matrix": {"homeserver": address}})
    assert Channels.model_validate({"matrix": {"homeserver": "http://127.0.0.1:8008"}}).matrix.homeserver
