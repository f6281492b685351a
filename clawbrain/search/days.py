"""The days that a question names: "yesterday", "last week", "in May 2026", "2026-05-08"."""

import re
from calendar import monthrange
from datetime import date, timedelta

_WEEKDAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_MONTH = r"(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"  # fmt: skip  # noqa: E501
_YEAR = r"((?:19|20)\d\d)"
_RELATIVE = re.compile(
    r"\b(?:(today|yesterday)|(\d{1,3}) (day|week|month|year)s? ago|(this|last) (week|month|year)"
    rf"|(?:past|last) (\d{{1,3}}) (day|week|month|year)s|(?:on|last|since) ({'|'.join(_WEEKDAYS)}))\b"
)
_NUMBERED = re.compile(rf"(?<![\w-]){_YEAR}-(\d\d)(?:-(\d\d))?(?![\w-])")
_DAY_FIRST = re.compile(rf"\b(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? {_MONTH}\b\.?,?(?: {_YEAR}\b)?")
_MONTH_FIRST = re.compile(rf"\b{_MONTH}\b\.? (\d{{1,2}})(?:st|nd|rd|th)?\b(?!:),?(?: {_YEAR}\b)?")
_MONTH_ALONE = re.compile(rf"\b(?:in|since|during|of|early|late) {_MONTH}\b(?:,? {_YEAR}\b)?|\b{_MONTH} {_YEAR}\b")
_LENGTHS = {"day": 1, "week": 7, "month": 30, "year": 365}

Days = tuple[date, date]


def days_named(text: str, today: date) -> Days | None:
    """Return the first and the last of the days that a text names, as seen from today; None if it names none.

    A date without a year is the last one of that name that has begun.
    """
    text = text.lower()
    try:
        if found := _NUMBERED.search(text):
            return _dated(int(found[1]), int(found[2]), int(found[3] or 0))
        if found := _DAY_FIRST.search(text):
            return _of_month(found[2], int(found[1]), found[3], today)
        if found := _MONTH_FIRST.search(text):
            return _of_month(found[1], int(found[2]), found[3], today)
        if found := _MONTH_ALONE.search(text):
            return _of_month(found[1] or found[3], 0, found[2] or found[4], today)
        if found := _RELATIVE.search(text):
            return _relative(found, today)
    except (ValueError, OverflowError):  # no such day
        return None
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
    day, ago, ago_unit, which, unit, past, past_unit, weekday = found.groups()
    if day:
        at = today - timedelta(day == "yesterday")
        return at, at
    if weekday:
        at = today - timedelta((today.weekday() - _WEEKDAYS.index(weekday) - 1) % 7 + 1)
        return at, at
    if ago:
        at, around = today - timedelta(int(ago) * _LENGTHS[ago_unit]), timedelta(_LENGTHS[ago_unit] // 3)
        return at - around, at + around
    if past:
        return today - timedelta(int(past) * _LENGTHS[past_unit]), today
    return _this_or_last(unit, today, last=which == "last")


def _this_or_last(unit: str, today: date, *, last: bool) -> Days:
    if unit == "week":
        monday = today - timedelta(today.weekday() + 7 * last)
        return monday, monday + timedelta(6)
    if unit == "month":
        month = today.replace(day=1) - timedelta(1) if last else today
        return _dated(month.year, month.month, 0)
    return date(today.year - last, 1, 1), date(today.year - last, 12, 31)
