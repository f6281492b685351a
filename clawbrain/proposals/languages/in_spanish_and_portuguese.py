"""The words of the rules in Spanish and in Portuguese."""

from . import Language
from .names import name

_SPANISH_NAME = name("Nosotros Yo El La Los Las Un Una Este Esta Eso Quien Nuestro Nuestra Mi En")
_SPANISH_ROLES = r"""(?:jef[ea](?: de \w+)?|responsable|encargad[oa]|director[a]?|gerente|líder|desarrollador[a]?
|arquitect[oa]
|diseñador[a]?|ingenier[oa]|compañer[oa]|administrador[a]?|product owner|cto|ceo|contacto|dueñ[oa]|cliente)"""

SPANISH = Language(
    words=(
        "siempre",
        "nunca",
        "prefiero",
        "nuestr",
        "hemos ",
        "decid",
        "causa",
        "problema",
        "responsable",
        "es ",
        "encarg",
        "deben",
        "usamos",
        "mi ",
        "soy ",
        "odio",
        "gusta",
        "elegido",
        "culpa",
    ),
    lead=r"""(?:\s*(?:(?:ok|vale|sí|no(?=\s*[,.:])|gracias|perfecto|bien|por cierto|y|pero|además|nota|importante
|para que sepas|recuerda(?: que)?
|ten en cuenta que|no olvides que|por favor)(?:\s*[,.:;!–—-]+\s*|\s+))*)?""",
    joint=r"[,;:–—]\s+(?:(?:y|pero|porque|ya que)\s+)*",
    task=r"""(?:añade|agrega|escribe|crea|corrige|renombra|muestra|explica|revisa|cambia|borra|elimina|busca|haz
|abre|traduce|ayuda|mira
|¿|por qué|quién|qué|cuál|cómo|dónde|cuándo|puedes|podrías|deberíamos|si|imagina|supón|vamos a|necesito
|quiero que)\b|¿""",
    passing=r"""\b(?:por ahora|de momento|por el momento|ahora mismo|hoy|mañana|esta vez|quizás?|tal vez
|probablemente|creo que|supongo
|podríamos|todavía no|aún no|primera|segunda|opción|en este (?:archivo|test|caso)|en esta (?:función|clase)|puedes
|al guardar)\b""",
    then=r",\s*(?:corrígelo|arréglalo|cambia|mira|añade|revisa)\b",
    rules={
        "order": r"""(?:(?:respónde\w*|responde\w*|contésta\w*|contesta\w*|escríbe\w*|usa|haz) siempre\b.*
|(?:siempre|nunca|jamás) (?!(?:he|ha|había|falla|me|lo|la|el)\b)\w+(?:es|as|a|e|r|s|alo
|os)\b .*|no .+ nunca\b.*|(?:usa|escribe|responde|pon|haz|pregunta|mantén) .*\b(?:siempre|en todos nuestros
|en todas partes)\b.*|siempre \w+ .*, nunca .*)""",
        "habit": r"""(?:(?:nosotros |aquí |en el equipo )?(?:siempre |nunca |no |solo |sólo )+(?:usamos|escribimos
|hacemos|desplegamos|trabajamos|guardamos|probamos|mezclamos|subimos|ponemos)\b.*
|(?:usamos|escribimos|hacemos|desplegamos|guardamos) .*(?:\bsiempre\b|\bnunca\b|\bsolo\b|\baquí\b|, no |\ben lugar d
e\b|\ben vez de\b|\ben todos\b).*)""",
        "convention": r"""(?:(?:nuestra|la) (?:\w+ )?(?:convención|regla|política|norma) (?:\w+ ){0,3}?es\b.*
|en este (?:repositorio|repo|proyecto),? .*\b(?:siempre|nunca|solo|usamos|deben|van)\b.*|por regla general,? .*
|en nuestro (?:equipo|proyecto|código),? .*)""",
        "things": r"""(?:(?:tod[oa]s l[oa]s|cada|nuestr[oa]s|l[oa]s) (?:tests|pruebas|commits?|mensajes de commit
|ramas|migraci(?:ón|ones)|endpoints?|pr|funciones|fechas|importes|dependencias)(?: \w+){0,3}? (?:debe[n]?|no deben
|tienen? que|siempre|nunca)\b(?! pasar).*)""",
        "taste": r"""(?:(?:yo )?(?:prefiero|no me gustan?|odio|me gustan?|siempre quiero|nunca quiero
|no quiero) (?!(?:la|el|esta|este|esto|eso|que|lo|tu)\b).*|prefiero que (?:siempre|nunca)\b.*)""",
        "decided": r"""(?:(?:.{0,30}?\b)?(?:hemos|he|el equipo ha|se ha) (?:decidido|acordado|elegido
|optado)\b (?!(?:tomar un descanso)\b).{4,}|(?:decidimos|acordamos|elegimos|optamos por|nos decidimos por
|el equipo decidió|se decidió) .{4,}|decisión: .+)""",
        "changed": r"""(?:(?:hemos|estamos) (?:pasado|migrado|cambiado|migrando|pasando|cambiando) de .+ a .*
|(?:pasamos|migramos) de .+ a .*|(?:hemos )?(?:reemplazado|sustituido) .+ por .*|ya no (?:usamos|soportamos) .*)""",
        "role": rf"""(?:{_SPANISH_NAME} es (?:nuestr[oa]|el|la|mi|l[oa]s) (?:[\w-]+ ){{0,2}}?{_SPANISH_ROLES}.*
|{_SPANISH_NAME} (?:es|está) (?:responsable|encargad[oa]|a cargo) de.*
|(?:nuestr[oa]|mi|el|la) {_SPANISH_ROLES}(?: [\w' ]+?)? (?:es|se llama) {_SPANISH_NAME}.*|(?:soy|yo soy) (?:el|la|un
|una)? ?(?:[\w-]+ ){{0,2}}?{_SPANISH_ROLES}.*|me llamo .*|trabajo (?:en|para|como) .*)""",
        "charge": rf"""(?:{_SPANISH_NAME} (?:dirige|lleva|gestiona|mantiene|se encarga de|se ocupa de|aprueba
|lidera)\b.+)""",
        "cause": r"""(?:(?:la|el) (?:verdadera |verdadero )?(?:causa|problema|culpable|motivo|fallo|razón
|error)\b.*\b(?:era|fue|venía|estaba)\b.+|(?:se debía|fue causad[oa]|era culpa|resultó que|resulta que) .+
|.+ se debía a .+|(?:resuelto|encontrado|solucionado): .*)""",
    },
)

_PORTUGUESE_NAME = name("Nós Eu O A Os As Um Uma Este Esta Isso Quem Nosso Nossa Meu Minha No Na")
_PORTUGUESE_ROLES = r"""(?:gerente(?: de \w+)?|chefe|responsável|diretor[a]?|líder|desenvolvedor[a]?|programador[a]?
|arquitet[oa]|designer
|engenheir[oa]|colega|administrador[a]?|product owner|cto|ceo|contato|contacto|don[oa]|cliente)"""

PORTUGUESE = Language(
    words=(
        "sempre",
        "nunca",
        "prefiro",
        "nosso",
        "nossa",
        "decid",
        "causa",
        "problema",
        "responsável",
        "é ",
        "cuida",
        "devem",
        "usamos",
        "sou ",
        "escolh",
        "combin",
    ),
    lead=r"""(?:\s*(?:(?:ok|sim|não(?=\s*[,.:])|obrigad[oa]|perfeito|bom|aliás|e|mas|também|nota|importante
|lembra que|lembre que|lembre-se(?: de)? que
|não esqueça que|por favor)(?:\s*[,.:;!–—-]+\s*|\s+))*)?""",
    joint=r"[,;:–—]\s+(?:(?:e|mas|porque|pois)\s+)*",
    task=r"""(?:adicion[ae]|escrev[ae]|cri[ae]|corrij[ae]|corrige|renomei[ae]|mostr[ae]|expli\w+|verifi\w+|mud[ae]
|apag[ae]|remov[ae]|faz|abr[ae]|traduz\w*|ajud\w+
|por que|porque é que|quem|que|qual|como|onde|quando|pode|poderia|devemos|se|imagin[ae]|vamos|preciso|quero que)\b""",
    passing=r"""\b(?:por enquanto|por agora|no momento|agora mesmo|hoje|amanhã|desta vez|talvez|provavelmente
|acho que|penso que|poderíamos
|ainda não|primeira|segunda|opção|neste (?:arquivo|teste|caso)|nesta (?:função|classe)|pode)\b""",
    then=r",\s*(?:corrige|corrija|muda|mude|veja|adicion[ae])\b",
    rules={
        "order": r"""(?:(?:responda|responde|escreva|use|usa)(?:-me)? sempre\b.*|(?:sempre|nunca|jamais) (?!(?:vi
|falha|me|o|a|pula)\b)\w+(?:e|a|es|as|r|s|m)\b .*
|não .+ nunca\b.*|(?:usa|use|escreve|escreva|responde|responda|põe|mantém|mantenha) .*\b(?:sempre
|em todos os nossos)\b.*)""",
        "habit": r"""(?:(?:nós |aqui |a gente )?(?:sempre |nunca |não |só )*(?:usamos|escrevemos|fazemos|trabalhamos
|guardamos|testamos|usa)\b(?= (?:sempre|nunca|só)\b|.*(?:\bsempre\b|\bnunca\b|\bsó\b|\baqui\b|, não |\bem vez de\b))
.*|(?:nós |aqui |a gente )?(?:sempre|nunca|não|só) (?:usamos|escrevemos|fazemos|trabalhamos|guardamos
|testamos)\b.*)""",
        "convention": r"""(?:(?:nossa|a) (?:\w+ )?(?:convenção|regra|política|norma) (?:\w+ ){0,3}?é\b.*
|neste (?:repositório|repo|projeto),? .*\b(?:sempre|nunca|só|usamos|devem)\b.*|por via de regra,? .*
|no nosso (?:time|projeto|código),? .*)""",
        "things": r"""(?:(?:tod[oa]s [oa]s|cada|noss[oa]s|[oa]s) (?:testes|commits?|mensagens de commit|branches
|migrações|endpoints?|prs?|funções|datas|valores|dependências)(?: \w+){0,3}? (?:devem?|não devem|têm que|sempre
|nunca)\b(?! passar).*)""",
        "taste": r"""(?:(?:eu )?(?:prefiro|não gosto de|odeio|gosto de|sempre quero|nunca quero|não quero) (?!(?:a|o
|esta|este|isto|isso|que|essa|esse)\b).*)""",
        "decided": r"""(?:(?:.{0,30}?\b)?(?:decidimos|combinamos|escolhemos|optamos por|concordamos|resolvemos
|a equipe decidiu|o time decidiu|foi decidido|ficou decidido) .{4,}|decisão: .+)""",
        "changed": r"""(?:(?:mudamos|migramos|passamos|estamos migrando|estamos mudando) de .+ para .*
|substituímos .+ por .*|(?:não usamos mais|deixamos de usar) .*)""",
        "role": rf"""(?:(?:[oa] )?{_PORTUGUESE_NAME} é (?:[oa] )?(?:noss[oa]|[oa]|meu
|minha) (?:[\w-]+ ){{0,2}}?{_PORTUGUESE_ROLES}.*|(?:[oa] )?{_PORTUGUESE_NAME} é responsável (?:por|pel[oa]s?).*
|(?:noss[oa]|[oa]|meu|minha) {_PORTUGUESE_ROLES}(?: [\w' ]+?)? (?:é|se chama)(?: [oa])? {_PORTUGUESE_NAME}.*
|(?:eu )?sou (?:[oa]|um|uma)? ?(?:[\w-]+ ){{0,2}}?{_PORTUGUESE_ROLES}.*|(?:meu nome é|eu me chamo|chamo-me) .*
|trabalho (?:na|no|em|para|como) .*)""",
        "charge": rf"""(?:(?:[oa] )?{_PORTUGUESE_NAME} (?:lidera|gere|gerencia|mantém|cuida d[oae]s?|trata d[oae]s?
|aprova|coordena)\b.+)""",
        "cause": r"""(?:(?:a|o) (?:verdadeira |verdadeiro )?(?:causa|problema|culpado|motivo|erro|falha
|razão)\b.*\b(?:era|foi|vinha|estava)\b.+|(?:foi causad[oa]|acontece que|descobri que) .+|.+ (?:deveu-se
|foi causad[oa]|era por causa) .+|(?:resolvido|encontrado): .*)""",
    },
)
