"""Phrases in French; `Phrases` says what each list is for."""

from . import Phrases

FRENCH = Phrases(
    praise="""
merci; merci beaucoup; merci bien; un grand merci; mille mercis; merci mille fois; merci infiniment; merci pour ...;
merci beaucoup pour ...; merci de ton ...; merci de votre ...; parfait; c'est parfait; excellent; super; génial;
formidable; magnifique; nickel; impeccable; bravo; chapeau; bien joué; bien vu; bon travail; beau travail;
très beau travail; super boulot; bon boulot; beau boulot; super travail; excellent travail; très bien;
c'est très bien; c'est super; c'est génial; c'est excellent; c'est top; c'est nickel; c'est bien; c'est bien ça;
c'est ça; c'est exactement ...; c'est exactement ça; exactement; c'est exact; tout à fait; tout à fait ça;
précisément; correct; c'est correct; c'est juste; c'est bon; tu as raison; vous avez raison; exactement ce que je ...;
exactement ce qu'il ...; exactement ça; ça marche; ça marche bien; ça marche maintenant; ça a marché;
ça marche parfaitement; ça marche très bien; cela marche; cela fonctionne; ça fonctionne; ça fonctionne bien;
ça fonctionne parfaitement; ça a fonctionné; maintenant ça marche; ça roule; problème résolu; résolu; c'est réglé;
ça m'a aidé; ça m'aide; ça aide beaucoup; c'est mieux; beaucoup mieux; c'est beaucoup mieux; bien mieux; j'adore;
j'aime bien; ça me plaît; très utile; c'est très utile; joli; très joli; tu es le meilleur; je suis impressionné;
très bon travail; vraiment bien; c'est vraiment bien; ça marche nickel; c'est très bon; c'est beau; bien fait;
très bien fait; tu as trouvé; tu l'as réparé; c'est réparé; c'est corrigé; c'est résolu; ça résout ...;
ça a réglé ...; ça a résolu ...; c'est ce que je voulais; c'est ce que je cherchais; c'est bien ce que ...;
exactement comme je ...; tout marche; tout fonctionne; tout est bon; ça a l'air bien; ça a l'air parfait;
c'est mieux comme ça; je suis content; je suis satisfait; merci, c'est ...; super merci
""",
    blame="""
c'est faux; c'est complètement faux; c'est totalement faux; tout est faux; incorrect; c'est incorrect;
ce n'est pas correct; c'est pas correct; ce n'est pas juste; pas correct; inexact; c'est inexact; ce n'est pas vrai;
c'est pas vrai; ce n'est pas bon; c'est pas bon; pas bon; ce n'est pas ça; c'est pas ça; ce n'est pas ce que ...;
c'est pas ce que ...; pas ce que je ...; ce n'était pas ce que ...; ce n'est toujours pas ...; c'est toujours pas ...;
toujours pas; tu as mal compris; vous avez mal compris; tu m'as mal compris; tu n'as pas ...; t'as pas ...;
vous n'avez pas ...; tu as oublié ...; t'as oublié ...; vous avez oublié ...; tu te trompes; vous vous trompez;
tu as tort; tu t'es trompé; tu t'es trompé ...; tu as cassé ...; tu as fait une erreur; je t'ai dit ...;
j'ai pas demandé ...; ça ne marche pas; ça marche pas; ça ne marche toujours pas; ça marche toujours pas;
ça ne fonctionne pas; ça fonctionne pas; ça ne fonctionne toujours pas; cela ne fonctionne pas; cela ne marche pas;
ne marche pas; marche pas; ça n'a pas marché; ça a pas marché; ça n'a pas fonctionné; ça ne marche plus;
plus rien ne marche; toujours la même erreur; la même erreur; même erreur; encore la même erreur;
toujours le même problème; même problème; toujours cassé; c'est cassé; le test échoue toujours; ça échoue toujours;
ça plante toujours; c'est n'importe quoi; n'importe quoi; ça n'a aucun sens; ça n'a pas de sens; aucun sens;
c'est nul; nul; mauvaise réponse; c'est mauvais; c'est pire; c'est inutile; ça n'aide pas; ça ne m'aide pas;
non, je voulais ...; non je voulais ...; non, j'ai dit ...; non j'ai dit ...; j'ai dit ... pas; non, c'est faux;
c'est le mauvais ...; c'est la mauvaise ...; mauvais fichier; mauvaise ligne; tu t'es trompé de ...; c'est une erreur;
ça ne compile pas; ça compile pas; ça n'existe pas; cette fonction n'existe pas; tu n'as rien compris;
t'as rien compris; tu n'as pas compris; ce n'est pas comme ça ...; pas du tout; ce n'est pas du tout ...;
pas comme ça; ça ne va pas; ça va pas; ça ne me plaît pas; je n'aime pas; ta réponse est fausse;
la réponse est fausse; le résultat est faux; ta solution ne marche pas; l'erreur est toujours là; il y a toujours ...;
ça a tout cassé; tu as tout cassé; tu as supprimé le mauvais ...; encore faux; toujours faux; tout faux
""",
    before="""
ok; okay; ah; wow; oui; ouais; non; nan; eh; voilà; d'accord; hé; euh; hum; désolé; mais non; là; très; vraiment;
tellement; trop
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
maintenant; s'il te plaît; on; continue; continuons; ensuite; peux-tu; tu peux; vas-y; puis; commit; fais
""",
    keep="""
souviens-toi que; souviens-toi de; souviens toi que; rappelle-toi que; rappelle-toi de; rappelle toi que; retiens que;
retiens bien; retiens:; retiens ceci; retenez que; souvenez-vous que; n'oublie pas que; n'oubliez pas que;
n'oublie jamais; garde en tête; garde en mémoire; garde à l'esprit; mémorise; ...dorénavant; ...désormais;
...à partir de maintenant; à partir d'aujourd'hui; la prochaine fois; note ceci; prends note; enregistre que;
pour la suite:; pour info à retenir
""",
)
