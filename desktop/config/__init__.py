"""Settings: one model per page of the settings, one file that is never lost, keys in the keychain."""
