------------------------------ MODULE Failover ------------------------------
(* One lock on two servers, of which one is the master and the other its replica, with holdfast.failover-grace. See README.md.

   A replica has some earlier state of its master. A promoted one begins a new reign, and the master before it serves on for a while, so that some
   clients are granted locks there. A master also begins a new reign when it restarts without its data, and may be flushed within a reign.

   An assertion that was sent may be executed later, again, or never, and any answer may be lost. An assertion is sent to a server that is a master at
   that time. Of each client, the last one is kept. A release may be executed at any time after its holder has left. Lock.tla has what is left out
   here: late requests and answers, grants by a release, drift, and hand-over. *)
EXTENDS Naturals, FiniteSets, TLC

CONSTANTS
    Clients, Servers,   \* sets of model values
    MaxGen,             \* owner ids of a client, one for each attempt
    MaxToken,           \* grants in all
    MaxReigns,          \* reigns in all
    MaxFlushes,         \* how often a master is flushed
    Lease,              \* of a grant, and of a renewal
    Serves,             \* for how long a master serves on after another server was promoted
    Grace,              \* for how long a slot stays closed after the first request in a reign
    Compared,           \* the open key names its reign, and counts only in it; FALSE: it counts in any
    NamedByServer,      \* the server says which reign it is; FALSE: the client, which learned it when it connected
    HoldersOnly,        \* only a holder may assert a hold; FALSE: any client that wants the lock
    TokenCompared,      \* an assertion replaces only a hold with a lower token
    ReleasesWait,       \* a release grants nothing while the slot is closed
    Late                \* a lease that may end before the old master stops is not prolonged before that; FALSE: at once

VARIABLES
    data,               \* what a server has: hold (owner, token, ticks left), open (reigns whose key is there), closing (reign), age (since then)
    reign, had,         \* a server's present reign, and the reigns in which it was master
    master, serving,    \* the present master; for how many more ticks the other server serves as one
    reigns, drawn, flushes,
    gen,                \* the number of a client's owner id
    valid, tok,         \* a holder's validity in ticks, and its token; 0 for a client that has none
    asserted            \* a client's last assertion: where, owner id, token, age, what was left of the lease

vars == <<data, reign, had, master, serving, reigns, drawn, flushes, gen, valid, tok, asserted>>
servers == <<reign, had, master, serving, reigns, flushes>>
client == <<gen, valid, tok>>

None == <<"nobody", 0>>
Free == [o |-> None, t |-> 0, l |-> 0]
Empty == [hold |-> Free, open |-> {}, closing |-> 0, age |-> 0]
Nothing == [s |-> "none", o |-> None, t |-> 0, a |-> 0, r |-> 0]
Own(c) == <<c, gen[c]>>
Max(a, b) == IF a > b THEN a ELSE b
Min(a, b) == IF a < b THEN a ELSE b
Other(s) == CHOOSE o \in Servers : o # s
Answers(s) == s = master \/ serving > 0
Opened(s) == IF Compared THEN reign[s] \in data[s].open ELSE data[s].open # {}

Init ==
    /\ master \in Servers /\ serving = 0 /\ reigns = 1 /\ drawn = 0 /\ flushes = 0
    /\ reign = [s \in Servers |-> IF s = master THEN 1 ELSE 0] /\ had = [s \in Servers |-> IF s = master THEN {1} ELSE {}]
    /\ data = [s \in Servers |-> IF s = master THEN [Empty EXCEPT !.open = {1}] ELSE Empty]
    /\ gen = [c \in Clients |-> 1]
    /\ valid = [c \in Clients |-> 0] /\ tok = [c \in Clients |-> 0]
    /\ asserted = [c \in Clients |-> Nothing]

-----------------------------------------------------------------------------
(* What clients do. *)

(* A renewal is an assertion, too. *)
Speak(c) ==
    /\ IF HoldersOnly THEN valid[c] > 0 ELSE gen[c] <= MaxGen
    /\ \E s \in Servers :
        /\ Answers(s)
        /\ asserted' = [asserted EXCEPT ![c] = [s |-> s, o |-> Own(c), t |-> IF tok[c] > 0 THEN tok[c] ELSE drawn + 1, a |-> 0, r |-> valid[c]]]
    /\ UNCHANGED <<data, servers, drawn, client>>

(* The holder releases, or the client gives up or dies: from now on, the release of that owner id may be executed. *)
Leave(c) ==
    /\ gen[c] <= MaxGen /\ gen' = [gen EXCEPT ![c] = @ + 1]
    /\ valid' = [valid EXCEPT ![c] = 0] /\ tok' = [tok EXCEPT ![c] = 0]
    /\ UNCHANGED <<data, servers, drawn, asserted>>

Hold(c, t, v) == tok' = [tok EXCEPT ![c] = t] /\ valid' = [valid EXCEPT ![c] = v] /\ UNCHANGED gen

-----------------------------------------------------------------------------
(* What a server does with a command. *)

(* The first command that finds the reign closed begins its grace. *)
Found(s) == IF Opened(s) \/ data[s].closing = reign[s] THEN data[s] ELSE [data[s] EXCEPT !.closing = reign[s], !.age = 0]

IsClosed(s) == ~Opened(s)

Question(c, s) ==
    /\ Answers(s) /\ gen[c] <= MaxGen /\ tok[c] = 0
    /\ LET open == IF NamedByServer THEN Opened(s) ELSE had[s] \cap data[s].open # {}
           h == data[s].hold IN
       CASE ~open -> data' = [data EXCEPT ![s] = Found(s)] /\ UNCHANGED <<drawn, client>>
         [] open /\ h.o = None ->
              /\ drawn < MaxToken /\ drawn' = drawn + 1
              /\ data' = [data EXCEPT ![s].hold = [o |-> Own(c), t |-> drawn + 1, l |-> Lease]]
              /\ Hold(c, drawn + 1, Lease) \/ UNCHANGED client
         [] open /\ h.o = Own(c) -> UNCHANGED <<data, drawn>> /\ Hold(c, h.t, h.l)
         [] OTHER -> FALSE
    /\ UNCHANGED <<servers, asserted>>

Assertion(m) ==
    LET s == m.s
        c == m.o[1]
        found == Found(s)
        h == data[s].hold
        closed == IsClosed(s)
        prolonged == ~Late \/ ~closed \/ found.age >= Serves \/ m.r >= Serves
        ms == IF prolonged THEN Lease ELSE m.r
        mine == h.o = m.o /\ h.t = m.t
        mayWrite == closed /\ (h.o = None \/ ~TokenCompared \/ h.t < m.t) /\ ms > 0
        ours == Own(c) = m.o /\ tok[c] = m.t
        wants == ~HoldersOnly /\ Own(c) = m.o /\ tok[c] = 0 IN
    /\ m # Nothing /\ Answers(s)
    /\ IF mine \/ mayWrite
       THEN /\ data' = [data EXCEPT ![s] = [found EXCEPT !.hold = [o |-> m.o, t |-> m.t, l |-> IF mine THEN Max(h.l, ms) ELSE ms]]]
            /\ drawn' = Max(drawn, m.t)
            /\ \/ UNCHANGED client
               \/ /\ ours /\ prolonged /\ Lease - m.a > valid[c] /\ valid[c] > 0
                  /\ valid' = [valid EXCEPT ![c] = Lease - m.a] /\ UNCHANGED <<gen, tok>>
               \/ wants /\ Lease > m.a /\ Hold(c, m.t, Lease - m.a)
       ELSE /\ data' = [data EXCEPT ![s] = found]
            /\ UNCHANGED drawn
            /\ \/ UNCHANGED client
               \/ ours /\ valid' = [valid EXCEPT ![c] = 0] /\ UNCHANGED <<gen, tok>>
    /\ UNCHANGED <<servers, asserted>>

Release(o, s) ==
    /\ o[2] < gen[o[1]] /\ Answers(s) /\ data[s].hold.o = o
    /\ \/ data' = [data EXCEPT ![s].hold = Free] /\ UNCHANGED <<drawn, client>>
       \/ \E c \in Clients :
           /\ ~ReleasesWait /\ gen[c] <= MaxGen /\ tok[c] = 0 /\ drawn < MaxToken /\ drawn' = drawn + 1
           /\ data' = [data EXCEPT ![s].hold = [o |-> Own(c), t |-> drawn + 1, l |-> Lease]]
           /\ Hold(c, drawn + 1, Lease)
    /\ UNCHANGED <<servers, asserted>>

(* The grace is over. Whoever opens a reign removes the keys of all others. *)
Open(s) ==
    /\ Answers(s) /\ ~Opened(s)
    /\ IF Grace = 0 THEN TRUE ELSE data[s].closing = reign[s] /\ data[s].age >= Grace
    /\ data' = [data EXCEPT ![s].open = {reign[s]}, ![s].closing = 0, ![s].age = 0]
    /\ UNCHANGED <<servers, drawn, client, asserted>>

-----------------------------------------------------------------------------
(* What happens to servers. *)

Replicate ==
    /\ serving = 0 /\ data' = [data EXCEPT ![Other(master)] = data[master]]
    /\ UNCHANGED <<servers, drawn, client, asserted>>

Begin(s) ==
    /\ reigns < MaxReigns /\ reigns' = reigns + 1
    /\ reign' = [reign EXCEPT ![s] = reigns + 1] /\ had' = [had EXCEPT ![s] = @ \union {reigns + 1}]

Promote ==
    /\ serving = 0 /\ Begin(Other(master))
    /\ master' = Other(master) /\ serving' = Serves
    /\ UNCHANGED <<data, drawn, flushes, client, asserted>>

RestartWithoutData ==
    /\ Begin(master) /\ data' = [data EXCEPT ![master] = Empty]
    /\ UNCHANGED <<master, serving, drawn, flushes, client, asserted>>

Flush ==
    /\ flushes < MaxFlushes /\ flushes' = flushes + 1
    /\ data' = [data EXCEPT ![master] = Empty]
    /\ UNCHANGED <<reign, had, master, serving, reigns, drawn, client, asserted>>

Aged(d) == [d EXCEPT !.hold = IF d.hold.l > 1 THEN [@ EXCEPT !.l = @ - 1] ELSE Free, !.age = IF d.closing = 0 THEN 0 ELSE Min(Grace, @ + 1)]

Tick ==
    /\ data' = [s \in Servers |-> Aged(data[s])]
    /\ serving' = IF serving > 0 THEN serving - 1 ELSE 0
    /\ valid' = [c \in Clients |-> IF valid[c] > 0 THEN valid[c] - 1 ELSE 0]
    /\ asserted' = [c \in Clients |-> IF asserted[c] = Nothing THEN Nothing ELSE [asserted[c] EXCEPT !.a = Min(Lease, @ + 1)]]
    /\ UNCHANGED <<reign, had, master, reigns, flushes, drawn, gen, tok>>

Next ==
    \/ \E c \in Clients : Speak(c) \/ Leave(c) \/ Assertion(asserted[c]) \/ \E s \in Servers : Question(c, s)
    \/ \E s \in Servers : Open(s) \/ \E o \in Clients \X (1..MaxGen) : Release(o, s)
    \/ Replicate \/ Promote \/ RestartWithoutData \/ Flush \/ Tick

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
Believes(c) == valid[c] > 0

(* A holder that believes in its lease is the only one, also while the master before still serves. Once the master grants locks, it has the hold. *)
HolderIsRight == \A c \in Clients : Believes(c) =>
    /\ \A other \in Clients \ {c} : ~Believes(other)
    /\ reign[master] \in data[master].open /\ serving = 0 => data[master].hold.o = Own(c) /\ data[master].hold.t = tok[c]

Symmetry == Permutations(Clients) \union Permutations(Servers)
=============================================================================
