"""Phrases in Italian; `Phrases` says what each list is for."""

from . import Phrases

ITALIAN = Phrases(
    praise="""
grazie; grazie mille; mille grazie; tante grazie; grazie tante; molte grazie; grazie per ...; grazie mille per ...;
ti ringrazio; perfetto; è perfetto; perfetta; eccellente; ottimo; ottima; fantastico; meraviglioso; magnifico;
splendido; stupendo; geniale; favoloso; bravo; bravissimo; benissimo; molto bene; molto bello; bellissimo;
ottimo lavoro; bel lavoro; buon lavoro; gran lavoro; ottima soluzione; ben fatto; complimenti; esatto; esattamente;
esattamente così; proprio così; è proprio così; è proprio quello ...; proprio quello che ...;
esattamente quello che ...; esattamente ciò che ...; è esattamente ...; è giusto; corretto; è corretto; hai ragione;
precisamente; va bene così; così va bene; così è perfetto; va benissimo; è quello che volevo; è quello che mi serviva;
funziona; adesso funziona; ora funziona; ha funzionato; funziona tutto; tutto funziona; funziona bene;
funziona benissimo; funziona perfettamente; adesso va; ora va; risolto; problema risolto; hai risolto; molto meglio;
meglio così; ora è meglio; mi piace; mi piace molto; adoro; molto utile; è stato utile; mi ha aiutato;
sei il migliore; sei un grande; sembra perfetto; sembra buono; grande, grazie; sì, giusto; proprio quello; così sì;
molto bene così; hai fatto bene; hai fatto un ottimo ...; è quello che cercavo; è proprio quello; tutto a posto;
tutto perfetto; tutto corretto; tutto bene; ora funziona tutto; adesso funziona tutto; l'hai risolto; ha risolto ...;
buona soluzione; così mi piace; sono contento; è molto meglio; è venuto benissimo; ottima idea, grazie; fatto bene
""",
    blame="""
è sbagliato; tutto sbagliato; è tutto sbagliato; questo è sbagliato; ancora sbagliato; è errato; non è corretto;
non è giusto; questo non è corretto; non va bene; così non va; così non va bene; non è vero; è falso;
non è quello ...; non è quello che ...; non è ciò che ...; questo non è quello ...; non era quello ...; non è questo;
non è così; non volevo ...; non ho chiesto ...; non ti ho chiesto ...; ti ho detto ...; ti avevo detto ...;
hai capito male; mi hai capito male; mi hai frainteso; hai frainteso; non hai capito; ti sbagli; ti sei sbagliato;
hai sbagliato; hai sbagliato ...; hai torto; hai dimenticato ...; ti sei dimenticato ...; non hai ...; hai rotto ...;
hai fatto un errore; non funziona; non funziona ancora; ancora non funziona; non funziona più;
continua a non funzionare; non ha funzionato; non va; non va ancora; ancora non va; fallisce ancora;
continua a fallire; ancora rotto; è rotto; è ancora rotto; lo stesso errore; stesso errore; sempre lo stesso errore;
ancora lo stesso errore; lo stesso problema; sempre lo stesso problema; non ha senso; questo non ha senso; non aiuta;
non serve a niente; inutile; pessimo; è peggio; peggio di prima; risposta sbagliata; sciocchezze; no, volevo ...;
no, intendevo ...; no, ho detto ...; ho detto ... non; è il file sbagliato; file sbagliato; hai sbagliato file;
non è il file ...; non compila; continua a dare errore; dà errore; dà ancora errore; c'è ancora ...; non esiste;
questa funzione non esiste; te lo sei inventato; hai cancellato ...; hai rotto tutto; hai peggiorato ...;
è peggiorato; non mi piace; non ci siamo; non ci siamo capiti; non mi hai capito; non hai capito ...;
non hai letto ...; la risposta è sbagliata; la tua risposta è sbagliata; il risultato è sbagliato; non ha risolto ...;
non risolve; non è servito; così no; no, sbagliato; nemmeno così ...
""",
    before="""
ok; okay; ah; sì; si; no; wow; ehi; cavolo; dai; allora sì; uffa; scusa; molto; davvero; proprio; così
""",
    after="""
davvero; ancora; adesso; ora; così; già; anche; claude; amico; di nuovo; per tutto; finalmente; a te; :); 😊; 👍; 🙏;
🎉
""",
    unless="""
ma; però; tuttavia; tranne; eccetto; purtroppo; peccato; non; niente; nulla; mai; nessun; nessuna; quasi; in anticipo;
anticipatamente; se; solo; rotto; peggio; 🙄
""",
    then="""
adesso; ora; per favore; continua; continuiamo; andiamo; poi; puoi; potresti; fai; procedi; avanti
""",
    keep="""
ricorda che; ricorda:; ricorda di; ricordati che; ricordati di; ricordati:; ricordatevi che; ricorda questo;
non dimenticare che; non dimenticarti che; mai dimenticare; tieni a mente; tieni presente; tienilo a mente;
...d'ora in poi; ...d'ora in avanti; ...da ora in poi; da adesso in poi; da oggi in poi; per il futuro;
la prossima volta; annota che; annota:; annotati che; prendi nota; memorizza; salva in memoria; segnati che; segna che
""",
)
