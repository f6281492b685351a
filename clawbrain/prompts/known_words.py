"""Words that decide what a prompt names: words that name no subject, and names of well-known products.

The lists are closed. A word of the first list is never a reason to hand over a memory; a word of the second is one by
itself where it stands in a memory's title, like the name of a person.
"""

from functools import cache

from ..words import STOP_WORDS, stem, terms
from .outcome import comparable

# Doing, pointing and judging, and the things that every prompt of a developer is about: no subject of their own.
_NO_SUBJECT = """
class classes module modules web app site array arrays loop loops feature features item items element elements script
scripts program random null none true false test tests testing rule rules convention conventions preference
preferences unable able absolutely actual actually add added adding again allow also already always another answer
anything apply around ask asked away back bad basically become before begin best better big bigger bit both bottom box
bring broken bug build button call called can careful case chain change changed changes char character check choose
clean clear clearer click close code color colour column come command compare compile complain compute consider
continue convert copy correct count create crash crashed current currently cut day debug default define detail diff
difference different do does done dot double down draw easy edit else empty end enough entry error errors even ever
every everything exact exactly example exit expect explain extra fail far failed failing fails fast faster feel few
field fields figure file files fill final find fine finish first fix fixed folder follow following font form format
full function functions further general generate get give given go goes going gone good great green guess half handle
hang hangs happen happened happens hard have hello help here hi hide high hold hour hours idea if imagine implement
implemented important improve include indentation inside instead issue job just keep keyboard kind know large larger
last late later latest layout learn least leave left length less let letter level like likely line lines link list
little load local long look looks lot low lower made main make makes manual many matter maybe mean means meant menu
message method middle minute minutes missing mistake mode moment month more morning most move moving much must name
named need needed needs never new next nice night nope nothing now number numbers object ok okay old once one ones
only open opened opinion option order other output page paragraph part pass passed passes paste path people per phrase
pick picture piece place plain play please point possible present press previous print problem process project proper
properly pull put question quick quickly quite read reading ready real really reason red remember remove rename repeat
replace rerun result results return returned returns right row rows run running runs same save say says screen second
section see seem seems sense sentence separate set sets shared short shorten shorter should show shown shows side
similar simple simpler simply since single size skip slow slower slowly small smaller some somebody someone something
somewhere sort sorry specific split spot start started state statement stay step steps still stop string structure
stuff style such suggest summarise summarize summary super sure swap syntax tab table take takes talk task tell term
text thank thanks thing things think third though three through throw time times tiny title today together tomorrow
tonight too top total try turn twice two typo under understand undo unless until up update updated usage url urls use
used user users uses using usually value values variable variables verify version very vertically via view wait want
wants warning way week well whatever when where whether which while whole why wide will window without wonder word
words work worked working works world worse worst would write writes writing written wrong year yellow yes yesterday
yet zero mister mr mrs ms miss dr prof professor sir madam herr frau bitte gerade geht gibt komme kommt kommen letzte
letzten letzter liegt liegen mache machen nächste nächsten nächster neu neue neuen steht zeig zeige prochain prochaine
dernier dernière peux faut marche merci próximo próxima último última puedo hacer hay ahora próximos prossimo prossima
ultimo ultima posso fare adesso volgende laatste graag nieuwe następny następna ostatni ostatnia teraz następne
следующий следующая последний последняя сейчас python javascript typescript java linux windows mac bash shell html git
"""

# English words that stand in no family of like words, and words of the trade: a title has them for many reasons.
_ORDINARY = """
english french german spanish italian japanese chinese russian portuguese dutch polish korean hindi turkish swedish
greek latin america england france germany spain italy japan china russia portugal netherlands poland india brazil
canada mexico europe asia africa australia austria switzerland london paris berlin york tokyo abc accommodate
according across advanced affinity aggressive alphabetical altogether anchor anymore anyone anywhere approach
arithmetic arrow ascending ascii await badge barrier basis behavior behaviour belong beyond bold boost bounds breakage
bugfix builder bullet bunch byte caller canvas capability cascade catch centre chance checker circle classic closest
closure collapse colon compact composite compound compose constructor context cross decorator decorative dedicated
deeper descending despite destination determine digit directly div docstring dom dual easiest effort element ellipsis
emit enforce enum everyone everywhere exotic expand explicit familiar fancy fatal fewer filename flatten flexible flip
flow focus footer footnote force forever forward frame front fullscreen gif glob grab gradient grammar grid gui hex
highest horizontal hub hybrid inline inner insecure int interactive intro introduction itself jpeg jpg kernel keyword
linker localhost logger macro magic media metadata micro middleware minimal minor modular multi multiple mutable naive
namespace native net notation numeric orientation otherwise outer overall parallelise pdf pixel playlist png portable
possibly posture preset prime prior pure rather react reader redirect redraw refine reflect regular roll runtime
scheme scratch secondary semantic semaphore sentinel series shape slash smooth soft solid somehow specify spinner
sprite square standalone stderr stdin stdout strip sub subset surface synonym technical technique texture throughout
tooltip toolbar toolchain traverse trivial unified uniform union unix upper upstream uri usb variant variation variety
viewer void wildcard wise wizard workload xml yield
"""

_PRODUCTS = """
pnpm npm yarn bun uv pip poetry pipenv conda mamba pixi cargo bundler composer homebrew android ios macos iphone redis
postgres postgresql mysql mariadb sqlite mongodb mongo dynamodb cassandra clickhouse duckdb snowflake bigquery
elasticsearch opensearch meilisearch algolia typesense kafka rabbitmq nats celery sidekiq temporal airflow dagster dbt
spark flink kubernetes k8s helm terraform pulumi ansible nomad consul vault traefik nginx caddy haproxy envoy istio
cloudflare fastly vercel netlify heroku fly render hetzner digitalocean aws gcp azure s3 ec2 lambda ecs eks fargate
cloudfront route53 sqs sns rds supabase firebase auth0 okta keycloak cognito clerk stripe paypal adyen braintree
twilio sendgrid postmark mailgun mailchimp mailpit segment mixpanel posthog amplitude sentry datadog grafana
prometheus loki newrelic honeycomb opentelemetry jaeger kibana logstash pagerduty opsgenie slack jira linear
confluence notion asana trello figma storybook zapier hubspot salesforce zendesk intercom shopify contentful sanity
strapi wordpress django flask fastapi starlette sqlalchemy alembic pydantic pytest asyncpg psycopg uvicorn gunicorn
pandas numpy polars scipy sklearn pytorch tensorflow jax huggingface langchain rails laravel symfony spring hibernate
quarkus express nestjs nextjs nuxt remix svelte sveltekit vue angular astro vite webpack rollup esbuild turborepo
eslint prettier biome jest vitest cypress playwright selenium puppeteer tailwind mui chakra shadcn redux zustand mobx
graphql apollo trpc grpc protobuf prisma drizzle knex sequelize typeorm kotlin swift swiftui flutter expo electron
tauri unity unreal godot arduino esp32 raspberry mqtt mosquitto zigbee homeassistant proxmox tailscale wireguard
openai anthropic ollama pinecone qdrant weaviate milvus chroma pgvector minio ceph restic borg jenkins circleci
buildkite argocd gitlab bitbucket sonarqube renovate dependabot overleaf obsidian snakemake nextflow slurm ros gazebo
cmake bazel gradle maven conan flyway liquibase
"""


@cache
def _stems(words: str) -> frozenset[str]:
    return frozenset(map(stem, comparable(words).split()))


def names_no_subject(term: str) -> bool:
    """Tell whether a word, as it is searched for, says nothing of what a prompt is about."""
    return term in _stems(_NO_SUBJECT) or term.isdigit()


def word_names_no_subject(word: str) -> bool:
    """Tell whether a written word in lower case says nothing of what a memory is about."""
    return word in STOP_WORDS or all(map(names_no_subject, terms(word)))


def is_ordinary(term: str) -> bool:
    """Tell whether a word, as it is searched for, is an ordinary one that no family of like words holds."""
    return term in _stems(_ORDINARY)


def is_product(term: str) -> bool:
    """Tell whether a word, as it is searched for, is the name of a well-known product."""
    return term in _stems(_PRODUCTS)
