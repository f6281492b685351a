"""A name as patterns of every language have it: words that begin with a capital, and none of the usual other ones."""


def name(others: str = "") -> str:
    """Return the pattern of a person's name; `others` are the words that begin sentences and are no names."""
    capital, small = r"[A-ZÀ-ÞŁŚŻČŠŽĄĆĘŃÓŹА-ЯЁ]", "[a-zß-ÿąćęłńóśźżа-яё]"
    none = rf"(?!(?:{'|'.join(others.split())})\b)" if others else ""
    return rf"(?-i:{none}{capital}[\w'’-]*{small}(?: {capital}[\w'’-]+){{0,2}})"
