"""Phrases in Portuguese; `Phrases` says what each list is for."""

from . import Phrases

PORTUGUESE = Phrases(
    praise="""
obrigado; obrigada; muito obrigado; muito obrigada; obrigado por ...; obrigada por ...; obrigado pela ...;
obrigada pela ...; obrigado pelo ...; obrigada pelo ...; muito obrigado pela ...; muito obrigada pela ...;
muito obrigado pelo ...; muito obrigada pelo ...; muito obrigado por ...; muito obrigada por ...; valeu; brigado;
grato; grata; perfeito; está perfeito; ficou perfeito; é perfeito; excelente; ótimo; óptimo; genial; fantástico;
maravilhoso; maravilha; incrível; sensacional; brilhante; show de bola; muito legal; muito bom; muito bem; está ótimo;
está muito bom; ficou ótimo; ficou muito bom; ficou bom; bom trabalho; ótimo trabalho; excelente trabalho;
muito bom trabalho; belo trabalho; bem feito; mandou bem; parabéns; bravo; exato; exatamente; exatamente isso;
isso mesmo; é isso; é isso mesmo; era isso; era isso mesmo; é isso aí; isso aí; está correto; está certo;
isso está certo; certíssimo; tens razão; você tem razão; exatamente o que ...; é exatamente ...; era exatamente ...;
justamente o que ...; funciona; funcionou; agora funciona; agora funcionou; agora está funcionando; está funcionando;
está a funcionar; já funciona; tudo funciona; funciona perfeitamente; funciona bem; funcionou perfeitamente;
deu certo; agora deu certo; resolvido; problema resolvido; resolveu; isso resolveu; isso ajudou; ajudou muito;
muito útil; muito melhor; bem melhor; melhor assim; agora sim; gostei; gostei muito; adorei; você é o melhor;
você é demais; muito bem feito; é exatamente isso; ficou excelente; ficou show; ficou legal; era o que ...;
era isso que ...; é o que eu queria; é isso que eu queria; tudo certo; tudo perfeito; tudo funcionando;
tudo funciona agora; você resolveu; você consertou; boa solução; ótima solução; assim está bom; assim está perfeito;
está bom assim; muito obrigado mesmo; ajudou bastante; isso ajudou muito; gostei do ...; top demais
""",
    blame="""
está errado; isso está errado; tudo errado; está tudo errado; incorreto; está incorreto; isso está incorreto;
isso é incorreto; não está certo; não está correto; isso não está certo; isso não está correto; não é verdade;
isso não é verdade; isso é falso; está mal; isso está mal; não é isso; não era isso; isso não é ...;
não foi isso que ...; não foi o que ...; não é o que ...; isso não é o que ...; não era o que ...; não é isso que ...;
não era isso que ...; não pedi ...; eu não pedi ...; você entendeu errado; você entendeu mal; entendeu errado;
entendeste mal; percebeste mal; você não entendeu; não entendeu; você se enganou; você está enganado;
você está errado; estás enganado; estás errado; você esqueceu ...; esqueceste ...; esqueceu ...; você quebrou ...;
você errou; você cometeu um erro; não funciona; isso não funciona; ainda não funciona; continua sem funcionar;
não funcionou; isso não funcionou; ainda não funcionou; não deu certo; não está funcionando; não está a funcionar;
ainda não está funcionando; continua falhando; continua quebrado; ainda falha; continua igual; continua errado;
continua com erro; o mesmo erro; mesmo erro; o mesmo erro de novo; ainda o mesmo erro; continua o mesmo erro;
o mesmo problema; não faz sentido; isso não faz sentido; não ajudou; isso não ajuda; besteira; ficou pior; está pior;
inútil; resposta errada; não, eu queria ...; não, eu disse ...; não, eu pedi ...; eu pedi ... não; arquivo errado;
é o arquivo errado; esse não é ...; continua dando erro; ainda dá erro; dá erro; deu erro; deu erro de novo;
não compila; você não rodou ...; você não fez ...; você não entendeu ...; você não leu ...; você apagou ...;
você removeu ...; você quebrou; isso não existe; essa função não existe; você inventou ...; não gostei; não resolveu;
isso não resolveu; não é bem isso; não é assim; assim não; assim não dá; nada disso; está tudo quebrado; quebrou tudo;
a resposta está errada; sua resposta está errada; o resultado está errado; ainda está errado; piorou; isso piorou;
não adiantou
""",
    before="""
ok; okay; ah; sim; não; nossa; uau; opa; hey; oi; desculpa; muito; realmente; tão; é
""",
    after="""
mesmo; demais; de novo; outra vez; agora; assim; já; também; claude; amigo; cara; por tudo; finalmente; pela ajuda;
:); 😊; 👍; 🙏; 🎉
""",
    unless="""
mas; porém; contudo; entretanto; no entanto; exceto; infelizmente; não; nada; nunca; nenhum; nenhuma; quase; desde já;
antecipadamente; de antemão; se; só; quebrado; quebrou; pior; parou; 🙄
""",
    then="""
agora; por favor; continue; continua; pode; então; segue; depois; próximo; podes; faz; vamos
""",
    keep="""
lembra que; lembra-te que; lembra-te de que; lembra-te de; lembre que; lembre-se que; lembre-se de que; lembre-se de;
lembre-se:; lembra disso; não esqueças que; não esqueça que; não se esqueça de que; não se esqueça que; nunca esqueça;
...de agora em diante; ...daqui em diante; daqui para frente; daqui pra frente; ...a partir de agora;
a partir de hoje; doravante; da próxima vez; anota que; anota aí; aanote:; anota:; toma nota; tenha em mente;
tem em mente; memoriza; memorize; guarda na memória; guarde na memória; grava que
""",
)
