"""The words of the rules in German."""

from . import Language
from .names import name

_NAME = name("Wir Ich Es Das Die Der Sie Er Was Wer Ein Eine Hier Bei Im Dies")
_ROLES = r"""(?:\w*(?:manager|leiter|chef|verantwortliche|entwickler|designer|architekt|administrator|admin|tester
|berater
|kolleg|partner|kund)(?:in|e|en|r)?|product owner|po|cto|ceo|scrum master|tech lead|lead|ansprechpartner(?:in)?
|chef(?:in)?)"""
_THINGS = r"""(?:tests|commits?|commit-nachrichten|branches|migrationen|endpunkte|releases|deployments|funktionen
|klassen
|kommentare|pull requests|merge requests|änderungen|zeitstempel|beträge|abhängigkeiten|fehlermeldungen|logs
|variablen|daten)"""
_TASK_VERBS = r"""(?:schreib|füge?|mach mir|zeig|erklär|prüf|ändere?|lösch
|benenn|erstell|korrigier|repariere?|such|nimm|lass|hilf|öffne)"""

GERMAN = Language(
    words=(
        "immer",
        "nie",
        "wir ",
        "ich ",
        "unser",
        "bei uns",
        "grundsätzlich",
        "müssen",
        "dürfen",
        "ist ",
        "ursache",
        "lag ",
        "problem",
        "entschieden",
        "beschlossen",
        "verantwortlich",
        "zuständig",
        "leitet",
        "mein",
        "kam ",
    ),
    lead=r"""(?:\s*(?:(?:ok(?:ay)?|ja|nein(?=\s*[,.:])|danke|super|gut|bitte|übrigens|ach ja|und|aber|also|noch was
|hinweis|wichtig
|zur info|merk dir(?:,? dass|:)?|merke dir(?:,? dass|:)?|denk dran|vergiss nicht
|zur erinnerung)(?:\s*[,.:;!–—-]+\s*(?:dass )?|\s+))*)?""",
    joint=r"[,;:–—]\s+(?:(?:und|aber|weil|denn|da)\s+)*",
    task=rf"""(?:{_TASK_VERBS}\w*|warum|wieso|wer|was|wie|wo|wann|woran|welche\w*|soll\w*|sollen|kannst|könntest
|können|könnte|ist|sind
|hat|haben|habt|gibt|darf|müssen wir|muss ich|wenn|falls|stell dir vor|lass uns|ich brauche|ich hätte
|ich will, dass du)\b""",
    passing=r"""\b(?:erst ?mal|vorerst|vorläufig|momentan|gerade|heute|morgen|diesmal|nur diesmal|im moment
|vielleicht|wahrscheinlich
|vermutlich|ich glaube|ich denke|könnte|noch nicht|hätte lieber|in dieser (?:datei|funktion|klasse)
|in diesem (?:test|fall|pr)
|wenn ich|sobald ich|kannst du|könntest du)\b""",
    then=r",\s*(?:bitte )?(?:fixe?|änder|korrigier|schau|prüf|mach|nimm|such)\w*\b",
    rules={
        "order": r"""(?:(?:bitte )?(?:immer|nie|niemals|stets) (?!(?:noch|wieder|mehr|wenn|mal|gesehen|ein|der|die
|das)\b)[\w./-]+.*
|(?:bitte )?(?:mach|antworte?|sprich|verwende?|benutze?|nutze?|nimm|schreibe?|pushe?|committe?|merge?|frage?|füge?
|lösche?|ändere?
|starte?|führe?|rühre?|fasse?) (?:\w+ ){0,4}?(?:immer|nie|niemals|grundsätzlich)\b.*)""",
        "habit": r"""(?:(?:wir|im team|alle hier|mein team|unser team) (?:\w+ ){0,1}?(?:verwend|benutz|nutz|schreib
|mach|setz|nehm|arbeit|deploy|merg|squash|commit|teste|log|speicher|halten|folg|push
|release)\w* .*(?:\bimmer\b|\bnie\b|\bniemals\b|\bgrundsätzlich\b|\bnur\b|\bkeine?n?\b|\bhier\b|\büberall\b|\bstatt
\b|\bnicht\b|\bin allen\b|\bausschließlich\b|\bauf englisch\b|\bauf deutsch\b)
.*|[\w-]+(?: [\w-]+){0,3}? (?:verwend|benutz|nutz|schreib|mach|setz|committ|deploy|speicher|test)\w* wir (?:immer|nie
|niemals|grundsätzlich|nur|stets|hier|überall)\b.*)""",
        "convention": r"""(?:(?:unsere?|die|meine) (?:\w+ )?(?:konvention|regel|richtlinie
|vorgabe)\w* (?:\w+ ){0,3}?(?:ist|lautet|sind)\b.*
|bei uns (?!(?:ist|sind) )\w+ .*|in diesem (?:repo|repository|projekt) (?:\w+ ){0,6}?(?:immer|nie|nur|wir|keine?
|grundsätzlich|müssen|ohne)\b.*|in der regel \w+ wir .*|generell gilt.*|grundsätzlich .*)""",
        "things": rf"""(?:(?:alle |jede[rs]? |neue |unsere )*{_THINGS} (?:müssen|muss|dürfen|darf|werden|brauchen
|braucht|sollen|gehören|beginnen)(?: \w+)* ?(?:immer|nie|niemals|nicht|nur|keine?n?|mindestens|zwei|rückgängig
|grundsätzlich|enthalten|beginnen|mit)\b.*)""",
        "taste": r"""(?:ich (?:bevorzuge|mag (?:keine?n?|lieber|am liebsten)|hasse|ziehe|möchte (?:immer|nie|keine)
|will (?:immer|nie|keine)|arbeite (?:immer|nie|am liebsten|meistens)|nutze immer|verwende immer)
 (?!(?:die|das|den|diese|dieses|diesen) (?:erste|zweite|dritte|letzte|andere|alte|neue|variante|lösung|option
|version)).*)""",
        "decided": r"""(?:(?:.{0,30}?\b)?(?:wir|haben wir|ich|das team|die leitung|wir haben uns
|haben wir uns)\b(?!.*\bnoch nicht\b).*\b(?:für|gegen) .+ entschieden\b.*
|(?:.{0,30}?\b)?(?:wir haben|haben wir|ich habe|das team hat|die leitung hat|es wurde) .{0,40}?\b(?:beschlossen
|vereinbart|entschieden|festgelegt|abgemacht|geeinigt)\b,? ?(?=\S).{6,}|entscheidung: .+|(?:die
|unsere) entscheidung (?:ist|war).*
|wir bleiben bei (?!der|dem|dir).*)""",
        "changed": r"""(?:wir (?:sind|haben) (?:\w+ ){0,2}?von .+ (?:auf|zu|nach) .*(?:umgestiegen|gewechselt
|umgestellt|migriert|gezogen)\b.*
|wir (?:steigen|wechseln|stellen|migrieren|ziehen) (?:\w+ ){0,2}?von .+ (?:auf|zu|nach) .*|wir (?:haben
|ersetzen) .+ (?:durch) .*(?:ersetzt)?.*|wir unterstützen .+ nicht mehr.*)""",
        "role": rf"""(?:{_NAME} ist(?: jetzt| auch)? (?:unsere?|der|die|mein\w*
|bei uns) (?:[\w-]+ ){{0,3}}?{_ROLES}\b.*
|{_NAME} ist (?:für .+ (?:zuständig|verantwortlich)|verantwortlich für|zuständig für)\b.*
|(?:unsere?|mein\w*|der|die) (?:[\w-]+ ){{0,2}}?{_ROLES}(?: (?:bei|für|im|in) [\w ]+?)? (?:ist|heißt) (?-i:(?:Herr
|Frau|Dr\.) )?{_NAME}.*
|ich (?:bin|arbeite) (?:als |bei |der |die |ein |eine )(?:\w+ )*?(?:{_ROLES}|\w+).*|ich heiße .*|mein name ist .*)""",
        "charge": rf"""(?:(?-i:Herr |Frau )?{_NAME} (?:leitet|betreut|verantwortet|kümmert sich um|pflegt|wartet
|entscheidet über|genehmigt|prüft alle|kennt sich)\b (?!auf ).+)""",
        "cause": r"""(?:(?:die|der) (?:eigentliche )?(?:ursache|grund|fehler|auslöser|schuldige)\b.*\bwar(?:en)?\b.+
|das problem (?:war|lag|kam)\b.*
|es lag (?:an|am|daran)\b.+|(?:der|die|das) .+ (?:kam daher|lag (?:an|am|daran)|wurde durch .+ (?:verursacht
|ausgelöst)|kam von|kam vom)\b.*
|(?:es )?stellte sich heraus,? dass.*|(?:gelöst|gefunden|behoben): .*)""",
    },
)
