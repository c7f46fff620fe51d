------------------------------- MODULE Trace -------------------------------
(* Checks that runs of lab/simulation are behaviors of Lock.tla. TraceData.tla, which a test writes, has the runs as sequences of events. Each event is
   one step of the model, with the outcome that the event names, or no step if the model says that nothing happens. Times are in microseconds.

   A client of the model is one attempt of a real client, with the one owner id that it has. So a real client is several clients with one clock. *)
EXTENDS Lock, Integers, Sequences, TraceData

VARIABLES run, at       \* the number of a run, and of its next event

event == Runs[run].events[at]

TraceUsable(l) == l - l \div 20
TraceFirstLeaseOf(o) == IF o[1] <= Len(Runs[run].first) THEN Runs[run].first[o[1]] ELSE 0
TraceClients == 1..MostOwners
TraceNone == <<0, 0>>

(* What a client is told with an answer, and what the answer is worth by now. *)
Answer == [k |-> event.k, t |-> event.t, v |-> event.v]

(* After the event, Redis has this, and told these clients. The places of the model include those that have run out. *)
Shows ==
    /\ hold'.o = (IF event.owner = 0 THEN None ELSE <<event.owner, 1>>) /\ hold'.t = event.token /\ hold'.l = event.left
    /\ {<<c, 1>> : c \in event.places} \subseteq line'
    /\ messages' \ messages = {<<<<c, 1>>, event.token>> : c \in event.told}

(* The answer, if it arrives and is of use. *)
Gives == IF event.arrives /\ IsOfUse(<<event.c, 1>>, event.v) THEN Answer \in answers'[event.c] ELSE UNCHANGED answers

IsOfAge(q) == q.l = event.l /\ q.a = IF gen[event.c] > 1 \/ event.a > Old(q.l) THEN Old(q.l) ELSE event.a

Asks == Ask(event.c, event.l) \/ ([l |-> event.l, a |-> 0] \in asked[<<event.c, 1>>] /\ UNCHANGED vars)

Renews == Renew(event.c, event.l)

Leaves == IF st[event.c] = "idle" THEN UNCHANGED vars ELSE Leave(event.c)

(* Who waits and is refused has a place. *)
Enters == event.k = "busy" =>
    /\ <<event.c, 1>> \in line' <=> event.waits \/ <<event.c, 1>> \in line
    /\ event.waits => event.c \in event.places

Questions ==
    /\ \E q \in asked[<<event.c, 1>>] : IsOfAge(q) /\ Question(<<event.c, 1>>, q)
    /\ Gives /\ Enters /\ Shows

Renewals ==
    /\ IF event.k = "renewed"
       THEN \E q \in renewals[<<event.c, 1>>] : IsOfAge(q) /\ Renewal(<<event.c, 1>>, q)
       ELSE UNCHANGED vars
    /\ Gives /\ Shows

Releases ==
    /\ IF hold.o = <<event.c, 1>> \/ <<event.c, 1>> \in line THEN Release(<<event.c, 1>>) ELSE UNCHANGED vars
    /\ Shows

(* A command that Redis refused. *)
Refuses == UNCHANGED vars /\ Shows

(* An answer without use changes nothing. *)
Drops ==
    /\ answers' = [answers EXCEPT ![event.c] = @ \ {Answer}]
    /\ UNCHANGED <<redis, client, asked, renewals, messages, wrong>>

Hears ==
    IF event.v = 0 \/ st[event.c] = "idle" THEN UNCHANGED vars
    ELSE IF Answer \notin answers[event.c] THEN st[event.c] = "holds" /\ valid[event.c] >= event.v /\ UNCHANGED vars
    ELSE IF event.k = "busy" THEN HearBusy(event.c, Answer) \/ (~ENABLED HearBusy(event.c, Answer) /\ Drops)
    ELSE IF st[event.c] = "waits" THEN HearGranted(event.c, Answer)
    ELSE HearRenewed(event.c, Answer) \/ (~ENABLED HearRenewed(event.c, Answer) /\ Drops)

(* The client may ask rather than take the grant, or take it after the answer to a question that is under way. *)
HearsMessage == HearMessage(event.c) \/ UNCHANGED vars

(* A caller has the lock, with the nth token of a grant, and relies on it for as long. *)
Relies ==
    /\ event.c # 0 /\ st[event.c] = "holds" /\ tok[event.c] = event.t /\ valid[event.c] >= event.v
    /\ IF event.n > passed[event.c] THEN HandOver(event.c, event.n) ELSE event.n = passed[event.c] /\ UNCHANGED vars

(* By how much the clock of a client's process has gone on. *)
Step(c) ==
    LET home == Runs[run].home IN
        IF c <= Len(home) /\ home[c] <= Len(event.clocks) THEN event.clocks[home[c]] ELSE 0

Happens ==
    CASE event.e = "pass" -> Pass(event.redis, [c \in Clients |-> Step(c)])
      [] event.e = "ask" -> Asks
      [] event.e = "renew" -> Renews
      [] event.e = "leave" -> Leaves
      [] event.e = "question" -> Questions
      [] event.e = "renewal" -> Renewals
      [] event.e = "release" -> Releases
      [] event.e = "refusal" -> Refuses
      [] event.e = "hear" -> Hears
      [] event.e = "message" -> HearsMessage
      [] event.e = "rely" -> Relies

TraceInit == Init /\ run \in 1..Len(Runs) /\ at = 1

(* A run that breaks an invariant is refused like one that does what no action allows. TLC prints how far it came with each run, so that the test knows
   which runs it accepted. *)
TraceNext ==
    /\ at <= Len(Runs[run].events)
    /\ Happens /\ HolderIsRight' /\ TokensGrow' /\ CountIsTrue'
    /\ at' = at + 1 /\ run' = run
    /\ (at = Len(Runs[run].events) \/ Explains) => PrintT(<<"reached", run, at>>)

TraceSpec == TraceInit /\ [][TraceNext]_<<vars, run, at>>
=============================================================================
