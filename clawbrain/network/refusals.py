"""The errors by which a request is refused because of who asks, whatever it asks for."""

NO_WORKSPACE = "this token is for no workspace of this server."


class Unauthenticated(Exception):
    """Nobody known asks: status 401. `challenge` is the value of the header WWW-Authenticate."""

    status = 401

    challenge = ""


class Forbidden(Exception):
    """Somebody known asks for what is not theirs: status 403. `challenge` is '' where no header goes with it."""

    status = 403

    def __init__(self, sentence: str, challenge: str = "") -> None:
        super().__init__(sentence)
        self.challenge = challenge
