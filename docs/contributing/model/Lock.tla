-------------------------------- MODULE Lock --------------------------------
(* The protocol of a plain lock: acquire, renew, release, hand-over, replay, expiry, failover, and the line of clients. See README.md.

   The network is as bad as it can be: a command that was sent may be executed at any time, in any order, any number of times, or never, also after
   its sender gave up; an answer or message arrives at any time or never. So a command that was sent stays in the state for ever, with its age. A
   client that dies is one whose later commands are never executed.

   Time passes in ticks. What counts down for a client, it counts in what is left of it. The line is a set from which a release takes any place or
   none: that covers every order, every place that is passed over because its client does not listen, and every place that ran out.

   Trace.tla checks that what a simulated run did is a behavior of this model. There, questions ask for leases of all lengths, each clock has its own
   pace, and more is on its way at once. The constants that say so have one value each where TLC explores all behaviors. *)
EXTENDS Naturals, FiniteSets, TLC

CONSTANTS
    Clients,        \* a set of model values
    MaxGen,         \* owner ids of a client, one for each attempt
    MaxToken,       \* grants in all
    Leases,         \* that a question or a renewal may ask for
    FirstLease,     \* of a grant by a release
    Drift,          \* Redis may count that much too fast; clients take it off
    MaxAnswers,     \* that are on their way to a client at once
    MaxPassed,      \* how often a grant is passed on in memory
    MaxLosses,      \* how often Redis loses what it confirmed last; 0 leaves out what only matters then: the order of tokens, and hand-over
    Written,        \* state is written; FALSE: counted up and down
    OwnerNamed,     \* a release names its owner
    FromSending,    \* an answer counts from the sending of its question; FALSE: from its arrival
    Pushed,         \* from when a grant by a release counts: "above", "busy", "sent" or "arrival"
    TryBelieved,    \* a grant by a release also counts from a refused question without a wait, whose answer names no number
    Confirmed,      \* a lock is passed on in memory only while nobody else can have been granted it
    TokenByClock,   \* tokens come from the server's clock; FALSE: from a counter that is lost with the data
    TokenNamed      \* a renewal names its grant's token

VARIABLES
    hold,           \* in Redis: owner, token, ticks left, count
    drawn,          \* last token drawn
    line,           \* owner ids that have a place
    replica,        \* what a replica knows of the three
    losses,
    st, gen,        \* a client idles, waits or holds; the number of its owner id
    valid, tok,     \* a holder's validity in ticks, and its token
    passed,         \* how often the lock was passed on in memory from thread to thread: how far the holder's token is in the grant's block
    base, known,    \* what a grant by a release is worth that counts from the last refused question, and the last token drawn that its answer named
    asked,          \* the questions that were sent, for each owner id: the lease, and the age
    renewals,       \* the renewals that were sent, for each owner id: the lease, the age, and the grant's token
    answers,        \* the answers on their way to a client: the kind, a token, and what it is worth
    messages,       \* grants by releases that were announced
    top, floor,     \* the greatest token in a holder's hand; the same when a client began to ask
    wrong           \* a token did not grow, or Redis confirmed a grant that the holder does not have

vars == <<hold, drawn, line, replica, losses, st, gen, valid, tok, passed, base, known, asked, renewals, answers, messages, top, floor, wrong>>

(* How long a client may rely on a lease. *)
Usable(l) == IF l > Drift THEN l - Drift ELSE 0

(* The lease of a grant by a release to an owner. *)
FirstLeaseOf(o) == FirstLease

None == <<"nobody", 0>>
Free == [o |-> None, t |-> 0, l |-> 0, n |-> 0]
Owners == Clients \X (1..MaxGen)
Own(c) == <<c, gen[c]>>
Max(a, b) == IF a > b THEN a ELSE b
Less(a, b) == IF a > b THEN a - b ELSE 0
Value(t, n) == IF MaxLosses = 0 THEN 0 ELSE (MaxPassed + 1) * t + n

(* At this age, the answer to a question is of no use. *)
Old(l) == Usable(Max(l, FirstLease))
Older(sent, n) == {[q EXCEPT !.a = IF @ + n < Old(q.l) THEN @ + n ELSE Old(q.l)] : q \in sent}
Oldest(sent) == {[q EXCEPT !.a = Old(q.l)] : q \in sent}

Init ==
    /\ hold = Free /\ drawn = 0 /\ line = {} /\ losses = 0
    /\ replica = [hold |-> Free, line |-> {}, drawn |-> 0]
    /\ st = [c \in Clients |-> "idle"] /\ gen = [c \in Clients |-> 1]
    /\ valid = [c \in Clients |-> 0] /\ tok = [c \in Clients |-> 0] /\ passed = [c \in Clients |-> 0]
    /\ base = [c \in Clients |-> 0] /\ known = [c \in Clients |-> 0]
    /\ asked = [o \in Owners |-> {}] /\ renewals = [o \in Owners |-> {}]
    /\ answers = [c \in Clients |-> {}] /\ messages = {}
    /\ top = 0 /\ floor = [c \in Clients |-> 0] /\ wrong = FALSE

redis == <<hold, drawn, line, replica, losses>>
client == <<st, gen, valid, tok, passed, base, known, top, floor>>

-----------------------------------------------------------------------------
(* What clients do. *)

Ask(c, l) ==
    /\ gen[c] <= MaxGen
    /\ \/ st[c] = "idle" /\ st' = [st EXCEPT ![c] = "waits"] /\ floor' = [floor EXCEPT ![c] = top]
       \/ st[c] = "waits" /\ [l |-> l, a |-> 0] \notin asked[Own(c)] /\ UNCHANGED <<st, floor>>
    /\ asked' = [asked EXCEPT ![Own(c)] = @ \union {[l |-> l, a |-> 0]}]
    /\ base' = IF Pushed = "sent" THEN [base EXCEPT ![c] = Usable(FirstLeaseOf(Own(c)))] ELSE base
    /\ UNCHANGED <<redis, gen, valid, tok, passed, known, renewals, answers, messages, top, wrong>>

(* The client believes to hold the lock from now on. *)
Hold(c, t, v) ==
    /\ st' = [st EXCEPT ![c] = "holds"] /\ valid' = [valid EXCEPT ![c] = v] /\ tok' = [tok EXCEPT ![c] = t]
    /\ top' = Max(top, Value(t, 0)) /\ wrong' = (wrong \/ (MaxLosses > 0 /\ Value(t, 0) <= floor[c]))
    /\ base' = [base EXCEPT ![c] = 0] /\ known' = [known EXCEPT ![c] = 0]

Heard(c, r) == answers' = [answers EXCEPT ![c] = @ \ {r}]

HearGranted(c, r) ==
    /\ r.k = "granted" /\ st[c] = "waits" /\ r.v > 0
    /\ Hold(c, r.t, r.v)
    /\ Heard(c, r)
    /\ UNCHANGED <<redis, gen, passed, asked, renewals, messages, floor>>

HearBusy(c, r) ==
    /\ Pushed \in {"above", "busy"}
    /\ r.k = "busy" /\ st[c] = "waits" /\ r.v > base[c]
    /\ base' = [base EXCEPT ![c] = r.v] /\ known' = [known EXCEPT ![c] = r.t]
    /\ Heard(c, r)
    /\ UNCHANGED <<redis, st, gen, valid, tok, passed, asked, renewals, messages, top, floor, wrong>>

HearRenewed(c, r) ==
    /\ r.k \in {"renewed", "granted"} /\ st[c] = "holds" /\ valid[c] > 0 /\ r.t = tok[c]
    /\ r.v > valid[c]
    /\ valid' = [valid EXCEPT ![c] = r.v]
    /\ Heard(c, r)
    /\ UNCHANGED <<redis, st, gen, tok, passed, base, known, asked, renewals, messages, top, floor, wrong>>

HearMessage(c) ==
    /\ st[c] = "waits"
    /\ \E m \in messages :
        /\ m[1] = Own(c)
        /\ CASE Pushed = "above" -> base[c] > 0 /\ m[2] > known[c] /\ Hold(c, m[2], base[c])
             [] Pushed = "arrival" -> Hold(c, m[2], Usable(FirstLeaseOf(Own(c))))
             [] OTHER -> base[c] > 0 /\ Hold(c, m[2], base[c])
    /\ UNCHANGED <<redis, gen, passed, asked, renewals, answers, messages, floor>>

Renew(c, l) ==
    /\ st[c] = "holds" /\ valid[c] > 0
    /\ renewals' = [renewals EXCEPT ![Own(c)] = @ \union {[l |-> l, a |-> 0, t |-> tok[c]]}]
    /\ UNCHANGED <<redis, client, asked, answers, messages, wrong>>

(* Another thread of the client gets the lock, and a later token of its block. *)
HandOver(c, n) ==
    /\ MaxLosses > 0 /\ st[c] = "holds" /\ valid[c] > 0 /\ n > passed[c]
    /\ Confirmed => hold.o = Own(c) /\ hold.t = tok[c]
    /\ passed' = [passed EXCEPT ![c] = n]
    /\ wrong' = (wrong \/ Value(tok[c], n) <= top)
    /\ top' = Max(top, Value(tok[c], n))
    /\ UNCHANGED <<redis, st, gen, valid, tok, base, known, asked, renewals, answers, messages, floor>>

(* The holder releases, or the waiter leaves, or the client dies: from now on the release of that owner id may be executed. *)
Leave(c) ==
    /\ st[c] # "idle"
    /\ st' = [st EXCEPT ![c] = "idle"] /\ gen' = [gen EXCEPT ![c] = @ + 1]
    /\ valid' = [valid EXCEPT ![c] = 0] /\ tok' = [tok EXCEPT ![c] = 0] /\ passed' = [passed EXCEPT ![c] = 0]
    /\ base' = [base EXCEPT ![c] = 0] /\ known' = [known EXCEPT ![c] = 0] /\ floor' = [floor EXCEPT ![c] = 0]
    /\ asked' = [asked EXCEPT ![Own(c)] = Oldest(@)]
    /\ renewals' = [renewals EXCEPT ![Own(c)] = Oldest(@)]
    /\ answers' = [answers EXCEPT ![c] = {}]
    /\ messages' = {m \in messages : m[1] # Own(c)}
    /\ UNCHANGED <<redis, top, wrong>>

-----------------------------------------------------------------------------
(* What Redis does. *)

(* An answer is of use to an owner that has not left. *)
IsOfUse(o, v) == gen[o[1]] = o[2] /\ st[o[1]] # "idle" /\ v > 0

Arrives(o, r) ==
    /\ IsOfUse(o, r.v)
    /\ answers' = [answers EXCEPT ![o[1]] = IF Cardinality(@) < MaxAnswers THEN @ \union {r} ELSE {r}]

Answered(o, k, t, v) ==
    \/ UNCHANGED answers                                      \* it is lost, or too late
    \/ Arrives(o, [k |-> k, t |-> t, v |-> v])

(* What an answer that brings a lease is worth when it is sent to the client. *)
Worth(l, age) == IF FromSending \/ age >= Usable(l) THEN Less(Usable(l), age) ELSE Usable(l)

Refused(o, q, t) == Answered(o, "busy", t, Less(Usable(FirstLeaseOf(o)), q.a))

(* Redis grants the lock to a place in line, and tells its client. *)
GrantTo(p) ==
    /\ drawn < MaxToken /\ drawn' = drawn + 1
    /\ hold' = [o |-> p, t |-> drawn + 1, l |-> FirstLeaseOf(p), n |-> 1]
    /\ messages' = IF gen[p[1]] = p[2] THEN messages \union {<<p, drawn + 1>>} ELSE messages

(* A question of a caller that does not wait, under an owner id that may have a place, enters no line. Which questions those are is not kept: each
   may be one. A question that finds the lock free may do the work of a release, and grant it to a place. *)
Question(o, q) ==
    /\ CASE hold.o = o ->
              /\ hold' = [hold EXCEPT !.l = Max(@, q.l), !.n = IF Written \/ @ = 2 THEN @ ELSE @ + 1]
              /\ UNCHANGED <<drawn, line, messages>>
              /\ Answered(o, "granted", hold.t, Worth(hold'.l, q.a))
         [] hold.o = None ->
              \/ /\ drawn < MaxToken /\ drawn' = drawn + 1
                 /\ hold' = [o |-> o, t |-> drawn + 1, l |-> q.l, n |-> 1]
                 /\ line' = line \ {o}
                 /\ Answered(o, "granted", drawn + 1, Worth(q.l, q.a))
                 /\ UNCHANGED messages
              \/ \E p \in line \ {o} :
                    /\ GrantTo(p)
                    /\ \/ line' = (line \ {p}) \union {o} /\ Refused(o, q, drawn + 1)
                       \/ line' = line \ {p} /\ IF TryBelieved THEN Refused(o, q, 0) ELSE UNCHANGED answers
         [] OTHER ->
              /\ UNCHANGED <<hold, drawn, messages>>
              /\ \/ line' = line \union {o} /\ Refused(o, q, drawn)
                 \/ UNCHANGED line /\ IF TryBelieved THEN Refused(o, q, 0) ELSE UNCHANGED answers
    /\ UNCHANGED <<replica, losses, client, asked, renewals, wrong>>

(* A renewal shortens no lease. *)
Renewal(o, q) ==
    /\ hold.o = o /\ (TokenNamed => hold.t = q.t)
    /\ hold' = [hold EXCEPT !.l = Max(@, q.l)]
    /\ wrong' = (wrong \/ hold.t # q.t)
    /\ Answered(o, "renewed", q.t, Worth(q.l, q.a))
    /\ UNCHANGED <<drawn, line, replica, losses, client, asked, renewals, messages>>

(* The lock goes to one of the places, or is free. *)
FreeOrGrant(places) ==
    \/ hold' = Free /\ line' = places /\ UNCHANGED <<drawn, messages>>
    \/ \E p \in places : GrantTo(p) /\ line' = places \ {p}

(* An owner that has only a place leaves the line. If the lock is free, its release serves the next. *)
Release(o) ==
    /\ o[2] < gen[o[1]]
    /\ \/ /\ IF OwnerNamed THEN hold.o = o ELSE hold.o # None
          /\ IF hold.n > 1 THEN hold' = [hold EXCEPT !.n = @ - 1] /\ UNCHANGED <<drawn, line, messages>> ELSE FreeOrGrant(line)
       \/ o \in line /\ hold.o # None /\ line' = line \ {o} /\ UNCHANGED <<hold, drawn, messages>>
       \/ o \in line /\ hold.o = None /\ FreeOrGrant(line \ {o})
    /\ UNCHANGED <<replica, losses, client, asked, renewals, answers, wrong>>

(* Redis counts too fast. *)
EarlyEnd ==
    /\ hold.o # None /\ hold.l <= Drift /\ hold' = Free
    /\ UNCHANGED <<drawn, line, replica, losses, client, asked, renewals, answers, messages, wrong>>

Replicate ==
    /\ losses < MaxLosses
    /\ replica' = [hold |-> hold, line |-> line, drawn |-> drawn]
    /\ UNCHANGED <<hold, drawn, line, losses, client, asked, renewals, answers, messages, wrong>>

(* A failover to the replica, a restart without data, or FLUSHALL. *)
Lose ==
    /\ losses < MaxLosses /\ losses' = losses + 1
    /\ \/ hold' = replica.hold /\ line' = replica.line
       \/ hold' = Free /\ line' = {}
    /\ drawn' = IF TokenByClock THEN drawn ELSE replica.drawn
    /\ UNCHANGED <<replica, client, asked, renewals, answers, messages, wrong>>

-----------------------------------------------------------------------------

(* As in Redis, a lock still exists in the moment in which it ends. *)
Aged(h, n) == IF h.o = None \/ h.l < n THEN Free ELSE [h EXCEPT !.l = @ - n]

Worn(r, n) == IF r.k = "busy" \/ FromSending THEN [r EXCEPT !.v = Less(@, n)] ELSE r

(* Redis' clock goes on by one time, and each client's by its own. *)
Pass(n, times) ==
    /\ hold' = Aged(hold, n) /\ replica' = [replica EXCEPT !.hold = Aged(@, n)]
    /\ valid' = [c \in Clients |-> Less(valid[c], times[c])]
    /\ base' = [c \in Clients |-> Less(base[c], times[c])]
    /\ asked' = [o \in Owners |-> Older(asked[o], times[o[1]])]
    /\ renewals' = [o \in Owners |-> Older(renewals[o], times[o[1]])]
    /\ answers' = [c \in Clients |-> {r \in {Worn(r, times[c]) : r \in answers[c]} : r.v > 0}]
    /\ UNCHANGED <<drawn, line, losses, st, gen, tok, passed, known, messages, top, floor, wrong>>

Tick == Pass(1, [c \in Clients |-> 1])

Next ==
    \/ \E c \in Clients :
        \/ \E l \in Leases : Ask(c, l) \/ Renew(c, l)
        \/ \E r \in answers[c] : HearGranted(c, r) \/ HearBusy(c, r) \/ HearRenewed(c, r)
        \/ \E n \in 1..MaxPassed : HandOver(c, n)
        \/ HearMessage(c) \/ Leave(c)
    \/ \E o \in Owners :
        \/ \E q \in asked[o] : Question(o, q)
        \/ \E q \in renewals[o] : Renewal(o, q)
        \/ Release(o)
    \/ EarlyEnd \/ Replicate \/ Lose \/ Tick

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
(* A holder that believes in its lease has the lock in Redis, under its owner id and with its token. So there is never a second one, and no late
   command frees it. Promised where Redis loses nothing. *)
HolderIsRight == \A c \in Clients : st[c] = "holds" /\ valid[c] > 0 => hold.o = Own(c) /\ hold.t = tok[c]

(* Tokens grow, and Redis confirms only what the holder has. Promised always. *)
TokensGrow == ~wrong

(* Redis never counts a hold that no thread has. Promised always. *)
CountIsTrue == hold.n <= 1

Symmetry == Permutations(Clients)
=============================================================================
