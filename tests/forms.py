"""Notes filled in from forms: many memories that say the same kinds of things about different matters."""

# ruff: noqa: E501 (a form is easiest to read with each of its lines whole)

import random
from collections.abc import Callable

PEOPLE = ["Juri", "Mara", "Dana", "Ortiz", "Ilse", "Tomás", "Wen", "Priya", "Noor", "Lars", "Greta", "Okan"]
AREAS = ["billing", "search", "login", "export", "import", "checkout", "reports", "mobile"]
HOSTS = ["db-3", "web-1", "web-7", "cache-2", "edge-9", "queue-4", "mail-1"]
FIRMS = ["Acme", "Globex", "Initech", "Hooli", "Umbrella", "Vandelay", "Stark Freight", "Wayne Labs"]
TOWNS = ["Lisbon", "Graz", "Oslo", "Porto", "Bremen", "Turin", "Ghent"]
TOOLS = ["Postgres", "Kafka", "Redis", "Nginx", "Terraform", "Grafana", "MemoryFiles", "RabbitMQ"]
GOODS = ["M4 screws", "hex keys", "paper rolls", "label sheets", "toner", "cable ties", "glue", "pallets"]
WORST = ["low", "medium", "high", "urgent"]
STATES = ["open", "closed", "waiting", "in review", "accepted", "rejected"]


class Filler:
    """Random values for the fields of a form, the same for the same seed."""

    def __init__(self, number: int) -> None:
        self.rng, self.number = random.Random(f"form {number}"), number

    def __getattr__(self, name: str) -> str:
        lists = {
            "person": PEOPLE, "area": AREAS, "host": HOSTS, "firm": FIRMS, "town": TOWNS, "tool": TOOLS,
            "goods": GOODS, "severity": WORST, "state": STATES,
        }  # fmt: skip
        return self.rng.choice(lists[name])

    def day(self) -> str:
        return f"2025-{self.rng.randint(1, 12):02}-{self.rng.randint(1, 28):02}"

    def clock(self) -> str:
        return f"{self.rng.randint(0, 23):02}:{self.rng.randint(0, 59):02}"

    def count(self, most: int = 60) -> int:
        return self.rng.randint(2, most)

    def pick(self, *texts: str) -> str:
        return self.rng.choice(texts)

    def version(self) -> str:
        return f"{self.rng.randint(0, 9)}.{self.rng.randint(0, 20)}.{self.rng.randint(0, 9)}"


def ticket_yaml(f: Filler) -> str:
    return (
        f"Ticket kx{f.number:05}\nArea: {f.area}\nPriority: {f.severity}\nStatus: {f.state}\nReported by: {f.person}\n"
        f"Assigned to: {f.person}\nOpened: {f.day()}\nBrowser: Mozilla/5.0 (X11; Linux x86_64) Firefox/{f.count()}.0\n"
    )


def ticket_prose(f: Filler) -> str:
    return (
        f"Ticket kx{f.number:05}. Opened {f.day()} by {f.person}. The area is {f.area}. The priority is {f.severity}. "
        f"The customer on plan {f.pick('gold', 'silver', 'basic')} sees error E{f.count(900)} after {f.count()} seconds. "
        f"{f.person} is the assignee. The ticket is {f.state}."
    )


def ticket_bullets(f: Filler) -> str:
    return (
        f"# KX-{f.number}\n\n- **Component**: {f.area}\n- **Severity**: {f.severity}\n- **Version**: {f.version()}\n"
        f"- Assignee is {f.person}\n- The page at /{f.area}/{f.count()} fails in {f.pick('Chrome', 'Firefox', 'Safari')}\n"
        f"- Expected: the page loads within {f.count(9)} s\n- Actual: it takes {f.count()} s\n"
    )


def meeting_bullets(f: Filler) -> str:
    return (
        f"# Meeting of {f.day()}\n\n- Date: {f.day()}\n- Room {f.count(20)}\n- Attendees: {f.person}, {f.person}\n"
        f"- Next meeting is on {f.day()}\n- {f.person} takes the minutes\n- The budget for {f.area} is {f.count()}000 euros\n"
        f"- Launch of {f.area} is planned for {f.day()}\n"
    )


def meeting_prose(f: Filler) -> str:
    return (
        f"Settled {f.day()} with {f.person}. We move the launch of {f.area} to {f.day()}. The budget stays at "
        f"{f.count()}000 euros. {f.person} will write to {f.firm} and {f.person} prepares the contract until {f.day()}. "
        f"The next meeting is on {f.day()} at {f.clock()} in room {f.count(30)}."
    )


def standup(f: Filler) -> str:
    return (
        f"## {f.person}, {f.day()}\n\nYesterday: worked on {f.area}\nToday: {f.pick('tests', 'review', 'docs')} for "
        f"{f.area}\nBlocked by: {f.pick('nothing', f.person)}\n"
    )


def log(f: Filler) -> str:
    return "\n".join(
        f"{f.day()}T{f.clock()}:00Z {f.host} {f.pick('INFO', 'WARN')} job {f.count(9000)} "
        f"{f.pick('finished', 'failed')} in {f.count()} ms"
        for _ in range(4)
    )


def backup_log(f: Filler) -> str:
    return (
        f"Backup of {f.host} finished at {f.clock()}. It took {f.count()} minutes. The archive is {f.count()} GB large."
    )


def incident_prose(f: Filler) -> str:
    return (
        f"On {f.day()} at {f.clock()} the {f.area} service returned errors for {f.count()} minutes. The root cause was "
        f"{f.pick('a full disk', 'an expired certificate', 'a bad deploy')} on {f.host}. {f.person} was on call. "
        f"{f.count(900)} customers were affected. The fix was deployed at {f.clock()}. Severity is {f.severity}."
    )


def incident_table(f: Filler) -> str:
    return (
        f"# Incident {f.number}\n\n| Field | Value |\n|---|---|\n| Start | {f.clock()} |\n| End | {f.clock()} |\n"
        f"| Service | {f.area} |\n\nThe service is {f.pick('stable', 'degraded')} again. The owner is {f.person}. "
        f"Users see {f.count(9)} % of errors.\n"
    )


def adr(f: Filler) -> str:
    return (
        f"# ADR {f.number:04}: {f.tool} for {f.area}\n\nStatus: {f.state}\nDate: {f.day()}\nDeciders: {f.person}, {f.person}\n\n"
        f"## Context\n\nThe {f.area} module needs {f.count()} requests per second.\n\n## Decision\n\nWe use {f.tool} for "
        f"{f.area}.\n\n## Consequences\n\n{f.person} maintains the {f.tool} setup. The cost is {f.count()} euros a month.\n"
    )


def changelog(f: Filler) -> str:
    return (
        f"## {f.version()} ({f.day()})\n\n### Added\n\n- Support for {f.tool} in {f.area}\n- {f.count()} new translations\n\n"
        f"### Fixed\n\n- Fixed the crash in {f.area} when {f.tool} is down\n- The {f.area} page loads in {f.count(900)} ms\n"
        f"- The default timeout is {f.count()} seconds\n"
    )


def contact_card(f: Filler) -> str:
    return (
        f"**Name**: {f.person} {f.number}\n**Firm**: {f.firm}\n**Phone**: +49 {f.count(900)} {f.count(9000)}\n"
        f"**Mail**: p{f.number}@example.org\n**Address**: Main Street {f.count()}, {f.town}\nPrefers mail over phone.\n"
        f"Speaks {f.pick('German', 'English', 'French')}. Works for {f.firm}.\n"
    )


def inventory_yaml(f: Filler) -> str:
    return (
        f"item: {f.goods}\nsku: KX-{f.number:04}\nquantity: {f.count(400)}\nlocation: shelf {f.pick('A', 'B', 'C')}{f.count()}\n"
        f"supplier: {f.firm}\nreorder_at: {f.count()}\n"
    )


def inventory_prose(f: Filler) -> str:
    return (
        f"Item KX-{f.number:04} is {f.goods}. There are {f.count(400)} pieces on shelf {f.pick('A', 'B')}{f.count()}. "
        f"The supplier is {f.firm}. The price is {f.count()} euros. Reorder at {f.count()} pieces."
    )


def invoice(f: Filler) -> str:
    return (
        f"Invoice from {f.firm} over {f.count(900)} euros is due on {f.day()}. The contact is {f.person}. Payment goes to "
        f"account {f.count(9000)}. Reminders are sent after {f.count()} days. {f.person} approves it."
    )


def call(f: Filler) -> str:
    return (
        f"Call with {f.firm}\n\nThey want {f.count()} licences. The budget is {f.count()}000 euros. Decision is expected in "
        f"{f.pick('May', 'June', 'July')}. {f.person} decides. They are {f.pick('happy', 'unhappy')} with support.\n"
    )


def review(f: Filler) -> str:
    return (
        f"Review of PR #{f.number} by {f.person}: the {f.area} module lacks tests. Naming is {f.pick('fine', 'odd')}. Please "
        f"use {f.tool} for caching. The diff has {f.count(900)} lines. Verdict: {f.pick('approve', 'request changes')}."
    )


# Forms that were set aside while the comparison was written, to see it on forms it was not made for.


def shipment(f: Filler) -> str:
    return (
        f"Shipment S{f.number:06} left {f.town} on {f.day()} with {f.count()} crates of {f.goods}. The carrier is {f.firm}. "
        f"Arrival is expected on {f.day()}. The driver is {f.person}, reachable at +43 {f.count(9000)}. "
        f"Customs clearance is {f.pick('done', 'pending', 'not needed')}."
    )


def experiment(f: Filler) -> str:
    return (
        f"# Run {f.number}\n\n* dataset = {f.area}\n* lr = 0.{f.count(900):03}\n* batch size {f.count()}\n* seed {f.count(99)}\n\n"
        f"Accuracy is 0.{f.count(900):03}. The loss falls to 0.{f.count(900):03} after {f.count()} epochs. The best checkpoint "
        f"is /runs/{f.number}/{f.count()}.pt. Training takes {f.count()} minutes on {f.host}.\n"
    )


def visit(f: Filler) -> str:
    return (
        f"Visit to {f.firm}, {f.town}, {f.day()}\n\n1. Contact: {f.person}\n2. They have {f.count(900)} employees.\n"
        f"3. They use {f.tool} for {f.area}.\n4. The contract ends on {f.day()}.\n5. {f.person} wants a demo in "
        f"{f.pick('May', 'June', 'July')}.\n6. Mood: {f.pick('good', 'cool', 'mixed')}\n"
    )


def release(f: Filler) -> str:
    return (
        f"Release {f.version()}-{f.number}\n- owner -> {f.person}\n- branch -> release/{f.version()}\n"
        f"- Tests are {f.pick('green', 'red')}\n- Docs are {f.pick('complete', 'missing')}\n- Rollout starts at {f.clock()}\n"
        f"- Feature flag for {f.area} is {f.pick('on', 'off')}\n- Do not deploy before {f.clock()}\n"
    )


def machine(f: Filler) -> str:
    return (
        f"host{f.number}: {f.count(9)} cores, {f.count()} GB RAM, 10.0.{f.count(200)}.{f.count(200)}\n\nRuns {f.tool} "
        f"{f.version()}. Sits in rack {f.count()} in {f.town}. The admin is {f.person}. The disk is {f.count(99)} % full. "
        f"Updates are {f.pick('enabled', 'disabled')}. It is rebooted every {f.pick('Monday', 'Friday')}.\n"
    )


FORMS: list[Callable[[Filler], str]] = [
    ticket_yaml, ticket_prose, ticket_bullets, meeting_bullets, meeting_prose, standup, log, backup_log, incident_prose,
    incident_table, adr, changelog, contact_card, inventory_yaml, inventory_prose, invoice, call, review,
]  # fmt: skip
UNSEEN_FORMS: list[Callable[[Filler], str]] = [shipment, experiment, visit, release, machine]
