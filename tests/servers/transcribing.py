"""A transcription endpoint on this machine, as OpenAI describes it: a form with a file, words as JSON.

It is strict where the real one is: who brings no key, no model or no sound is refused in its words.
"""

from aiohttp import web

from tests.channels.loopback import Call, Loopback, as_json, read

KEY = "sk-speech-0123456789abcdef"
_ENDINGS = ("flac", "mp3", "mp4", "mpeg", "mpga", "m4a", "ogg", "wav", "webm")


class TranscriptionServer(Loopback):
    """What it is asked is in `calls`; it answers with `words`."""

    def __init__(self, words: str = "Good morning.") -> None:
        super().__init__()
        self.words = words

    @property
    def base(self) -> str:
        """The address that goes into the settings."""
        return f"{self.url}/v1"

    def routes(self, router: web.UrlDispatcher) -> None:
        router.add_post("/v1/audio/transcriptions", self._transcribe)

    def name_of(self, request: web.Request) -> str:
        return f"{request.method} {request.path}"

    async def _transcribe(self, request: web.Request) -> web.StreamResponse:
        fields, files = await read(request)
        call = Call(self.name_of(request), fields, files, dict(request.headers))
        call.error, status = self._wrong(call)
        self.keep(call)
        if call.error:
            return as_json({"error": {"message": call.error, "type": "invalid_request_error"}}, status)
        return as_json({"text": self.words})

    def _wrong(self, call: Call) -> tuple[str, int]:
        if call.headers.get("Authorization") != f"Bearer {KEY}":
            return f"Incorrect API key provided: {call.headers.get('Authorization', '')}", 401
        if not call["model"]:
            return "you must provide a model parameter", 400
        file = call.files.get("file")
        if file is None or file.name.rpartition(".")[2] not in _ENDINGS:
            return "Invalid file format.", 400
        return "", 200
