"""Being's tools: scenes and recall, notes, a diary, the people around, and the agent's persona."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, tzinfo
from hashlib import sha256
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from ...brain.history import day
from ...errors import Changed, ClawbrainError, Invalid, NotFound
from ...memory.model import check_content
from .. import Reply
from ..shared.persona import unasked
from ..shared.titles import Titles, title, uid
from .diary import Diary
from .merging import Merging
from .pages import Pages
from .patrols import Patrols
from .scene import SCENE, Scene
from .scene import read as read_scene
from .scenes import Cluster, Found, Scenes
from .souls import Souls
from .targets import DAYS, OTHERS, RELATIONS, DiaryTarget, PageTarget, RelationTarget, SoulTarget
from .texts import RELATION_TYPE, cut, days_left_out, fitting_line, key_of, line, own_type, told, where, whole_lines

if TYPE_CHECKING:
    from ...brain import Brain
    from ...memory.model import Memory
    from .. import Steps

    Row = dict[str, Any]

IN_JSON = ("update_memory", "update_relation", "trigger_patrol", "get_context", "get_current_time")
WEEKDAYS = "月火水木金土日"
LONGEST = 4_000
MOST_FOUND, MOST_SAID, MOST_NODES = 30, 50, 100
RECENT = 5
MOST_TOLD, LONGEST_TOLD = 50, 2_000  # of each kind of page in a context
LONGEST_TYPE = 60
NOTHING = "No related memories."
NO_CLUSTERS = "No clusters yet: no memory has a theme."
FURTHER_CLUSTERS = "ask with a query, or with a theme's name as cluster_id."
FURTHER_NODES = "ask with a query of more words."
NO_MESSAGES = "No messages stored. Fill with clawbrain ingest."
NO_PARTIES = "party_message needs other beings to talk to, and there are none here; keep it as a note instead"


class Profile:
    """Being's tools; each public method is one of them."""

    def __init__(self, brain: Brain) -> None:
        self._brain, self._scenes, self._pages = brain, Scenes(brain), Pages(brain)
        self._merging, self._patrols = Merging(self._scenes), Patrols(self._scenes)
        self._diary, self._souls, self._titles = Diary(brain), Souls(brain), Titles(brain)

    # Recalling

    def recall(self, user_message: str) -> Reply:
        recalled = self._scenes.recalled(user_message)
        fragments = [part for memory in recalled for part in self._fragments(memory, user_message)]
        if not fragments:
            return Reply(NOTHING)
        mixed = sorted(dict.fromkeys(fragments), key=lambda part: sha256(f"{user_message}\0{part}".encode()).digest())
        return Reply(f"<memory-recall>\n{' / '.join(mixed)}\n</memory-recall>")

    def _fragments(self, memory: Memory, message: str) -> list[str]:
        scene = read_scene(memory)
        said = scene.action if memory.kind == SCENE else f"{self._called(memory)}{scene.action}"
        return [fitting_line(text, message).replace("</", "< /") for text in (said, scene.feeling) if text.strip()]

    def _called(self, memory: Memory) -> str:
        """Return the title of a page with a colon, or '' where its text already begins with the title."""
        called = title(memory)
        begun = line(memory.content).casefold()
        return "" if begun.lstrip("# ").startswith(called.rstrip("…").casefold()) else f"{called}: "

    def get_context(self) -> Row:
        recent = self._recent()
        return {
            "system_prompt": self._system_prompt(),
            "snapshot": self._snapshot(),
            "metadata": {
                "being_id": self._souls.store_uid(),
                "soul_name": self._souls.name(),
                "model_recommendation": self._souls.model(),
                "cache_guidance": {"system_prompt": "stable", "snapshot": "semi-stable"},
            },
            "capability_tools": [],
            **({"recent_nodes": recent} if recent else {}),
        }

    def _system_prompt(self) -> str:
        who = sorted(self._unasked("persona"), key=lambda memory: memory.name != "self")
        parts = {"Soul": "\n\n".join(memory.content for memory in who)}
        categories = {"Rules": "rules", "Preferences": "preferences", "Relationships": "people"}
        categories |= {"Tools": "tools", "Map": "map"}
        parts |= {name: self._listed(self._unasked(category)) for name, category in categories.items()}
        others = (self._listed(self._unasked(category)) for category in RELATIONS.values() if category != "people")
        parts["Relationships"] = "\n".join(filter(None, [parts["Relationships"], *others]))
        return _sections(parts)

    def _snapshot(self) -> str:
        last = ((day, unasked(memory)) for day, memory in self._diary.last(DAYS))
        days = [f"### {day}\n\n{cut(memory.content, LONGEST_TOLD)}" for day, memory in last]
        parts = {
            "Notes": self._listed(self._unasked("notes"), uid),
            "Knowledge": self._listed(self._unasked("knowledge")),
            "Diary": "\n\n".join(filter(None, [*days, days_left_out(self._diary.before(DAYS))])),
        }
        return _sections(parts)

    def _unasked(self, category: str) -> list[Memory]:
        """Return the pages of a category as an agent's context shows them."""
        return [*map(unasked, self._pages.all(category))]

    def _recent(self) -> str:
        rows = []
        for memory in self._scenes.latest(RECENT):
            scene = read_scene(unasked(memory))
            felt = f" — ({scene.feeling})" if scene.feeling else ""
            rows.append(f"- {scene.when[-1]} — {line(scene.action)}{felt}")
        return "\n".join(rows)

    # Memories

    def recall_memory(
        self, cluster_id: str = "", node_id: str = "", limit: float = 5, query: str = "", no_nodes: bool = False
    ) -> Reply:
        most = _within(limit, MOST_NODES)
        try:
            if node_id.strip():
                text = self._node(node_id.strip())
            elif query.strip():
                text = self._asked(query, cluster_id.strip(), most, no_nodes)
            elif cluster_id.strip():
                text = self._cluster(cluster_id.strip(), most, no_nodes)
            else:
                text = self._clusters(self._scenes.clusters())
        except NotFound as missing:
            return Reply(str(missing))
        return Reply(cut(text, LONGEST))

    def _clusters(self, clusters: Sequence[Cluster], none: str = NO_CLUSTERS) -> str:
        rows = [
            f"- [{each.uid}] {each.name} — {_many(each.memories)}, "
            f"newest {each.memories[0].created[:10]} — {each.digest}"
            for each in clusters
        ]
        return whole_lines([f"Clusters ({len(rows)}):", *rows], LONGEST, FURTHER_CLUSTERS) if rows else none

    def _cluster(self, reference: str, most: int, no_nodes: bool) -> str:
        cluster = self._found_cluster(reference)
        rows = [] if no_nodes else map(self._row, self._scenes.weighed(cluster.memories)[:most])
        return whole_lines([f"[{cluster.name}] {cluster.digest}", *rows], LONGEST, FURTHER_NODES)

    def _found_cluster(self, reference: str) -> Cluster:
        for cluster in self._scenes.clusters():
            if reference.casefold() in (cluster.uid, cluster.name.casefold()):
                return cluster
        raise NotFound(f"Cluster {reference[:100]} is not found; recall_memory without arguments lists them.")

    def _asked(self, query: str, cluster_id: str, most: int, no_nodes: bool) -> str:
        within = {memory.id for memory in self._found_cluster(cluster_id).memories} if cluster_id else None
        matches = self._scenes.search(query, MOST_NODES)
        found = [each.memory for each in matches if within is None or each.memory.id in within][:most]
        if no_nodes:
            tags = {tag for memory in found for tag in memory.tags}
            return self._clusters([cluster for cluster in self._scenes.clusters() if cluster.name in tags], NOTHING)
        rows = [self._row(memory, query) for memory in found]
        return whole_lines([f"{len(found)} memories:", *rows], LONGEST, FURTHER_NODES) if found else NOTHING

    def _row(self, memory: Memory, query: str = "") -> str:
        scene = read_scene(memory)
        return f"- [{uid(memory)}] {fitting_line(scene.action, query)} [{scene.importance:g}]"

    def _node(self, reference: str) -> str:
        """Describe a memory. Reading an archived memory asks for it back; reading a live one counts as a use."""
        try:
            memory = self._titles.find(reference)
        except ClawbrainError:
            path, memory = self._scenes.away(reference)
            wanted = self._scenes.ask_for(path, memory)
            return self._fields(memory, self._lies_there(memory, wanted), wanted, f"archive/{path}")
        read = self._scenes.opened(memory.id)
        return self._fields(read.memory, "active", read.credit.access_count, f"memory/{memory.path}")

    def _lies_there(self, memory: Memory, wanted: int) -> str:
        if into := self._scenes.merged_into(memory):
            return f"archived, merged into [{into}]"
        if new := self._scenes.replaced_by(memory):
            return f"archived, replaced by {', '.join(f'[{each}]' for each in new)}"
        return "archived; the next patrol brings it back" if wanted else "archived"

    def _fields(self, memory: Memory, status: str, reactivations: int, file: str) -> str:
        scene = read_scene(memory)
        fields = {
            "scene": scene.action,
            "when": ", ".join(scene.when),
            "actors": ", ".join(scene.actors),
            "setting": scene.setting,
            "feeling": scene.feeling,
            "themes": ", ".join(scene.themes),
            "importance": f"{scene.importance:g}",
            "status": status,
            "reactivations": str(reactivations),
            "file": file,
        }
        return "\n".join([f"[{uid(memory)}]", *(f"{name}: {text}" for name, text in fields.items() if text)])

    def search_memory(self, query: str, limit: float = 10, mode: str = "or") -> Reply:
        found = self._scenes.search(query, _within(limit, MOST_FOUND), all_words=mode == "and")
        rows = [self._match(each, query) for each in found]
        return Reply("\n".join([f"{len(rows)} memories ({_found_how(found)}):", *rows]))

    def _match(self, match: Found, query: str) -> str:
        memory, akin = match.memory, "meaning" if match.by_meaning else "a word akin"
        fields = ", ".join(self._scenes.matched(memory, query)) or akin
        themes = f" (themes: {', '.join(memory.tags)})" if memory.tags else ""
        return f"- [{uid(memory)}] [matched: {fields}] {fitting_line(read_scene(memory).action, query)}{themes}"

    def merge_nodes(self, node_ids: str, summary: str, feeling: str = "") -> Reply:
        references = [each.strip() for each in node_ids.split(",") if each.strip()]
        made, count = self._merging.merge(references, summary, feeling)
        return Reply(f"Merged {count} nodes. New node ID: {uid(made)}")

    # Writing

    def update_notes(
        self,
        action: str = "append",
        scenes: Sequence[Row] = (),
        notes: Sequence[str] = (),
        scene_ids: Sequence[str] = (),
    ) -> Reply:
        replaced = scene_ids if action == "update" else ()
        if not (scenes or notes or replaced):
            raise Invalid("nothing was given; give scenes or notes, or with action update the scene_ids to replace.")
        kept = [Scene(**{key: value for key, value in scene.items() if key in Scene._fields}) for scene in scenes]
        for note in notes:
            _check(note, "a note is empty; write what should be noted.")
            check_content(note)
        self._scenes.keep(kept, instead_of=replaced)
        open_notes = {memory.content for memory in self._pages.all("notes")}
        for note in dict.fromkeys(note.strip("\r\n") for note in notes):
            if note not in open_notes:
                self._pages.add("notes", key_of(self._brain, note), note)
        listed = "\n".join(f"- [{uid(note)}] {line(note.content)}" for note in self._pages.all("notes"))
        return Reply(f"ok: notes updated.\n\n{'Open notes:' if listed else 'No open notes.'}\n{listed}".rstrip())

    def update_memory(
        self, target: str, action: str, content: str = "", key: str = "", location: str = "", to: str = ""
    ) -> Row | Reply:
        if target == "party_message":
            refused = {"success": False, "message": f"NOT_SUPPORTED_LOCALLY: {NO_PARTIES}."}
            return _fault({**refused, "error": NO_PARTIES, "error_code": "NOT_SUPPORTED_LOCALLY", "operation": target})
        kept: SoulTarget | DiaryTarget | PageTarget
        if target == "souls":
            kept = SoulTarget(self._souls)
        elif target == "diary":
            kept = DiaryTarget(self._brain, self._diary)
        elif target == "relationship":
            kept = RelationTarget(self._brain, self._pages, target, "")
        else:
            kept = PageTarget(self._brain, self._pages, target, location.strip())
        key = key.strip()
        if action == "get":
            return self._got(target, key, kept)
        if not key and (action == "delete" or (action == "update" and target != "partner_rules")):
            raise Invalid(f"{target} {action} needs a key{kept.hint}")
        if action == "delete":
            named, place = kept.delete(key)
            return _done(f"{target}[{named}] deleted; its text is kept in {place}.")
        if not (action == "update" and target == "partner_map" and location.strip()):
            _check(content, f"{target} {action} needs content: the text itself.")
        named, done = kept.append(key, content) if action == "append" else kept.update(key, content)
        return _done(f"{target}[{named}] {told(done)}")

    def _got(self, target: str, key: str, kept: SoulTarget | DiaryTarget | PageTarget) -> Row | Reply:
        try:
            listed = kept.get(key)
        except (NotFound, Invalid) as missing:
            return {"success": False, "message": str(missing)}
        return _done(f"{target}{f'[{key}]' if key else ''}:\n\n{listed}" if listed else f"{target}: nothing yet.")

    def update_relation(self, entity_name: str, relation_type: str, action: str, content: str = "") -> Row:
        clean = relation_type if action == "delete" else self._brain.without_secrets(relation_type)  # before it is cut
        type, name = " ".join(clean.split())[:LONGEST_TYPE], " ".join(entity_name.split())
        _check(type, f"relation_type is empty; write one of {', '.join(RELATIONS)}, or a word of your own.")
        category = RELATIONS.get(type.lower(), OTHERS)
        extra = {} if type.lower() in RELATIONS else {RELATION_TYPE: type}
        pages = Pages(self._brain, lambda page: own_type(page).lower() == type.lower()) if extra else self._pages
        _check(name, "entity_name is empty; name who or what it is.")
        if action == "delete":
            page = pages.put_away(category, name)
            return _done(f"{type}[{title(page)}] deleted; its text is kept in the archive.")
        _check(content, "upsert needs content: what there is to say.")
        written = pages.update_or_begin(category, name, lambda _: content, extra)
        return _done(f"{type}[{title(written.memory)}] {told(written)}")

    def _listed(self, pages: Sequence[Memory], named: Callable[[Memory], str] | None = None) -> str:
        """List the newest pages, each shortened, because an agent's context has little room."""
        named, left = named or title, len(pages) - MOST_TOLD
        rows = [f"- [{named(page)}]{where(page)} {cut(page.content, LONGEST_TOLD)}" for page in pages[-MOST_TOLD:]]
        return "\n".join([*rows, f"({left} earlier ones are left out.)"] if left > 0 else rows)

    # History, patrols and the time

    def search_history(self, query: str = "", date_from: str = "", date_to: str = "", limit: float = 10) -> Reply:
        history = self._brain.history
        if not history.count():
            return Reply(NO_MESSAGES)
        most = _within(limit, MOST_SAID)
        since, until = day("date_from", date_from.strip()), day("date_to", date_to.strip())
        found = history.search(query, since=since, until=until, limit=most, parts=True)
        rows = [f"- [{said.created}] {said.role}: {fitting_line(said.content, query)}" for said in found]
        return Reply("\n".join([f"{len(rows)} messages:", *rows]) if rows else "No messages match.")

    def trigger_patrol(self, messages: Sequence[Mapping[str, str]], marker_id: str = "") -> Steps:
        marker = marker_id.strip() or str(uuid4())
        done = yield from self._patrols.patrol(messages, marker)
        answer = {"status": "ok", "scenes_created": done.scenes, "nodes_created": done.nodes, "marker_id": marker}
        return Reply(_json(answer), answer, aside=done.skipped)

    def get_current_time(self, timezone: str = "UTC") -> Row:
        now = self._brain.clock()
        there = now.astimezone(_zone(timezone))
        return {
            "datetime": f"{there:%Y/%m/%d}({WEEKDAYS[there.weekday()]}) {there:%H:%M:%S}",
            "iso": f"{now.astimezone(UTC):%Y-%m-%dT%H:%M:%S}.{now.microsecond // 1000:03}Z",
            "timezone": timezone.strip() or "UTC",
        }


def refused(tool: str, refusal: ClawbrainError) -> Reply:
    """Return a refusal in Being's form: JSON for the tools that answer in JSON, else a line of text."""
    said = str(refusal)
    if isinstance(refusal, Changed):
        said = f"it changed since you read it; get it again, then update. It now says:\n\n{refusal.current}"
    if tool in IN_JSON:
        return _fault({"success": False, "message": said})
    return Reply(f"error: {said}", fault=tool != "recall")


def _fault(answer: Row) -> Reply:
    return Reply(_json(answer), answer, fault=True)


def _json(answer: Row) -> str:
    return json.dumps(answer, ensure_ascii=False, separators=(",", ":"))


def _done(message: str) -> Row:
    return {"success": True, "message": message}


def _sections(parts: Mapping[str, str]) -> str:
    return "\n\n".join(f"## {name}\n\n{text}" for name, text in parts.items() if text)


def _check(text: str, sentence: str) -> None:
    if not text.strip():
        raise Invalid(sentence)


def _found_how(found: Sequence[Found]) -> str:
    """Return how a search found its matches: by words, by meaning, or some by the one and some by the other."""
    by_meaning = sum(match.by_meaning for match in found)
    if not by_meaning:
        return "keyword search"
    return "search by meaning" if by_meaning == len(found) else f"keyword search, {by_meaning} by meaning"


def _many(found: Sequence[Memory]) -> str:
    one, many = ("scene", "scenes") if all(memory.kind == SCENE for memory in found) else ("memory", "memories")
    return f"{len(found)} {one if len(found) == 1 else many}"


def _within(number: float, most: int) -> int:
    return int(max(1, min(most, number)))


def _zone(name: str) -> tzinfo:
    """Return the time zone of a name; raise Invalid for an unknown one."""
    from zoneinfo import ZoneInfo

    name = name.strip()
    if name in ("", "UTC"):
        return UTC
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        raise Invalid(f"there is no time zone '{name[:100]}'; write one like Asia/Tokyo.") from None
