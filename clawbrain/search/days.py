"""The days that a question names: "yesterday", "last week", "in May 2026", "2026-05-08"."""

import re
from calendar import monthrange
from datetime import date, timedelta

_WEEKDAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_MONTH = r"(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"  # fmt: skip  # noqa: E501
_YEAR = r"((?:19|20)\d\d)"
_NUMBERS = ["an", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
_SAID: dict[tuple[str, int], str] = {  # a unit and how many of it lie between, with the words for that, by "/"
    ("day", 0): "today/heute/aujourd'hui/hoy/hoje/oggi/vandaag/dzisiaj/сегодня/今天/今日",
    ("day", 1): "yesterday/gestern/ayer/ontem/ieri/gisteren/wczoraj/вчера/昨天/昨日",
    ("day", 2): "day before yesterday/vorgestern/avant-hier/anteayer/anteontem/l'altro ieri/altroieri/eergisteren/"
    "przedwczoraj/позавчера/前天/一昨日",
    (
        "week",
        0,
    ): "this week/diese woche/dieser woche/cette semaine/esta semana/questa settimana/deze week/"
    "w tym tygodniu/этой неделе/本周/这周/今週",
    ("week", 1): "last week/letzte woche/letzter woche/vorige woche/voriger woche/semaine dernière/semaine passée/"
    "semana pasada/semana passada/settimana scorsa/scorsa settimana/vorige week/afgelopen week/zeszłym tygodniu/"
    "zeszły tydzień/прошлой неделе/上周/上个星期/先週",
    ("month", 0): "this month",
    ("month", 1): "last month/letzten monat/letzter monat/vorigen monat/mois dernier/mois passé/mes pasado/mês passado/"
    "mese scorso/scorso mese/vorige maand/afgelopen maand/zeszłym miesiącu/прошлом месяце/上个月/先月",
    ("year", 0): "this year",
    ("year", 1): "last year/letztes jahr/letzten jahr/voriges jahr/année dernière/an dernier/año pasado/ano passado/"
    "anno scorso/scorso anno/vorig jaar/afgelopen jaar/zeszłym roku/прошлом году/去年",
}
_MEANT = {said: meant for meant, words in _SAID.items() for said in words.split("/")}
_LETTER = "a-zà-žа-я"
_RELATIVE = re.compile(
    rf"(?<![{_LETTER}])({'|'.join(sorted(_MEANT, key=len, reverse=True))})(?![{_LETTER}])"
    rf"|\b(?:(\d{{1,3}}|a|{'|'.join(_NUMBERS)}) (day|week|month|year)s? ago"
    rf"|(?:past|last) (\d{{1,3}}) (day|week|month|year)s|(?:on|last|since) ({'|'.join(_WEEKDAYS)}))\b"
)
_SINCE = re.compile(r"\bsince\b(?! when)")
_NUMBERED = re.compile(rf"(?<![\w-]){_YEAR}-(\d\d)(?:-(\d\d))?(?:(?![\w-])|(?=t\d))")
_DAY_FIRST = re.compile(rf"\b(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? {_MONTH}\b\.?,?(?: {_YEAR}\b)?")
_MONTH_FIRST = re.compile(rf"\b{_MONTH}\b\.? (\d{{1,2}})(?:st|nd|rd|th)?\b(?!:),?(?: {_YEAR}\b)?")
_YEAR_ALONE = re.compile(rf"\b(?:in|since|during|of|year) {_YEAR}\b")
_MONTH_ALONE = re.compile(rf"\b(?:in|since|during|of|early|late) {_MONTH}\b(?:,? {_YEAR}\b)?|\b{_MONTH} {_YEAR}\b")
_LENGTHS = {"day": 1, "week": 7, "month": 30, "year": 365}

Days = tuple[date, date]


def days_named(text: str, today: date) -> Days | None:
    """Return the first and the last of the days that a text names, as seen from today; None if it names none.

    Dates are read as they are written in English, "yesterday" and "last week" in eleven languages. A date without a
    year is the last one of that name that has begun; what happened since a day ends today.
    """
    text = " ".join(text.lower().split())
    try:
        days = _dates(text, today)
    except (ValueError, OverflowError):  # no such day
        return None
    if days and days[0] <= today and _SINCE.search(text):
        return days[0], today
    return days


def _dates(text: str, today: date) -> Days | None:
    if found := _NUMBERED.search(text):
        return _dated(int(found[1]), int(found[2]), int(found[3] or 0))
    if found := _DAY_FIRST.search(text):
        return _of_month(found[2], int(found[1]), found[3], today)
    if found := _MONTH_FIRST.search(text):
        return _of_month(found[1], int(found[2]), found[3], today)
    if found := _MONTH_ALONE.search(text):
        return _of_month(found[1] or found[3], 0, found[2] or found[4], today)
    if found := _YEAR_ALONE.search(text):
        return date(int(found[1]), 1, 1), date(int(found[1]), 12, 31)
    if found := _RELATIVE.search(text):
        return _relative(found, today)
    return None


def _dated(year: int, month: int, day: int) -> Days:
    return date(year, month, day or 1), date(year, month, day or monthrange(year, month)[1])


def _of_month(name: str, day: int, year: str | None, today: date) -> Days:
    month = _MONTHS.index(name[:3]) + 1
    if year:
        return _dated(int(year), month, day)
    days = _dated(today.year, month, day)
    return days if days[0] <= today else _dated(today.year - 1, month, day)


def _relative(found: re.Match[str], today: date) -> Days:
    said, ago, ago_unit, past, past_unit, weekday = found.groups()
    if said:
        return _span(*_MEANT[said], today)
    if weekday:
        at = today - timedelta((today.weekday() - _WEEKDAYS.index(weekday) - 1) % 7 + 1)
        return at, at
    if ago:
        number = int(ago) if ago.isdigit() else max(1, _NUMBERS.index(ago) if ago in _NUMBERS else 1)
        at, around = today - timedelta(number * _LENGTHS[ago_unit]), timedelta(_LENGTHS[ago_unit] // 3)
        return at - around, at + around
    return today - timedelta(int(past) * _LENGTHS[past_unit]), today


def _span(unit: str, back: int, today: date) -> Days:
    """Return the days of this day, week, month or year, or of the one so many before it."""
    if unit == "day":
        at = today - timedelta(back)
        return at, at
    if unit == "week":
        monday = today - timedelta(today.weekday() + 7 * back)
        return monday, monday + timedelta(6)
    if unit == "month":
        month = today.replace(day=1) - timedelta(1) if back else today
        return _dated(month.year, month.month, 0)
    return date(today.year - back, 1, 1), date(today.year - back, 12, 31)
