"""The words of the rules in French."""

from . import Language
from .names import name

_NAME = name("Nous Je On Il Elle Ce Cette Le La Les Un Une Qui Notre Mon Chez Dans")
_ROLES = r"""(?:chef(?:fe)? (?:de|d')\s?\w+|responsable|directeur|directrice|manager|développeu(?:r|se)|architecte
|designer|ingénieure?
|collègue|administrat(?:eur|rice)|lead|product owner|cto|ceo|contact|testeu(?:r|se)|propriétaire|référente?
|client(?:e)?|patron(?:ne)?)"""

FRENCH = Language(
    words=(
        "toujours",
        "jamais",
        "nous ",
        "on ",
        "je ",
        "j'",
        "notre",
        "chez nous",
        "décidé",
        "choisi",
        "cause",
        "problème",
        "venait",
        "est ",
        "doivent",
        "s'occupe",
        "dirige",
        "mon ",
        "ma ",
        "gère",
    ),
    lead=r"""(?:\s*(?:(?:ok|oui|non(?=\s*[,.:])|merci|super|bien|parfait|au fait|et|mais|donc|aussi|d'ailleurs|note
|important|pour info
|souviens-toi que|rappelle-toi que|retiens que|n'oublie pas que)(?:\s*[,.:;!–—-]+\s*|\s+))*)?""",
    joint=r"[,;:–—]\s+(?:(?:et|mais|car|parce que)\s+)*",
    task=r"""(?:ajoute|écris|crée|corrige|renomme|montre|explique|vérifie|change|supprime|trouve|fais|lance|ouvre
|traduis|aide|regarde
|pourquoi|qui|que|quoi|quel\w*|comment|où|quand|est-ce|peux-tu|pouvez-vous|pourrais-tu|faut-il|devrait-on|si|imagine
|suppose|disons|j'ai besoin|je veux que tu)\b""",
    passing=r"""\b(?:pour l'instant|pour le moment|en ce moment|actuellement|aujourd'hui|demain|cette fois|peut-être
|probablement
|sans doute|je pense|je crois|je suppose|on pourrait|pas encore|option|deuxième|première|dans ce (?:fichier|test
|cas)|dans cette (?:fonction|classe)|peux-tu|quand je)\b|après l'enregistrement""",
    then=r",\s*(?:corrige|change|regarde|ajoute|continue|répare|vérifie)\b",
    rules={
        "order": r"""(?:(?:s'il te plaît,? )?(?:ne |n')(?:jamais|\w+ (?:jamais)) \w+.*|(?:toujours
|jamais) (?:de |d')?(?!(?:vu|le|la|les)\b)\w+.*
|(?:utilise|écris|réponds|mets|fais|lance|demande|garde|préfère)[\w-]* .*\b(?:toujours|jamais|partout
|dans tous nos projets)\b.*|(?:ne|n')\s?\w+ jamais .*)""",
        "habit": r"""(?:(?:on|nous|l'équipe|tout le monde ici|notre équipe) (?:n'|ne )?(?:utilis|écri|fai|dépl|test
|commit|pouss|merg|nomm|stock|suiv|gard|préfèr|emploi|log)\w* .*(?:\btoujours\b|\bjamais\b|\bpartout\b|\bseulement
\b|\buniquement\b|\bici\b|\bplus de\b|\bpas\b|\bplutôt que\b|\ben anglais\b).*)""",
        "convention": r"""(?:(?:notre|la|nos) (?:\w+ )?(?:convention|règle|politique|norme)s? (?:\w+ ){0,3}?(?:est
|sont|dit)\b.*|chez nous,? .*
|dans ce (?:dépôt|repo|projet),? (?:.*\b(?:toujours|jamais|on|nous|sont|doivent|uniquement)\b).*
|en règle générale,? (?:on|nous) .*)""",
        "things": r"""(?:(?:tou(?:s|tes) les|chaque|nos|les) (?:tests|commits?|messages de commit|branches
|migrations?|endpoints?|pr|pull requests?|fonctions?|dates|montants|dépendances|logs)(?: \w+){0,3}? (?:doi(?:t|vent)
|ne doi(?:t|vent)|sont toujours|est toujours|ne sont jamais)\b.*)""",
        "taste": r"""(?:je (?:préfère|n'aime pas|déteste|veux toujours|ne veux jamais|ne veux pas de
|travaille toujours) (?!(?:la|le|cette|ce|cet|l'|ta|ton|ça)\b ?(?:première|deuxième|seconde|version|option|solution
|dernier|autre|ancien)?\b.{0,30}\Z)(?!que tu\b).*)""",
        "decided": r"""(?:(?:.{0,30}?\b)?(?:nous avons|on a|j'ai|l'équipe a|il a été
|la direction a) (?:finalement |tous )?(?:décidé|convenu|choisi|opté|tranché|retenu)\b (?!(?:la première|ça
|de faire une pause)\b).{4,}|décision : ?.+|la décision est .*)""",
        "changed": r"""(?:(?:nous sommes|on est) passés? de .+ à .*|(?:nous passons|on passe|on migre
|nous migrons) (?:de .+ à|à|vers) .*|(?:on a|nous avons) remplacé (?!(?:le|la|les|ce)\b).+ par .*|(?:on
|nous) n(?:e |')\w+ plus .*)""",
        "role": rf"""(?:{_NAME} est (?:notre|la|le|mon|ma|l')\s?(?:[\w-]+ ){{0,2}}?{_ROLES}.*
|{_NAME} est (?:responsable|chargée?|en charge) (?:de|du|des|d').*
|(?:notre|mon|ma|la|le) {_ROLES}(?: [\w' ]+?)? (?:est|s'appelle|c'est) {_NAME}.*|je suis (?:le|la|un|une
|l')?\s?(?:[\w-]+ ){{0,2}}?{_ROLES}.*|je m'appelle .*|je travaille (?:chez|pour|comme|à) .*)""",
        "charge": rf"""(?:{_NAME} (?:dirige|gère|s'occupe (?:de|du|des)|maintient|valide tou|approuve|pilote
|supervise)\b.+)""",
        "cause": r"""(?:(?:la|le) (?:vraie |véritable )?(?:cause|problème|coupable|raison|bug|souci)\b.*\b(?:était
|venait|provenait)\b.+|(?:c'|ça |cela )(?:était dû|venait)\b.+|.+ (?:était dûe?|étaient dus|a été causée?) (?:à|au
|par)\b.+|il s'est avéré que .*|(?:trouvé|résolu|corrigé) : ?.*)""",
    },
)
