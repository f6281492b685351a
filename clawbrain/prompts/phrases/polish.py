"""Phrases in Polish; `Phrases` says what each list is for."""

from . import Phrases

POLISH = Phrases(
    praise="""
dzięki; dziękuję; dziękuję bardzo; dziękuję ci; wielkie dzięki; bardzo dziękuję; serdecznie dziękuję; dzięki wielkie;
dzięki za ...; dziękuję za ...; dziękuję bardzo za ...; bardzo dziękuję za ...; wielkie dzięki za ...; idealnie;
idealne; perfekcyjnie; doskonale; doskonałe; świetnie; świetne; świetna robota; super; super robota; znakomicie;
rewelacja; rewelacyjnie; genialnie; genialne; wspaniale; wspaniałe; brawo; pięknie; ładnie; cudownie; fantastycznie;
bardzo dobrze; bardzo dobre; dobra robota; kawał dobrej roboty; dobra praca; dobrze zrobione; niezła robota;
super praca; dokładnie; dokładnie tak; dokładnie to; dokładnie o to ...; dokładnie tego ...; o to chodziło;
o to mi chodziło; właśnie o to ...; właśnie tak; właśnie to; zgadza się; wszystko się zgadza; to się zgadza;
to prawda; masz rację; miałeś rację; poprawnie; to jest poprawne; to jest dobrze; jest dobrze; jest idealnie;
jest super; jest świetnie; tak jest; wygląda dobrze; wygląda świetnie; wygląda super; działa; teraz działa;
już działa; działa świetnie; działa idealnie; działa dobrze; wszystko działa; zadziałało; to zadziałało; to działa;
udało się; rozwiązane; problem rozwiązany; naprawione; pomogło; to pomogło; bardzo pomocne; znacznie lepiej;
dużo lepiej; o wiele lepiej; tak lepiej; teraz lepiej; podoba mi się; bardzo mi się podoba; jesteś najlepszy;
jesteś super; super, dzięki; bardzo ładnie; bardzo ładne; to jest to; to jest super; to jest świetne; to jest idealne;
teraz wszystko działa; wszystko działa teraz; wszystko ok; wszystko w porządku; wszystko dobrze; tego chciałem;
tego szukałem; tego właśnie ...; tak miało być; tak ma być; dobrze to wygląda; to wygląda dobrze; to wygląda świetnie;
dobre rozwiązanie; świetne rozwiązanie; rozwiązałeś ...; naprawiłeś ...; to rozwiązało ...; to naprawiło ...;
jestem zadowolony; to jest lepsze; jest lepiej; jest dużo lepiej
""",
    blame="""
to jest źle; jest źle; całkiem źle; zupełnie źle; nadal źle; wciąż źle; błędnie; to jest błędne; to błędne;
błędna odpowiedź; zła odpowiedź; niepoprawnie; to niepoprawne; to jest niepoprawne; niepoprawne; nieprawda;
to nieprawda; to nie jest prawda; nieprawidłowo; to jest nieprawidłowe; to nie tak; nie tak; to nie to; nie to;
to nie jest to; to nie jest to ...; to nie to ...; nie o to ...; nie o to chodziło; nie o to mi chodziło;
nie tego chciałem; nie to miałem ...; nie prosiłem ...; nie jest dobrze; to nie jest dobrze; to nie jest poprawne;
niedobrze; nie zgadza się; to się nie zgadza; chodziło mi ...; źle mnie zrozumiałeś; źle zrozumiałeś;
źle to zrozumiałeś; nie zrozumiałeś; nie zrozumiałeś mnie; mylisz się; pomyliłeś się; pomyliłeś ...; nie masz racji;
zapomniałeś ...; zapomniałeś; pominąłeś ...; zepsułeś ...; zrobiłeś błąd; popełniłeś błąd; nie zrobiłeś ...;
nie działa; to nie działa; nadal nie działa; wciąż nie działa; dalej nie działa; ciągle nie działa; już nie działa;
nie zadziałało; to nie zadziałało; nie pomogło; to nie pomogło; nie udało się; nadal zepsute; zepsute;
test nadal nie przechodzi; testy nadal nie przechodzą; nadal się wywala; ten sam błąd; wciąż ten sam błąd;
nadal ten sam błąd; ciągle ten sam błąd; znowu ten sam błąd; znów ten sam błąd; dalej ten sam błąd; ten sam problem;
bez sensu; to bez sensu; to nie ma sensu; bzdura; bzdury; jest gorzej; jeszcze gorzej; bezużyteczne; to jest słabe;
nie, chciałem ...; nie, mówiłem ...; nie, prosiłem ...; prosiłem ... nie; mówiłem ... nie; nie o to prosiłem;
zły plik; to zły plik; nie ten plik; nie kompiluje się; to się nie kompiluje; daje błąd; nadal błąd; wciąż błąd;
nadal jest błąd; dalej błąd; to nie istnieje; ta funkcja nie istnieje; zmyśliłeś ...; wymyśliłeś ...; usunąłeś ...;
zepsułeś; wszystko zepsułeś; nie podoba mi się; tak nie; nie w ten sposób; odpowiedź jest zła; wynik jest zły;
twoja odpowiedź jest błędna; nie rozwiązało ...; to nie rozwiązało ...; nic nie działa; teraz nic nie działa;
jest gorzej niż ...; to jest złe
""",
    before="""
ok; okej; okay; ach; och; tak; nie; no; wow; hej; hmm; ej; niestety; bardzo; naprawdę; całkiem
""",
    after="""
bardzo; ci; teraz; znowu; znów; już; tak; też; claude; stary; naprawdę; wszystko; w końcu; wreszcie; nadal; wciąż;
za wszystko; :); 😊; 👍; 🙏; 🎉
""",
    unless="""
ale; jednak; niestety; oprócz; chociaż; choć; tylko; nie; nic; nigdy; żaden; żadna; prawie; z góry; jeśli; jeżeli;
gdyby; zepsute; gorzej; 🙄
""",
    then="""
teraz; proszę; lecimy; jedziemy; dalej; kontynuuj; następnie; możesz; potem; zrób; idziemy; to
""",
    keep="""
zapamiętaj; zapamiętaj, że; pamiętaj, że; pamiętaj że; pamiętaj:; pamiętaj, żeby; pamiętaj o tym; proszę zapamiętaj;
nie zapomnij, że; nie zapominaj, że; nigdy nie zapominaj; ...od teraz; od dziś; od dzisiaj; ...odtąd; ...od tej pory;
na przyszłość; następnym razem; zanotuj; zapisz sobie; zapisz w pamięci; miej na uwadze; weź pod uwagę, że
""",
)
