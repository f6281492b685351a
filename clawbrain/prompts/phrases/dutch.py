"""Phrases in Dutch; `Phrases` says what each list is for."""

from . import Phrases

DUTCH = Phrases(
    praise="""
bedankt; dank je; dank je wel; dankjewel; dank u; dank u wel; hartelijk dank; heel erg bedankt; veel dank;
bedankt voor ...; dank je voor ...; dank je wel voor ...; dankjewel voor ...; thanks; perfect; dat is perfect;
uitstekend; geweldig; fantastisch; super; prima; prachtig; schitterend; briljant; heel mooi; mooi zo; mooi werk;
keurig; netjes; gaaf; cool; bravo; knap; knap werk; goed gedaan; heel goed; erg goed; zeer goed; goed werk;
geweldig werk; super werk; helemaal goed; helemaal goed zo; goed zo; precies; precies goed; precies zo;
precies wat ik ...; dat is precies ...; exact wat ik ...; inderdaad; klopt; dat klopt; klopt helemaal; dat is juist;
correct; dat is correct; je hebt gelijk; dat is goed; dat is het; dat was het; dat was hem; ziet er goed uit;
ziet er perfect uit; dat ziet er goed uit; ziet er geweldig uit; het werkt; dat werkt; werkt; werkt nu; nu werkt het;
werkt perfect; werkt goed; werkt prima; het werkt nu; dat werkte; het werkte; alles werkt; het doet het;
nu doet hij het; hij doet het; doet het; het is gelukt; gelukt; opgelost; probleem opgelost; dat loste het op;
dat hielp; dat heeft geholpen; heel handig; heel nuttig; veel beter; stuk beter; zo is het beter; dat is beter;
ik vind het mooi; ik vind het goed; jij bent de beste; je bent de beste; ga zo door; top, bedankt; topwerk;
mooi, bedankt; mooi, dat is ...; dat is mooi; dat is top; dat is precies wat ...; dat is wat ik ...; dat zocht ik;
dit is perfect; dit is goed; dit is precies ...; ziet er top uit; alles werkt nu; nu werkt alles; nu klopt het;
klopt nu; het klopt; het klopt nu; je hebt het opgelost; dat is opgelost; goede oplossing; goed opgelost;
ik ben er blij mee; ik ben tevreden; zo moet het; zo hoort het; zo is het goed; dat helpt; dat helpt enorm;
heel behulpzaam; juist, dank je; top, nu ...
""",
    blame="""
dat is fout; helemaal fout; dit is fout; nog steeds fout; dat is verkeerd; dit is verkeerd; onjuist; dat is onjuist;
incorrect; niet juist; niet correct; dat is niet juist; dat is niet correct; dat is niet goed; niet goed;
dit is niet goed; klopt niet; dat klopt niet; dit klopt niet; dat is niet waar; niet waar; dat is niet wat ...;
dit is niet wat ...; niet wat ik ...; dat was niet wat ...; dat is het niet; dat bedoel ik niet; dat bedoelde ik niet;
dat vroeg ik niet; je hebt me verkeerd begrepen; je hebt het verkeerd begrepen; verkeerd begrepen;
je begrijpt me verkeerd; je begrijpt het niet; je hebt het mis; je vergist je; je hebt ongelijk; je bent ... vergeten;
je vergat ...; je hebt ... vergeten; je hebt niet ...; je hebt de verkeerde ...; je hebt een fout gemaakt; werkt niet;
dat werkt niet; het werkt niet; dit werkt niet; werkt nog niet; werkt nog steeds niet; het werkt nog steeds niet;
dat werkt nog steeds niet; werkte niet; dat werkte niet; het werkte niet; werkt niet meer; doet het niet;
hij doet het niet; doet het nog steeds niet; faalt nog steeds; de test faalt nog steeds; de tests falen nog steeds;
nog steeds kapot; het is kapot; niet gelukt; lukt niet; het lukt niet; gaat nog steeds fout; gaat fout;
nog steeds dezelfde fout; dezelfde fout; zelfde fout; weer dezelfde fout; hetzelfde probleem; nog steeds hetzelfde;
onzin; dat is onzin; slaat nergens op; dat slaat nergens op; dat heeft geen zin; dat is slecht; dat is erger;
nutteloos; dat helpt niet; dat hielp niet; nee, ik wilde ...; nee, ik bedoelde ...; nee, ik zei ...;
nee, ik vroeg ...; ik zei ... niet; verkeerd bestand; verkeerde bestand; dat is het verkeerde ...;
dit is het verkeerde ...; dat is de verkeerde ...; fout bestand; dat bestaat niet; die functie bestaat niet;
dat heb je verzonnen; compileert niet; het compileert niet; geeft een fout; geeft nog steeds een fout;
nog steeds niet; nog altijd niet; nog altijd dezelfde fout; je hebt alles kapot gemaakt; je hebt ... kapotgemaakt;
je hebt ... verwijderd; je hebt het niet begrepen; je snapt het niet; zo niet; niet zo; zo bedoelde ik het niet;
zo wilde ik het niet; ik vind het niet ...; het antwoord is fout; je antwoord is fout; het resultaat klopt niet;
dat lost het niet op; helemaal verkeerd; nu is het kapot; nu is alles kapot
""",
    before="""
ok; oké; okay; ah; ja; jawel; nee; neen; wow; hé; hey; sorry; helaas; heel; echt; erg; zeer
""",
    after="""
wel; zeer; hoor; nu; zo; nogmaals; weer; echt; ook; al; claude; man; helemaal; eindelijk; voor alles; :); 😊; 👍; 🙏;
🎉
""",
    unless="""
maar; echter; helaas; behalve; hoewel; toch; niet; nooit; niets; niks; geen; alleen; bijna; alvast; bij voorbaat; als;
kapot; slechter; erger; fout; 🙄
""",
    then="""
nu; alsjeblieft; graag; ga; verder; dan; kun je; kan je; volgende; commit; doe; maak
""",
    keep="""
onthoud dat; onthoud:; onthoud dit; onthoud goed; onthou dat; onthou:; vergeet niet dat; vergeet nooit;
denk eraan dat; houd in gedachten; hou in gedachten; hou er rekening mee; houd er rekening mee; ...vanaf nu;
vanaf vandaag; van nu af aan; ...voortaan; in het vervolg; volgende keer; de volgende keer; noteer dat; noteer:;
noteer even; schrijf op dat; sla op dat; bewaar in je geheugen; zet in je geheugen
""",
)
