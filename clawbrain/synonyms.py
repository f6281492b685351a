"""Words that mean nearly the same: a question and its answer are seldom written in the same ones.

One family a line. Everyday English and what developers say, with the commonest German, Spanish and French of
the trade. A word may stand in several families; a family too wide finds everything and therefore nothing.
"""

from functools import cache

from .words import terms_of

_FAMILIES = """
abort cancel interrupt
accelerate speed faster quicken
access permission authorization rights privilege scope allow
accessibility a11y contrast keyboard
account user profile
accurate precise exact correct
acquire obtain get buy
adjust tune tweak adapt change
administrator admin root
advice tip recommendation suggestion
afraid scared fear nervous anxious worried
agree consent approve
agreement contract deal vertrag contrato contrat
alarm alert notification pager warning
alias shortcut abbreviation
allergy allergic
allocate assign reserve
alternative replacement substitute option instead
amount sum total quantity number
analytics statistics metrics tracking
angry upset mad annoyed
animal pet
announce inform notify tell
answer reply response respond
apartment flat home house
api endpoint route interface
app application program
apprehensive nervous anxious
architecture design structure adr
argument parameter option flag
arrive come reach
article post blog paper
artist painter musician
asset resource file static
attack exploit attacker hacker intrusion
attempt try retry
attend visit join go
audit trail log
authenticate authentication auth login signin passkey anmeldung
authorize authorization authz permission
automate automatic automation bot script
award prize medal trophy win
baby infant newborn child kid
backend server service
backup snapshot dump restore recovery sicherung respaldo sauvegarde
balance equal
bake cook recipe
balancer proxy gateway ingress nginx
ban forbid prohibit refuse
bank account iban
batch bulk chunk
battery power cell akku
beach ocean sea coast
beautiful pretty lovely gorgeous
begin start launch beginning
believe think opinion faith
benchmark measure performance
best favorite favourite
bicycle bike cycling cycle
bill invoice billing receipt rechnung factura facture
binary executable
birthday anniversary born
block prevent refuse lock
boat ship sail
book novel read author reading
boss manager lead head supervisor chef
branch trunk main master
break pause rest
broken defect damaged brick
brother sister sibling
browser chrome firefox safari web
bug defect error fault issue problem fehler fallo bogue
budget limit cost
build compile make pipeline
bundle package webpack javascript
business company firm startup
buy purchase acquire order shop shopping
cache caching redis cached memoize
calendar schedule appointment
call invoke phone
camera photo photography picture
camping camp hiking outdoors tent
cancer illness disease
capital funding investment money
car vehicle automobile truck van
card payment credit
career job profession occupation work
careful caution
cat kitten pet
cause reason why because due
cellphone phone mobile smartphone
certificate tls ssl cert https expiry
change modify alter edit update migration
charge bill pay payment billed
chat message talk
cheap affordable inexpensive
check verify validate inspect confirm
child children kid daughter son
choose pick select decide decision
church faith religion
ci pipeline build actions workflow jenkins
city town
class course lesson
cleanup clean prune purge tidy wipe
client customer consumer user
climb mountain hike
clothes outfit dress fashion clothing
cloud aws azure gcp
code source program
coffee tea drink
collaborate cooperate together
colleague coworker teammate employee
collect gather
color colour
column field attribute
command cli shell terminal
commit push
compare difference versus
compensate reimburse refund
competition contest tournament race
complain complaint
compress gzip zip
computer laptop machine pc
concern worry
concert show gig performance
concurrency parallel race thread simultaneous
configuration config setting settings option configure konfiguration
connect link join
connection network socket conexion verbindung
consumption usage use
contact reach call person kontakt contacto
container docker image pod
contribute donate volunteer
conversation talk chat discussion
convert transform translate
cookie consent session
copy clone duplicate
correct fix right
cost price expense fee expensive money kosten
country nation
courage brave
cpu processor load
crash failure panic die outage
crashed failed died
create make add build new generate
credential password secret token
cron scheduler scheduled nightly job periodic
currency money euro dollar amount
customer client user rider kunde cliente
daily standup
damage harm break
dance dancing
dark night
dashboard panel grafana chart
data information
database db sql postgres postgresql mysql sqlite datenbank
date day time
deadline due timeout
deadlock lock race
debug diagnose troubleshoot investigate
decline reject refuse deny
default standard
degree diploma graduate
delay latency wait slow
delete remove erase drop purge deletion erasure wipe
deliver ship delivery shipping
dependency package library module
deploy deployment release ship rollout publish promote
deprecate sunset obsolete retire
describe explain description
design mockup figma
desktop computer
destroy ruin
detect discover find notice
developer engineer programmer dev
device phone hardware gadget machine
diet food nutrition
directory folder path dir
disable off deactivate
disaster outage incident emergency
discount coupon reduction half cheaper
disk storage volume filesystem drive
dispute chargeback contested
distributed cluster
divorce separate breakup
dns domain cname hostname
doctor physician medical health
documentation docs doc readme wiki manual guide
dog puppy pet
download fetch pull
draw paint art sketch drawing painting
dream goal wish hope aspiration
drive drove car
duplicate twice double dedupe idempotent idempotency
duration length long time
earn salary income
easy simple
eat food meal dinner lunch
edge cdn proxy
editor ide vscode vim emacs helix
education school study learn university
elasticsearch elastic search
email mail inbox
emergency urgent
employee staff worker colleague
empty blank null none
encode encoding utf unicode charset
encourage support motivate inspire
encrypt encryption cipher tls
end finish complete stop
energy power
engine motor
enjoy like love fun
enough sufficient
environment env staging
error exception failure fault crash
escape sanitize quote
event message
evidence proof
excel spreadsheet csv
exception error traceback crash
excited thrilled happy
execute run
exercise workout gym fitness training
expensive costly price
experiment test trial ab
expire expiry lapse ttl timeout expiration
explain describe clarify explanation
expose public
export dump
extract parse
fail failure error broken fails
family relative parent
fan supporter
fast quick rapid speed performance
father dad parent
feature functionality
feel feeling emotion
female woman girl
film movie cinema
filter exclude
finance financial money
find locate discover
firmware embedded device
fix repair solve resolve mend
flag toggle switch unleash
flaky intermittent unstable random
float decimal double rounding
food meal dish cuisine cook
forbid prohibit never ban
forecast predict prediction demand
forget erasure
format style layout
formatter formatting indentation prettier
framework library
fraud abuse
friend buddy pal friendship
frontend ui web client browser
full complete
function method procedure def
fund money raise
fundraiser charity donate
funny humor
gain benefit
game play player video gaming
garbage trash gc
garden plant flower
gdpr privacy erasure personal
gift present
give donate
goal aim target plan
good great
graph chart
graphql rest api
green environment
group team community
grow growth increase climb climbing
guideline rule convention
hash digest checksum
heal recover
health wellness
hear listen
help support assist
hide conceal
hire interview candidate recruit hiring
hobby interest pastime activity
holiday vacation trip festivo feiertag
horse riding
host server machine
hospital medical doctor
hot heat overheat
hour time
house home property
html markup web
husband wife spouse partner
icon image
id identifier key
identity gender
idle inactive
ill sick disease
image picture photo
implement build
import load
improve better enhance
incident outage postmortem downtime
income salary revenue
increase raise grow
index lookup
infrastructure terraform infra server
inject injection escape
injury hurt accident
install setup
instance server node
instrument guitar piano violin
integer number
internationalization i18n translation locale
internet web network online
invalid wrong malformed
invite invitation
job task work
json yaml format
jwt token session
key secret
kind type sort
kubernetes k8s pod cluster
label tag
language locale translation
laptop computer notebook
large big huge
latency slow delay response
launch start open
law legal legislation
leader boss
leak memory
legal law license compliance
license licence legal
limit maximum quota cap threshold max
lint linter ruff eslint style
list array
load traffic
location place position gps
lock mutex latch schloss cerradura
log logging journal trace
login signin session authentication
logo brand
lonely alone
lose loss
mail email post
maintain maintenance
male man boy
map cartography tile geo
market shop
marry wedding marriage married
match game
maternity parental pregnancy leave
measure metric
medicine drug medication
meditation yoga mindfulness
meeting call conference sync
memory ram heap oom
merge squash rebase
message notification
metric monitoring
microservice service
military army veteran
minute time
mistake error
mobile phone app ios android
mock stub fake
model ml ai
money cash fund
monitor monitoring observability alert
monorepo repository
mother mom mum mama parent
move relocate migrate
museum gallery exhibition
music song band album
name call title
nature outdoors park
network connection vpn
new recent
news article
newer later recent
night evening
noise spam
note memo
notify notification push
number count
offer proposal
office building workplace buero oficina
offline disconnected
often frequently
ok fine
old former legacy previous
oncall rotation pager shift
operating os linux
operations ops sre
optimize optimization tune improve
option choice
order sequence sort ordering
orm sqlalchemy query
overlap concurrent
own have
owner responsible maintainer charge
package dependency library npm pip
page paginate pagination
pain hurt
parent mother father
parse parser parsing
partner integration third
party celebration
passion love
password passphrase credential secret hash passwort
patch fix
path route
pause sleep wait
pay payment payout stripe charge zahlung pago paiement
payment transaction checkout
peaceful calm relax
peer colleague
penalty fee fine
pentest audit vulnerability
performance speed latency
permit allow
person people individual
pet dog cat
phone mobile smartphone handset
piece part
place location spot
plan intend
platform infrastructure
plugin extension addon
poem poetry
policy rule
pool connection
popular famous
port socket
postpone delay defer
practice exercise
prefer preference like favorite wants
pregnant baby
prevent avoid
price cost fee fare tariff precio preis prix
primary master main
print log
problem issue trouble
process procedure
produce create
production prod live produktion
project initiative
protect guard
protocol format
proud pride
push publish
quality standard
queue broker kafka nats rabbitmq messaging
random arbitrary
rate limit
ready done
real actual
rebuild recreate
record write
recover restore
reduce decrease lower cut
refactor rewrite cleanup
refund reimburse return
register signup registration onboarding
regulation law
relationship partner dating
relax unwind rest
release version tag publish
reliable stable
remember recall
remote distant
rename move
renew renewal
rent lease hire
replace swap substitute
replica standby follower replication
report summary
repository repo git
request call query
require need must mandatory required
reservation booking hold reserve
reset wipe clean
resize scale
restart reboot restarted
restaurant diner cafe
result outcome
retention keep
retry repeat attempt backoff
revenue income turnover
review approval feedback
rights lgbtq equality
ring jewelry
risk danger
road street trail
robot bot
role position
rollback revert undo
room space
runner agent
sad unhappy depressed
safe secure
salary wage
sale sell
sample example
sandbox staging
save store
scale scaling autoscale hpa
scan scanner
schedule plan
schema table migration model
score points
screen display
script program
sculpture pottery clay
search find lookup query
season summer winter spring autumn
seat chair
secret credential vault token
self own
send transmit
sensor detector
serialize encoding
serious severe
share give
shell bash zsh fish terminal
shop store
show display
shutdown stop terminate
sign signature
silent mute
single alone
size length
sleep bed
slow latency performance
small little tiny
smart clever
soccer football
sound audio
source origin
speak talk
spend cost
spicy hot
sport game athlete
sql query
staging preprod
stale outdated old
stampede herd
startup boot
state condition
status state
steal theft
stock inventory
stop halt
storage s3 bucket disk
storm weather
story tale
stream streaming
stress pressure anxiety
strong powerful
struggle challenge difficult hard
student university pupil
style css format
subscribe subscription
success achieve
suggest propose
supplier vendor provider proveedor lieferant
sure certain
surprise unexpected
swim pool
switch change toggle
sync synchronize
table relation
talk discuss speech
task job ticket
tax vat
teach teacher instructor
team squad group
technology tech
telemetry tracing metrics
television tv show
template layout
temporary temp
tenant customer
terminal console
test testing spec suite prueba
text string
theater play
therapy counseling therapist mental
throttle limit
ticket issue
timezone utc tz
tool utility
topic subject
tour trip
toy doll
trace tracing span
trail hike
train practice
trainer coach
training course
transaction commit
transfer move
transgender lgbtq trans
transport vehicle
travel trip journey vacation
tree forest
trick tip
trust confidence
truth fact
turn become
tutorial guide
typescript ts
typo misspelling
ugly bad
ui frontend interface
unicode utf8
unique distinct
unit test
university college
unlock open
update upgrade refresh
upload send
url link address
urgent critical
useful helpful
vaccine shot
value amount
variable env
video film
view see
visit trip
volunteer charity
vpn wireguard tunnel
vulnerability cve security exploit
walk stroll hike
war military
warm hot
watch see
water sea
weak fragile
weather rain snow
webhook callback
website site page
week weekly
weekend saturday sunday
weight heavy
wild animal
win victory
window view
wine drink
winter cold snow
wood forest
worker job
workflow process
workspace monorepo
world earth
write author
wrong incorrect
yoga exercise
young youth
"""


@cache
def _akin() -> dict[str, tuple[str, ...]]:
    found: dict[str, dict[str, None]] = {}
    for line in _FAMILIES.split("\n"):
        family = [terms_of(word)[0] for word in line.split()]
        for word in family:
            found.setdefault(word, {}).update(dict.fromkeys(other for other in family if other != word))
    return {word: tuple(others) for word, others in found.items()}


def akin(term: str) -> tuple[str, ...]:
    """The terms that mean nearly the same as this one."""
    return _akin().get(term, ())
