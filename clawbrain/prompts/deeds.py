"""Deeds: the kinds of work that a prompt asks for and that people make rules about.

A prompt asks for a deed when it says to make or change something ("add an endpoint") or uses a word that says it all
("commit this"). A rule is a preference whose title or tags name what the deed is done to ("api-versioning").
"""

import re
from collections.abc import Collection, Mapping
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from ..words import STOP_WORDS, terms_of

# Words that ask to make or change something, in the order: English, German, French, Spanish, Portuguese, Italian,
# Dutch, Polish, Russian.
_MAKING = """
add adding build change create define design draft extend generate implement insert introduce make need new
prepare provide put raise refactor remove replace return rewrite scaffold set throw update use want write
delete drop purge wipe
füge hinzufügen erstelle erstellen schreib schreibe schreiben mach mache baue bauen ändere ändern brauche brauchen
lösche löschen lege anlegen ergänze ergänzen neuen neue neues
ajoute ajouter ajoutez crée créer créez écris écrire écrivez fais faire modifie modifier remplace remplacer
añade añadir agrega agregar crea crear escribe escribir haz hacer cambia cambiar modifica modificar
adiciona adicionar cria criar escreve escreva escrever faz fazer muda mudar altera alterar acrescenta
aggiungi aggiungere creare scrivi scrivere fai cambiare
maak maken schrijf schrijven voeg toevoegen wijzig wijzigen bouw bouwen
dodaj dodać stwórz utwórz napisz napisać zrób zmień zmienić zbuduj
добавь добавить создай создать напиши написать сделай сделать измени изменить
"""

# One deed on a line: words that ask for it by themselves | what is made or changed | words in a rule's title or tags.
_DEEDS = """
install installs uninstall installiere installieren installer installe instala instalar installa installare installeer installeren zainstaluj установи установить | package packages dependency dependencies library libraries lib libs module modules crate crates gem plugin | package packages dependency dependencies library libraries install installing pip uv npm pnpm yarn bun poetry pipenv conda mamba pixi cargo crates gems bundler composer brew apt
commit commits commite committe committen commiten | commit | commit commits
| branch branches | branch branches branching
| pr prs pull-request pull-requests merge-request mr | pr prs pull-request pull-requests pullrequests merge-requests
push rebase rebasing force-push pushe pushen | history | push rebase force-push rebasing
| endpoint endpoints route routes handler resource api apis controller | api apis rest endpoint endpoints routes urls url http graphql versioning pagination
| table column index migration migrations schema model foreign-key constraint | migration migrations database databases db tables columns
| query queries sql join | sql orm query queries
| data database databases bucket buckets branch branches recordings records users accounts backups history volume volumes customers | delete deleting deletion deletions destructive
| test tests spec specs unit-test unit-tests testcase coverage | test tests testing mocks mock fixtures tdd unit-tests
| log logs logging logger print prints | log logs logging logger
| error errors exception exceptions error-handling | error errors exception exceptions error-handling
| button color colour css style styles styling font margin padding background theme spacing | css styling tailwind scss sass theming colors colours
| component components screen screens page form modal dialog widget sidebar navbar dropdown | component components ui screens react vue svelte compose swiftui
annotate document | comment comments docstring docstrings documentation docs javadoc jsdoc | comment comments docstring docstrings documentation docs jsdoc
annotate | type types type-hints hints annotations typing | types typing type-hints typings annotations type-checking
| metric metrics dashboard panel alert alerts monitoring | metrics dashboard dashboards monitoring alerts alerting observability
| variable variables constant constants identifier | naming names identifiers
| timestamp timestamps timezone timezones date dates datetime datetimes due-date | utc timezone timezones timestamps dates datetimes datetime
| price prices amount amounts currency money total discount fee fees tax | money currency prices amounts cents decimals
plot plots plotting visualise visualize chart | plot plots figure figures chart charts graph diagram | plots plotting figures charts graphs matplotlib
csv parquet dataframe dataframes excel xlsx | csv parquet dataframe dataframes | pandas polars dataframe dataframes
email emails mail mails e-mail reply letter | email emails mail mails letter message | mail mails email emails letters correspondence
meeting meetings appointment reschedule | meeting meetings appointment call slot | calendar meeting meetings appointments schedule
deploy deploys release ship publish rollout deployen | release deployment | deploy deploys deployment deployments release releases
| secret secrets password passwords api-key api-keys token tokens credential credentials env-var env-vars | secret secrets credentials passwords env-vars dotenv
| request requests call calls timeout retry retries | timeouts timeout retries deadlines http-client http-clients
reformat lint format formatter | indentation formatting linting | formatting formatter format lint linting linter prettier
dockerize containerize | dockerfile image container | docker dockerfile images containers
backup backups restore | backup backups | backup backups
restaurant recipe recipes dinner lunch cook meal snack snacks menu | cake food | food diet vegetarian vegan allergy allergies allergic
flight flights hotel hotels | trip travel | travel flights flight hotels hotel
review reviews | review | review reviews reviewing
proofread | abstract article blog post paper section manuscript chapter essay readme | writing spelling prose latex style-guide
| flag toggle feature-flag feature-flags | feature-flags flags toggles
| translation translations label labels string strings i18n copy | i18n translations localization localisation
| script scripts cli | scripts makefile
| field fields proto protos protobuf | protobuf proto fields
| package packages folder folders directory directories | layout structure folders packages
notebook notebooks | notebook notebooks | notebook notebooks jupyter
| accessibility aria alt | accessibility a11y
"""  # noqa: E501

# A rule that names a language, or what belongs to it, is not about work in another one.
_LANGUAGES = """
python py pip uv poetry conda pipenv pixi requests httpx numpy pandas polars scipy django flask fastapi pytest pydantic sqlalchemy boto3 matplotlib
javascript js typescript ts npm pnpm yarn bun node react vue svelte express lodash axios date-fns dayjs moment zod jest vitest eslint webpack vite tailwind frontend
rust cargo crate crates serde tokio anyhow clap
go golang gofmt
ruby gem gems rails bundler rspec
java maven gradle junit kotlin
php composer laravel symfony
swift cocoapods swiftui
c# dotnet nuget
"""  # noqa: E501

# A noun phrase ends here: what follows is no longer what is made.
_ENDS = """
that which who so because when where if but while before after for from with without into in on at by of as like
please instead then using about under until unless
für mit von aus im auf dass pour avec dans qui que para con del desde per nel voor met van dla na z
"""
_DENIALS = "don't don’t dont not never without nicht nie pas no não non niet не"
_LONGEST_PHRASE = 6
_WORD = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*|[.,;:!?\n()]")


class Deed(NamedTuple):
    """A kind of work: the words that ask for it, what is made or changed, and what a rule about it is called by."""

    asking: frozenset[str]
    made: frozenset[str]
    ruled: frozenset[str]


@cache
def _deeds() -> tuple[Deed, ...]:
    lines = [line.split("|") for line in _DEEDS.strip().splitlines()]
    return tuple(Deed(_terms(asking), _terms(made), frozenset(ruled.split())) for asking, made, ruled in lines)


def _terms(words: str) -> frozenset[str]:
    return frozenset(map(_term, words.split()))


@cache
def _making() -> frozenset[str]:
    return frozenset(_MAKING.split())


def _term(word: str) -> str:
    """Return the term of a word; words joined by hyphens become one."""
    return "-".join((*terms_of(part), part)[0] for part in word.casefold().split("-"))


def asked(prompt: str, akin: Mapping[str, Collection[str]]) -> list[Deed]:
    """Return the deeds that a prompt asks for. `akin` has the like words of a prompt in another language."""
    words = [word.casefold() for word in _WORD.findall(prompt)]
    made = {each for word in _phrases(words) for each in _forms(word, akin)}
    asking = {_term(word) for word in words}
    return [deed for deed in _deeds() if not asking.isdisjoint(deed.asking) or not made.isdisjoint(deed.made)]


def _phrases(words: list[str]) -> list[str]:
    """Return the words of what a prompt says to make or change, and each two that follow one another as one."""
    denials, found = set(_DENIALS.split()), list[str]()
    for at, word in enumerate(words):
        if word in _making() and denials.isdisjoint(words[max(0, at - 2) : at]):
            phrase = _phrase(words[at + 1 :])
            found += phrase + [f"{one}-{two}" for one, two in pairwise(phrase)]
    return found


def _phrase(words: list[str]) -> list[str]:
    ends, phrase = set(_ENDS.split()), list[str]()
    for word in words[:_LONGEST_PHRASE]:
        if word in ends or not word[0].isalnum():
            break
        if word not in STOP_WORDS:
            phrase.append(word)
    return phrase


def _forms(word: str, akin: Mapping[str, Collection[str]]) -> Collection[str]:
    term = _term(word)
    return {term, *akin.get(term, ())}


@cache
def _languages() -> tuple[frozenset[str], ...]:
    return tuple(frozenset(line.split()) for line in _LANGUAGES.strip().splitlines())


def languages(words: Collection[str]) -> set[int]:
    """Return the programming languages, by number, that some words in lower case belong to."""
    return {number for number, language in enumerate(_languages()) if not language.isdisjoint(words)}


def rules(deed: Deed, title: str, tags: Collection[str]) -> tuple[bool, bool]:
    """Tell whether a rule's title, and whether one of its tags, names what a deed is done to."""
    return (not deed.ruled.isdisjoint(_called(title)), any(not deed.ruled.isdisjoint(_called(tag)) for tag in tags))


def _called(name: str) -> set[str]:
    words = [word for word in re.split(r"[\s_-]+", name.casefold()) if word]
    return {*words, *(f"{one}-{two}" for one, two in pairwise(words))}


def words_of_rules(deeds: Collection[Deed]) -> str:
    """Return the words by which rules about some deeds are searched for."""
    return " ".join(sorted({word.replace("-", " ") for deed in deeds for word in deed.ruled}))
