"""The words of the rules in Dutch."""

from . import Language
from .names import name

_NAME = name("Wij We Ik De Het Een Dit Dat Deze Wie Onze Mijn In Bij")
_ROLES = r"""(?:\w*(?:manager|leider|ontwikkelaar|ontwerper|architect|beheerder|tester|collega|verantwoordelijke
|eigenaar|baas|directeur|klant)|product owner|po|cto|ceo|lead|aanspreekpunt|contactpersoon)"""

DUTCH = Language(
    words=(
        "altijd",
        "nooit",
        "we ",
        "wij ",
        "ik ",
        "onze",
        "ons ",
        "besloten",
        "gekozen",
        "oorzaak",
        "probleem",
        "is ",
        "verantwoordelijk",
        "moeten",
        "mijn",
        "kwam",
        "lag ",
    ),
    lead=r"""(?:\s*(?:(?:ok(?:é|e|ay)?|ja|nee(?=\s*[,.:])|bedankt|prima|goed|trouwens|en|maar|ook|let op|belangrijk
|onthoud(?: dat)?|vergeet niet dat|ter info|alsjeblieft)(?:\s*[,.:;!–—-]+\s*|\s+))*)?""",
    joint=r"[,;:–—]\s+(?:(?:en|maar|want|omdat)\s+)*",
    task=r"""(?:voeg|schrijf me|maak|hernoem|toon|leg|controleer|verander|verwijder|zoek|open|vertaal|help|kijk
|waarom|wie|wat|hoe|waar|wanneer|welke?|kun|kan|zou|zullen|moeten we|moet ik|als|stel|laten we|ik wil dat
|ik heb nodig|is|zijn|heeft)\b""",
    passing=r"""\b(?:voorlopig|voor nu|op dit moment|momenteel|vandaag|morgen|deze keer|misschien|waarschijnlijk
|ik denk|ik geloof|zouden kunnen|nog niet|eerste optie|tweede|optie|in dit (?:bestand|geval)|in deze (?:functie|test
|klasse)|kun je)\b""",
    then=r",\s*(?:fix|verander|kijk|voeg|controleer)\b",
    rules={
        "order": r"""(?:(?:altijd|nooit) (?!(?:gezien|de|het|een)\b)\w+.*|(?:gebruik|push|schrijf|commit|merge|vraag
|verwijder|doe|zet|antwoord|houd|verander) (?:\w+ ){0,4}?(?:altijd|nooit|overal)\b.*)""",
        "habit": r"""(?:(?:we|wij|ons team|het team|iedereen hier) (?:gebruik|schrijf|doe|test|commit|deploy|merge
|push|werk|log|volg|zet|noem|houd)\w* .*(?:\baltijd\b|\bnooit\b|\balleen\b|\bgeen\b|\bhier\b|\boveral\b|\bniet\b|\bi
n plaats van\b|\bin het engels\b).*)""",
        "convention": r"""(?:(?:onze|de|mijn) (?:\w+ )?(?:conventie|regel|afspraak|richtlijn) (?:\w+ ){0,3}?is\b.*
|in (?:deze|dit) (?:repo|repository|project) .*\b(?:altijd|nooit|alleen|we|moeten|geen)\b.*|bij ons .*
|in de regel .*)""",
        "things": r"""(?:(?:alle|elke|ieder[e]?|onze|nieuwe)? ?(?:tests|commits?|commitberichten|branches|migraties
|endpoints?|pr's|functies|datums|bedragen|releases) (?:moeten|moet|mogen|mag) (?:\w+ )*?(?:nooit|altijd|niet|alleen
|geen|minstens|twee|worden)\b.*)""",
        "taste": r"""(?:ik (?:geef de voorkeur aan|verkies|heb liever|haat|hou niet van|houd niet van|wil altijd
|wil nooit|wil geen) (?!(?:de|het|deze|dit|die|dat)\b).*)""",
        "decided": r"""(?:(?:.{0,30}?\b)?(?:we hebben|hebben we|ik heb|het team heeft|er is) .{0,30}?\b(?:besloten
|afgesproken|gekozen|beslist)\b .{4,}|(?:we hebben|ik heb) (?:voor|tegen) .+ gekozen.*|besluit: .+|we (?:blijven bij
|gaan voor) (?!(?:de|het|deze|optie)\b).*)""",
        "changed": r"""(?:we (?:zijn|gaan|stappen|migreren) (?:\w+ )?van .+ (?:naar|op) .*|we (?:hebben
|vervangen) (?!(?:de|het)\b).+ (?:vervangen door|door) .*|we (?:gebruiken|ondersteunen) .+ niet meer.*)""",
        "role": rf"""(?:{_NAME} is (?:nu |ook )?(?:onze|de|mijn|ons) (?:[\w-]+ ){{0,3}}?{_ROLES}.*
|{_NAME} is verantwoordelijk voor .*|(?:onze|mijn|de) (?:[\w-]+ ){{0,2}}?{_ROLES}(?: (?:bij|voor|van
|in) [\w ]+?)? (?:is|heet) {_NAME}.*|ik ben (?:de|een) (?:[\w-]+ ){{0,2}}?{_ROLES}.*|ik heet .*|mijn naam is .*
|ik werk (?:bij|als|voor) .*)""",
        "charge": rf"""(?:{_NAME} (?:leidt|beheert|onderhoudt|zorgt voor|gaat over|keurt alle)\b.+)""",
        "cause": r"""(?:(?:de|het) (?:echte |werkelijke )?(?:oorzaak|probleem|boosdoener|reden|fout|bug)\b.*\b(?:was
|waren|kwam|lag)\b.+|(?:het|dat) (?:lag aan|kwam door|kwam doordat) .+|(?:de|het) .+ (?:kwam door|kwam doordat
|werd veroorzaakt door|lag aan) .+|het bleek dat .*|(?:opgelost|gevonden): .*)""",
    },
)
