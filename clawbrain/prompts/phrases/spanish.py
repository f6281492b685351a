"""Phrases in Spanish; `Phrases` says what each list is for."""

from . import Phrases

SPANISH = Phrases(
    praise="""
gracias; muchas gracias; mil gracias; muchísimas gracias; gracias por ...; muchas gracias por ...; perfecto;
está perfecto; es perfecto; excelente; genial; estupendo; fantástico; maravilloso; magnífico; increíble; bravo;
brillante; fenomenal; de maravilla; de lujo; guay; muy bien; muy bien hecho; bien hecho; buen trabajo; gran trabajo;
excelente trabajo; muy buen trabajo; buenísimo; muy bueno; está muy bien; está genial; eso es; eso era; exacto;
exactamente; así es; correcto; es correcto; está correcto; eso es correcto; tienes razón; tenías razón;
justo lo que ...; exactamente lo que ...; es justo lo que ...; es exactamente lo que ...; justo eso;
es exactamente eso; funciona; ya funciona; ahora sí funciona; ahora funciona; ahora sí; funcionó; eso funcionó;
ha funcionado; funciona perfectamente; funciona perfecto; funciona bien; funciona muy bien; todo funciona;
eso funciona; sí funciona; problema resuelto; resuelto; solucionado; problema solucionado; arreglado; mucho mejor;
así mejor; mejor así; ahora mejor; me gusta; me encanta; me gusta mucho; muy útil; eso ayudó; me ayudó mucho;
se ve bien; se ve genial; se ve perfecto; queda perfecto; quedó perfecto; quedó genial; eres el mejor; eres un crack;
crack; de acuerdo, perfecto
""",
    blame="""
mal; está mal; eso está mal; esto está mal; muy mal; está todo mal; incorrecto; es incorrecto; eso es incorrecto;
está incorrecto; no es correcto; eso no es correcto; no está bien; eso no está bien; falso; eso es falso;
no es verdad; no es cierto; eso no es cierto; equivocado; te equivocas; te has equivocado; te equivocaste;
estás equivocado; no tienes razón; eso no es; no es eso; eso no es lo que ...; no es lo que ...;
esto no es lo que ...; no era lo que ...; no era eso; no quería eso; no pedí eso; no te pedí ...; yo no ...;
te dije ...; dije ...; te pedí ...; quería ...; me has entendido mal; me entendiste mal; lo has entendido mal;
lo entendiste mal; entendiste mal; no me has entendido; no me entendiste; no entendiste; has olvidado ...;
olvidaste ...; te olvidaste ...; te has olvidado ...; se te olvidó ...; no has ...; has roto ...; rompiste ...;
cometiste un error; no funciona; eso no funciona; esto no funciona; todavía no funciona; aún no funciona;
sigue sin funcionar; no funcionó; eso no funcionó; no ha funcionado; ya no funciona; sigue fallando; sigue igual;
sigue roto; sigue mal; todavía falla; el mismo error; el mismo error otra vez; mismo error; sigue el mismo error;
el mismo problema; no tiene sentido; eso no tiene sentido; no sirve; eso no sirve; no ayuda; tonterías; es peor;
está peor; peor; inútil; respuesta equivocada; eso lo rompió todo
""",
    before="""
ok; okay; vale; ah; oh; sí; si; no; bueno; wow; uf; ay; oye; hey; claro; guau; pues; ahora; esto; eso; perdona; todo
""",
    after="""
a ti; a usted; de nuevo; otra vez; ahora; así; ya; de verdad; también; claude; amigo; todavía; aún; por todo; por fin;
bien; :); 😊; 👍; 🙏; 🎉
""",
    unless="""
pero; sin embargo; aunque; excepto; salvo; lamentablemente; desafortunadamente; no; nada; nunca; ningún; ninguna;
tampoco; casi; de antemano; por adelantado; solo; roto; peor; falla; 🙄
""",
    then="""
ahora; y; por favor; sigue; continúa; luego; puedes; podrías; haz; siguiente; vamos; adelante
""",
    keep="""
recuerda que; recuerda:; recuerda esto; recuerda siempre; acuérdate de; acuérdate que; ten en cuenta que;
ten presente; tenlo en cuenta; no olvides que; no te olvides de que; nunca olvides; ...de ahora en adelante;
...a partir de ahora; a partir de hoy; desde ahora; en adelante; la próxima vez; anota que; anota esto; anota:;
apunta que; apunta:; toma nota; memoriza; guarda en memoria; guarda en tu memoria; guarda que
""",
)
