"""The words of the rules in Polish and in Russian."""

from . import Language
from .names import name

_POLISH_NAME = name("My Ja To Ten Ta Kto Nasz Nasza Mój Moja W Na")
_POLISH_ROLES = r"""(?:menedżer\w*|kierowni\w+|szef\w*|lider\w*|programist\w+|architekt\w*|projektant\w*|inżynier\w*
|tester\w*|administrator\w*|właściciel\w*|koleg\w+|koleżank\w+|product owner\w*|opiekun\w*|klient\w*|cto|ceo)"""

POLISH = Language(
    words=(
        "zawsze",
        "nigdy",
        "wol",
        "nasz",
        "zdecydowa",
        "postanowi",
        "przyczyn",
        "problem",
        "odpowiada",
        "jest ",
        "używamy",
        "muszą",
        "wybra",
        "okazało",
        "lubię",
        "jestem",
        "ustali",
    ),
    lead=r"""(?:\s*(?:(?:ok|tak|nie(?=\s*[,.:])|dzięki|super|dobrze|swoją drogą|przy okazji|i|ale|a|też|uwaga|ważne
|pamiętaj,? że|zapamiętaj,? że|proszę)(?:\s*[,.:;!–—-]+\s*|\s+))*)?""",
    joint=r"[,;:–—]\s+(?:(?:i|ale|bo|ponieważ)\s+)*",
    task=r"""(?:dodaj|napisz|stwórz|popraw|zmień|pokaż|wyjaśnij|sprawdź|usuń|znajdź|zrób|otwórz|przetłumacz|pomóż
|zobacz|dlaczego|czemu|kto|co|jak|gdzie|kiedy|który|czy|możesz|mógłbyś|jeśli|gdyby|wyobraź|potrzebuję
|chcę, żebyś)\b""",
    passing=r"""\b(?:na razie|w tej chwili|teraz|obecnie|dziś|dzisiaj|jutro|tym razem|może|chyba|prawdopodobnie
|myślę|sądzę|moglibyśmy|jeszcze nie|pierwsz\w+ opcj\w+|drug\w+|opcj\w+|w tym (?:pliku|teście|przypadku)
|w tej (?:funkcji|klasie))\b""",
    then=r",\s*(?:popraw|zmień|sprawdź|dodaj|napraw)\b",
    rules={
        "order": r"""(?:(?:zawsze|nigdy) (?!(?:nie widziałem|nie działa|się)\b)(?:nie )?\w+.*|(?:używaj|pisz
|odpowiadaj|rób|pytaj) .*\b(?:zawsze|nigdy|wszędzie)\b.*)""",
        "habit": r"""(?:(?:my )?(?:zawsze |nigdy nie |nie |tylko )*(?:używamy|piszemy|robimy|wdrażamy|testujemy
|trzymamy|stosujemy|commitujemy)\b(?=.*(?:\bzawsze\b|\bnigdy\b|\btylko\b|\btu\b|\btutaj\b|, nie |\bzamiast\b|\bwszęd
zie\b)).*|(?:zawsze|nigdy nie|nie|tylko) (?:używamy|piszemy|robimy|stosujemy) .*)""",
        "convention": r"""(?:(?:nasza|nasze) (?:\w+ )?(?:konwencja|zasada|reguła|polityka)\w* (?:\w+ ){0,3}?(?:to
|jest|mówi)\b.*|w tym (?:repozytorium|repo|projekcie) .*\b(?:zawsze|nigdy|tylko|używamy|muszą|są)\b.*|u nas .*
|z zasady .*)""",
        "things": r"""(?:(?:wszystkie|każd\w+|nasze)? ?(?:testy|test|commity|commit|komunikaty commitów|gałęzie
|migracje|migracja|endpointy|funkcje|daty|kwoty|zależności) (?:muszą|musi|nie mogą|nie może|powinny zawsze
|mają)\b.*)""",
        "taste": r"""(?:(?:wolę|nie lubię|nie znoszę|lubię|preferuję|zawsze chcę|nigdy nie chcę) (?!(?:to|tę|ten|tą
|tamt\w+|żeby)\b).*)""",
        "decided": r"""(?:(?:.{0,30}?\b)?(?:zdecydowaliśmy|postanowiliśmy|ustaliliśmy|wybraliśmy|uzgodniliśmy
|zespół zdecydował|zdecydowano|postanowiono|zdecydowałem|zdecydowałam)\b .{4,}|decyzja: .+)""",
        "changed": r"""(?:(?:przeszliśmy|przechodzimy|migrujemy|zmieniliśmy) (?:\w+ )?z .+ na .*|zastąpiliśmy .+ .*
|(?:nie używamy już|już nie używamy|nie wspieramy już) .*)""",
        "role": rf"""(?:{_POLISH_NAME} (?:jest|to) (?:nasz\w*|mo\w+) (?:[\w-]+ ){{0,2}}?{_POLISH_ROLES}.*|(?:nasz\w*
|mo\w+) {_POLISH_ROLES}(?: \w+)? (?:to|jest|nazywa się) {_POLISH_NAME}.*|jestem (?:[\w-]+ ){{0,2}}?{_POLISH_ROLES}.*
|nazywam się .*|pracuję (?:w|jako|dla) .*)""",
        "charge": rf"""(?:{_POLISH_NAME} (?:odpowiada za|kieruje|prowadzi|zajmuje się|utrzymuje|zatwierdza
|zarządza)\b.+)""",
        "cause": r"""(?:(?:prawdziwą )?(?:przyczyn[ąa]|powodem|problemem|winowajcą)\b.*\b(?:był|była|było|były)\b.+
|problem (?:był|wynikał|polegał)\b.+|okazało się,? że .+|.+ (?:było spowodowane|był spowodowany|była spowodowana
|wynikał\w*) .+|(?:rozwiązane|znalezione): .*)""",
    },
)

_RUSSIAN_NAME = name("Мы Я Это Этот Эта Кто Наш Наша Мой Моя В На Он Она")
_RUSSIAN_ROLES = r"""(?:менеджер\w*|руководител\w+|начальни\w+|лид\w*|тимлид\w*|разработчи\w+|архитектор\w*
|дизайнер\w*|инженер\w*|тестировщи\w+|администратор\w*|владел\w+|коллег\w+|заказчи\w+|ответственн\w+|продакт\w*
|директор\w*)"""

RUSSIAN = Language(
    words=(
        "всегда",
        "никогда",
        "предпочита",
        "наш",
        "решили",
        "решил",
        "причин",
        "проблем",
        "отвечает",
        "используем",
        "должны",
        "выбрали",
        "оказалось",
        "договорились",
        "люблю",
        "зовут",
        "руковод",
        "это наш",
    ),
    lead=r"""(?:\s*(?:(?:ок|окей|да|нет(?=\s*[,.:])|спасибо|отлично|хорошо|кстати|и|но|а|ещё|еще|важно|заметка
|помни,? что|запомни,? что|имей в виду,? что|учти,? что|пожалуйста)(?:\s*[,.:;!–—-]+\s*|\s+))*)?""",
    joint=r"[,;:–—]\s+(?:(?:и|но|потому что|так как)\s+)*",
    task=r"""(?:добавь|напиши|создай|исправь|переименуй|покажи|объясни|проверь|измени|удали|найди|сделай|открой
|переведи|помоги|посмотри|почему|зачем|кто|что|как|где|когда|какой|какая|можешь|мог бы|если|представь|давай
|мне нужно|нужно ли|стоит ли|я хочу, чтобы ты)\b""",
    passing=r"""\b(?:пока|сейчас|в данный момент|временно|сегодня|завтра|в этот раз|может быть|возможно|наверное
|вероятно|думаю|кажется|могли бы|ещё не|еще не|перв\w+ вариант|втор\w+|вариант|в этом (?:файле|тесте|случае)
|в этой (?:функции))\b""",
    then=r",\s*(?:исправь|поправь|измени|посмотри|добавь|почини)\b",
    rules={
        "order": r"""(?:(?:всегда|никогда) (?!(?:не видел|не работа|падает)\b)(?:не )?\w+(?:й|йте|ь|ьте|ть|и)\b.*
|(?:используй|пиши|отвечай|делай|спрашивай) .*\b(?:всегда|никогда|везде)\b.*|никогда не \w+.*)""",
        "habit": r"""(?:(?:мы |у нас )?(?:всегда |никогда не |не |только )+(?:используем|пишем|делаем|деплоим
|тестируем|храним|применяем|коммитим|мержим|логируем)\b.*|мы (?:используем|пишем|делаем
|храним) .*(?:\bвсегда\b|\bникогда\b|\bтолько\b|\bздесь\b|, а не |\bвместо\b|\bвезде\b).*)""",
        "convention": r"""(?:(?:наш\w*) (?:\w+ )?(?:соглашение|правило|политика|стандарт)\w* .*
|в этом (?:репозитории|проекте) .*(?:всегда|никогда|только|используем|должны)\b.*|у нас (?:принято|всегда|никогда
|только) .*|как правило,? мы .*)""",
        "things": r"""(?:(?:все|каждый|каждая|наши)? ?(?:тесты|коммиты|коммит|сообщения коммитов|ветки|миграции
|миграция|эндпоинты|функции|даты|суммы|зависимости) (?:должны|должен|должна|не должны|не могут|всегда
|никогда)\b.*)""",
        "taste": r"""(?:(?:я )?(?:предпочитаю|не люблю|ненавижу|люблю|всегда хочу) (?!(?:это|этот|эту|тот
|чтобы)\b).*)""",
        "decided": r"""(?:(?:.{0,30}?\b)?(?:мы решили|решили|мы договорились|договорились|мы выбрали|выбрали
|команда решила|было решено|решено|я решил|я решила)\b:? .{4,}|решение: .+)""",
        "changed": r"""(?:(?:мы )?(?:перешли|переходим|мигрируем|переезжаем|переехали) с .+ на .*
|(?:мы )?заменили .+ на .*|(?:мы )?(?:больше не используем|больше не поддерживаем) .*)""",
        "role": rf"""(?:{_RUSSIAN_NAME} ?(?:—|-|это) (?:наш\w*|мо\w+) (?:[\w-]+ ){{0,2}}?{_RUSSIAN_ROLES}.*
|(?:наш\w*|мо\w+) {_RUSSIAN_ROLES}(?: \w+)? ?(?:—|-|это) ?{_RUSSIAN_NAME}.*|(?:наш\w*
|мо\w+) {_RUSSIAN_ROLES}\b.* зовут .*|меня зовут .*|я работаю (?:в|на|как|над) .*|я (?:—
|-) (?:[\w-]+ ){{0,2}}?{_RUSSIAN_ROLES}.*)""",
        "charge": rf"""(?:{_RUSSIAN_NAME} (?:отвечает за|руководит|ведёт|ведет|занимается|поддерживает|утверждает
|управляет)\b.+)""",
        "cause": r"""(?:(?:причин(?:а|ой)|проблема|виноват|дело)\b.*\b(?:был|была|было|были|оказался|оказалась)\b.+
|оказалось,? что .+|.+ (?:из-за того, что|был вызван|была вызвана|было вызвано) .*(?:был|было|была|упал|вызван)\w*.*
|(?:решено|нашёл|нашел): .*)""",
    },
)
