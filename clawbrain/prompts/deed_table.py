"""The kinds of work that people make rules about: how a prompt asks for one, and what a rule about it is called by.

Of each deed, one line each: words that ask for it where a wish begins ("commit this", "please install …"); words that
ask for it anywhere ("restaurant"); what is made or changed ("add an endpoint"); words in the title or tags of a rule.
"""

TABLE = """
asks: install uninstall upgrade bump installe installer instala instalar installa installare
always: 安装 インストール installiere installieren installeer installeren zainstaluj zainstalować установи установить
makes: dependency dependencies library libraries lib libs package packages crate crates gem gems plugin
  httpx numpy pandas polars scipy django flask fastapi pydantic sqlalchemy boto3 lodash axios date-fns dayjs zod serde
  tokio anyhow clap sidekiq devise jackson
rules: package packages package-manager dependency dependencies library libraries install installing installation pip
  uv npm pnpm yarn bun poetry pipenv conda mamba pixi cargo crates gems bundle bundler composer brew apt gradle maven
  nuget cocoapods modules packaging

asks: commit
always: 提交 コミット committen commiten
makes: commit commits
rules: commit commits

asks: branch
always:
makes: branch branches
rules: branch branches branching branch-names

asks:
always: pull-request pull-requests merge-request
makes: pr prs mr
rules: pr prs pull-request pull-requests pullrequest pullrequests merge-request merge-requests

asks: push rebase force-push squash
always: pushe pushen rebasen
makes: history
rules: push pushing rebase force-push rebasing

asks:
always:
makes: endpoint endpoints route routes handler resource resources api apis controller controllers
  接口 端点 エンドポイント
rules: api apis rest endpoint endpoints routes routing urls url http graphql versioning pagination openapi

asks: migrate
always:
makes: 迁移 マイグレーション column columns index migration migrations schema foreign-key constraint database-table
rules: migration migrations database databases db columns schema-changes

asks:
always:
makes: query queries sql
rules: sql orm query queries

asks:
always:
makes: data database databases bucket buckets recordings records backups volume volumes branch branches
rules: delete deleting deletion deletions destructive

asks:
always:
makes: 测试 テスト test tests spec specs unit-test unit-tests testcase test-case test-cases coverage
rules: test tests testing mocks mock mocking fixtures tdd unit-tests pytest jest vitest junit rspec minitest

asks: log
always:
makes: 日志 ログ log logs logging logger
rules: log logs logging logger

asks: raise throw
always:
makes: error errors exception exceptions error-handling error-message
rules: error errors exception exceptions error-handling

asks:
always:
makes: button color colour css style styles styling font margin padding background theme spacing
rules: css styling tailwind scss sass theming colors colours dark-mode design-tokens

asks:
always:
makes: component components screen screens form modal dialog widget view
rules: component components ui screens react vue svelte angular compose swiftui

asks: annotate document
always:
makes: 注释 文档 コメント comment comments docstring docstrings documentation docs readme
rules: comment comments docstring docstrings documentation docs javadoc jsdoc

asks: annotate
always:
makes: type-hint type-hints hints annotations typing
rules: types typing type-hints typings annotations type-checking

asks:
always:
makes: metric metrics dashboard panel alert alerts monitoring
rules: metrics dashboard dashboards monitoring alerts alerting observability

asks:
always:
makes: variable variables constant constants identifier
rules: naming variable-names identifiers

asks:
always:
makes: timestamp timestamps timezone timezones date dates datetime datetimes time times time-zone due-date
rules: utc timezone timezones time-zone time-zones timestamps dates datetimes datetime date-format

asks:
always:
makes: price prices pricing amount amounts currency money total discount fee fees tax
rules: money currency currencies prices amounts cents decimals

asks: plot visualise visualize chart
always:
makes: plot plots figure figures chart charts graph diagram
rules: plots plotting figures charts graphs matplotlib

asks:
always: dataframe dataframes parquet
makes: csv excel xlsx
rules: pandas polars dataframe dataframes

asks: email mail
always:
makes: 邮件 メール email emails mail mails e-mail
rules: mail mails email emails correspondence

asks: reschedule
always: slot
makes: call meeting meetings appointment appointments
rules: calendar meeting meetings appointments

asks: deploy release ship publish
always: 部署 デプロイ deployen
makes: release deployment
rules: deploy deploys deployment deployments release releases

asks:
always:
makes: secret secrets password passwords api-key api-keys token tokens credential credentials env-var env-vars
rules: secret secrets credentials passwords env-vars dotenv

asks: call fetch
always: timeout timeouts retry retries
makes: request requests call calls
rules: timeouts timeout retries deadlines http-client http-clients

asks: reformat lint format
always: formatter linter
makes: indentation formatting linting
rules: formatting formatter lint linting linter prettier indentation

asks: dockerize containerize
always: dockerfile
makes: image container
rules: docker dockerfile containers

asks: restore back-up
always: backup backups
makes:
rules: backup backups

asks: cook eat
always: restaurant restaurants recipe recipes dinner lunch breakfast meal snack snacks
makes: cake food
rules: food diet vegetarian vegan allergy allergies allergic

asks: travel
always: flight flights hotel hotels
makes: trip
rules: travel flights flight hotels hotel

asks: review
always:
makes: review
rules: review reviews reviewing code-review

asks: proofread
always:
makes: abstract article blog post paper manuscript chapter essay blogpost
rules: writing spelling prose latex style-guide

asks: toggle
always: feature-flag feature-flags
makes: flag toggle flags toggles
rules: feature-flags flags toggles feature-toggles

asks: translate localize localise
always: i18n
makes: translation translations label labels
rules: i18n translations localization localisation

asks:
always:
makes: field fields message proto protos protobuf
rules: protobuf proto protos

asks:
always:
makes: package packages folder folders directory directories
rules: layout structure folders

asks:
always: notebook notebooks
makes: notebook notebooks
rules: notebook notebooks jupyter

asks:
always:
makes: image images picture pictures photo photos icon icons
rules: images icons pictures photos

asks: track
always:
makes: analytics tracking tracker trackers pixel
rules: analytics tracking trackers privacy

asks:
always:
makes: release-note release-notes changelog
rules: release-notes changelog

asks: submit
always: sbatch
makes: job jobs
rules: jobs slurm cluster

asks: validate
always:
makes: validation validator input
rules: validation validators

asks:
always:
makes: accessibility aria
rules: accessibility a11y
"""

# Words that ask to make or change something: English, German, French, Spanish, Portuguese, Italian, Dutch, Polish,
# Chinese and Japanese, Russian.
MAKING = """
add adding answer arrange book build calculate change compare compute create define delete design display draft drop
extend generate implement include insert introduce keep load make need new organise organize parse plan prepare
provide purge put raise read refactor remove rename replace reply return rewrite round save scaffold schedule send set
show store throw update wipe write
füge hinzufügen erstelle erstellen schreib schreibe schreiben mach mache baue bauen ändere ändern brauche brauchen
lösche löschen zeichne zeichnen lege anlegen ergänze ergänzen neuen neue neues zeige zeig
ajoute ajouter ajoutez crée créer créez écris écrire écrivez fais faire modifie modifier remplace remplacer
añade añadir agrega agregar crea crear escribe escribir haz hacer cambia cambiar modifica modificar
adiciona adicionar cria criar escreve escreva escrever faz fazer muda mudar altera alterar acrescenta
aggiungi aggiungere creare scrivi scrivere fai cambiare
maak maken schrijf schrijven voeg toevoegen wijzig wijzigen bouw bouwen
dodaj dodać stwórz utwórz napisz napisać zrób zmień zmienić zbuduj
添加 新增 创建 写 加 追加 作っ 作成 書い
добавь добавить создай создать напиши написать сделай сделать измени изменить
"""

# A noun phrase ends with one of these: what follows is no longer what is made.
ENDS = """
that which who so because when where if but while before after for from with without into in on at by of as like
please instead then using about under until unless called named
für mit von aus im auf dass pour avec dans qui que para con del desde per nel voor met van dla na z
"""

DENIALS = "don't don’t dont not never without nicht nie pas no não non niet не"

# Words behind which a rule names what is to be used, or not to be used, without accents; the same languages.
RULING = """
use uses using prefer prefers avoid never not no without
nutze nutzen nutzt benutze benutzen verwende verwenden verwendet nie niemals nicht kein keine keinen ohne
utilise utiliser utilisez utilisons jamais pas sans
usa usar usamos usad utiliza utilizamos nunca sin use usem sem nao usare usiamo mai senza
gebruik gebruiken nooit geen zonder uzywaj uzywamy nigdy bez используи используем никогда не без
"""

# Words after which a wish begins, besides the beginning of a sentence.
WISHING = """
please and then to let's lets just you also now go , : i we should can could will would must bitte und auch dann
s'il ensuite y e por luego poi en dan i oraz и
"""

# What tells a thing that was or may be done, before "I" or "we".
TOLD = "before after when once if as since until did do does while had have"

# A rule that names a language, or what belongs to it, is not about work in another one.
LANGUAGES = """
python py pip uv poetry conda pipenv pixi requests httpx numpy pandas polars scipy django flask fastapi pytest pydantic
  sqlalchemy boto3 matplotlib
javascript js typescript ts npm pnpm yarn bun node react vue svelte angular express lodash axios date-fns dayjs moment
  zod jest vitest eslint webpack vite tailwind frontend
rust cargo crate crates serde tokio anyhow clap
go golang gofmt
ruby gem gems rails bundler bundle rspec
java maven gradle junit kotlin jackson
php composer laravel symfony
swift cocoapods swiftui
c# dotnet nuget
"""
