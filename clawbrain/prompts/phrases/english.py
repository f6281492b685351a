"""Phrases in English; `Phrases` says what each list is for."""

from . import Phrases

ENGLISH = Phrases(
    praise="""
thanks; thank you; thank u; thx; ty; many thanks; thanks for ...; thank you for ...; thank you so much for ...;
perfect; excellent; great; fantastic; wonderful; brilliant; awesome; amazing; superb; beautiful; lovely; marvellous;
outstanding; impressive; terrific; nice; very nice; really nice; nice one; very good; really good; so good;
good stuff; great job; good job; nice job; great work; good work; nice work; awesome work; excellent work;
amazing work; fantastic work; great job on ...; good job on ...; nice job on ...; great work on ...; good work on ...;
nice work on ...; great job with ...; great answer; great explanation; great solution; good catch; great catch;
nice catch; well done; kudos; bravo; spot on; exactly; exactly right; exactly this; precisely; correct;
exactly what i needed; exactly what i wanted; exactly what i was looking for; exactly what i asked for;
just what i needed; just what i wanted; just right; that's exactly ...; that is exactly ...; this is exactly ...;
it's exactly ...; that's it; that's the one; that's just what ...; that worked; that works; this works; this worked;
it works; it worked; it all works; it all works now; works; worked; all works; everything works; works now;
works like a charm; worked like a charm; works great; works perfectly; worked perfectly; works fine; works well;
works beautifully; it's working; it is working; working now; runs now; it runs now; tests pass; all tests pass;
all green; that works great; that works perfectly; that works well; it works great; it works perfectly; that fixed it;
this fixed it; fixed it; that fixed the ...; that fixes it; that solved it; that solves it; that solved the ...;
that solved my ...; you fixed it; you solved it; problem solved; solved; fixed; that did it; that did the trick;
did the trick; that helped; that helps; very helpful; super helpful; so helpful; really helpful; that was helpful;
that was very helpful; that was really helpful; this is helpful; this is very helpful; that's right; that is right;
that's correct; that is correct; you're right; you are right; you were right; right on; that's perfect;
that is perfect; this is perfect; it's perfect; that's great; that is great; this is great; it's great;
that's excellent; this is excellent; that's awesome; this is awesome; that's amazing; this is amazing;
that's fantastic; that's brilliant; this is brilliant; that's wonderful; that's nice; that's very good;
this is very good; that looks great; that looks good; that looks perfect; this looks great; this looks good;
looks good; looks great; looks perfect; looks good to me; looks great to me; lgtm; much better; way better;
that's better; that's much better; that is much better; this is much better; better now; i love it; love it;
love this; i love this; i like it; i really like it; i like this; i'm impressed; you're the best; you are the best;
you're amazing; you're awesome; you rock; you nailed it; nailed it; you got it; you got it right; you're a lifesaver;
lifesaver; you saved me ...; you saved my ...; couldn't be better; couldn't have done it better; 10/10; a+; 👍; 🎉;
❤️; 💯; 🙌; 👏; 🙏; 😍; 🥳; that was it; that's what i wanted; that's what i needed; that's what i meant;
that's what i was looking for; that is what i wanted; this is what i wanted; much cleaner; that's cleaner;
this is cleaner; this is much cleaner; that's much cleaner; i'm happy with ...; i'm very happy with ...;
i love how ...; love how ...; good to go; this helped; this helped a lot; that helped a lot; that's really helpful;
this is really helpful; i'm happy; works for me; good result; great result; nice result; nice touch; nicely done;
beautifully done; that's the answer i ...; that's the one i ...; that answers my question; this answers my question;
exactly as described; exactly as i ...; exactly like that; you fixed the ...; all good; all good now; even better;
better than i expected; better than expected
""",
    blame="""
wrong; that's wrong; that is wrong; this is wrong; it's wrong; you're wrong; you are wrong; you were wrong; all wrong;
completely wrong; totally wrong; wrong again; still wrong; that's completely wrong; that's totally wrong;
that's plain wrong; that's just wrong; that's still wrong; that answer is wrong; your answer is wrong; wrong answer;
wrong file; wrong branch; incorrect; that's incorrect; that is incorrect; this is incorrect; not correct; not right;
that's not right; that is not right; this is not right; that isn't right; this isn't right; that's not correct;
that is not correct; this is not correct; that isn't correct; that's not true; that is not true; that isn't true;
that's false; not what i asked ...; not what i wanted ...; not what i meant ...; not what i said ...;
not quite what i ...; not at all what i ...; not what i need; not what i needed; that's not what i ...;
that is not what i ...; this is not what i ...; that isn't what i ...; this isn't what i ...; that wasn't what i ...;
that's not how ...; that's not it; that is not it; that isn't it; that's not the one; not that one; not this one;
you misunderstood; you misunderstood ...; you've misunderstood ...; you got it wrong; you got that wrong;
you're mistaken; you are mistaken; you made an error; you missed ...; you forgot ...; you forgot; you ignored ...;
you didn't ...; you did not ...; you broke ...; you've broken ...; you deleted the wrong ...;
you changed the wrong ...; you edited the wrong ...; you used the wrong ...; you still haven't ...;
no, i didn't ask ...; no i didn't ask ...; nope, i didn't ask ...; nope i didn't ask ...; i did not ask ...;
i never asked ...; no, i didn't say ...; no i didn't say ...; nope, i didn't say ...; nope i didn't say ...;
i told you ...; no, i asked for ...; no i asked for ...; nope, i asked for ...; nope i asked for ...; i asked you ...;
i already said ...; no, i meant ...; no i meant ...; nope, i meant ...; nope i meant ...; that broke ...;
this broke ...; it broke ...; now it's broken; it's broken; it's broken now; everything is broken; that didn't work;
that did not work; this didn't work; that doesn't work; that does not work; this doesn't work; this does not work;
it didn't work; it did not work; it doesn't work; it does not work; doesn't work; does not work; didn't work;
did not work; not working; it's not working; it is not working; it isn't working; that's not working;
still not working; still doesn't work; still does not work; still broken; still fails; still failing; still crashes;
still not fixed; it still fails; it still doesn't work; it still crashes; it still does not work; it's still broken;
it's still failing; it's still not working; it is still failing; it is still broken; that still doesn't work;
that still fails; the test still fails; the tests still fail; tests still fail; the build still fails; same error;
same error again; still the same error; still the same; same problem; same problem again; same issue;
still getting the same ...; i still get ...; i'm still getting ...; nothing changed; that didn't help;
that didn't fix it; that doesn't fix it; that did not fix it; didn't help; didn't fix it; that makes no sense;
this makes no sense; makes no sense; that doesn't make sense; that does not make sense; nonsense; that's nonsense;
that is nonsense; rubbish; garbage; that's garbage; useless; that's useless; this is useless; terrible;
that's terrible; this is terrible; awful; bad answer; that's bad; this is bad; horrible; not good; that's not good;
that's not good enough; not good enough; that's worse; it's worse; even worse; much worse; worse than before;
it's worse now; not helpful; that's not helpful; that wasn't helpful; no good; wtf; 👎; 😡; 🤦; 🙄; i said ... not;
i asked for ... not; no, i said ...; no i said ...; no, i wanted ...; no i wanted ...; i already told you ...;
you made a mistake; you made a mistake ...; you keep ignoring ...; you keep making ...; you keep doing ...;
you keep forgetting ...; this doesn't compile; it doesn't compile; that doesn't compile; doesn't compile;
doesn't build; it doesn't build; you've got it backwards; you got it backwards; you have it backwards;
that's the wrong ...; this is the wrong ...; that is the wrong ...; that was the wrong ...; it is still not working;
it still isn't working; it still doesn't compile; the answer is wrong; your answer was wrong; the result is wrong;
the output is wrong; your fix broke ...; your change broke ...; your changes broke ...; your last change broke ...;
your edit broke ...; your fix doesn't work; your fix didn't work; your solution doesn't work; your code doesn't work;
your code is wrong; your code doesn't compile; wrong function; wrong line; wrong column; wrong folder; wrong table;
wrong one; wrong place; wrong direction; wrong approach; wrong version; wrong language; not even close; way off;
that's way off; that's off; completely off; that's not even close; that's not what we ...; not what we ...;
that's not the right ...; this is not the right ...; that's a mistake; that was a mistake; that's a bug;
you introduced a bug; you removed the wrong ...; you renamed the wrong ...; you misread ...; you misunderstood me;
you overlooked ...; you skipped ...; you hallucinated ...; you made that up; you made this up; that does not exist;
that doesn't exist; that function doesn't exist; no such function; i don't like it; i don't like this;
i don't like that; i hate it; disappointing; that's disappointing; try again, that's wrong;
please read my question again; please read the question again; read my question again; did not help; this didn't help;
this doesn't help; that doesn't help; it got worse; it's getting worse; this made it worse; that made it worse;
you made it worse
""",
    before="""
ok; okay; ah; wow; yes; yeah; yep; yup; hey; cool; alright; haha; whoa; hmm; hm; omg; sweet; oh no; no; nope; nah;
ugh; argh; wait; stop; again; this time; very; really; so; such a; absolutely; truly; totally; good; pretty; but
""",
    after="""
a lot; so much; very much; a bunch; a ton; much; indeed; now; again; already; really; too; as well; man; mate; buddy;
dude; claude; friend; sir; there; perfectly; fine; well; great; here; this time; at all; finally; in the end; for me;
for that; for this; for everything; all; everyone; :); :-); :d; <3; lol; haha; yay; 😊; 😀; 😄; 🚀; 🔥; ✨; ✅; 😁
""",
    unless="""
but; however; except; although; though; yet; unfortunately; still; not; never; nothing; no; none; nobody; broke;
broken; breaks; worse; isn't; doesn't; didn't; won't; can't; wasn't; aren't; don't; fails; failed; crashes; crashed;
wrong; useless; lost; almost; nearly; in advance; advance; sort of; kind of; if; would; until; before; unless; only;
joke; another failure; sarcasm; /s; supposed; wish; 🙄; 🤦; ruined; another error; another bug; another crash;
another problem; same error; deleted everything; everything is gone
""",
    then="""
now; please; let's; lets; next; go; continue; commit; ship; can you; could you; then; so; push; do; proceed
""",
    keep="""
remember that; remember,; remember i; remember we; remember my; remember our; remember this; remember:;
please remember; always remember; keep in mind; bear in mind; ...from now on; ...from here on; ...from today on;
...going forward; for future reference; for next time; next time; make a note; note to self; note for later;
don't forget that; don't forget:; never forget; do not forget that; memorize; memorise; save this to memory;
save to memory; save that to memory; store this in memory; add this to memory; add to memory; add to your memory;
put this in memory; commit this to memory; keep this in memory; write this down; i want you to remember;
you should remember; let's remember; ...henceforth
""",
)
