"""The words that say nothing of what a text is about, in the languages for which there are families of like words.

A word of a language's list that means something in English as well ("die", "car", "son") stands after the bar: it is
left out only of a question that another word shows to be in that language.
"""

from collections.abc import Iterable

from ..words import STOP_WORDS as ENGLISH

_LISTS = {
    "German": """
        aber als auch auf aus bei beim bis bist damit dann das dass dein dem den denn der dich diese diesem
        diesen dieser dieses doch dort du durch ein eine einem einen einer eines euch euer für gab gegen gibt
        habe haben hatte hatten hier ich ihm ihn ihnen ihr ihre im ins ist jede jeder jedes kann kein keine
        können mein mich mir mit muss müssen nach nicht noch nur ob oder ohne sein seine seit sich sie sind
        sollen sollte über und uns unser unsere unter vom von vor wann waren warum weil welche welchem welchen
        welcher welches wem wen wenn wer werden wie wieso wird wir wird wo woher wohin worden wurde wurden zu
        zum zur zwischen
        | am an bald bin da des die dies dir er es hat in ja man so um war was will""",
    "French": """
        au avec ce ceci cela ces cet cette chez combien dans de dont du elle elles en et était étaient été être
        ils je la le les leur leurs lors lui ma mais mes moi mon ne nos notre nous où ou pendant peut pourquoi
        qu quand que quel quelle quelles quels qui quoi sa sans ses sont sous suis sur ta tes toi ton tous tout
        toute toutes très tu un une vers vos votre vous
        | a as aux car comment d des est eu il l me n on par pas pour s son te y""",
    "Spanish": """
        algo ante aquel aquella cómo cual cuál cuáles cuando cuándo cuánto cuántos de del desde donde dónde el
        él ella ellas ellos en entre eran esa ese eso esta está están estas este esto estos fue fueron había han
        hasta la las le les los más mi mis muy ni nos nosotros nuestra nuestro para pero por porque que qué
        quien quién quiénes según ser sí sobre su sus también tiene tienen tu tus un una unas uno unos y ya
        | a al como con era es ha hay lo me no o se si sin son te""",
    "Portuguese": """
        ao aos aquela aquele às até das de dela dele deles dos é ela elas ele eles entre eram essa esse esta
        está estão este foi foram há isso isto já lhe mais mas meu minha muito nem nos nós nosso numa onde ou
        para pela pelas pelo pelos por porque porquê qual quais quando quanto quantos que quem são sem ser seu
        seus sua suas também tem têm uma você vocês
        | a as com como da do e em era eu me na nas no num o os se te um""",
    "Italian": """
        agli alla alle allo anche che chi col cosa così cui dagli dai dal dalla dalle dei del della delle dello
        dove è ed erano essere gli hanno la le lei li loro lui ma mi mia mio nei nel nella nelle nello noi
        nostra nostro perché però più qual quale quali quando quanto quanti quella quello questa queste questi
        questo sei sia siamo stata stato su sua sugli sui sul sulla suo tra tu un una uno vi voi
        | ai al ci come con da di dove e era fare ha i il in io lo non o per si sono sue""",
    "Dutch": """
        aan alle als bij dan dat de deze dit doen een en geen heb hebben heeft het hij hoe hoeveel ik je jij
        jullie kan kunnen maar meer mij mijn moet moeten naar niet nog nu om onder ons onze ook tegen toen tot
        uit uw veel voor waar waarom wanneer waren wat wel welk welke werd wie wij worden wordt zal ze zei zich
        zij zijn zo zonder
        | al die door er had is ja men met na of op over te van was we""",
    "Polish": """
        aby albo ale bardzo będzie być był była było były czy czyli dla gdy gdzie ich ile im jak jaka jaki jakie
        jako je jego jej jeszcze jeśli już kiedy kto która które którego której który których ma mają mi może
        mój nad nam nasz nie niż od ona oni ono oraz po przed przez przy są się skąd ta tak tam tego tej tu tych
        tylko tym więc wszystko za ze że
        | by co do go i ja jest my na nas o on one pod te ten to u w we z""",
    "Russian": """
        а без бы был была были было быть в вам вас весь во вот все всё вы где да для до его ее её если есть еще
        ещё же за зачем и из или им их к как какая какие какой когда кто куда ли между меня мне мной мы на над
        нам нас не него нее нет ни них но ну о об он она они оно от по под почему при про с сам себя сколько со
        так там то тогда того тоже только том ты у уже чего чем через что чтобы чьи эта эти это этот я
""",
}


def _read(text: str) -> tuple[frozenset[str], frozenset[str]]:
    sure, _, doubtful = text.partition("|")
    unsure = frozenset(doubtful.split())
    return frozenset(sure.split()) - unsure - ENGLISH, frozenset(text.replace("|", " ").split())


_LANGUAGES = [_read(text) for text in _LISTS.values()]  # of each: the words that show it, and all its stop words


# The words that show a language. They are in no family of like words: families/write.py leaves them out.
SHOWING = frozenset().union(*(showing for showing, _ in _LANGUAGES))


def stop_words_for(question: Iterable[str]) -> frozenset[str]:
    """Return the stop words of English and of the language that a question's words (in lower case) show most."""
    words = set(question)
    shown = [len(words & showing) for showing, _ in _LANGUAGES]
    most = max(shown)
    if most == 0 or most < len(words & ENGLISH):
        return ENGLISH
    return ENGLISH.union(*(every for (_, every), count in zip(_LANGUAGES, shown, strict=True) if count == most))
