"""The words that say nothing of what a text is about, in the languages whose like words are known.

A word of a language's list that means something in English as well ("die", "car", "son") stands after the bar: it is
left out only of a question that another word shows to be in that language.
"""

from collections.abc import Iterable

from ..words import STOP_WORDS as ENGLISH

_LISTS = {
    "German": """
        aber als am auch auf aus bei beim bin bis bist da damit dann das dass dein dem den denn der des dich
        dies diese diesem diesen dieser dieses dir doch dort du durch ein eine einem einen einer eines er es
        euch euer für gab gegen gibt habe haben hatte hatten hier ich ihm ihn ihnen ihr ihre im ins ist ja jede
        jeder jedes kann kein keine können mein mich mir mit muss müssen nach nicht noch nur ob oder ohne sein
        seine seit sich sie sind sollen sollte über um und uns unser unsere unter vom von vor wann war waren
        warum weil welche welchem welchen welcher welches wem wen wenn wer werden wie wieso wird wir wird wo
        woher wohin worden wurde wurden zu zum zur zwischen
        | an bald die hat in man so was will""",
    "French": """
        au aux avec ce ceci cela ces cet cette chez combien dans de des dont du elle elles en est et était
        étaient été être eu il ils je la le les leur leurs lors lui ma mais mes moi mon ne nos notre nous où ou
        par pas pendant peut pourquoi qu quand que quel quelle quelles quels qui quoi sa sans ses sont sous suis
        sur ta te tes toi ton tous tout toute toutes très tu un une vers vos votre vous
        | a as car comment d l me n on pour s son y""",
    "Spanish": """
        al algo ante aquel aquella como cómo con cual cuál cuáles cuando cuándo cuánto cuántos de del desde
        donde dónde el él ella ellas ellos en entre era eran es esa ese eso esta está están estas este esto
        estos fue fueron ha había han hasta hay la las le les lo los más mi mis muy ni nos nosotros nuestra
        nuestro o para pero por porque que qué quien quién quiénes se según ser si sí sin sobre son su sus
        también te tiene tienen tu tus un una unas uno unos y ya
        | a me no son""",
    "Portuguese": """
        ao aos aquela aquele as às até com como da das de dela dele deles do dos e é ela elas ele eles em entre
        era eram essa esse esta está estão este eu foi foram há isso isto já lhe mais mas meu minha muito na nas
        nem no nos nós nosso num numa o onde os ou para pela pelas pelo pelos por porque porquê qual quais
        quando quanto quantos que quem são se sem ser seu seus sua suas também te tem têm um uma você vocês
        | a me no as do""",
    "Italian": """
        agli ai al alla alle allo anche che chi ci col con cosa così cui da dagli dai dal dalla dalle dei del
        della delle dello di dove e è ed era erano essere gli ha hanno i il in io la le lei li lo loro lui ma mi
        mia mio nei nel nella nelle nello noi non nostra nostro o per perché però più qual quale quali quando
        quanto quanti quella quello questa queste questi questo sei si sia siamo sono stata stato su sua sue
        sugli sui sul sulla suo tra tu un una uno vi voi
        | come dove fare in""",
    "Dutch": """
        aan al alle als bij dan dat de deze die dit doen door een en er geen had heb hebben heeft het hij hoe
        hoeveel ik is ja je jij jullie kan kunnen maar meer met mij mijn moet moeten na naar niet nog nu of om
        onder ons onze ook op over te tegen toen tot uit uw van veel voor waar waarom wanneer waren wat we wel
        welk welke werd wie wij worden wordt zal ze zei zich zij zijn zo zonder
        | had of over we al die is door men was""",
    "Polish": """
        aby albo ale bardzo będzie być był była było były by co czy czyli dla do gdy gdzie go i ich ile im ja
        jak jaka jaki jakie jako je jego jej jest jeszcze jeśli już kiedy kto która które którego której który
        których ma mają mi może mój my na nad nam nas nasz nie niż o od ona one oni ono oraz po pod przed przez
        przy są się skąd ta tak tam te tego tej ten to tu tych tylko tym u w we więc wszystko z za ze że
        | do go i on to we""",
    "Russian": """
        а без бы был была были было быть в вам вас весь во вот все всё вы где да для до его ее её если есть еще
        ещё же за зачем и из или им их к как какая какие какой когда кто куда ли между меня мне мной мы на над
        нам нас не него нее нет ни них но ну о об он она они оно от по под почему при про с сам себя сколько со
        так там то тогда того тоже только том ты у уже чего чем через что чтобы чьи эта эти это этот я""",
}


def _read(text: str) -> tuple[frozenset[str], frozenset[str]]:
    sure, _, doubtful = text.partition("|")
    unsure = frozenset(doubtful.split())
    return frozenset(sure.split()) - unsure - ENGLISH, frozenset(text.replace("|", " ").split())


_LANGUAGES = [_read(text) for text in _LISTS.values()]  # of each: the words that show it, and all its stop words


def stop_words_for(question: Iterable[str]) -> frozenset[str]:
    """Return the stop words of English and of the language that a question's words (in lower case) show most."""
    words = set(question)
    shown = [len(words & showing) for showing, _ in _LANGUAGES]
    most = max(shown)
    if most == 0 or most < len(words & ENGLISH):
        return ENGLISH
    return ENGLISH.union(*(every for (_, every), count in zip(_LANGUAGES, shown, strict=True) if count == most))
