"""Phrases in French; `Phrases` says what each list is for."""

from . import Phrases

FRENCH = Phrases(
    praise="""
merci; merci beaucoup; merci bien; un grand merci; mille mercis; merci mille fois; merci infiniment; merci pour ...;
merci beaucoup pour ...; merci de ton ...; merci de votre ...; parfait; c'est parfait; excellent; super; génial;
formidable; magnifique; top; nickel; impeccable; extra; bravo; chapeau; bien joué; bien vu; bon travail; beau travail;
très beau travail; super boulot; bon boulot; beau boulot; super travail; excellent travail; très bien;
c'est très bien; c'est super; c'est génial; c'est excellent; c'est top; c'est nickel; c'est bien; c'est bien ça;
c'est ça; c'est exactement ...; c'est exactement ça; exactement; exact; c'est exact; tout à fait; tout à fait ça;
précisément; correct; c'est correct; c'est juste; c'est bon; tu as raison; vous avez raison; exactement ce que je ...;
exactement ce qu'il ...; exactement ça; ça marche; ça marche bien; ça marche maintenant; ça a marché;
ça marche parfaitement; ça marche très bien; cela marche; cela fonctionne; ça fonctionne; ça fonctionne bien;
ça fonctionne parfaitement; ça a fonctionné; maintenant ça marche; ça roule; problème résolu; résolu; c'est réglé;
ça m'a aidé; ça m'aide; ça aide beaucoup; c'est mieux; beaucoup mieux; c'est beaucoup mieux; bien mieux; j'adore;
j'aime bien; ça me plaît; très utile; c'est très utile; joli; très joli; tu es le meilleur; je suis impressionné
""",
    blame="""
faux; c'est faux; c'est complètement faux; c'est totalement faux; tout est faux; incorrect; c'est incorrect;
ce n'est pas correct; c'est pas correct; ce n'est pas juste; pas correct; inexact; c'est inexact; ce n'est pas vrai;
c'est pas vrai; ce n'est pas bon; c'est pas bon; pas bon; ce n'est pas ça; c'est pas ça; ce n'est pas ce que ...;
c'est pas ce que ...; pas ce que je ...; ce n'était pas ce que ...; ce n'est toujours pas ...; c'est toujours pas ...;
toujours pas; tu as mal compris; vous avez mal compris; tu m'as mal compris; tu n'as pas ...; t'as pas ...;
vous n'avez pas ...; tu as oublié ...; t'as oublié ...; vous avez oublié ...; tu te trompes; vous vous trompez;
tu as tort; tu t'es trompé; tu t'es trompé ...; tu as cassé ...; tu as fait une erreur; j'ai dit ...; je t'ai dit ...;
je voulais ...; j'avais demandé ...; je n'ai pas ...; j'ai pas demandé ...; ça ne marche pas; ça marche pas;
ça ne marche toujours pas; ça marche toujours pas; ça ne fonctionne pas; ça fonctionne pas;
ça ne fonctionne toujours pas; cela ne fonctionne pas; cela ne marche pas; ne marche pas; marche pas;
ça n'a pas marché; ça a pas marché; ça n'a pas fonctionné; ça ne marche plus; plus rien ne marche;
toujours la même erreur; la même erreur; même erreur; encore la même erreur; toujours le même problème; même problème;
toujours cassé; c'est cassé; le test échoue toujours; ça échoue toujours; ça plante toujours; c'est n'importe quoi;
n'importe quoi; ça n'a aucun sens; ça n'a pas de sens; aucun sens; c'est nul; nul; mauvais; mauvaise réponse;
c'est mauvais; c'est pire; c'est inutile; ça n'aide pas; ça ne m'aide pas; erreur
""",
    before="""
ok; okay; ah; oh; wow; oui; ouais; non; nan; eh; bon; voilà; d'accord; hé; euh; hum; désolé; mais non; là; encore;
tout
""",
    after="""
beaucoup; bien; à toi; à vous; infiniment; maintenant; comme ça; encore; vraiment; déjà; claude; l'ami; enfin;
du tout; pour tout; comme avant; :); 😊; 👍; 🙏; 🎉
""",
    unless="""
mais; cependant; pourtant; toutefois; sauf; malheureusement; dommage; pas; plus rien; rien; jamais; aucun; aucune;
ne marche plus; cassé; presque; d'avance; par avance; à l'avance; sinon; quand même; néanmoins; seulement; pire; 🙄
""",
    then="""
maintenant; et; s'il te plaît; on; continue; continuons; ensuite; peux-tu; tu peux; vas-y; puis; commit; fais
""",
    keep="""
souviens-toi que; souviens-toi de; souviens toi que; rappelle-toi que; rappelle-toi de; rappelle toi que; retiens que;
retiens bien; retiens:; retiens ceci; retenez que; souvenez-vous que; n'oublie pas que; n'oubliez pas que;
n'oublie jamais; garde en tête; garde en mémoire; garde à l'esprit; mémorise; ...dorénavant; ...désormais;
...à partir de maintenant; à partir d'aujourd'hui; la prochaine fois; note ceci; prends note; enregistre que;
pour la suite:; pour info à retenir
""",
)
