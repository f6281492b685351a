"""Phrases in German; `Phrases` says what each list is for."""

from . import Phrases

GERMAN = Phrases(
    praise="""
danke; danke dir; danke schön; dankeschön; danke sehr; vielen dank; tausend dank; herzlichen dank; besten dank; merci;
lieben dank; vielen lieben dank; danke für ...; danke dir für ...; vielen dank für ...; super; perfekt; prima; klasse;
toll; spitze; hervorragend; ausgezeichnet; wunderbar; großartig; genial; exzellent; fantastisch; hammer; geil;
einwandfrei; tadellos; bestens; sehr gut; richtig gut; echt gut; sehr schön; sehr schön gemacht; gut gemacht;
klasse gemacht; super gemacht; toll gemacht; prima gemacht; gute arbeit; super arbeit; tolle arbeit; klasse arbeit;
saubere arbeit; sauber; bravo; respekt; genau; genau so; genau richtig; genau das; genau das richtige; exakt;
exakt so; richtig; korrekt; stimmt; stimmt genau; das stimmt; das ist richtig; das ist korrekt; das ist perfekt;
das ist super; das ist toll; das ist sehr gut; das ist genau ...; genau das, was ...; genau das was ...;
genau das wollte ich; genau das habe ich ...; genau so wollte ...; genau so habe ich ...; genau so war ...; so ist es;
so ist es richtig; so ist es gut; so passt es; so passt das; passt; passt so; passt perfekt; das passt; alles gut;
das war's; das war es; das wars; das ist es; das hat geklappt; hat geklappt; das hat geholfen; hat geholfen;
das hat funktioniert; hat funktioniert; das funktioniert; es funktioniert; funktioniert; funktioniert jetzt; das geht;
es geht; geht; geht jetzt; das läuft; es läuft; läuft; läuft jetzt; klappt; das klappt; klappt jetzt; es klappt;
jetzt geht es; jetzt geht's; jetzt gehts; jetzt funktioniert es; jetzt funktioniert's; jetzt läuft es; jetzt läuft's;
jetzt klappt es; jetzt klappt's; jetzt klappts; problem gelöst; gelöst; das war die lösung; das war richtig;
du hast recht; du hattest recht; viel besser; deutlich besser; schon viel besser; besser so; sieht gut aus;
sieht super aus; sieht perfekt aus; das sieht gut aus; das sieht super aus; das sieht toll aus; gefällt mir;
das gefällt mir; gefällt mir gut; gefällt mir sehr; ich liebe es; du bist der beste; du bist super; sehr hilfreich;
das war hilfreich; das war sehr hilfreich; hilfreich; weiter so; freut mich; das freut mich; das sieht sehr gut aus;
sieht sehr gut aus; das sieht richtig gut aus; das habe ich gesucht; genau danach habe ich ...; jetzt klappt alles;
alles klappt; jetzt läuft alles; alles läuft; jetzt geht alles; alles funktioniert; das ist besser;
das ist viel besser; das ist sehr schön; schön gemacht; so gefällt es mir; damit bin ich zufrieden; bin zufrieden;
top gemacht; top arbeit; das ist gut; das ist richtig gut; echt klasse; echt super; so soll es sein; das wollte ich;
das war gut; das war perfekt; das war super; alles richtig; alles bestens; alles perfekt; gut so; das ist gut so;
sehr hilfreich, danke; du hast es gelöst; das löst es; das löst mein problem
""",
    blame="""
falsch; das ist falsch; das ist leider falsch; das war falsch; ganz falsch; völlig falsch; komplett falsch;
immer noch falsch; schon wieder falsch; das ist völlig falsch; das ist komplett falsch; das ist immer noch falsch;
das ist doch falsch; falsche datei; stimmt nicht; das stimmt nicht; das stimmt so nicht; das stimmt leider nicht;
stimmt so nicht; das ist nicht richtig; das ist nicht korrekt; nicht richtig; nicht korrekt; das ist unrichtig;
das ist so nicht richtig; so nicht; so geht das nicht; so war das nicht gemeint; das war nicht gemeint;
das meinte ich nicht; das habe ich nicht gemeint; das hab ich nicht gemeint; das war nicht das, ...;
das ist nicht das, ...; das ist nicht das was ...; nicht das, was ...; das wollte ich nicht; das wollte ich so nicht;
das habe ich nicht ...; das hab ich nicht ...; danach habe ich nicht gefragt; ich habe gesagt ...;
ich habe dir gesagt ...; ich habe doch ...; ich hab doch ...; du hast mich falsch verstanden;
du hast das falsch verstanden; du hast es falsch verstanden; du hast mich missverstanden; falsch verstanden;
missverstanden; du irrst dich; da irrst du dich; du liegst falsch; da liegst du falsch; du hast unrecht;
du hast die ... vergessen; du hast vergessen ...; du hast den falschen ...; du hast die falsche ...;
du hast das falsche ...; du hast einen fehler gemacht; du hast nicht ...; du hast übersehen ...;
du hast ... kaputt gemacht; das funktioniert nicht; es funktioniert nicht; funktioniert nicht;
funktioniert immer noch nicht; funktioniert noch nicht; das funktioniert so nicht; das funktioniert immer noch nicht;
es funktioniert immer noch nicht; geht nicht; das geht nicht; es geht nicht; das geht so nicht; geht immer noch nicht;
geht noch nicht; geht noch immer nicht; es geht immer noch nicht; das geht immer noch nicht; klappt nicht;
das klappt nicht; es klappt nicht; klappt immer noch nicht; hat nicht geklappt; das hat nicht geklappt;
hat nicht funktioniert; das hat nicht funktioniert; das hat nicht geholfen; hat nicht geholfen; läuft nicht;
läuft immer noch nicht; läuft nicht mehr; immer noch kaputt; jetzt ist alles kaputt; das ist kaputt;
immer noch derselbe fehler; immer noch der gleiche fehler; derselbe fehler; der gleiche fehler; gleicher fehler;
selber fehler; derselbe fehler wie vorher; schon wieder derselbe fehler; wieder der gleiche fehler;
wieder derselbe fehler; der fehler ist immer noch da; der test schlägt immer noch fehl;
die tests schlagen immer noch fehl; schlägt immer noch fehl; quatsch; das ist quatsch; unsinn; das ist unsinn;
blödsinn; das ist blödsinn; das ergibt keinen sinn; das macht keinen sinn; ergibt keinen sinn; schlecht;
das ist schlecht; nicht gut; das ist nicht gut; unbrauchbar; das ist unbrauchbar; das hilft nicht;
das hilft mir nicht; schlimmer als vorher; noch schlimmer; nein, ich wollte ...; nein ich wollte ...;
nein, ich meinte ...; nein ich meinte ...; nein, ich habe ...; nein ich habe ...; nein, ich sagte ...;
ich sagte ..., nicht; ich habe gesagt ... nicht; ich wollte ..., nicht; ich meinte ..., nicht;
das war die falsche ...; das ist die falsche ...; das war der falsche ...; das ist der falsche ...;
das war das falsche ...; das ist das falsche ...; falscher ordner; falsche zeile; falsche spalte; falsche stelle;
falscher ansatz; das ist ein fehler; das war ein fehler; du hast dich geirrt; du hast dich vertan;
du hast mich nicht verstanden; du hast es nicht verstanden; du hast nicht verstanden ...; du verstehst mich nicht;
du hast vergessen; du hast ... gelöscht; du hast ... übersehen; das kompiliert nicht; kompiliert nicht;
das baut nicht; das gibt es nicht; die funktion gibt es nicht; das hast du erfunden; das hast du dir ausgedacht;
gefällt mir nicht; das gefällt mir nicht; das ist schlechter; das ist schlimmer; jetzt ist es schlimmer;
jetzt ist es kaputt; jetzt geht nichts mehr; nichts funktioniert; nichts geht mehr; geht nicht mehr;
so habe ich das nicht ...; so wollte ich das nicht; so wollte ich es nicht; nicht so; der fehler bleibt;
der fehler ist noch da; fehler ist immer noch da; immer noch nicht; das ist immer noch nicht ...; das war's nicht;
das war es nicht; das ist es nicht; deine lösung funktioniert nicht; deine antwort ist falsch; die antwort ist falsch;
das ergebnis ist falsch; die ausgabe ist falsch
""",
    before="""
ok; okay; ah; wow; ja; jo; jep; jawohl; ach; hey; nein; nee; ne; nö; doch; leider; cool; aha; hm; mh; puh; halt;
moment; also; sehr; wirklich; richtig; echt; gut
""",
    after="""
dir; euch; schön; sehr; nochmal; noch mal; jetzt; wieder; so; wirklich; echt; auch; schon; mal; claude; gut; gemacht;
super; alles; endlich; leider; ganz; bis hierhin; als vorher; wie vorher; für alles; erstmal; :); :-); 😊; 👍; 🙏; 🎉
""",
    unless="""
aber; jedoch; allerdings; leider; trotzdem; dennoch; nur; außer; obwohl; doch; noch nicht; nicht; nie; nichts; kein;
keine; keinen; gar; kaputt; fehlt; falsch; schlimmer; fast; beinahe; im voraus; voraus; vorab; schon mal; schonmal;
wenn; falls; wäre; würde; ironie; 🙄
""",
    then="""
jetzt; bitte; dann; weiter; nun; mach; kannst du; als nächstes; commite; los; noch
""",
    keep="""
merk dir; merke dir; merken wir uns; bitte merk dir; bitte merke dir; merkt euch; behalte; behalte bitte im kopf;
behalte im hinterkopf; denk daran, dass; denk dran, dass; denke daran, dass; denk in zukunft daran;
erinnere dich daran, dass; vergiss nicht, dass; vergiss nie; ...ab jetzt; ...ab sofort; ...ab heute; ...von jetzt an;
...von nun an; ...von heute an; in zukunft; künftig; zukünftig; ab nun; fürs nächste mal; für die zukunft; notier dir;
notiere dir; notiere; speichere dir; speicher dir; schreib dir auf; schreibe dir auf; halte fest; halt fest, dass;
zur erinnerung:; nächstes mal
""",
)
