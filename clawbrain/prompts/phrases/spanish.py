"""Phrases in Spanish; `Phrases` says what each list is for."""

from . import Phrases

SPANISH = Phrases(
    praise="""
gracias; muchas gracias; mil gracias; muchísimas gracias; gracias por ...; muchas gracias por ...; perfecto;
está perfecto; es perfecto; excelente; genial; estupendo; fantástico; maravilloso; magnífico; increíble; bravo;
brillante; fenomenal; de maravilla; de lujo; guay; muy bien; muy bien hecho; bien hecho; buen trabajo; gran trabajo;
excelente trabajo; muy buen trabajo; buenísimo; muy bueno; está muy bien; está genial; eso es; eso era; exacto;
exactamente; así es; es correcto; está correcto; eso es correcto; tienes razón; tenías razón; justo lo que ...;
exactamente lo que ...; es justo lo que ...; es exactamente lo que ...; justo eso; es exactamente eso; funciona;
ya funciona; ahora sí funciona; ahora funciona; ahora sí; funcionó; eso funcionó; ha funcionado;
funciona perfectamente; funciona perfecto; funciona bien; funciona muy bien; todo funciona; eso funciona; sí funciona;
problema resuelto; resuelto; solucionado; problema solucionado; arreglado; mucho mejor; así mejor; mejor así;
ahora mejor; me gusta; me encanta; me gusta mucho; muy útil; eso ayudó; me ayudó mucho; se ve bien; se ve genial;
se ve perfecto; queda perfecto; quedó perfecto; quedó genial; eres el mejor; eres un crack; de acuerdo, perfecto;
correcto, gracias; así está bien; así está perfecto; está bien así; muy buen resultado; está muy bien así;
lo has arreglado; lo arreglaste; lo resolviste; eso lo resolvió; eso lo arregló; era lo que ...; es lo que quería;
eso es lo que ...; es lo que buscaba; todo correcto; todo bien; todo perfecto; tal cual; tal como ...; buena solución;
muy buena solución; estoy contento; así me gusta; quedó muy bien; queda muy bien; ahora está bien;
ahora está perfecto; sí, eso es; tiene sentido, gracias
""",
    blame="""
está mal; eso está mal; esto está mal; muy mal; está todo mal; incorrecto; es incorrecto; eso es incorrecto;
está incorrecto; no es correcto; eso no es correcto; no está bien; eso no está bien; eso es falso; no es verdad;
no es cierto; eso no es cierto; te equivocas; te has equivocado; te equivocaste; estás equivocado; no tienes razón;
eso no es; no es eso; eso no es lo que ...; no es lo que ...; esto no es lo que ...; no era lo que ...; no era eso;
no quería eso; no pedí eso; no te pedí ...; te dije ...; me has entendido mal; me entendiste mal;
lo has entendido mal; lo entendiste mal; entendiste mal; no me has entendido; no me entendiste; no entendiste;
has olvidado ...; olvidaste ...; te olvidaste ...; te has olvidado ...; se te olvidó ...; no has ...; has roto ...;
rompiste ...; cometiste un error; no funciona; eso no funciona; esto no funciona; todavía no funciona;
aún no funciona; sigue sin funcionar; no funcionó; eso no funcionó; no ha funcionado; ya no funciona; sigue fallando;
sigue igual; sigue roto; sigue mal; todavía falla; el mismo error; el mismo error otra vez; mismo error;
sigue el mismo error; el mismo problema; no tiene sentido; eso no tiene sentido; no sirve; eso no sirve; no ayuda;
tonterías; es peor; está peor; inútil; respuesta equivocada; eso lo rompió todo; no, quería ...; no quería ...;
no, dije ...; no, te pedí ...; te pedí ... no; te equivocaste de ...; archivo equivocado; ese no es ...;
ese no era ...; es el archivo equivocado; no compila; no me sirve; no has entendido; no entendiste ...;
no has hecho ...; no hiciste ...; te has equivocado de ...; eso no existe; esa función no existe; te lo inventaste;
te lo has inventado; sigue dando error; sigue con error; da error; todavía da error; aún falla; sigue sin compilar;
no se arregló; no lo arregló; no ayudó; eso no ayuda; no me gusta; eso tampoco ...; tampoco funciona; lo rompiste;
lo has roto; has borrado ...; borraste ...; la respuesta es incorrecta; tu respuesta está mal;
el resultado es incorrecto; está fatal; muy mal hecho; así no; así no es
""",
    before="""
ok; okay; vale; ah; sí; si; no; wow; uf; ay; oye; hey; guau; perdona; muy; realmente; tan; de verdad
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
ahora; por favor; sigue; continúa; luego; puedes; podrías; haz; siguiente; vamos; adelante
""",
    keep="""
recuerda que; recuerda:; recuerda esto; recuerda siempre; acuérdate de; acuérdate que; ten en cuenta que;
ten presente; tenlo en cuenta; no olvides que; no te olvides de que; nunca olvides; ...de ahora en adelante;
...a partir de ahora; a partir de hoy; desde ahora; en adelante; la próxima vez; anota que; anota esto; anota:;
apunta que; apunta:; toma nota; memoriza; guarda en memoria; guarda en tu memoria; guarda que
""",
)
