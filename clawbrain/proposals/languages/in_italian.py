"""The words of the rules in Italian."""

from . import Language
from .names import name

_NAME = name("Noi Io Il La Lo I Le Gli Un Una Questo Questa Chi Nostro Mio Nel In")
_ROLES = r"""(?:cap[oa](?: \w+)?|responsabile|direttore|direttrice|manager|sviluppat(?:ore|rice)|architett[oa]
|designer|ingegnere|collega
|amministrat(?:ore|rice)|product owner|lead|cto|ceo|contatto|referente|cliente|titolare)"""

ITALIAN = Language(
    words=(
        "sempre",
        "mai",
        "preferisco",
        "nostr",
        "abbiamo",
        "deciso",
        "causa",
        "problema",
        "responsabile",
        "è ",
        "occupa",
        "devono",
        "usiamo",
        "scelto",
        "sono ",
        "odio",
        "piac",
        "colpa",
    ),
    lead=r"""(?:\s*(?:(?:ok|sì|no(?=\s*[,.:])|grazie|perfetto|bene|a proposito|comunque|e|ma|inoltre|nota|importante
|ricorda(?:ti)? che|tieni presente che
|non dimenticare che|per favore)(?:\s*[,.:;!–—-]+\s*|\s+))*)?""",
    joint=r"[,;:–—]\s+(?:(?:e|ma|perché|poiché)\s+)*",
    task=r"""(?:aggiungi|scrivi|crea|correggi|rinomina|mostra(?:mi)?|spiega(?:mi)?|controlla|cambia|elimina|cancella
|trova|fai|apri|traduci|aiuta\w*|guarda
|perché|chi|che|cosa|quale|quali|come|dove|quando|puoi|potresti|dovremmo|se|immagina|supponi|andiamo|ho bisogno
|voglio che)\b""",
    passing=r"""\b(?:per ora|per il momento|al momento|adesso|oggi|domani|questa volta|forse|probabilmente|credo che
|penso che|potremmo
|non ancora|prima opzione|seconda|opzione|in questo (?:file|test|caso)|in questa (?:funzione|classe)|puoi)\b""",
    then=r",\s*(?:correggi|cambia|guarda|aggiungi|sistema|controlla)\w*\b",
    rules={
        "order": r"""(?:non \w+(?:re|r) mai\b.*|(?:sempre|mai) (?!(?:visto|il|la|lo|lo stesso|più)\b)\w+.*|(?:usa
|scrivi|rispondi|metti|chiedi|fai) (?:sempre|.*\b(?:sempre|ovunque|in tutti i nostri)\b).*)""",
        "habit": r"""(?:(?:noi )?(?:non )?(?:usiamo|scriviamo|facciamo|lavoriamo|salviamo|testiamo
|mettiamo)\b(?=.*(?:\bsempre\b|\bmai\b|\bsolo\b|\bqui\b|, non |\binvece di\b|\bovunque\b|\bin tutti\b)).*
|(?:noi )?non (?:usiamo|facciamo|scriviamo) .*)""",
        "convention": r"""(?:(?:la nostra|la|le nostre) (?:\w+ )?(?:convenzione|regola|politica
|norma) (?:\w+ ){0,3}?è\b.*|in questo (?:repository|repo|progetto),? .*\b(?:sempre|mai|solo|usiamo|devono|sono)\b.*
|di regola,? .*|nel nostro (?:team|progetto|codice),? .*|da noi,? .*)""",
        "things": r"""(?:(?:tutt[ie] (?:i|le|gli)|ogni|i nostri|le nostre|i|le) (?:test|commit|messaggi di commit
|branch|migrazion[ei]|endpoint|pr|funzion[ei]|date|importi|dipendenze)(?: \w+){0,3}? (?:devono|deve|non devono
|sono sempre|vanno)\b(?! passare).*)""",
        "taste": r"""(?:(?:io )?(?:preferisco|non mi piac(?:e|ciono)|odio|mi piacciono|voglio sempre
|non voglio mai) (?!(?:la|il|questa|questo|quest|che|l'|lo|quella|quello)\b).*)""",
        "decided": r"""(?:(?:.{0,30}?\b)?(?:abbiamo|ho|il team ha|è stato) (?:deciso|concordato|scelto|optato
|stabilito)\b (?!(?:la prima|di fare una pausa)\b).{4,}|decisione: .+)""",
        "changed": r"""(?:(?:siamo passati|stiamo passando|stiamo migrando|abbiamo migrato|passiamo) da .+ a .*
|abbiamo sostituito (?!(?:il|la)\b).+ con .*|non (?:usiamo|supportiamo) più .*)""",
        "role": rf"""(?:{_NAME} è (?:il nostro|la nostra|il|la|l'|mio|mia|il mio
|la mia) ?(?:[\w-]+ ){{0,2}}?{_ROLES}.*|{_NAME} è (?:responsabile|incaricat[oa]) (?:di|del|dei|della).*
|(?:il nostro|la nostra|il mio|la mia|il|la) {_ROLES}(?: [\w' ]+?)? (?:è|si chiama) {_NAME}.*|(?:io )?sono (?:il|la
|un|una)? ?(?:[\w-]+ ){{0,2}}?{_ROLES}.*|mi chiamo .*|lavoro (?:in|per|come|da) .*)""",
        "charge": rf"""(?:{_NAME} (?:dirige|gestisce|mantiene|si occupa d\w+|approva|guida|coordina)\b.+)""",
        "cause": r"""(?:(?:la|il|l') ?(?:vera |vero )?(?:causa|problema|colpevole|motivo|errore|bug
|ragione)\b.*\b(?:era|è stat[oa]|veniva|stava)\b.+|.+ (?:era dovut[oa]|è stat[oa] causat[oa]) .+|(?:si è scoperto
|è risultato) che .*|(?:risolto|trovato): .*)""",
    },
)
