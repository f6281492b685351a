"""The words of the rules in English."""

from . import Language
from .names import name

# What an agent does with code, in the order of the alphabet.
_DEEDS = """(?:add|abbreviate|allow|answer|ask|assume|avoid|branch|bump|catch|change|check|cite|close|comment|commit
|configure|copy|create|delete|deploy|disable|document|edit|end|explain|fix|follow|force-push|format|generate|give me
|guess|hard-?code|ignore|import|include|install|introduce|keep|leave|link|lint|log|merge|mix|mock|modify|name|nest
|omit
|open|pin|prefer|push|put|quote|rebase|refactor|refer|release|remove|rename|reply|respond|return|reuse|review|rewrite
|run|send|ship|show me|sign|skip|sort|squash|start|stick|store|summari[sz]e|suggest|swallow|tag|talk|tell me|test
|touch
|treat|type|uppercase|lowercase|capitali[sz]e|indent|update|upgrade|use|validate|version|wait|wrap|write)"""
_HABITS = """(?:do|use|write|keep|name|call|follow|prefer|put|tag|test|deploy|ship|merge|commit|squash|rebase|push
|log|mock
|store|document|review|release|format|version|answer|ask|run|add|allow|support|accept|import|install|generate|avoid
|delete
|pin|lint|touch|have|measure|validate|return|throw|raise|catch|sign|sort|wrap|type|build|start|host|pair|work
|stick to)"""
_TEAM = r"(?:we|(?:our|the|my) (?:whole )?team|every(?:body|one) here|people here)"
_PLACE = r"""(?:here|around here|everywhere|at work|(?:in|for|across) (?:this|our|the|all|all our|all of our|all my
|my|every)
 (?:\w+ )?(?:repos?|repository|repositories|projects?|code ?base|team|company|organi[sz]ation|monorepo|services?
|workspace|apps?))"""
# What comes out of work on code: of a button or a user something is only true in one product.
_THINGS = r"""(?:prs?|pull requests?|merge requests?|commits?|commit messages?|pr titles?|branch(?:es)?
|branch names?|migrations?
|endpoints?|routes?|tests?|test names?|functions?|methods?|class(?:es)?|modules?|components?|docstrings?|releases?
|dependenc(?:y|ies)|timestamps?|dates?|times|money|amounts?|prices|ids?|secrets?|credentials|logs?|log messages?
|log lines?|errors?|error messages?|exceptions?|types?|type hints?|imports?|variables?|constants?|tables?|table names
|columns?|column names|queries|docs|documentation|changelogs?|comments?|code comments?|answers?|replies|reviews?
|code reviews?|deploys?|deployments?|services?|packages?|libraries|scripts?|tickets?|issues?|feature flags?
|feature branch(?:es)?|hotfix(?:es)?|strings|texts|urls?|file names?|filenames?|files|configs?|config files?
|environment variables|env vars|todos?|snapshots|fixtures|mocks|stylesheets?|hooks|api|apis|interfaces|schemas?
|schema changes|translations|units|variables? names?|code|personal data|customer data)"""
_MUST = r"""(?:must|has to|have to|needs? to be|needs? an?|needs? (?:one|two|three|at least)|may (?:not|never|only)
|can only|should (?:always|never|not)|shall|always|never|only|is (?:always|never|only)|are (?:always|never|only))"""
_ONE = r"(?:the|this|that|these|those|it|its|your|you|him|her|them|one|another)"
_PERSON = name()
_TITLE = r"(?:(?-i:Mr|Mrs|Ms|Dr|Prof)\.? )?"
# A person at the beginning of a clause, where other words have a capital too.
_TITLED = rf"""(?!(?:we|it|the|this|that|these|those|our|my|he|she|they|there|here|you|your|its|if|and|but|so|also
|now|then
|not|no|yes|what|who|which|when|every\w*|no(?:body|thing)|some\w+|all|one|each|code|users?|customers?|admin|rust
|python|node
|docker|linux|windows|java|go|react|git|bash)\b){_TITLE}{_PERSON}(?:,? (?:and|&) {_PERSON})?"""
_ROLES = r"""(?:managers?|leads?|leader|heads?|owners?|maintainers?|engineers?|developers?|devs?|designers?
|architects?
|officer|administrators?|admins?|dbas?|analysts?|scientists?|testers?|qa|cto|ceo|cfo|cio|ciso|vp|director|boss
|colleagues?
|teammates?|co-?founders?|founders?|mentors?|interns?|trainees?|contacts?|contact person|customers?|clients?
|stakeholders?
|reviewers?|approvers?|consultants?|contractors?|freelancers?|recruiter|accountant|lawyer|po|pm|scrum masters?|sres?
|experts?|speciali[sz]ts?|point of contact|go-to(?: person)?|counterpart|supervisor|professor|advis[eo]rs?
|researchers?
|students?|technicians?|writers?|translators?|support|person (?:who|for|to)|one (?:who|to ask)|people who)"""

_OVER = r"(?:over|rather than|instead of|(?:and )?not|because|in favou?r of|for|as)"
_FAULTS = r"""(?:cause|root cause|real cause|culprit|reason|problem|issue|bug|leak|crash|trouble|trick|solution|fix
|fault)"""
_ENDED = r"""(?:fixed|solved|resolved|helped|cured|did the trick)"""

ENGLISH = Language(
    words=(
        "always",
        "nobody",
        "no one",
        "figured",
        "talk to",
        "never",
        "ever",
        "we ",
        "we'",
        "our ",
        "my ",
        "i ",
        "i'm",
        "prefer",
        "must",
        "every",
        "all ",
        "rule",
        "convention",
        "policy",
        "default",
        "decid",
        "decision",
        "agreed",
        "chose",
        "is ",
        "are ",
        "owns",
        "leads",
        "maintains",
        "runs",
        "handles",
        "manages",
        "reviews",
        "approves",
        "caused",
        "cause",
        "because",
        "turn",
        "culprit",
        "due to",
        "found",
        "fixed",
        "solved",
        "going forward",
        "from now on",
        "whenever",
        "when you",
        "no ",
        "came from",
        "use ",
        "stop ",
        "ask ",
        "live",
        "knows",
        "joined",
        "took over",
        "not ",
        "don't",
        "reason",
        "problem",
        "issue",
        "solved",
        "solution",
        "keep",
        "prs ",
        "pr ",
        "releases",
        "per ",
        "before",
    ),
    lead=r"""(?:\s*(?:(?:ok(?:ay)?|yes|yeah|yep|no(?=\s*[,.:;!–—-])|nope|perfect|thanks|thank you|great|nice|good
|cool|looks good|lgtm
|right|alright|well|so|and|but|also|please|btw|by the way|fyi|for your information|for the record|note(?: that)?
|note to self|important|remember(?: that)?|please remember(?: that)?|keep in mind(?: that)?|bear in mind(?: that)?
|don't forget(?: that)?|do not forget(?: that)?|never forget(?: that)?|for (?:future|your) reference|for next time
|just so you know|so you know|heads[ -]up|one more thing|one thing|another thing|a reminder|reminder|as i said
|like i said|again|in general|generally|actually|hey|hi|oh|ah|hm+|context|some context|background|info|rule|update
|tip|hint|good to know|as you know|you should know(?: that)?|i told you(?: that)?|usually|in case you wonder
|make a note(?: that)?)
(?:\s*[,.:;!–—-]+\s*|\s+))*)?""",
    joint=r"""[,;:–—]\s+(?:(?:and|but|because|since|as|so|btw|by the way|also|please)\s+)*
|\s-\s|\s+(?:because|since|but|and)\s+(?=(?:we|i|in this|in our)\b)""",
    task=r"""(?:add|write|create|generate|implement|make|fix|rename|translate|insert|put(?! .*\b(?:always|never)\b)
|show|check
|explain|find|list|open|update|change|refactor|move|delete|remove|let's|let us|help|tell|give|look|summari[sz]e
|continue
|imagine|suppose|assume|ensure|pretend|say|post|reply|draft|try|see|test|go|do(?! not\b)|does|did|is|are|was|were
|has|have
|can|could|should|shall|would|will|may|might|what|why|how|who|whom|which|where|if|what's|who's|where's|bump|set
|describe
|i (?:want|need|would like|'d like) you to|i need|we (?:need|have|still have) to|we should|the (?:docs?|spec|readme
|linter
|ticket|docs|error|log|message|review|comment|guide|page|test) (?:says?|said|tells?|complains?|states?|is|are)
|(?:here is|here's|this is) (?:the|a|my|our)|he (?:says|said)|she (?:says|said)|they (?:say|said)|it says
|you (?!should know)
|convert|replace|print|build|merge (?:it|this|that|the)|deploy (?:it|this|that|the)|run (?:it|this|that|the)
|i want (?:to|a|an|the)\b)(?!\w)""",
    passing=r"""\b(?:for now|for the moment|for the time being|at the moment|right now|currently|temporarily|this time
|just this once|today|tonight|tomorrow|this (?:morning|afternoon|evening|week)|until (?:mon|tues|wednes|thurs|fri
|satur|sun)day
|until (?:i|you|we|then|it)|before you (?:stop|finish|go on)|for this (?:one|task|pr|file|test|case|change|commit
|time)
|in this (?:function|file|test|case|pr|branch|commit|class|method|component|task|one)|maybe|perhaps|probably
|presumably
|possibly|i think|i guess|i suppose|i believe|i assume|not sure|i wonder|could (?:it )?be|could we|might|should we
|shall we|what if|if we|can you|could you|would you|will you|please (?:check|fix|look|add|change|update|have
|implement|make)
|do the same|look there|the fixture|the seed|seed data|test data|mock data|the story|sorry|my (?:mistake|fault|bad)
|typo
|i forgot|go on|go ahead|do it|ignore this|haven't|hasn't|not yet|undecided|let's not|for example you|lorem ipsum
|in the (?:example|sample)|(?:in|of|for) this (?:conversation|session|chat)|ignore (?:it|that)|what else)\b
|,\s*thanks\W*$""",
    then=r""",\s*(?:then |so |and |now )?(?:please )?(?:fix|handle|increase|change|continue|adapt|update|split|add
|remove|move|check
|run (?:it|them|the|this)|implement|make it|use (?:it|this|that)|help me|look|find|show|rename|revert|put it|try
|go)\b""",
    rules={
        "order": rf"""(?:(?:(?P<bare>(?:please |you (?:should|must|may) |do )?(?:always
|never(?: ever)?)(?:,? please)?)|(?:please )?(?:do not|don't) ever|when(?:ever)? you (?!see\b|are (?:done
|finished)\b|have (?:done|finished)\b)\w+ .*,(?: always| never| then| please| also| do not| don't)*
|before (?:you )?(?:commit|push|merg|deploy|releas|refactor|edit)\w*.*,(?: always)?) {_DEEDS}\b(?(bare)(?! (?:it
|this|that|them|the (?:same|result|latest|current|first|last|new|old|selected))\b)).*|(?:please )?(?:do not|don't
|use|write|keep|prefer|answer|reply|name|format|put|log|store|document|push|commit|run|mock|add)\b.*(?:[, ]ever\b
|\balways\W*$|\beverywhere\b|\bby default\b|\bin all (?:our|my|of our)\b|\bat all times\b|\bgoing forward\b
|\bfrom now on\b|\bunless i (?:ask|say|tell)|\bwithout (?:asking|telling) me\b|\bno exceptions\b)
|(?:please )?(?:only (?:use|write|answer|commit)|use only) .*\b(?:when|whenever|for all|in all|in every)\b.*
|no (?!one\b|matter\b)[^,]+, ever\b.*|(?:please )?stop \w+ing (?!(?:the|this|that|it)\b).*(?:\bnever\b|\balways\b
|\bever\b|\bany ?more\b|\bplease\b).*)""",
        "habit": rf"""(?:no(?:body| one) (?:here|in (?:our|the) team) (?:uses?|writes?|likes?|wants?)\b.*
|{_TEAM} (?:(?:always|never|only|usually|generally|normally|strictly|consistently
|exclusively|all|no longer|prefer to|try to)
 )+(?:{_HABITS}s?)\b.*
|{_TEAM} (?:do not|don't|doesn't|no longer) (?:use|do|allow|mock|support|commit|merge|ship|deploy|accept|store|log
|write|want|like|put|push)\b
(?! (?:it|this|that|them)\b).*
|{_TEAM} (?:{_HABITS})s? (?!the wrong\b).*(?:\b{_PLACE}|, (?:and )?(?:not|never) |\b(?:rather than
|instead of)\b|\balways\b
|\bnever\b|\bonly\b|\bby default\b|\bno exceptions\b|\bin (?:british|american|plain)? ?(?:english|german|french
|spanish)\b)
|{_TEAM} (?:follow|adhere to|stick to|stick with|prefer) (?!(?:it|this|that|the)\b).*
|(?:i|we) (?:always|usually|generally|normally|never|only) (?:work|use|write|run|commit|review|test|develop|read
|want|do|squash|rebase|deploy|code)\b
(?! (?:it|this|that|get)\b).*)""",
        "convention": r"""(?:(?:our|the|my|a|one|house|team)(?: \w+)? (?:conventions?|polic(?:y|ies)|rules?
|standards?|style|guidelines?|practice|preference)(?: \w+){0,4}? (?:is|are|says?)\b(?! (?:not |in |at |on |a bit 
|too |wrong|broken|missing|what)).*|(?:as a rule|by convention|by default|on principle|as a matter of principle
|house rule),? (?:we|use|never|always|i|do not|don't)\b.*|(?:in|for) (?:this|our|all our|all my
|my) (?:\w+ )?(?:repos?|repository|projects?|code ?base|team|company|organi[sz]ation|monorepo
|workspace)s?,? (?!there\b|the\b|i\b|it\b|is\b|are\b|can\b).*\b(?:we|always|never|only|must|are|is|use|not)\b.*
|(?:conventions?|house rules?|team rules?|style|(?:our|team|house) (?:policy|rule|convention|style)s?): ?.*
|in (?:this|our|all our|my) (?:\w+ )?(?:repos?|repository|projects?|code ?base|team|company)s?,? the .*\b(?:always
|never|must|called|named)\b.*|whenever (?:an?|we|some\w+)\b.*\bwe\b.*|(?!it\b|this\b|that\b|the\b|i\b
|you\b).*, (?:always|without exception)\W*$)""",
        "things": rf"""(?!(?:the|this|that|these|a|an)\b)(?=(?:(?!must\b|is\b|are\b|should\b|has\b|have\b|may\b
|needs?\b)[\w-]+ ){{0,4}}?{_THINGS}\b
|[\w ]{{2,30}} (?:is|are) always\b
|one \w+ per|(?:no more than|at most) one)(?:(?:all|every|each|any)(?: single)?(?: of)?(?: (?:our|my|new|public
|private|internal|unit
|integration|api|code|database|external|changed|user-facing))*
 [\w-]+(?: [\w-]+)?\b(?: [^,.]{{1,40}}?)? {_MUST}\b(?! (?:pass|be (?:fixed|green|updated|able)|work)\b).*
|(?:all|every)(?: of)?(?: (?:our|my))? [\w-]+(?: [\w-]+)?(?: in (?:our|all|the|this) [\w ]+)? (?:is|are|go(?:es)?|gets?
|starts?|ends?|lives?|uses?|follows?) .*
(?:\bno exceptions\b|\balways\b|\bnever\b|\bonly\b|\bnot\b|\bin our\b|\bUTC\b|\beverywhere\b).*
|(?:our|my|new|public|private|internal|unit|integration|api|database
|user-facing) (?:\w+ )?[\w-]+(?: [\w-]+)?(?: \w+)? (?:{_MUST}|starts? with|ends? with|begins? with|lives? in|follows?
|is called|are (?:called|named)|uses?)\b(?! (?:pass|work|be able)\b).*
|(?:[\w-]+(?: [\w-]+)?)(?: (?:for|in|of|on|from|to) [\w ]{{2,30}}?)? (?:must(?: not| never| always)?|may (?:not
|never|only)
|should (?:always|never)|always|never|(?:is|are) (?:always|never|only)|lives? in .*, not
|go(?:es)? (?:to|into) .*, not|(?:is|are) .*, (?:not|never))\b(?! (?:pass|work|be (?:fixed|green|able)
|has\b|gets?\b|fails?\b|returns?\b)).*
|(?:feature )?branches live\b.*|[\w ]{{2,30}} (?:is|are) always (?:stored|kept|written|named|formatted|tagged
|versioned|reviewed|run|deployed|logged|handled)\b.*
|releases are tagged\b.*|(?:one|no more than one|at most one) \w+ per (?:file|commit|pr|pull request|class|module
|test|line)\b.*)""",
        "taste": rf"""(?:(?:personally,? )?i (?:(?:strongly|really|much|always|usually|generally|still|very much
|definitely) )?(?:prefer|favou?r) (?:(?!{_ONE}\b|a\b|an\b|option|version|variant|approach|to see\b|not to\b|first\b
|second\b).*|(?:an?|the) .* (?:over|to|rather than) (?:an?|the)\b.*always.*)|i (?:(?:really|absolutely|generally
|just) )?(?:don't like|do not like|hate|dislike|detest|can't stand|cannot stand|love|like|loathe) (?!(?:{_ONE}|how
|where|what|when|that|to|a|an|my|our|where|and|both|option|version)\b)(?:\S+ )+\S+.*|i (?:hate|don't like
|do not like|love|like) it when you\b.*|i (?:always|never|only) (?:ever )?want\b.*|i want .*(?:, always|\balways\b
|\bnever\b|\bin all\b|\bby default\b|\bwhenever\b).*|i(?:'d| would) rather (?:have|use|see|read|write
|get) (?!{_ONE}\b|a\b|an\b).*(?:\bthan\b|\beverywhere\b|\balways\b).*|my (?:preference|preferred \w+
|favou?rite \w+) (?:is|are)\b.*|i don't (?:ever )?want (?!{_ONE}\b|to\b|you to (?!ever)|an?\b|my\b)\w+ \w+.*|i(?:'d
| would) like (?:all|every|any|my)\b.*\b(?:in (?:every|all|each)|always|never|whenever)\b.*|my (?:editor|shell
|terminal|os|operating system|native language|language|time ?zone|keyboard|browser|ide|machine|pronouns
|working hours|window manager) (?:is|are) (?!(?:slow|broken|stuck|not|frozen|dead|full|empty|gone|too|at|on fire|out
|\w+ing)\b).*)""",
        "decided": rf"""(?:(?:[\w' ]{{0,40}}?\b)?(?:we|i|they|the (?:team|board|architects|customer|client)|our \w+
|management|{_PERSON}) ?(?:'ve|have|has|had)? ?(?:just |now |finally |already |also |all |both |jointly )*(?:decided
|agreed|concluded|voted|opted|settled|committed)(?: with [\w ]+?)?(?:,? (?:yesterday
|last \w+),?)? (?:to(?! (?:take a|look|go|wait|talk|meet|discuss|see|think|try|stop|start over|postpone)\b)|not to
|on|that|against|in favou?r|for)\b (?!{_ONE}\b(?! (?:monolith|old|new|public|private|current|same|api|\w+ \w+))).*
|(?:we|i|they|the team|management) ?(?:'ve|have|has)? ?(?:just |now |finally |already )?(?:chosen|chose|picked
|selected) (?!{_ONE}\b|a\b).*\b{_OVER}\b.*|(?:we|i|they|the team) (?:went (?:with|for)|ended up (?:with|choosing
|picking|using|going with)) (?!{_ONE}\b|a\b|option|us\b|me\b).*(?:\b{_OVER}\b|,).*|(?:we|the team)(?:'re| are|'ll
| will| is)(?: \w+)? (?:going|go|sticking|stick|staying|stay|standardi[sz]ing|keep using|keep) (?:with|on
|using) (?!{_ONE}\b|a\b|option|lunch).*|(?:decision|decided|agreed): ?.{{8,}}|(?:the|our)(?: final)? decision (?:is
|was) (?:to|that|against|for|not)\b.*|.{{0,40}}\b(?:it|this|that) (?:is|was|has been|'s)(?: now
| finally)? (?:decided|agreed|settled)(?::|(?: that| to)\b).*)""",
        "changed": rf"""(?:we(?:'re| are) (?:moving|migrating|switching|dropping|deprecating|phasing out
|standardi[sz]ing|adopting|retiring|replacing|getting rid of|discontinuing) (?!{_ONE}\b|house|office).*|we(?:'ve
| have)? (?:just |now |finally |recently |already )*(?:switched|moved|migrated|changed
|upgraded) (?:\w+ )?(?:from (?!{_ONE}\b).+? to|away from|over to|everything to)\b.*|we(?:'ve| have)? (?:just |now 
|finally |recently |already )*replaced (?!{_ONE}\b|a\b).+ (?:with|by)\b.*|we(?:'ve| have)? (?:just |now |finally 
|recently |already )*(?:dropped|abandoned|deprecated|retired|adopted|introduced) (?:support for|(?!{_ONE}\b
|a\b).*\b(?:in favou?r of|for|since|because)\b).*|we (?:no longer support|(?:will not|won't|do not plan to) support
|stopped (?:using|supporting)|will (?:drop|stop supporting))\b.*)""",
        "role": rf"""(?:(?:(?P<first>(?:our|my|the) )|(?:{_TITLED} (?:is|are)|i'm|i am)(?: now| also| still)?
 (?:our |my |the |one of (?:our|the) |an? (?!user\b|row\b|value\b|bit\b)|(?=responsible\b|in charge\b|accountable\b)))
(?:(?!with\b|who\b|that\b|whose\b|is\b|are\b)[\w-]+ ){{0,4}}?(?:{_ROLES}|responsible|in charge|accountable|one who)\b
(?(first)(?: (?:at|for|in|of|on) [\w ]+?)? (?:is|are)(?: called| named| now)? {_TITLE}{_PERSON}).*
|my (?:boss|colleague|manager|teammate|co-?worker|wife|husband|partner|mentor)(?:'s name)?(?: is(?: called| named)?)?
 {_PERSON}.*|my name is {_PERSON}.*|i'm new to .*
|i work (?:at|for|as|from) (?!the moment|{_ONE} (?:moment|same)).*)""",
        "charge": rf"""(?:(?:my \w+ |our \w+ )?{_TITLED}(?:,? (?:from|in|of) [\w ]+?,?)? (?:owns?|leads?|maintains?
|runs?(?! (?:into|on|out|in|fine|again)\b)|heads?|manages?(?! to\b)|handles?|supervises?|approves?|oversees?
|coordinates?|reviews? (?:all|every|any|each)|takes? care of|looks? after|reports? to|works? (?:on|in|at|for|from)
|sits? in|decides? (?:on|about)|knows|has to approve|must approve|must review|has to (?:sign|review)|joined (?:the
|our|us)|took over|is on call for|built|wrote(?! (?:on|in|to|that|me|us|a|back)\b)|designed
|signs? off(?: on)?)\b(?! (?:out|into|fine|now|again|it|this|that|well)\b).+|(?:ask|talk to|contact|ping
|reach out to|write to) {_PERSON} (?:about|for|if you) (?:any|all|every|questions|help|details|access|when|need
|.*\b(?:he|she|they) (?:wrote|knows?|owns?|built|runs?|maintains?)\b).*)""",
        "cause": rf"""(?:(?:the|that|this|our|it|all|those|these|my)?(?:[\w' ./-]{{0,60}}) ?(?:was|were|got
|had been) (?:caused by|due to|down to|triggered by|because(?: of)?)\b.*|(?:the|that|this|our|those|these
|my)[\w' ./-]{{2,60}} (?:came|stemmed|resulted) from\b.*|(?:the|that|this|our|those|my
|it)(?:[\w' ./-]{{0,50}}) (?:happened|failed|crashed|broke|hung|died|stopped|leaked|timed out|was slow|were slow
|was failing|was hanging|was flaky|was empty|was wrong|did not \w+|didn't \w+) because\b.*
|(?:so,? )?(?:it )?turn(?:s|ed) out[,:]?(?: that)? (?!(?:you|i)\b|(?:it|this|that)(?: is|'s)? (?:not|that|fine|ok
|easy|hard)\b).*|(?:the|real|our)? ?(?:real |actual |root |main )*{_FAULTS}(?: (?:of|for|behind
|with) [\w' ./-]+?)? was (?!(?:not|never|your|that you)\b).*|the reason (?:why |that )?(?:it|the|this|that
|our) [\w' ./-]*\w (?:was|were)\b.*|it was (?:the|an?|our) [^:;,]+[:;,] .*\b{_ENDED}\b.*|(?:(?:finally )?(?:found
|figured) (?:it|it out|the (?:cause|bug|problem|reason)|out why [\w' ]+)|(?:we|i) (?:finally )?(?:found
|figured) out why [\w' ]+|solved|solved it|fixed|fixed it|got it|mystery solved)\s*[:,–—-]+\s*(?:it|the|we|that|they
|our|a|an)\b.*(?:\b(?:was|were|did|needed|had|lacked|ran|used|is|does|caused)\b).*|.{{8,80}}; (?:setting|changing
|adding|removing|upgrading|pinning|restarting|using|disabling|enabling|increasing|clearing) .* {_ENDED}\b.*)""",
    },
    telling={
        "taste": "prefer|favo|like|hate|dislike|detest|stand |love|loathe|want|rather|my editor|my shell|"
        "my terminal|my os |"
        "my operating|my native|my language|my time|my keyboard|my browser|my ide |my machine|my pronoun|"
        "my working|my window",
        "order": "only use|only write|use only|only commit|only answer|always|never|ever|everywhere|by default|"
        "in all|going forward|from now on|unless i|"
        "without asking|without telling|"
        "no exceptions|whenever|when you|before you|stop ",
        "habit": "nobody|no one|always|never|only|usually|generally|normally|don't|do not|doesn't|no longer|"
        "here|everywhere|"
        "in this|in our|in all|"
        "for all|rather than|instead of|follow|stick|adhere|prefer|by default|not |exclusively|consistently|"
        "strictly|english|"
        "german|french|try to|across|at work",
        "convention": "whenever|, always|without exception|convention|polic|rule|standard|style|guideline|"
        "practice|preference|by default|"
        "on principle|in this|in our|"
        "in all|in my|for this|for our|for all",
        "things": "must|has to|have to|need|may |only|should|shall|always|never|no exception|live|start|begin|"
        "end with|"
        "ends with|named|called|follow|per |use|not |tagged|everywhere|utc",
        "decided": "went for|decid|decision|agreed|chose|picked|select|went with|ended up|going with|sticking|staying|"
        "stay |stick |keep|"
        "concluded|voted|opted|settled|committed|standardi",
        "changed": "support|moving|migrat|switch|dropp|deprecat|phasing|standardi|adopt|retir|replac|rid of|"
        "discontinu|"
        "moved|changed|"
        "upgraded|abandon|introduc|no longer|stopp|will drop",
        "role": "manager|lead|head|owner|maintain|engineer|develop|devs|designer|architect|officer|admin|dba|"
        "analyst|scientist|"
        "tester|qa|cto|ceo|cfo|cio|ciso|vp|director|boss|colleague|teammate|founder|mentor|intern|trainee|"
        "contact|customer|"
        "client|stakeholder|review|approv|consult|contract|freelanc|recruit|accountant|lawyer|po|pm|scrum|sre|"
        "expert|special|"
        "go-to|counterpart|supervisor|professor|advis|research|student|technician|writer|translator|support|"
        "person|one who|"
        "one to ask|people who|responsible|in charge|accountable|the one|name|worker|wife|husband|partner|"
        "i work|new to",
        "charge": "sign|talk to|contact|ping|reach|own|lead|maintain|run|head|manage|handle|supervise|approve|"
        "oversee|coordinate|review|take|"
        "look|report|work|"
        "sits|sit |decide|know|joined|took over|on call|built|wrote|designed|ask |has to sign",
        "cause": "figured|caused|because|due to|down to|triggered|came from|stemmed|resulted|turn|cause|culprit|"
        "reason|"
        "problem was|"
        "issue was|bug was|leak was|crash was|trouble was|trick was|solution was|fix was|fault was|problem |"
        "issue |bug |fixed|solved|"
        "found|got it|helped|did the trick|resolved|cured",
    },
)
