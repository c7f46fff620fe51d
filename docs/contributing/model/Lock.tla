-------------------------------- MODULE Lock --------------------------------
(* The protocol of a plain lock: acquire, renew, release, hand-over, replay, expiry, failover, and the line of clients. See README.md.

   The network is as bad as it can be: a command that was sent may be executed at any time, in any order, any number of times, or never, also after
   its sender gave up; an answer or message arrives at any time or never. So a command that was sent stays in the state for ever, with its age. A
   client that dies is one whose later commands are never executed.

   Time passes in ticks. The line is a set from which a release takes any place or none: that covers every order, every place that is passed over
   because its client does not listen, and every place that ran out. *)
EXTENDS Naturals, TLC

CONSTANTS
    Clients,        \* a set of model values
    MaxGen,         \* owner ids of a client, one for each attempt
    MaxToken,       \* grants in all
    Lease,          \* of a question's grant, and of a renewal
    FirstLease,     \* of a grant by a release
    Drift,          \* Redis may count that much too fast; clients take it off
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
    passed,         \* whether the holder got the lock in memory from another thread: its token is the next one of the block
    base, known,    \* the age of the last refused question, and the last token drawn that its answer named
    asked,          \* ages of the questions that were sent, for each owner id
    renewals,       \* ages of the renewals that were sent for a client's grant
    answer,         \* the answer on its way to a client
    messages,       \* grants by releases that were announced
    top, floor,     \* the greatest token in a holder's hand; the same when a client began to ask
    wrong           \* a token did not grow, or Redis confirmed a grant that the holder does not have

vars == <<hold, drawn, line, replica, losses, st, gen, valid, tok, passed, base, known, asked, renewals, answer, messages, top, floor, wrong>>

Old == Lease - Drift            \* an answer of this age is of no use
OldFirst == FirstLease - Drift  \* nor is a grant by a release that counts from a question of this age
None == <<"nobody", 0>>
Free == [o |-> None, t |-> 0, l |-> 0, n |-> 0]
NoAnswer == [k |-> "none", t |-> 0, a |-> 0]
Owners == Clients \X (1..MaxGen)
Own(c) == <<c, gen[c]>>
Max(a, b) == IF a > b THEN a ELSE b
Older(ages) == {IF a < Old THEN a + 1 ELSE Old : a \in ages}
Value(t, p) == IF MaxLosses = 0 THEN 0 ELSE 2 * t + (IF p THEN 1 ELSE 0)

Init ==
    /\ hold = Free /\ drawn = 0 /\ line = {} /\ losses = 0
    /\ replica = [hold |-> Free, line |-> {}, drawn |-> 0]
    /\ st = [c \in Clients |-> "idle"] /\ gen = [c \in Clients |-> 1]
    /\ valid = [c \in Clients |-> 0] /\ tok = [c \in Clients |-> 0] /\ passed = [c \in Clients |-> FALSE]
    /\ base = [c \in Clients |-> Old] /\ known = [c \in Clients |-> 0]
    /\ asked = [o \in Owners |-> {}] /\ renewals = [c \in Clients |-> {}]
    /\ answer = [c \in Clients |-> NoAnswer] /\ messages = {}
    /\ top = 0 /\ floor = [c \in Clients |-> 0] /\ wrong = FALSE

redis == <<hold, drawn, line, replica, losses>>
client == <<st, gen, valid, tok, passed, base, known, top, floor>>

-----------------------------------------------------------------------------
(* What clients do. *)

Ask(c) ==
    /\ gen[c] <= MaxGen
    /\ \/ st[c] = "idle" /\ st' = [st EXCEPT ![c] = "waits"] /\ floor' = [floor EXCEPT ![c] = top]
       \/ st[c] = "waits" /\ 0 \notin asked[Own(c)] /\ UNCHANGED <<st, floor>>
    /\ asked' = [asked EXCEPT ![Own(c)] = @ \union {0}]
    /\ base' = IF Pushed = "sent" THEN [base EXCEPT ![c] = 0] ELSE base
    /\ UNCHANGED <<redis, gen, valid, tok, passed, known, renewals, answer, messages, top, wrong>>

(* The client believes to hold the lock from now on. *)
Hold(c, t, v) ==
    /\ st' = [st EXCEPT ![c] = "holds"] /\ valid' = [valid EXCEPT ![c] = v] /\ tok' = [tok EXCEPT ![c] = t]
    /\ top' = Max(top, Value(t, FALSE)) /\ wrong' = (wrong \/ (MaxLosses > 0 /\ Value(t, FALSE) <= floor[c]))
    /\ base' = [base EXCEPT ![c] = Old] /\ known' = [known EXCEPT ![c] = 0]

Validity(a) == IF FromSending THEN Old - a ELSE Old

HearGranted(c) ==
    /\ answer[c].k = "granted" /\ st[c] = "waits" /\ Validity(answer[c].a) > 0
    /\ Hold(c, answer[c].t, Validity(answer[c].a))
    /\ answer' = [answer EXCEPT ![c] = NoAnswer]
    /\ UNCHANGED <<redis, gen, passed, asked, renewals, messages, floor>>

HearBusy(c) ==
    /\ Pushed \in {"above", "busy"}
    /\ answer[c].k = "busy" /\ st[c] = "waits" /\ answer[c].a < base[c]
    /\ base' = [base EXCEPT ![c] = answer[c].a] /\ known' = [known EXCEPT ![c] = answer[c].t]
    /\ answer' = [answer EXCEPT ![c] = NoAnswer]
    /\ UNCHANGED <<redis, st, gen, valid, tok, passed, asked, renewals, messages, top, floor, wrong>>

HearRenewed(c) ==
    /\ answer[c].k \in {"renewed", "granted"} /\ st[c] = "holds" /\ valid[c] > 0 /\ answer[c].t = tok[c]
    /\ Validity(answer[c].a) > valid[c]
    /\ valid' = [valid EXCEPT ![c] = Validity(answer[c].a)]
    /\ answer' = [answer EXCEPT ![c] = NoAnswer]
    /\ UNCHANGED <<redis, st, gen, tok, passed, base, known, asked, renewals, messages, top, floor, wrong>>

HearMessage(c) ==
    /\ st[c] = "waits"
    /\ \E m \in messages :
        /\ m[1] = Own(c)
        /\ CASE Pushed = "above" -> base[c] < OldFirst /\ m[2] > known[c] /\ Hold(c, m[2], OldFirst - base[c])
             [] Pushed = "arrival" -> Hold(c, m[2], OldFirst)
             [] OTHER -> base[c] < OldFirst /\ Hold(c, m[2], OldFirst - base[c])
    /\ answer' = [answer EXCEPT ![c] = NoAnswer]
    /\ UNCHANGED <<redis, gen, passed, asked, renewals, messages, floor>>

Renew(c) ==
    /\ st[c] = "holds" /\ valid[c] > 0 /\ 0 \notin renewals[c]
    /\ renewals' = [renewals EXCEPT ![c] = @ \union {0}]
    /\ UNCHANGED <<redis, client, asked, answer, messages, wrong>>

(* Another thread of the client gets the lock, and the next token of its block. *)
HandOver(c) ==
    /\ MaxLosses > 0 /\ st[c] = "holds" /\ valid[c] > 0 /\ ~passed[c]
    /\ Confirmed => hold.o = Own(c) /\ hold.t = tok[c]
    /\ passed' = [passed EXCEPT ![c] = TRUE]
    /\ wrong' = (wrong \/ Value(tok[c], TRUE) <= top)
    /\ top' = Max(top, Value(tok[c], TRUE))
    /\ UNCHANGED <<redis, st, gen, valid, tok, base, known, asked, renewals, answer, messages, floor>>

(* The holder releases, or the waiter leaves, or the client dies: from now on the release of that owner id may be executed. *)
Leave(c) ==
    /\ st[c] # "idle"
    /\ st' = [st EXCEPT ![c] = "idle"] /\ gen' = [gen EXCEPT ![c] = @ + 1]
    /\ valid' = [valid EXCEPT ![c] = 0] /\ tok' = [tok EXCEPT ![c] = 0] /\ passed' = [passed EXCEPT ![c] = FALSE]
    /\ base' = [base EXCEPT ![c] = Old] /\ known' = [known EXCEPT ![c] = 0] /\ floor' = [floor EXCEPT ![c] = 0]
    /\ asked' = [asked EXCEPT ![Own(c)] = IF @ = {} THEN {} ELSE {Old}]
    /\ renewals' = [renewals EXCEPT ![c] = {}]
    /\ answer' = [answer EXCEPT ![c] = NoAnswer]
    /\ messages' = {m \in messages : m[1] # Own(c)}
    /\ UNCHANGED <<redis, top, wrong>>

-----------------------------------------------------------------------------
(* What Redis does. *)

Answers(o, k, t, a) ==
    LET c == o[1] IN
        \/ UNCHANGED answer                                      \* it is lost, or too late
        \/ /\ gen[c] = o[2] /\ st[c] # "idle" /\ a < Old
           /\ answer' = [answer EXCEPT ![c] = [k |-> k, t |-> t, a |-> a]]

(* A question of a caller that does not wait, under an owner id that may have a place, enters no line. Which questions those are is not kept: each
   may be one. *)
Question(o) == \E a \in asked[o] :
    /\ CASE hold.o = o ->
              /\ hold' = IF Written THEN hold ELSE [hold EXCEPT !.n = IF @ < 2 THEN @ + 1 ELSE @]
              /\ UNCHANGED <<drawn, line>>
              /\ Answers(o, "granted", hold.t, a + Lease - hold.l)
         [] hold.o = None ->
              /\ drawn < MaxToken /\ drawn' = drawn + 1
              /\ hold' = [o |-> o, t |-> drawn + 1, l |-> Lease, n |-> 1]
              /\ line' = line \ {o}
              /\ Answers(o, "granted", drawn + 1, a)
         [] OTHER ->
              /\ UNCHANGED <<hold, drawn>>
              /\ \/ line' = line \union {o} /\ Answers(o, "busy", drawn, a)
                 \/ UNCHANGED line /\ IF TryBelieved THEN Answers(o, "busy", 0, a) ELSE UNCHANGED answer
    /\ UNCHANGED <<replica, losses, client, asked, renewals, messages, wrong>>

Renewal(c) == \E a \in renewals[c] :
    /\ st[c] = "holds" /\ hold.o = Own(c) /\ (TokenNamed => hold.t = tok[c])
    /\ hold' = [hold EXCEPT !.l = Lease]
    /\ wrong' = (wrong \/ hold.t # tok[c])
    /\ Answers(Own(c), "renewed", tok[c], a)
    /\ UNCHANGED <<drawn, line, replica, losses, client, asked, renewals, messages>>

(* The lock goes to a place in line, or is free. *)
FreeOrGrant ==
    \/ hold' = Free /\ UNCHANGED <<drawn, line, messages>>
    \/ \E p \in line :
        /\ drawn < MaxToken /\ drawn' = drawn + 1
        /\ hold' = [o |-> p, t |-> drawn + 1, l |-> FirstLease, n |-> 1]
        /\ line' = line \ {p}
        /\ messages' = IF gen[p[1]] = p[2] THEN messages \union {<<p, drawn + 1>>} ELSE messages

Release(o) ==
    /\ o[2] < gen[o[1]]
    /\ \/ /\ IF OwnerNamed THEN hold.o = o ELSE hold.o # None
          /\ IF hold.n > 1 THEN hold' = [hold EXCEPT !.n = @ - 1] /\ UNCHANGED <<drawn, line, messages>> ELSE FreeOrGrant
       \/ o \in line /\ line' = line \ {o} /\ UNCHANGED <<hold, drawn, messages>>
    /\ UNCHANGED <<replica, losses, client, asked, renewals, answer, wrong>>

(* Redis counts too fast. *)
EarlyEnd ==
    /\ hold.o # None /\ hold.l <= Drift /\ hold' = Free
    /\ UNCHANGED <<drawn, line, replica, losses, client, asked, renewals, answer, messages, wrong>>

Replicate ==
    /\ losses < MaxLosses
    /\ replica' = [hold |-> hold, line |-> line, drawn |-> drawn]
    /\ UNCHANGED <<hold, drawn, line, losses, client, asked, renewals, answer, messages, wrong>>

(* A failover to the replica, a restart without data, or FLUSHALL. *)
Lose ==
    /\ losses < MaxLosses /\ losses' = losses + 1
    /\ \/ hold' = replica.hold /\ line' = replica.line
       \/ hold' = Free /\ line' = {}
    /\ drawn' = IF TokenByClock THEN drawn ELSE replica.drawn
    /\ UNCHANGED <<replica, client, asked, renewals, answer, messages, wrong>>

-----------------------------------------------------------------------------

Aged(h) == IF h.o = None THEN Free ELSE IF h.l > 1 THEN [h EXCEPT !.l = @ - 1] ELSE Free

Tick ==
    /\ hold' = Aged(hold) /\ replica' = [replica EXCEPT !.hold = Aged(@)]
    /\ valid' = [c \in Clients |-> IF valid[c] > 0 THEN valid[c] - 1 ELSE 0]
    /\ base' = [c \in Clients |-> IF base[c] < Old THEN base[c] + 1 ELSE Old]
    /\ asked' = [o \in Owners |-> Older(asked[o])]
    /\ renewals' = [c \in Clients |-> Older(renewals[c])]
    /\ answer' = [c \in Clients |->
        IF answer[c].k = "none" \/ (FromSending /\ answer[c].a + 1 >= Old) THEN NoAnswer
        ELSE [answer[c] EXCEPT !.a = IF @ < Old THEN @ + 1 ELSE Old]]
    /\ UNCHANGED <<drawn, line, losses, st, gen, tok, passed, known, messages, top, floor, wrong>>

Next ==
    \/ \E c \in Clients :
        Ask(c) \/ HearGranted(c) \/ HearBusy(c) \/ HearRenewed(c) \/ HearMessage(c) \/ Renew(c) \/ HandOver(c) \/ Leave(c) \/ Renewal(c)
    \/ \E o \in Owners : Question(o) \/ Release(o)
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
