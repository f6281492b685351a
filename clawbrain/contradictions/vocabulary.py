"""The words by which claims are told apart, as people write them; `spelling` brings them to their stems.

A word goes where its grammar puts it: nothing here knows what a comparison does with it. An opposite or a rival that
is missing costs a contradiction that goes unnoticed, one too many a false alarm: when in doubt, leave it out.
"""

import re


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def ordered(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def groups(text: str) -> tuple[frozenset[str], ...]:
    """Return the sets of words that stand between the bars and on the lines of a text."""
    return tuple(words(group) for group in text.strip().replace("\n", "|").split("|"))


DROPPED = words(
    "a an the this that these those our my their its your his her please we i you they it he she is-to just "
    "very really do does did done will would shall have-been s there here then so quite still already yet "
    "anymore any more ever now currently today about around approximately roughly exactly only simply actually "
    "generally usually normally typically also too additionally both e.g i.e explicitly strictly always user-s "
    "own well everything everyone"
)
PREPOSITIONS = words(
    "in on at to from with by through via under over after before until as into for of than within during "
    "against between about across per without upon onto since when if unless while except because inside"
)
SCOPES = words("in on at for when if unless during under while except inside within per only")
REASONS = words("since because after due")
WEAK = words("use be at_ make get have run work keep go happen take let set be-to and or way thing be_done code")
OWNERS = words("team project user company codebase group everyone")
ATTRIBUTES = words(  # 'The theme is solarized': a thing has one of each
    "default theme colour color language license licence version format encoding timezone region editor vendor owner "
    "deadline level mode engine backend framework protocol unit currency name address port schema dialect font locale "
    "supplier provider deputy captain budget shell strategy convention style mascot codename layout base branch"
)
FORMATS = words(  # what is written in one way: 'Timestamps use Unix seconds', but not 'The team uses Docker'
    "timestamp date id identifier key password token version name log response payload url currency price measurement "
    "unit coordinate temperature indentation amount duration"
)
ANYONE = words("anyone anybody everyone everybody all any every")
NUMBERED = words("bug issue ticket pr task story item case order customer server room incident request")
JOINS = words("and or but plus")
FREQUENCIES = words("hourly daily nightly weekly biweekly monthly quarterly yearly annually continuously")
DAYS = words("monday tuesday wednesday thursday friday saturday sunday")
MONTHS = ordered("january february march april may june july august september october november december")
COLOURS = words("red green blue yellow black white orange purple grey gray pink brown")
UNBENT = FREQUENCIES | DAYS | COLOURS | frozenset(MONTHS)
NUMBERS = {
    **{word: str(n) for n, word in enumerate(ordered("zero one two three four five six seven eight nine ten"))},
    "eleven": "11", "twelve": "12", "dozen": "12", "fifteen": "15", "twenty": "20", "thirty": "30", "forty": "40",
    "fifty": "50", "sixty": "60", "ninety": "90", "hundred": "100", "thousand": "1000",
}  # fmt: skip
SAME = {
    "repo": "repository", "db": "database", "prod": "production", "k8s": "kubernetes", "postgres": "postgresql",
    "js": "javascript", "ts": "typescript", "config": "configuration", "env": "environment", "max": "maximum",
    "min": "minimum", "docs": "documentation", "dev": "development", "auth": "authentication", "app": "application",
    "favour": "favor", "colour": "color", "prs": "pr", "mails": "email", "emails": "email",
    "delivered": "send", "sent": "send", "kept": "keep", "ran": "run", "wrote": "write", "written": "write",
    "left": "leave", "built": "build", "chose": "choose", "chosen": "choose", "held": "hold", "led": "lead",
    "met": "meet", "went": "go", "gone": "go", "made": "make", "took": "take", "taken": "take", "lives": "live",
    "began": "begin", "begun": "begin", "has": "have", "had": "have", "goes": "go", "uses": "use", "used": "use",
    "using": "use", "utilizes": "use", "utilize": "use", "employs": "use", "is": "be", "are": "be", "was": "be",
    "were": "be", "been": "be", "being": "be", "=": "be", "am": "be", "becomes": "be", "became": "be", "became_": "be",
    "begins": "start", "begin": "start", "starts": "start", "started": "start", "detailed": "detail",
    "everybody": "everyone", "people": "person", "&": "and", "wants": "want", "occurs": "happen", "occur": "happen",
    "bigger": "large", "big": "large", "larger": "large", "smaller": "small", "faster": "fast", "slower": "slow",
    "quick": "fast", "quickly": "fast", "shorter": "short", "longer": "long", "hates": "dislike", "hate": "dislike",
    "loves": "like", "love": "like", "enjoys": "like", "enjoy": "like", "brief": "short", "terse": "short",
    "concise": "short", "lengthy": "long", "verbose": "long", "on_": "enabled", "off_": "disabled",
    "newest": "latest", "permit": "allow", "private_": "private", "retained": "keep", "deleted": "delete",
    "bicycle": "cycle", "bikes": "bike", "fond": "like", "bought": "buy",
    "sold": "sell", "paid": "pay", "grew": "grow", "grown": "grow", "lost": "lose", "won": "win", "fell": "fall",
    "rose": "rise", "psql": "postgresql", "mongo": "mongodb",
    "osx": "macos", "outside": "outdoors", 
    "gas-powered": "gas", "wi-fi": "wireless",
}  # fmt: skip

OPPOSITES = groups("""
enabled disabled | public private | before after | short long detail | like dislike | synchronous asynchronous
sync async | manual automatic | open closed restricted | join leave | stateless stateful | work leave | with without
accept reject | include exclude | ascending descending | increase decrease | minimum maximum | least most
above below | true false | yes no | stable unstable | safe unsafe | mutable immutable | strict lenient loose relaxed
eager lazy | local remote | internal external | encrypted unencrypted plaintext | encrypted unencrypted
single multiple | light dark | early late | cheap expensive | small large | high low | fast slow
morning evening afternoon | full-time part-time | online offline | active inactive | valid invalid | add remove
keep delete discard | start stop | push pull | pass fail | succeed fail | required optional | supported unsupported
typed untyped | present absent | sequential parallel | blocking non-blocking | warm cold | relative absolute
centralized decentralized | centralised decentralised | free paid | open-source proprietary closed-source
case-sensitive case-insensitive | idempotent non-idempotent | formal informal casual | on-site remote
office remotely home | left right | top bottom | up down | first last | lowercase uppercase
snake_case camelcase kebab-case pascalcase | snake camel kebab pascal | tab space | single double
monorepo polyrepo multirepo | allow deny | allowlist denylist | opt-in opt-out | vegetarian vegan meat
introvert extrovert | simple complex | deterministic nondeterministic | signed unsigned | signed signless
backward forward | soft hard | static dynamic | raise swallow | read-only writable | read-only read-write
strip keep | strip preserve | drop keep | remove preserve | ignore honor | ignore respect | skip pass | skip undergo
skip need | locked unlocked | frozen thawed | horizontal vertical | client-side server-side | visible hidden
show hide | on-premise cloud | self-hosted managed | self-hosted github-hosted | self-hosted hosted
temporary permanent | full partial | full mixed | full half | approve decline | approve reject | accept decline
inbound outbound | upstream downstream | afraid like | fear like | left-handed right-handed | win lose | rent own
renew cancel | grow shrink | rise fall | complete incomplete | healthy broken | stale fresh | same different
ordered unordered | sorted unsorted | batch streaming | eventual strong | weak strong | optimistic pessimistic
shallow deep | implicit explicit | compiled interpreted | lossless lossy | hot cold | wet dry | empty full
junior senior | client server | open invite-only | everyone invite-only | public invite-only | married single
indoors outdoors | standing demolished | why what | wired wireless | voluntary compulsory | draft final
obsolete current
""")

RIVALS = groups("""
postgresql mysql sqlite mariadb mongodb oracle cockroachdb dynamodb cassandra | npm yarn pnpm bun
pip poetry uv pipenv conda pdm | webpack vite rollup esbuild parcel turbopack | pytest unittest nose
jest vitest mocha jasmine | black ruff yapf autopep8 prettier | eslint biome tslint | flake8 pylint
jenkins circleci travis gitlab-ci buildkite | aws gcp azure | github gitlab bitbucket | merge rebase squash
slack teams discord mattermost | jira linear asana trello | linux windows macos | vim neovim emacs vscode
rabbitmq kafka nats sqs | json yaml toml xml csv ini protobuf | kubernetes nomad swarm | nginx apache caddy traefik
http https | rest graphql grpc soap | redis memcached | bcrypt argon2 scrypt sha256 md5 | react vue angular svelte
flask fastapi django | terraform pulumi cloudformation | sass less tailwind | markdown asciidoc rst
utf-8 utf-16 latin-1 ascii | mypy pyright | zsh bash fish | metric imperial | tea coffee
python java javascript typescript ruby rust kotlin swift scala elixir | utc cet pst est gmt | euro dollar pound
cookie jwt | drive cycle bike walk | diesel petrol electric electricity gas hydrogen solar
express koa hapi nestjs fastify | rails sinatra laravel symfony | spring quarkus micronaut
gradle maven bazel ant cmake meson sbt | redux mobx zustand | cypress playwright selenium puppeteer | junit testng
stripe adyen paypal braintree klarna | sentry rollbar bugsnag | confluence notion sharepoint | outlook gmail
zoom webex | figma sketch | elasticsearch opensearch solr meilisearch algolia | docker podman | helm kustomize
ubuntu debian fedora centos alpine | chrome firefox safari
english german french spanish italian dutch portuguese japanese chinese polish swedish | north south east west
okta auth0 keycloak cognito | oauth saml | ecdsa rsa ed25519 | gzip brotli zstd lz4 snappy | sse websocket
airflow dagster prefect luigi | snowflake bigquery redshift clickhouse databricks | tensorflow pytorch jax
pandas polars | prisma typeorm drizzle sequelize knex sqlalchemy | svn git mercurial | ansible chef puppet
netlify vercel heroku | celery rq dramatiq sidekiq | gunicorn uwsgi uvicorn hypercorn | semver calver
semantic calendar | trace debug info warn warning error fatal | monolith microservice | scrum kanban
celsius fahrenheit kelvin | vault bitwarden 1password lastpass | serif sans-serif | make just
mit apache-2.0 gpl bsd mpl
""")

OF_ONE_PERSON = words("zsh bash fish vim neovim emacs vscode")  # rivals of which a person uses one

# Verbs that take many objects at once: knowing Rust does not deny knowing Go.
MANY = words(
    "know own like dislike handle support have include contain maintain speak attend fix add review visit "
    "mention help learn test provide expose import depend need require send can read write see cover collect "
    "track implement integrate subscribe contribute participate pair collaborate talk rely call block ship "
    "create update investigate debug discuss document refactor improve teach consume emit publish validate "
    "parse load export monitor show list offer involve affect manage study share buy try play watch avoid check "
    "cause touch serve accept detect remember note allergic interested available compatible related ask receive "
    "process generate"
)
LOOSE = words(
    "used involved interested shared tested supported called imported mentioned affected available allergic "
    "related compatible integrated connected included covered good great bad familiar experienced happy "
    "required needed"
)
MUTUAL = words("and or be meet match equal know work talk call pair resemble marry use")
PAST = words(
    "met wrote went built left ran made took bought spoke gave saw found held led sent began chose taught broke "
    "fell got had did was were told drew flew lost won paid said thought brought caught sold spent"
)
ORIGINS = words(  # what happens to a thing once
    "born died founded created invented developed composed established discovered performed directed painted built "
    "written published released produced recorded acquired elected appointed graduated studied married named"
)
KINDS = words(  # 'the city of Graz': the word before 'of' says what sort of answer follows, and there is one
    "city town village country continent state province region language sport religion position field occupation "
    "profession genre species citizen citizenship nationality native capital"
)
ONE_PLACE = words("in on at to from with by through via under after before until as into within")
ONE_OBJECT = words(
    "call name cost equal mean last default exit expire listen follow prefer guarantee weigh target want "
    "return_ take meet at_ start end close deploy total"
)
ONE_HOLDER = words("lead own manage head chair direct responsible charge on-call maintain coordinate approve supervise")
LEADERS = words(  # 'our release manager' is one person, 'our customer' may be any of many
    "manager lead leader chief captain officer director president chair cto ceo cfo coo ciso dpo"
)
IMPERATIVES = words(
    "use run add keep prefer write store put set deploy commit format log name push pull merge squash rebase "
    "sort indent make wrap document test start stop call ask answer include return raise validate pin build tag "
    "require allow sign limit cache enable disable open close create delete remove place save send read load "
    "avoid"
)
VERBS = words(
    "use be run live work report listen expire serve contain know own like dislike prefer want handle support "
    "need have take cost name call return exit happen meet join leave start end depend rely go come deploy "
    "store keep write speak lead manage maintain head chair follow guarantee last default send post fail pass "
    "block mean require include configure provide expose consume emit publish read eat sit stay belong point "
    "sign log sort cache retry rotate enjoy review fix add test reset show parse import export load check "
    "validate limit travel commute drink begin close open ship receive accept reject target cover total trigger "
    "sync cut attend play study teach weigh drive share charge pay generate render hash encrypt back move power "
    "track at_ allow approve supervise strip override cycle bike walk skip talk call subscribe collaborate pair"
)
ADJECTIVES = words(
    "slow fast flaky large small good bad new old warm cold green red broken stable ready safe hard easy simple "
    "complex clean dirty happy busy tall kind smart big long short full empty free cheap quiet loud durable "
    "strict important due fine heavy light well tired sick late early deep thin thick rich poor public private "
    "remote local open"
)
ADJECTIVE_END = re.compile(r"(?:ful|ous|ive|able|ible|less|ish|ic|al|ent|ant|y|ed|en|ing)$")
NEGATIONS = words("not no never none nobody nothing neither nor cannot unsupported dont")
REQUIRED = words("must should need needs mandatory required requires require obligatory compulsory always ought")
ALLOWED = words("accepted allowed allow allows permitted may can could ok okay fine acceptable welcome possible")
OPTIONAL = words("optional optionally voluntary")
ADDS = re.compile(r"\b(?:also|too|as well|additionally|both|another)\b")
