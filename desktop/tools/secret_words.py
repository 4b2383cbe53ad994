"""What sounds or looks like a password or a key: a server that asks for one in a form gets none.

Whoever wants a secret says so in one way or another, or the person would not know what to enter; so the
names and titles of the fields are looked at, and what is said around them. A secret that is entered all the
same is known by its look.
"""

import re
import unicodedata

_ENGLISH = (
    "password passwords passwd pwd passphrase passcode passkey secret secrets credential credentials token",
    "tokens apikey apikeys privatekey secretkey accesskey authkey bearer jwt pin cvv cvc otp totp mnemonic",
)
_EUROPEAN = (
    "kennwort passwort passwörter geheimnis zugangsdaten contraseña contrasena clave senha parola",
    "wachtwoord hasło haslo heslo lösenord losenord adgangskode salasana jelszó şifre sifre",
    "пароль пароли токен ключ",
)
_WORDS = frozenset(" ".join((*_ENGLISH, *_EUROPEAN)).split())
_PHRASES = (
    *(
        "api key",
        "api keys",
        "private key",
        "secret key",
        "access key",
        "auth key",
        "ssh key",
        "signing key",
    ),
    *("encryption key", "license key", "licence key", "account key", "service key", "master key"),
    *("pass word", "pass phrase", "pass code", "seed phrase", "recovery phrase", "recovery code"),
    *("backup code", "security code", "verification code", "one time code", "2fa code", "mfa code"),
    *("auth code", "session id", "session cookie", "card number", "credit card", "debit card"),
    *("mot de passe", "mots de passe", "api schlüssel", "geheimer schlüssel", "clé api", "clé privée"),
    *("clave de acceso", "code pin"),
)
_ELSEWHERE = (
    *("密码", "口令", "密钥", "令牌", "私钥", "验证码", "密碼", "金鑰", "パスワード", "暗証番号"),
    *("비밀번호", "암호", "كلمة المرور", "كلمة السر", "סיסמה", "पासवर्ड", "รหัสผ่าน"),
)
_HARMLESS = re.compile(
    r"\b(max|min|maximum|minimum|number of|how many|count of|total|limit|budget)\b[^.]{0,20}\btokens?\b"
    r"|\btokens? (count|limit|budget|length)\b"
)
_PART = re.compile(r"(?<=[a-zà-ÿ0-9])(?=[A-ZÀ-Þ])|(?<=[A-Z])(?=[A-Z][a-z])")
_LOOKALIKES = str.maketrans("аеорсухіѕԁкмտ", "aeopcyxisdkmt")
_UNSEEN = ("Cf", "Cc")
_VALUE = re.compile(
    r"(Bearer|Basic|Token)\s+\S{8,}"
    r"|(sk|pk|rk|hf|npm|pypi|xox[abprs]|glpat)[-_][\w-]{16,}|gh[pousr]_\w{16,}|github_pat_\w{16,}"
    r"|(AKIA|ASIA)[A-Z0-9]{12,}|AIza[\w-]{20,}|ey[\w-]{8,}\.ey[\w-]{8,}\.[\w-]*"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----.*",
    re.DOTALL,
)


def sounds_secret(text: str) -> bool:
    """Whether a text asks for a secret: the name of a field, its title, or a sentence."""
    for known in _readings(text):
        words = _HARMLESS.sub(" ", " ".join(re.findall(r"[^\W_]+", known))).split()
        line = f" {' '.join(words)} "
        if _WORDS.intersection(words) or any(f" {phrase} " in line for phrase in _PHRASES):
            return True
        if any(word in known for word in _ELSEWHERE):
            return True
    return False


def looks_secret(text: str) -> bool:
    """Whether a text is itself a key or a token, by its look."""
    return _VALUE.fullmatch(text.strip()) is not None


def _readings(text: str) -> set[str]:
    """The text as a person may read it: nothing hidden in it, its parts apart, letters of another alphabet
    as those that they look like."""
    plain = unicodedata.normalize("NFKC", text)
    seen = "".join(sign for sign in plain if sign in "\n\t" or unicodedata.category(sign) not in _UNSEEN)
    bare = "".join(sign for sign in unicodedata.normalize("NFKD", seen) if not unicodedata.combining(sign))
    found = {reading.casefold() for one in (seen, bare) for reading in (one, _PART.sub(" ", one))}
    return found | {reading.translate(_LOOKALIKES) for reading in found}
